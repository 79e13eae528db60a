"""Read what a range of commits does to files: the lines it adds and takes away, by path.

A line that the same range takes away elsewhere has only moved, and counts on neither side. What is bound
to be generated or copied, a file of many thousand lines, is known by its path alone.
"""

from __future__ import annotations

import os
import re
from codecs import escape_decode
from collections import Counter
from collections.abc import Iterator, Sequence

from ledger.git.cli import Git
from ledger.git.code_history import PLAIN
from ledger.model.record import Record

#: A file with more changed lines than the first is not read, nor more than the second of all together.
_FILE_LINES, _ALL_LINES = 4_000, 60_000
#: More characters of a line than this no person wrote.
_LINE_CHARS = 500
#: More paths than this are too many for one command line.
_PATHS_LIMIT = 2_000
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Line(Record):
    """A line that a range adds or takes away."""

    number: int  #: of the file as it is afterwards: where the line is, or was
    text: str  #: without the blanks at its ends
    added: bool  #: it came; else it went


class FileDiff(Record):
    """What a range of commits does to one file."""

    path: str
    before: str  #: the id of its blob before, "" where it is new
    after: str  #: and after, "" where it is gone
    size: int  #: how many lines came and went, -1 for a file that is not text
    lines: tuple[Line, ...] = ()  #: those that did not only move; () where it was not read


def code_diff(git: Git, base: str, head: str, outside: str = "") -> tuple[FileDiff, ...]:
    """Return what differs between two commits, by path.

    `outside` is a folder that is no code (the ledger's), "" for none; its files are not read.

    Raises:
        ObjectMissing: one of them is not there.
    """
    out = git.text("diff-tree", "-r", "-z", "--raw", "--numstat", "--no-abbrev", *PLAIN, base, head)
    found = {one.path: one for one in _files(out.split("\0"))}
    left, wanted = _ALL_LINES, list[str]()
    for one in sorted(found.values(), key=lambda one: (one.size, one.path)):
        code = not (outside and one.path.startswith(outside))
        if code and 0 < one.size <= min(_FILE_LINES, left):
            left -= one.size
            wanted.append(one.path)
    if not wanted:
        return tuple(found.values())
    paths = wanted if len(wanted) <= _PATHS_LIMIT else []
    asked = ("--literal-pathspecs", "diff-tree", "-r", "-p", "-U0", *PLAIN, base, head)
    lines: dict[str, list[Line]] = {path: [] for path in wanted}
    for path, line in _lines(git.text(*asked, "--", *paths)):
        if path in lines:
            lines[path].append(line)
    sides = [Counter([one.text for some in lines.values() for one in some if one.added is side])
             for side in (True, False)]  # fmt: skip
    moved = sides[0].keys() & sides[1].keys()
    kept = {
        path: tuple([one for one in some if one.text and one.text not in moved])
        for path, some in lines.items()
    }
    return tuple([one._replace(lines=kept.get(path, ())) for path, one in found.items()])


def _files(fields: Sequence[str]) -> Iterator[FileDiff]:
    """Read `--raw --numstat -z`: first all rows of the one, then those of the other."""
    rows: dict[str, tuple[str, str]] = {}
    at = 0
    while at + 1 < len(fields) and fields[at][:1] == ":":
        _, mode, before, after, _ = fields[at].split(" ")
        if mode != "160000":
            rows[fields[at + 1]] = before.strip("0") and before, after.strip("0") and after
        at += 2
    for field in fields[at:]:
        added, _, rest = field.partition("\t")
        deleted, _, path = rest.partition("\t")
        if path in rows:
            size = int(added) + int(deleted) if added.isdigit() else -1
            yield FileDiff(path, *rows[path], size)


def _lines(patch: str) -> Iterator[tuple[str, Line]]:
    path, number, heading = "", 0, True
    for line in patch.split("\n"):
        if line.startswith("diff --git "):
            heading, path = True, ""
        elif heading and line[:4] in ("--- ", "+++ ") and line[4:] != "/dev/null":
            name = line[4:].rstrip("\t")
            if name[0] == '"':
                name = os.fsdecode(escape_decode(os.fsencode(name[1:-1]))[0])
            path = name[2:]
        elif hunk := _HUNK.match(line):
            number, heading = int(hunk[1]), False
        elif not heading and line[:1] in ("+", "-"):
            if len(line) <= _LINE_CHARS:
                yield path, Line(max(number, 1), line[1:].strip(), line[0] == "+")
            number += line[0] == "+"
