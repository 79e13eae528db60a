"""Define the values that a brief is made of: what it gathers, its sections and its lines."""

from __future__ import annotations

from ledger.model.record import Record
from ledger.model.task_states import CANCELLED, DONE
from projection.brief.role_choice import RoleNotes
from projection.document.fact_remarks import PLAIN, Mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from projection.document.fact_remarks import Gone
    from projection.fold.fact_history import Fact
    from projection.fold.projection_state import LiveView, Standing

CONTRADICTIONS, INVARIANTS, CHANGES = "contradictions", "invariants", "changes"
ASKED, HANDED, ATTEMPTS, TASKS = "asked", "handed", "attempts", "tasks"
ROLE, THREADS, DECISIONS = "role", "threads", "decisions"
SESSIONS, REST = "sessions", "rest"
#: What other homes say (`memory.replay.layers`): the user's own, and in a section each those upstream.
YOURS, UPSTREAM = "yours", "upstream"
#: What stands above a person's own facts, and how a command names their home.
YOURS_TITLE, YOURS_FLAG = "Yours, in no shared memory", "(`--home personal`)"
#: What happened to a fact. The first four are corrections: they come before everything else that is new.
SUPERSEDED, INVALIDATED, UPDATED, REINSTATED = "superseded", "invalidated", "updated", "reinstated"
BORN, CLOSED, REOPENED = "new", "closed", "reopened"
#: What closes a thread or a task; the others are the states of a task that close it.
CLOSINGS = (CLOSED, DONE, CANCELLED)
CORRECTIONS = (SUPERSEDED, INVALIDATED, UPDATED, REINSTATED)


class Line(Record):
    """One fact on one line, with its provenance.

    `change` is what happened to it and `by` who says so, "" for nothing new. `kind`, `by` and `text` hold
    nothing that commands or hides. `state` says how far a task, a pattern or the like has come, `known`
    how the fact is known. `mark` says whether it is closed, false or names what is gone, and what stands
    instead. `cut` tells that the fact says more than `text`, `title` that its footer calls it so.
    """

    id: str
    kind: str
    tier: str
    date: str
    stem: str
    text: str
    change: str = ""
    by: str = ""
    state: str = ""
    known: str = ""
    mark: Mark = PLAIN
    cut: bool = False
    title: bool = False


class Section(Record):
    """Some lines under one title, and how many more there would be."""

    name: str
    title: str
    lines: tuple[Line, ...]
    left_out: int = 0


class Place(Record):
    """Where the ledger stands, and who asks.

    Stems are "" where there is none. `since` counts the logs after the last one of the agent. `known` says
    how facts are known whose line says nothing of it, `here` what is elsewhere and has no line.
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
    known: str = ""
    here: str = ""


class Brief(Record):
    """A brief: `text` is all of it as written, and the rest says what stands in it.

    `commit` is what it was read from, "" where nothing is committed yet. `due` says why a review is due,
    "" if none is. `live` and `archived` count the facts that are not shown; `also` names some of them, of
    which the first `rests` rest.
    """

    commit: str
    place: Place
    due: str
    sections: tuple[Section, ...]
    live: int
    archived: int
    nonce: str
    text: str
    also: tuple[str, ...] = ()
    rests: int = 0


class News(Record):
    """What a log says happened to a fact since the agent was here."""

    fact: str  #: its id
    what: str  #: one of the words above
    stem: str  #: the log that says so
    by: str  #: its agent
    #: the fact where it stands now, None while no log has brought a text for it
    now: Standing | None
    successor: str = ""  #: id of what replaces it, "" if nothing does
    replacing: Fact | None = None  #: what stands in its place now, or else that fact; None as above
    mark: Mark = PLAIN  #: of the fact


class Session(Record):
    """What a session came to; `said` is the title of its log and the beginning of its last report."""

    stem: str
    by: str
    said: str


class Stated(Record):
    """A fact with what there is to say of its state, and who left it; "" for nothing."""

    standing: Standing
    state: str
    by: str = ""


class Todo(Record):
    """What is to be done (`projection.brief.work_choice`)."""

    handed: tuple[Stated, ...] = ()  #: open handoffs for who asks, newest first
    #: what failed before at the task that the brief is for, or at those that who asks has or is
    #: handed
    failed: tuple[Stated, ...] = ()
    #: open ones, those of who asks first; behind them what holds of the state, then the others
    tasks: tuple[Stated, ...] = ()


class Beside(Record):
    """What another home says (`memory.replay.layers`)."""

    name: str  #: of the home, as a reader is told
    #: each under the name that it has beside others, most important first
    facts: tuple[Standing, ...]
    personal: bool = False  #: it is the user's own
    fetched: str = ""  #: the day on which it was brought here, "" where it lives on this machine


if TYPE_CHECKING:
    #: What a line is made of.
    Item = Standing | Stated | News | Session


class Material(Record):
    """All that a brief is made of."""

    commit: str  #: that it is read from
    view: LiveView  #: what is live
    place: Place  #: where the ledger stands, and who asks
    due: str  #: why a review is due
    news: tuple[News, ...]  #: corrections first, then births and closings, each newest first
    more_news: int  #: how many of them are not among these
    #: how much a fact has to do with the task and what surrounds it, by id
    score: Mapping[str, float]
    found: tuple[Standing, ...]  #: facts that are not live and that the task is about
    sessions: tuple[Session, ...] = ()  #: the last ones, newest first
    #: what facts are to the role that asks; of those of others nothing is shown
    notes: RoleNotes = RoleNotes()
    days: tuple[str, ...] = ()  #: the newest work days, oldest first, as many as `weight` looks at
    asks: bool = False  #: a task is given; what it asks for goes before all else within its section
    asked_role: str = ""  #: the role that asks, as it was said
    role_chars: int = 2_000  #: how many characters what is for the role may have
    todo: Todo = Todo()  #: what is to be done
    #: what there is to say of the standing of patterns, and of findings that came back, by id
    states: Mapping[str, str] = {}
    deprecated: frozenset[str] = frozenset()  #: ids of patterns that did not hold up
    beside: tuple[Beside, ...] = ()  #: what other homes say, nearest first
    known: Callable[[str], str] = lambda _: ""  #: says how the fact of an id is known, in one word
    #: gives the rank of what a log brings: a person's word comes first
    rank: Callable[[str], int] = lambda _: 0
    #: tells whether a fact rests: so many sessions were shown it since it was used
    rests: Callable[[Fact], bool] = lambda _: False
    #: ids of what it asks for, best first; some stand in a section of their own
    asked: tuple[str, ...] = ()
    #: tells what a fact names that the code no longer has; None where nothing is gone
    gone: Callable[[Fact], tuple[Gone, ...]] | None = None


class Wanted(Record):
    """A section with all that it would hold, most important first.

    `total` counts what is not listed here as well. Of facts of `kinds` the title says that they are.
    """

    name: str
    title: str
    items: tuple[Item, ...]
    total: int
    kinds: tuple[str, ...] = ()
