"""Score passages by the words of a question: a pure function of what the index says of these words.

BM25 (Robertson and Zaragoza 2009; k1 0.9 and b 0.3, as is usual for short passages), and around it what
the conversations of agents need: how much of the question a passage and its neighbours cover, words
that stand side by side, who speaks, what was asked right before, and when. Constants are round numbers;
none is fitted. Two stages: passages are sorted by which words they hold, and the best of them scored in
full. The parts of a score are told by `explain`; ties go to the newer passage.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import log

from memory.recall.index.fts_file import Totals
from memory.recall.index.rows import ASKERS, ASKING, LATE_BIT, PLACE_BITS, PLACES, REPLIERS, Piece
from memory.recall.query.postings import Turns
from memory.recall.query.query_parser import Named, closeness
from memory.recall.rank.rank_types import NOTHING, Asked, Plan, Ranking, Scored, follow, next_to

K1, B = 0.9, 0.3
#: What one speaker's name tells, against another word as rare.
NAME = 0.5
#: What a related word tells, against the word itself.
RELATED = 0.3
#: How much covering the whole question adds, in the passage itself and with its neighbours.
COVERAGE, AROUND = 0.5, 0.5
#: How much more the words of a person who is named count, and those of who asked.
NAMED, ASKED = 1.5, 2.0
#: How much of a reply counts beyond its beginning.
LATE = 0.1
#: How much more a passage counts that has what is asked for: a time, a number.
HINTED = 1.4
#: The date in the question is that of the session, or near it.
DATE = 5.0
#: What the neighbours of a passage add to it, by distance: in a talk, and in prose that nobody speaks.
BESIDE, BESIDE_PROSE = (0.5, 0.25), (0.1, 0.0)
#: How much more what follows a question takes from it, in a talk between equals.
ANSWERS = 1.5
#: Neighbours give more to who is named in the question, and less from them to another one.
TO_NAMED, FROM_NAMED = 1.3, 0.6
#: How much more the passages of who is named count in the end.
OF_NAMED = 1.2
#: What the session adds to a passage, against the best one.
SESSION = 0.4
#: Scores in prose are equal where they are to so many decimals: then the later turn, or log, goes first.
EQUAL = 2
#: How many passages are scored in full, and how many are returned.
CANDIDATES, TOLD = 300, 300
#: How many passages, the best by themselves, lend weight to neighbours without a word of the question.
NEIGHBOURED = 50
#: The share of a question that has to be covered somewhere; below it nothing answers.
ENOUGH = 0.15


#: What `explain` tells of a passage by itself.
PARTS = (
    "words", "word after word", "of the question covered", "covered with its neighbours",
    "who speaks", "has what is asked for", "date",
)  # fmt: skip


def weight_of(count: int, passages: int) -> float:
    """Return how much a word tells that so many of all passages hold (BM25's idf, never negative)."""
    return log(1 + (passages - count + 0.5) / (count + 0.5))


def rank(
    asked: Asked,
    totals: Totals,
    log_of: Callable[[int], Turns | None],
    keeps: Callable[[int], bool] | None = None,
    explain: bool = False,
    told: int = TOLD,
) -> Ranking:
    """Rank the passages that hold words of a question, and those beside them.

    `log_of` gives a log by its number; `keeps` tells whether a row may be among the hits, None for all.
    `explain` keeps the words and the parts of each score; so many passages as `told` are told at most.
    """
    look = _Look(asked, totals, log_of, keeps, explain)
    own = look.own(look.candidates())
    if not own or not look.enough():
        return NOTHING
    return look.mixed(own, look.smoothed(own), told)


class _Log:
    """A log as one ranking needs it."""

    __slots__ = ("at", "chain", "chars", "date", "pieces", "row")

    def __init__(self, turns: Turns, named: Named) -> None:
        self.row = row = turns.log
        self.pieces = row.pieces
        self.chars = row.chars
        self.chain = turns.chain
        self.at = turns.at
        self.date = DATE * closeness(named, row.day) if named.year or named.month else 0.0


class _Look:
    """One question looked at in one index."""

    def __init__(
        self,
        asked: Asked,
        totals: Totals,
        log_of: Callable[[int], Turns | None],
        keeps: Callable[[int], bool] | None,
        explain: bool,
    ) -> None:
        self._asked = asked
        self._terms = asked.terms
        self._weights = [term.weight for term in asked.terms]
        self._totals = totals
        self._average = max(1.0, totals.chars / max(1, totals.passages))
        self._log_of = log_of
        self._keeps = keeps
        self._logs: dict[int, _Log | None] = {}
        #: row -> which terms it holds, two bits each: the word itself, a related one
        self._masks = self._held()
        self._covers: dict[int, float] = {}
        self._plans: dict[int, Plan] = {}
        self._best = 0.0
        #: row -> the parts of its score, as `PARTS` names them, where they are asked for
        self._parts: dict[int, tuple[float, ...]] | None = {} if explain else None

    def _held(self) -> dict[int, int]:
        masks: dict[int, int] = {}
        held: list[tuple[int, Mapping[int, object]]] = []
        for number, term in enumerate(self._terms):
            held += ((1 << 2 * number, term.rows), (2 << 2 * number, term.near))
        held.sort(key=lambda pair: -len(pair[1]))
        for bit, rows in held:
            if masks:
                get = masks.get
                for row in rows:
                    masks[row] = get(row, 0) | bit
            else:
                masks = dict.fromkeys(
                    rows, bit
                )  # the commonest word: the quickest way for the most
        return masks

    def _cover(self, mask: int) -> float:
        """Return how much of the question some words of it are, 0 to 1."""
        known = self._covers.get(mask)
        if known is None:
            known = 0.0
            for number, weight in enumerate(self._weights):
                two = mask >> (2 * number) & 3
                if two:
                    known += weight if two & 1 else RELATED * weight
            self._covers[mask] = known = known / self._asked.total
        return known

    def candidates(self) -> list[int]:
        """Return the rows that hold most of the question, the newer first among equals."""
        by_mask: defaultdict[int, list[int]] = defaultdict(list)
        for row, mask in self._masks.items():
            by_mask[mask].append(row)
        keeps = self._keeps
        rows: list[int] = []
        for mask in sorted(by_mask, key=lambda mask: (-self._cover(mask), mask)):
            some = by_mask[mask]
            room = CANDIDATES - len(rows)
            if keeps is not None or len(some) > room:
                some.sort(reverse=True)
                if keeps is None:
                    del some[room:]
                else:
                    some = _first(some, keeps, room)
            rows += some
            if len(rows) >= CANDIDATES:
                break
        return rows

    def _log(self, number: int) -> _Log | None:
        if number not in self._logs:
            row = self._log_of(number)
            self._logs[number] = None if row is None else _Log(row, self._asked.date)
        return self._logs[number]

    def _plan(self, mask: int) -> Plan:
        known = self._plans.get(mask)
        if known is None:
            known = self._plans[mask] = Plan(self._terms, self._weights, mask)
        return known

    def _who(self, piece: Piece) -> float:
        who = piece.who
        if not who:
            return 1.0
        if piece.late:
            return LATE
        if who in ASKERS:
            return ASKED
        return NAMED if who in self._asked.named else 1.0

    def own(self, rows: Sequence[int]) -> dict[int, float]:
        """Return what passages score by what they say themselves, and by how much those beside them cover.

        Those that are not there are left out. One loop, without calls: a question has hundreds.
        """
        found: dict[int, float] = {}
        parts = self._parts
        masks, covers, plans, logs = self._masks, self._covers, self._plans, self._logs
        get, hints = masks.get, self._asked.hints
        flat, slope = K1 * (1 - B), K1 * B / self._average
        best = 0.0
        for row in rows:
            number, place = row >> PLACE_BITS, row & PLACES
            log = logs[number] if number in logs else self._log(number)
            piece = None if log is None else log.row.at(place)
            if log is None or piece is None:
                continue
            mask = masks[row]
            plan = plans[mask] if mask in plans else self._plan(mask)
            norm = flat + slope * piece.chars
            words = 0.0
            for weight, places, near in plan.words:
                times = len(places[row]) if places else 0.0
                if near:
                    times += near[row]
                words += weight * times / (times + norm)
            words *= K1 + 1
            pairs = 0.0
            for first, second, weight in plan.pairs:
                if follow(first[row], second[row]):
                    pairs += weight
            around = mask
            if place < LATE_BIT:
                chain, at = log.chain, log.at[place]
                start = row - place
                if at:
                    around |= get(start + chain[at - 1], 0)
                if at + 1 < len(chain):
                    around |= get(start + chain[at + 1], 0)
            nearly = covers[around] if around in covers else self._cover(around)
            covered = nearly if around == mask else self._cover(mask)
            if nearly > best:
                best = nearly
            who = self._who(piece) if piece.who else 1.0
            hint = HINTED if piece.marks & hints else 1.0
            score = (words + pairs) * (1 + COVERAGE * covered) * (1 + AROUND * nearly) * who * hint
            score += log.date
            if parts is not None:
                parts[row] = words, pairs, covered, nearly, who, hint, log.date
            if score > 0:
                found[row] = score
        self._best = best
        return found

    def enough(self) -> bool:
        """Tell whether enough of the question is anywhere, or at least somebody it names."""
        people = (term for term in self._terms if term.name)
        return self._best >= ENOUGH or any(one.raw not in ASKERS | REPLIERS for one in people)

    def smoothed(self, own: Mapping[int, float]) -> dict[int, float]:
        """Add to each passage what its neighbours have."""
        out = dict(own)
        floor = sorted(own.values(), reverse=True)[:NEIGHBOURED][-1]
        named, keeps = self._asked.named, self._keeps
        for row, score in own.items():
            place = row & PLACES
            if place >= LATE_BIT:  # the rest of a reply
                continue
            log = self._logs[row >> PLACE_BITS]
            if log is None:
                continue
            pieces, chain, at = log.pieces, log.chain, log.at[place]
            if chain[at] != place:
                continue
            piece, start, size = pieces[place], row - place, len(chain)
            speaks = piece.who in named
            answers = ANSWERS if piece.marks & ASKING and piece.who not in ASKERS else 1.0
            next_, second = BESIDE if piece.who else BESIDE_PROSE
            for step, share in (
                (-1, next_), (1, next_ * answers), (-2, second), (2, second),
            ):  # fmt: skip
                if share and 0 <= at + step < size:
                    other = chain[at + step]
                    to = start + other
                    if to not in out and (score < floor or (keeps is not None and not keeps(to))):
                        continue
                    if pieces[other].who in named:
                        share *= TO_NAMED
                    elif speaks:
                        share *= FROM_NAMED
                    out[to] = out.get(to, 0.0) + share * score
        return out

    def _sessions(self, numbers: Sequence[int]) -> dict[int, float]:
        """Score logs by all of their prose, and by their date."""
        totals = self._totals
        average = max(1.0, totals.chars / totals.logs)
        weighed = [
            (weight_of(len(term.logs), totals.logs) * (NAME if term.name else 1.0), term.logs)
            for term in self._terms
            if term.logs
        ]
        found: dict[int, float] = {}
        for number in numbers:
            log = self._log(number)
            assert log is not None, "only passages of logs that are there have a score"
            norm = K1 * (1 - B + B * log.chars / average)
            score = log.date
            for weight, logs in weighed:
                times = logs.get(number)
                if times:
                    score += weight * times * (K1 + 1) / (times + norm)
            found[number] = score
        return found

    def mixed(self, own: Mapping[int, float], scores: Mapping[int, float], told: int) -> Ranking:
        """Mix passages and sessions both ways: each against the best of its sort.

        The passages of a session add up as the root of the sum of their cubes: the best counts most.
        """
        top = max(scores.values())
        of_log: dict[int, float] = {}
        for row, score in scores.items():
            number = row >> PLACE_BITS
            part = score / top
            of_log[number] = of_log.get(number, 0.0) + part * part * part
        sessions = self._sessions(sorted(of_log))
        best = max(sessions.values()) or 1.0
        shares = {number: SESSION * score / best for number, score in sessions.items()}
        found: list[tuple[float, int]] = []
        for row, score in scores.items():
            number, place = row >> PLACE_BITS, row & PLACES
            part, log = score / top, self._logs[number]
            who = "" if log is None else log.pieces[place & ~LATE_BIT].who
            if who in self._asked.named:
                part *= OF_NAMED
            both = part + shares[number]
            found.append((-(both if who else round(both, EQUAL)), -row))
        found.sort()
        del found[told:]
        most = max(of_log.values()) ** (1 / 3)
        logs = next_to(
            [
                (number, score / best + of_log[number] ** (1 / 3) / most)
                for number, score in sessions.items()
            ]
        )
        if self._parts is None:
            passages = [Scored(-row, -score, self._names(-row)) for score, row in found]
        else:
            passages = [
                Scored(
                    -row,
                    -score,
                    self._names(-row),
                    self._told(-row, own.get(-row, 0.0), scores[-row], -score - scores[-row] / top),
                )
                for score, row in found
            ]
        return Ranking(tuple(passages), tuple(logs))

    def _names(self, row: int) -> tuple[str, ...]:
        mask = self._masks.get(row)
        return self._plan(mask).names if mask else ()

    def _told(
        self, row: int, own: float, score: float, share: float
    ) -> tuple[tuple[str, float], ...]:
        parts = self._parts.get(row) if self._parts else None
        return (
            *(zip(PARTS, parts, strict=True) if parts else ()),
            ("neighbours", score - own),
            ("session", share),
        )


def _first(rows: Sequence[int], keeps: Callable[[int], bool], room: int) -> list[int]:
    """Return the first rows that are kept, as many as there is room for."""
    found: list[int] = []
    for row in rows:
        if keeps(row):
            found.append(row)
            if len(found) == room:
                break
    return found
