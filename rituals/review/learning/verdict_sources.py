"""Gather offers from findings and verdicts: what auditors and validators meet again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ledger.codec.log import decode
from ledger.model.event import FactCreated
from memory.query.provenance import LogLine
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.policy.model import ATTEMPT_KIND, PATTERN_KIND
from projection.work.finding_facts import REGRESSED, finding_of
from rituals.hosts.extraction.extracted_items import Item
from rituals.review.learning.offer import DROPPED, FINDING, Offer, offered

#: So many findings of one rule are a habit.
_HABIT = 3
#: How a verdict begins that is none in favour.
_FAILED = "fail"
_PATHS = 3
#: The kinds of facts that hold whatever became of the work.
_LEARNED = (ATTEMPT_KIND, PATTERN_KIND)


def offers_of_verdicts(state: State, judged: Iterable[LogLine]) -> Iterator[Offer]:
    """Offer to look twice at what validators called failed three times.

    `judged` has the logs with a verdict, in ledger order.
    """
    failed: dict[str, list[LogLine]] = {}
    for log in judged:
        if log.verdict.startswith(_FAILED) and log.role in state.policy.learning.validators:
            for name in log.about:
                failed.setdefault(name, []).append(log)
    for name, times in sorted(failed.items()):
        fact = state.fact(name)
        if len(times) < _HABIT or fact is None or fact.false or fact.redacted:
            continue
        what = fact.text.split("\n")[0]
        text = f"Look twice at `{name}` before handing it in ({what}): {times[-1].title}"
        item = Item("pattern", text, f"failed {len(times)} times", tags=("verdict",))
        stems = tuple([one.stem for one in reversed(times)])
        yield from offered(FINDING, item, stems, len(times), stems)


def offers_of_dropped(logs: Mapping[str, bytes]) -> Iterator[Offer]:
    """Offer what work that is on no branch any more had learned: what was tried in vain, and lessons.

    `logs` has the bytes of each by its stem.
    """
    for stem, data in sorted(logs.items(), reverse=True):
        for event in decode(data, sealed=True, file=stem)[0].events:
            kind = dict(event.meta).get("kind", "") if isinstance(event, FactCreated) else ""
            if isinstance(event, FactCreated) and kind in _LEARNED:
                item = Item(kind, event.text or "", "", tags=(DROPPED,))
                yield from offered(DROPPED, item, (stem,), 0, (stem,))


def offers_of_findings(state: State, standings: Iterable[Standing]) -> Iterator[Offer]:
    """Offer what auditors find again and again: a rule with three findings, or a bug that came back."""
    by_rule: dict[str, list[Fact]] = {}
    came_back: Counter[str] = Counter()
    for fact in [one.fact for one in standings if not (one.fact.false or one.fact.redacted)]:
        finding = finding_of(fact, state.histories[fact.id])
        if finding is not None:
            by_rule.setdefault(finding.rule, []).append(fact)
            came_back[finding.rule] += finding.times_regressed
    for rule, facts in sorted(by_rule.items()):
        again = came_back[rule]
        if not rule or (len(facts) < _HABIT and not again):
            continue
        facts.sort(key=lambda fact: (fact.born, fact.id), reverse=True)
        paths = dict.fromkeys(dict(fact.meta).get("path", "") for fact in facts)
        named = [f"`{path}`" for path in paths if path][:_PATHS]
        where = f" (at first look in {', '.join(named)})" if named else ""
        newest = facts[0].text.split("\n")[0]
        text = f"Before handing in, check for {rule}: {newest}{where}"
        how = f"found {len(facts)} times" + (f", {REGRESSED} {again} times" if again else "")
        item = Item("pattern", text, how, tags=("finding",))
        places, sessions = tuple([fact.id for fact in facts]), {fact.origin for fact in facts}
        yield from offered(FINDING, item, places, len(facts) + 2 * again, sessions)
