"""Check that the places that an append names as evidence are in the code."""

from __future__ import annotations

from ledger.errors import DraftRefused
from ledger.home import OWN_REPOSITORY
from ledger.model.event import FactHelped
from ledger.model.evidence import form_of, place_in
from ledger.model.findings import Finding
from ledger.model.session import WORKING
from projection.fold.checks import unproven

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.session import SessionLog
    from memory.write.draft import Case


def check_evidence(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Refuse places that the code has not at the log's commit; name the helps without evidence.

    Of a home in a repository of its own the code is not known, and nothing is looked at. The log has
    its header filled in.

    Raises:
        DraftRefused: the findings name each place.
    """
    home, commit = case.home, log.get("commit")
    working = log.type in WORKING
    helped = [event for event in log.events if working and isinstance(event, FactHelped)]
    if not helped:
        return log, ()
    places = [(event, place) for event in helped if (place := place_in(event.remark))]
    if commit and places and home.kind != OWN_REPOSITORY:
        from ledger.git.code_places import missing

        gone = missing(home.repository.git(), [(commit, place) for _, place in places])
        wrong = tuple(
            Finding("evidence-gone", f"{event.id}: {place.path}:{place.line} is not at {commit[:7]}",
                    hint="paths begin at the top of the repository, and what is not committed is not "
                    "there yet; a command does as well: `--helped 'ID=pytest -q: exit 0'`")
            for event, place in places
            if (commit, place) in gone
        )  # fmt: skip
        if wrong:
            raise DraftRefused(wrong)
    return log, tuple(unproven(event.id) for event in helped if not form_of(event.remark))
