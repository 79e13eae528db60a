"""Find helps that name a place which the code has not at the commit of their log."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.codec.log import read_header
from ledger.git.code_places import missing
from ledger.home import OWN_REPOSITORY
from ledger.model.event import FactHelped
from ledger.model.evidence import place_in
from ledger.model.findings import Finding
from ledger.model.layout import log_path
from ledger.model.order import stem_in
from memory.replay.log_bytes import read_bytes
from rituals.check.survey import Survey

_HINT = "the help still counts; `diurna why` tells who said it, and `--ignored` speaks against it"


def misplaced(survey: Survey) -> Iterator[Finding]:
    """Name them; of a log without a commit, or of one that is not here, nothing is said.

    A home in a repository of its own has no code beside it.
    """
    if survey.home.kind == OWN_REPOSITORY:
        return
    said = [
        (act.stem, fact, place)
        for fact, history in sorted(survey.state.histories.items())
        for act in history.acts
        if isinstance(act.event, FactHelped) and (place := place_in(act.event.remark))
    ]
    keys = {key for key, _, _ in said}
    refs = [ref for ref in survey.logs[0] if ref.key in keys] if said else []
    commits = {
        ref.key: dict(read_header(data)).get("commit", "")
        for ref, data in read_bytes(survey.home, refs)
    }
    git = survey.home.repository.git()
    gone = missing(git, [(commits.get(key, ""), place) for key, _, place in said])
    for key, fact, place in said:
        if (commits.get(key, ""), place) in gone:
            what = f"{fact} is said to have helped at {place.path}:{place.line}"
            message = f"{what}, which is not at {commits[key][:7]}"
            yield Finding("evidence-gone", message, log_path(stem_in(key)), hint=_HINT)
