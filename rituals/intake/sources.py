"""List the tools that `diurna import` reads, and read their files within bounds.

A tool is one row here, and a module. That has two functions. `places(ground)` names what lies where the
tool keeps it by default and belongs to this project; it opens nothing of another one. `read(place, ground,
left)` yields the items of one place, never writes there, and adds to `left` what it passes over. Files are
regular ones, of bounded size and number, and stand behind no link.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from stat import S_ISREG
from types import ModuleType

from ledger.model.order import ended_of, is_date, stamp_of
from ledger.model.record import Record
from rituals.intake.intake_items import LeftOut, Reading

Left = list[LeftOut]  #: what was passed over so far

#: What is larger or more than that is left out, and said.
FILE_LIMIT_BYTES = 4 << 20
FILES_LIMIT = 5_000
#: A file of which one byte in so many is NUL is no text.
_NUL_SHARE = 100
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_SKIPPED = frozenset((".git", "node_modules", "__pycache__"))
_JSON_CHARS = 1 << 20
_DAY_CHARS, _NUMBER_CHARS = 10, 24
_MILLISECONDS = 1e11  #: from so many on a number since 1970 counts these
_FORM = "%Y-%m-%dT%H:%M:%SZ"


class Ground(Record):
    """Where a project lies, and what its user's tools go by."""

    project: str  #: the top of the work tree, an absolute path
    user: str  #: the user's home folder
    #: of the environment, some of which say where a tool keeps its data
    variables: Mapping[str, str]


class Source(Record):
    """One tool that memories come from."""

    name: str  #: what the user types, and the header `source` of the log
    module: str  #: that reads it
    lies: str  #: where it keeps them, as the help says it
    does: str  #: what is read, in at most 60 characters

    def reader(self) -> ModuleType:
        """Load the module that reads it."""
        return import_module(f"rituals.intake.{self.module}")


#: In the order of the help.
SOURCES = (
    Source(
        "claude", "claude", "~/.claude/projects/PROJECT/memory",
        "Claude Code's auto memory of this project",
    ),
    Source(
        "claude-mem", "claude_mem", "~/.claude-mem/claude-mem.db",
        "decisions, discoveries and causes of bugs of this project",
    ),
    Source(
        "basic-memory", "basic_memory", "the project's folder of notes",
        "observations and relations of its notes, and short notes",
    ),
    Source(
        "mcp-memory", "jsonl", "a file that you name",
        "memory.json of the MCP memory server: its observations",
    ),
    Source("jsonl", "jsonl", "a file that you name", "JSON lines, an object each; - for standard input"),
)  # fmt: skip


def source_named(name: str) -> Source | None:
    """Return a source by its name, None where there is none of it."""
    return next((one for one in SOURCES if one.name == name), None)


def read_source(
    source: Source, named: Sequence[str], ground: Ground
) -> tuple[Reading, tuple[str, ...]]:
    """Read a source: the absolute paths that were named, or else the places where it lies by default.

    Returns:
        What it brought, and the places that were read.
    """
    reader = source.reader()
    places: tuple[str, ...] = tuple(named) or reader.places(ground)
    left = list[LeftOut]()
    items = [item for place in places for item in reader.read(place, ground, left)]
    return Reading(source.name, tuple(items), tuple(left)), places


def text_of(path: str, place: str, left: Left, *, limit: int = FILE_LIMIT_BYTES) -> str | None:
    """Return the text of a file of at most `limit` bytes; None where it is left out, and `left` says why.

    `place` is how it is called.
    """
    data, why = b"", ""
    try:
        fd = os.open(path, _OPEN)
        if S_ISREG(os.fstat(fd).st_mode):
            with os.fdopen(fd, "rb") as file:
                data = file.read(limit + 1)
        else:
            os.close(fd)
            why = "it is no regular file"
    except OSError as problem:
        why = problem.strerror or "it can not be read"
    if len(data) > limit:
        why = f"it is over {limit >> 20} MiB"
    elif data.count(0) * _NUL_SHARE > len(data):
        why = "it is no text"
    if why:
        left.append(LeftOut(place, why))
        return None
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def written_at(path: str) -> str:
    """Return when a file was last written, as an instant; "" where nobody knows."""
    try:
        return ended_of(stamp_of(int(os.stat(path, follow_symlinks=False).st_mtime * 1000)))
    except (OSError, ValueError, OverflowError):
        return ""


def files_below(folder: str, left: Left, ending: str) -> list[str]:
    """List the files below a folder whose names end so, sorted, relative to it."""
    found: list[str] = []
    for above, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = os.path.relpath(f"{above}/{name}", folder)
            if os.path.islink(f"{above}/{name}"):
                left.append(LeftOut(path, "it is a link"))
            elif name.endswith(ending) and name in names:
                found.append(path)
        folders[:] = sorted(set(folders) - _SKIPPED)
    found.sort()
    if len(found) > FILES_LIMIT:
        left.append(LeftOut(folder, f"{len(found) - FILES_LIMIT} more files than {FILES_LIMIT}"))
    return found[:FILES_LIMIT]


def from_json(text: str, limit: int = _JSON_CHARS) -> object:
    """Return what a text of JSON holds, None where it is none, too deep, or longer than a limit."""
    if not text or len(text) > limit:
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def mapping(value: object) -> dict[str, object]:
    """Return a JSON object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """Return a JSON text, "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def texts(value: object) -> tuple[str, ...]:
    """Return the texts of a JSON array without empty ones."""
    return tuple(filter(None, map(text, value if isinstance(value, list) else [])))


def tag_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what of a tool's words can be tags here, each once."""
    bare = [re.sub(r"[^a-z0-9]+", "-", word.lower()[:60]).strip("-") for word in words[:20]]
    return tuple(dict.fromkeys([word for word in bare if word]))


def time_of(said: object) -> str:
    """Return a time as a date or an instant (UTC); "" for what is none."""
    if isinstance(said, str):
        said = said.strip()
        if not said.replace(".", "", 1).isdecimal() or len(said) >= _NUMBER_CHARS:
            return _written(said)
        said = float(said)
    if isinstance(said, bool) or not isinstance(said, int | float):
        return ""
    try:
        number = said / 1000 if said >= _MILLISECONDS else said
        return datetime.fromtimestamp(number, UTC).strftime(_FORM) if number > 0 else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _written(text: str) -> str:
    """Read a time as it is written; one without a zone is taken as UTC, one that is odd for its day."""
    day = text[:_DAY_CHARS].replace("/", "-")
    if not is_date(day):
        return ""
    if len(text) == _DAY_CHARS:
        return day
    try:
        read = datetime.fromisoformat(day + text[_DAY_CHARS:].replace(" UTC", "Z"))
        return (read.astimezone(UTC) if read.tzinfo else read).strftime(_FORM).rjust(20, "0")
    except (ValueError, OverflowError):
        return day
