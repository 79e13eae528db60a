"""Gather what may be proposed beside what logs tell: findings, verdicts, dropped work, questions in vain.

Auditors and validators meet the same again and again. A session asked in vain, asked again, and opened a
fact then (FORMAT.md, W13): whether that was one question a person says; what is found by now is not asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ledger.codec.log import decode
from ledger.model.event import FactCreated, FactReferenced, FactUpdated
from ledger.model.evidence import ASKED_MARK, proof_in
from ledger.model.logset import LogRef
from ledger.model.session import ASKED_KEY, Entry
from memory.api import Memory
from memory.query.provenance import LogLine
from memory.redaction.withheld_lines import Telling
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.log_bytes import read_bytes
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.graph.fact_links import footer
from projection.lifecycle.review_threads import key_of
from projection.policy.model import ATTEMPT_KIND, PATTERN_KIND
from projection.text.normalize import plain
from projection.work.finding_facts import REGRESSED, finding_of
from rituals.hosts.quoted_items import Item
from rituals.review.learning.offer import ASKED, DROPPED, FINDING, Offer, Proposal, offered
from rituals.review.review_question import LEARN, Question

#: So many findings of one rule are a habit.
_HABIT = 3
#: How a verdict begins that is none in favour.
_FAILED = "fail"
_PATHS = 3
#: The kinds of facts that hold whatever became of the work.
_LEARNED = (ATTEMPT_KIND, PATTERN_KIND)
#: So many captured logs are read, the newest, and so many questions proposed; among so many hits of recall
#: a fact is found.
_LOGS, _MOST, _FOUND = 200, 3, 3
_CHARS = 300


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


def asked_in_vain(
    memory: Memory,
    state: State,
    logs: Sequence[tuple[LogRef, Entry]],
    answered: Collection[str],
    withheld: Telling | None,
) -> list[Proposal]:
    """Propose the questions that found nothing, and behind which a fact was opened or used.

    `logs` are in ledger order; `answered` has the keys of what was answered before; `withheld` must be
    nowhere, None for nothing.
    """
    places: dict[tuple[str, str], list[tuple[str, str]]] = {}
    said: dict[tuple[str, str], str] = {}
    for ref, entry in [log for log in reversed(logs) if log[1].reach][:_LOGS]:
        for id, question in _questions(memory, ref):
            one = id, plain(question)
            said.setdefault(one, question.replace(";", ","))
            places.setdefault(one, []).append((ref.stem, entry.session or ref.stem))
    found: list[Proposal] = []
    for (id, words), where in places.items():
        key, question, fact = key_of(LEARN, f"{id} {words}"), said[id, words], state.fact(id)
        if fact is None or key in answered or len(found) == _MOST:
            continue
        if (withheld is None or not withheld.repeats(question)) and _is_news(
            memory, fact, question
        ):
            sessions = frozenset([session for _, session in where])
            item = Item(fact.kind, question, "")
            offer = Offer(ASKED, item, tuple([stem for stem, _ in where]), len(sessions), sessions)
            found.append(_proposal(offer, key, fact))
    return found


def in_words(event: FactUpdated, text: str) -> FactUpdated:
    """Return what accepting a question says happened, in a person's own words."""
    before = dict(event.meta)[ASKED_KEY].rpartition("; ")[0]
    return event._replace(meta=((ASKED_KEY, "; ".join(filter(None, (before, text)))),))


def _questions(memory: Memory, ref: LogRef) -> Iterator[tuple[str, str]]:
    """Yield what a log says was asked in vain, with the fact; nothing of one whose words are withheld."""
    mark = ASKED_MARK.encode()
    if memory.ask(lambda cache: ref.stem in redacted_logs(cache)):
        return
    for _, data in read_bytes(memory.home, [ref]):
        for event in decode(data, sealed=True)[0].events if mark in data else ():
            proof = proof_in(event.remark) if isinstance(event, FactReferenced) else None
            yield from [(event.id, question) for question in proof.asked[1:]] if proof else ()


def _is_news(memory: Memory, fact: Fact, question: str) -> bool:
    """Tell whether a fact that stands is not found by a question yet."""
    if fact.false or fact.redacted or fact.closed or len(fact.heads) != 1:
        return False
    known = footer(fact, ASKED_KEY)
    if len(known) + len(question) + 2 > _CHARS:
        return False
    hits = memory.recall(question, limit=_FOUND, vectors=False).facts
    return fact.id not in [hit.id for hit in hits]


def _proposal(offer: Offer, key: str, fact: Fact) -> Proposal:
    question = offer.item.text
    asked = "; ".join(filter(None, (footer(fact, ASKED_KEY), question)))
    heads = tuple([version.id for version in fact.heads])
    event = FactUpdated(fact.id, fact.text, heads, meta=((ASKED_KEY, asked),))
    put = Question(
        LEARN, key, (fact.id,), f"Does `{fact.id}` answer this? {question}",
        (f"it was opened or used behind it in {', '.join(offer.places)}",),
        f"let recall find `{fact.id}` by it", (event,),
    )  # fmt: skip
    return Proposal(offer, (), put, (f"  {fact.id}: {fact.text}", f"+ asked: {question}"))
