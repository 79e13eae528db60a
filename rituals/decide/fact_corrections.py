"""Say a fact anew, close what is done, and call a fact false: each by one log of its own."""

from __future__ import annotations

from ledger.codec.fact_blocks import order_meta, tidy
from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.model.event import (
    Event,
    FactInvalidated,
    FactSuperseded,
    FactUpdated,
    Meta,
    ThreadClosed,
)
from ledger.model.record import Record
from ledger.model.session import UNTIL_KEY
from ledger.model.task_states import CANCELLED
from memory.api import Memory
from memory.query.fact_marks import as_here
from memory.query.provenance import Step
from memory.query.reader import Reader
from memory.write.birth_footers import footer_value
from projection.fold.fact_history import Fact
from projection.graph.fact_links import ENTITY_KEY
from projection.graph.graph_neighbours import TAGS_KEY, names_in
from projection.policy.model import CLOSABLE, TASK_KIND
from projection.text.until_conditions import FORMS, until_in
from rituals.decide.decision import Decision, titled
from rituals.record.draft_composer import kinds_of
from rituals.record.request import because
from rituals.record.slips import kind_of, unknown_kind


class Wording(Record):
    """What a fact is to say, or to be, from now on; "" for what stays."""

    text: str = ""
    kind: str = ""  #: or a word that means one
    until: str = ""  #: what ends it
    entity: str = ""  #: what it is about, with commas
    tags: str = ""  #: with commas


#: What is said of a fact whose footer changes, by key.
_FOOTERS = {
    "kind": "is of the kind",
    "tags": "has the tags",
    "entity": "is about",
    UNTIL_KEY: "ends:",
}


def rewording(memory: Memory, fact: str, asked: Wording, reason: str) -> Decision:
    """Plan to give a fact another text, another kind, other names, or what ends it.

    Raises:
        NotFound: there is no such fact.
        WrongUsage: there is no such kind, or no text, or nothing can end like that.
        DiurnaError: the fact is redacted or false.
    """
    now = holding(memory, fact)
    fact = now.id
    changed = _changed(memory, now, asked)
    heads = tuple([head.id for head in now.heads])
    text = tidy(asked.text) or now.text
    same = len(heads) == 1 and text == now.text
    title = titled("Edit", (fact,))
    if same and not changed:
        return Decision(title, already=f"{fact} says so already")
    does: tuple[str, ...] = () if same else (f"{fact} says now: {text}",)
    told = dict(changed)
    does += tuple([f"{fact} {says} {told[key]}" for key, says in _FOOTERS.items() if key in told])
    event = FactUpdated(fact, text, replaced(memory, now), meta=changed)
    return Decision(title, does, (because(event, reason),), reason=reason)


def _changed(memory: Memory, now: Fact, asked: Wording) -> Meta:
    """Return the footers that are to change, with what they say then."""
    said = dict(now.meta)
    tags = names_in(asked.tags) or names_in(said.get(TAGS_KEY, ""))
    pairs: list[tuple[str, str]] = []
    if asked.kind:
        kinds = kinds_of(memory)
        meant, tag = kind_of(asked.kind, kinds)
        if not meant:
            wrong = unknown_kind(asked.kind, kinds)
            raise WrongUsage(wrong.message, where="--kind", hint=wrong.hint)
        pairs += [("kind", meant)] if meant != now.kind else []
        tags = (*tags, tag) if tag and tag not in tags else tags
    if asked.until and not until_in(asked.until):
        hint = f"one of: {FORMS}"
        raise WrongUsage(f"{asked.until[:80]!r} can end nothing", where="--until", hint=hint)
    for key, names in ((TAGS_KEY, tags), (ENTITY_KEY, names_in(asked.entity))):
        if names and names != names_in(said.get(key, "")):
            pairs.append((key, footer_value(", ".join(names))))
    pairs += [(UNTIL_KEY, asked.until)] if asked.until not in ("", said.get(UNTIL_KEY)) else []
    return order_meta(tuple(pairs))


def closing(memory: Memory, facts: tuple[str, ...], reason: str) -> Decision:
    """Plan to close threads, handoffs and findings.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: one is a task, or of a kind that is never closed.
    """
    found = [memory.standing(fact).fact for fact in dict.fromkeys(map(memory.named, facts))]
    for fact in found:
        if fact.kind not in CLOSABLE:
            raise DiurnaError(
                f"{fact.id} is of the kind {fact.kind}, and nothing closes that",
                hint=f"what no longer holds: `diurna forget {fact.id}`; "
                f"closed are {', '.join(sorted(CLOSABLE - {TASK_KIND}))}",
            )
    tasks = [fact.id for fact in found if fact.kind == TASK_KIND and not fact.closed]
    if tasks:
        are = "is a task" if len(tasks) == 1 else "are tasks"
        raise DiurnaError(
            f"{', '.join(tasks)} {are}: done or cancelled?",
            hint=f'`diurna note "done {tasks[0]}"`, or `diurna task move {tasks[0]} {CANCELLED}`',
        )
    open_ones = tuple([fact.id for fact in found if not fact.closed])
    title = titled("Close", open_ones or tuple([fact.id for fact in found]))
    if not open_ones:
        return Decision(title, already=f"closed before: {', '.join([fact.id for fact in found])}")
    does = tuple([f"{fact} is closed" for fact in open_ones])
    events = tuple([because(ThreadClosed(fact), reason) for fact in open_ones])
    return Decision(title, does, events, reason=reason)


def denial(memory: Memory, fact: str, new: str, reason: str) -> Decision:
    """Plan to call a fact false; `new` is the fact that replaces it, "" for none.

    Raises:
        NotFound: there is no such fact.
        WrongUsage: a fact can not replace itself.
        DiurnaError: what is to replace it is false itself.
    """
    now = memory.standing(fact).fact
    fact = now.id
    event: Event = FactInvalidated(fact)
    does, title = f"{fact} is false now", titled("Forget", (fact,))
    if new:
        replacing = memory.standing(new).fact
        new = replacing.id
        if new == fact:
            said = f"{fact} can not replace itself"
            raise WrongUsage(said, hint=f'`diurna edit {fact} "TEXT"` rewords it')
        if replacing.false:
            said = f"{new} is false itself"
            raise DiurnaError(said, hint=f"`diurna why {new}` says who called it so")
        event, does = FactSuperseded(fact, new), f"{new} replaces {fact}"
    if new in now.superseded_by if new else now.false:
        return Decision(title, already=f"that {does} was said before")
    hint = f'`diurna edit {fact} --restore --reason "…"` says that it holds after all'
    return Decision(title, (does,), (because(event, reason),), reason=reason, hints=(hint,))


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
