"""Sort facts into the sections of a brief, in the order of their weight: same material, same brief.

What a task asks for stands before all. What fits is decided in `budget`, how it is written in `lines`.
"""

from __future__ import annotations

from ledger.model.record import TYPE_CHECKING
from projection.brief import values
from projection.brief.choice import NOTE_KINDS, has_left, is_kept, weights
from projection.brief.values import Stated
from projection.document.fact_remarks import Gone, is_behind, is_ended
from projection.fold.fact_history import Fact
from projection.fold.live_view import TIERS, Standing
from projection.fold.testimony import persons_first
from projection.policy import model as policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: How many facts of a section are looked at for who decided them: more than most briefs have room for.
LOOKED_AT = 24
_INVARIANT = "invariant"
#: The sections of facts that are sorted by use, and may rest.
BY_USE = (values.ROLE, values.DECISIONS, values.REST)
#: How many facts that a task asks for stand before all else, and how many threads are shown that nobody
#: keeps and nothing asks for: those that were named last, since what is done is seldom said.
_ASKED, _THREADS = 12, 3
_PLACES = {tier: place for place, tier in enumerate(TIERS)}


class Part:
    """A section: all that it would hold, most important first, and what was taken of it so far."""

    def __init__(
        self, name: str, title: str, items: Iterable[values.Item], total: int, *kinds: str
    ) -> None:
        self.name, self.title, self.total, self.kinds = name, title, total, kinds
        self.items = iter(items)  # each is read when it is asked for; `total` counts others as well
        self._read: list[values.Item] = []
        self.lines: list[tuple[values.Line, str, values.Item]] = []  # each as written, and of what
        self.next = self.used = 0
        self.done = self.cut = False

    def item(self, nth: int) -> values.Item | None:
        """Return the nth item, None behind the last."""
        while len(self._read) <= nth and (found := next(self.items, None)):
            self._read.append(found)
        return self._read[nth] if nth < len(self._read) else None


def wanted(material: values.Material) -> list[Part]:
    """Sort the material into sections, most important first."""
    score, notes, states = material.score, material.notes, material.states
    handed, failed, tasks = todo = _todo(material)
    placed = {one.about.id for part in todo for one in part}
    core, threads, decisions, noted, rest = (list[Stated]() for _ in range(5))
    standings = sorted((*material.view.live, *material.found), key=lambda one: one.fact.id)
    standings.sort(key=lambda one: one.fact.anchor, reverse=True)  # equal ones keep their order
    standings.sort(key=lambda one: (-score.get(one.fact.id, 0.0), _PLACES[one.tier]))
    for standing in standings:
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
        elif fact.kind in policy.DECIDED_KINDS:
            decisions.append(Stated(standing))
        elif fact.id not in notes.alone:
            rest.append(one)
    core.sort(key=lambda one: one.about.kind != _INVARIANT)
    threads.sort(key=lambda one: (one.about.id not in states, one.about.raised))
    some, held = _few(threads, score), len(threads)
    news = _news(material, placed)
    are_states = [one.about.kind == policy.STATE_KIND for one in tasks]
    sorts = any(are_states) and 2 - all(are_states)
    changed = "Changed since your last log" if material.place.last else "Newest corrections"
    sections = [
        _section(values.ASKED, "For this task", _asked(material, todo)),
        _section(values.PASSAGES, "Said before on this task", material.passages),
        _section(values.CONTRADICTIONS, "Contradictions: no side wins until somebody decides",
                 _contradicted(material)),
        _section(values.INVARIANTS, "Invariants", core, _INVARIANT),
        *[_beside(one) for one in material.beside],
        _section(values.HANDED, "Handed to you", handed, policy.HANDOFF_KIND),
        Part(values.CHANGES, changed, news, len(news) and len(news) + material.more_news),
        _section(values.ROLE, f"For the role {material.place.role}", noted),
        _section(values.ATTEMPTS, "Failed before", failed, policy.ATTEMPT_KIND),
        _section(values.TASKS, ("Tasks", "State", "Tasks and state")[sorts], tasks, policy.TASK_KIND),
        Part(values.THREADS, "Open threads", some, held, policy.THREAD_KIND),
        _section(values.DECISIONS, "Decisions, conventions, stack", decisions, *policy.DECIDED_KINDS),
        _section(values.AGAIN, "Asked for again and again", material.again),
        _section(values.SESSIONS, "Lately", material.sessions),
        _section(values.REST, "Also known", rest),
    ]  # fmt: skip
    for part in sections:
        count, *plain = material.plain.get(part.name, (0,))
        part.total += count
        items = _by_use(part.items, plain, material) if part.name in BY_USE else part.items
        part.items = _seen(items, part.name, material)
    return [part for part in sections if part.total]


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


def _section(name: str, title: str, found: Iterable[values.Item], *kinds: str) -> Part:
    items = tuple(found)
    return Part(name, title, items, len(items), *kinds)


def _beside(home: values.Beside) -> Part:
    """Return the section of another home."""
    facts = map(Stated, home.facts)
    if home.personal:
        return _section(values.YOURS, f"{values.YOURS_TITLE} {values.YOURS_FLAG}", facts)
    title = f"Invariants of {home.name}, fetched {home.fetched}"
    return _section(f"{values.UPSTREAM} {home.name}", title, facts, _INVARIANT)


def _seen(
    items: Iterable[values.Item], name: str, material: values.Material
) -> Iterator[values.Item]:
    """Yield what names nothing that is gone first, and within that what is closed last."""
    if material.gone is None and name not in (values.ROLE, values.REST):
        yield from items
        return
    late = []
    for one in items:
        gone, fact = gone_of(one, material), one.about if isinstance(one, Stated) else None
        last = fact and name == values.ROLE and fact.kind not in NOTE_KINDS
        if fact and name == values.REST:
            last = fact.closed and fact.id not in material.score
        if last or (gone and is_behind(gone)):
            late.append(((is_ended(gone), is_behind(gone), bool(last)), one))
        else:
            yield one
    yield from [one for _, one in sorted(late, key=lambda row: row[0])]


def gone_of(item: values.Item, material: values.Material) -> tuple[Gone, ...]:
    """Return what a fact names that the code no longer has; what happened to one says nothing of it."""
    return material.gone(item.about) if material.gone and isinstance(item, Stated) else ()


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
    own = (
        material.notes.alone
        | placed
        | {one.fact for one in found if one.now and one.now.fact.kind == policy.HANDOFF_KIND}
    )
    return tuple([one for one in found if one.what != values.BORN or one.fact not in own])


def _contradicted(material: values.Material) -> list[Stated]:
    """Return the contradicted facts where they stand, those in use first."""
    live = {standing.fact.id: standing for standing in material.view.live}
    found = []
    for fact in material.view.contradicted:
        if fact.id not in material.notes.others:
            there = live.get(fact.id) or Standing(fact, ("archived", "superseded")[fact.false], "-")
            found.append(there._replace(fact=persons_first(fact, material.rank)))
    found.sort(key=lambda one: (-material.score.get(one.fact.id, 0.0), not one.live, one.fact.id))
    said: list[Stated] = []
    for one in found:
        sides = [side for id, side in material.sides if id == one.fact.id]
        said += [Stated(one), *[Stated(side, f"instead of {one.fact.id}?") for side in sides]]
    return said


def _by_use(
    items: Iterable[values.Item], plain: Iterable[Iterator[Stated]], material: values.Material
) -> Iterator[Stated]:
    """Yield facts by weight, behind those that the task asks for; of equals a person's word goes first.

    They are facts that are sorted by what they are about, tier, age and id, and so is each of `plain`.
    """
    from heapq import merge

    found = [one for one in items if isinstance(one, Stated)]
    score = material.score if material.asks else {}
    weight = weights([one.about for one in found], material.days, material.score)

    def ties(one: Stated) -> tuple[float, int]:
        fact = one.about
        if fact.id not in weight:  # a plain one, which nothing asks for
            weight.update(weights([fact], material.days, {}))
        return -score.get(fact.id, 0.0), -weight[fact.id]

    def told(one: Stated) -> str:
        return max(one.about.verified, *[head.stem for head in one.about.heads])

    def place(one: Stated) -> tuple[object, ...]:
        newest = *[-ord(char) for char in one.about.anchor], 1
        return *ties(one), _PLACES[one.standing.tier], newest, one.about.id

    merged = merge(sorted(found, key=ties), *plain, key=place)
    first = [one for _, one in zip(range(LOOKED_AT), merged, strict=False)]
    yield from sorted(first, key=lambda one: (ties(one), material.rank(told(one)) > 0))
    yield from merged
