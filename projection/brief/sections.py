"""Sort facts into the sections of a brief.

Also the values that a brief is made of. Pure: the same material gives the same brief. The sections come
in the order of their weight, and within one the weightier lines first; what fits is decided in
`budget`, how it is written in `forms`.
"""

from __future__ import annotations

from ledger.model.record import Record
from projection.brief.roles import NOTE_KINDS, RoleNotes
from projection.brief.weight import weights
from projection.document.marks import PLAIN, Mark
from projection.fold.state import TIERS
from projection.lifecycle.review_threads import is_raised
from projection.policy.model import THREAD_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from projection.fold.fact import Fact
    from projection.fold.state import LiveView, Standing

CONTRADICTIONS, INVARIANTS, CHANGES = "contradictions", "invariants", "changes"
ROLE, THREADS, DECISIONS = "role", "threads", "decisions"
SESSIONS, REST = "sessions", "rest"
#: What happened to a fact. The first four are corrections: they come before everything else that is new.
SUPERSEDED, INVALIDATED, UPDATED, REINSTATED = "superseded", "invalidated", "updated", "reinstated"
BORN, CLOSED, REOPENED = "new", "closed", "reopened"
CORRECTIONS = (SUPERSEDED, INVALIDATED, UPDATED, REINSTATED)
_DECISION_KIND, _INVARIANT_KIND = "decision", "invariant"


class Line(Record):
    """One fact on one line, with its provenance.

    `change` is what happened to it and `by` who says so, "" for nothing new. `kind`, `by` and `text` hold
    nothing that commands or hides. `mark` says whether it is closed or false, and what stands instead.
    """

    id: str
    kind: str
    tier: str
    date: str
    stem: str
    text: str
    change: str = ""
    by: str = ""
    mark: Mark = PLAIN


class Section(Record):
    """Some lines under one title, and how many more there would be."""

    name: str
    title: str
    lines: tuple[Line, ...]
    left_out: int = 0


class Place(Record):
    """Where the ledger stands, and who asks.

    Stems are "" where there is none. `since` counts the logs after the last one of the agent.
    """

    project: str
    logs: int
    sessions: int
    newest: str
    by: str
    agent: str
    last: str
    since: int
    role: str


class Brief(Record):
    """A brief: `text` is all of it as written, and the rest says what stands in it.

    `commit` is what it was read from, "" where nothing is committed yet. `due` says why a review is due,
    "" if none is. `live` and `archived` count the facts that are not shown.
    """

    commit: str
    place: Place
    due: str
    sections: tuple[Section, ...]
    live: int
    archived: int
    nonce: str
    text: str


class News(Record):
    """What a log says happened to a fact since the agent was here.

    Args:
        fact: its id.
        what: one of the words above.
        stem: the log that says so.
        by: its agent.
        now: the fact where it stands now, None while no log has brought a text for it.
        successor: id of what replaces it, "" if nothing does.
        replacing: what stands in its place now, or else that fact; None as above.
        mark: of the fact.
    """

    fact: str
    what: str
    stem: str
    by: str
    now: Standing | None
    successor: str = ""
    replacing: Fact | None = None
    mark: Mark = PLAIN


class Session(Record):
    """What a session did, in short; `said` is its title and its summary."""

    stem: str
    by: str
    said: str


if TYPE_CHECKING:
    #: What a line is made of.
    Item = Standing | News | Session


class Material(Record):
    """All that a brief is made of.

    Args:
        commit: that it is read from.
        view: what is live.
        place: where the ledger stands, and who asks.
        due: why a review is due.
        news: corrections first, then births and closings, each newest first.
        more_news: how many of them are not among these.
        score: how much a fact has to do with the task and what surrounds it, by id.
        found: facts that are not live and that the task is about.
        sessions: the last ones, newest first.
        work: the stems of the newest work logs, oldest first, as many as `weight` looks at.
        asked_role: the role that asks, as it was said.
        role_chars: how many characters what is for the role may have.
        asks: a task is given; what it asks for goes before all else within its section.
        notes: what facts are to the role that asks; of those of others nothing is shown.
    """

    commit: str
    view: LiveView
    place: Place
    due: str
    news: tuple[News, ...]
    more_news: int
    score: Mapping[str, float]
    found: tuple[Standing, ...]
    sessions: tuple[Session, ...] = ()
    notes: RoleNotes = RoleNotes()
    work: tuple[str, ...] = ()
    asks: bool = False
    asked_role: str = ""
    role_chars: int = 2_000


class Wanted(Record):
    """A section with all that it would hold, most important first.

    `total` counts what is not listed here as well.
    """

    name: str
    title: str
    items: tuple[Item, ...]
    total: int


def wanted(material: Material) -> tuple[Wanted, ...]:
    """Sort the material into sections, most important first."""
    role, score, notes = material.place.role, material.score, material.notes
    core: list[Standing] = []
    threads: list[Standing] = []
    decisions: list[Standing] = []
    noted: list[Standing] = []
    rest: list[Standing] = []
    for standing in _by_weight(material):
        fact = standing.fact
        if fact.redacted or fact.contradicted or fact.id in notes.others:
            continue  # nothing of it is shown here, or it stands among the contradictions
        if fact.id in notes.own:
            noted.append(standing)
        if not standing.live:
            rest.append(standing)
        elif fact.kind == THREAD_KIND and not fact.closed:
            threads.append(standing)
        elif standing.tier == "core":
            core.append(standing)
        elif fact.kind == _DECISION_KIND:
            decisions.append(standing)
        elif fact.id not in notes.alone:
            rest.append(standing)
    core.sort(key=lambda one: one.fact.kind != _INVARIANT_KIND)
    threads.sort(key=lambda one: is_raised(one.fact))
    for found in (noted, decisions, rest):
        _by_use(found, material)
    noted.sort(key=lambda one: one.fact.kind not in NOTE_KINDS)
    rest.sort(key=lambda one: one.fact.closed and one.fact.id not in score)
    news = tuple([one for one in material.news if one.fact not in material.notes.others])
    known = "Also known, what is nearest to the task first" if score else "Also known"
    sections = [
        _section(CONTRADICTIONS, "Contradictions: no side wins until somebody decides",
                 _contradicted(material)),
        _section(INVARIANTS, "Invariants", core),
        Wanted(CHANGES, _since(material.place), news, len(news) + material.more_news),
        _section(ROLE, f"For the role {role}", noted),
        _section(THREADS, "Open threads", threads),
        _section(DECISIONS, "Decisions", decisions),
        Wanted(SESSIONS, "The last sessions", material.sessions, len(material.sessions)),
        _section(REST, known, rest),
    ]  # fmt: skip
    return tuple([section for section in sections if section.items])


def _section(name: str, title: str, standings: Iterable[Standing]) -> Wanted:
    items = tuple(standings)
    return Wanted(name, title, items, len(items))


def _since(place: Place) -> str:
    if place.last:
        return "Changed since your last log"
    return "Newest corrections"


def _contradicted(material: Material) -> list[Standing]:
    """Return the contradicted facts where they stand, those in use first."""
    from projection.fold.state import Standing

    view = material.view
    live = {standing.fact.id: standing for standing in view.live}
    facts = [fact for fact in view.contradicted if fact.id not in material.notes.others]
    found = [
        live.get(fact.id) or Standing(fact, "superseded" if fact.false else "archived", "-")
        for fact in facts
    ]
    return sorted(
        [one._replace(fact=fact) for one, fact in zip(found, facts, strict=True)],
        key=lambda one: (not one.live, one.fact.id),
    )


def _by_weight(material: Material) -> list[Standing]:
    """Sort all facts: what the task is about first, then by tier, then the newest, then by id."""
    score, places = material.score, {tier: place for place, tier in enumerate(TIERS)}
    found = [*material.view.live, *material.found]
    found.sort(key=lambda one: one.fact.id)
    found.sort(key=lambda one: one.fact.anchor, reverse=True)  # equal ones keep their order
    if score:
        found.sort(key=lambda one: (-score.get(one.fact.id, 0.0), places[one.tier]))
    else:
        found.sort(key=lambda one: places[one.tier])
    return found


def _by_use(found: list[Standing], material: Material) -> None:
    """Sort facts by weight (`projection.brief.weight`), behind those that the task asks for."""
    score = material.score
    weight = weights([one.fact for one in found], material.work, score)
    if material.asks:
        found.sort(key=lambda one: (-score.get(one.fact.id, 0.0), -weight[one.fact.id]))
    else:
        found.sort(key=lambda one: -weight[one.fact.id])  # equal ones keep their order


def is_correction(news: News) -> bool:
    """Tell whether news say that something the agent may believe does not hold any more."""
    return news.what in CORRECTIONS
