"""Plan what is taken in from a source, and write it as logs of type `import` that name the source.

Each item is looked at first; a plan writes nothing, and one that has nothing new writes no log.

An item is known again by what its source calls it (the footer `key`), and by the text that it last had
there (`imported`). So a second reading brings nothing, one that changed is an update, and where both sides
changed a person is asked. What comes under a new name is passed over where memory says it already, word
for word; what a text means is not looked at. Keeps I1 to I6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.model.event import Event, FactCreated, ThreadClosed
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id, version_id
from memory.api import Memory
from memory.redaction.withheld_lines import telling_of
from memory.write.draft import SessionDraft
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.policy.model import CLOSABLE
from rituals.intake.intake_items import (
    ASKED,
    IMPORTED,
    UPDATED,
    Applied,
    Changed,
    IntakePlan,
    Item,
    Known,
    LeftOut,
    Planned,
    Reading,
    asking,
    changed_twice,
    denied,
    key_in,
)
from rituals.intake.stored_facts import (
    Brought,
    Draft,
    Drafts,
    parts,
    places_clean,
    update_to,
    with_edges,
    without_circles,
)
from rituals.record.draft_composer import id_of_text, words_for


def plan_intake(memory: Memory, reading: Reading) -> IntakePlan:
    """Plan what a reading of a source brings to a home, which is open; nothing is written."""
    made = _Planning(memory, reading)
    made.sort_out()
    return made.plan()


class _Planning:
    """The making of one plan."""

    def __init__(self, memory: Memory, reading: Reading) -> None:
        self._memory, self._reading = memory, places_clean(reading)
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
        self._new: dict[str, Draft] = {}  # by key
        self._changed: list[tuple[Changed, Draft]] = []
        self._denied: dict[str, FactCreated] = {}
        self._closed: list[str] = []
        self._ids: dict[str, str] = {}  # facts by key, also those to be
        self._items: dict[str, str] = {}  # the same by the keys of their items
        self._used: set[str] = set()  # ids, also those to be
        self._texts: dict[str, str] = {}  # key of what is new, by its words

    def sort_out(self) -> None:
        """Say of each item what it is to this memory; in an order that is not the source's."""
        policy = self._state.policy
        drafts = self._drafts
        shared = not policy.personal
        found: list[Draft] = []
        for item in self._reading.items:
            if shared and item.personal:
                self._personal.append(item)
                continue
            draft = drafts.draft(item)
            if isinstance(draft, LeftOut):
                self._left_out.append(draft._replace(key=item.key))
            else:
                found.append(draft)
        once: dict[str, Draft] = {}
        for draft in sorted(found, key=lambda one: (one.key, one.text, one.item)):
            if once.setdefault(draft.key, draft) is not draft:
                why = "the source calls another one the same"
                self._leave_out(draft, why)
        unknown: list[Draft] = []
        for draft in once.values():
            fact = self._known.of_key(draft.key)
            if fact is None:
                unknown.append(draft)
            else:
                self._again(draft, fact)
        self._used = set(self._ids.values())
        # now that it is known what the others will say; an id that is given comes before one that is made
        for draft in sorted(unknown, key=lambda one: not is_fact_id(one.item.id)):
            self._unknown(draft)

    def _unknown(self, draft: Draft) -> None:
        """Sort out an item that did not come from its source before."""
        withheld = self._known.withholds(draft.text)
        if withheld or draft.event.mark == "x":
            why = "it was redacted here" if withheld else "it is settled already"
            self._leave_out(draft, why)
            return
        fact = self._known.saying(draft.text)
        if fact is not None:
            self._is(draft, fact.id)
            if fact.false:
                self._false_here(draft, fact)
            else:
                self._same += 1
            return
        from projection.text.normalize import plain

        said = plain(draft.text)
        first = self._texts.get(said, "")
        if first:
            self._same += 1
            self._is(draft, self._ids[first])
            return
        made = draft.item.id if is_fact_id(draft.item.id) else self._made(draft)
        if made in self._used or self._known.taken(made):
            why = f"`{made}` is another fact: give it an id that is free"
            self._leave_out(draft, why)
            return
        self._texts[said] = draft.key
        self._is(draft, made)
        self._used.add(made)
        self._new[draft.key] = draft

    def _leave_out(self, draft: Draft, why: str) -> None:
        self._left_out.append(LeftOut(draft.item.place, why, draft.item.key))

    def _is(self, draft: Draft, id: str) -> None:
        """Note which fact a draft is, or is to be."""
        self._ids[draft.key] = self._items[draft.item.key] = id

    def _made(self, draft: Draft) -> str:
        """Make an id of a text: of its first line, or of all of it where several have that one."""
        made = ""
        for text in (draft.named, draft.text):
            made = id_of_text(text, self._used, self._known.taken, self._words)
            if made not in self._used and not self._known.taken(made):
                break
        return made

    def _again(self, draft: Draft, fact: Fact) -> None:
        """Sort out an item that came from its source before."""
        self._is(draft, fact.id)
        settled = draft.event.mark == "x" and fact.kind in CLOSABLE and not fact.false
        if settled and not fact.closed and not self._known.reopened(fact.id):
            self._closed.append(fact.id)
        heads = tuple([head.id for head in fact.heads])
        base, now = dict(fact.meta).get(IMPORTED, ""), version_id(draft.text)
        changed = Changed(fact.id, draft.item, fact.text, draft.text, UPDATED)
        if fact.false and self._reading.decided and now in (base, *heads):
            self._false_here(draft, fact)
        elif now == base or now in heads:
            self._same += fact.id not in self._closed
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
        if self._reading.decided and not fact.redacted:
            asked = denied(fact.id, place.partition("@")[0].rpartition(":")[0])
            self._denied[asked.id] = asked
        self._leave_out(draft, f"`{fact.id}` says it, and is false here")

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
        return without_circles(pairs, self._state)

    def plan(self) -> IntakePlan:
        """Put it together."""
        order = {item: number for number, item in enumerate(self._reading.items)}
        new: list[Planned] = []
        for key, draft in sorted(self._new.items(), key=lambda one: (order[one[1].item], one[0])):
            self._redacted += draft.secrets
            self._findings += draft.findings
            id = self._ids[key]
            new.append(Planned(id, draft.item, draft.event._replace(id=id)))
        return IntakePlan(
            self._reading.source, tuple(new), self._same, tuple(self._items.items()),
            tuple([changed for changed, _ in self._changed]), tuple(self._closed),
            tuple(self._left_out), tuple(self._personal), self._redacted, tuple(self._findings),
            self._logs(new),
        )  # fmt: skip

    def _logs(self, new: Sequence[Planned]) -> tuple[tuple[Event, ...], ...]:
        """Return the events of the logs: births, then what needs them to be there."""
        source = self._reading.source
        births = sorted(
            [one.event for one in new],
            key=lambda one: (dict(one.meta).get("created", "9999"), one.id),
        )
        brought: list[Brought] = []
        threads = [*self._denied.values()]
        for changed, draft in self._changed:
            base = tuple([head.id for head in self._state[changed.id].fact.heads])
            if changed.how == UPDATED:
                brought.append(Brought(update_to(draft.event._replace(id=changed.id), base)))
            elif changed.how == ASKED:
                threads.append(changed_twice(source, changed.id, changed.text))
        missing = {one.id: one for one in threads if not self._known.taken(one.id)}
        brought += [Brought(thread) for _, thread in sorted(missing.items())]
        cut = parts(
            [*with_edges(births, self._edges()), *brought],
            [ThreadClosed(id) for id in self._closed],
        )
        return tuple([tuple(events) for events in cut])


def apply_intake(
    memory: Memory,
    plan: IntakePlan,
    *,
    agent: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Applied:
    """Write what a plan says: one log of type `import`, several where it is too much for one.

    `agent` takes it in, "" for the default of the process; `progress` is told how many of how many logs
    are written.

    Raises:
        DraftRefused: memory has by now what the plan takes for new; what was written before is whole, and
            taking in again brings the rest.
        DiurnaError: as `Memory.append`.
    """
    done = Applied()
    for number, events in enumerate(plan.logs):
        if progress is not None:
            progress(number, len(plan.logs))
        draft = SessionDraft(
            f"Import from {plan.source}",
            _prose(plan, number),
            events,
            agent,
            "import",
            (("source", plan.source),),
        )
        receipt = memory.append(draft, again=True)
        done = Applied(
            (*done.stems, receipt.stem),
            (*done.commits, *([receipt.commit] if receipt.commit else [])),
            (*done.findings, *receipt.findings),
        )
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
