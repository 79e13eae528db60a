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
from memory.recall.index.rows import LATE_BIT, PLACE_BITS, PLACES, LogRow
from memory.recall.passage_search import Search, search
from memory.recall.query.postings import Lookups
from memory.recall.rank.bm25 import TOLD
from memory.recall.rank.rank_types import Keeps, Ranking, Scored
from memory.recall.rank.standing_order import answers, ordered
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
)
from memory.replay.reader_marks import marks_at
from projection.fold.testimony import DECIDED
from projection.policy.model import ENGLISH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.cache.cache_file import Cache
    from memory.recall.documents.document_passages import Documents
    from memory.recall.index.fts_file import Index
    from memory.recall.rank.meaning_store import Meanings
    from memory.replay.ledger_snapshot import Snapshot

#: How many passages beyond twice the hits are fetched at first: some may not be shown.
_MORE_TOLD = 40
#: How many passages are shown whole.
_WHOLE = 3
#: How many logs are named that answer as a whole.
_SESSIONS = 20


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
        self.texts = LogTexts(snapshot.home)
        self._meanings: Meanings | None = None
        self._documents: Documents | None = None
        #: the last reading: what it was of, its facts, and what may be a hit
        self._last: tuple[object, Facts, Keeps | None] | None = None
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
        vectors: bool = True,
        loose: bool = False,
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
            meanings = self._meanings_of(cache, index) if vectors else None
            hits: list[Hit] | None = None
            for told in dict.fromkeys((min(TOLD, 2 * limit + _MORE_TOLD), TOLD)):
                found = search(
                    index, query, keeps, lookups=self._lookups, explain=explain, told=told,
                    meanings=meanings,
                )  # fmt: skip
                ranking = view.by_meaning(query, found.ranking) if vectors else found.ranking
                if hits is None:
                    hits = view.facts(found, level, limit, explain, loose or filters.choosy)
                passages = view.passages(ranking, level, limit, explain)
                if len(passages) == limit or len(ranking.passages) < told:
                    break  # else many may not be shown, and there are more
            hits, notes = hits or [], found.notes
            if passages and not hits and filters.within != SESSIONS:
                notes = (*notes, NO_FACT)
            notes = (*(past.notes if past else ()), *notes)
            shown = view.with_whole(holding_first(mixed(hits, passages, limit)), level)
            made = answer_of(shown, notes)._replace(sessions=view.sessions(ranking))
            if not explain:
                return made
            made = made._replace(ranked=len(ranking.passages), cut=len(ranking.passages) == told)
            every = None if past or filters.superseded else self._with_false(cache, index)
            return explained(made, self.lookups(index), found, every, level)

        with Uncollected(), self.texts:
            found = self._following.ask(answer)
            if self._meanings is not None:
                self._meanings.save()
            return found

    def _kept(
        self, cache: Cache, index: Index, filters: Filters, past: Past | None
    ) -> tuple[Facts, Keeps | None]:
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

    def _meanings_of(self, cache: Cache, index: Index) -> Meanings | None:
        """Return what the facts of an index mean, None without the extra `vectors`."""
        from memory.recall.rank.vectors import identity

        if self._meanings is None and (made_by := identity()):
            from memory.recall.rank.meaning_store import Meanings

            self._meanings = Meanings(made_by)
        return None if self._meanings is None else self._meanings.of(cache, index)

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

    def by_meaning(self, query: str, ranking: Ranking) -> Ranking:
        """Rank again by what passages mean; as it was without the extra `vectors`."""
        from memory.recall.rank.vectors import installed

        if not (ranking.passages and installed()):
            return ranking
        from memory.recall.similarity import COMPARED, compared, with_meaning

        texts = self._texts([one.row for one in ranking.passages[:COMPARED]])
        alike = compared(self._recaller.lookups(self._index), query, texts)
        return ranking if alike is None else with_meaning(ranking, alike)

    def sessions(self, ranking: Ranking) -> tuple[str, ...]:
        """Return the stems of the best logs whose words are not withheld."""
        logs = [self._index.log(number) for number, _ in ranking.sessions[:_SESSIONS]]
        stems = [log.stem for log in logs if log is not None]
        return tuple([stem for stem in stems if stem_in(stem) not in self._withheld])

    def _fetch(self, rows: Sequence[int]) -> frozenset[int]:
        """Read the logs of passages, all at once; return the rows of those that are not withheld."""
        logs = {row: log for row in rows if (log := self._index.log(row >> PLACE_BITS))}
        there = {row: log for row, log in logs.items() if stem_in(log.stem) not in self._withheld}
        self._recaller.texts.fetch(list(there.values()), self._cache)
        return frozenset(there)

    def _texts(self, rows: Sequence[int]) -> dict[int, str]:
        """Return the texts of passages, but of those that are withheld."""
        found: dict[int, str] = {}
        there = self._fetch(rows)
        for row in rows:
            log = self._index.log(row >> PLACE_BITS)
            piece = None if log is None else log.at(row & PLACES)
            if log is not None and piece is not None and row in there:
                lines = self._recaller.texts.lines(log, self._cache)
                found[row] = passage_text(log, lines, row & PLACES & ~LATE_BIT)
        return found

    def facts(self, found: Search, level: str, limit: int, explain: bool, loose: bool) -> list[Hit]:
        """Return the facts that answer, best first; none where they cover too little of the question.

        `explain` gives the parts of each score; `loose`: those too that cover little.
        """
        if found.state.open and not found.subject:
            return self._open_threads(level, limit)
        best = ordered(self._facts.candidates(found.facts), found.state)
        if not (loose or answers(best)):
            return []
        best.sort(key=lambda one: self._facts.has_ended(one.standing.fact))
        hits = []
        for one in best[:limit]:
            hit = self._facts.hit(*self._facts.brought(one.scored.row), level)
            if hit is not None:
                hits.append(with_score(hit, one.scored, explain, hit.mark.weight))
        # they come by their scores: of equal ones what a person decided goes first
        return sorted(hits, key=lambda hit: (-hit.score, hit.known.word != DECIDED))

    def _open_threads(self, level: str, limit: int) -> list[Hit]:
        """Return what is open, the one that was used last first."""
        facts = [one.fact for one in self._cache.view().live]
        threads = [fact for fact in facts if fact.open]
        threads.sort(key=lambda fact: (fact.last_used, fact.id), reverse=True)
        hits = [self._facts.hit(fact.id, None, level) for fact in threads]
        return [hit for hit in hits if hit is not None][:limit]

    def passages(self, ranking: Ranking, level: str, limit: int, explain: bool) -> list[Hit]:
        """Return the hits of the best passages that may be shown."""
        found: dict[str, Hit] = {}
        self._fetch([one.row for one in ranking.passages[:limit]])
        for scored in ranking.passages:
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
                place = row & PLACES & ~LATE_BIT
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
        place = scored.row & PLACES & ~LATE_BIT
        hit = self._passage(log, place, level, scored.words)
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
