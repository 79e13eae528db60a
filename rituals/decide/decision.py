"""Define a decision as a value, and record it by one append.

A decision is a log of type `edit`: it moves no clock and counts as no use (FORMAT.md, T1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.model.event import Event, FactInvalidated, FactMoved, ThreadClosed
from ledger.model.record import Record
from ledger.model.session import CLOSABLE
from ledger.model.verbs import CANCELLED
from memory import Memory, Receipt, SessionDraft
from projection.fold.fact_history import Fact
from projection.policy.model import TASK_KIND
from rituals.record.request import because

_TYPE = "edit"
_TITLE_CHARS = 100


def over(fact: Fact, remark: str = "") -> Event:
    """Return what says that a fact does not hold any more: what can be open is closed, else false.

    A task is cancelled: that it is done says whoever did it.
    """
    if fact.kind == TASK_KIND:
        return FactMoved(fact.id, CANCELLED, remark)
    return (ThreadClosed if fact.kind in CLOSABLE else FactInvalidated)(fact.id, remark)


class Decision(Record):
    """What is to be recorded, before it is."""

    title: str = ""  #: of the log
    does: tuple[str, ...] = ()  #: what it does, a line each
    events: tuple[Event, ...] = ()  #: what the log says; none where there is nothing to record
    already: str = ""  #: why there is nothing to record, "" if there is something
    reason: str = ""  #: in the words of whoever decided
    hints: tuple[str, ...] = ()  #: what to do next
    header: tuple[tuple[str, str], ...] = ()  #: further values of the log's header


def record(
    memory: Memory, decision: Decision, agent: str = "", title: str = "", *, dry_run: bool = False
) -> Receipt | None:
    """Append the log of a decision; None when there is nothing to record.

    `agent` says whose it is, `title` what the log is called; "" for the defaults.

    Whether something was decided before is read off the facts, never off a recent log that looks alike:
    the same decision may be right again a minute later.

    Raises:
        DiurnaError: as `Memory.append`.
    """
    if not decision.events:
        return None
    draft = SessionDraft(
        title or decision.title, decision.reason, decision.events, agent, _TYPE,
        decision.header, anyway=True,
    )  # fmt: skip
    return memory.append(draft, again=True, dry_run=dry_run)


def decided(
    verb: str, about: Sequence[str], does: Sequence[str], events: Iterable[Event], reason: str = "",
    hint: str = "",
) -> Decision:  # fmt: skip
    """Decide something about facts; the reason stands beside each event, too, where it can be written."""
    said, hints = tuple([because(event, reason) for event in events]), (hint,) if hint else ()
    return Decision(titled(verb, tuple(about)), tuple(does), said, reason=reason, hints=hints)


def facts_named(memory: Memory, facts: Iterable[str]) -> list[Fact]:
    """Return facts by their ids or names, each once.

    Raises:
        NotFound: there is no such fact.
    """
    return [memory.standing(fact).fact for fact in dict.fromkeys(map(memory.named, facts))]


def titled(verb: str, ids: tuple[str, ...]) -> str:
    """Make a title: what is done, to which facts."""
    title = f"{verb} {', '.join(ids)}"
    return title if len(title) <= _TITLE_CHARS else f"{verb} {ids[0]} and {len(ids) - 1} more"
