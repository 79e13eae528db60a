"""Gather from the cache what only some briefs have: work to be done, patterns, findings, other homes."""

from __future__ import annotations

from ledger.codec.log import read_header
from ledger.errors import NotFound
from ledger.model.ids import is_fact_id
from ledger.model.verbs import IN_PROGRESS
from memory.cache.name_lookup import fact_named, is_named
from memory.replay.read_logs import read_bytes
from projection.brief.choice import DAYS, KINDS_OF_OTHERS, invariants, yours
from projection.brief.inert_text import label
from projection.brief.values import Beside, Session, Stated, Todo
from projection.document.fact_remarks import mark_of
from projection.fold import fact_links
from projection.policy import model as policy
from projection.work.tracked_tasks import MEDIUM, failed_before, handed_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.recall_values import Answer
    from memory.replay.head_view import Here
    from memory.replay.tip_snapshot import Snapshot
    from memory.replay.upstream_homes import Layer
    from projection.fold.fact_history import Fact
    from projection.fold.live_view import LiveView, Standing
    from projection.work.tracked_tasks import Handoff, Task

#: How many facts the search is asked for, how much of a task is read, and what names a log.
_FOUND, _TASK_CHARS, _STEM_CHARS = 30, 1_500, 18
#: How many ids a line names that a task waits for, or a handoff is for.
_IDS = 3
#: The kinds of what is to be done.
_WORK_KINDS = frozenset((policy.TASK_KIND, policy.HANDOFF_KIND, policy.STATE_KIND))
#: How much of the text of a task is looked for.
_WORDS_CHARS = 2000
#: So many passages are told for a task, in so many characters; each has so many of its words, such a part.
_PASSAGES, _TOLD_CHARS, _OF_TASK, _PART = 2, 700, 3, 0.4


def gathered(
    home: Home, cache: Cache, view: LiveView, facts: list[Fact], agent: str, role: str, task: str
) -> tuple[Todo, dict[str, frozenset[str]], dict[str, str], frozenset[str]]:
    """Return what is to be done; of which roles the logs are that brought notes, by id (`role_notes`).

    And how far patterns and findings have come, by id, and which patterns did not hold up. Facts of the
    first are added to `facts`.
    """
    kinds = {one.fact.kind for one in view.live}
    work = not kinds.isdisjoint(_WORK_KINDS) or is_fact_id(task)
    todo = _todo(cache, view, agent, role, task) if work else Todo()
    facts += [one.standing.fact for part in todo for one in part]  # some are not live
    return todo, _roles_brought(home, facts, cache) if role else {}, *_states_of(cache, facts)


def answering(
    cache: Cache, here: Here, task: str, found: Iterable[str], live: Container[str]
) -> tuple[tuple[str, ...], list[Standing]]:
    """Return the fact whose id is the task, or what stands in its place; and what is known but not live.

    That is of it and of those that the search found; () for other words.
    """
    named = cache.fact(task) if is_fact_id(task) else None
    ids: tuple[str, ...] = (task,) if named else ()
    if named and named.false:
        ids = mark_of(named, cache.fact).instead
    place = cache.placing()
    away = [one for one in dict.fromkeys((*ids, *found)) if one not in live and not here.hides(one)]
    known = [place(here.shown(cache, fact)) for one in away if (fact := cache.fact(one))]
    return ids, [one for one in known if not (one.fact.redacted or one.fact.false)]


def _todo(cache: Cache, view: LiveView, agent: str, role: str, task: str) -> Todo:
    from memory.cache.view_sources import task_in, tasks_in

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
    place, attempts = cache.placing(), cache.facts_of_kind(policy.ATTEMPT_KIND)
    found = [one for task in tasks for one in failed_before(attempts, task)]
    return tuple([Stated(place(one.fact), one.said) for one in dict.fromkeys(found)])


def _states_of(cache: Cache, facts: Iterable[Fact]) -> tuple[dict[str, str], frozenset[str]]:
    states: dict[str, str] = {}
    if bugs := [one for one in facts if one.kind == policy.FINDING_KIND and not one.closed]:
        from projection.work.reported_findings import REGRESSED, finding_of

        histories = cache.some_histories([one.id for one in bugs])
        found = {one.id: finding_of(one, histories[one.id]) for one in bugs}
        states = {id: REGRESSED for id, one in found.items() if one and one.state == REGRESSED}
    patterns = [one for one in facts if one.kind == policy.PATTERN_KIND]
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

    def foremost(layer: Layer) -> tuple[Standing, ...]:
        def ask(cache: Cache) -> tuple[Standing, ...]:
            live = cache.view().live
            return yours(live, cache.work_dates(DAYS)) if layer.personal else invariants(live)

        facts: tuple[Standing, ...] = layer.ask(ask, ())
        return tuple(
            [one._replace(fact=one.fact._replace(id=layer.named(one.fact.id))) for one in facts]
        )

    found = [Beside(one.name, foremost(one), one.personal, one.fetched) for one in layers]
    return tuple([one for one in found if one.facts])


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


def stated(handoff: Handoff) -> Stated:
    """Say of a handoff which task it is for, and who left it."""
    said = [f"for {' and '.join(handoff.tasks[:_IDS])}"] if handoff.tasks else []
    said += [f"confidence {label(handoff.confidence)}"] if handoff.confidence else []
    return Stated(handoff.standing, ", ".join(said), label(handoff.giver))


def own_tasks(tasks: Iterable[Task], agent: str) -> list[Task]:
    """Return the tasks in progress that an agent has."""
    return [one for one in tasks if one.state == IN_PROGRESS and one.claimant == agent != ""]


def ordered(
    tasks: Sequence[Task], live: Iterable[Standing], agent: str, asked: Task | None
) -> tuple[Stated, ...]:
    """Return open tasks, in their order, and what holds of the state, as a brief has them.

    What serves `asked`, the task that the brief is for, follows it.
    """
    live = list(live)
    found: list[Stated] = []
    if asked:
        serving = [
            one for one in live if (fact_links.SERVES, asked.id) in fact_links.named(one.fact)
        ]
        found.append(_task(asked))
        found += [
            Stated(one, f"serves {asked.id}")
            for one in serving
            if one.fact.kind != policy.HANDOFF_KIND
        ]
    found += map(_task, own_tasks(tasks, agent))
    found += [Stated(one) for one in live if one.fact.kind == policy.STATE_KIND]
    once: dict[str, Stated] = {}
    for one in (*found, *map(_task, tasks)):
        once.setdefault(one.about.id, one)
    return tuple(once.values())


def _task(task: Task) -> Stated:
    """Say the state of a task, who has it, its priority, and what it waits for."""
    said = [f"{task.state} by {label(task.claimant)}" if task.claimant else task.state]
    if task.priority != MEDIUM:
        said.append(task.priority)
    if task.waits:
        more = f" and {len(task.waits) - _IDS} more" if len(task.waits) > _IDS else ""
        said.append(f"waits for {' and '.join(task.waits_for[:_IDS])}{more}")
    return Stated(task.standing, ", ".join(said))


def task_of(snapshot: Snapshot, said: str) -> tuple[str, str]:
    """Return a task as it is asked for, by its id where that begins so, and the words to look for.

    These are the text of the fact that has the id, else what was said.
    """

    def ask(cache: Cache) -> tuple[str, str]:
        task, known = said, None
        if is_fact_id(said):
            try:
                known = cache.fact(said if is_named(cache, said) else fact_named(cache, said))
            except NotFound:
                pass
            if known and known.id != said and known.kind != policy.TASK_KIND:
                known = None
            task = known.id if known else said
        if known is None or known.redacted:
            return task, task
        return task, f"{task.replace('-', ' ')} {known.text[:_WORDS_CHARS]}"

    return snapshot.ask(ask)


def _roles_brought(home: Home, facts: Iterable[Fact], cache: Cache) -> dict[str, frozenset[str]]:
    stems = {
        fact.id: {version.stem for version in fact.heads} | {fact.origin}
        for fact in facts
        if fact.kind not in KINDS_OF_OTHERS
    }
    listed = sorted(set().union(*stems.values()))
    refs = list(cache.known(listed).values())
    roles = {
        ref.key: dict(read_header(data)).get("role", "").strip()
        for ref, data in read_bytes(home, refs)
    }
    return {
        fact: frozenset([roles[stem] for stem in own if stem in roles])
        for fact, own in stems.items()
    }
