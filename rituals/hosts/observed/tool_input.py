"""Read what a tool of a host was given: a line of shell, the files that it reads or writes."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rituals.hosts.moments import Moment

#: Names of the tools that write a file, of all hosts, in small letters.
WRITING = frozenset(
    "write edit multiedit notebookedit notebook_edit write_file replace apply_patch patch"
    " create create_file edit_file str_replace_editor str_replace search_replace strreplace"
    " delete delete_file write_to_file replace_file_content multi_replace_file_content"
    " editnotebook".split()
)
#: Likewise of those that read one.
READING = frozenset("read read_file view view_file open_file cat notebookread".split())
SHELLS = frozenset(
    "bash shell run_shell_command local_shell exec_command run_terminal_cmd run_in_terminal"
    " run_command terminal execute powershell shell_command unified_exec container.exec".split()
)
_PATHS = (
    "file_path", "filePath", "path", "notebook_path", "notebookPath", "target_file", "absolute_path",
    "TargetFile",
)  # fmt: skip
_COMMANDS = ("command", "cmd", "script", "CommandLine", "commandLine")
_PATCHES = ("input", "patch", "patchText", "patch_text", "command", "content")
_PATCH_LINES = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def line_in(arguments: Mapping[str, object]) -> str:
    """Return the line of shell among what a tool was given by name, "" for none."""
    given = next((arguments[name] for name in _COMMANDS if name in arguments), None)
    if isinstance(given, list):
        parts = [part for part in given if isinstance(part, str)]
        script = parts[2] if len(parts) == 3 and parts[1] in ("-c", "-lc") else ""
        given = script or " ".join([_quoted(part) for part in parts])
    return given if isinstance(given, str) else ""


def paths_given(said: Moment) -> list[str]:
    """Return the files that a tool reads or writes, as it was given them."""
    named = patched(first_text(said, _PATCHES)) if "patch" in said.tool.lower() else []
    return named or [path for path in [first_text(said, _PATHS)] if path]


def start_folder(said: Moment) -> str:
    """Return where a shell starts."""
    start = first_text(said, ("workdir", "cwd", "working_directory", "Cwd"))
    return os.path.join(said.cwd or said.folder, start)


def patched(text: str) -> list[str]:
    """Return the files that a patch names."""
    return [
        line[len(mark) :].strip()
        for line in text.split("\n")
        for mark in _PATCH_LINES
        if line.startswith(mark)
    ]


def inside(paths: Iterable[str], top: str, folder: str) -> list[str]:
    """Return those paths that lie in a work tree, from its top, where git does not keep its own."""
    if not top:
        return []
    tops = tuple(dict.fromkeys((top, os.path.realpath(top))))
    found = []
    for path in paths:
        if not path or "\0" in path or path[0] in "~$":
            continue
        try:
            os.fsencode(f"{folder}{path}")
        except UnicodeEncodeError:
            continue  # no file has such a name
        whole = os.path.normpath(os.path.join(folder, path))
        if not whole.startswith(tuple(f"{one}/" for one in tops)):
            whole = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
        inner = next((whole[len(one) + 1 :] for one in tops if whole.startswith(f"{one}/")), "")
        if inner and inner != ".git" and not inner.startswith(".git/"):
            found.append(inner)
    return found


def first_text(said: Moment, names: Iterable[str]) -> str:
    """Return the first text that a tool was given by some names, "" for none."""
    for name in names:
        found = said.given.get(name)
        if isinstance(found, str) and found:
            return found
        if isinstance(found, list) and name in _PATCHES:
            return "\n".join([one for one in found if isinstance(one, str)])
    return ""


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"
