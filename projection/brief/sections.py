"""Sort facts into the sections of a brief, in the order of their weight: same material, same brief.

What a task asks for stands before all. What fits is decided in `budget`, how it is written in `lines`.
"""

from __future__ import annotations

from _bisect import bisect_right

from ledger.model.record import TYPE_CHECKING, Record
from projection.brief import values
from projection.brief.choice import DAYS, NOTE_KINDS, has_left, is_kept, weights
from projection.brief.values import Stated
from projection.document.fact_remarks import Gone, is_behind, is_ended
from projection.fold.fact_history import Fact
from projection.fold.live_view import TIERS, Standing
from projection.fold.testimony import persons_first
from projection.lifecycle.review_due import is_raised
from projection.policy import model as policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: How many facts of a section are looked at for who decided them: more than most briefs have room for.
LOOKED_AT = 24
_INVARIANT = "invariant"
#: The kinds of facts that say how work is done here.
_DECIDED = ("decision", "convention", "stack")
#: How many facts that a task asks for stand before all else, and how many threads are shown that nobody
#: keeps and nothing asks for: those that were named last, since what is done is seldom said.
_ASKED, _THREADS = 12, 3
_PLACES = {tier: place for place, tier in enumerate(TIERS)}


class Wanted(Record):
    """A section with all that it would hold, most important first."""

    name: str
    title: str
    items: tuple[values.Item, ...]
    total: int  #: counts what is not listed here as well
    kinds: tuple[str, ...] = ()  #: of its facts the title says that they are of these


def wanted(material: values.Material, most: int) -> tuple[Wanted, ...]:
    """Sort the material into sections, most important first, with so many of what is plain in each."""
    score, notes, states = material.score, material.notes, material.states
    handed, failed, tasks = todo = _todo(material)
    placed = {one.about.id for part in todo for one in part}
    core, threads, decisions, noted, rest = (list[Stated]() for _ in range(5))
    for standing in (*material.view.live, *material.found):
        fact = standing.fact
        if fact.id in placed or has_left(fact, material.since):
            continue
        if not _is_plain(fact, material) or _is_left_out(fact, material):
            continue
        one = Stated(standing, states.get(fact.id, ""))
        ended = _has_ended(fact, material)
        if fact.id in notes.own and not ended:
            noted.append(one)
        if ended or not standing.live:
            rest.append(one)
        elif fact.kind in (policy.THREAD_KIND, policy.FINDING_KIND) and not fact.closed:
            threads.append(one)
        elif standing.tier == "core":
            core.append(Stated(standing))
        elif fact.kind in _DECIDED:
            decisions.append(Stated(standing))
        elif fact.id not in notes.alone:
            rest.append(one)
    behind = {}
    for name, found in ((values.DECISIONS, decisions), (values.REST, rest)):
        first, behind[name] = _plain(material, most, found is decisions)
        found += first
    for found in (core, threads, noted, decisions, rest):
        _by_weight(found, score)
    core.sort(key=lambda one: one.about.kind != _INVARIANT)
    threads.sort(key=lambda one: (one.about.id not in states, is_raised(one.about)))
    some, held = _few(threads, score), len(threads)
    for found in (noted, decisions, rest):
        _by_use(found, material)
    noted.sort(key=lambda one: one.about.kind not in NOTE_KINDS)
    rest.sort(key=lambda one: one.about.closed and one.about.id not in score)
    news = _news(material, placed)
    changed = "Changed since your last log" if material.place.last else "Newest corrections"
    sections = [
        _section(values.ASKED, "For this task", _asked(material, todo)),
        _section(values.PASSAGES, "Said before on this task", material.passages),
        _section(values.CONTRADICTIONS, "Contradictions: no side wins until somebody decides",
                 _contradicted(material)),
        _section(values.INVARIANTS, "Invariants", core, _INVARIANT),
        *[_beside(one) for one in material.beside],
        _section(values.HANDED, "Handed to you", handed, policy.HANDOFF_KIND),
        Wanted(values.CHANGES, changed, news, len(news) + material.more_news),
        _section(values.ROLE, f"For the role {material.place.role}", noted),
        _section(values.ATTEMPTS, "Failed before", failed, policy.ATTEMPT_KIND),
        _section(values.TASKS, _tasks_title(tasks), tasks, policy.TASK_KIND),
        Wanted(values.THREADS, "Open threads", some, held, (policy.THREAD_KIND,)),
        _section(values.DECISIONS, "Decisions, conventions, stack", decisions, *_DECIDED),
        _section(values.AGAIN, "Asked for again and again", material.again),
        _section(values.SESSIONS, "Lately", material.sessions),
        _section(values.REST, "Also known", rest),
    ]  # fmt: skip
    return tuple([_seen(one, material, behind.get(one.name, ())) for one in sections if one.items])


def _few(threads: Iterable[Stated], score: Mapping[str, float]) -> tuple[Stated, ...]:
    """Leave out the threads behind the first few that nobody keeps and nothing asks for."""
    found, free = [], 0
    for one in threads:
        fact = one.about
        plain = fact.kind == policy.THREAD_KIND and not (is_kept(fact) or fact.id in score)
        free += plain
        if not plain or free <= _THREADS:
            found.append(one)
    return tuple(found)


def _section(name: str, title: str, found: Iterable[values.Item], *kinds: str) -> Wanted:
    items = tuple(found)
    return Wanted(name, title, items, len(items), kinds)


def _tasks_title(tasks: Iterable[Stated]) -> str:
    states = {one.about.kind == policy.STATE_KIND for one in tasks}
    return "Tasks and state" if len(states) > 1 else "State" if True in states else "Tasks"


def _beside(home: values.Beside) -> Wanted:
    """Return the section of another home."""
    facts = map(Stated, home.facts)
    if home.personal:
        return _section(values.YOURS, f"{values.YOURS_TITLE} {values.YOURS_FLAG}", facts)
    title = f"Invariants of {home.name}, fetched {home.fetched}"
    return _section(f"{values.UPSTREAM} {home.name}", title, facts, _INVARIANT)


def _seen(section: Wanted, material: values.Material, rows: Sequence[values.Row]) -> Wanted:
    """Let what names nothing that is gone stand first; behind the first of `rows` are others."""
    order = list(section.items)
    if material.gone is not None:
        gone = {id(one): gone_of(one, material) for one in order}
        order.sort(key=lambda one: (is_ended(gone[id(one)]), is_behind(gone[id(one)])))
    if len(rows) > 1:
        last = next(one for one in order if one.about and one.about.id == rows[0][0])
        order = order[: order.index(last) + 1]
    return section._replace(items=tuple(order), total=section.total + max(len(rows) - 1, 0))


def gone_of(item: values.Item, material: values.Material) -> tuple[Gone, ...]:
    """Return what a fact names that the code no longer has; what happened to one says nothing of it."""
    return material.gone(item.about) if material.gone is not None and item.about else ()


def _has_ended(fact: Fact, material: values.Material) -> bool:
    """Tell whether a commit or a day ended a fact, as its footer says."""
    return material.gone is not None and is_ended(material.gone(fact))


def _is_plain(fact: Fact, material: values.Material) -> bool:
    """Tell whether a fact is shown here, and does not stand among the contradictions."""
    return not (fact.redacted or fact.contradicted or fact.id in material.notes.others)


def _is_left_out(fact: Fact, material: values.Material) -> bool:
    """Tell whether a fact is for nobody who reads a brief: a question, over, or not worth its place."""
    if fact.kind == policy.ATTEMPT_KIND:
        return not (material.asks and fact.id in material.score)
    if fact.kind == policy.FINDING_KIND:
        return fact.closed
    if fact.kind == policy.PATTERN_KIND:
        return fact.id in material.deprecated
    return fact.kind in (policy.QUESTION_KIND, policy.HANDOFF_KIND)


def _todo(material: values.Material) -> tuple[tuple[Stated, ...], ...]:
    """Return what is to be done, without what is not shown and what stands among the contradictions."""
    return tuple(
        tuple([one for one in part if _is_plain(one.about, material)
               and not _has_ended(one.about, material)])
        for part in material.todo
    )  # fmt: skip


def _asked(material: values.Material, todo: Iterable[Iterable[Stated]]) -> list[Stated]:
    """Return what the task asks for, best first, as far as it stands before all else."""
    known = {one.fact.id: one for one in (*material.view.live, *material.found)}
    done = {one.about.id: one for part in todo for one in part}
    found: list[Stated] = []
    for id in material.asked:
        fact = known[id].fact if id in known else None
        if id in done and done[id].about.kind != policy.HANDOFF_KIND:
            found.append(done[id])
        elif fact and _is_plain(fact, material):
            if not (_is_left_out(fact, material) or _has_ended(fact, material)):
                found.append(Stated(known[id], material.states.get(id, "")))
        if len(found) == _ASKED:
            break
    return found


def _news(material: values.Material, placed: set[str]) -> tuple[values.News, ...]:
    """Return what changed, without what is not shown, and what is new in a section of its own."""
    hidden = material.notes.others | material.deprecated
    found = [
        one
        for one in material.news
        if not (one.fact in hidden or (one.now and has_left(one.now.fact, material.since)))
    ]
    own = material.notes.alone | placed
    own |= {one.fact for one in found if one.now and one.now.fact.kind == policy.HANDOFF_KIND}
    return tuple([one for one in found if one.what != values.BORN or one.fact not in own])


def _contradicted(material: values.Material) -> list[Stated]:
    """Return the contradicted facts where they stand, those in use first."""
    live = {standing.fact.id: standing for standing in material.view.live}
    found = []
    for fact in material.view.contradicted:
        if fact.id not in material.notes.others:
            there = live.get(fact.id) or Standing(
                fact, "superseded" if fact.false else "archived", "-"
            )
            found.append(there._replace(fact=persons_first(fact, material.rank)))
    score = material.score
    found.sort(key=lambda one: (-score.get(one.fact.id, 0.0), not one.live, one.fact.id))
    said: list[Stated] = []
    for one in found:
        sides = [side for id, side in material.sides if id == one.fact.id]
        said += [Stated(one), *[Stated(side, f"instead of {one.fact.id}?") for side in sides]]
    return said


def _by_weight(found: list[Stated], score: Mapping[str, float]) -> None:
    """Sort facts: what the task is about first, then by tier, then the newest, then by id."""
    found.sort(key=lambda one: one.about.id)
    found.sort(key=lambda one: one.about.anchor, reverse=True)  # equal ones keep their order
    found.sort(key=lambda one: (-score.get(one.about.id, 0.0), _PLACES[one.standing.tier]))


def _plain(
    material: values.Material, most: int, decided: bool
) -> tuple[list[Stated], list[values.Row]]:
    """Return so many plain facts, as both sort them; where there are more, the last and those behind."""
    rows = sorted([row for row in material.plain if (row[2] in _DECIDED) == decided])
    rows.sort(key=lambda row: row[3], reverse=True)
    days, known = material.days, {row[3][:10] for row in rows}
    ages = {day: min(len(days) - bisect_right(days, day), DAYS) for day in known}
    rows.sort(key=lambda row: (ages[row[3][:10]], _PLACES[row[4]]))
    read = [(material.read(*row[:2]), row[4]) for row in rows[:most]]
    return [Stated(Standing(fact, tier)) for fact, tier in read if fact], rows[most - 1 :]


def _by_use(found: list[Stated], material: values.Material) -> None:
    """Sort facts by weight, behind those that the task asks for; of equals a person's word goes first."""
    weight = weights([one.about for one in found], material.days, material.score)
    score = material.score if material.asks else {}

    def ties(one: Stated) -> tuple[float, int]:
        return -score.get(one.about.id, 0.0), -weight[one.about.id]

    found.sort(key=ties)  # equal ones keep their order
    some = found[:LOOKED_AT]
    known = [ties(one) for one in some]

    def behind(one: Stated) -> bool:
        stems = [one.about.verified, *[head.stem for head in one.about.heads]]
        return known.count(ties(one)) > 1 and material.rank(max(stems)) > 0

    found[:LOOKED_AT] = sorted(some, key=lambda one: (ties(one), behind(one)))
