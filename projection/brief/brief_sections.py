"""Sort facts into the sections of a brief.

Pure: the same material gives the same brief. The sections come in the order of their weight, and within
one the weightier lines first; what a task asks for stands before all. What fits is decided in `budget`,
how it is written in `forms`.
"""

from __future__ import annotations

from projection.brief import brief_values as values
from projection.brief.role_choice import NOTE_KINDS
from projection.brief.weight import weights
from projection.document.fact_remarks import is_behind, is_ended
from projection.fold.projection_state import TIERS
from projection.fold.testimony import IMPORTED, QUOTED, SAID, persons_first
from projection.lifecycle.review_threads import is_raised
from projection.policy import model as policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from projection.document.fact_remarks import Gone
    from projection.fold.fact_history import Fact
    from projection.fold.projection_state import Standing

#: How many facts of a section are looked at for who decided them: more than most briefs have room for.
_LOOKED_AT = 24
_INVARIANT_KIND = "invariant"
#: The kinds of facts that say how work is done here.
_DECIDED = ("decision", "convention", "stack")
#: How many facts that a task asks for stand before all else; the others stand where they belong.
_ASKED = 12
#: How many requests of other projects are named; what stands above them.


def wanted(material: values.Material) -> tuple[values.Wanted, ...]:
    """Sort the material into sections, most important first."""
    role, score, notes = material.place.role, material.score, material.notes
    core: list[Standing] = []
    threads: list[Standing] = []
    decisions: list[Standing] = []
    noted: list[Standing] = []
    rest: list[Standing] = []
    todo = _shown_todo(material)
    placed = {one.standing.fact.id for part in todo for one in part}
    for standing in _by_weight(material):
        fact = standing.fact
        if fact.redacted or fact.contradicted or fact.id in notes.others:
            continue  # nothing of it is shown here, or it stands among the contradictions
        if fact.id in placed or _is_left_out(fact, material):
            continue
        if _has_ended(fact, material):
            rest.append(standing)  # behind all others
            continue
        if fact.id in notes.own:
            noted.append(standing)
        if not standing.live:
            rest.append(standing)
        elif fact.kind in (policy.THREAD_KIND, policy.FINDING_KIND) and not fact.closed:
            threads.append(standing)
        elif standing.tier == "core":
            core.append(standing)
        elif fact.kind in _DECIDED:
            decisions.append(standing)
        elif fact.id not in notes.alone:
            rest.append(standing)
    core.sort(key=lambda one: one.fact.kind != _INVARIANT_KIND)
    threads.sort(key=lambda one: is_raised(one.fact))
    threads.sort(key=lambda one: one.fact.id not in material.states)  # what came back
    for found in (noted, decisions, rest):
        _by_use(found, material)
    noted.sort(key=lambda one: one.fact.kind not in NOTE_KINDS)
    rest.sort(key=lambda one: one.fact.closed and one.fact.id not in score)
    news = _news(material, placed)
    handed, failed, tasks = todo
    changed = "Changed since your last log" if material.place.last else "Newest corrections"
    sections = [
        _section(values.ASKED, "For this task", _asked(material, todo)),
        _section(values.CONTRADICTIONS, "Contradictions: no side wins until somebody decides",
                 _contradicted(material)),
        _section(values.INVARIANTS, "Invariants", core, _INVARIANT_KIND),
        *_beside(material.beside),
        _section(values.HANDED, "Handed to you", handed, policy.HANDOFF_KIND),
        values.Wanted(values.CHANGES, changed, news, len(news) + material.more_news),
        _section(values.ROLE, f"For the role {role}", _stated(noted, material)),
        _section(values.ATTEMPTS, "Failed before", failed, policy.ATTEMPT_KIND),
        _section(values.TASKS, _tasks_title(tasks), tasks, policy.TASK_KIND),
        _section(values.THREADS, "Open threads", _stated(threads, material), policy.THREAD_KIND),
        _section(values.DECISIONS, "Decisions, conventions, stack", decisions, *_DECIDED),
        values.Wanted(values.SESSIONS, "Lately", material.sessions, len(material.sessions)),
        _section(values.REST, "Also known", _stated(rest, material)),
    ]  # fmt: skip
    return tuple([_unmarked_first(one, material) for one in sections if one.items])


def _tasks_title(tasks: tuple[values.Stated, ...]) -> str:
    kinds = [one.standing.fact.kind == policy.STATE_KIND for one in tasks]
    return "Tasks" if not any(kinds) else "State" if all(kinds) else "Tasks and state"


def _unmarked_first(section: values.Wanted, material: values.Material) -> values.Wanted:
    """Let what names nothing that is gone stand first."""
    if material.gone is None:
        return section
    gone = [(gone_of(one, material), one) for one in section.items]
    gone.sort(key=lambda pair: (is_ended(pair[0]), is_behind(pair[0])))
    return section._replace(items=tuple([one for _, one in gone]))


def gone_of(item: values.Item, material: values.Material) -> tuple[Gone, ...]:
    """Return what a fact names that the code no longer has; what happened to one says nothing of it."""
    if material.gone is None or isinstance(item, values.News | values.Session):
        return ()
    return material.gone(fact_of(item))


def _has_ended(fact: Fact, material: values.Material) -> bool:
    """Tell whether a commit or a day ended a fact, as its footer says."""
    return material.gone is not None and is_ended(material.gone(fact))


def _asked(material: values.Material, todo: Iterable[Iterable[values.Stated]]) -> list[values.Item]:
    """Return what the task asks for, best first, as far as it stands before all else."""
    known = {one.fact.id: one for one in (*material.view.live, *material.found)}
    states = {one.standing.fact.id: one for part in todo for one in part}
    found: list[values.Item] = []
    for id in material.asked:
        standing = known.get(id)
        if id in states and states[id].standing.fact.kind != policy.HANDOFF_KIND:
            found.append(states[id])
        elif standing is not None and _is_plain(standing.fact, material.notes.others):
            fact = standing.fact
            if not (_is_left_out(fact, material) or _has_ended(fact, material)):
                found += _stated([standing], material)
        if len(found) == _ASKED:
            break
    return found


def _beside(homes: Iterable[values.Beside]) -> list[values.Wanted]:
    """Return a section for each other home that says something."""
    found = []
    for one in homes:
        if one.personal:
            found.append(
                _section(values.YOURS, f"{values.YOURS_TITLE} {values.YOURS_FLAG}", one.facts)
            )
        else:
            title = f"Invariants of {one.name}, fetched {one.fetched}"
            found.append(
                _section(f"{values.UPSTREAM} {one.name}", title, one.facts, _INVARIANT_KIND)
            )
    return found


def _news(material: values.Material, placed: set[str]) -> tuple[values.News, ...]:
    """Return what changed, without what is not shown, and what is new in a section of its own."""
    hidden = material.notes.others | material.deprecated
    found = [one for one in material.news if one.fact not in hidden]
    own = material.notes.alone.union(placed)
    own |= {one.fact for one in found if one.now and one.now.fact.kind == policy.HANDOFF_KIND}
    return tuple([one for one in found if one.what != values.BORN or one.fact not in own])


def _shown_todo(material: values.Material) -> tuple[tuple[values.Stated, ...], ...]:
    """Return what is to be done, without what is not shown and what stands among the contradictions."""
    shown = []
    for part in material.todo:
        facts = [(one, one.standing.fact) for one in part]
        plain = [pair for pair in facts if _is_plain(pair[1], material.notes.others)]
        shown.append(tuple([one for one, fact in plain if not _has_ended(fact, material)]))
    return tuple(shown)


def _is_plain(fact: Fact, others: frozenset[str]) -> bool:
    return not (fact.redacted or fact.contradicted or fact.id in others)


def _is_left_out(fact: Fact, material: values.Material) -> bool:
    """Tell whether a fact is for nobody who reads a brief: a question, over, or not worth its place."""
    if fact.kind == policy.ATTEMPT_KIND:
        return not (material.asks and fact.id in material.score)
    if fact.kind == policy.FINDING_KIND:
        return fact.closed
    if fact.kind == policy.PATTERN_KIND:
        return fact.id in material.deprecated
    return fact.kind in (policy.QUESTION_KIND, policy.HANDOFF_KIND)


def _stated(standings: Iterable[Standing], material: values.Material) -> list[values.Item]:
    """Say the state of those that have one."""
    states = material.states
    return [
        values.Stated(one, states[one.fact.id]) if one.fact.id in states else one
        for one in standings
    ]


def _section(name: str, title: str, found: Iterable[values.Item], *kinds: str) -> values.Wanted:
    items = tuple(found)
    return values.Wanted(name, title, items, len(items), kinds)


def _contradicted(material: values.Material) -> list[Standing]:
    """Return the contradicted facts where they stand, those in use first."""
    from projection.fold.projection_state import Standing

    view = material.view
    live = {standing.fact.id: standing for standing in view.live}
    facts = [fact for fact in view.contradicted if fact.id not in material.notes.others]
    found = [
        live.get(fact.id) or Standing(fact, "superseded" if fact.false else "archived", "-")
        for fact in facts
    ]
    pairs = zip(found, facts, strict=True)
    sided = [one._replace(fact=persons_first(fact, material.rank)) for one, fact in pairs]
    score = material.score
    return sorted(sided, key=lambda one: (-score.get(one.fact.id, 0.0), not one.live, one.fact.id))


def _by_weight(material: values.Material) -> list[Standing]:
    """Sort all facts: what the task is about first, then by tier, then the newest, then by id."""
    score, places = material.score, {tier: place for place, tier in enumerate(TIERS)}
    found = [*material.view.live, *material.found]
    found.sort(key=lambda one: one.fact.id)
    found.sort(key=lambda one: one.fact.anchor, reverse=True)  # equal ones keep their order
    found.sort(key=lambda one: (-score.get(one.fact.id, 0.0), places[one.tier]))
    return found


def _by_use(found: list[Standing], material: values.Material) -> None:
    """Sort facts by weight (`projection.brief.weight`), behind those that the task asks for."""
    weight = weights([one.fact for one in found], material.days, material.score)
    score = material.score if material.asks else {}

    def ties(one: Standing) -> tuple[float, int]:
        return -score.get(one.fact.id, 0.0), -weight[one.fact.id]

    found.sort(key=ties)  # equal ones keep their order
    # what a person decided stands before what weighs the same, among those that may find room
    some = [(ties(one), one) for one in found[:_LOOKED_AT]]
    alone = {weight for weight, _ in some if sum([weight == other for other, _ in some]) == 1}

    def behind(one: Standing) -> bool:
        stems = [one.fact.verified, *[head.stem for head in one.fact.heads]]
        return material.rank(max(stems)) > 0

    some.sort(key=lambda pair: (pair[0], pair[0] not in alone and behind(pair[1])))
    found[:_LOOKED_AT] = [one for _, one in some]


def fact_of(item: Standing | values.Stated) -> Fact:
    """Return the fact that a line is about."""
    return item.standing.fact if isinstance(item, values.Stated) else item.fact


def usual_word(sections: Iterable[values.Wanted], known: Callable[[str], str]) -> str:
    """Return how most of the foremost facts are known, but for those of a person: each says so."""
    items = [
        item
        for one in sections
        for item in one.items[:_LOOKED_AT]
        if not isinstance(item, values.News | values.Session)
    ]
    words = [known(fact_of(item).id) for item in items[:_LOOKED_AT]]
    return max((SAID, QUOTED, IMPORTED), key=words.count)
