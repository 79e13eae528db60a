"""Define the values that a brief is made of: what it gathers, its sections and its lines."""

from __future__ import annotations

from ledger.model.record import Record
from ledger.model.task_states import CANCELLED, DONE
from projection.brief.roles import RoleNotes
from projection.document.marks import PLAIN, Mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from projection.document.marks import Gone
    from projection.fold.fact import Fact
    from projection.fold.state import LiveView, Standing

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
    how facts are known whose line says nothing of it.
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
    """What is to be done (`projection.brief.todo`).

    Args:
        handed: open handoffs for who asks, newest first.
        failed: what failed before at the task that the brief is for, or at those that who asks has or is
            handed.
        tasks: open ones, those of who asks first; behind them what holds of the state, then the others.
    """

    handed: tuple[Stated, ...] = ()
    failed: tuple[Stated, ...] = ()
    tasks: tuple[Stated, ...] = ()


class Beside(Record):
    """What another home says (`memory.replay.layers`).

    Args:
        name: of the home, as a reader is told.
        facts: each under the name that it has beside others, most important first.
        personal: it is the user's own.
        fetched: the day on which it was brought here, "" where it lives on this machine.
    """

    name: str
    facts: tuple[Standing, ...]
    personal: bool = False
    fetched: str = ""


if TYPE_CHECKING:
    #: What a line is made of.
    Item = Standing | Stated | News | Session


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
        days: the newest work days, oldest first, as many as `weight` looks at.
        asked_role: the role that asks, as it was said.
        role_chars: how many characters what is for the role may have.
        todo: what is to be done.
        states: what there is to say of the standing of patterns, and of findings that came back, by id.
        deprecated: ids of patterns that did not hold up.
        asks: a task is given; what it asks for goes before all else within its section.
        asked: ids of what it asks for, best first; some stand in a section of their own.
        notes: what facts are to the role that asks; of those of others nothing is shown.
        beside: what other homes say, nearest first.
        known: says how the fact of an id is known, in one word.
        rank: gives the rank of what a log brings: a person's word comes first.
        rests: tells whether a fact rests: so many sessions were shown it since it was used.
        gone: tells what a fact names that the code no longer has; None where nothing is gone.
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
    days: tuple[str, ...] = ()
    asks: bool = False
    asked_role: str = ""
    role_chars: int = 2_000
    todo: Todo = Todo()
    states: Mapping[str, str] = {}
    deprecated: frozenset[str] = frozenset()
    beside: tuple[Beside, ...] = ()
    known: Callable[[str], str] = lambda _: ""
    rank: Callable[[str], int] = lambda _: 0
    rests: Callable[[Fact], bool] = lambda _: False
    asked: tuple[str, ...] = ()
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
