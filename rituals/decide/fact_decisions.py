"""Decide about facts, each time by a log of its own: whether they hold, and what they say."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.codec.fact_blocks import order_meta, tidy
from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.model.event import (
    Event,
    FactArchived,
    FactInvalidated,
    FactReactivated,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    Meta,
    ThreadClosed,
)
from ledger.model.session import UNTIL_KEY
from ledger.model.verbs import CANCELLED
from memory import Memory, Reader, as_here, footer_value, provenance
from projection.document.archive_pages import reason_of
from projection.fold.fact_history import Fact
from projection.fold.fact_links import ENTITY_KEY, TAGS_KEY, names_in
from projection.fold.falsity import said_against
from projection.fold.live_view import BY_HAND, Standing, never_decaying, stand
from projection.policy.model import CLOSABLE, TASK_KIND
from projection.text.until_conditions import FORMS, until_in
from rituals.decide.decision import Decision, decided, facts_named
from rituals.record.draft_composer import kinds_of
from rituals.record.option_values import kind_of, unknown_kind

#: How a fact that was called false holds again; its id, and the reason.
RESTORE = "`diurna edit {} --restore --reason {}` says that it holds after all"
_WHY = '"…"'


def confirmation(memory: Memory, facts: tuple[str, ...]) -> Decision:
    """Plan to record that somebody looked at facts and they hold.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: a fact is false.
    """
    state, named = memory.state(), facts_named(memory, facts)
    for fact in named:
        if fact.false:
            by = ", ".join(fact.superseded_by)
            said = f"{fact.id} is false: {f'{by} superseded it' if by else 'it was invalidated'}"
            raise DiurnaError(said, hint=RESTORE.format(fact.id, "TEXT"))
    # where nothing happened since a fact was confirmed, confirming it again says nothing
    ids = [
        fact.id
        for fact in named
        if any(act.stem > fact.verified for act in state.histories[fact.id].acts)
        or any(stem >= fact.verified for stem in state.work[-1:])
    ]
    if not ids:
        return Decision(already="confirmed before, and nothing was recorded since")
    return decided("Confirm", ids, [f"{id} is confirmed" for id in ids], map(FactVerified, ids))


def closing(memory: Memory, facts: tuple[str, ...], reason: str) -> Decision:
    """Plan to close threads, handoffs and findings.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: one is a task, or of a kind that is never closed.
    """
    named = facts_named(memory, facts)
    for fact in named:
        if fact.kind not in CLOSABLE:
            raise DiurnaError(
                f"{fact.id} is of the kind {fact.kind}, and nothing closes that",
                hint=f"what no longer holds: `diurna forget {fact.id}`; "
                f"closed are {', '.join(sorted(CLOSABLE - {TASK_KIND}))}",
            )
    open_ones = [fact for fact in named if not fact.closed]
    if tasks := [fact.id for fact in open_ones if fact.kind == TASK_KIND]:
        are = "is a task" if len(tasks) == 1 else "are tasks"
        raise DiurnaError(
            f"{', '.join(tasks)} {are}: done or cancelled?",
            hint=f'`diurna note "done {tasks[0]}"`, or `diurna task move {tasks[0]} {CANCELLED}`',
        )
    if not open_ones:
        return Decision(already=f"closed before: {', '.join([fact.id for fact in named])}")
    ids = [fact.id for fact in open_ones]
    return decided("Close", ids, [f"{id} is closed" for id in ids], map(ThreadClosed, ids), reason)


def denial(memory: Memory, fact: str, new: str, reason: str) -> Decision:
    """Plan to call a fact false; `new` is the fact that replaces it, "" for none.

    Raises:
        NotFound: there is no such fact.
        WrongUsage: a fact can not replace itself.
        DiurnaError: what is to replace it is false itself.
    """
    now = memory.standing(fact).fact
    fact, does = now.id, f"{now.id} is false now"
    event: Event = FactInvalidated(fact)
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
        return Decision(already=f"that {does} was said before")
    return decided("Forget", [fact], [does], [event], reason, RESTORE.format(fact, _WHY))


def reinstatement(memory: Memory, fact: str, reason: str) -> Decision:
    """Plan to take back what was said against a fact, as far as it was seen.

    Raises:
        NotFound: there is no such fact.
    """
    now = memory.standing(fact).fact
    fact = now.id
    said = said_against(fact, memory.state().histories[fact])
    if not said:
        return Decision(already=f"{fact} holds; nothing is said against it")
    logs = f"{len(said)} log{'s' if len(said) != 1 else ''}"
    does = f"{fact} holds again; what {logs} said against it is taken back: {', '.join(said)}"
    others = ", ".join(now.superseded_by)
    hint = f"{others} holds beside it now; if it is false: diurna append --invalidate"
    events = [FactReinstated(fact, said=said)]
    return decided("Reinstate", [fact], [does], events, reason, hint if others else "")


def archiving(memory: Memory, fact: str, reason: str) -> Decision:
    """Plan to put a fact away, though it is in use.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: it stands in the archive already.
    """
    standing = memory.standing(fact)
    fact = standing.fact.id
    if not standing.live:
        raise _not_there(standing, "is in the archive already")
    does = f"{fact} goes into the archive; its text stays, and every log that names it"
    hint = f"{_OUT.format(fact)}, and so does the next work log that names it"
    return decided("Archive", [fact], [does], [FactArchived(fact)], reason, hint)


def returning(memory: Memory, fact: str, reason: str) -> Decision:
    """Plan to take a fact out again that was put away by hand.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: it was not put away by hand, or taking it out would not make it live.
    """
    standing = memory.standing(fact)
    fact = standing.fact.id
    if standing.live:
        raise DiurnaError(f"{fact} is not in the archive", hint=f"diurna show {fact}")
    if standing.reason != BY_HAND:
        raise _not_there(standing, "was not put into the archive by hand")
    state = memory.state()
    decay, lasting = state.decay, never_decaying(state.policy)
    then = stand(standing.fact._replace(archived_at=""), decay.clock(), lasting, decay)
    if not then.live:
        raise _not_there(then, "would be in the archive anyway")
    does = f"{fact} is taken out of the archive: {then.tier}"
    return decided("Take out", [fact], [does], [FactReactivated(fact)], reason)


_OUT = '`diurna forget {} --back --reason "…"` takes it out again'


def _not_there(standing: Standing, said: str) -> DiurnaError:
    """Say why a fact does not go into the archive or out of it, and what takes it out."""
    fact = standing.fact
    if fact.false:
        hint = RESTORE.format(fact.id, _WHY)
    elif standing.reason == BY_HAND:
        hint = _OUT.format(fact.id)
    elif standing.tier != "archived":
        hint = f"`diurna append --reopen {fact.id}` opens the thread again"
    else:
        hint = f"a work log that names it brings it back: diurna append --reactivate {fact.id}"
    return DiurnaError(f"{fact.id} {said}: {reason_of(standing)}", hint=hint)


#: What is said of a fact whose footer changes, by key.
_FOOTERS = {
    "kind": "is of the kind",
    TAGS_KEY: "has the tags",
    ENTITY_KEY: "is about",
    UNTIL_KEY: "ends:",
}


def rewording(memory: Memory, fact: str, given: Mapping[str, str]) -> Decision:
    """Plan to give a fact another text, another kind, other names, or what ends it.

    `given` has the `text`; the `kind`, or a word that means one; `until` what it holds; the `entity` that
    it is about, and its `tags`, with commas; "" for what stays; and the `reason`.

    Raises:
        NotFound: there is no such fact.
        WrongUsage: there is no such kind, or no text, or nothing can end like that.
        DiurnaError: the fact is redacted or false.
    """
    now = holding(memory, fact)
    fact = now.id
    changed = _changed(memory, now, given)
    text, footers = tidy(given["text"]) or now.text, dict(changed)
    same = len(now.heads) == 1 and text == now.text
    if same and not changed:
        return Decision(already=f"{fact} says so already")
    does = [] if same else [f"{fact} says now: {text}"]
    does += [f"{fact} {says} {footers[key]}" for key, says in _FOOTERS.items() if key in footers]
    event = FactUpdated(fact, text, _replaced(memory, now), meta=changed)
    return decided("Edit", [fact], does, [event], given["reason"])


def _changed(memory: Memory, now: Fact, given: Mapping[str, str]) -> Meta:
    """Return the footers that are to change, with what they say then."""
    said, kind, until = dict(now.meta), given["kind"], given["until"]
    tags = names_in(given["tags"]) or names_in(said.get(TAGS_KEY, ""))
    pairs: list[tuple[str, str]] = []
    if kind:
        kinds = kinds_of(memory)
        meant, tag = kind_of(kind, kinds)
        if not meant:
            wrong = unknown_kind(kind, kinds)
            raise WrongUsage(wrong.message, where="--kind", hint=wrong.hint)
        pairs += [("kind", meant)] if meant != now.kind else []
        tags = (*tags, tag) if tag and tag not in tags else tags
    if until and not until_in(until):
        hint = f"one of: {FORMS}"
        raise WrongUsage(f"{until[:80]!r} can end nothing", where="--until", hint=hint)
    for key, names in ((TAGS_KEY, tags), (ENTITY_KEY, names_in(given["entity"]))):
        if names and names != names_in(said.get(key, "")):
            pairs.append((key, footer_value(", ".join(names))))
    pairs += [(UNTIL_KEY, until)] if until not in ("", said.get(UNTIL_KEY)) else []
    return order_meta(tuple(pairs))


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
        said = f"{fact} is {by}; another text would not make it hold"
        raise DiurnaError(said, hint=RESTORE.format(fact, "TEXT"))
    return now


def _replaced(memory: Reader, now: Fact) -> tuple[str, ...]:
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
    known = {step.version: step for step in provenance(memory, fact).steps if step.version}
    fits = [one for one in known if one.startswith(version)]
    if len(fits) != 1:
        what = "is the start of several versions" if fits else "is no version"
        hint = f"one of {', '.join(fits or known)}"
        raise NotFound(f"{version} {what} of {fact}", hint=hint)
    chosen, heads = known[fits[0]], tuple([head.id for head in now.heads])
    if heads == (chosen.version,):
        return Decision(already=f"{fact} says {chosen.version} already")
    does = f"{fact} says {chosen.version} again, of {chosen.stem}, in place of {', '.join(heads)}"
    event = FactUpdated(fact, chosen.text, _replaced(memory, now))
    return Decision(f"Restore {fact} to {chosen.version}", (does,), (event,))
