"""Take in what an auditor, a test or a linter found: one fact for one bug, whoever meets it and how often.

A new bug becomes an open fact of the kind `finding`; one that is known and open is named, one that was
fixed is opened again and called regressed, and one that was called false stays so.
"""

from __future__ import annotations

from ledger.codec.fact_blocks import order_meta
from ledger.errors import DraftRefused
from ledger.escape import prose
from ledger.model.event import Event, FactCreated, FactReferenced, ThreadReopened
from ledger.model.finding_codes import Finding as Noticed
from ledger.secrets.scanner import without_secrets
from memory import Memory, Receipt, SessionDraft, footer_value
from projection.policy.model import FINDING_KIND
from projection.work.reported_findings import FIXED, REGRESSED, BugFound, finding_of
from rituals.hosts.capture.log_composition import sentence_of

#: What becomes of what was found, beside `REGRESSED`.
NEW, KNOWN, DISMISSED = "new", "known", "dismissed"
_TEXT_CHARS, _NAME_CHARS = 500, 200


def report(
    memory: Memory, bug: BugFound, draft: SessionDraft, *, dry_run: bool = False
) -> tuple[BugFound, str, Receipt | None]:
    """Record what was found; return it as it is recorded, what became of it, and the receipt of its log.

    `draft` says whose report it is: agent and header. There is no log of what is dismissed.

    Raises:
        DraftRefused: it has no rule or no message, or the log can not be stored.
    """
    rule, path, symbol = (
        footer_value(without_secrets(said))[:_NAME_CHARS].strip()
        for said in (bug.rule, bug.file.removeprefix("file://"), bug.symbol)
    )
    message = prose(without_secrets(bug.message))[:_TEXT_CHARS].strip()
    bug = BugFound(sentence_of(rule), message, path, symbol)
    if not bug.rule or not bug.message:
        said = "a finding needs a rule and a message"
        raise DraftRefused((Noticed("event-without-fact", said),))
    state, outcome = memory.state(), NEW
    if standing := state.get(bug.id):
        if standing.fact.false or standing.fact.redacted:
            return bug, DISMISSED, None
        known = finding_of(standing.fact, state.histories[bug.id])
        outcome = REGRESSED if known is not None and known.state == FIXED else KNOWN
    event: Event = (ThreadReopened if outcome == REGRESSED else FactReferenced)(bug.id)
    if outcome == NEW:
        meta = order_meta((("kind", FINDING_KIND), *bug.footers))
        event = FactCreated(bug.id, bug.text, " ", meta)
    at = " ".join([part for part in (bug.path, bug.symbol) if part])
    line = f"- {outcome}: `{bug.id}` {bug.rule}: {bug.message}{f' ({at})' if at else ''}"
    draft = draft._replace(title=f"Findings: 1 {outcome}", prose=line, events=(event,))
    return bug, outcome, memory.append(draft, dry_run=dry_run)
