"""Make a view of a home (`projection.views`), and tell what its facts are about and linked with.

Facts are from the cache, logs from git, as digests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.environment import local_day, now_ms
from ledger.errors import NotFound
from ledger.model.log_names import LogRef, day_seen, is_date
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import logs_of
from memory.cache.schema import FALSE
from memory.cache.view_sources import source_of_cache
from memory.query.visible_logs import visible_texts
from memory.redaction.withheld_texts import named_in
from memory.replay.reader_marks import marks_at
from memory.replay.tip_snapshot import Snapshot
from memory.write.draft import deeds
from projection.fold.fact_history import REDACTED_TEXT, Fact
from projection.fold.fact_links import footer, matches_entity, names_in
from projection.graph.entities import Entity, EntityView, entities_of, view_of
from projection.graph.graph_neighbours import Graph, Links
from projection.text.session_digest import gist, quoted
from projection.views.view_page import ROLE_KEY, Page, SessionLine, ViewSource
from projection.views.view_table import DAILY, WEEKLY, check, page_of, week_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.reader import Reader

#: How many logs are read at once.
_PART = 200


def view_page(snapshot: Snapshot, cache: Cache, name: str, argument: str = "") -> Page:
    """Return a view as a value.

    `cache` is as of what is to be shown, `argument` as of `projection.views.view_table.page_of`.

    Raises:
        NotFound: there is no such view, no such date, or no fact about that entity.
    """
    check(name, argument)
    logs = logs_of(cache, _keys(cache, name, argument))
    facts = {id for _, entry in logs for id in named_in(entry)}
    source = source_of_cache(cache, (name,), facts)
    if logs:
        about = {one.fact.id: one.fact for one in source.standings}
        lines = session_lines(snapshot, cache, logs, about)
        source = source._replace(sessions=tuple(reversed(lines)))
    now = now_ms()
    shown = [one._replace(fact=one.fact.seen(now)) for one in source.standings]
    return page_of(name, source._replace(standings=tuple(shown)), argument)


def day_of(name: str, said: str, now_ms: int) -> str:
    """Return the argument of a view: of one of days the day that is said, `yesterday` or `2026-11`.

    What is no time stays as it is, to be refused.
    """
    if name not in (DAILY, WEEKLY) or not said or is_date(said):
        return said
    from ledger.model.instants import span_of

    found = span_of(said, now_ms)
    return said if found is None else local_day(found[0])


def _keys(cache: Cache, name: str, argument: str) -> Sequence[str]:
    """Return the keys of the logs that a view tells of, in ledger order."""
    day = argument or cache.summary.clock[:10]
    if name not in (DAILY, WEEKLY) or not day:
        return ()
    days = week_of(day) if name == WEEKLY else (day,)
    return [ref.key for ref, entry in cache.entries_since(days[0]) if entry.clock[:10] in days]


def whole_source(
    snapshot: Snapshot, cache: Cache, progress: Callable[[int, int], None]
) -> ViewSource:
    """Return what all views of a ledger are made of: every fact, and every log.

    `cache` is as of what is to be shown; `progress` is told how many of how many logs are read.
    """
    source = source_of_cache(cache, (), cache.fact_ids())
    about = {one.fact.id: one.fact for one in source.standings}
    keys = [ref.key for ref in cache.log_refs()]
    lines: list[SessionLine] = []
    for start in range(0, len(keys), _PART):
        lines += session_lines(snapshot, cache, logs_of(cache, keys[start : start + _PART]), about)
        progress(len(lines), len(keys))
    return source._replace(sessions=tuple(reversed(lines)))


def session_lines(
    snapshot: Snapshot, cache: Cache, logs: Sequence[tuple[LogRef, Entry]], facts: dict[str, Fact]
) -> list[SessionLine]:
    """Return logs as views tell them, without what is withheld and without the notes of roles."""
    found = []
    for visible in visible_texts(snapshot.home, cache, logs):
        entry = visible.entry
        at = entry.clock if day_seen(entry.clock, now_ms()) else ""
        named = [facts[id] for id in sorted(named_in(entry)) if id in facts]
        ours = [fact for fact in named if footer(fact, ROLE_KEY)]  # the view `roles` alone has them
        line = SessionLine(at, told=_told(entry, ours))
        if visible.withheld:
            found.append(line._replace(title=REDACTED_TEXT))
            continue
        brief = gist(visible.text)
        notes = {quoted(head.text) for one in ours for head in one.heads}
        decided = [quote.text for quote in brief.decisions if quote.text not in notes]
        left = [quote.text for quote in brief.actions if quote.text not in notes]
        summary = "" if brief.summary in notes else brief.summary
        line = line._replace(title=brief.title, summary=summary)
        found.append(line._replace(decided=tuple(decided), open=tuple(left)))
    return found


def _told(entry: Entry, notes: list[Fact]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what a log did to facts, without the notes of roles."""
    hidden = {fact.id for fact in notes}
    found = [
        (verb, tuple([said for said in ids if hidden.isdisjoint(said.split(" → "))]))
        for verb, ids in deeds(entry)
    ]
    return tuple([(verb, ids) for verb, ids in found if ids])


def entities(cache: Cache) -> tuple[Entity, ...]:
    """List all entities, those with most facts first."""
    asked = "SELECT about, count(*), sum(state = ?) FROM facts WHERE about != '' GROUP BY about"
    rows = cache.rows(asked, (FALSE,))
    return entities_of([(names_in(value), facts, false) for value, facts, false in rows])


def entity(reader: Reader, name: str) -> EntityView:
    """Gather what memory holds about an entity, in any spelling.

    Raises:
        NotFound: no fact is about it.
    """
    about = [one for one in reader.state().standings() if matches_entity(one.fact, name)]
    if not about:
        said = f"no fact is about {name.strip() or 'what has no name'}"
        raise NotFound(
            said, hint="`diurna show --about` lists all; a fact's footer says `entity: NAME`"
        )
    return view_of(name, about)


def links(reader: Reader, fact: str) -> Links:
    """Return what is one hop away from a fact, and what is two.

    `fact` is its id, or the start of it; also what facts name and that does not exist.

    Raises:
        NotFound: there is no such fact and nothing names it.
    """
    marks = reader.ask(lambda cache: marks_at(reader.home, cache))
    graph = Graph({one.fact.id: one for one in reader.state().standings()}, marks.on)
    found = graph.links(reader.named(fact))
    if found.standing is None and not found.near:
        raise NotFound(f"there is no fact {fact}", hint=reader.near_hint(fact))
    return found
