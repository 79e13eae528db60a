"""Read what commits change as values that can be compared: patches, by file and line.

Two patches are the same when `git patch-id --stable` says so: line numbers and white space do not count.
"""

from __future__ import annotations

import re
from codecs import escape_decode
from collections import Counter
from collections.abc import Iterable
from hashlib import sha1

from ledger.environment import monotonic
from ledger.git.cli import Git
from ledger.model.record import Record

#: How often a line, with its sign, is changed at a path.
Lines = Counter[tuple[bytes, bytes]]

#: How much text of patches is read at once.
PATCH_BYTES = 5 << 20
#: Whatever the user's settings say, a patch has one form; a whole object id tells what a binary file is.
_FORM = (
    "-p", "-U3", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index",
    "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
)  # fmt: skip
_LOG = ("--no-show-signature", "--no-notes", "--format=%x01%H")
#: Nothing is fetched because a patch was asked for: where files are missing there is no answer.
_QUIET = {"GIT_NO_LAZY_FETCH": "1"}
_COMMIT, _FILE = b"\x01", b"diff --git "
_TREES = re.compile(rb"\n(?:[0-9a-f]{40} [0-9a-f]{40})(?=\n|$)")


class Patch(Record):
    """What a commit, or a run of commits, changes."""

    commit: str  #: the last of them
    #: path -> its lines, each with its sign and without white space; those around a change too
    files: dict[bytes, tuple[bytes, ...]]

    @property
    def paths(self) -> frozenset[bytes]:
        """The files that it changes."""
        return frozenset(self.files)

    def id(self) -> bytes:
        """Return what equal patches share."""
        return sha1(repr(self.files).encode(), usedforsecurity=False).digest()

    def lines(self) -> Lines:
        """Return how often each line was taken away or added, by path; empty ones are not counted."""
        return Counter(
            (path, line)
            for path, lines in self.files.items()
            for line in lines
            if line[:1] in b"+-" and len(line) > 1
        )


class Budget:
    """How much longer the search for one point may take, and whether anything was left out.

    Args:
        seconds: it may take.
    """

    def __init__(self, seconds: float) -> None:
        self._until = monotonic() + seconds
        self.cut = False  #: something was left out, so that "not found" is no answer for good

    def ask(self, git: Git, *arguments: str, data: bytes = b"") -> bytes:
        """Return what a git command prints, as far as there is time for it, and room.

        Raises:
            TimeoutError: the time is up.
            GitFailed: it failed: objects are not here, perhaps.
        """
        left = self._until - monotonic()
        if left <= 0:
            self.cut = True
            raise TimeoutError
        running = git.start(*arguments, more=_QUIET)
        try:
            status, out, err = running.finish(data, seconds=left, most=PATCH_BYTES)
        except TimeoutError:
            self.cut = True
            raise
        if status:
            raise git.failure(arguments[0], status, err)
        if len(out) >= PATCH_BYTES:
            self.cut = True
            return out[: out.rfind(b"\n" + _COMMIT) + 1]  # the last may not be whole
        return out


def patches_of(
    git: Git, budget: Budget, *arguments: str, paths: Iterable[bytes] = ()
) -> list[Patch]:
    """Return the patches of the commits that `git log` lists with these arguments, newest first."""
    specs = [f":(top,literal){path.decode('utf-8', 'surrogateescape')}" for path in paths]
    out = budget.ask(git, "log", *_LOG, *_FORM, *arguments, "--", *specs)
    # no line of a patch begins as the line of a commit does
    parts = (b"\n" + out).split(b"\n" + _COMMIT)[1:]
    return [_patch(part[:40].decode(), part[40:]) for part in parts]


def between(git: Git, budget: Budget, pairs: Iterable[tuple[str, str]]) -> list[Patch]:
    """Return what lies between two commits each, (from, to), as one patch; in their order."""
    pairs = list(pairs)
    trees = git.resolve(*[f"{one}^{{tree}}" for pair in pairs for one in pair])
    if "" in trees or not trees:
        return []
    asked = "".join(f"{old} {new}\n" for old, new in zip(trees[::2], trees[1::2], strict=True))
    said = budget.ask(git, "diff-tree", "--stdin", "-r", *_FORM, data=asked.encode())
    parts = _TREES.split(b"\n" + said)[1:]
    return [_patch(to, b"\n" + part) for (_, to), part in zip(pairs, parts, strict=False)]


def _patch(commit: str, text: bytes) -> Patch:
    return Patch(commit, dict(map(_file, text.split(b"\n" + _FILE)[1:])))


def _file(block: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    """Return the path of one file of a patch, and its lines."""
    names, _, rest = block.partition(b"\n")
    head, _, body = rest.partition(b"\n@@ ")
    half = len(names) // 2  # without renames both are the same, but for `a/` and `b/`
    path = escape_decode(names[3 : half - 1])[0] if names[:1] == b'"' else names[2:half]
    if not body:
        kept = [line for line in head.split(b"\n") if line[:6] in (b"index ", b"new mo")]
        return path, tuple(kept)
    lines = [line for line in body.split(b"\n")[1:] if line[:1] in (b"+", b"-", b" ")]
    return path, tuple([line[:1] + b"".join(line[1:].split()) for line in lines])


def same_share(wanted: Lines, there: Lines) -> float:
    """Return which part of some changed lines others have, 0 where there are none."""
    total = wanted.total()
    return (wanted & there).total() / total if total else 0.0
