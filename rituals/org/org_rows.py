"""Make the rows of a ledger: by the library's own fold, and its own objects of `show --json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha1
from typing import Any

from ledger.codec.log import decode
from ledger.git.pygit2_store import read_blobs
from ledger.model.log_names import LogRef, is_sealed
from ledger.model.record import Record
from ledger.model.session import ASKED_KEY, LOG_LIMIT_BYTES, Entry, SessionLog, text_of
from memory import (
    AT,
    AT_BITS,
    NOTHING_MARKED,
    PARTS_FROM,
    Cache,
    Origin,
    Reader,
    Stemmer,
    ended_at,
    named_in,
    redacted_logs,
    split_words,
    visible_text,
    without_words,
)
from projection.fold.full_replay import State
from rituals.answers.fact_objects import described

Marks = Mapping[str, bytes]

#: Places of words in names stand this far behind those in the text.
BEHIND = 8192
_PLACES_MOST, _STEM_CHARS, _AUTHOR_CHARS = 200, 500, 200


class Made(Record):
    """A row, without its ledger, and what its words are read from: a text, and the names behind it."""

    key: str
    mark: bytes
    values: tuple[Any, ...]
    texts: tuple[str, str] = ("", "")
    hides: bool = False  #: of a log: something of it is withheld


def rows_of_facts(cache: Cache, state: State) -> list[Made]:
    """Make the rows of all facts of a ledger, but for their words."""
    standings = state.standings()
    rows = []
    for one, standing in zip(
        described(cache, state, standings, NOTHING_MARKED), standings, strict=True
    ):
        meta, versions = one["meta"], one["versions"]
        stem = versions[-1]["stem"] if versions else ""
        names = [meta.get(key, "") for key in ("entity", "kind", "tags", ASKED_KEY)]
        texts = one["text"], " ".join([one["id"], *names, split_words(one["text"])])
        if standing.fact.redacted:
            texts = "", ""
        said = json.dumps(one, ensure_ascii=False, sort_keys=True)
        values = (one["id"], one["kind"], one["tier"], names[0], one["false"], stem, said)
        rows.append(Made(one["id"], _mark(said), values, texts))
    return rows


def rows_of_logs(
    reader: Reader, cache: Cache, known: Marks, brought: Mapping[str, Origin]
) -> tuple[set[str], list[Made]]:
    """Make the rows of a ledger's logs but of those that are known by their marks.

    `brought` says by path which commit brought them, as far as that is known. The keys of the known logs
    that stay as they are come first.
    """
    redacted, withheld = cache.redacted, redacted_logs(cache)
    kept: set[str] = set()
    new: list[tuple[LogRef, Entry, bytes, tuple[str, str, str], bool]] = []
    for ref, entry in cache.entries():
        hidden = sorted(redacted & named_in(entry)) if redacted else []
        origin = brought.get(ref.path, Origin())
        path = reader.home.prefix + ref.path
        by = (path, origin.commit, origin.author[:_AUTHOR_CHARS])
        mark = _mark(f"{ref.blob} {' '.join(hidden)} {ref.stem in withheld} {' '.join(by)}")
        if known.get(ref.key) == mark:
            kept.add(ref.key)
        else:
            new.append((ref, entry, mark, by, ref.stem in withheld or bool(hidden)))
    contents = read_blobs(reader.home.repository, [ref.blob for ref, *_ in new])
    rows = []
    for (ref, entry, mark, by, hides), data in zip(new, contents, strict=True):
        if data is not None and len(data) <= LOG_LIMIT_BYTES:
            log = _visible(reader, cache, ref, entry, data)
            if ref.stem in withheld:
                log = without_words(log)
            values = (ref.key, *by, entry.agent, ended_at(ref.stem, log), log.title, log.prose)
            rows.append(Made(ref.key, mark, values, hides=hides))
    return kept, rows


def _mark(said: str) -> bytes:
    return sha1(said.encode("utf-8", "replace"), usedforsecurity=False).digest()[:12]


def _visible(reader: Reader, cache: Cache, ref: LogRef, entry: Entry, data: bytes) -> SessionLog:
    """Read a log without what it says of redacted facts."""
    named = named_in(entry) if cache.redacted else set()
    if not cache.redacted & named:
        return decode(data, sealed=is_sealed(ref.stem))[0]
    text = visible_text(reader.home, cache, text_of(data), named)
    return decode(text.encode("utf-8", "surrogatepass"), sealed=False)[0]


class Stems(Stemmer):
    """Writes the words of texts as PostgreSQL keeps them."""

    def words(self, texts: Iterable[tuple[str, str]]) -> list[str | None]:
        """Write the words of texts as a `tsvector` each: their stems, and those of names behind."""
        some = [(number, *two) for number, two in enumerate(texts)]
        found: list[dict[str, list[int]]] = [{} for _ in some]
        for stem, place in self.read(some):
            behind, at = divmod(place & AT, PARTS_FROM)
            if len(stem) < _STEM_CHARS:
                said = found[place >> AT_BITS].setdefault(stem, [])
                said.append(min(at, BEHIND - 2) + BEHIND * behind)
        vectors = [
            [f"{quoted(stem)}:{','.join([str(at + 1) for at in places[:_PLACES_MOST]])}"
             for stem, places in one.items()]
            for one in found
        ]  # fmt: skip
        return [" ".join(one) or None for one in vectors]  # places count from 1


def quoted(stem: str) -> str:
    """Write a stem as it stands in a `tsvector`."""
    return "'" + stem.replace("\\", "\\\\").replace("'", "''") + "'"
