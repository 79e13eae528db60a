"""Define the values that a brief is made of: what it gathers, its items, its lines, its sections."""

from __future__ import annotations

from ledger.model.event import (
    FactCreated,
    FactInvalidated,
    FactMoved,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactWithdrawn,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.verbs import CANCELLED, DONE
from projection.document.fact_remarks import PLAIN, Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from ledger.model.event import Event
    from ledger.model.session import Entry
    from projection.document.fact_remarks import Gone
    from projection.fold.fact_history import Fact
    from projection.fold.live_view import LiveView, Standing

CONTRADICTIONS, INVARIANTS, CHANGES = "contradictions", "invariants", "changes"
ASKED, HANDED, ATTEMPTS, TASKS = "asked", "handed", "attempts", "tasks"
ROLE, THREADS, DECISIONS = "role", "threads", "decisions"
PASSAGES, AGAIN, SESSIONS, REST = "passages", "again", "sessions", "rest"
#: What other homes say: the user's own, and in a section each those upstream.
YOURS, UPSTREAM = "yours", "upstream"
#: What stands above a person's own facts, and how a command names their home.
YOURS_TITLE, YOURS_FLAG = "Yours, in no shared memory", "(`--home personal`)"
#: What happened to a fact. What corrects it comes before everything else that is new.
SUPERSEDED, INVALIDATED, UPDATED, REINSTATED = "superseded", "invalidated", "updated", "reinstated"
BORN, CLOSED, REOPENED, RESTORED = "new", "closed", "reopened", "restored"
CORRECTIONS = (SUPERSEDED, INVALIDATED, UPDATED, REINSTATED, RESTORED)
#: What closes a thread or a task; the last two are the states of a task that close it.
CLOSINGS = (CLOSED, DONE, CANCELLED)
_WHAT: dict[type[Event], str] = {
    FactSuperseded: SUPERSEDED, FactInvalidated: INVALIDATED, FactUpdated: UPDATED,
    FactReinstated: REINSTATED, FactWithdrawn: RESTORED, FactCreated: BORN, ThreadClosed: CLOSED,
    ThreadReopened: REOPENED,
}  # fmt: skip
NOBODY: frozenset[str] = frozenset()


class Line(Record):
    """One fact on one line, with its provenance; its words hold nothing that commands or hides."""

    id: str
    kind: str
    tier: str
    date: str
    stem: str
    text: str
    change: str = ""  #: what happened to it, and `by` who says so; "" for nothing new
    by: str = ""
    state: str = ""  #: how far a task, a pattern or the like has come
    known: str = ""  #: how the fact is known
    #: whether it is closed, false or names what is gone, and what stands instead
    mark: Mark = PLAIN
    cut: bool = False  #: the fact says more than `text`
    title: bool = False  #: its footer calls it so


class Section(Record):
    """Some lines under one title, and how many more there would be."""

    name: str
    title: str
    lines: tuple[Line, ...]
    left_out: int = 0


class Place(Record):
    """Where the ledger stands, and who asks; stems are "" where there is none."""

    project: str
    logs: int
    sessions: int
    newest: str
    by: str
    agent: str
    last: str
    since: int  #: how many logs came after the last one of the agent
    role: str
    known: str = ""  #: how facts are known whose line says nothing of it
    here: str = ""  #: what is elsewhere and has no line
    day: str = ""  #: of the newest log, by its writer's clock
    latest: str = "~"  #: the latest stamp that is believed


class Brief(Record):
    """A brief: `text` is all of it as written, and the rest says what stands in it."""

    commit: str  #: that it was read from, "" where nothing is committed yet
    place: Place
    due: str  #: why a review is due, "" if none is
    sections: tuple[Section, ...]
    live: int  #: so many facts are not shown, and so many archived ones
    archived: int
    nonce: str
    text: str
    also: tuple[str, ...] = ()  #: some of these, of which the first `rests` rest
    rests: int = 0


class News(Record):
    """What a log says happened to a fact since the agent was here."""

    fact: str  #: its id
    what: str  #: one of the words above
    stem: str  #: the log that says so
    by: str  #: its agent
    #: the fact where it stands now, None while no log has brought a text for it
    now: Standing | None = None
    successor: str = ""  #: id of what replaces it, "" if nothing does
    replacing: Fact | None = None  #: what stands in its place now, or else that fact; None as above
    mark: Mark = PLAIN  #: of the fact


class Session(Record):
    """What a session was asked for and came to; without a `stem` an ask of several, or a passage."""

    stem: str
    by: str
    said: str
    day: str
    kind: str = "session"


class Stated(Record):
    """A fact with what there is to say of its state, and who left it; "" for nothing."""

    standing: Standing
    state: str = ""
    by: str = ""

    @property
    def about(self) -> Fact:
        """The fact."""
        return self.standing.fact


if TYPE_CHECKING:
    #: What a line is made of.
    Item = Stated | News | Session


class Todo(Record):
    """What is to be done (`projection.brief.choice`)."""

    handed: tuple[Stated, ...] = ()  #: open handoffs for who asks, newest first
    #: what failed before at the task that the brief is for, or at those that who asks has or is handed
    failed: tuple[Stated, ...] = ()
    #: open ones, those of who asks first; behind them what holds of the state, then the others
    tasks: tuple[Stated, ...] = ()


class Beside(Record):
    """What another home says (`memory.replay.upstream_homes`)."""

    name: str  #: of the home, as a reader is told
    facts: tuple[Standing, ...]  #: each under the name that it has beside others, weightiest first
    personal: bool = False  #: it is the user's own
    fetched: str = ""  #: the day on which it was brought here, "" where it lives on this machine


class RoleNotes(Record):
    """What some facts are to the role that asks, by id."""

    own: frozenset[str] = NOBODY  #: for it: by footer, by tag, or as notes of its logs
    alone: frozenset[str] = NOBODY  #: those among them whose footer names it
    others: frozenset[str] = NOBODY  #: not for it


class Material(Record):
    """All that a brief is made of."""

    commit: str  #: that it is read from
    view: LiveView  #: what is live, but for what is plain
    place: Place
    due: str  #: why a review is due
    news: tuple[News, ...]  #: corrections first, then births and closings, each newest first
    more_news: int  #: how many of them are not among these
    #: how much a fact has to do with the task and what surrounds it, by id
    score: Mapping[str, float]
    found: tuple[Standing, ...]  #: facts that are not live and that the task is about
    #: by section how many plain facts are live, and these: `working` ones, and others, each newest first
    plain: Mapping[str, tuple[int, Iterator[Stated], Iterator[Stated]]]
    are_plain: Callable[[set[str]], Collection[str]]  #: gives those of some ids
    sessions: tuple[Session, ...] = ()  #: the last ones, newest first
    notes: RoleNotes = RoleNotes()
    days: tuple[str, ...] = ()  #: the newest work days, oldest first, as many as `weights` looks at
    asks: bool = False  #: a task is given; what it asks for goes before all else within its section
    role_chars: int = 2_000  #: how many characters what is for the role may have
    todo: Todo = Todo()
    states: Mapping[str, str] = {}  #: of patterns, and of findings that came back, by id
    deprecated: frozenset[str] = NOBODY  #: ids of patterns that did not hold up
    beside: tuple[Beside, ...] = ()  #: what other homes say, nearest first
    known: Callable[[str], str] = lambda _: ""  #: says how the fact of an id is known, in one word
    rank: Callable[[str], int] = lambda _: 0  #: of what a log brings: a person's word comes first
    #: many sessions were shown it since it was used
    rests: Callable[[Fact], bool] = lambda _: False
    asked: tuple[str, ...] = ()  #: ids of what it asks for, best first
    #: what a fact names that the code has not
    gone: Callable[[Fact], tuple[Gone, ...]] | None = None
    again: tuple[Session, ...] = ()  #: what a person asked for in several sessions
    passages: tuple[Session, ...] = ()  #: of logs, for a task that no fact answers
    since: str = ""  #: what threads have to be named behind (`projection.brief.choice.quiet_since`)
    #: ids of contradicted facts, each with another fact that is a side of it
    sides: tuple[tuple[str, Standing], ...] = ()


def happened(entries: Iterable[Entry]) -> tuple[list[News], list[News]]:
    """Return the corrections and the other news in some logs, newest first as the logs come.

    Of a fact the newest correction counts, else the newest of the rest; what replaces another fact is no
    news of its own.
    """
    corrections: dict[str, News] = {}
    others: dict[str, News] = {}
    replacing: set[str] = set()
    for entry in entries:
        for event in entry.acts:
            what = _WHAT.get(type(event), "")
            if isinstance(event, FactMoved):  # an open task says itself where it stands
                what = event.state if event.state in CLOSINGS else ""
            if not what or (isinstance(event, FactCreated | FactUpdated) and event.text is None):
                continue
            successor = event.new if isinstance(event, FactSuperseded) else ""
            replacing.add(successor)
            into = corrections if what in CORRECTIONS else others
            into.setdefault(
                event.id, News(event.id, what, entry.stem, entry.agent, successor=successor)
            )
    passed = replacing.union(corrections)
    return list(corrections.values()), [one for id, one in others.items() if id not in passed]
