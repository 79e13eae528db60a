"""Take in what auditors, tests and linters found: one fact for one bug, whoever meets it and how often.

A new bug becomes an open fact of the kind `finding`; one that is known and open is named, one that was
fixed is opened again and called regressed, and one that was called false stays so. One log has it all.
"""

from __future__ import annotations

from collections import Counter

from ledger.codec.fact_blocks import order_meta
from ledger.errors import DraftRefused
from ledger.escape import prose
from ledger.model.event import Event, FactCreated, FactReferenced, ThreadReopened
from ledger.model.findings import Finding as Noticed
from ledger.model.record import Record
from ledger.secrets.scanner import without_secrets
from memory.api import Memory
from memory.write.birth_footers import footer_value
from memory.write.draft import Receipt, SessionDraft
from projection.fold.full_replay import State
from projection.policy.model import FINDING_KIND
from projection.work.finding_facts import FIXED, REGRESSED, BugFound, finding_of
from rituals.hosts.capture.composition import sentence_of

#: What becomes of what was found, beside `REGRESSED`.
NEW, KNOWN, DISMISSED = "new", "known", "dismissed"
_TEXT_CHARS, _NAME_CHARS = 500, 200


class Taken(Record):
    """What became of one thing that was found: `NEW`, `KNOWN`, `REGRESSED` or `DISMISSED`."""

    bug: BugFound
    outcome: str


class Reported(Record):
    """What a report came to: each thing once, and the receipt of its log, None where there is none."""

    taken: tuple[Taken, ...]
    receipt: Receipt | None


def report(
    memory: Memory, bugs: tuple[BugFound, ...], draft: SessionDraft, *, dry_run: bool = False
) -> Reported:
    """Record what was found; the same bug counts once.

    `draft` says whose report it is: agent and header.

    Raises:
        DraftRefused: a finding has no rule or no message, or the log can not be stored.
    """
    bugs = tuple([_plain(bug) for bug in bugs])
    if any(not bug.rule or not bug.message for bug in bugs):
        said = "a finding needs a rule and a message"
        raise DraftRefused((Noticed("event-without-fact", said),))
    state = memory.state()
    once = {bug.id: bug for bug in bugs}
    taken = tuple([Taken(bug, _outcome(state, bug)) for bug in once.values()])
    events: list[Event] = []
    lines = []
    for bug, outcome in taken:
        if outcome == NEW:
            meta = order_meta((("kind", FINDING_KIND), *bug.footers))
            events.append(FactCreated(bug.id, bug.text, " ", meta))
        elif outcome != DISMISSED:
            events.append((ThreadReopened if outcome == REGRESSED else FactReferenced)(bug.id))
        where = bug.path + (f":{bug.line}" if bug.line else "")
        at = " ".join([part for part in (where, bug.symbol) if part])
        line = f"- {outcome}: `{bug.id}` {bug.rule}: {bug.message}"
        lines.append(f"{line} ({at})" if at else line)
    if not events:
        return Reported(taken, None)
    counts = Counter([one.outcome for one in taken])
    words = [word for word in (NEW, REGRESSED, KNOWN, DISMISSED) if counts[word]]
    title = draft.title or f"Findings: {', '.join([f'{counts[word]} {word}' for word in words])}"
    draft = draft._replace(title=title, prose="\n".join(lines), events=tuple(events))
    return Reported(taken, memory.append(draft, dry_run=dry_run))


def _plain(bug: BugFound) -> BugFound:
    """Make of what a program wrote what a fact can have: on one line, without secrets, of some length."""
    rule, path, symbol = (
        footer_value(without_secrets(said))[:_NAME_CHARS].strip()
        for said in (bug.rule, bug.file.removeprefix("file://"), bug.symbol)
    )
    message = prose(without_secrets(bug.message))[:_TEXT_CHARS].strip()
    return BugFound(sentence_of(rule), message, path, symbol, max(0, bug.line))


def _outcome(state: State, bug: BugFound) -> str:
    standing = state.get(bug.id)
    if standing is None:
        return NEW
    if standing.fact.false or standing.fact.redacted:
        return DISMISSED
    finding = finding_of(standing.fact, state.histories[bug.id])
    return REGRESSED if finding is not None and finding.state == FIXED else KNOWN
