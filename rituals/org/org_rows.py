"""Make the rows of a ledger from its state, and the objects of `show --json` from rows again.

The library's own fold says where facts stand, and its own objects are what is kept: columns for what is
looked for, and a document for the little that most facts have nothing of.
"""

from __future__ import annotations

import json
from hashlib import sha1

from ledger.model.event import VERB_OF, FactCreated, FactUpdated, facts_in
from ledger.model.record import Record
from ledger.model.session import ASKED_KEY
from memory.cache.sqlite import sqlite3
from memory.recall.index.passage_cutter import split_words
from projection.fold.projection_state import Standing
from projection.graph.fact_links import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ledger.model.session import Entry

    Object = dict[str, Any]
    Row = tuple[Any, ...]

#: Keys of a fact's object that are columns of their own name; `untrue` and `contested` are `false` and
#: `contradiction` there, words that SQL has taken or that say less.
_PLAIN = (
    "id", "kind", "tier", "reason", "text", "stem", "version", "uses", "created", "last_used", "origin",
    "verified", "entity", "tags", "untrue", "closed", "contested", "redacted", "known", "known_by",
)  # fmt: skip
FACT_COLUMNS = ("shelf", "ledger", *_PLAIN, "rest", "mark", "words")
_RENAMED = {"untrue": "false", "contested": "contradiction"}
#: What most facts have of the other keys.
_USUAL: Object = {
    "meta": {}, "superseded_by": [], "supersedes": [], "invalidated": False, "instead": [], "marks": [],
    "here": "yes", "branch": "", "point": "", "landed": "", "how": "", "text_here": "",
    "rivals": [], "circle": [], "denied": [], "state": "", "moves": [], "quarter": "",
}  # fmt: skip
#: Places of words in names stand this far behind those in the text.
BEHIND = 8192
_PLACES_MOST, _STEM_CHARS = 200, 500


class FactRows(Record):
    """The rows of one fact, without its shelf and ledger; `words` are made when they are to be written."""

    key: str
    mark: bytes
    values: Row  #: of `_PLAIN`
    rest: str | None
    standing: Standing
    versions: tuple[Row, ...]


class LogRows(Record):
    """The rows of one log, without its shelf and ledger."""

    key: str
    mark: bytes
    values: Row  #: of the columns of `org.log` from `stem` to `body`
    events: tuple[Row, ...]
    brought: tuple[str, str]  #: which commit brought it, and who wrote it as git has it


def fact_rows(standing: Standing, described: Object) -> FactRows:
    """Make the rows of a fact from its object, as `show --json` has it."""
    left = dict(described)
    meta = dict(left["meta"])
    versions = left.pop("versions")
    whole = [one for one in versions if one["text"] != left["text"] or one["was"]]
    first = versions[-1] if versions else {"id": "", "stem": ""}
    left.update(entity=meta.pop("entity", ""), meta=meta, stem=first["stem"], version=first["id"])
    values = tuple([left.pop(_RENAMED.get(name, name)) for name in _PLAIN])
    rest = {key: value for key, value in left.items() if value != _USUAL.get(key, _USUAL)}
    kept = [(one["id"], one["stem"], one["was"], one["text"]) for one in versions]
    several = tuple(kept) if whole or len(versions) != 1 else ()
    packed = json.dumps(rest, ensure_ascii=False, sort_keys=True) if rest else None
    mark = sha1(repr((values, packed, several)).encode("utf-8", "replace"), usedforsecurity=False)
    return FactRows(values[0], mark.digest()[:12], values, packed, standing, several)


def fact_object_of(row: Mapping[str, Any], versions: Sequence[Mapping[str, Any]]) -> Object:
    """Make the object of a fact from its columns: what `show --json` says of it."""
    found = {_RENAMED.get(name, name): row[name] for name in _PLAIN}
    found |= {**_USUAL, **(row["rest"] or {})}
    entity, stem, version = (found.pop(key) for key in ("entity", "stem", "version"))
    found["meta"] = found["meta"] | ({"entity": entity} if entity else {})
    only = {"id": version, "stem": stem, "was": [], "text": found["text"]}
    several = [
        {**{key: one[key] for key in ("id", "stem", "text")}, "was": one["parents"]}
        for one in versions
    ]
    found["versions"] = several or [only]
    return found


def links_of(one: FactRows) -> tuple[tuple[str, str, str], ...]:
    """Return the edges of a fact to others: (fact, kind, target)."""
    fact = one.standing.fact
    edges = {("superseded_by", target) for target in fact.superseded_by} | set(named(fact))
    return tuple([(fact.id, kind, target) for kind, target in sorted(edges)])


def event_rows(stem: str, entry: Entry) -> tuple[Row, ...]:
    """Make a row of each event of a log that changes more than a count: what it said, or whom it names."""
    rows = []
    for number, event in enumerate(entry.acts):
        if isinstance(event, FactCreated | FactUpdated) and event.text is not None:
            said = event.text
        else:
            said = " ".join([one for one in facts_in(event) if one != event.id])
        rows.append((stem, number, VERB_OF[type(event)], event.id, said))
    return tuple(rows)


class Stems:
    """Reads texts as the index of recall does: one word is one stem everywhere."""

    def __init__(self) -> None:
        self._base = sqlite3.connect(":memory:", isolation_level=None)
        self._base.executescript(
            "CREATE VIRTUAL TABLE said USING fts5(text, parts, detail=full, "
            "tokenize='porter unicode61 remove_diacritics 2');"
            "CREATE VIRTUAL TABLE places USING fts5vocab(said, instance);"
        )

    def close(self) -> None:
        """Let it go."""
        self._base.close()

    def of(self, text: str) -> list[str]:
        """Return the stems of a text, in order."""
        (found,) = self._read([(text, "")])
        return [
            stem
            for at, stem in sorted([(at, stem) for stem, places in found.items() for at in places])
        ]

    def words(self, facts: Iterable[FactRows]) -> list[str | None]:
        """Write the words of facts as a `tsvector` each: stems of the text, and of its names behind."""
        texts = []
        for one in facts:
            fact = one.standing.fact
            if fact.redacted:
                texts.append(("", ""))
                continue
            meta = dict(fact.meta)
            names = [meta.get(key, "") for key in ("entity", "kind", "tags", ASKED_KEY)]
            text = one.values[_PLAIN.index("text")]
            texts.append((text, " ".join([fact.id, *names, split_words(text)])))
        return [_vector(found) if found else None for found in self._read(texts)]

    def _read(self, texts: Sequence[tuple[str, str]]) -> list[dict[str, list[int]]]:
        run = self._base.execute
        run("DELETE FROM said")
        self._base.executemany(
            "INSERT INTO said(rowid, text, parts) VALUES (?, ?, ?)",
            [(number, *two) for number, two in enumerate(texts, 1)],
        )
        found: list[dict[str, list[int]]] = [{} for _ in texts]
        for stem, row, column, at in run("SELECT term, doc, col, offset FROM places"):
            place = min(at, BEHIND - 2) + (BEHIND if column == "parts" else 0)
            if len(stem) < _STEM_CHARS:
                found[row - 1].setdefault(stem, []).append(place)
        return found


def _vector(found: Mapping[str, list[int]]) -> str:
    """Write places as PostgreSQL reads them: they count from 1, and at most so many of a word."""
    parts = []
    for stem, places in found.items():
        shown = ",".join([str(at + 1) for at in places[:_PLACES_MOST]])
        parts.append(f"{quoted(stem)}:{shown}")
    return " ".join(parts)


def quoted(stem: str) -> str:
    """Write a stem as it stands in a `tsvector`."""
    return "'" + stem.replace("\\", "\\\\").replace("'", "''") + "'"
