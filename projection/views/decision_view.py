"""Write the view `decisions`: what was decided, numbered, the newest first and whole.

A decision's number is its place among all facts that ever were decisions, in the order of the logs that
made them so. A log that is appended sorts behind all others, so it changes no number, and neither does
what happens to a decision later: superseded, invalidated, withheld or of another kind, it keeps its own.
Only a log that arrives late, from a clone that worked beside this one, moves up the numbers behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ledger.model.event import (
    FactCreated,
    FactInvalidated,
    FactRedacted,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
)
from ledger.model.ids import version_id
from ledger.model.log_names import is_date
from ledger.model.record import Record
from projection.document.page_renderer import one_line
from projection.fold.fact_history import REDACTED_TEXT, Act, Fact, History
from projection.fold.fact_links import footer
from projection.policy.model import DEFAULT_KIND, THREAD_KIND
from projection.views.view_page import Item, Page, Section, ViewSource, fact_item, told

KIND = "decision"
#: How many stand whole; of the others one line tells.
WHOLE = 10
EARLIER = "Earlier"
LABEL = "Decision: "
NONE = "None."
NOT_SAID = "not recorded"
_RATIONALE = ("rationale:", "why:", "reason:", "because:")
_BECAUSE = " because "
MADE, REWORDED, FALSE, AGAIN = "made", "reworded", "marked as false", "holds again"


def decisions(source: ViewSource) -> Page:
    """Write the view."""
    numbers = numbered(source.histories)
    facts = [one.fact for one in source.shared() if one.fact.kind == KIND]
    shown = [(numbers[fact.id], fact) for fact in facts if fact.id in numbers]
    shown.sort(key=lambda row: (-row[0], row[1].id))
    named = [(f"DEC-{number:03d}: {told(fact)}", fact) for number, fact in shown]
    sections = [_whole(source, title, fact) for title, fact in named[:WHOLE]]
    lines = [
        f"- {title} ({fact.created or NOT_SAID}, {status(fact)}) `{fact.id}`"
        for title, fact in named[WHOLE:]
    ]
    sections.append(Section(EARLIER, tuple(lines) or (NONE,)))
    return Page(f"Decisions — {source.policy.project}", "", tuple(sections))


def numbered(histories: Mapping[str, History]) -> dict[str, int]:
    """Return the number of each fact that ever was a decision.

    Of what one import brought, each has its place by the date that it came with.
    """
    made = [next(changes(fact, histories, KIND), None) for fact in histories]
    births = sorted([(one.key, one.date or one.key[:10], one.fact) for one in made if one])
    return {born[-1]: number for number, born in enumerate(births, 1)}


def _whole(source: ViewSource, title: str, fact: Fact) -> Section:
    acts = source.histories[fact.id].acts
    by = {act.stem: one_line(act.by.agent) for act in acts if act.by.agent}
    made, *later = changes(fact.id, source.histories, KIND)
    lines: tuple[Item | str, ...] = (
        f"- Date: {fact.created or NOT_SAID}",
        f"- Decided by: {by.get(made.key, NOT_SAID)}",
        fact_item(fact, label=LABEL),
        f"- Rationale: {rationale(fact)}",
        f"- Status: {status(fact)}",
        *[_later(one, fact.clock(one.key)[:10], by.get(one.key, "")) for one in later],
    )
    return Section(title, lines)


def _later(change: Change, day: str, by: str) -> str:
    """Say what became of a decision since it was made: when, by whom, and what it said before."""
    before = f", it said: {one_line(change.before)}" if change.before else ""
    why = f" ({one_line(change.reason)})" if change.reason else ""
    who = f" by {by}" if by else ""
    return f"- {change.did.capitalize()}: {day}{who}{why}{before}"


def status(fact: Fact) -> str:
    """Say whether a decision holds."""
    if fact.superseded_by:
        return f"superseded by {', '.join(fact.superseded_by)}"
    if fact.invalidated_at:
        return "invalidated"
    return "contradicted" if fact.contradicted else "accepted"


def rationale(fact: Fact) -> str:
    """Return why: what the footer `rationale` says, a line called so, or what follows `because`."""
    said = footer(fact, "rationale")
    if said or fact.redacted or not fact.heads:
        return said or NOT_SAID
    return reason_in(fact.heads[0].text) or NOT_SAID


class Change(Record):
    """What one log did to one decision.

    `key` is of the log; `date` is when it was decided, where an import says so; `by` is who decided it
    elsewhere. `replaced` are the decisions that this one replaces, each as it stood: (id, text).
    """

    fact: str
    key: str
    did: str
    before: str
    after: str
    reason: str = ""
    date: str = ""
    by: str = ""
    replaced: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> tuple[str, str]:
        """The words that changed, before and after."""
        old, new = self.before.split(), self.after.split()
        start = _alike(old, new)
        end = _alike(old[start:][::-1], new[start:][::-1])
        return " ".join(old[start : len(old) - end]), " ".join(new[start : len(new) - end])


def changes(fact: str, histories: Mapping[str, History], kind: str) -> Iterator[Change]:
    """Yield what logs did to a fact since it became one of a kind, in ledger order."""
    acts = histories[fact].counting().acts
    hidden = any(isinstance(act.event, FactRedacted) for act in acts)
    texts: dict[str, str] = {}
    text, decided = "", False
    for act in acts:
        event = act.event
        match event:
            case FactCreated() | FactUpdated():
                meta = dict(event.meta)
                new = (text if event.text is None else event.text) or text
                seen = event.was if isinstance(event, FactUpdated) else None
                before = next((texts[one] for one in seen or () if one in texts), text)
                texts[version_id(new)] = text = new
                if before == new if decided else _kind(event) != kind:
                    continue
                did, decided = (REWORDED if decided else MADE), True
                said = event.remark or meta.get("rationale", "")
                why = reason_in(new)
                found = Change(
                    fact, act.stem, did, "" if did == MADE else before, new,
                    said or ("" if did == REWORDED and why == reason_in(before) else why),
                    created if is_date(created := meta.get("created", "")) else "",
                    meta.get("by", ""),
                    tuple(_replaced(fact, act.stem, histories)) if did == MADE else (),
                )  # fmt: skip
            case FactSuperseded() if event.id == fact and not _made(
                event.new, act, histories, kind
            ):
                found = Change(fact, act.stem, f"superseded by {event.new}", text, "", event.remark)
            case FactInvalidated():
                found = Change(fact, act.stem, FALSE, text, "", event.remark)
            case FactReinstated():
                found = Change(fact, act.stem, AGAIN, "", text, event.remark)
            case _:
                continue
        if decided:
            yield (
                found
                if not hidden
                else found._replace(
                    before=found.before and REDACTED_TEXT,
                    after=found.after and REDACTED_TEXT,
                    reason="",
                )
            )


def reason_in(text: str) -> str:
    """Return why, as a text says it: a line called so, or what follows `because`; "" for nothing."""
    for line in text.split("\n"):
        bare = line.strip(" -*\t\r")
        if bare.lower().startswith(_RATIONALE):
            return bare.partition(":")[2].strip(" *")
    line = next((line for line in text.split("\n") if _BECAUSE in line), "")
    return line.partition(_BECAUSE)[2].strip()


def _alike(one: list[str], other: list[str]) -> int:
    """Count the words that two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _made(fact: str, at: Act, histories: Mapping[str, History], kind: str) -> bool:
    """Tell whether the log of an act made another fact, which tells of it."""
    return any(
        act.stem == at.stem and type(act.event) is FactCreated and _kind(act.event) == kind
        for act in histories.get(fact, History()).acts
    )


def _kind(event: FactCreated | FactUpdated) -> str:
    """Return the kind that an event gives a fact, "" where it leaves it as it is."""
    usual = THREAD_KIND if event.mark else DEFAULT_KIND
    return dict(event.meta).get("kind", usual if type(event) is FactCreated else "")


def _replaced(fact: str, key: str, histories: Mapping[str, History]) -> Iterator[tuple[str, str]]:
    """Yield what a log replaced by a fact, as it stood until then."""
    for act in histories[fact].acts:
        event = act.event
        if act.stem == key and isinstance(event, FactSuperseded) and event.new == fact:
            past = histories.get(event.id, History()).acts
            text = ""
            for one in past:
                if isinstance(one.event, FactRedacted):
                    text = REDACTED_TEXT
                elif one.stem < key and isinstance(one.event, FactCreated | FactUpdated):
                    text = one.event.text or text
            yield event.id, text
