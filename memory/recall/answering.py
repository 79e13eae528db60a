"""Answering: what was ranked becomes hits: facts as they stand, passages as their logs have them."""

from __future__ import annotations

from ledger.codec import text_of
from ledger.errors import NotFound
from ledger.ids import is_fact_id
from ledger.logset import LogRef
from ledger.order import is_stem
from memory.recall.follow import NOT_THE_CACHE, Following
from memory.recall.index import FACTS_FROM, PLACE_BITS, PLACES
from memory.recall.search import search
from memory.recall.standing import Facts
from memory.recall.texts import heading_of, one_line, section_of
from memory.recall.values import (
    FACTS,
    SESSION_KIND,
    SESSIONS,
    Answer,
    Filters,
    Hit,
    Part,
    tokens_of,
)
from memory.withheld import redacted_logs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ledger.gitstore import Store
    from memory.cache import Cache
    from memory.recall.index import Index, LogRow
    from memory.recall.rank import Scored
    from memory.snapshot import Snapshot

#: From how many questions of one process on a library that reads packs pays for its start.
_LIBRARY_FROM = 3
_TEXTS_KEPT = 500


class Recaller:
    """Answers questions about one home.

    Args:
        snapshot: of the home.
        progress: told how far a long reading is.
    """

    def __init__(
        self, snapshot: Snapshot, progress: Callable[[int, int], None] | None = None
    ) -> None:
        self._snapshot = snapshot
        self._following = Following(snapshot, progress)
        self._texts: dict[str, list[str]] = {}
        self._store: Store | None = None
        self._asked = 0

    def close(self) -> None:
        """Close the index."""
        self._following.close()

    def recall(
        self, query: str, *, level: str, limit: int, filters: Filters, explain: bool = False
    ) -> Answer:
        """Find what answers a question (see `Reader.recall`)."""
        self._asked += 1

        def answer(cache: Cache, index: Index) -> Answer:
            facts = Facts(self._snapshot, cache, filters)
            with NOT_THE_CACHE:
                keeps = _test(index, facts, filters)
                found = search(index, query, keeps)
            view = _View(self, cache, index, facts)
            hits: list[Hit] = []
            seen: set[str] = set()
            for scored in found.ranking.passages:
                hit = view.hit(scored, level, explain)
                if hit is not None and hit.id not in seen:
                    seen.add(hit.id)
                    hits.append(hit)
                    if len(hits) == limit:
                        break
            return _answer(hits, found.notes)

        return self._following.ask(answer)

    def get(self, ids: Sequence[str], *, level: str) -> Answer:
        """Return memories by their ids (see `Reader.get`)."""
        self._asked += 1

        def answer(cache: Cache, index: Index) -> Answer:
            view = _View(self, cache, index, Facts(self._snapshot, cache, Filters(superseded=True)))
            return _answer([view.named(one, level) for one in dict.fromkeys(ids)], ())

        return self._following.ask(answer)

    def lines(self, log: LogRow, cache: Cache) -> list[str]:
        """Return the lines of a log as it was written."""
        known = self._texts.get(log.blob)
        if known is None:
            ref = LogRef(log.stem, "", log.blob)
            data = self._bytes(ref)
            known = text_of(data).split("\n")
            if len(self._texts) >= _TEXTS_KEPT:
                self._texts.clear()
            self._texts[log.blob] = known
        return known

    def _bytes(self, ref: LogRef) -> bytes:
        if self._asked >= _LIBRARY_FROM:
            if self._store is None:
                from ledger.gitstore import Store

                self._store = Store(self._snapshot.home.repository)
            (data,) = self._store.blobs([ref.blob])
            if data is not None:
                return data
        from memory.reading import read_bytes

        for _, found in read_bytes(self._snapshot.home, [ref]):
            return found
        return b""


class _View:
    """One reading: the index, the cache and the facts of one commit.

    Args:
        recaller: reads logs.
        cache: of the commit.
        index: of the commit.
        facts: where they stand.
    """

    def __init__(self, recaller: Recaller, cache: Cache, index: Index, facts: Facts) -> None:
        self._recaller = recaller
        self._cache = cache
        self._index = index
        self._facts = facts
        self._withheld = redacted_logs(cache)

    def hit(self, scored: Scored, level: str, explain: bool) -> Hit | None:
        """Return the hit of a passage, None for one that is not to be shown."""
        log = self._index.log(scored.row >> PLACE_BITS)
        piece = None if log is None else log.at(scored.row & PLACES)
        if log is None or piece is None:
            return None
        if piece.fact:
            hit = self._facts.hit(piece.fact, log, level)
        elif log.stem.partition("~")[0] in self._withheld:
            return None
        else:
            hit = self._passage(log, piece.line, level)
        if hit is None:
            return None
        parts = tuple(
            [
                Part(name, round(value, 4), ", ".join(scored.words) if name == "words" else "")
                for name, value in (scored.parts if explain else ())
            ]
        )
        return hit._replace(score=round(scored.score, 4), parts=parts)

    def named(self, one: str, level: str) -> Hit:
        """Return a memory by its id.

        Raises:
            NotFound: there is none.
        """
        stem, colon, line = one.partition(":")
        if is_stem(stem.partition("~")[0]):
            number = self._index.number_of(stem)
            log = self._index.log(number) if number else None
            if log is None or stem.partition("~")[0] in self._withheld:
                said = "its words are withheld" if log is not None else "there is none"
                raise NotFound(f"{one} names no session log that can be shown: {said}",
                               hint="`diurna log` lists the session logs")  # fmt: skip
            if not colon:
                return self._whole(log, level)
            if line.isdigit() and 0 < int(line) <= len(self._recaller.lines(log, self._cache)):
                return self._passage(log, int(line), level)
            raise NotFound(f"{stem} has no line {line}", hint=f"`diurna recall --ids {stem}`")
        hit = self._facts.hit(one, None, level) if is_fact_id(one) else None
        if hit is None:
            raise NotFound(
                f"there is no memory {one}",
                hint="ids are those that `diurna recall` prints: of a fact, or STEM:LINE",
            )
        return hit

    def _whole(self, log: LogRow, level: str) -> Hit:
        text = "\n".join(self._recaller.lines(log, self._cache))
        title = heading_of(self._recaller.lines(log, self._cache), len(text))
        line = one_line(title)
        shown = text if level == "full" else f"{log.stem}  {log.agent}  {line}"
        return Hit(
            log.stem, SESSION_KIND, "", log.day, log.stem, log.agent, 0.0, line, shown,
            tokens_of(shown), tokens_of(text),
        )  # fmt: skip

    def _passage(self, log: LogRow, number: int, level: str) -> Hit:
        lines = self._recaller.lines(log, self._cache)
        place = max((n for n, piece in enumerate(log.pieces) if piece.line <= number), default=0)
        text = _passage_text(log, lines, place)
        heading = heading_of(lines, number)
        line = one_line(text if not heading or heading in text[:200] else f"{heading}: {text}")
        id = f"{log.stem}:{number}"
        _, section = section_of(lines, number)
        if level == "full":
            shown = section
        elif level == "timeline":
            around = [
                ("> " if other == place else "  ") + one_line(_passage_text(log, lines, other), 200)
                for other in range(max(0, place - 2), min(len(log.pieces), place + 3))
            ]
            shown = "\n".join([f"{id}  {log.day}  {log.agent}  {heading}", *around])
        else:
            shown = f"{id}  {SESSION_KIND}  {log.day}  {line}"
        return Hit(
            id, SESSION_KIND, "", log.day, log.stem, log.agent, 0.0, line, shown,
            tokens_of(shown), tokens_of(section),
        )  # fmt: skip


def _passage_text(log: LogRow, lines: list[str], place: int) -> str:
    """Return a passage from the lines of its log."""
    start = log.pieces[place].line - 1
    text = "\n".join(lines[start : start + 200])
    return text[: log.pieces[place].chars + 40].rstrip() if place < len(log.pieces) else text


def _answer(hits: list[Hit], notes: tuple[str, ...]) -> Answer:
    return Answer(
        tuple(hits),
        sum([hit.tokens for hit in hits]),
        sum([hit.whole for hit in hits]),
        notes,
    )


def _test(index: Index, facts: Facts, filters: Filters) -> Callable[[int], bool] | None:
    """Return what tells whether a row may be a hit, by its log; None where all may."""
    since, until = filters.since, filters.until + "~" if filters.until else ""
    only = filters.within
    if not only and filters.kinds == (SESSION_KIND,):
        only = SESSIONS
    elif not only and (
        (filters.kinds and SESSION_KIND not in filters.kinds)
        or filters.tiers
        or filters.tags
        or filters.entities
    ):
        only = FACTS
    agents, roles, branches = map(frozenset, (filters.agents, filters.roles, filters.branches))
    if not (since or until or only or agents or roles or branches or facts.logs is not None):
        return None
    known: dict[int, bool] = {}

    def keeps_log(number: int) -> bool:
        log = index.log(number)
        return (
            log is not None
            and (not since or log.stem >= since or log.day >= since)
            and (not until or log.stem <= until)
            and (not agents or log.agent in agents)
            and (not branches or log.branch in branches)
            and (facts.logs is None or log.stem in facts.logs)
        )

    def keeps(row: int) -> bool:
        is_fact = row & PLACES >= FACTS_FROM
        if (only == FACTS and not is_fact) or (only == SESSIONS and is_fact):
            return False
        number = row >> PLACE_BITS
        if number not in known:
            known[number] = keeps_log(number)
        if not known[number]:
            return False
        if roles and not is_fact:
            log = index.log(number)
            return log is not None and log.role in roles
        return True

    return keeps
