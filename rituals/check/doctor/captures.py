"""Check that what hosts' sessions leave is recorded: the last attempt, and what waits untried."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.environment import variables
from ledger.model.findings import Finding
from projection.policy.model import OFF
from rituals.check.doctor.doctor_values import Noticed
from rituals.check.survey import Survey
from rituals.hosts.capture.capture_notes import FAILED, attempts
from rituals.hosts.capture.stamps import QUIET_MS, sessions, told_of
from rituals.hosts.observed.observation_spool import spool_of
from rituals.hosts.user_settings import settings

#: So many observations may wait behind their boundary.
UNTRIED = 25
_NOW = "`diurna capture` does it now"


def capture_noticed(survey: Survey) -> Iterator[Noticed]:
    """Say that the last attempt failed, that what should read sessions can not, and what waits untried."""
    if survey.policy[1].capture.keep == OFF:
        return
    commondir = survey.home.repository.commondir
    kept = attempts(commondir)
    if kept and kept[-1].outcome == FAILED:
        last = kept[-1]
        said = f"the session {last.session} of {last.host} could not be recorded: {last.said}"
        hint = f"the next boundary tries again; {_NOW}"
        yield Noticed(Finding("capture-failed", said, hint=hint))
    wrong = settings(variables()).wrong
    if wrong:
        hint = "until it is mended no model reads the sessions; it is your own file"
        yield Noticed(Finding("capture-settings", wrong, hint=hint))
    untried = 0
    for one in sessions(commondir):
        told = told_of(commondir, one.host, one.session)
        waiting, _ = spool_of(commondir, one.host, one.session).since(told.size)
        untried += sum([seen.at < survey.now_ms - QUIET_MS for seen in waiting])
    if untried > UNTRIED:
        said = f"{untried} observations wait that no boundary has tried to record"
        hint = f"hooks should have; `diurna install` writes them; {_NOW}"
        yield Noticed(Finding("capture-waits", said, hint=hint))
