"""Say what sessions did to facts, in the words of these facts."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.event import (
    FactCreated,
    FactInvalidated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from ledger.model.ids import WITHHELD
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.write.draft import did
from projection.fold.fact_history import REDACTED_TEXT
from rituals.serve.web.tip_view.tip_view import TipView

#: What is said of a fact in its own words, by the event; a change that is said twice is said once.
_SAID = {
    FactCreated: "new",
    FactUpdated: "reworded",
    FactInvalidated: "false",
    ThreadClosed: "closed",
}
#: What `did` calls these.
_VERBS = frozenset(("Created", "Updated", "Invalidated", "Closed"))


class Sentence(Record):
    """What became of one fact in a session, in its words."""

    word: str  #: of `_SAID`
    id: str
    kind: str  #: of the fact, "" where there is none of that name
    text: str  #: that it got, "" where none is known
    instead: tuple[str, ...] = ()  #: the facts that it replaced


class Deed(Record):
    """What a session did to some facts besides."""

    verb: str  #: of it, in lower case
    #: the ids that are shown, each as it is linked: several where it reads `old → new`
    facts: tuple[tuple[str, ...], ...]
    more: int  #: how many are not shown


def sentences(tip: TipView, entry: Entry, imports: Iterable[Entry] = ()) -> list[Sentence]:
    """Return what became of facts in a session, in the order of the policy's kinds.

    `imports` bring the texts of what it did, where its own log has none.
    """
    brought = {
        event.id: event.text
        for one in imports
        for event in one.acts
        if isinstance(event, FactCreated | FactUpdated) and event.text
    }
    replaced: dict[str, list[str]] = {}
    for event in entry.acts:
        if isinstance(event, FactSuperseded):
            replaced.setdefault(event.new, []).append(event.id)
    found: dict[str, Sentence] = {}
    for event in entry.acts:
        word = _SAID.get(type(event), "")
        if word and not (event.id in found and word in ("new", "reworded")):
            own = event.text if isinstance(event, FactCreated | FactUpdated) else ""
            text = own or brought.get(event.id, "") or _before(tip, event.id, entry.stem)
            found[event.id] = _sentence(tip, word, event.id, text)
    for new, old in replaced.items():
        if new not in found:
            found[new] = _sentence(tip, "replaces", new, _before(tip, new, entry.stem))
        found[new] = found[new]._replace(instead=tuple(old))
    order = {one.name: number for number, one in enumerate(tip.state.policy.kinds)}
    return sorted(found.values(), key=lambda one: order.get(one.kind, len(order)))


def _before(tip: TipView, id: str, key: str) -> str:
    """Return the text that a fact had before a log, "" for none."""
    history = tip.state.histories.get(id)
    for act in reversed(history.acts if history else ()):
        if act.stem < key and isinstance(act.event, FactCreated | FactUpdated) and act.event.text:
            return act.event.text
    return ""


def _sentence(tip: TipView, word: str, id: str, text: str) -> Sentence:
    now = tip.standings.get(id)
    if text[:1] == WITHHELD or (now is not None and now.fact.redacted):
        text = REDACTED_TEXT
    kind = now.fact.kind if now is not None else ""
    return Sentence(word, id, kind, text or (now.fact.text if now is not None else ""))


def other_deeds(entry: Entry, said: Iterable[Sentence], most: int) -> list[Deed]:
    """Return what else a session did to facts, as ids: at most so many in all."""
    told = {one.id for one in said}
    instead = {f"{old} → {one.id}" for one in said for old in one.instead}
    found = []
    for verb, ids in did(entry):
        rest = [one for one in ids if one not in instead and not (verb in _VERBS and one in told)]
        if rest:
            shown, most = rest[:most], max(most - len(rest), 0)
            facts = tuple([tuple(one.split(" → ")) for one in shown])
            found.append(Deed(verb.lower(), facts, len(rest) - len(shown)))
    return found
