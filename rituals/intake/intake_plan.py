"""Plan what is taken in from a source. Each item is looked at first; nothing is written.

An item is known again by what its source calls it (the footer `key`), and by the text that it last had
there (`imported`). So a second reading brings nothing, one that changed is an update, and where both sides
changed a person is asked. What comes under a new name is passed over where memory says it already; where
memory says the opposite, it is kept, and a thread asks which holds, as a review would. Keeps I1 to I6 of
FORMAT.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.model.event import Event, FactCreated, ThreadClosed
from ledger.model.findings import Finding
from ledger.model.ids import version_id
from ledger.model.record import Record
from memory.api import Memory
from memory.query.live_pairs import compare_new
from memory.redaction.withheld_lines import telling_of
from projection.compare.pair_comparison import Opposition, claim
from projection.fold.fact_history import Fact, Version
from projection.fold.full_replay import State
from projection.policy.model import CLOSABLE
from rituals.intake.drafts import Draft, Drafts, about_person_in, fact_of, places_clean
from rituals.intake.intake_items import Item, LeftOut, Reading, beside
from rituals.intake.intake_questions import (
    asking,
    changed_twice,
    contradiction,
    denied,
    is_rest,
    rest,
)
from rituals.intake.known_items import IMPORTED, Known, behind_heading, covers, key_in
from rituals.intake.stored_facts import (
    Brought,
    in_steps,
    parts,
    update_to,
    with_edges,
    without_circles,
)
from rituals.record.draft_composer import id_of_text, words_for

#: What becomes of an item that its source changed: it updates its fact, or is only told.
UPDATE, LEAVE = "update", "leave"
#: What became of one: an update, a question because memory changed the fact too, or nothing.
UPDATED, ASKED, LEFT = "updated", "asked", "left"
#: How many contradictions one plan asks about; a review finds the others.
QUESTIONS = 50
_DECISION = "decision"


class Planned(Record):
    """An item that becomes a fact."""

    id: str
    item: Item
    event: FactCreated


class Changed(Record):
    """An item that its source changed since it was taken in."""

    id: str  #: of its fact
    item: Item  #: as it is now
    before: str  #: the text of the fact
    text: str  #: the text that the item has now, as it would be stored
    how: str  #: `UPDATED`, `ASKED` or `LEFT`


class Opposed(Record):
    """A new or changed fact that says the opposite of another one; both are kept."""

    id: str  #: of the fact
    other: str  #: of the one that it contradicts
    said: str  #: the words of the one
    against: str  #: the words of the other
    thread: str  #: that asks which holds


class IntakePlan(Record):
    """What one reading of a source comes to."""

    source: str  #: its name
    header: tuple[tuple[str, str], ...] = ()  #: of the logs, besides `source`
    new: tuple[Planned, ...] = ()  #: what becomes a fact, in the source's order
    same: int = 0  #: how many items memory has already
    changed: tuple[Changed, ...] = ()  #: what the source changed
    #: what contradicts memory, or something else that is new; the first of them ask
    opposite: tuple[Opposed, ...] = ()
    unasked: int = 0  #: how many more contradict each other
    closed: tuple[str, ...] = ()  #: ids of threads that the source settled since
    #: what is no fact, may not be stored, or is withheld or false here
    left_out: tuple[LeftOut, ...] = ()
    #: items about the person: they belong into the personal home, and stay out of this one
    personal: tuple[Item, ...] = ()
    beyond: tuple[Item, ...] = ()  #: what is past the budget; a thread lists it
    redacted: int = 0  #: how many secrets are not stored
    findings: tuple[Finding, ...] = ()  #: what was changed so that it can stand in a log
    #: the events of each log to be; none where there is nothing to write
    logs: tuple[tuple[Event, ...], ...] = ()


def plan_intake(
    memory: Memory,
    reading: Reading,
    *,
    budget: int = 0,
    header: tuple[tuple[str, str], ...] = (),
    changes: str = UPDATE,
    progress: Callable[[int, int], None] | None = None,
) -> IntakePlan:
    """Plan what a reading of a source brings to a home; nothing is written.

    Args:
        memory: the home, open.
        reading: of the source.
        budget: the most new facts, the first in the source's order; 0 for all.
        header: more for the header of the logs, as harvest's (`through`, COMMIT).
        changes: `UPDATE`: what the source changed updates its fact, unless the fact was changed here too;
            `LEAVE`: it is told in `changed` and nothing is written of it.
        progress: told how far the comparing is, as (done, total).
    """
    made = _Planning(memory, reading, changes)
    made.sort_out()
    made.cut(budget)
    made.compare(progress)
    return made.plan(header)


class _Planning:
    """The making of one plan."""

    def __init__(self, memory: Memory, reading: Reading, changes: str) -> None:
        self._memory, self._reading, self._changes = memory, places_clean(reading), changes
        self._state: State = memory.state()
        telling = memory.ask(lambda cache: telling_of(memory.home, cache))
        self._known = Known(self._state, telling)
        self._words = words_for(memory)
        self._drafts = Drafts(reading.source, self._state.policy, memory.occasion().now_ms)
        self._same = 0
        self._redacted = 0
        self._findings: list[Finding] = []
        self._left_out = list(self._reading.left_out)
        self._personal: list[Item] = []
        self._beyond: list[Item] = []
        self._new: dict[str, Draft] = {}  # by key
        self._changed: list[tuple[Changed, Draft]] = []
        self._opposed: list[tuple[Opposed, Opposition]] = []
        self._denied: dict[str, FactCreated] = {}
        self._unasked = 0
        self._closed: list[str] = []
        self._ids: dict[str, str] = {}  # facts by key, also those to be
        #: what took the place of a fact that is not said any more
        self._instead: dict[str, str] = {}
        self._used: set[str] = set()  # ids, also those to be
        self._texts: dict[str, str] = {}  # key of what is new, by its words

    def sort_out(self) -> None:
        """Say of each item what it is to this memory; in an order that is not the source's."""
        policy = self._state.policy
        drafts = self._drafts
        shared = not policy.personal
        found: list[Draft] = []
        for item in self._reading.items:
            if shared and (item.personal or about_person_in(item)):
                self._personal.append(item)
                continue
            draft = drafts.draft(item)
            if isinstance(draft, LeftOut):
                self._left_out.append(draft)
            else:
                found.append(draft)
        once: dict[str, Draft] = {}
        for draft in sorted(found, key=lambda one: (one.key, one.text, one.item)):
            if once.setdefault(draft.key, draft) is not draft:
                why = "the source calls another one the same"
                self._left_out.append(LeftOut(draft.item.place, why))
        unknown: list[Draft] = []
        for draft in once.values():
            fact = self._known.of_key(draft.key)
            if fact is None:
                unknown.append(draft)
            else:
                self._again(draft, fact)
        self._used = set(self._ids.values())
        for draft in unknown:  # now that it is known what the others will say
            self._unknown(draft)

    def _unknown(self, draft: Draft) -> None:
        """Sort out an item that did not come from its source before."""
        withheld = self._known.withholds(draft.text)
        if withheld or draft.event.mark == "x":
            why = "it was redacted here" if withheld else "it is settled already"
            self._left_out.append(LeftOut(draft.item.place, why))
            return
        fact = self._known.saying(draft.text) or self._known.saying(behind_heading(draft.text))
        if fact is not None:
            self._ids[draft.key] = fact.id
            if fact.false:
                self._false_here(draft, fact)
            else:
                self._same += 1
            return
        from projection.text.normalize import plain

        said = plain(draft.text)
        first = self._texts.setdefault(said, draft.key)
        if first != draft.key:
            self._same += 1
            self._ids[draft.key] = self._ids[first]
            return
        used = self._used
        for text in (draft.named, draft.text):  # the first line alone may be that of several
            made = id_of_text(text, used, self._known.taken, self._words)
            if made not in used and not self._known.taken(made):
                break
        self._ids[draft.key] = made
        used.add(made)
        self._new[draft.key] = draft

    def _again(self, draft: Draft, fact: Fact) -> None:
        """Sort out an item that came from its source before."""
        self._ids[draft.key] = fact.id
        settled = draft.event.mark == "x" and fact.kind in CLOSABLE and not fact.false
        if settled and not fact.closed and not self._known.reopened(fact.id):
            self._closed.append(fact.id)
        heads = tuple([head.id for head in fact.heads])
        base, now = dict(fact.meta).get(IMPORTED, ""), version_id(draft.text)
        changed = Changed(fact.id, draft.item, fact.text, draft.text, UPDATED)
        if fact.false and self._changes == LEAVE and now in (base, *heads):
            self._false_here(draft, fact)
        elif now == base or now in heads:
            self._same += fact.id not in self._closed
        elif self._changes == LEAVE:
            self._changed.append((changed._replace(how=LEFT), draft))
        elif heads == (base,) and not fact.false:
            self._changed.append((changed, draft))
            self._redacted += draft.secrets
            self._known.reword(fact, draft.text)
        elif self._known.taken(asking(fact.id, now)):
            self._same += 1
        else:
            self._changed.append((changed._replace(how=ASKED), draft))

    def _false_here(self, draft: Draft, fact: Fact) -> None:
        """Leave out what memory calls false; of a decision that its document accepts, ask."""
        place = draft.item.place
        if draft.item.kind == _DECISION and self._changes == LEAVE and not fact.redacted:
            asked = denied(fact.id, place.partition("@")[0].rpartition(":")[0])
            self._denied[asked.id] = asked
        self._left_out.append(LeftOut(place, f"`{fact.id}` says it, and is false here"))

    def cut(self, budget: int) -> None:
        """Leave what is past the budget for another time: the last in the source's order."""
        order = {item: number for number, item in enumerate(self._reading.items)}
        ordered = sorted(self._new, key=lambda key: (order[self._new[key].item], key))
        if budget and len(ordered) > budget:
            for key in ordered[budget:]:
                self._beyond.append(self._new.pop(key).item)
                del self._ids[key]
        self._new = {key: self._new[key] for key in ordered if key in self._new}
        if self._reading.whole:
            waits = rest(self._reading.source, self._beyond).id if self._beyond else ""
            open_ones = [id for id, fact in self._known.facts.items() if not fact.closed]
            said = [id for id in open_ones if is_rest(id, self._reading.source) and id != waits]
            self._closed += sorted(said)

    def compare(self, progress: Callable[[int, int], None] | None) -> None:
        """Look what memory says of what is new: nearly the same, or the opposite."""
        born = {self._ids[key]: draft for key, draft in self._new.items()}
        fresh = {id: fact_of(draft.event._replace(id=id)) for id, draft in born.items()}
        for changed, draft in self._changed:
            if changed.how == UPDATED:
                now = self._known.facts[changed.id]
                version = Version(version_id(draft.text), draft.text, "~")
                fresh[changed.id] = now._replace(heads=(version,))
        if not fresh:
            return
        found = compare_new(self._memory.snapshot, fresh, self._known.facts, progress)
        facts = {**self._known.facts, **fresh}
        for alike in found.overlaps:
            one, two = sorted((alike.one, alike.two), key=lambda id: id not in born)
            if one in born and two not in born and covers(claim(facts[two]), claim(facts[one])):
                for key in [key for key in self._new if self._ids[key] == one]:
                    del self._new[key]  # a fact of memory says all of it
                    self._ids[key] = two
                    self._same += 1
        held = {self._ids[key] for key in self._new}
        unsaid = set() if self._changes == LEAVE else self._known.unsaid(self._reading)
        pairs = [(pair.one, pair.two) for pair in found.oppositions]
        pairs += [(pair.one, pair.two) for pair in found.overlaps]
        for pair in pairs:
            one, two = sorted(pair, key=lambda id: id not in held)
            if one in held and two in unsaid:
                self._instead.setdefault(two, one)
        settled = set(self._edges())
        passed = (born.keys() - held) | self._instead.keys()
        for against in found.oppositions:
            one, two = against.one, against.two
            if {one, two} & passed or {(one, two), (two, one)} & settled:
                continue
            if one in born and two in born and beside(born[one].item, born[two].item):
                continue
            opposed = Opposed(one, two, against.left, against.right, contradiction(against).id)
            if one not in fresh or (two in fresh and two < one):
                opposed = Opposed(two, one, against.right, against.left, opposed.thread)
            self._opposed.append((opposed, against))
        self._opposed.sort(key=lambda one: one[0].other in born)  # what memory says comes first
        self._unasked = len(self._opposed[QUESTIONS:])
        del self._opposed[QUESTIONS:]

    def _edges(self) -> list[tuple[str, str]]:
        """Return what replaces what, as (old, new) ids."""
        source = self._reading.source
        born = {self._ids[key] for key in self._new}
        pairs = []
        for key, draft in sorted(self._new.items()):
            for name in draft.item.replaces:
                value = key_in(source, name)
                fact = self._known.of_key(value)
                old = self._ids.get(value) or (fact.id if fact else "")
                if old in self._known.facts or old in born:
                    pairs.append((old, self._ids[key]))
        return without_circles([*pairs, *sorted(self._instead.items())], self._state)

    def plan(self, header: tuple[tuple[str, str], ...]) -> IntakePlan:
        """Put it together."""
        new: list[Planned] = []
        for key, draft in self._new.items():
            self._redacted += draft.secrets
            self._findings += draft.findings
            id = self._ids[key]
            new.append(Planned(id, draft.item, draft.event._replace(id=id)))
        logs = self._logs(new)  # counts the secrets of earlier texts
        return IntakePlan(
            self._reading.source, header, tuple(new), self._same,
            tuple([changed for changed, _ in self._changed]),
            tuple([opposed for opposed, _ in self._opposed]), self._unasked, tuple(self._closed),
            tuple(self._left_out), tuple(self._personal), tuple(self._beyond),
            self._redacted, tuple(self._findings), logs,
        )  # fmt: skip

    def _before(self, item: Item) -> list[str]:
        """Return the texts that an item had, as they would be stored; not what was redacted here."""
        had = [one for one in self._drafts.before(item) if not self._known.withholds(one.text)]
        self._redacted += sum(one.secrets for one in had)
        return [one.text for one in had]

    def _logs(self, new: Sequence[Planned]) -> tuple[tuple[Event, ...], ...]:
        """Return the events of the logs: births, then what needs them to be there."""
        source = self._reading.source
        births, updates = in_steps([(one.event, self._before(one.item)) for one in new])
        births.sort(key=lambda one: (dict(one.meta).get("created", "9999"), one.id))
        groups = [with_edges(births, self._edges())]
        groups += [[Brought(event) for event in events] for events in updates]
        brought = groups[-1]
        threads = [contradiction(against) for _, against in self._opposed]
        threads += self._denied.values()
        for changed, draft in self._changed:
            base = tuple([head.id for head in self._state[changed.id].fact.heads])
            if changed.how == UPDATED:
                brought.append(Brought(update_to(draft.event._replace(id=changed.id), base)))
            elif changed.how == ASKED:
                threads.append(changed_twice(source, changed.id, changed.text))
        if self._beyond:
            threads.append(rest(source, self._beyond))
        missing = {one.id: one for one in threads if not self._known.taken(one.id)}
        brought += [Brought(thread) for _, thread in sorted(missing.items())]
        cut = [events for group in groups[:-1] for events in parts(group)]
        cut += parts(brought, [ThreadClosed(id) for id in self._closed])
        return tuple([tuple(events) for events in cut])
