"""Build the objects of `--json` answers: the keys that scripts may rely on."""

from __future__ import annotations

from ledger.environment import now_ms
from ledger.model.event import GRAMMAR, VERB_OF, Event, FactCreated, FactUpdated
from ledger.model.findings import Finding
from ledger.model.order import ended_of, stamp_of
from ledger.model.session import ASKED_KEY
from memory.write.draft import Near, Receipt, course
from projection.document.page_renderer import REDACTED
from projection.work.finding_facts import state_of
from rituals.answers.record_fields import all_fields_of, fields_of, mark_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.query.log_lines import LogLine
    from memory.query.provenance import Provenance, Step
    from memory.replay.reader_marks import Marks
    from projection.document.fact_remarks import Mark, Met
    from projection.fold.fact_history import Fact, History
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing, Summary
    from projection.fold.testimony import Testimony
    from rituals.answers.status_values import Overview
    from rituals.hosts.capture.boundary import Outcome
    from rituals.review.learning_plan import Proposal
    from rituals.review.promotions import Promotion


def without_secrets(text: str) -> str:
    """Leave secrets out of a text: what looks for them is loaded with the first one."""
    from ledger.secrets.scanner import without_secrets

    return without_secrets(text)


def finding_object(finding: Finding) -> dict[str, Any]:
    """Describe a finding."""
    found = fields_of(finding, "code severity file line message hint")
    return {**found, "message": without_secrets(finding.message)}


def finding_objects(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Describe findings."""
    return [finding_object(finding) for finding in findings]


def status_object(found: Overview) -> dict[str, Any]:
    """Describe where a ledger stands."""
    upstream = found.upstream
    return {
        "home": home_object(found.home),
        **fields_of(found, "logs sessions facts"),
        "fading": [one.id for one in found.fading],
        "tiers": dict(found.tiers),
        "review": {
            "due": found.review_due,
            "since": found.since_review,
            "every": found.review_every,
            "reasons": list(found.due),
            **fields_of(found.size, "facts lines closed_lines"),
        },
        "publish": fields_of(found.publish, "when here trunk"),
        **fields_of(found, "drift edited waiting"),
        "silent": list(found.silent),
        "starts": dict(zip(("today", "without_memory"), found.starts, strict=True)),
        "not_told": list(found.not_told),
        "not_asked": list(found.unasked),
        "untold": found.untold,
        "helped": all_fields_of(found.helped),
        "captured": {
            "waiting": list(found.held),
            "because": found.obstacle,
            "taken_out": list(found.taken_out),
        },
        "by_itself": {
            "at": ended_of(stamp_of(found.by_itself.at)) if found.by_itself.at else "",
            **fields_of(found.by_itself, "took_ms did doing"),
            "because": found.hindered,
        },
        "findings": finding_objects(found.edits),
        "contradictions": [fact for fact, _ in found.contradictions],
        "disputed": disputed_objects(found.contradictions),
        "confirm": {"due": list(found.unconfirmed), "every": found.confirm_every},
        "upstream": upstream.name if upstream else "",
        "ahead": upstream.ahead if upstream else 0,
        "behind": upstream.behind if upstream else 0,
        "reads": [
            {"name": one.name, "fetched_at": int(one.fetched_at), "age": one.age(found.now)}
            for one in found.reads
        ],
    }


def fact_object(standing: Standing, mark: Mark, history: History | None = None) -> dict[str, Any]:
    """Describe a fact where it stands, and what stands in its place; a finding by its history, too."""
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
            {
                "id": version.id,
                "text": REDACTED if fact.redacted else version.text,
                "stem": version.stem,
                "was": list(version.parents),
            }
            for version in fact.heads
        ],
        "contradiction": fact.contradicted,
        "rivals": list(fact.rivals),
        "circle": list(fact.circle) if fact.circular else [],
        "denied": [{"stem": stem, "new": new} for stem, new in fact.denied],
        "state": state_of(fact, history) or mark.standing,
        "moves": [fields_of(move, "state stem agent session") for move in fact.moves],
        **fields_of(standing, "reason quarter"),
    }


def described(
    cache: Cache, state: State, facts: Sequence[Standing], marks: Marks
) -> list[dict[str, Any]]:
    """Describe facts of a state whose logs the cache has; a person's side of two comes first."""
    from memory.replay.reader_marks import known
    from projection.document.fact_remarks import mark_of
    from projection.fold.testimony import RANK, persons_first, word_of
    from projection.lifecycle.promotion import marked_as

    def fact_of(name: str) -> Fact | None:
        found = state.get(name)
        return None if found is None else found.fact

    def rank(stem: str) -> int:
        return RANK[word_of(cache.entry(stem))]

    facts = [one._replace(fact=persons_first(one.fact, rank)) for one in facts]
    told = known(cache, [one.fact for one in facts])
    met: Met = {}

    def mark(fact: Fact) -> Mark:
        found = marked_as(fact, mark_of(fact, fact_of, met), state.policy.learning)
        return marks.on(found, fact)

    return [
        fact_object(one, mark(one.fact), state.histories.get(one.fact.id))
        | known_object(told[one.fact.id])
        for one in facts
    ]


def known_object(found: Testimony) -> dict[str, str]:
    """Describe how a fact is known."""
    return {"known": found.word, "known_by": found.by}


def provenance_object(found: Provenance) -> dict[str, Any]:
    """Describe why memory holds a fact."""
    return {
        "id": found.id,
        **mark_object(found.mark),
        **known_object(found.known),
        "events": [_step_object(step) for step in found.steps],
        "chain": [fields_of(link, "old new stem counts") for link in found.chain],
    }


def _step_object(step: Step) -> dict[str, object]:
    said = fields_of(
        step,
        "stem agent event date commit author via text version was remark path title waiting "
        "source by created",
    )
    proof = step.proof
    return {**said, "evidence": fields_of(proof, "how at by words") if proof else None}


def summary_object(summary: Summary) -> dict[str, Any]:
    """Describe which logs an answer was replayed from."""
    return fields_of(summary, "logs sessions newest digest")


def home_object(home: Home) -> dict[str, Any]:
    """Describe a home."""
    return {
        "kind": home.kind,
        "repository": home.repository.where,
        **fields_of(home, "branch prefix named"),
    }


def receipt_object(receipt: Receipt) -> dict[str, Any]:
    """Describe what an append did."""
    return {
        **fields_of(receipt, "stem commit waits facts"),
        "did": {verb.lower(): list(ids) for verb, ids in receipt.did},
        "tiers": [
            {
                "id": fact,
                "before": before,
                "after": after,
                "course": course(before, after) if before else "",
            }
            for fact, before, after in receipt.tiers
        ],
        "findings": finding_objects(receipt.findings),
        **fields_of(receipt, "already path"),
    }


def disputed_objects(found: Iterable[tuple[str, tuple[str, ...]]]) -> list[dict[str, Any]]:
    """Describe which facts are contradicted, and by what."""
    return [{"id": fact, "kinds": list(kinds)} for fact, kinds in found]


def near_objects(near: Iterable[Near]) -> list[dict[str, Any]]:
    """Describe which facts are near new ones."""
    return [fields_of(one, "fact id kind text") for one in near]


def event_object(event: Event) -> dict[str, Any]:
    """Describe an event of a log that is not appended yet."""
    described: dict[str, Any] = {"event": VERB_OF[type(event)], "id": event.id}
    if isinstance(event, FactCreated | FactUpdated):
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
    box = f"[{event.mark}] " if event.mark else ""
    meta = ", ".join(value if key == "kind" else f"{key}: {value}" for key, value in event.meta)
    return f"{said}{f' ({meta})' if meta else ''}: {box}{without_secrets(event.text).split(chr(10))[0]}"


def log_object(line: LogLine) -> dict[str, Any]:
    """Describe one session log."""
    return fields_of(
        line, "stem agent user title ended type path waiting role verdict about tokens"
    )


def capture_object(
    outcomes: Iterable[Outcome], held: list[str], *, dry_run: bool
) -> dict[str, Any]:
    """Describe what became of sessions that were to be told, and which captured logs wait."""
    return {
        "sessions": [_outcome_object(one, dry_run=dry_run) for one in outcomes],
        "held": held,
        "landed": [],
        "dry_run": dry_run,
    }


def _outcome_object(found: Outcome, *, dry_run: bool) -> dict[str, Any]:
    logs = [
        {"stem": stem, **({"log": data.decode()} if dry_run else {})} for stem, data in found.logs
    ]
    attempts = (
        "at why outcome extractor ms observed facts known used personal owned dropped quoted withheld "
        "said"
    )
    return {
        **fields_of(found.asked, "host session"),
        "said": found.said,
        "logs": logs,
        "attempts": [fields_of(one, attempts) for one in found.attempts],
    }


def proposal_object(found: Proposal) -> dict[str, Any]:
    """Describe a proposal of `learn`: what it would record, and what speaks for it."""
    return {
        "key": found.key,
        "id": found.question.accept[0].id,
        **fields_of(found.habit, "source text places"),
        "evidence": list(found.question.evidence),
        "diff": list(found.diff),
    }


def promotion_object(found: Promotion) -> dict[str, Any]:
    """Describe a fact that is worth a place in a file for agents, and what would become of that."""
    why = list(found.question.evidence)
    return {
        "key": found.key,
        "id": found.fact,
        "evidence": why,
        **fields_of(found, "path refused diff"),
    }
