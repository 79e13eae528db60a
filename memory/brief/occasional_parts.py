"""Gather from the cache what only some briefs have: work to be done, patterns, findings, other homes."""

from __future__ import annotations

from projection.brief.choice import DAYS, invariants, ordered, own_tasks, stated, yours
from projection.brief.values import Beside, Session, Stated, Todo
from projection.policy.model import ATTEMPT_KIND, FINDING_KIND, PATTERN_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memory.cache.cache_file import Cache
    from memory.recall.recall_values import Answer
    from memory.replay.upstream_homes import Layer
    from projection.fold.fact_history import Fact
    from projection.fold.live_view import LiveView, Standing

#: How many facts the search is asked for, how much of a task is read, and what names a log.
_FOUND, _TASK_CHARS, _STEM_CHARS = 30, 1_500, 18
#: So many passages are told for a task, in so many characters; each has so many of its words, such a part.
_PASSAGES, _TOLD_CHARS, _OF_TASK, _PART = 2, 700, 3, 0.4


def todo(cache: Cache, view: LiveView, agent: str, role: str, task: str) -> Todo:
    """Return what is to be done.

    `agent` is who asks, as logs name it, `role` is "" for none; `task` is the id of a task, or anything
    else.
    """
    from memory.cache.view_sources import task_in, tasks_in
    from projection.work.tracked_tasks import handed_to

    tasks = tasks_in(cache)
    asked = task_in(cache, task) if task else None
    handoffs = handed_to(view.live, agent, role)
    about = [task]
    if not asked:
        about = [one.id for one in own_tasks(tasks, agent)]
        about += [id for one in handoffs for id in one.tasks]
    return Todo(
        tuple(map(stated, handoffs)),
        _failed(cache, list(dict.fromkeys(about))),
        ordered(tasks, view.live, agent, asked),
    )


def _failed(cache: Cache, tasks: Sequence[str]) -> tuple[Stated, ...]:
    """Return what failed before at some tasks, newest first for each."""
    if not tasks:
        return ()
    from projection.work.tracked_tasks import failed_before

    place, attempts = cache.placing(), cache.facts_of_kind(ATTEMPT_KIND)
    found = [one for task in tasks for one in failed_before(attempts, task)]
    return tuple([Stated(place(one.fact), one.said) for one in dict.fromkeys(found)])


def states_of(cache: Cache, facts: Iterable[Fact]) -> tuple[dict[str, str], frozenset[str]]:
    """Return how far patterns and findings have come, by id, and which patterns did not hold up."""
    facts = list(facts)
    states: dict[str, str] = {}
    if bugs := [one for one in facts if one.kind == FINDING_KIND and not one.closed]:
        from projection.work.reported_findings import REGRESSED, finding_of

        histories = cache.some_histories([one.id for one in bugs])
        found = {one.id: finding_of(one, histories[one.id]) for one in bugs}
        states = {id: REGRESSED for id, one in found.items() if one and one.state == REGRESSED}
    patterns = [one for one in facts if one.kind == PATTERN_KIND]
    if not patterns:
        return states, frozenset()
    from projection.lifecycle.promotion import DEPRECATED, pattern_standing

    learning = cache.policy.learning
    standings = {one.id: pattern_standing(one, learning) for one in patterns}
    states |= {id: f"standing {how}" for id, how in standings.items()}
    return states, frozenset([id for id, how in standings.items() if how == DEPRECATED])


def beside(layers: Iterable[Layer]) -> tuple[Beside, ...]:
    """Return what some homes, nearest first, say: the top of the user's own, invariants of those upstream.

    Those that say nothing are left out.
    """
    found = [Beside(one.name, _foremost(one), one.personal, one.fetched) for one in layers]
    return tuple([one for one in found if one.facts])


def _foremost(layer: Layer) -> tuple[Standing, ...]:
    def ask(cache: Cache) -> tuple[Standing, ...]:
        live = cache.view().live
        return yours(live, cache.work_dates(DAYS)) if layer.personal else invariants(live)

    nothing: tuple[Standing, ...] = ()
    return tuple(
        [
            one._replace(fact=one.fact._replace(id=layer.named(one.fact.id)))
            for one in layer.ask(ask, nothing)
        ]
    )


def found_for(recall: Callable[..., Answer], words: str) -> tuple[str, ...]:
    """Return the ids of the facts that the search finds for a task in words, best first.

    A task is no query: its quotes and dashes ask for nothing. `recall` asks the index
    (`memory.query.reader.Reader.recall`).
    """
    from memory.recall.recall_values import FACTS, Filters, without_operators

    words = without_operators(words)
    if not words:
        return ()
    answer = recall(words, limit=_FOUND, filters=Filters(within=FACTS), loose=True)
    return tuple([hit.id for hit in answer.hits])


def passages_for(recall: Callable[..., Answer], task: str) -> tuple[Session, ...]:
    """Return the passages of logs for a task that no fact answers, best first, each whole.

    One has at least three of the words of the task that tell something, and a good part of them; the
    arguments are those of `found_for`.
    """
    from memory.recall.question import ENGLISH, is_everyday, listed_words
    from memory.recall.recall_values import FACTS, SESSIONS, Filters, without_operators

    words = without_operators(task[:_TASK_CHARS])
    if not words or recall(words, limit=1, filters=Filters(within=FACTS)).hits:
        return ()
    small = listed_words(ENGLISH, "small") | listed_words(ENGLISH, "chores")
    plain = "".join([char if char.isalnum() else " " for char in words.lower()])
    asked = {one for one in plain.split() if not (one in small or is_everyday(one, ENGLISH))}
    least = max(min(_OF_TASK, len(asked)), _PART * len(asked), 2)
    found, room = list[Session](), _TOLD_CHARS
    for hit in recall(words, limit=_PASSAGES, filters=Filters(within=SESSIONS), explain=True).hits:
        held = asked.intersection(*[one.remark.split(", ") for one in hit.parts if one.remark])
        place = f"{hit.stem[:_STEM_CHARS]}:{hit.id.rpartition(':')[2]}"
        said = f"{hit.date}, {hit.line} ({place})"
        if len(held) >= least and len(said) <= room and not hit.line.endswith("…"):
            found.append(Session("", "", said, "", "passage"))
            room -= len(said)
    return tuple(found)
