"""Propose in which words a fact is asked for: those that found nothing before it was opened.

A session asked in vain, asked again, and then opened the fact (FORMAT.md, W13). Whether that was one
question a person says; what recall finds by now is not proposed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ledger.codec.log import decode
from ledger.model.event import FactReferenced, FactUpdated
from ledger.model.evidence import ASKED_MARK, proof_in
from ledger.model.logset import LogRef
from ledger.model.session import ASKED_KEY, Entry
from memory.api import Memory
from memory.redaction.withheld_lines import Telling
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.log_bytes import read_bytes
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.graph.fact_links import footer
from projection.lifecycle.review_threads import key_of
from projection.text.normalize import plain
from rituals.hosts.extraction.extracted_items import Item
from rituals.review.learning.offer import ASKED, Offer, Proposal
from rituals.review.review_question import LEARN, Question

#: So many captured logs are read, the newest, and so many questions proposed; among so many hits of recall
#: a fact is found.
_LOGS, _MOST, _FOUND = 200, 3, 3
_CHARS = 300


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
