"""Say what of an event is worth an observation: what changed something, or tested it.

First match: a tool that writes, a command of shell that changes, tests or builds, a task. All else is
dropped, and so is whatever is said. What is kept has its secrets replaced, stands in one line, and
names files from the top of the work tree; what lies outside of it is nobody's memory. Below it
stand the names by which all hosts give a tool its line of shell and its files.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms
from ledger.model.layout import STATE_DIR
from ledger.model.record import TYPE_CHECKING, Record
from rituals.hosts.adapters import FAILURE, TASK
from rituals.hosts.session_files import read_record, write_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.home import Home
    from rituals.hosts.host_events import Moment
    from rituals.hosts.observation_spool import Observation

    Found = tuple[str, str, str, Iterable[str]] | None

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
        quoted = ["'" + part.replace("'", "'\\''") + "'" for part in parts]
        given = script or " ".join(quoted)
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
    tops = tuple(dict.fromkeys((f"{top}/", f"{os.path.realpath(top)}/")))
    found = []
    for path in paths:
        if not path or "\0" in path or path[0] in "~$":
            continue
        try:
            os.fsencode(f"{folder}{path}")
        except UnicodeEncodeError:
            continue  # no file has such a name
        whole = os.path.normpath(os.path.join(folder, path))
        if not whole.startswith(tops):
            whole = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
        inner = next((whole[len(one) :] for one in tops if whole.startswith(one)), "")
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


_TASKS = frozenset(
    "taskcreate taskupdate todowrite todo_write update_plan write_todos update_todo_list"
    " manage_todo_list".split()
)
#: A line without any of these runs nothing that is kept.
_SIGNS = (
    "git", "npm", "pnpm", "yarn", "bun", "pip", "uv", "poetry", "pdm", "rye", "deno", "cargo", "conda",
    "mamba", "apt", "dnf", "yum", "brew", "apk", "zypper", "choco", "winget", "scoop", "pacman",
    "twine", "helm", "go ", "dotnet", "gem", "bundle", "composer", "rm", "mv", "unlink", "trash",
    "diurna", "patch", "test", "tox", "nox", "jest", "mocha", "ava", "spec", "unit", "behave", "tap",
    "cypress", "ginkgo", "bats", "karma", "tsc", "pack", "rollup", "build", "ninja", "meson", "tsup",
    "turbo", "nx", "make", "just", "task", "gradle", "swift", "mix", "bazel", "zig", "hatch", "docker",
    "playwright", "manage.py", "sbt", "rake", "next", "vite", "ng ", "nuxt", "astro", "gh ", "glab",
)  # fmt: skip
#: Of the tools that write, what only looks, by what it is given.
_VIEWS = ("view", "undo_edit")
#: What the policy says.
NOTE_FILE = f"{STATE_DIR}/observing"
_MANY_PATHS = 20
_ID_CHARS = 80
_DONE = ("completed", "complete", "done")


def admitted(said: Moment, top: str) -> Observation | None:
    """Return what is kept of an event, of a tool or a task; None for nothing.

    `top` is of the work tree, "" for none.
    """
    found = _found(said, top)
    if found is None:
        return None
    kind, why, what, paths = found
    if "private" in what.lower():
        from ledger.secrets.match import without_private

        what = without_private(what).strip()
    from ledger.secrets.scanner import without_secrets
    from projection.brief.inert_text import shortened
    from rituals.hosts.observation_spool import SHORT_CHARS, WHAT_CHARS, Observation

    what = _from_top(" ".join(what.split()), top)
    what = shortened(without_secrets(what, homes=True), WHAT_CHARS)
    safe = list(dict.fromkeys(paths))
    if without_secrets("\n".join(safe), homes=True) != "\n".join(safe):
        safe = [path for path in safe if without_secrets(path, homes=True) == path]
    once = _plain_id(said.once, kind, why, what, *safe, said.at, said.session)
    why, named = shortened(why, SHORT_CHARS), tuple(safe[:_MANY_PATHS])
    return Observation(now_ms(), kind, why, what, named, once)


def without_withheld(one: Observation, home: Home) -> Observation:
    """Return an observation without words that a home withholds: what was done in two words stays."""
    from memory import hides_text

    hidden = hides_text(home)
    paths = tuple([path for path in one.paths if not hidden(path)])
    return one._replace(what=one.why if hidden(one.what) else one.what, paths=paths)


class Observing(Record):
    """What the policy says of observations."""

    tip: str = ""  #: the commit that says so, "" where nobody noted it
    stopped: bool = False  #: nothing is kept of sessions
    ask: int = 4  #: so many questions to an agent may stay without an answer


def observing(commondir: str) -> Observing:
    """Return what the policy says, as far as it was noted."""
    return read_record(f"{commondir}/{NOTE_FILE}", Observing())


def is_candidate(said: Moment) -> bool:
    """Tell at once whether an event may be worth an observation: most are not."""
    if said.event == TASK:
        return bool(said.task)
    tool = said.tool.lower()
    return tool in WRITING or tool in _TASKS or (tool in SHELLS and bool(_line(said)))


def _found(said: Moment, top: str) -> Found:
    if said.event == TASK:
        return ("task", "task completed", f"completed: {said.task}", ()) if said.task else None
    tool = said.tool.lower()
    if tool in SHELLS:
        return _run(said, top)
    if said.event == FAILURE or said.given.get("command") in _VIEWS:
        return None
    if tool not in WRITING:
        return _task(said) if tool in _TASKS else None
    paths = inside(paths_given(said), top, said.cwd or said.folder)
    made, gone = tool.startswith(("write", "create")), tool.startswith("delete")
    verb = "wrote" if made else "deleted" if gone else "edited"
    return ("edit", said.tool, f"{verb} {', '.join(paths)}", paths) if paths else None


def _run(said: Moment, top: str) -> Found:
    line = _line(said)
    if not line:
        return None
    from rituals.hosts.shell import joined, read
    from rituals.hosts.shell_outcomes import Act, act, exit_code

    start = start_folder(said)
    code = exit_code(said)
    kinds, whys, whats, paths = list[str](), dict[str, None](), list[str](), list[str]()
    for command in read(line):
        patches = command.words[0] in ("apply_patch", "applypatch")
        if patches:
            files = patched(command.document or " ".join(command.words[1:]))
            done = (
                None if code and command.decides else Act("edit", "apply_patch", "", tuple(files))
            )
        else:
            done = act(command)
        named = (
            inside(done.paths, top, os.path.join(start, joined("", command.folder))) if done else []
        )
        if done is None or (done.kind in ("edit", "file") and not named):
            continue
        what = done.what
        if done.kind in ("edit", "file"):
            what = f"{'edited' if patches else done.why} {', '.join(named)}"
        if code is not None and (command.decides if code else command.surely and done.of_work):
            what = f"{what} (exit {code})"
        kinds.append(done.kind)
        whys[done.why] = None
        whats.append(what)
        paths += named
    return (kinds[0], ", ".join(whys), "; ".join(whats), paths) if kinds else None


def _line(said: Moment) -> str:
    """Return the line of shell that a tool ran, "" where nothing of it can be kept."""
    line = line_in(said.given)
    return line if any(sign in line for sign in _SIGNS) else ""


def _task(said: Moment) -> Found:
    listed = next(
        (said.given[name] for name in ("todos", "plan", "todoList", "items") if name in said.given),
        None,
    )
    if isinstance(listed, list):
        done = [
            str(one.get("content") or one.get("step") or one.get("description") or one.get("title"))
            for one in listed
            if isinstance(one, dict) and one.get("status") in _DONE
        ]
        return ("task", said.tool, f"done: {'; '.join(done)}", ()) if done else None
    subject = first_text(said, ("subject", "title", "taskId", "task_id"))
    status = first_text(said, ("status",))
    if not subject or status == "in_progress":
        return None
    return "task", said.tool, f"{status or 'new'}: {subject}", ()


def _from_top(text: str, top: str) -> str:
    """Say paths of the work tree from its top."""
    for one in dict.fromkeys((top, os.path.realpath(top) if top else "")):
        if len(one) > 1:
            text = text.replace(f"{one}/", "")
    return text


def _plain_id(once: str, *content: str) -> str:
    """Return by what an observation counts once: the host's id of the call, else its content."""
    plain = once.replace("-", "").replace("_", "").replace(".", "")
    if len(once) <= _ID_CHARS and plain.isascii() and plain.isalnum():
        return once
    from ledger.model.ids import line_digest

    return "~" + line_digest("\0".join(content if not once else (once,)))


def refresh(home: Home) -> None:
    """Note what the policy of a home says, where its branch has moved since.

    Raises:
        DiurnaError: the home can not be read, or the disk refused.
    """
    commondir, tip = home.repository.commondir, home.tip()
    if observing(commondir).tip == tip:
        return
    from memory import open_snapshot
    from projection.policy.model import OFF

    capture = open_snapshot(home).ask(lambda cache: cache.policy.capture, tip)
    write_record(f"{commondir}/{NOTE_FILE}", Observing(tip, capture.keep == OFF, capture.ask))
