"""Mark facts with what a reader has to know before their text, findings with where they stand."""

from __future__ import annotations

from memory.replay.head_view import here_of
from memory.replay.reader_marks import NOTHING_MARKED, Marks, marks_at
from projection.document.fact_remarks import Mark, mark_of
from projection.policy.model import FINDING_KIND, PATTERN_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.model.session import Entry
    from memory.cache.cache_file import Cache
    from memory.query.resident import Resident
    from memory.replay.ledger_snapshot import Snapshot
    from projection.fold.fact_history import Fact
    from projection.fold.projection_state import Standing
    from projection.fold.testimony import Testimony


def known(cache: Cache | Resident, facts: Iterable[Fact]) -> dict[str, Testimony]:
    """Tell by id how facts are known, by the headers of their logs, each of which is read once."""
    from projection.fold.testimony import testimony

    entries: dict[str, Entry | None] = {}

    def entry(stem: str) -> Entry | None:
        if stem not in entries:
            entries[stem] = cache.entry(stem)
        return entries[stem]

    return {one.id: testimony(one, entry, cache.some_histories) for one in facts}


def marked(cache: Cache | Resident, fact: Fact | None, marks: Marks = NOTHING_MARKED) -> Mark:
    """Mark a fact: that it is closed or false, and of a finding whether it is open, fixed or came back.

    `marks` tells what of it the code no longer has, and HEAD does not hold.
    """
    fact = None if fact is None else marks.here.shown(cache, fact)
    mark = marks.on(mark_of(fact, cache.fact, cache.met), fact)
    if fact is None or fact.false:
        return mark
    if fact.kind == PATTERN_KIND:
        from projection.lifecycle.pattern_standing import marked_as

        return marked_as(fact, mark, cache.policy.learning)
    if fact.kind != FINDING_KIND:
        return mark
    from projection.work.finding_facts import state_of

    return mark._replace(said=state_of(fact, cache.some_histories([fact.id]).get(fact.id)))


def marks_of(snapshot: Snapshot, facts: Iterable[Fact]) -> dict[str, Mark]:
    """Mark facts, by id."""

    def mark(cache: Cache) -> dict[str, Mark]:
        marks = marks_at(snapshot.home, cache)
        return {one.id: marked(cache, one, marks) for one in facts}

    return snapshot.ask(mark)


def as_here(snapshot: Snapshot, standings: Iterable[Standing]) -> list[Standing]:
    """Return facts as HEAD has them (`memory.replay.head_view`)."""
    found = list(standings)
    return snapshot.ask(lambda cache: here_of(snapshot.home, cache).standings(cache, found))
