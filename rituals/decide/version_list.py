"""List the versions of a fact, oldest first, and restore one by saying it again."""

from __future__ import annotations

from ledger.errors import DiurnaError, NotFound
from ledger.model.event import FactUpdated
from ledger.model.record import Record
from memory.query.fact_marks import as_here
from memory.query.provenance import Step
from memory.query.reader import Reader
from projection.fold.fact_history import Fact
from rituals.decide.decision import Decision


class Telling(Record):
    """One version as one log told it; a version may be told again later."""

    number: int  #: from 1 on, in ledger order
    step: Step  #: the event that brought it
    stands: bool  #: whether it is a head now, by this or another telling


def tellings(memory: Reader, fact: str) -> tuple[Telling, ...]:
    """List the versions of a fact in ledger order.

    Raises:
        NotFound: there is no such fact.
    """
    heads = {version.id for version in memory.standing(fact).fact.heads}
    steps = [step for step in memory.why(fact).steps if step.version]
    return tuple(
        Telling(number, step, step.version in heads) for number, step in enumerate(steps, 1)
    )


def holding(memory: Reader, fact: str) -> Fact:
    """Return a fact, as HEAD has it, that another text can be said of.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: it is redacted or false.
    """
    (there,) = as_here(memory.snapshot, [memory.standing(fact)])
    now, fact = there.fact, there.fact.id
    if now.redacted:
        hint = "record what may be said as a fact of its own: diurna append --new"
        raise DiurnaError(f"{fact} is redacted; none of its texts is shown again", hint=hint)
    if now.false:
        by = f"superseded by {', '.join(now.superseded_by)}" if now.superseded_by else "invalidated"
        hint = f"`diurna edit {fact} --restore --reason TEXT` says that it holds after all"
        raise DiurnaError(f"{fact} is {by}; another text would not make it hold", hint=hint)
    return now


def replaced(memory: Reader, now: Fact) -> tuple[str, ...]:
    """Return the texts that another one replaces: those that stand here, and by all branches."""
    heads = (*now.heads, *memory.standing(now.id).fact.heads)
    return tuple(dict.fromkeys([head.id for head in heads]))


def restoration(memory: Reader, fact: str, version: str) -> Decision:
    """Plan to let an older text stand again, in place of what stands now.

    The version is its id, or the start of it.

    Raises:
        NotFound: there is no such fact or version.
        DiurnaError: the fact is redacted or false.
    """
    now = holding(memory, fact)
    known = {one.step.version: one.step for one in tellings(memory, fact)}
    found = [one for one in known if one.startswith(version)]
    if len(found) != 1:
        names = ", ".join(found or known)
        what = "is the start of several versions" if found else "is no version"
        raise NotFound(f"{version} {what} of {fact}", hint=f"one of {names}")
    chosen = known[found[0]]
    heads = tuple(head.id for head in now.heads)
    title = f"Restore {fact} to {chosen.version}"
    if heads == (chosen.version,):
        return Decision(title, already=f"{fact} says {chosen.version} already")
    does = f"{fact} says {chosen.version} again, of {chosen.stem}, in place of {', '.join(heads)}"
    return Decision(title, (does,), (FactUpdated(fact, chosen.text, replaced(memory, now)),))
