"""The objects of `--json` answers: the keys that scripts may rely on."""

from __future__ import annotations

from ledger.model.event import GRAMMAR, VERB_OF, Event, FactCreated, FactUpdated
from ledger.model.findings import Finding
from ledger.secrets.scanner import without_secrets
from memory.write.draft import course
from projection.document.render import REDACTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.home import Home
    from memory.edits.absorb import Absorption
    from memory.query.provenance import Difference, Link, LogLine, Step
    from memory.write.draft import Receipt
    from projection.document.marks import Mark
    from projection.fold.state import Standing, Summary
    from rituals.answers.status import Overview
    from rituals.decide.redaction import Holder
    from rituals.decide.remaining_copies import Holding
    from rituals.sync.report import Report


def finding_object(finding: Finding) -> dict[str, object]:
    """Describe a finding."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "file": finding.file,
        "line": finding.line,
        "message": without_secrets(finding.message),
        "hint": finding.hint,
    }


def finding_objects(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Describe findings."""
    return [finding_object(finding) for finding in findings]


def status_object(found: Overview) -> dict[str, object]:
    """Describe where a ledger stands."""
    upstream = found.upstream
    return {
        "home": home_object(found.home),
        "logs": found.logs,
        "sessions": found.sessions,
        "facts": found.facts,
        "tiers": dict(found.tiers),
        "review": {
            "due": found.review_due,
            "since": found.since_review,
            "every": found.review_every,
            "reasons": list(found.due),
            **dict(zip(found.size._fields, found.size, strict=True)),
        },
        "drift": list(found.drift),
        "edited": list(found.edited),
        "waiting": list(found.waiting),
        "findings": finding_objects(found.edits),
        "contradictions": [fact for fact, _ in found.contradictions],
        "disputed": [{"id": fact, "kinds": list(kinds)} for fact, kinds in found.contradictions],
        "confirm": {"due": list(found.unconfirmed), "every": found.confirm_every},
        "counted": _tally_object(found),
        "upstream": upstream.name if upstream else "",
        "ahead": upstream.ahead if upstream else 0,
        "behind": upstream.behind if upstream else 0,
    }


def _tally_object(found: Overview) -> dict[str, object]:
    """Describe what was counted, as of which commit, and whether that is now."""
    tally = found.tally
    return {
        "now": found.counted_now,
        "tip": tally.tip if tally else "",
        "questions": dict(tally.questions) if tally else {},
        "findings": dict(tally.found) if tally else {},
        "accepted": tally.accepted if tally else 0,
    }


def mark_object(mark: Mark) -> dict[str, object]:
    """Describe what a reader has to know before the text of a fact."""
    return {"closed": mark.closed, "false": mark.false, "instead": list(mark.instead)}


def fact_object(standing: Standing, mark: Mark) -> dict[str, object]:
    """Describe a fact where it stands, and what stands in its place."""
    fact = standing.fact
    meta = dict(fact.meta)
    return {
        "id": fact.id,
        "kind": fact.kind,
        "text": fact.text,
        "tier": standing.tier,
        "uses": fact.uses,
        "created": fact.created,
        "last_used": fact.last_used,
        "origin": fact.origin,
        "tags": [tag.strip() for tag in meta.pop("tags", "").split(",") if tag.strip()],
        "meta": {key: value for key, value in meta.items() if key != "kind"},
        "superseded_by": list(fact.superseded_by),
        "supersedes": list(fact.supersedes),
        "invalidated": bool(fact.invalidated_at),
        **mark_object(mark),
        "verified": fact.verified,
        "redacted": fact.redacted,
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
        "reason": standing.reason,
        "quarter": standing.quarter,
    }


def summary_object(summary: Summary) -> dict[str, object]:
    """Describe which logs an answer was replayed from."""
    return {
        "logs": summary.logs,
        "sessions": summary.sessions,
        "newest": summary.newest,
        "digest": summary.digest,
    }


def home_object(home: Home) -> dict[str, object]:
    """Describe a home."""
    return {
        "kind": home.kind,
        "repository": home.repository.where,
        "branch": home.branch,
        "prefix": home.prefix,
    }


def receipt_object(receipt: Receipt) -> dict[str, object]:
    """Describe what an append did."""
    return {
        "stem": receipt.stem,
        "commit": receipt.commit,
        "facts": list(receipt.facts),
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
        "already": receipt.already,
        "path": receipt.path,
    }


def absorption_object(found: Absorption) -> dict[str, object]:
    """Describe what became of a person's edit."""
    return {
        "file": found.file,
        "events": [event_object(event) for event in found.events],
        "stem": found.stem,
        "commit": found.commit,
        "findings": finding_objects(found.findings),
    }


def event_object(event: Event) -> dict[str, object]:
    """Describe an event of a log that is not appended yet."""
    described: dict[str, object] = {"event": VERB_OF[type(event)], "id": event.id}
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


def step_object(step: Step) -> dict[str, object]:
    """Describe one event of a fact."""
    return {
        "stem": step.stem,
        "agent": step.agent,
        "event": step.event,
        "date": step.date,
        "commit": step.commit,
        "author": step.author,
        "text": step.text,
        "version": step.version,
        "was": list(step.was),
        "remark": step.remark,
        "path": step.path,
        "title": step.title,
    }


def link_object(link: Link) -> dict[str, object]:
    """Describe one supersession of a chain."""
    return {"old": link.old, "new": link.new, "stem": link.stem, "counts": link.counts}


def holder_object(holder: Holder) -> dict[str, object]:
    """Describe a log that holds what was withheld."""
    return {
        "path": holder.path,
        "commit": holder.commit,
        "author": holder.author,
        "remotes": list(holder.remotes),
    }


def holding_object(found: Holding) -> dict[str, object]:
    """Describe what git itself still has of what was withheld."""
    return {
        "files": list(found.blobs),
        "commits": found.commits,
        "messages": found.messages,
        "references": list(found.references),
        "reflogs": found.reflogs,
        "packs": list(found.packs),
    }


def log_object(line: LogLine) -> dict[str, object]:
    """Describe one session log."""
    return {
        "stem": line.stem,
        "agent": line.agent,
        "title": line.title,
        "ended": line.ended,
        "type": line.type,
        "path": line.path,
    }


def difference_object(difference: Difference) -> dict[str, object]:
    """Describe what changed between two points."""
    return {
        "sessions": difference.sessions,
        "learned": list(difference.learned),
        "corrected": [{"id": fact, "how": how} for fact, how in difference.corrected],
        "faded": list(difference.faded),
        "returned": list(difference.returned),
        "closed": list(difference.closed),
    }


def sync_object(report: Report) -> dict[str, object]:
    """Describe a sync."""
    return {
        "remote": report.remote,
        "branch": report.branch,
        "commit": report.commit,
        "came": list(report.came),
        "agents": report.agents,
        "went": report.went,
        "facts": dict(zip(report.learned._fields, report.learned, strict=True)),
        "tries": report.tries,
        "offline": report.offline,
        "ahead": report.ahead,
        "findings": finding_objects(report.findings),
        "dry_run": report.dry_run,
    }
