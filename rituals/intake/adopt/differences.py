"""Explain where the right count differs from the reference tool's.

The reference's values are those of `compat`; the right ones are read off the replayed state. A reason is
found by looking at the logs in which the two disagree, the way a person would.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase, digits

from ledger.model.findings import Finding
from ledger.model.order import stem_in
from ledger.model.record import Record
from ledger.model.session import Entry
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from rituals.intake.adopt.adopted_files import CONTINUITY, SESSIONS
from rituals.intake.adopt.compat import ID_PATTERN, Footer, references_span

_IDS = re.compile(ID_PATTERN)
_WORD = ascii_lowercase + digits + "-."
_NO_USE = ("archived", "tier change", "faded", "swept", "unchanged", "superseded", "invalidated")


class Difference(Record):
    """One value of one fact that the reference tool computes otherwise.

    `field` is `tier`, `uses`, `created`, `last_used`, or `fact` for what is no fact at all.
    """

    fact: str
    field: str
    reference: str
    right: str
    reason: str

    @property
    def finding(self) -> Finding:
        """The difference as a finding."""
        said = f"`{self.fact}` {self.field}: the reference tool says {self.reference or 'nothing'}"
        right = self.right or "nothing"
        return Finding("adopt-differs", f"{said}, right is {right} ({self.reason})", CONTINUITY)


def differences(
    footers: Sequence[Footer],
    state: State,
    logs: Sequence[tuple[str, bytes]],
    entries: Iterable[Entry],
) -> tuple[Difference, ...]:
    """Compare the reference tool's footers with the state of the adopted ledger.

    `logs` has (stem, bytes) of every file that the reference tool takes for a log; `entries` are the logs
    of the ledger as they are read.
    """
    asked = {footer.id for footer in footers}
    ours: dict[str, set[str]] = {}
    work: set[str] = set()
    for entry in entries:
        if entry.work:
            work.add(stem_in(entry.stem))
            for id in asked.intersection(entry.named):
                ours.setdefault(id, set()).add(stem_in(entry.stem))
    theirs: dict[str, set[str]] = {}
    texts: dict[str, bytes] = {}
    for stem, data in logs:
        texts[stem] = data
        for id in asked.intersection(_IDS.findall(_section(data))):
            theirs.setdefault(id, set()).add(stem)
    found: list[Difference] = []
    for footer in footers:
        standing = state.get(footer.id)
        if standing is None:
            reason = "a footer in code, a quotation or a comment, or without a text, is no fact"
            found.append(Difference(footer.id, "fact", "a fact", "none", reason))
            continue
        fact = standing.fact
        uses = theirs.get(footer.id, set()), ours.get(footer.id, set())
        if footer.uses != str(fact.uses):
            why = _why_uses(footer, *uses, texts, work)
            found.append(Difference(footer.id, "uses", footer.uses, str(fact.uses), why))
        if footer.last_used != fact.last_used:
            why = _why_last(footer, standing)
            found.append(Difference(footer.id, "last_used", footer.last_used, fact.last_used, why))
        if footer.created != fact.created:
            why = "no date, so the log that created it or the import stands for it"
            found.append(Difference(footer.id, "created", footer.created, fact.created, why))
        if footer.tier != standing.tier:
            why = "no log names it, and then the reference keeps whatever label it has"
            if footer.id in theirs or standing.tier in ("core", "superseded"):
                why = _why_tier(footer, standing, len(logs), state.summary.sessions)
            found.append(Difference(footer.id, "tier", footer.tier, standing.tier, why))
    return tuple(found)


def _section(data: bytes) -> str:
    """Return the part of a log in which the reference tool looks for ids, "" if there is none."""
    begin, end = references_span(data)
    return data[begin:end].decode("utf-8", "replace").replace("\r\n", "\n")


def _why_uses(
    footer: Footer, theirs: set[str], ours: set[str], texts: Mapping[str, bytes], work: set[str]
) -> str:
    """Name the reasons for a different number of uses, with how many logs each concerns."""
    if not theirs and footer.tier not in ("core", "superseded") and not ours:
        return "no log names it, and then the reference keeps whatever number it has"
    counts: dict[str, int] = {}
    for stem in sorted(theirs ^ ours):
        if stem in ours:
            reason = _why_yes(footer.id, texts.get(stem, b""))
        elif stem in work:
            reason = _why_not(footer.id, _section(texts[stem]))
        else:
            reason = f"{SESSIONS}/{stem}.md is no log"
        counts[reason] = counts.get(reason, 0) + 1
    if footer.tier in ("core", "superseded"):
        counts = {f"the reference never counts what is {footer.tier}": 0, **counts}
    found = [f"{count} x {reason}" if count else reason for reason, count in counts.items()]
    return ", ".join(found) or "by a footer that stands twice"


def _why_not(id: str, section: str) -> str:
    """Say why a mention that the reference counts is no use: the reason of the first one."""
    at = section.find(id)
    if at < 0:
        return "not a whole id"
    row = section[section.rfind("\n", 0, at) + 1 :].partition("\n")[0]
    unit = _unit(section, at)
    lead = unit.lstrip("-*+ ").lower()
    before, after = section[at - 1 : at], section[at + len(id) : at + len(id) + 1]
    if lead.startswith("(none"):
        return "behind `(none …)`"
    if (before and before in _WORD + ascii_uppercase + "_/") or after in tuple("_/ABC"):
        return "inside a longer word"
    if unit.count("(") > unit.count(")"):
        return "a remark in parentheses"
    if lead.startswith(_NO_USE):
        return "under a verb that is no use"
    if lead == unit.lower() and row.strip() and not unit.startswith(("-", "*", "+")):
        return "a mention in prose"
    return "beside an id or verb, not as one of the ids"


def _unit(section: str, at: int) -> str:
    """Return the bullet or paragraph that holds a place, up to that place."""
    begin = section.rfind("\n\n", 0, at) + 2 if "\n\n" in section[:at] else 0
    for bullet in ("\n- ", "\n* ", "\n+ "):
        begin = max(begin, section.rfind(bullet, 0, at) + 1)
    return section[begin:at].lstrip("\n")


def _why_yes(id: str, data: bytes) -> str:
    """Say why a use is one though the reference does not see it."""
    if id in _section(data):
        return "a single word, a leading digit or dots in the id"
    if data.lower().count(b"\n## memory references") > 1:
        return "a second references section"
    return "a heading with a suffix or in other letters"


def _why_last(footer: Footer, standing: Standing) -> str:
    if footer.tier in ("core", "superseded"):
        return f"the reference never updates what is {footer.tier}"
    if not standing.fact.uses:
        return "no log names it: the day it was created stands"
    return "the last log that names it, by the reasons given for `uses`"


def _why_tier(footer: Footer, standing: Standing, files: int, sessions: int) -> str:
    """Say why the tier is another one; the first rule that explains it."""
    fact = standing.fact
    right = standing.tier
    if right == "superseded":
        return "the logs or the archive say that it is false"
    if right == "core":
        never = "what stands under Architectural Invariants never decays"
        return "a log promoted it" if fact.promoted else never
    if fact.open:
        return "an open thread is at least active; the reference keeps whatever label it has"
    if footer.tier in ("superseded", "core"):
        return f"its text is {right} by count, and nothing says that it is {footer.tier}"
    if right == "archived":
        return "not named within the archive window; the reference knows no such tier"
    if footer.tier == "working" or right == "working":
        return "age counts from the log that created it; the reference counts later dates"
    if footer.uses != str(fact.uses) or footer.last_used != fact.last_used:
        return "by the other count"
    return f"{files} files are {sessions} work logs" if files != sessions else "never referenced"
