"""Answer a recall: what was ranked becomes hits."""

from __future__ import annotations

import re

from ledger.errors import NotFound, WrongUsage
from ledger.heavy_work import Uncollected
from ledger.model.ids import is_fact_id
from ledger.model.order import is_stem, key_of, stem_in
from memory.cache.name_lookup import fact_named, log_named
from memory.recall.hits.fact_hits import Facts, Past, past_at
from memory.recall.hits.passage_hits import (
    WHOLE_CHARS,
    LogTexts,
    Stated,
    log_hit,
    passage_hit,
    passage_text,
    title_of,
    with_score,
)
from memory.recall.index.index_catch_up import IndexFollower
from memory.recall.index.rows import PLACE_BITS, PLACES, LogRow
from memory.recall.index.unspaced import has_unspaced
from memory.recall.lookups import Lookups
from memory.recall.recall_values import (
    DOCS,
    INDEX,
    NO_FACT,
    SESSIONS,
    Answer,
    Filters,
    Hit,
    answer_of,
    holding_first,
    is_place,
    mixed,
    without_operators,
)
from memory.recall.recall_values import PERHAPS as MAYBE
from memory.recall.search import Scored, Search, search
from memory.recall.standing import PERHAPS, SILENT, SURE, ordered, verdict
from memory.replay.outdated_lines import Outdated
from memory.replay.reader_marks import marks_at
from projection.fold.testimony import DECIDED
from projection.policy.model import ENGLISH
from projection.text.clipping import LINE_CHARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memory.cache.cache_file import Cache
    from memory.recall.documents.document_passages import Documents
    from memory.recall.index.fts_file import Index
    from memory.recall.meaning import Meaning
    from memory.replay.ledger_snapshot import Snapshot

_WORD = re.compile(r"[^\W_]+")
#: How many passages are shown whole, and how many false facts are given beside what holds.
_WHOLE, _FALSE = 3, 10
#: All facts, false ones too.
_EVERY = Filters(superseded=True)
#: For so many filters views are kept from question to question.
_READINGS = 8


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
        self._following = IndexFollower(snapshot, progress)
        self._lookups = Lookups()
        self._meaning: Meaning | None = None
        self._texts = LogTexts(snapshot.home)
        self._documents: Documents | None = None
        #: what was read last, and views of it by filters
        self._reading: object = None
        self._known: dict[Filters, _View] = {}

    def close(self) -> None:
        """Close the indexes."""
        self._following.close()
        if self._documents is not None:
            self._documents.close()

    def recall(
        self,
        query: str,
        *,
        level: str,
        limit: int,
        filters: Filters,
        explain: bool = False,
        loose: bool = False,
        loading_ms: float = 0,
    ) -> Answer:
        """Find what answers a question (see `Reader.recall`)."""
        if filters.within == DOCS:
            if filters._replace(within="") != Filters():
                raise WrongUsage(
                    "documents have no kind, tier, tag, agent or time to choose them by",
                    hint="`diurna recall --in docs WORDS`, with no other filter",
                )
            return self._of_documents().found(query, level, limit, explain)
        past = past_at(self._snapshot, filters.as_of)

        def answer(cache: Cache, index: Index) -> Answer:
            language = cache.policy.recall.language
            self._lookups.language = "" if language == ENGLISH else language
            view = self._view(cache, index, filters, past)
            cosines = None
            if loading_ms and not (past or filters.superseded):  # what stands now has vectors
                cosines = self._cosines(index, without_operators(query), loading_ms)
            keeps = view.facts.keeps
            found = search(index, query, keeps, lookups=self._lookups, cosines=cosines)
            hits, said = view.of_facts(found, level, limit, explain, loose or filters.choosy)
            passages = view.passages(found.passages, level, limit, explain, hits)
            perhaps = bool(hits) and said == PERHAPS
            alone = bool(passages) and not hits and filters.within != SESSIONS
            notes = (
                *(past.notes if past else ()), *found.notes, *(NO_FACT,) * alone, *(MAYBE,) * perhaps,
            )  # fmt: skip
            shown = holding_first(mixed(hits, passages, limit))
            made = answer_of(shown, notes, perhaps=perhaps)
            if not explain:
                return made
            worded, false = _worded(index, found), list[Hit]()
            if not (past or filters.superseded):
                every = self._view(cache, index, _EVERY).facts
                facts = [every.known(id) for id, enough in worded if enough]
                told = [fact.id for fact in facts if fact is not None and fact.false]
                false = [hit for id in told[:_FALSE] if (hit := every.hit(id, None, level))]
            by = _found_by(self._lookups, found, [*shown, *false])
            return made._replace(worded=worded, false=tuple(false), found_by=by,
                                 ranked=len(found.passages), cut=found.cut)  # fmt: skip

        with Uncollected():
            return self._following.ask(answer)

    def _cosines(self, index: Index, query: str, loading_ms: float) -> Mapping[int, float] | None:
        from memory.recall.meaning import Meaning

        self._meaning = self._meaning or Meaning(self._snapshot.home)
        return self._meaning.cosines(index, query, loading_ms)

    def _view(
        self, cache: Cache, index: Index, filters: Filters, past: Past | None = None
    ) -> _View:
        """Return a view, that of a question before where nothing moved."""
        marks = marks_at(self._snapshot.home, cache)
        reading = (cache, cache.commit, index, index.mark, marks.said)
        if self._reading != reading or len(self._known) > _READINGS:
            self._reading = reading
            self._known.clear()
        view = None if past else self._known.get(filters)
        if view is None:
            facts = Facts(cache, index, filters, past, marks)
            view = _View(self._texts, self._lookups.of(index), cache, index, facts)
            if not past:
                self._known[filters] = view
        return view

    def get(self, ids: Sequence[str], *, level: str) -> Answer:
        """Return memories by their ids (see `Reader.get`)."""
        wanted = dict.fromkeys(ids)
        places = [one for one in wanted if is_place(one)]
        rest = [one for one in wanted if not is_place(one)]
        found = self._of_documents().get(places, level) if places else {}
        if rest:

            def named(cache: Cache, index: Index) -> list[Hit]:
                view = self._view(cache, index, _EVERY)
                return [view.named(one, level) for one in rest]

            found |= zip(rest, self._following.ask(named), strict=True)
        return answer_of([found[one] for one in wanted], ())

    def _of_documents(self) -> Documents:
        if self._documents is None:
            from memory.recall.documents.document_passages import Documents

            self._documents = Documents(self._snapshot)
        return self._documents


class _View:
    """One reading: the index, the cache and the facts of one commit."""

    def __init__(
        self, texts: LogTexts, lookups: Lookups, cache: Cache, index: Index, facts: Facts
    ) -> None:
        self._texts, self._cache, self._index, self.facts = texts, cache, index, facts
        self._outdated = Outdated(cache, facts.known, facts.logs)
        self._stated = Stated(lookups, index)
        self._withheld: frozenset[str] = frozenset()
        if cache.redacted:
            from memory.redaction.withheld_texts import redacted_logs

            self._withheld = redacted_logs(cache)

    # ---- facts ------------------------------------------------------------------------------------

    def of_facts(
        self, found: Search, level: str, limit: int, explain: bool, loose: bool
    ) -> tuple[list[Hit], str]:
        """Return the facts that answer, best first, and whether they do (`standing.verdict`).

        `explain` gives the parts of each score; `loose`: those too that answer little of it.
        """
        if found.question.open and not found.question.subject:
            return self._open_threads(level, limit), SURE
        best = ordered(self.facts.candidates(found.facts), found.question.open)
        said = SURE if loose else verdict([one.scored for one in best], found)
        if said == SILENT:
            return [], said
        best.sort(key=lambda one: self.facts.has_ended(one.standing.fact))
        hits = []
        for one in best[:limit]:
            log = None if one.before else self.facts.brought(one.scored.row)[1]
            hit = self.facts.hit(one.standing.fact.id, log, level)
            if hit is not None:
                hits.append(with_score(hit, one.scored, explain, hit.mark.weight))
        # they come by their scores: of equal ones what a person decided goes first
        return sorted(hits, key=lambda hit: (-hit.score, hit.known.word != DECIDED)), said

    def _open_threads(self, level: str, limit: int) -> list[Hit]:
        """Return what is open, the one that was used last first."""
        threads = [one.fact for one in self._cache.view().live if one.fact.open]
        threads.sort(key=lambda fact: (fact.last_used, fact.id), reverse=True)
        hits = [self.facts.hit(fact.id, None, level) for fact in threads]
        return [hit for hit in hits if hit is not None][:limit]

    # ---- passages ---------------------------------------------------------------------------------

    def passages(
        self, ranked: Sequence[Scored], level: str, limit: int, explain: bool, facts: Sequence[Hit]
    ) -> list[Hit]:
        """Return the hits of the best passages that may be shown, the first ones whole.

        The best of the log that a fact comes from is named with the fact alone.
        """
        logs = [there[0] for one in ranked[:limit] if (there := self._index.at(one.row))]
        self._texts.fetch([log for log in logs if not self._is_withheld(log)], self._cache)
        found: dict[str, Hit] = {}
        left, named = _WHOLE, {hit.stem for hit in facts}
        for scored in ranked:
            if len(found) == limit:
                break
            hit = self._passage(
                scored.row, level, scored.words, WHOLE_CHARS if left else LINE_CHARS
            )
            if hit is not None and hit.id not in found:
                found[hit.id] = with_score(hit, scored, explain)
                left -= bool(left) and hit.stem not in named
                named.discard(hit.stem)
        return list(found.values())

    def _is_withheld(self, log: LogRow) -> bool:
        return stem_in(log.stem) in self._withheld

    def _passage(
        self, row: int, level: str, words: Sequence[str], chars: int = LINE_CHARS
    ) -> Hit | None:
        """Return a passage; None for one that is not to be shown, or whose bytes were lost since."""
        there, place = self._index.at(row), row & PLACES
        if there is None or self._is_withheld(there[0]):
            return None
        log, lines = there[0], self._texts.lines(there[0], self._cache)
        hit = passage_hit(log, lines, place, level, words, chars=chars)
        if hit is None:
            return None
        shown = hit.text if level != INDEX else passage_text(log, lines, place)
        text = f"{title_of(lines)}\n\n{shown}"
        brought = [piece.fact for piece in log.facts]
        mark = self._outdated.mark(log.stem, text, brought, lambda: self._stated.of(text))
        return passage_hit(log, lines, place, level, words, mark, chars) if mark.said else hit

    # ---- by their ids -----------------------------------------------------------------------------

    def named(self, one: str, level: str) -> Hit:
        """Return a memory by its id.

        Raises:
            NotFound: there is none.
        """
        if is_stem(stem_in(one.partition(":")[0])):
            return self._of_log(one, level)
        is_id = is_fact_id(one)
        one = fact_named(self._cache, one) if is_id else one
        hit = self.facts.hit(one, None, level) if is_id else None
        if hit is not None:
            return hit
        if is_id and self._cache.fact(one) is not None:
            raise NotFound(f"{one} is withheld: it was redacted",
                           hint=f"`diurna why {one}` tells when and by whom")  # fmt: skip
        from projection.text.fuzzy import meant

        near = meant(one, self._cache.fact_ids())
        near = near or "ids are those that `diurna recall` prints: of a fact, or STEM:LINE"
        raise NotFound(f"there is no memory {one}", hint=near)

    def _of_log(self, one: str, level: str) -> Hit:
        """Return a log by its stem, perhaps the start of one, or a passage of it by its line."""
        stem, colon, line = one.partition(":")
        number = self._index.number_of(key_of(stem))
        number = number or self._index.number_of(log_named(self._cache, stem).key)
        log = self._index.log(number)
        if log is None or self._is_withheld(log):
            said = "its words are withheld" if log is not None else "there is none"
            raise NotFound(f"{one} names no session log that can be shown: {said}",
                           hint="`diurna log` lists the session logs")  # fmt: skip
        if not colon:
            return log_hit(log, self._texts.lines(log, self._cache), level)
        wanted = int(line) if line.isdigit() and len(line) < 8 else 0
        before = [n for n, piece in enumerate(log.pieces) if piece.line <= wanted]
        hit = self._passage(number << PLACE_BITS | before[-1], level, ()) if before else None
        if hit is None:
            raise NotFound(
                f"{stem} has no passage at line {line}", hint=f"`diurna recall --ids {stem}`"
            )
        return hit


def _worded(index: Index, found: Search) -> tuple[tuple[str, bool], ...]:
    """Return the facts with words of a question, best first, each with whether it says enough of it."""
    said: dict[str, bool] = {}
    for scored in found.worded:
        there = index.at(scored.row)
        if there is not None:
            fact, enough = there[1].fact, scored.heaviest >= scored.lacked
            said[fact] = said.get(fact, False) or enough
    return tuple(said.items())


def _found_by(lookups: Lookups, found: Search, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the words of hits that are words of a question, in any form that the index takes for one."""
    texts = [f"{hit.line} {hit.text}".lower() for hit in hits]
    words = dict.fromkeys([word for text in texts for word in _WORD.findall(text)])
    plain = [word for word in words if word.isascii()]
    stems = dict(zip(plain, lookups.stems(" ".join(plain)), strict=True))
    for word in words.keys() - stems.keys():
        stems[word] = " ".join(lookups.stems(word))
    typed = [word.raw for word in found.question.words if has_unspaced(word.raw)]
    return (*typed, *[word for word in words if stems[word] in found.stems])
