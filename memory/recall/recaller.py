"""Answer a recall: what was ranked becomes hits."""

from __future__ import annotations

import os

from ledger.errors import NotFound, WrongUsage
from ledger.model.ids import is_fact_id
from ledger.model.log_names import is_stem, stem_in
from memory.recall.bm25_ranking import search
from memory.recall.document_passages import Documents
from memory.recall.fact_hits import Facts, past_at
from memory.recall.index_catch_up import IndexFollower
from memory.recall.passage_hits import LogPassages
from memory.recall.recall_values import (
    DOCS,
    MAYBE,
    NO_FACT,
    SESSIONS,
    VECTORS,
    Answer,
    Filters,
    Hit,
    is_place,
    without_operators,
)
from memory.recall.rules import PERHAPS
from memory.recall.word_lookups import Lookups
from memory.replay.reader_marks import NOTHING_MARKED, Outdated, marks_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memory.cache.cache_file import Cache
    from memory.recall.fact_hits import Past
    from memory.recall.fts_tables import Index
    from memory.replay.tip_snapshot import Snapshot

#: For so many filters views are kept from question to question.
_READINGS = 8
#: So many passages of documents stand in an answer about a home, in a third of it at most.
_DOCUMENTS = 3


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
        self._documents = Documents(snapshot)
        #: what was read last, and views of it by filters
        self._reading: object = None
        self._views: dict[Filters, tuple[Facts, LogPassages]] = {}

    def close(self) -> None:
        """Close the indexes."""
        self._following.close()
        self._documents.close()

    def recall(self, query: str, *, limit: int, filters: Filters, **how: Any) -> Answer:
        """Find what answers a question (see `Reader.recall`)."""
        own = filters._replace(documents=False)
        if not filters.documents or own._replace(yours=False) != Filters():
            return self.recall_homes(query, limit, own, **how)
        # documents stand behind the rest, where no filter narrows it
        share, explain = min(_DOCUMENTS, limit // 3), how.get("explain", False)
        documents = self._documents.found(query, how["level"], share, explain, surely=True)
        answer = self.recall_homes(query, limit - len(documents.hits), own, **how)
        return answer._replace(hits=(*answer.hits, *documents.hits))

    def recall_homes(
        self,
        query: str,
        limit: int,
        filters: Filters,
        *,
        level: str,
        explain: bool = False,
        loose: bool = False,
        model_bytes: float = 0,
    ) -> Answer:
        """Find what answers a question in this home, without the documents of its repository."""
        if filters.within == DOCS:
            if filters._replace(within="") != Filters():
                raise WrongUsage(
                    "documents have no kind, tier, tag, agent or time to choose them by",
                    hint="`diurna recall --in docs WORDS`, with no other filter",
                )
            return self._documents.found(query, level, limit, explain)
        home, past = self._snapshot.home, past_at(self._snapshot, filters.as_of)

        def answer(cache: Cache, index: Index) -> Answer:
            facts, passages = self._view(cache, index, filters, past)
            then = past or filters.superseded  # what stands now has vectors
            alike = None
            if model_bytes and not then and os.path.exists(home.cache_file + VECTORS):
                from memory.recall.meaning import cosines

                alike = cosines(home, index, without_operators(query), model_bytes)
            found = search(self._lookups, query, facts.keeps, cosines=alike)
            how = {"explain": explain, "loose": loose or filters.choosy}
            told, said = facts.found(found, level, limit, **how)
            hits = passages.behind(told, found.passages, level, limit, explain)
            perhaps = bool(told) and said == PERHAPS
            alone = bool(hits) and not told and filters.within != SESSIONS
            notes = *(past.notes if past else ()), *dict.fromkeys(found.notes)
            return Answer(tuple(hits), (*notes, *[NO_FACT] * alone, *[MAYBE] * perhaps), perhaps)

        return self._following.ask(answer)

    def _view(
        self, cache: Cache, index: Index, filters: Filters, past: Past | None = None
    ) -> tuple[Facts, LogPassages]:
        """Return the facts and passages of a reading, those of a question before where nothing moved."""
        marks = marks_at(self._snapshot.home, cache)
        reading = (cache, cache.commit, index, index.mark, marks.said)
        if self._reading != reading or len(self._views) > _READINGS:
            self._reading = reading
            self._views.clear()
            self._lookups = Lookups(index, cache.policy.recall.language)
        if filters not in self._views or past:
            facts = Facts(cache, index, filters, past, marks if past is None else NOTHING_MARKED)
            outdated = Outdated(cache, facts.known, facts.logs)
            passages = LogPassages(self._snapshot.home, cache, self._lookups, outdated)
            self._views[filters] = facts, passages
        return self._views[filters]

    def get(self, ids: Sequence[str], *, level: str) -> Answer:
        """Return memories by their ids (see `Reader.get`), in the order asked for."""
        wanted = dict.fromkeys(ids)
        places = [one for one in wanted if is_place(one)]
        rest = [one for one in wanted if not is_place(one)]
        found = self._documents.get(places, level) if places else {}
        if rest:

            def named(cache: Cache, index: Index) -> list[Hit]:
                view = self._view(cache, index, Filters(superseded=True))
                return [_named(cache, *view, one, level) for one in rest]

            found |= zip(rest, self._following.ask(named), strict=True)
        return Answer(tuple([found[one] for one in wanted]))


def _named(cache: Cache, facts: Facts, passages: LogPassages, one: str, level: str) -> Hit:
    """Return a memory by its id.

    Raises:
        NotFound: there is none.
    """
    if is_stem(stem_in(one.partition(":")[0])):
        return passages.named(one, level)
    from memory.cache.name_lookup import fact_named

    is_id = is_fact_id(one)
    one = fact_named(cache, one) if is_id else one
    hit = facts.hit(one, level) if is_id else None
    if hit is not None:
        return hit
    if is_id and cache.fact(one) is not None:
        raise NotFound(f"{one} is withheld: it was redacted",
                       hint=f"`diurna why {one}` tells when and by whom")  # fmt: skip
    from projection.text.normalize import meant

    near = meant(one, cache.fact_ids())
    near = near or "ids are those that `diurna recall` prints: of a fact, or STEM:LINE"
    raise NotFound(f"there is no memory {one}", hint=near)
