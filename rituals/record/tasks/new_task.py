"""Add a task, and beside it the facts that serve it: acceptance criteria, questions and risks."""

from __future__ import annotations

from ledger.errors import DraftRefused, WrongUsage
from ledger.model.findings import Finding
from ledger.model.record import Record
from ledger.model.session import EDIT
from memory.write.draft import ANYWAY
from projection.brief.wording import shortened
from projection.policy.model import DEFAULT_KIND, TASK_KIND, THREAD_KIND
from rituals.record.draft_composer import draft_of_request, free_id, taken_in, words_for
from rituals.record.request import NewFact, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from memory.write.draft import SessionDraft

_TITLE_CHARS = 90


class Author(Record):
    """Who records; "" for what the process says by itself."""

    agent: str = ""  #: the name
    role: str = ""  #: that they work in
    host: str = ""  #: the program
    session: str = ""  #: the host's session

    def header(self) -> tuple[tuple[str, str], ...]:
        """Return what of it stands in the header of a log beside the agent."""
        said = (("role", self.role), ("host", self.host), ("session", self.session))
        return tuple([pair for pair in said if pair[1]])

    def signed(self, request: Request) -> Request:
        """Put the author into a request."""
        return request._replace(
            agent=self.agent, role=self.role, host=self.host, session=self.session
        )


class NewTask(Record):
    """A task to be added; "" and () stand for not said."""

    text: str  #: what is to be done
    id: str = ""  #: of the fact; else one is made
    priority: str = ""  #: high, medium or low
    owner: str = ""  #: whom it is meant for
    goal: str = ""  #: what it is good for
    workstream: str = ""  #: that it is part of
    depends: tuple[str, ...] = ()  #: ids of what comes first
    serves: tuple[str, ...] = ()  #: ids of what it is done for
    criteria: tuple[str, ...] = ()  #: when it is done: a fact each, tagged `criterion`
    questions: tuple[str, ...] = ()  #: a thread each
    risks: tuple[str, ...] = ()  #: a fact each, tagged `risk`


def adding(
    memory: Memory, new: NewTask, author: Author, *, anyway: bool = False
) -> tuple[SessionDraft, tuple[Finding, ...]]:
    """Make the draft of a log that adds a task; say what is odd about it.

    `anyway` says that ids that nobody knows are meant.

    Raises:
        DraftRefused: it names something that nobody knows.
    """
    if not anyway:
        new = new._replace(
            depends=tuple(map(memory.named, new.depends)),
            serves=tuple(map(memory.named, new.serves)),
        )
        _refuse_unknown(memory, (*new.depends, *new.serves))
    try:
        id = new.id or free_id(new.text, set(), taken_in(memory), {}, words_for(memory))
    except WrongUsage as problem:
        raise WrongUsage(problem.message, hint="name one: `--id my-id`") from None
    said = (
        ("serves", ", ".join(new.serves)), ("priority", new.priority), ("owner", new.owner),
        ("goal", new.goal), ("workstream", new.workstream), ("depends", ", ".join(new.depends)),
    )  # fmt: skip
    task = NewFact(new.text, id, TASK_KIND, footers=tuple([pair for pair in said if pair[1]]))
    serves = (("serves", id),)
    beside = [
        NewFact(text, kind=kind, tags=tags, footers=serves)
        for texts, kind, tags in (
            (new.criteria, DEFAULT_KIND, ("criterion",)),
            (new.questions, THREAD_KIND, ()),
            (new.risks, DEFAULT_KIND, ("risk",)),
        )
        for text in texts
    ]
    first = " ".join(new.text.split())
    request = Request(f"Task: {shortened(first, _TITLE_CHARS)}", new=(task, *beside), anyway=anyway)
    draft, odd = draft_of_request(memory, author.signed(request))
    if not (author.session or memory.occasion().session):
        draft = draft._replace(
            type=EDIT
        )  # who plans moves no clock; in a session it is part of that
    return draft if new.id else draft._replace(made=(id, *draft.made)), odd


def _refuse_unknown(memory: Memory, ids: tuple[str, ...]) -> None:
    cache = memory.cache()
    wrong = [id for id in dict.fromkeys(ids) if cache.fact(id) is None]
    if wrong:
        near = [(id, memory.near_hint(id)) for id in wrong]
        raise DraftRefused(
            tuple(
                Finding(
                    "unknown-id",
                    f"there is no fact {id}",
                    hint=f"{hint}{' ' if hint.endswith('?') else '; '}{ANYWAY}",
                )
                for id, hint in near
            )
        )
