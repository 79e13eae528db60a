"""Find the texts that a session wrote into git and its forge: bodies of commits, pull requests and issues.

A commit's words are git's own where git has the commit that the tool's result names; else they are taken
out of the command. A call that failed wrote nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import pairwise

from ledger.errors import DiurnaError
from ledger.git.git_objects import Objects
from ledger.git.repository import Repository, find_repository
from ledger.model.record import Record
from rituals.hosts.capture.deeds import arguments
from rituals.hosts.observed.shell import Simple, read
from rituals.hosts.observed.shell_outcomes import behind_git
from rituals.hosts.transcripts.slices import Turn

#: Gives the message of a commit by the beginning of its id; "" where git does not have it.
MessageOf = Callable[[str], str]
#: How git says which commit it made: `[main b5e8dfc5] subject`.
_MADE = re.compile(r"^\[[^\]\n]{1,200}?\b([0-9a-f]{7,40})\] ", re.MULTILINE)
_TRAILER = re.compile(r"(?:[A-Z][A-Za-z]*(?:-[A-Za-z]+)+: \S|\W{0,4}Generated (?:with|by) \S)")
#: How the tools of forges are called that write a text, whatever server they are of.
_TOOL = re.compile(
    r"(?:create|update|edit|open)_?(?:pull_?request|merge_?request|issue|pr)$", re.IGNORECASE
)
_FORGED = re.compile(r"(?:gh|glab) (?:pr|mr|issue) (?:create|new|edit|update)$")
_HERE = re.compile(r"\s*@(.*)@\s*", re.DOTALL)
_TITLES, _BODIES = ("--title", "-t"), ("--body", "-b", "--description", "-d")
_BODY_FILES = ("--body-file", "-F")
#: Beside `m`, the short options of `git commit` that take no value and may stand before it.
_FLAGS = "aqsvnepz"


class Written(Record):
    """A text with a heading of its own: of a commit, a pull request or an issue."""

    heading: str
    body: str = ""


class Texts(Record):
    """What a session wrote, in order."""

    commits: tuple[Written, ...] = ()
    texts: tuple[Written, ...] = ()


def texts_in(calls: Iterable[Turn], message_of: MessageOf) -> Texts:
    """Return the texts of commits, pull requests and issues that the calls of tools wrote."""
    commits: dict[str, Written] = {}
    texts: dict[str, Written] = {}
    files: dict[str, str] = {}
    for call in calls:
        given = arguments(call.given)
        path, content = (
            _text(given, "file_path", "path", "filePath"),
            _text(given, "content", "file_text"),
        )
        if path and content:  # a message may be taken from it
            files[posixpath.basename(path)] = content
        if _TOOL.search(call.tool) and not call.failed:
            _add(texts, Written(_text(given, "title"), _text(given, "body", "description")))
        command = _text(given, "command", "cmd", "script") or call.given * (not given)
        if "commit" in command:
            _commit(call, command, message_of, files, commits)
        forges = not call.failed and ("gh" in command or "glab" in command)
        for simple in read(command) if forges else ():
            _add(texts, _forged(simple, command, files))
    return Texts(tuple(commits.values()), tuple(texts.values()))


def _add(found: dict[str, Written], one: Written | None) -> None:
    """Take a text; a later one of the same heading takes the place of an earlier one."""
    if one and one.body.strip() and one.heading:
        found[one.heading] = one


def _commit(
    call: Turn,
    command: str,
    message_of: MessageOf,
    files: Mapping[str, str],
    found: dict[str, Written],
) -> None:
    made = _MADE.findall(call.result)
    if call.failed and not made:
        return
    committed = [(one, words) for one in read(command) if (words := _words_of_commit(one))]
    for place, (simple, words) in enumerate(committed):
        said = message_of(made[place]) if place < len(made) else ""
        said = said or _message(words, simple, command, files)
        if "--amend" in words and found:
            last = next(reversed(found))
            said = said or f"{last}\n\n{found[last].body}"
            del found[last]
        subject, _, body = said.strip().partition("\n")
        if subject.strip():
            found[subject.strip()] = Written(subject.strip(), without_trailers(body))


def without_trailers(body: str) -> str:
    """Return the body of a commit without the lines at its end that only say who and by what."""
    lines = body.strip().split("\n")
    while lines and (not lines[-1].strip() or _TRAILER.match(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines)


def _words_of_commit(one: Simple) -> list[str]:
    """Return what `git commit` is given, with the command itself first; [] where it is another command."""
    if posixpath.basename(one.words[0]).removesuffix(".exe") != "git":
        return []
    words, _ = behind_git(one.words)
    return words if words[:1] == ["commit"] and "--dry-run" not in words else []


def _message(words: list[str], one: Simple, command: str, files: Mapping[str, str]) -> str:
    """Return the message that a command gives a commit."""
    parts: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        flags, m, value = word[1:].partition("m")
        if word.startswith("--message="):
            parts.append(word[10:])
        elif word == "--message" or (word[:1] == "-" and m and not flags.strip(_FLAGS)):
            parts.append(value if value and word != "--message" else next(rest, ""))
        elif word in ("-F", "--file") or word.startswith("--file="):
            name = word.partition("=")[2] or next(rest, "")
            parts.append(_file(name, one, command, files))
    return "\n\n".join([_unquoted(part).strip() for part in parts])


def _unquoted(text: str) -> str:
    """Return what stands in a here-string of PowerShell, else the text."""
    here = _HERE.fullmatch(text)
    return here[1] if here else text


def _forged(one: Simple, command: str, files: Mapping[str, str]) -> Written | None:
    """Return the text that a command of a forge's program gives a pull request or an issue."""
    words = [posixpath.basename(one.words[0]), *one.words[1:]]
    if not _FORGED.match(" ".join(words[:3])):
        return None
    said = {"": ""}
    for word, value in pairwise((*words, "")):
        name, equals, own = word.partition("=")
        said.setdefault(name, own if equals else value)
    name = _text(said, *_BODY_FILES)
    body = _text(said, *_BODIES) or _file(name, one, command, files)
    number = "".join(words[3:4]) if words[2] in ("edit", "update") else ""
    title = _unquoted(_text(said, *_TITLES)) or f"{words[1]} {number}".strip()
    return Written(title, _unquoted(body))


def _file(name: str, simple: Simple, command: str, files: Mapping[str, str]) -> str:
    """Return what a file has: standard input, or what a document of the command or a tool wrote."""
    if name in ("-", "/dev/stdin"):
        return simple.document
    written = re.search(r"(?:>|\btee\s)\s?[\"']?" + re.escape(name) + r"[\"']?(?=[\s;&|])", command)
    if name and written:
        for one in read(command):
            if one.document and one.words[:1] in (("cat",), ("tee",)):
                return one.document
    return files.get(posixpath.basename(name), "")


def _text(given: Mapping[str, object], *names: str) -> str:
    return next((text for name in names if isinstance(text := given.get(name), str)), "")


_BYTES = 64 << 10


@contextmanager
def commit_messages(folder: str, home: Repository) -> Iterator[MessageOf]:
    """Give what tells a commit's message, "" where git does not have it; only a question starts git.

    Git is asked where the session works, in `folder` ("" for unknown), else in `home`.
    """
    with ExitStack() as running:

        @cache
        def objects() -> Objects:
            found = find_repository(folder) if folder else None
            return running.enter_context(Objects((found or home).git()))

        def message_of(oid: str) -> str:
            try:
                head, _, message = objects().read(oid, _BYTES).partition(b"\n\n")
            except (DiurnaError, OSError):
                return ""
            return message.decode("utf-8", "replace") if head.startswith(b"tree ") else ""

        yield message_of
