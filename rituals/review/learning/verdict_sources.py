"""Gather offers from findings and verdicts: what auditors and validators meet again and again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.codec.log import decode
from ledger.model.event import FactCreated
from memory.query.provenance import LogLine
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.policy.model import ATTEMPT_KIND, PATTERN_KIND
from projection.work.finding_facts import REGRESSED, finding_of
from rituals.hosts.capture.composition import storable
from rituals.hosts.extraction.extracted_items import Item
from rituals.review.learning.offer import DROPPED, FINDING, Offer

#: So many findings of one rule are a habit.
_HABIT = 3
#: How a verdict begins that is none in favour.
_FAILED = "fail"
_PATHS = 3
#: The kinds of facts that hold whatever became of the work.
_LEARNED = (ATTEMPT_KIND, PATTERN_KIND)


def offers_of_verdicts(state: State, judged: Iterable[LogLine]) -> list[Offer]:
    """Offer to look twice at what validators called failed three times.

    `judged` has the logs with a verdict, in ledger order.
    """
    failed: dict[str, list[LogLine]] = {}
    for one in judged:
        if one.verdict.startswith(_FAILED) and one.role in state.policy.learning.validators:
            for name in one.about:
                failed.setdefault(name, []).append(one)
    found: list[Offer] = []
    for name, times in sorted(failed.items()):
        fact = state.fact(name)
        if len(times) < _HABIT or fact is None or fact.false or fact.redacted:
            continue
        what = fact.text.split("\n")[0]
        text = f"Look twice at `{name}` before handing it in ({what}): {times[-1].title}"
        item = Item("pattern", text, f"failed {len(times)} times", tags=("verdict",))
        stems = [one.stem for one in reversed(times)]
        found += [
            Offer(FINDING, fit, tuple(stems), len(times), frozenset(stems))
            for fit in storable([item])
        ]
    return found


def offers_of_dropped(logs: Mapping[str, bytes]) -> list[Offer]:
    """Offer what work that is on no branch any more had learned: what was tried in vain, and lessons.

    `logs` has the bytes of each by its stem.
    """
    found: list[Offer] = []
    for stem, data in sorted(logs.items(), reverse=True):
        log, _ = decode(data, sealed=True, file=stem)
        for event in log.events:
            if not isinstance(event, FactCreated):
                continue
            kind = dict(event.meta).get("kind", "")
            if kind in _LEARNED:
                item = Item(kind, event.text or "", "", tags=(DROPPED,))
                fits = storable([item])
                found += [Offer(DROPPED, fit, (stem,), 0, frozenset((stem,))) for fit in fits]
    return found


def offers_of_findings(state: State, standings: Iterable[Standing]) -> list[Offer]:
    """Offer what auditors find again and again: a rule with three findings, or a bug that came back."""
    by_rule: dict[str, list[Standing]] = {}
    came_back: dict[str, int] = {}
    for standing in standings:
        finding = finding_of(standing.fact, state.histories[standing.fact.id])
        if finding is not None and not standing.fact.false and not standing.fact.redacted:
            by_rule.setdefault(finding.rule, []).append(standing)
            came_back[finding.rule] = came_back.get(finding.rule, 0) + finding.times_regressed
    found: list[Offer] = []
    for rule, listed in sorted(by_rule.items()):
        again = came_back[rule]
        if not rule or (len(listed) < _HABIT and not again):
            continue
        listed.sort(key=lambda one: (one.fact.born, one.fact.id), reverse=True)
        paths = dict.fromkeys(dict(one.fact.meta).get("path", "") for one in listed)
        named = [f"`{path}`" for path in paths if path][:_PATHS]
        where = f" (at first look in {', '.join(named)})" if named else ""
        newest = listed[0].fact.text.split("\n")[0]
        text = f"Before handing in, check for {rule}: {newest}{where}"
        how = f"found {len(listed)} times" + (f", {REGRESSED} {again} times" if again else "")
        item = Item("pattern", text, how, tags=("finding",))
        places = tuple([one.fact.id for one in listed])
        sessions = frozenset([one.fact.origin for one in listed])
        found += [
            Offer(FINDING, fit, places, len(listed) + 2 * again, sessions)
            for fit in storable([item])
        ]
    return found
