"""Plan what is taken in from a source, and write it as logs of type `import` that name the source.

Each item is looked at first; a plan writes nothing, and one that has nothing new writes no log.

An item is known again by what its source calls it (the footer `key`), and by the text that it last had
there (`imported`). So a second reading brings nothing, one that changed is an update, and where both sides
changed a person is asked. What comes under a new name is passed over where memory says it already, word
for word; what a text means is not looked at. Keeps I1 to I6.
"""

from __future__ import annotations

from collections.abc import Callable

from ledger.model.event import Event, FactCreated, FactUpdated, ThreadClosed, ThreadReopened
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id, version_id
from memory import Memory, Receipt, SessionDraft, withheld_of
from projection.fold.fact_history import Fact
from projection.policy.model import CLOSABLE
from projection.text.normalize import plain
from rituals.intake.facts_into_logs import Drafts, parts, places_clean, with_edges
from rituals.intake.intake_items import (
    ASKED,
    IMPORTED,
    KEY,
    UPDATED,
    Changed,
    Draft,
    IntakePlan,
    Item,
    LeftOut,
    Reading,
    asking,
    changed_twice,
    denied,
    key_in,
)
from rituals.record.draft_composer import free_id, words_for

#: Progress is told each so many items.
_TOLD = 200


def plan_intake(
    memory: Memory, reading: Reading, progress: Callable[[int, int], None]
) -> IntakePlan:
    """Plan what a reading of a source brings to a home, which is open; nothing is written.

    `progress` is told how many of how many items are read.
    """
    return _Planning(memory, places_clean(reading)).plan(progress)


class _Planning:
    """The making of one plan: what memory holds, and what of a reading is new to it."""

    def __init__(self, memory: Memory, reading: Reading) -> None:
        self._memory, self._reading, self._state = memory, reading, memory.state()
        self._telling = memory.ask(lambda cache: withheld_of(memory.home, cache))
        self._facts: dict[str, Fact] = {}  # by the key of their source; of several one that holds
        self._texts: dict[str, str] = {}  # ids by what they say, also those to be
        there = [fact for fact in map(self._state.fact, self._state.histories) if fact]
        for fact in sorted(there, key=lambda fact: (fact.false, fact.id)):
            if not fact.redacted:
                for key in [value for name, value in fact.meta if name == KEY]:
                    self._facts.setdefault(key, fact)
                for head in fact.heads:
                    self._texts.setdefault(plain(head.text), fact.id)
        self._words = words_for(memory)
        self._same = 0
        self._left_out = list(reading.left_out)
        self._new: dict[str, Draft] = {}  # by key
        self._changed: list[tuple[Changed, Draft]] = []
        self._threads: dict[str, FactCreated] = {}
        self._closed: list[str] = []
        self._ids: dict[str, str] = {}  # facts by key, also those to be
        self._used: set[str] = set()  # their ids
        self._items: dict[str, str] = {}  # the same by the keys of their items

    def plan(self, progress: Callable[[int, int], None]) -> IntakePlan:
        """Say of each item what it is to this memory, in an order that is not the source's."""
        reading, policy = self._reading, self._state.policy
        personal, items = list[Item](), list[Item]()
        for item in reading.items:
            (personal if item.personal and not policy.personal else items).append(item)
        drafts = Drafts(reading.source, policy, self._memory.occasion().now_ms)
        once: dict[str, Draft] = {}
        made = []
        for number, item in enumerate(items):
            if not number % _TOLD:
                progress(number, len(items))
            made.append(drafts.draft(item))
        self._left_out += [one for one in made if isinstance(one, LeftOut)]
        there = [one for one in made if isinstance(one, Draft)]
        for draft in sorted(there, key=lambda one: (one.key, one.text, one.item)):
            if once.setdefault(draft.key, draft) is not draft:
                self._leave_out(draft, "the source calls another one the same")
        for draft in once.values():
            if draft.key in self._facts:
                self._again(draft, self._facts[draft.key])
        # now that it is known what the others will say; an id that is given comes before one that is made
        for draft in sorted(once.values(), key=lambda one: not is_fact_id(one.item.id)):
            if draft.key not in self._facts:
                self._unknown(draft)
        order = {item: number for number, item in enumerate(reading.items)}
        new = sorted(self._new.values(), key=lambda one: (order[one.item], one.key))
        brought = [*new, *[draft for change, draft in self._changed if change.how == UPDATED]]
        findings: list[Finding] = [found for draft in new for found in draft.findings]
        return IntakePlan(
            reading.source, tuple(new), self._same, tuple(self._items.items()),
            tuple([change for change, _ in self._changed]), tuple(self._closed),
            tuple(self._left_out), tuple(personal), sum(one.secrets for one in brought),
            tuple(findings), self._logs(new),
        )  # fmt: skip

    def _taken(self, id: str, text: str = "") -> bool:
        return id in self._state.histories

    def _leave_out(self, draft: Draft, why: str) -> None:
        self._left_out.append(LeftOut(draft.item.place, why, draft.item.key))

    def _is(self, draft: Draft, id: str) -> None:
        """Note which fact a draft is, or is to be."""
        self._ids[draft.key] = self._items[draft.item.key] = id
        self._used.add(id)

    def _unknown(self, draft: Draft) -> None:
        """Sort out an item that did not come from its source before."""
        withheld = self._telling is not None and self._telling.repeats(draft.text)
        if withheld or draft.event.mark == "x":
            why = "it was redacted here" if withheld else "it is settled already"
            return self._leave_out(draft, why)
        words, used = plain(draft.text), self._used
        if words in self._texts:
            id = self._texts[words]
            self._is(draft, id)
            fact = self._state.fact(id)
            if fact and fact.false:
                return self._false_here(draft, fact)
            self._same += 1
            return None
        id, first = draft.item.id, draft.text.split("\n", 1)[0]
        if not is_fact_id(id):  # of its first line, or of all of it where several have that one
            for text in (first if len(first.split()) > 1 else draft.text, draft.text):
                id = free_id(text, used, self._taken, self._words)
                if id not in used and not self._taken(id):
                    break
        if id in used or self._taken(id):
            return self._leave_out(draft, f"`{id}` is another fact: give it an id that is free")
        self._texts[words] = id
        self._is(draft, id)
        self._new[draft.key] = draft._replace(event=draft.event._replace(id=id))
        return None

    def _again(self, draft: Draft, fact: Fact) -> None:
        """Sort out an item that came from its source before."""
        self._is(draft, fact.id)
        acts = self._state.histories[fact.id].acts
        open_ = fact.kind in CLOSABLE and not (fact.false or fact.closed)
        if draft.event.mark == "x" and open_:
            if not any(isinstance(act.event, ThreadReopened) for act in acts):
                self._closed.append(fact.id)
        heads = tuple([head.id for head in fact.heads])
        base, now = dict(fact.meta).get(IMPORTED, ""), version_id(draft.text)
        changed = Changed(fact.id, draft.item, fact.text, draft.text, UPDATED)
        if fact.false and self._reading.decided and now in (base, *heads):
            self._false_here(draft, fact)
        elif now in (base, *heads):
            self._same += fact.id not in self._closed
        elif heads == (base,) and not fact.false:
            self._changed.append((changed, draft))
            for words in [plain(head.text) for head in fact.heads]:
                if self._texts.get(words) == fact.id:
                    del self._texts[words]
            self._texts.setdefault(plain(draft.text), fact.id)
        elif self._taken(asking(fact.id, now)):
            self._same += 1
        else:
            self._changed.append((changed._replace(how=ASKED), draft))
            thread = changed_twice(self._reading.source, fact.id, draft.text)
            self._threads[thread.id] = thread

    def _false_here(self, draft: Draft, fact: Fact) -> None:
        """Leave out what memory calls false; of a decision that its document accepts, ask."""
        if self._reading.decided and not fact.redacted:
            asked = denied(fact.id, draft.item.place.partition("@")[0].rpartition(":")[0])
            self._threads[asked.id] = asked
        self._leave_out(draft, f"`{fact.id}` says it, and is false here")

    def _replaced(self, draft: Draft) -> list[str]:
        """Return the ids that a new fact takes the place of."""
        found = []
        for key in [key_in(self._reading.source, name) for name in draft.item.replaces]:
            fact = self._facts.get(key)
            if key in self._new or (fact and not fact.false):
                found.append(self._ids.get(key) or (fact.id if fact else ""))
        return found

    def _logs(self, new: list[Draft]) -> tuple[tuple[Event, ...], ...]:
        """Return the events of the logs: births, then what needs them to be there."""
        births = [one.event for one in new]
        births.sort(key=lambda one: (dict(one.meta).get("created", "9999"), one.id))
        edges = [
            (old, one.id) for _, one in sorted(self._new.items()) for old in self._replaced(one)
        ]
        loose: list[Event] = []
        for changed, draft in self._changed:
            if changed.how == UPDATED:
                heads = tuple([head.id for head in self._state[changed.id].fact.heads])
                kept = tuple([pair for pair in draft.event.meta if pair[0] in ("source", IMPORTED)])
                loose.append(FactUpdated(changed.id, draft.text, heads, meta=kept))
        loose += [one for id, one in sorted(self._threads.items()) if not self._taken(id)]
        loose += [ThreadClosed(id) for id in self._closed]
        return tuple(map(tuple, parts([*with_edges(births, edges), *[(one,) for one in loose]])))


def apply_intake(
    memory: Memory, plan: IntakePlan, agent: str, progress: Callable[[int, int], None]
) -> list[Receipt]:
    """Write what a plan says: one log of type `import`, several where it is too much for one.

    Returned is the receipt of each, oldest first. `agent` takes it in, "" for the default of the process;
    `progress` is told how many of how many logs are written.

    Raises:
        DraftRefused: memory has by now what the plan takes for new; what was written before is whole, and
            taking in again brings the rest.
        DiurnaError: as `Memory.append`.
    """
    done: list[Receipt] = []
    for number, events in enumerate(plan.logs):
        progress(number, len(plan.logs))
        title, header = f"Import from {plan.source}", (("source", plan.source),)
        draft = SessionDraft(title, _prose(plan, number), events, agent, "import", header)
        done.append(memory.append(draft, again=True))
    return done


def _prose(plan: IntakePlan, number: int) -> str:
    updated = sum(one.how == UPDATED for one in plan.changed)
    asked = sum(one.how == ASKED for one in plan.changed)
    told = [
        (len(plan.new), "new"),
        (plan.same, "known already"),
        (updated, "changed there since"),
        (asked, "changed there and here"),
        (len(plan.closed), "settled"),
        (len(plan.left_out), "left out"),
    ]
    said = ", ".join([f"{count} {what}" for count, what in told if count])
    part = f"\n\nPart {number + 1} of {len(plan.logs)}." if len(plan.logs) > 1 else ""
    return f"Of what {plan.source} has: {said}.{part}"
