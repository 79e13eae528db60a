"""Say a fact in other words, give it other footers, or let an older text of it stand again."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.codec.fact_blocks import order_meta, tidy
from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.model.event import FactUpdated, Meta
from ledger.model.session import UNTIL_KEY
from memory.api import Memory
from memory.query.reader import Reader
from memory.replay.reader_marks import as_here
from memory.write.birth_footers import footer_value
from projection.fold.fact_history import Fact
from projection.graph.fact_links import ENTITY_KEY
from projection.graph.graph_neighbours import TAGS_KEY, names_in
from projection.text.until_conditions import FORMS, until_in
from rituals.decide.decision import Decision, decided
from rituals.decide.fact_status import RESTORE
from rituals.record.draft_composer import kinds_of
from rituals.record.slips import kind_of, unknown_kind

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
    known = {step.version: step for step in memory.why(fact).steps if step.version}
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
