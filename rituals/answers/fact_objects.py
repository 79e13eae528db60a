"""Build the objects of answers: the keys that scripts may rely on, and that text is written from."""

from __future__ import annotations

from ledger.environment import now_ms
from ledger.model.event import GRAMMAR, VERB_OF, Event, FactCreated, FactUpdated
from ledger.model.session import ASKED_KEY
from memory import Receipt
from projection.fold.fact_history import REDACTED_TEXT
from rituals.answers.record_to_dict import fields_of, mark_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memory import Cache, LogLine, Marks, Provenance
    from projection.document.fact_remarks import Mark, Met
    from projection.fold.fact_history import Fact, History
    from projection.fold.full_replay import State
    from projection.fold.live_view import Standing, Summary

_STEP = (
    "stem agent event date commit author via text version was remark path title waiting source by "
    "created evidence=proof(how at by words)"
)


def fact_object(standing: Standing, mark: Mark, history: History | None = None) -> dict[str, Any]:
    """Describe a fact where it stands, and what stands in its place; a finding by its history, too."""
    from projection.work.reported_findings import state_of

    fact = standing.fact.seen(now_ms())
    meta = dict(fact.meta)
    return {
        **fields_of(fact, "id kind text"),
        "tier": standing.tier,
        **fields_of(fact, "uses created last_used origin"),
        "tags": [tag.strip() for tag in meta.pop("tags", "").split(",") if tag.strip()],
        "meta": {key: value for key, value in meta.items() if key not in ("kind", ASKED_KEY)},
        **fields_of(fact, "superseded_by supersedes"),
        "invalidated": bool(fact.invalidated_at),
        **mark_object(mark),
        **fields_of(fact, "verified redacted"),
        "versions": [
            fields_of(version, "id text stem was=parents")
            | ({"text": REDACTED_TEXT} if fact.redacted else {})
            for version in fact.heads
        ],
        **fields_of(fact, "contradiction=contradicted rivals"),
        "circle": fact.circle if fact.circular else (),
        "denied": [{"stem": stem, "new": new} for stem, new in fact.denied],
        "state": state_of(fact, history) or mark.standing,
        **fields_of(fact, "moves(state stem agent session)"),
        **fields_of(standing, "reason quarter"),
    }


def described(
    cache: Cache, state: State, facts: Sequence[Standing], marks: Marks
) -> list[dict[str, Any]]:
    """Describe facts of a state whose logs the cache has; a person's side of two comes first."""
    from memory import known_by
    from projection.document.fact_remarks import mark_of
    from projection.fold.testimony import RANK, persons_first, word_of
    from projection.lifecycle.promotion import marked_as

    def rank(stem: str) -> int:
        return RANK[word_of(cache.entry(stem))]

    facts = [one._replace(fact=persons_first(one.fact, rank)) for one in facts]
    told = known_by(cache, [one.fact for one in facts])
    met: Met = {}

    def mark(fact: Fact) -> Mark:
        found = marked_as(fact, mark_of(fact, state.fact, met), state.policy.learning)
        return marks.on(found, fact)

    return [
        fact_object(one, mark(one.fact), state.histories.get(one.fact.id))
        | fields_of(told[one.fact.id], "known=word known_by=by")
        for one in facts
    ]


def provenance_object(found: Provenance) -> dict[str, Any]:
    """Describe why memory holds a fact."""
    told = f"known=known.word known_by=known.by events=steps({_STEP}) chain"
    return {"id": found.id, **mark_object(found.mark), **fields_of(found, told)}


def summary_object(summary: Summary) -> dict[str, Any]:
    """Describe which logs an answer was replayed from."""
    return fields_of(summary, "logs sessions newest digest")


def receipt_object(receipt: Receipt | None) -> dict[str, Any]:
    """Describe what an append did; None is for nothing."""
    receipt = receipt or Receipt("")
    return {
        **fields_of(receipt, "stem commit waits facts"),
        "did": {verb.lower(): list(ids) for verb, ids in receipt.did},
        **fields_of(receipt, "findings already path near"),
    }


def event_object(event: Event) -> dict[str, Any]:
    """Describe an event of a log that is not appended yet."""
    described: dict[str, Any] = {"event": VERB_OF[type(event)], "id": event.id}
    if isinstance(event, FactCreated | FactUpdated):
        from ledger.secrets.scanner import without_secrets

        text = None if event.text is None else without_secrets(event.text)
        described.update(text=text, mark=event.mark, meta=dict(event.meta))
    verb = GRAMMAR[type(event)]
    for place, naming in enumerate(verb.namings):
        names = naming.names(event)
        if names or not place:  # the first of them is always told
            described[naming.field] = names or []
    if verb.arrow is not None:
        described[verb.arrow.field] = getattr(event, verb.arrow.field)
    return described


def event_line(event: Event) -> str:
    """Write an event on one line: its verb, the id and how the text begins."""
    said = f"{VERB_OF[type(event)]:<11} {event.id}"
    if not isinstance(event, FactCreated | FactUpdated) or event.text is None:
        return said
    from ledger.secrets.scanner import without_secrets

    box = f"[{event.mark}] " if event.mark else ""
    meta = ", ".join(value if key == "kind" else f"{key}: {value}" for key, value in event.meta)
    return f"{said}{f' ({meta})' if meta else ''}: {box}{without_secrets(event.text).split(chr(10))[0]}"


def log_object(line: LogLine) -> dict[str, Any]:
    """Describe one session log."""
    return fields_of(
        line, "stem agent user title ended type path waiting role verdict about tokens"
    )
