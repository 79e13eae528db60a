"""Filter passages by the logs that they stand in."""

from __future__ import annotations

from memory.recall.index.fts_file import IndexDamaged
from memory.recall.index.rows import FACTS_FROM, PLACE_BITS, PLACES, is_question
from memory.recall.rank.rank_types import Keeps
from memory.recall.recall_values import FACTS, SESSION_KIND, SESSIONS, Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.recall.hits.fact_hits import Facts
    from memory.recall.index.fts_file import Index
    from memory.recall.index.rows import LogRow


def _only(filters: Filters) -> str:
    """Return where hits may stand, in facts or in sessions, as far as the filters say; "" for both."""
    if filters.within:
        return filters.within
    if filters.kinds == (SESSION_KIND,):
        return SESSIONS
    no_sessions = filters.kinds and SESSION_KIND not in filters.kinds
    return FACTS if no_sessions or filters.tiers or filters.tags or filters.entities else ""


def kept(index: Index, facts: Facts, filters: Filters) -> Keeps | None:
    """Return a function that tells whether a row may be a hit; None where all may."""
    since, until = filters.since, filters.until + "~" if filters.until else ""
    only = _only(filters)
    agents, roles, branches = map(frozenset, (filters.agents, filters.roles, filters.branches))
    questions = facts.passed_over
    by_log = since or until or agents or roles or branches
    choosing = by_log or only or questions
    if not choosing and facts.logs is None:
        return None
    choosy = filters.kinds or filters.tiers or filters.tags or filters.entities or roles
    known: dict[int, bool] = {}

    def log_at(number: int) -> LogRow:
        log = index.log(number)
        if log is None:
            raise IndexDamaged(f"no log {number}")
        return log

    def keeps_log(number: int) -> bool:
        log = log_at(number)
        return (
            (not since or log.stem >= since)
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
        if not known[number] or (is_question(row) and by_log):
            return False
        if not is_fact:
            return not roles or log_at(number).role in roles
        if not (choosy or questions):
            return True
        piece = log_at(number).at(row & PLACES)
        if piece is None or piece.fact in questions:
            return False
        return not choosy or facts.wanted(*facts.brought(row)) is not None

    return Keeps(keeps)
