"""Make hits of passages, from the lines of logs and documents that they stand in, and answers of hits.

An answer is told, too, which facts a passage may state, and by which words its hits were found.
"""

from __future__ import annotations

import os
import re

from ledger.codec.plain_text import text_of
from ledger.environment import now_ms
from ledger.model.logset import LogRef
from ledger.model.order import NO_DAY, day_seen
from memory.recall.hits.snippets import (
    LINE_CHARS,
    heading_of,
    one_line,
    section_of,
    title_of,
    titled,
)
from memory.recall.index.rows import PLACE_BITS, PLACES, LogRow
from memory.recall.query.query_parser import as_indexed
from memory.recall.rank.standing_order import ENOUGH
from memory.recall.recall_values import (
    DOCUMENT_KIND,
    FULL,
    PASSAGE_KINDS,
    SESSION_KIND,
    TIMELINE,
    Answer,
    Hit,
    Part,
    tokens_of,
)
from projection.document.fact_remarks import PLAIN, Mark
from projection.text.normalize import plain, sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ledger.git.process import Running
    from ledger.git.pygit2_store import Store
    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.hits.fact_hits import Facts
    from memory.recall.index.fts_file import Index
    from memory.recall.passage_search import Search
    from memory.recall.query.postings import Lookups
    from memory.recall.rank.rank_types import Scored

_WORD = re.compile(r"[^\W_]+")
#: How many false facts are given beside what holds.
_FALSE = 10
#: So many of the rarest words of a sentence are looked up among facts, but none that more passages have;
#: those tell that stand at no more places of facts; and so many facts are compared with a passage.
_WORDS, _TOLD_BY, _COMMON, _FACTS = 4, 2000, 400, 12
#: The number of questions from which a library that reads packs pays for its start.
_LIBRARY_FROM = 3
_TEXTS_KEPT = 500


def passage_hit(
    log: LogRow,
    lines: list[str],
    place: int,
    level: str,
    words: Sequence[str],
    mark: Mark = PLAIN,
    chars: int = LINE_CHARS,
) -> Hit | None:
    """Return the hit of a passage, None where the lines are too few: they were lost since it was indexed.

    `log` may be a document; `words` are those that it was found by; `mark` is what of it does not hold
    any more; `chars` is what its line may take.
    """
    kind = SESSION_KIND if log.day else DOCUMENT_KIND
    day = day_seen(log.day, now_ms())
    number = log.pieces[place].line
    if number > len(lines):
        return None
    text = passage_text(log, lines, place)
    below = number + _headings_before(text)
    if kind != SESSION_KIND:
        number = below
    heading = heading_of(lines, number)
    title = title_of(lines)
    if day and day in title:  # other tools' titles are the time, which the hit says already
        title = ""
    line = titled(title, heading, text, words, chars)
    if mark.said:
        line = one_line(f"{mark.whole}: {line}", chars)
    id = f"{log.stem}:{number}"
    _, section = section_of(lines, below)
    about = "  ".join([one for one in (day, log.agent) if one])
    if level == FULL:
        shown = f"{mark.whole}:\n{section}" if mark.said else section
    elif level == TIMELINE:
        around = [
            ("> " if other == place else "  ") + one_line(passage_text(log, lines, other), 200)
            for other in range(max(0, place - 2), min(len(log.pieces), place + 3))
        ]
        shown = "\n".join(
            ["  ".join([one for one in (id, about, heading, mark.whole) if one]), *around]
        )
    elif kind == SESSION_KIND:
        shown = f"{id}  {kind}  {day or NO_DAY}  {line}  ({log.agent or 'nobody named'})"
    else:
        shown = f"{id}  {kind}  {line}"
    stem = log.stem if kind == SESSION_KIND else ""
    return Hit(
        id, kind, "", day, stem, log.agent, 0.0, line, shown,
        tokens_of(shown), tokens_of(f"{mark.whole}{section}"), mark=mark, title=title,
    )  # fmt: skip


def _headings_before(text: str) -> int:
    """Return how many lines of a passage stand before the last of the headings that it begins with."""
    found = 0
    for number, line in enumerate(text.split("\n")):
        if line[:1] == "#":
            found = number
        elif line.strip():
            break
    return found


def passage_text(log: LogRow, lines: list[str], place: int) -> str:
    """Return a passage from the lines that it stands in."""
    piece = log.pieces[place]
    end = next((one.line for one in log.pieces[place + 1 :] if one.line > piece.line), len(lines))
    text = "\n".join(lines[piece.line - 1 : end])
    return text[piece.skip : piece.skip + piece.chars].strip()


def mixed(facts: list[Hit], passages: list[Hit], limit: int) -> list[Hit]:
    """Return facts and behind them passages, half of the places each, or all where the other has less.

    The best passage of the log that a fact's text comes from is named with the fact, not told once more.
    """
    shown = facts[: max(limit - len(passages), (limit + 1) // 2)]
    of_log: dict[str, str] = {}
    for hit in passages:
        of_log.setdefault(hit.stem, hit.id)
    shown = [hit._replace(passage=of_log.get(hit.stem, "")) for hit in shown]
    named = {hit.passage for hit in shown}
    return [*shown, *[hit for hit in passages if hit.id not in named][: limit - len(shown)]]


def holding_first(hits: list[Hit]) -> list[Hit]:
    """Return facts and then passages, of each what holds before what ended or is false."""
    return sorted(hits, key=lambda hit: (hit.kind in PASSAGE_KINDS, hit.mark.false, hit.mark.ended))


def with_score(hit: Hit, scored: Scored, explain: bool, weight: float = 1.0) -> Hit:
    """Return a hit with its score and, where an explanation is asked for, the parts of it."""
    parts = [
        Part(name, round(value, 4), ", ".join(scored.words) if name == "words" else "")
        for name, value in (scored.parts if explain else ())
    ]
    return hit._replace(score=round(scored.score * weight, 4), parts=tuple(parts))


def answer_of(hits: list[Hit], notes: tuple[str, ...]) -> Answer:
    """Return the answer that hits come to."""
    return Answer(
        tuple(hits), sum([hit.tokens for hit in hits]), sum([hit.whole for hit in hits]), notes
    )


class LogTexts:
    """The lines of the logs of one home; what is withheld of them is left out.

    Args:
        home: where the logs are.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lines: dict[str, list[str]] = {}
        self._redacted: frozenset[str] = frozenset()
        self._store: Store | None = None
        self._reader: Running | None = None
        self._asked = 0

    def __enter__(self) -> LogTexts:
        """Begin a question: git starts beside the search, and is asked once it is known for which logs."""
        self._asked += 1
        packs = self._home.repository.commondir + "/objects/pack"
        if self._asked < _LIBRARY_FROM and os.path.isdir(packs) and os.listdir(packs):
            self._reader = self._home.repository.git().blob_reader()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        reader = self._taken()
        if reader is not None:
            reader.stop()

    def _taken(self) -> Running | None:
        reader, self._reader = self._reader, None
        return reader

    def lines(self, log: LogRow, cache: Cache) -> list[str]:
        """Return the lines of a log as it was written."""
        if log.blob not in self._lines or cache.redacted != self._redacted:
            self.fetch([log], cache)
        return self._lines[log.blob]

    def fetch(self, logs: Iterable[LogRow], cache: Cache) -> None:
        """Read logs, as far as they were not read yet, all at once."""
        if len(self._lines) >= _TEXTS_KEPT or cache.redacted != self._redacted:
            self._lines.clear()
            self._redacted = cache.redacted
        missing = {log.blob: LogRef(log.stem, "", log.blob) for log in logs}
        keys = {ref.blob: ref.key for ref in missing.values()}
        for blob in self._lines.keys() & missing.keys():
            del missing[blob]
        for blob, data in self._bytes(missing):
            text = text_of(data)
            if cache.redacted and (entry := cache.entry(keys[blob])) is not None:
                from memory.redaction.withheld_texts import named_in, shown

                text = shown(self._home, cache, text, named_in(entry))
            self._lines[blob] = text.split("\n")
        for blob in missing:
            self._lines.setdefault(blob, [""])

    def _bytes(self, refs: dict[str, LogRef]) -> Iterator[tuple[str, bytes]]:
        if refs and self._asked >= _LIBRARY_FROM:
            if self._store is None:
                from ledger.git.pygit2_store import Store

                self._store = Store(self._home.repository)
            for blob in list(refs):
                data = self._store.blob(blob)
                if data is not None:
                    del refs[blob]
                    yield blob, data
        if refs:
            from memory.replay.log_bytes import read_bytes

            for ref, found in read_bytes(self._home, list(refs.values()), self._taken):
                yield ref.blob, found


class Stated:
    """Finds them in one index, for the passages of one answer.

    Args:
        lookups: of the index.
        index: of the ledger.
    """

    def __init__(self, lookups: Lookups, index: Index) -> None:
        self._lookups, self._index = lookups, index
        self._with: dict[str, frozenset[int]] = {}
        self._none = not index.rows("SELECT 1 FROM facts_places LIMIT 1")

    def of(self, text: str) -> list[str]:
        """Return the facts that a text may state, those first that share most."""
        return [] if self._none else self._lookups.stated(text, self._read)

    def _read(self, text: str) -> list[str]:
        lookups = self._lookups
        shared: dict[int, int] = {}
        parts = list(dict.fromkeys([plain(sentence) for sentence in sentences(text)]))
        # read at once; what is not ASCII has words that only the index can tell
        lookups.stems(" ".join([one for one in " ".join(parts).split() if _is_simple(one)]))
        for part in parts:
            simple = " ".join([one for one in part.split() if _is_simple(one)])
            stems = {*lookups.stems(simple if part.isascii() else as_indexed(part))}
            found: dict[int, int] = {}
            rare = sorted([(lookups.count(stem), stem) for stem in stems])[:_WORDS]
            for stem in [stem for count, stem in rare if count <= _TOLD_BY]:
                if stem not in self._with:
                    self._with[stem] = self._index.facts_with(stem, _COMMON)
                for row in self._with[stem]:
                    found[row] = found.get(row, 0) + 1
            for row, count in found.items():
                if count > 1:
                    shared[row] = max(shared.get(row, 0), count)
        ids: dict[str, None] = {}
        for row in sorted(shared, key=lambda row: (-shared[row], row)):
            log = self._index.log(row >> PLACE_BITS)
            piece = None if log is None else log.at(row & PLACES)
            if piece is not None:
                ids[piece.fact] = None
            if len(ids) == _FACTS:
                break
        return list(ids)


def _is_simple(word: str) -> bool:
    """Tell whether a word is one for the index, too, which remembers those."""
    return word.isascii() and word.isalnum()


def explained(
    made: Answer, lookups: Lookups, found: Search, every: Facts | None, level: str
) -> Answer:
    """Add to an answer which facts have words of the question, and what of them is false.

    `every` looks up facts, false ones too; None where false ones are among the hits, or not wanted.
    """
    said = worded(lookups, found)
    false = every.false_hits(said, level, _FALSE) if every is not None else ()
    words = found_by(lookups, found, [*made.hits, *false])
    return made._replace(worded=said, false=false, found_by=words)


def worded(lookups: Lookups, found: Search) -> tuple[tuple[str, bool], ...]:
    """Return the facts with words of a question, best first, each with whether it says enough of it."""
    said: dict[str, bool] = {}
    for scored in found.worded:
        turns = lookups.turns(scored.row >> PLACE_BITS)
        piece = None if turns is None else turns.log.at(scored.row & PLACES)
        if piece is not None:
            said[piece.fact] = said.get(piece.fact, False) or scored.said >= ENOUGH
    return tuple(said.items())


def found_by(lookups: Lookups, found: Search, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the words of hits that are words of a question, in any form that the index takes for one."""
    words = dict.fromkeys(
        [word for hit in hits for word in _WORD.findall(f"{hit.line} {hit.text}".lower())]
    )
    plain = [word for word in words if word.isascii()]
    stems = dict(zip(plain, lookups.stems(" ".join(plain)), strict=True))
    for word in words.keys() - stems.keys():
        stems[word] = " ".join(lookups.stems(word))
    return (*found.typed, *[word for word in words if stems[word] in found.stems])
