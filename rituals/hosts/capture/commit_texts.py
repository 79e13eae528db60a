"""Find the texts that a session wrote into git and its forge: bodies of commits, pull requests and issues.

A commit's words are git's own where git has the commit that the tool's result names; else they are taken
out of the command. A call that failed wrote nothing. What git does not have was made in another
repository, for a test; where git has no commit of a session, that was held elsewhere, and all are told.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from itertools import pairwise

from ledger.errors import DiurnaError
from ledger.git.git_objects import Objects
from ledger.git.repository import Repository, find_repository
from ledger.model.record import Record
from rituals.hosts.capture.deeds import arguments
from rituals.hosts.shell import Simple, joined, read
from rituals.hosts.shell_outcomes import behind_git
from rituals.hosts.transcripts.turns import Turn

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
#: How many characters name a commit.
_LEAST_ID = 7
#: How much is read of a commit, and in how many of the newest one is looked for that has no id.
_BYTES, _NEWEST = 64 << 10, 1_000
#: Beside `m`, the short options of `git commit` that take no value and may stand before it.
_FLAGS = "aqsvnepz"


class Piece(Record):
    """A text with a heading of its own: of a commit, a pull request, an issue or a turn."""

    heading: str
    body: str = ""
    known: bool = False  #: git has the commit
    asks: tuple[str, ...] = ()  #: what a person asked for in the turn, a line each
    goes_on: bool = False  #: the agent used a tool right behind it


class Texts(Record):
    """What a session wrote, in order."""

    commits: tuple[Piece, ...] = ()
    texts: tuple[Piece, ...] = ()
    reverted: frozenset[int] = frozenset()  #: the bytes of the calls whose commits it reverted


class History:
    """What git knows where a session works; only a question starts git. A context, for what runs.

    Args:
        folder: where the session works, "" for unknown.
        home: the repository that is asked where that has none.
    """

    def __init__(self, folder: str, home: Repository) -> None:
        self._folder, self._home, self._running = folder, home, ExitStack()

    def __enter__(self) -> History:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what runs."""
        self._running.close()

    def message_of(self, oid: str) -> str:
        """Return the message of a commit by the beginning of its id; "" where git does not have it."""
        try:
            head, _, message = self._objects.read(oid, _BYTES).partition(b"\n\n")
        except (DiurnaError, OSError):
            return ""
        return message.decode("utf-8", "replace") if head.startswith(b"tree ") else ""

    def has(self, subject: str) -> bool:
        """Tell whether a newer commit of any branch has this subject."""
        return subject in self._subjects

    def is_elsewhere(self, folder: str) -> bool:
        """Tell whether a folder is there, and in another repository; from where the session works."""
        where = os.path.join(self._folder, folder)
        if not os.path.isabs(where) or not os.path.isdir(where):
            return False
        found = find_repository(where)
        return found is None or found.commondir != self._repository.commondir

    @cached_property
    def _repository(self) -> Repository:
        return (find_repository(self._folder) if self._folder else None) or self._home

    @cached_property
    def _objects(self) -> Objects:
        return self._running.enter_context(Objects(self._repository.git()))

    @cached_property
    def _subjects(self) -> frozenset[str]:
        listed = ("log", "--branches", f"-n{_NEWEST}", "--format=%s", "HEAD", "--")
        return frozenset(self._repository.git().text(*listed, check=False).split("\n"))


def texts_in(calls: Iterable[Turn], history: History) -> Texts:
    """Return the texts of commits, pull requests and issues that the calls of tools wrote."""
    commits = _Commits(history)
    texts: dict[str, Piece] = {}
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
            _add(texts, Piece(_text(given, "title"), _text(given, "body", "description")))
        command = _text(given, "command", "cmd", "script") or call.given * (not given)
        if "commit" in command or "revert" in command:
            commits.take(call, command, files)
        forges = not call.failed and ("gh" in command or "glab" in command)
        for simple in read(command) if forges else ():
            if not history.is_elsewhere(simple.folder):
                _add(texts, _forged(simple, command, files))
    return Texts(commits.ours(), tuple(texts.values()), frozenset(commits.reverted))


def _add(found: dict[str, Piece], one: Piece | None) -> None:
    """Take a text; a later one of the same heading takes the place of an earlier one."""
    if one and one.body.strip() and one.heading:
        found[one.heading] = one


class _Commits:
    """Gathers the commits of a session, by their subjects."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._found: dict[str, Piece] = {}
        self._made: dict[str, int] = {}  # the bytes of calls, by the ids of their commits
        self.reverted: set[int] = set()

    def ours(self) -> tuple[Piece, ...]:
        """Return those that git has; all where it has none."""
        known = [one for one in self._found.values() if one.known]
        return tuple(known or self._found.values())

    def take(self, call: Turn, command: str, files: Mapping[str, str]) -> None:
        """Take the commits that a call made, and those that it reverted."""
        made = _MADE.findall(call.result)
        if call.failed and not made:
            return
        begins, at = False, 0
        for simple in read(command):
            words, folder = _behind_git(simple)
            begins = begins or words[:1] == ["init"]
            if words[:1] == ["revert"]:
                self._revert(words[1:])
                at += 1
            elif words[:1] == ["commit"] and "--dry-run" not in words:
                oid = made[at] if at < len(made) else ""
                at += 1
                said = self._history.message_of(oid) if oid else ""
                told = said or _message(words, simple, command, files)
                if not (begins or self._history.is_elsewhere(folder)) or said:
                    self._add(told, bool(said), bool(oid), "--amend" in words)
                    self._made[oid or "HEAD"] = self._made["HEAD"] = call.at

    def _add(self, said: str, known: bool, named: bool, amends: bool) -> None:
        if amends and self._found:
            last = next(reversed(self._found))
            said = said or f"{last}\n\n{self._found[last].body}"
            known = known or self._found[last].known
            del self._found[last]
        subject, _, body = said.strip().partition("\n")
        subject = subject.strip()
        if subject:
            known = known or (not named and self._history.has(subject))
            self._found[subject] = Piece(subject, without_trailers(body), known)

    def _revert(self, words: Sequence[str]) -> None:
        for oid, at in self._made.items():
            for word in words:
                least = min(len(word), len(oid))
                if word == oid or (least >= _LEAST_ID and word[:least] == oid[:least]):
                    self.reverted.add(at)


def without_trailers(body: str) -> str:
    """Return the body of a commit without the lines at its end that only say who and by what."""
    lines = body.strip().split("\n")
    while lines and (not lines[-1].strip() or _TRAILER.match(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines)


def _behind_git(one: Simple) -> tuple[list[str], str]:
    """Return what git is given, its command first, and where it runs; [] where it is another program."""
    if posixpath.basename(one.words[0]).removesuffix(".exe") != "git":
        return [], ""
    words, folder = behind_git(one.words)
    return words, joined(one.folder, folder)


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


def _forged(one: Simple, command: str, files: Mapping[str, str]) -> Piece | None:
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
    return Piece(title, _unquoted(body))


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
