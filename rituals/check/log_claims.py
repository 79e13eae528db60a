"""Find landings that logs record and that the objects which are here do not bear out (FORMAT.md, B9)."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.codec.log import read_header
from ledger.environment import monotonic
from ledger.errors import DiurnaError
from ledger.git.ancestry import missing, whole_ids
from ledger.git.landing_evidence import history
from ledger.git.landing_search import HOWS, search
from ledger.home import OWN_REPOSITORY, Home
from ledger.model.event import VERB_OF, FactHelped, WorkLanded
from ledger.model.evidence import place_in
from ledger.model.findings import Finding
from ledger.model.layout import log_path
from ledger.model.order import stem_in
from memory.cache.cache_file import Cache
from memory.cache.head_store import read_heads
from memory.replay.read_logs import read_bytes
from memory.replay.unlanded_work import Works, works_of
from rituals.check.survey import Survey

#: How many landings are proved in one check, the newest first, and how long that may take.
_MOST, _SECONDS = 40, 5.0
_ROWS = 'SELECT log, stem, "commit", how FROM landings WHERE verb = ? ORDER BY log DESC'
_HINT = (
    "`diurna show STEM` tells who recorded it; where that commit is, the work counts as if it were"
)
_HELP_HINT = (
    "the help still counts; `diurna why` tells who said it, and `--ignored` speaks against it"
)


def unproven(survey: Survey) -> Iterator[Finding]:
    """Name them. Of work whose commits are not here nothing is said, nor of what was found out here."""
    rows, works = survey.memory.ask(lambda cache: _gathered(survey.home, cache))
    if works is None or not rows:
        return
    git, kept, until = survey.home.repository.git(), read_heads(survey.home), monotonic() + _SECONDS
    logs = {log.stem: log for log in works.logs}
    here = whole_ids(git, {commit for _, _, commit, _ in rows})
    for key, stem, commit, how in rows[:_MOST]:
        log = logs.get(stem)
        if log is None or how not in HOWS or not here.get(commit) or monotonic() > until:
            continue
        settled = kept.settled.get(kept.points.get(stem, log.commit))
        work = None if settled is not None and settled.commit == commit else works.of(log)
        if work is None or not whole_ids(git, {work.point})[work.point]:
            continue
        try:
            found = search(git, work, history(git, commit))
        except DiurnaError:
            continue
        if found is None:
            said = f"{stem} is said to have landed in {commit[:7]} ({how}), which does not hold its work"
            yield Finding("landed-unproven", said, log_path(stem_in(key)), hint=_HINT)


def _gathered(home: Home, cache: Cache) -> tuple[list[tuple[str, str, str, str]], Works | None]:
    rows = cache.rows(_ROWS, (VERB_OF[WorkLanded],))
    return rows, works_of(home, cache) if rows else None


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
            yield Finding("evidence-gone", message, log_path(stem_in(key)), hint=_HELP_HINT)
