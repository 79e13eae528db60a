"""List the tools that `diurna import` reads, and read their files within bounds.

A tool is one row here, and a module. That has two functions. `places(ground)` names what lies where the
tool keeps it by default and belongs to this project; it opens nothing of another one. `read(place, ground,
left)` yields the items of one place, never writes there, and adds to `left` what it passes over. Files are
regular ones, of bounded size, and stand behind no link.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module

from ledger.codec.outline import NO_TEXT, document_text
from ledger.model.log_names import is_date
from ledger.model.record import Record
from rituals.intake.intake_items import LeftOut, Reading

Left = list[LeftOut]  #: what was passed over so far

FILE_LIMIT_BYTES = 4 << 20  #: what is larger is left out, and said
_SKIPPED = frozenset((".git", "node_modules", "__pycache__"))
_JSON_CHARS = 1 << 20
_DAY_CHARS, _NUMBER_CHARS = 10, 24
_MILLISECONDS = 1e11  #: from so many on a number since 1970 counts these


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


#: In the order of the help.
SOURCES = (
    Source("claude", "claude", "~/.claude/projects/PROJECT/memory", "Claude Code's auto memory"),
    Source("claude-mem", "claude_mem", "~/.claude-mem/claude-mem.db", "what its observations found"),
    Source("basic-memory", "basic_memory", "a folder of notes", "observations and short notes"),
    Source("mcp-memory", "jsonl", "a file that you name", "memory.json of the MCP memory server"),
    Source("jsonl", "jsonl", "a file that you name", "JSON lines, an object each; - for standard input"),
)  # fmt: skip


def read_source(
    source: Source, named: Sequence[str], ground: Ground
) -> tuple[Reading, tuple[str, ...]]:
    """Read a source: the absolute paths that were named, or else the places where it lies by default.

    Returns:
        What it brought, and the places that were read.
    """
    reader = import_module(f"rituals.intake.{source.module}")
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
        if not os.path.isfile(path):
            why = "it is no regular file"
        else:
            with open(path, "rb") as file:
                data = file.read(limit + 1)
    except OSError as problem:
        why = problem.strerror or "it can not be read"
    if len(data) > limit:
        why = f"it is over {limit >> 20} MiB"
    text = None if why else document_text(data)
    if text is None:
        left.append(LeftOut(place, why or NO_TEXT))
    return text


def pages_at(place: str, left: Left) -> Iterator[tuple[str, str, str]]:
    """Yield the markdown files of a place, itself or what is below it: name, text, when it was written."""
    folder, only = (place, "") if os.path.isdir(place) else os.path.split(place)
    for name in [only] if only else files_below(folder, left):
        path, shown = f"{folder}/{name}", name.encode("utf-8", "replace").decode()
        whole = text_of(path, shown, left)
        if whole is not None:
            yield shown, whole, time_of(os.stat(path).st_mtime)


def files_below(folder: str, left: Left) -> list[str]:
    """List the markdown files below a folder, sorted, relative to it."""
    found: list[str] = []

    def unread(problem: OSError) -> None:
        left.append(LeftOut(str(problem.filename), problem.strerror or "it can not be listed"))

    for above, folders, names in os.walk(folder, onerror=unread):
        for name in (*folders, *names):
            path = os.path.relpath(f"{above}/{name}", folder)
            if os.path.islink(f"{above}/{name}"):
                left.append(LeftOut(path, "it is a link"))
            elif name.endswith(".md") and name in names:
                found.append(path)
        folders[:] = sorted(set(folders) - _SKIPPED)
    return sorted(found)


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


def texts_in(value: object) -> tuple[str, ...]:
    """Return the texts of a JSON array without empty ones."""
    found = value if isinstance(value, list) else []
    return tuple([one.strip() for one in found if isinstance(one, str) and one.strip()])


def tag_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what of a tool's words can be tags here, each once."""
    bare = [re.sub(r"[^a-z0-9]+", "-", word.lower()[:60]).strip("-") for word in words[:20]]
    return tuple(dict.fromkeys([word for word in bare if word]))


def time_of(said: object) -> str:
    """Return a time as a date or an instant (UTC); "" for what is none.

    One without a zone is taken as UTC, one that is odd for its day.
    """
    day = ""
    if isinstance(said, str):
        said = said.strip()
        if said.isdecimal() and len(said) < _NUMBER_CHARS:
            said = int(said)
    try:
        if isinstance(said, str):
            named = said[:_DAY_CHARS].replace("/", "-")
            day = named if is_date(named) else ""
            if not day or len(said) == _DAY_CHARS:
                return day
            read = datetime.fromisoformat(day + said[_DAY_CHARS:].replace(" UTC", "Z"))
            read = read.astimezone(UTC) if read.tzinfo else read
        elif isinstance(said, int | float) and not isinstance(said, bool) and said > 0:
            read = datetime.fromtimestamp(said / 1000 if said >= _MILLISECONDS else said, UTC)
        else:
            return ""
    except (ValueError, OverflowError, OSError):
        return day
    return read.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
