"""Answer a recall: what was ranked becomes hits."""

from __future__ import annotations

from ledger.environment import now_ms
from ledger.errors import NotFound
from ledger.heavy_work import Uncollected
from ledger.model.ids import is_fact_id
from ledger.model.order import day_seen, is_stem, key_of, stem_in
from memory.cache.name_lookup import fact_named, log_named
from memory.recall.hits.fact_hits import Facts, Past, kept, past_at
from memory.recall.hits.outdated_hits import Outdated
from memory.recall.hits.passage_hits import (
    LogTexts,
    Stated,
    answer_of,
    explained,
    holding_first,
    mixed,
    passage_hit,
    passage_text,
    with_score,
)
from memory.recall.hits.snippets import WHOLE_CHARS, one_line, title_of
from memory.recall.index.index_catch_up import IndexFollower
from memory.recall.index.rows import PLACE_BITS, PLACES, LogRow
from memory.recall.lookups import Lookups
from memory.recall.meaning import Meaning
from memory.recall.recall_values import (
    DOCS,
    FULL,
    INDEX,
    NO_FACT,
    SESSION_KIND,
    SESSIONS,
    Answer,
    Filters,
    Hit,
    is_place,
    tokens_of,
    without_operators,
)
from memory.recall.recall_values import PERHAPS as MAYBE
from memory.recall.search import Scored, Search, search
from memory.recall.standing import PERHAPS, SILENT, SURE, ordered, verdict
from memory.replay.reader_marks import marks_at
from projection.fold.testimony import DECIDED
from projection.policy.model import ENGLISH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.cache.cache_file import Cache
    from memory.recall.documents.document_passages import Documents
    from memory.recall.index.fts_file import Index
    from memory.replay.ledger_snapshot import Snapshot

#: How many passages are shown whole.
_WHOLE = 3


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
        self._meaning = Meaning(snapshot.home)
        self.texts = LogTexts(snapshot.home)
        self._documents: Documents | None = None
        #: the last reading: what it was of, its facts, and what may be a hit
        self._last: tuple[object, Facts, Callable[[int], bool] | None] | None = None
        self._false: tuple[object, Facts] | None = None

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
            return self._of_documents().recall(query, level, limit, filters, explain)
        past = past_at(self._snapshot, filters.as_of)

        def answer(cache: Cache, index: Index) -> Answer:
            language = cache.policy.recall.language
            self._lookups.language = "" if language == ENGLISH else language
            facts, keeps = self._kept(cache, index, filters, past)
            view = _View(self, cache, index, facts)
            cosines = None
            if not (past or filters.superseded):  # only of what stands now there are vectors
                asked = without_operators(query)
                cosines = self._meaning.cosines(index, asked, loading_ms)
            found = search(index, query, keeps, lookups=self._lookups, cosines=cosines)
            hits, said = view.facts(found, level, limit, explain, loose or filters.choosy)
            passages = view.passages(found.passages, level, limit, explain)
            notes = found.notes
            if passages and not hits and filters.within != SESSIONS:
                notes = (*notes, NO_FACT)
            perhaps = bool(hits) and said == PERHAPS
            notes = (*(past.notes if past else ()), *notes, *((MAYBE,) if perhaps else ()))
            shown = view.with_whole(holding_first(mixed(hits, passages, limit)), level)
            made = answer_of(shown, notes)._replace(perhaps=perhaps)
            if not explain:
                return made
            made = made._replace(ranked=len(found.passages), cut=found.cut)
            every = None if past or filters.superseded else self._with_false(cache, index)
            return explained(made, index, self.lookups(index), found, every, level)

        with Uncollected(), self.texts:
            return self._following.ask(answer)

    def _kept(
        self, cache: Cache, index: Index, filters: Filters, past: Past | None
    ) -> tuple[Facts, Callable[[int], bool] | None]:
        """Return facts and what may be a hit; those of the question before where nothing moved."""
        marks = marks_at(self._snapshot.home, cache)
        reading = (cache, cache.commit, index, index.mark, filters, marks.said)
        if self._last is not None and self._last[0] == reading and past is None:
            return self._last[1:]
        facts = Facts(cache, index, filters, past, marks)
        keeps = kept(index, facts, filters)
        self._last = None if past is not None else (reading, facts, keeps)
        return facts, keeps

    def _with_false(self, cache: Cache, index: Index) -> Facts:
        """Return facts, false ones too; those of the question before where nothing moved."""
        marks = marks_at(self._snapshot.home, cache)
        reading = (cache, cache.commit, index, index.mark, marks.said)
        if self._false is None or self._false[0] != reading:
            facts = Facts(cache, index, Filters(superseded=True), marks=marks)
            self._false = reading, facts
        return self._false[1]

    def get(self, ids: Sequence[str], *, level: str) -> Answer:
        """Return memories by their ids (see `Reader.get`)."""

        def answer(cache: Cache, index: Index) -> Answer:
            marks = marks_at(self._snapshot.home, cache)
            facts = Facts(cache, index, Filters(superseded=True), marks=marks)
            view = _View(self, cache, index, facts)
            return answer_of([view.named(one, level) for one in dict.fromkeys(ids)], ())

        paths = [one for one in dict.fromkeys(ids) if is_place(one)]
        if not paths:
            with self.texts:
                return self._following.ask(answer)
        found = {hit.id: hit for hit in self._of_documents().get(paths, level)}
        rest = [one for one in ids if one not in found]
        if rest:
            found |= {hit.id: hit for hit in self.get(rest, level=level).hits}
        return answer_of([found[one] for one in dict.fromkeys(ids)], ())

    def _of_documents(self) -> Documents:
        if self._documents is None:
            from memory.recall.documents.document_passages import Documents

            self._documents = Documents(self._snapshot)
        return self._documents

    def lookups(self, index: Index) -> Lookups:
        """Return what was looked up in an index so far."""
        return self._lookups.of(index)


class _View:
    """One reading: the index, the cache and the facts of one commit."""

    def __init__(self, recaller: Recaller, cache: Cache, index: Index, facts: Facts) -> None:
        self._recaller = recaller
        self._cache = cache
        self._index = index
        self._facts = facts
        self._outdated = Outdated(cache, facts.known, facts.logs)
        self._stated = Stated(recaller.lookups(index), index)
        #: of the passages that are shown, by id
        self._scored: dict[str, Scored] = {}
        self._withheld: frozenset[str] = frozenset()
        if cache.redacted:
            from memory.redaction.withheld_texts import redacted_logs

            self._withheld = redacted_logs(cache)

    def _fetch(self, rows: Sequence[int]) -> None:
        """Read the logs of passages, all at once, but those that are withheld."""
        logs = [log for row in rows if (log := self._index.log(row >> PLACE_BITS))]
        there = [log for log in logs if stem_in(log.stem) not in self._withheld]
        self._recaller.texts.fetch(there, self._cache)

    def facts(
        self, found: Search, level: str, limit: int, explain: bool, loose: bool
    ) -> tuple[list[Hit], str]:
        """Return the facts that answer, best first, and whether they do (`standing.verdict`).

        `explain` gives the parts of each score; `loose`: those too that answer little of it.
        """
        if found.question.open and not found.question.subject:
            return self._open_threads(level, limit), SURE
        best = ordered(self._facts.candidates(found.facts), found.question.open)
        said = SURE if loose else verdict([one.scored for one in best], found)
        if said == SILENT:
            return [], said
        best.sort(key=lambda one: self._facts.has_ended(one.standing.fact))
        hits = []
        for one in best[:limit]:
            log = None if one.before else self._facts.brought(one.scored.row)[1]
            hit = self._facts.hit(one.standing.fact.id, log, level)
            if hit is not None:
                hits.append(with_score(hit, one.scored, explain, hit.mark.weight))
        # they come by their scores: of equal ones what a person decided goes first
        return sorted(hits, key=lambda hit: (-hit.score, hit.known.word != DECIDED)), said

    def _open_threads(self, level: str, limit: int) -> list[Hit]:
        """Return what is open, the one that was used last first."""
        facts = [one.fact for one in self._cache.view().live]
        threads = [fact for fact in facts if fact.open]
        threads.sort(key=lambda fact: (fact.last_used, fact.id), reverse=True)
        hits = [self._facts.hit(fact.id, None, level) for fact in threads]
        return [hit for hit in hits if hit is not None][:limit]

    def passages(
        self, ranked: Sequence[Scored], level: str, limit: int, explain: bool
    ) -> list[Hit]:
        """Return the hits of the best passages that may be shown."""
        found: dict[str, Hit] = {}
        self._fetch([one.row for one in ranked[:limit]])
        for scored in ranked:
            hit = self.hit(scored, level, explain)
            if hit is not None and hit.id not in found:
                found[hit.id] = hit
                self._scored[hit.id] = scored
                if len(found) == limit:
                    break
        return list(found.values())

    def with_whole(self, hits: list[Hit], level: str) -> list[Hit]:
        """Return hits with the whole of the first passages, up to `WHOLE_CHARS`."""
        left, found = _WHOLE, []
        for hit in hits:
            shown: Hit | None = None
            if hit.id in self._scored and left:
                left -= 1
                row, words = self._scored[hit.id].row, self._scored[hit.id].words
                log = self._index.log(row >> PLACE_BITS)
                lines = [] if log is None else self._recaller.texts.lines(log, self._cache)
                place = row & PLACES
                shown = log and passage_hit(
                    log, lines, place, level, words, mark=hit.mark, chars=WHOLE_CHARS
                )
            found.append(shown._replace(score=hit.score, parts=hit.parts) if shown else hit)
        return found

    def hit(self, scored: Scored, level: str, explain: bool) -> Hit | None:
        """Return the hit of a passage, None for one that is not to be shown."""
        log = self._index.log(scored.row >> PLACE_BITS)
        piece = None if log is None else log.at(scored.row & PLACES)
        if log is None or piece is None or stem_in(log.stem) in self._withheld:
            return None
        hit = self._passage(log, scored.row & PLACES, level, scored.words)
        return None if hit is None else with_score(hit, scored, explain)

    def named(self, one: str, level: str) -> Hit:
        """Return a memory by its id.

        Raises:
            NotFound: there is none.
        """
        stem, colon, line = one.partition(":")
        if is_stem(stem_in(stem)):
            number = self._index.number_of(key_of(stem))
            if not number:  # perhaps the start of one
                number = self._index.number_of(log_named(self._cache, stem).key)
            log = self._index.log(number) if number else None
            if log is None or stem_in(log.stem) in self._withheld:
                said = "its words are withheld" if log is not None else "there is none"
                raise NotFound(f"{one} names no session log that can be shown: {said}",
                               hint="`diurna log` lists the session logs")  # fmt: skip
            if not colon:
                return self._whole(log, level)
            wanted = int(line) if line.isdigit() and len(line) < 8 else 0
            before = [n for n, piece in enumerate(log.pieces) if piece.line <= wanted]
            if before and (hit := self._passage(log, before[-1], level, ())) is not None:
                return hit
            raise NotFound(
                f"{stem} has no passage at line {line}", hint=f"`diurna recall --ids {stem}`"
            )
        one = fact_named(self._cache, one) if is_fact_id(one) else one
        hit = self._facts.hit(one, None, level) if is_fact_id(one) else None
        if hit is None:
            if is_fact_id(one) and self._cache.fact(one) is not None:
                raise NotFound(
                    f"{one} is withheld: it was redacted",
                    hint=f"`diurna why {one}` tells when and by whom",
                )
            raise NotFound(f"there is no memory {one}", hint=self._near(one))
        return hit

    def _near(self, one: str) -> str:
        """Say which ids are spelled nearly like one that is not there."""
        from projection.text.fuzzy import meant

        said = meant(one, self._cache.fact_ids())
        return said or "ids are those that `diurna recall` prints: of a fact, or STEM:LINE"

    def _whole(self, log: LogRow, level: str) -> Hit:
        lines = self._recaller.texts.lines(log, self._cache)
        text = "\n".join(lines)
        line = one_line(title_of(lines))
        shown = text if level == FULL else f"{log.stem}  {log.agent}  {line}"
        return Hit(
            log.stem, SESSION_KIND, "", day_seen(log.day, now_ms()), log.stem, log.agent, 0.0, line,
            shown, tokens_of(shown), tokens_of(text),
        )  # fmt: skip

    def _passage(self, log: LogRow, place: int, level: str, words: Sequence[str]) -> Hit | None:
        """Return a passage, None where the repository lost the log's bytes since it was indexed."""
        lines = self._recaller.texts.lines(log, self._cache)
        hit = passage_hit(log, lines, place, level, words)
        if hit is None:
            return None
        shown = hit.text if level != INDEX else passage_text(log, lines, place)
        text = f"{title_of(lines)}\n\n{shown}"
        brought = [piece.fact for piece in log.facts]
        mark = self._outdated.mark(log.stem, text, brought, lambda: self._stated.of(text))
        return passage_hit(log, lines, place, level, words, mark=mark) if mark.said else hit
