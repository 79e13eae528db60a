"""Ranking: which passages answer a question, a pure function of what the index says of its words.

BM25 (Robertson and Zaragoza 2009; k1 0.9 and b 0.3, as is usual for short passages), and around it what
the conversations of agents need: how much of the question a passage and its neighbours cover, words
that stand side by side, who speaks, and when. Constants are round numbers; none is fitted. Every part
of a score is kept, for `--explain`; ties go by row, and rows by log.
"""

from __future__ import annotations

from math import log

from ledger.values import Record
from memory.recall.index import FACTS_FROM, PLACE_BITS, PLACES
from memory.recall.passages import ASKERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memory.recall.index import LogRow, Totals

K1, B = 0.9, 0.3
#: What one speaker's name tells, against another word as rare.
NAME = 0.5
#: How much covering the whole question adds, in the passage itself and with its neighbours.
COVERAGE, AROUND = 0.5, 0.5
#: How much more the words of a person who is named count, and those of who asked.
NAMED, ASKED = 1.5, 2.0
#: How much of a reply counts beyond its beginning.
LATE = 0.3
#: The date in the question is that of the session: the year, the month, the day.
YEAR, MONTH, DAY = 1.0, 2.0, 2.0
#: What the neighbours of a passage add to it, by distance.
BESIDE = (0.5, 0.25)
#: Words follow each other if so few others stand between them, and themselves.
NEAR = 3
#: What the session adds to a passage, against the best one.
SESSION = 0.4
#: So many passages are scored in full.
CANDIDATES = 400


class Term(Record):
    """One word of a question as the index has it.

    Args:
        raw: as typed.
        weight: how much it tells.
        found: (row, offset) of every place, by row.
        held: the number of passages that hold it.
        order: its number among the words that tell something.
        name: somebody who speaks is called so.
    """

    raw: str
    weight: float
    found: Sequence[tuple[int, int]]
    held: int
    order: int
    name: bool


class Asked(Record):
    """A question as the ranking takes it: its terms, names and date (`question.Question`)."""

    terms: tuple[Term, ...]
    total: float
    named: frozenset[str]
    year: str
    month: int
    day: int


class Scored(Record):
    """A passage with its score and the parts of it, in the order in which they come in."""

    row: int
    score: float
    words: tuple[str, ...]
    parts: tuple[tuple[str, float], ...]


class Ranking(Record):
    """Passages and sessions, best first; `sessions` are (number of the log, score)."""

    passages: tuple[Scored, ...]
    sessions: tuple[tuple[int, float], ...]


def weight_of(count: int, passages: int) -> float:
    """Return how much a word tells that so many of all passages hold (BM25's idf, never negative)."""
    return log(1 + (passages - count + 0.5) / (count + 0.5))


def rank(
    asked: Asked,
    totals: Totals,
    log_of: Callable[[int], LogRow | None],
    keeps: Callable[[int], bool] | None = None,
) -> Ranking:
    """Rank the passages that hold words of a question, and those beside them.

    Args:
        asked: the question.
        totals: of the index.
        log_of: gives a log by its number.
        keeps: tells whether a row may be among the hits; None for all.
    """
    places, by_log = _first_look(asked)
    rows = list(places) if keeps is None else [row for row in places if keeps(row)]
    if len(rows) > CANDIDATES:
        rough = {row: sum([asked.terms[n].weight for n in set(places[row][::2])]) for row in rows}
        rows.sort(key=lambda row: (-rough[row], row))
        del rows[CANDIDATES:]
    look = _Look(asked, totals, log_of, places)
    own = {row: look.own(row) for row in rows}
    scored = look.smoothed(own, keeps)
    sessions = look.sessions(sorted({row >> PLACE_BITS for row in scored}), by_log)
    return _mixed(scored, sessions, own)


def _first_look(asked: Asked) -> tuple[dict[int, list[int]], list[dict[int, int]]]:
    """Gather where the words stand.

    Returns:
        row -> term, offset, term, offset, …; and for each term how often each log's prose has it.
    """
    places: dict[int, list[int]] = {}
    by_log: list[dict[int, int]] = []
    for number, term in enumerate(asked.terms):
        counts: dict[int, int] = {}
        for row, offset in term.found:
            if row in places:
                places[row] += (number, offset)
            else:
                places[row] = [number, offset]
            if row & PLACES < FACTS_FROM:
                log = row >> PLACE_BITS
                counts[log] = counts.get(log, 0) + 1
        by_log.append(counts)
    return places, by_log


class _Look:
    """The parts of a score."""

    def __init__(
        self,
        asked: Asked,
        totals: Totals,
        log_of: Callable[[int], LogRow | None],
        places: Mapping[int, list[int]],
    ) -> None:
        self._asked = asked
        self._weights = [term.weight for term in asked.terms]
        self._log_of = log_of
        self._places = places
        self._average = max(1.0, totals.chars / max(1, totals.passages))
        self._logs = totals.logs
        self._average_log = max(1.0, totals.chars / max(1, totals.logs))
        self._dates: dict[int, float] = {}
        self._next = {
            (a, b)
            for a, one in enumerate(asked.terms)
            for b, two in enumerate(asked.terms)
            if one.order + 1 == two.order
        }

    def own(self, row: int) -> Scored:
        """Score one passage by what it says itself, and by how much its neighbours cover."""
        asked, weights = self._asked, self._weights
        log = self._log_of(row >> PLACE_BITS)
        piece = None if log is None else log.at(row & PLACES)
        if log is None or piece is None:
            return Scored(row, 0.0, (), ())
        flat = self._places[row]
        counts: dict[int, int] = {}
        for number in flat[::2]:
            counts[number] = counts.get(number, 0) + 1
        norm = K1 * (1 - B + B * piece.chars / self._average)
        words = sum([weights[n] * k * (K1 + 1) / (k + norm) for n, k in counts.items()])
        pairs = self._pairs(flat) if len(counts) > 1 else 0.0
        score = words + pairs
        covered = sum([weights[n] for n in counts]) / asked.total
        around = covered
        if not piece.fact:
            near = set(counts)
            for other in (row - 1, row + 1):
                if other >> PLACE_BITS == row >> PLACE_BITS and other & PLACES < FACTS_FROM:
                    near.update(self._places.get(other, ())[::2])
            around = sum([weights[n] for n in near]) / asked.total
        factor = (1 + COVERAGE * covered) * (1 + AROUND * around)
        speaks = 1.0
        if piece.who:
            if piece.who in ASKERS:
                speaks = ASKED
            elif piece.who in asked.named:
                speaks = NAMED
            if piece.late:
                speaks = LATE
        date = self._date(row >> PLACE_BITS, log)
        total = score * factor * speaks + date
        return Scored(
            row,
            total,
            tuple([asked.terms[n].raw for n in sorted(counts)]),
            (
                ("words", words),
                ("word after word", pairs),
                ("of the question covered", covered),
                ("covered with its neighbours", around),
                ("who speaks", speaks),
                ("date", date),
            ),
        )

    def _pairs(self, flat: list[int]) -> float:
        """Add up the mean weights of the words of the question that follow each other here too."""
        if not self._next:
            return 0.0
        places: dict[int, list[int]] = {}
        for number, offset in zip(flat[::2], flat[1::2], strict=True):
            places.setdefault(number, []).append(offset)
        found = 0.0
        for a, b in self._next:
            if a in places and b in places:
                behind = places[b]
                if any(0 < other - offset <= NEAR for offset in places[a] for other in behind):
                    found += (self._weights[a] + self._weights[b]) / 2
        return found

    def _date(self, number: int, log: LogRow) -> float:
        asked = self._asked
        if not (asked.year or asked.month):
            return 0.0
        known = self._dates.get(number)
        if known is None:
            month = log.day[5:7] == f"{asked.month:02d}"
            known = self._dates[number] = (
                YEAR * (log.day[:4] == asked.year)
                + MONTH * month
                + DAY * (month and log.day[8:10] == f"{asked.day:02d}")
            )
        return known

    def smoothed(
        self, own: Mapping[int, Scored], keeps: Callable[[int], bool] | None
    ) -> dict[int, float]:
        """Add to each passage what its neighbours have."""
        scores = {row: scored.score for row, scored in own.items() if scored.score > 0}
        out = dict(scores)
        for row, score in scores.items():
            if row & PLACES >= FACTS_FROM:
                continue
            log = self._log_of(row >> PLACE_BITS)
            size = 0 if log is None else len(log.pieces)
            place = row & PLACES
            for distance, share in enumerate(BESIDE, 1):
                for other in (place - distance, place + distance):
                    if 0 <= other < size:
                        at = row - place + other
                        if at in out or keeps is None or keeps(at):
                            out[at] = out.get(at, 0.0) + share * score
        return out

    def sessions(self, logs: Sequence[int], by_log: list[dict[int, int]]) -> dict[int, float]:
        """Score the logs by all of their prose, and by their date."""
        found: dict[int, float] = {}
        weights = [
            weight_of(len(counts), self._logs) * (NAME if term.name else 1.0)
            for term, counts in zip(self._asked.terms, by_log, strict=True)
        ]
        for number in logs:
            log = self._log_of(number)
            if log is None:
                continue
            norm = K1 * (1 - B + B * log.chars / self._average_log)
            score = self._date(number, log)
            for weight, counts in zip(weights, by_log, strict=True):
                times = counts.get(number, 0)
                if times:
                    score += weight * times * (K1 + 1) / (times + norm)
            found[number] = score
        return found


def _mixed(
    scored: Mapping[int, float], sessions: Mapping[int, float], own: Mapping[int, Scored]
) -> Ranking:
    """Mix passages and sessions both ways: each against the best of its sort."""
    top = max(scored.values(), default=0.0) or 1.0
    best = max(sessions.values(), default=0.0) or 1.0
    passages: list[Scored] = []
    of_log: dict[int, float] = {}
    for row, score in scored.items():
        number = row >> PLACE_BITS
        share = SESSION * sessions.get(number, 0.0) / best
        if row & PLACES >= FACTS_FROM:
            share = SESSION * score / top  # a fact stands for itself
        known = own.get(row)
        before = known.score if known else 0.0
        parts = (
            *(known.parts if known else ()),
            ("neighbours", score - before),
            ("session", share),
        )
        passages.append(Scored(row, score / top + share, known.words if known else (), parts))
        of_log[number] = max(of_log.get(number, 0.0), score / top)
    passages.sort(key=lambda one: (-one.score, one.row))
    logs = [(number, score / best + of_log.get(number, 0.0)) for number, score in sessions.items()]
    logs.sort(key=lambda pair: (-pair[1], pair[0]))
    return Ranking(tuple(passages), tuple(logs))
