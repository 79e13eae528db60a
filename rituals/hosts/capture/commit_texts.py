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
from functools import cached_property
from itertools import pairwise

from ledger.errors import DiurnaError
from ledger.git.git_objects import Objects
from ledger.git.repository import Repository, find_repository
from ledger.model.record import Record
from rituals.hosts.capture.facts_from_deeds import arguments, command_of
from rituals.hosts.shell import Simple, joined, read
from rituals.hosts.shell_outcomes import behind_git, messages
from rituals.hosts.transcripts.turns import Turn

#: How git says which commit it made: `[main b5e8dfc5] subject`.
_MADE = re.compile(r"^\[[^\]\n]{1,200}?\b([0-9a-f]{7,40})\] ", re.MULTILINE)
_TRAILER = re.compile(r"(?:[A-Z][A-Za-z]*(?:-[A-Za-z]+)+: \S|\W{0,4}Generated (?:with|by) \S)")
#: How the tools of forges are called that write a text, whatever server they are of.
_TOOL = re.compile(
    r"(?:create|update|edit|open)_?(?:pull_?request|merge_?request|issue|pr)$", re.IGNORECASE
)
_FORGED = re.compile(r"(?:gh|glab) (?:pr|mr|issue) (?:create|new|edit|update)$")
_TITLES, _BODIES = ("--title", "-t"), ("--body", "-b", "--description", "-d")
_BODY_FILES, _CONTENTS = ("--body-file", "-F"), ("content", "file_text")
#: A command without any of these words writes no text.
_WRITERS = ("commit", "revert", "gh", "glab")
#: How many characters name a commit.
_LEAST_ID = 7
#: How much is read of a commit, and in how many of the newest one is looked for that has no id.
_BYTES, _NEWEST = 64 << 10, 1_000


class Piece(Record):
    """A text with a heading of its own: of a commit, a pull request, an issue or a turn."""

    heading: str
    body: str = ""
    known: bool = False  #: git has the commit
    asks: tuple[str, ...] = ()  #: what a person asked for in the turn, a line each
    goes_on: bool = False  #: the agent used a tool right behind it


class History:
    """What git knows where a session works; only a question starts git.

    Args:
        folder: where the session works, "" for unknown.
        home: the repository that is asked where that has none.
    """

    def __init__(self, folder: str, home: Repository) -> None:
        self._folder, self._home = folder, home

    def message_of(self, oid: str) -> str:
        """Return the message of a commit by the beginning of its id; "" where git does not have it."""
        try:
            head, _, message = Objects(self._repository).read(oid, _BYTES).partition(b"\n\n")
        except (DiurnaError, OSError):
            return ""
        return message.decode("utf-8", "replace") if head.startswith(b"tree ") else ""

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
    def subjects(self) -> frozenset[str]:
        """The subjects of the newer commits of all branches."""
        listed = ("log", "--branches", f"-n{_NEWEST}", "--format=%s", "HEAD", "--")
        return frozenset(self._repository.git().text(*listed, check=False).split("\n"))


class Texts:
    """What the calls of tools wrote, by the headings: a later text takes the place of an earlier one.

    Of commits those that git has; all where it has none.
    """

    def __init__(self, calls: Iterable[Turn], history: History) -> None:
        self._history = history
        self._files: dict[str, str] = {}  # what tools wrote: a message may be taken from it
        self._made: dict[str, int] = {}  # the bytes of calls, by the ids of their commits
        self.commits: dict[str, Piece] = {}
        self.texts: dict[str, Piece] = {}
        self.reverted: set[int] = set()  #: the bytes of the calls whose commits it reverted
        for call in calls:
            self._take(call)
        known = {heading: one for heading, one in self.commits.items() if one.known}
        self.commits = known or self.commits

    def _take(self, call: Turn) -> None:
        """Take what a call wrote."""
        given, command = arguments(call.given), command_of(call)
        path, content = _text(given, "file_path", "path", "filePath"), _text(given, *_CONTENTS)
        if path and content:
            self._files[posixpath.basename(path)] = content
        if _TOOL.search(call.tool) and not call.failed:
            self._write(_text(given, "title"), _text(given, "body", "description"))
        made, begins = _MADE.findall(call.result), False
        ids = iter(made)
        for one in read(command) if any(word in command for word in _WRITERS) else ():
            is_git = posixpath.basename(one.words[0]).removesuffix(".exe") == "git"
            words, folder = behind_git(one.words) if is_git else ([], "")
            begins = begins or words[:1] == ["init"]
            if words[:1] == ["revert"] and (made or not call.failed):
                self._revert(words[1:])
                next(ids, "")
            elif words[:1] == ["commit"] and "--dry-run" not in words:
                if made or not call.failed:
                    folder = joined(one.folder, folder)
                    theirs = begins or self._history.is_elsewhere(folder)
                    self._commit(
                        call, words, next(ids, ""), self._message(one, words, command), theirs
                    )
            elif not (words or call.failed or self._history.is_elsewhere(one.folder)):
                self._forge(one, command)

    def _write(self, title: str, body: str) -> None:
        if title and body.strip():
            self.texts[title] = Piece(title, body)

    def _message(self, one: Simple, words: Sequence[str], command: str) -> str:
        """Return the message that a command gives a commit."""
        found = messages(words[1:])
        parts = [self._file(text, one, command) if is_file else text for text, is_file in found]
        return "\n\n".join([part.strip() for part in parts])

    def _commit(self, call: Turn, words: Sequence[str], oid: str, said: str, theirs: bool) -> None:
        """Take a commit, in git's words where it has it; `theirs`: another repository has it."""
        told = self._history.message_of(oid) if oid else ""
        known, said = bool(told), told or said
        if theirs and not known:
            return
        self._made[oid or "HEAD"] = self._made["HEAD"] = call.at
        if "--amend" in words and self.commits:
            last, piece = self.commits.popitem()
            said, known = said or f"{last}\n\n{piece.body}", known or piece.known
        subject, _, body = said.strip().partition("\n")
        if subject := subject.strip():
            known = known or (not oid and subject in self._history.subjects)
            self.commits[subject] = Piece(subject, without_trailers(body), known)

    def _revert(self, words: Sequence[str]) -> None:
        for oid, at in self._made.items():
            for word in words:
                least = min(len(word), len(oid))
                if word == oid or (least >= _LEAST_ID and word[:least] == oid[:least]):
                    self.reverted.add(at)

    def _forge(self, one: Simple, command: str) -> None:
        """Take the text that a command of a forge's program gives a pull request or an issue."""
        words = [posixpath.basename(one.words[0]), *one.words[1:]]
        if not _FORGED.match(" ".join(words[:3])):
            return
        said = {"": ""}
        for word, value in pairwise((*words, "")):
            name, equals, own = word.partition("=")
            said.setdefault(name, own if equals else value)
        body = _text(said, *_BODIES) or self._file(_text(said, *_BODY_FILES), one, command)
        number = "".join(words[3:4]) if words[2] in ("edit", "update") else ""
        self._write(_text(said, *_TITLES) or f"{words[1]} {number}".strip(), body)

    def _file(self, name: str, one: Simple, command: str) -> str:
        """Return what a file has: standard input, or what a document of the command or a tool wrote."""
        if name in ("-", "/dev/stdin"):
            return one.document
        written = re.search(
            r"(?:>|\btee\s)\s?[\"']?" + re.escape(name) + r"[\"']?(?=[\s;&|])", command
        )
        for other in read(command) if name and written else ():
            if other.document and other.words[:1] in (("cat",), ("tee",)):
                return other.document
        return self._files.get(posixpath.basename(name), "")


def without_trailers(body: str) -> str:
    """Return the body of a commit without the lines at its end that only say who and by what."""
    lines = body.strip().split("\n")
    while lines and (not lines[-1].strip() or _TRAILER.match(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines)


def _text(given: Mapping[str, object], *names: str) -> str:
    return next((text for name in names if isinstance(text := given.get(name), str)), "")
