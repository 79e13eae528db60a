"""Amend a log on its way from a draft to its seal: a list of questions, each asked once, in this order.

An amendment is `(log, case) -> (log, findings)`: it may change the log, tell of it, or refuse it.
"""

from __future__ import annotations

from ledger.git.repository import head
from ledger.git.work_tree import is_dirty
from ledger.home import OWN_BRANCH
from ledger.model.order import stem_in
from ledger.model.session import WORK, WORKING, SessionLog
from ledger.secrets.log_redaction import guard
from memory.write.birth_footers import check_evidence, check_footers
from memory.write.doubtful_words import doubtful
from memory.write.duplicate_check import look_first
from memory.write.known_ids import check_named, with_whole_ids
from memory.write.opened_facts import with_opened
from memory.write.personal_guard import as_personal, is_own, refuse_personal
from memory.write.received_handoffs import with_received
from memory.write.seen_versions import with_seen_versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ledger.model.findings import Finding
    from memory.write.draft import Case

    Amendment = Callable[[SessionLog, Case], tuple[SessionLog, tuple[Finding, ...]]]
    Told = dict[Amendment, tuple[Finding, ...]]

_HEADER_ORDER = ("role", "host", "model", "session", "started")
_FILLED = ("agent", "ended", "after", "type", *_HEADER_ORDER, "branch", "commit", "dirty")


def amended(log: SessionLog, case: Case, amendments: Iterable[Amendment], told: Told) -> SessionLog:
    """Return a log as amendments leave it; what they tell is kept by amendment.

    Raises:
        DraftRefused: one of them refuses the log.
    """
    for amendment in amendments:
        log, told[amendment] = amendment(log, case)
    return log


def with_header(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Fill in what the draft leaves open of the header."""
    draft, home, occasion = case.draft, case.home, case.occasion
    given = dict(draft.header)
    values = {"agent": draft.agent or occasion.agent}
    if case.cache.summary.newest and not case.how.at:
        values["after"] = stem_in(case.cache.summary.newest)
    if draft.type in WORKING and occasion.session:
        values["session"] = occasion.session
    if draft.type != WORK:
        values["type"] = draft.type
    values.update([(key, given[key]) for key in _HEADER_ORDER if given.get(key)])
    reference, commit = head(home.repository)
    if "branch" in given or reference:
        values["branch"] = given.get("branch") or reference.removeprefix("refs/heads/")
    if "commit" in given or commit:
        values["commit"] = given.get("commit") or commit
    # whether the code beside a branch of memory's own holds what its commit has not (C3)
    asks = commit and "commit" not in given and home.kind == OWN_BRANCH
    if given.get("dirty") or (asks and is_dirty(home.repository)):
        values["dirty"] = "yes"
    extra = tuple([pair for pair in draft.header if pair[0] not in _FILLED])
    header = tuple([(key, values[key]) for key in _FILLED if key in values])
    return log._replace(header=header + extra), ()


def _kept_personal(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    if is_own(case.home, case.cache.policy):
        return log._replace(events=as_personal(log.events)), ()
    refuse_personal(case.home, case.cache.policy, log.events)
    return log, ()


def _without_secrets(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    privacy = case.cache.policy.privacy
    strict = case.how.strict or privacy.secrets == "refuse"
    return guard(log, personal=privacy.personal, strict=strict)


def _without_withheld(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    if not case.cache.redacted:  # most homes withhold nothing
        return log, ()
    from memory.write.withheld_words import without_withheld

    return without_withheld(log, case)


#: What the log is, all as of one commit.
NAMED: tuple[Amendment, ...] = (with_whole_ids, with_opened, with_received)
#: What it may say.
WORDED: tuple[Amendment, ...] = (
    with_header,
    with_seen_versions,
    _kept_personal,
    doubtful,
    _without_secrets,
    _without_withheld,
)
#: What it can mean, once it has a name.
MEANT: tuple[Amendment, ...] = (check_footers, check_evidence, check_named, look_first)
#: In which order their findings are told; those of a retry end before the doubts.
_TOLD: tuple[Amendment, ...] = (
    with_whole_ids,
    _without_secrets,
    doubtful,
    look_first,
    check_named,
    check_evidence,
)


def told_of(told: Told, *, again: bool = False) -> tuple[Finding, ...]:
    """Return what amendments told, in order; `again`: of a log that only repeats another one."""
    asked = _TOLD[:2] if again else _TOLD
    return tuple([finding for amendment in asked for finding in told.get(amendment, ())])
