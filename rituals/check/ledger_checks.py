"""Check the ledger and its checkout: each check yields what it finds, whoever asked."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ledger.codec.outline import marker_line
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import CONTINUITY_FILE, FORMAT_VERSION, POLICY_FILE, log_path, stem_of
from ledger.model.logset import LogRef
from ledger.model.order import ahead_by_a_day, is_sealed, is_weak
from ledger.model.session import says_personal
from memory.repair.lost_logs import lost_findings, named
from memory.worktree.page_copies import copy_of, read_copy, work_file
from memory.worktree.projection_files import committed_projection
from memory.write.kept_out import finding, is_own
from projection.policy.model import ASK, HOLD, UNSETTLED
from rituals.check.check_registry import TEXTS, Survey
from rituals.check.history import damage_finding
from rituals.check.projection_checks import (
    gone_policy,
    newer_format,
    policy_problem,
    projection_findings,
)
from rituals.check.worktree import undeclared, work_tree_findings

_PERSONAL_HINT = (
    "`diurna redact ID --reason WHY` withholds it; history still has it, and others may too"
)
_DUE_HINT = "run `diurna review`; `diurna review --dry-run` shows what it would do"
#: Codes of logs that stand in the work tree with other bytes than at the tip, or only there.
_IN_WORK_TREE = ("log-uncommitted", "log-edited")


def said(survey: Survey) -> Iterator[Finding]:
    """Tell what is odd about the set of logs, about each of them, and about what they say together."""
    listing, (refs, odd) = survey.listing(), survey.logs
    found = survey.state.findings()
    if survey.cold:  # a cache has noticed what lies beside the logs, too
        found = (*listing.findings, *odd, *found)
    told = _name_writers(survey.home, survey.tip, found, listing.standing)
    for one in _placed(told, refs):
        if one.code != "seal-broken" or not survey.purged(one.file):
            yield one


def _name_writers(
    home: Home, tip: str, odd: Iterable[Finding], standing: Mapping[str, str]
) -> Iterator[Finding]:
    """Say of two logs of one name who committed which."""
    git = home.repository.git()
    for one in odd:
        if one.code != "duplicate-stem":
            yield one
            continue
        stem = stem_of(one.file)
        said = []
        paths = sorted(path for path in standing if stem_of(path) == stem)
        for path in paths:
            line = git.run(
                "--literal-pathspecs", "log", "-1", "--diff-filter=A", "--no-show-signature",
                "--format=%h by %an", tip, "--", home.prefix + path, check=False,
            )  # fmt: skip
            words = line.decode("utf-8", "replace").strip()
            said.append(f"{path} came with {words}" if words else path)
        yield one._replace(
            message=f"two logs are named {stem} and differ; both are read: {'; '.join(said)}",
            hint="if one of them is a copy that was changed, say so in a new log",
        )


def _placed(findings: Iterable[Finding], refs: Sequence[LogRef]) -> Iterator[Finding]:
    """Put findings on the file a log really is, where it lies elsewhere than it would be put."""
    elsewhere = {guess: ref.path for ref in refs if (guess := log_path(ref.key)) != ref.path}
    for one in findings:
        at = elsewhere.get(one.file)
        yield one if at is None else one._replace(file=at)


def policy(survey: Survey) -> Iterator[Finding]:
    """Say what is wrong with the policy at the tip, which then gives way to the defaults."""
    blob, found, problem = survey.policy
    if survey.tip and not blob:
        path = survey.home.prefix + POLICY_FILE
        listed = survey.home.repository.git().tree_files(survey.tip, path)
        if listed:
            where = f"{POLICY_FILE} (object {listed[0][1]})"
            said = f"{where} is missing from the repository; the defaults are in force"
            hint = "fetch it from a clone that has it"
            yield Finding("unreadable", said, POLICY_FILE, hint=hint)
            return
    if problem:
        yield policy_problem(problem)
    if found.capture.approve == ASK:
        said = '`[capture] approve = "ask"` lets no fact wait any more; none comes in by itself'
        hint = 'say `facts = "off"` instead'
        yield Finding("policy-deprecated", said, POLICY_FILE, hint=hint)
    if found.moment.command == HOLD:
        said = (
            '`[moment] command = "hold"` holds no command any more; the rule that it breaks is told'
        )
        yield Finding("policy-deprecated", said, POLICY_FILE, hint='say `command = "tell"` instead')
    if found.format > FORMAT_VERSION:
        yield newer_format(POLICY_FILE, found.format)


def policy_keys(survey: Survey) -> Iterator[Finding]:
    """Name the keys of the policy at the tip that mean nothing any more."""
    blob, _, problem = survey.policy
    if blob and not problem:
        (data,) = survey.home.repository.git().blobs([blob])
        yield from gone_policy(data or b"")


def policy_here(survey: Survey) -> Iterator[Finding]:
    """Say that the work tree's policy, which does not count, holds markers of a merge."""
    here = work_file(survey.home, POLICY_FILE) if survey.home.checked_out else None
    if here is not None and blob_id(here) != survey.policy[0]:
        line = marker_line(here.decode("utf-8", "replace"))
        if line:
            said = f"{POLICY_FILE}:{line}: {UNSETTLED} in the work tree"
            hint = "keep the lines that hold and take the markers out; what is committed counts"
            yield Finding("conflict-marker", said, POLICY_FILE, hint=hint)


def clocks(survey: Survey) -> Iterator[Finding]:
    """Name the first log that is stamped more than a day ahead of this clock (O4); more follow it."""
    ahead = [ref for ref in survey.logs[0] if ahead_by_a_day(ref.stem, survey.now_ms)]
    if ahead:
        first, more = min(ahead, key=lambda ref: ref.key), len(ahead) - 1
        said = f"{first.stem} is stamped more than a day ahead of this clock"
        said += f" ({more} more after it)" if more else ""
        hint = "check both clocks; it keeps its place, and later logs sort after it"
        yield Finding("clock-ahead", said, first.path, hint=hint)


def seals(survey: Survey) -> Iterator[Finding]:
    """Say once that some seals are too short to prove anything against somebody who tries."""
    weak = [ref.stem for ref in survey.logs[0] if is_weak(ref.stem) and is_sealed(ref.stem)]
    if weak:
        yield Finding(
            "weak-seal",
            f"{named(weak)}: sealed with 48 bits, as Diurna did before; other bytes can be made to fit",
            hint="new logs have a longer seal; what git's history has of these is compared",
        )


def history(survey: Survey) -> Iterator[Finding]:
    """Tell what history did to logs, and where it could not be looked at."""
    altered, unread = survey.damages
    yield from unread
    for damage in altered:
        yield damage_finding(survey.home, damage)


def rewritten(survey: Survey) -> Iterator[Finding]:
    """Tell that logs went with a rewritten history (fault:E8, fault:E9); new commit ids are fine."""
    known = {damage.path for damage in survey.damages[0]}
    yield from lost_findings(survey.home, survey.held, known)


def personal(survey: Survey) -> Iterator[Finding]:
    """Name the facts that are only one person's, where others share the home."""
    state = survey.state
    if is_own(survey.home, state.policy):
        return
    for one in state.standings():
        if says_personal(one.fact.meta) and not one.fact.redacted:
            yield finding(one.fact.id)._replace(hint=_PERSONAL_HINT)


def projection(survey: Survey) -> Iterable[Finding]:
    """Check the projection files: readable, in step, and without markers of a merge."""
    return projection_findings(survey.home, survey.tip, survey.state, survey.logs[0])


def work_tree(survey: Survey) -> Iterator[Finding]:
    """Compare the logs in the work tree with the committed ones."""
    if survey.home.checked_out:
        yield from work_tree_findings(survey.home, survey.listing(), survey.held)


def edits(survey: Survey) -> Iterator[Finding]:
    """Name each change that `check --absorb` would record, and every edit that it would not understand."""
    return undeclared(survey.memory, survey.edit)


def spool(survey: Survey) -> Iterator[Finding]:
    """Name the logs that wait to be committed."""
    if waiting := survey.memory.waiting():
        many, _, names = named(waiting).partition(": ")
        verb = "waits" if len(waiting) == 1 else "wait"
        hint = "the next Diurna command that writes commits what waits"
        yield Finding("spool-waiting", f"{many} {verb} to be committed: {names}", hint=hint)


def due(survey: Survey) -> Iterator[Finding]:
    """Tell that a review is due, and that `continuity.md` is over the limits of the policy."""
    from projection.lifecycle.review_due import over, reasons, size_of

    state = survey.state
    size, limits = size_of(state.view()), state.policy.review
    since = len(state.work) - bisect_right(state.work, state.summary.last_review)
    why = reasons(since, size, limits)
    if why:
        yield Finding("review-due", f"a review is due: {'; '.join(why)}", hint=_DUE_HINT)
    too_much = over(size, limits)
    if too_much:
        said = f"{CONTINUITY_FILE} is over the limits of the policy: {'; '.join(too_much)}"
        hint = "`diurna review` asks what may go; the limits are below [review] in diurna.toml"
        yield Finding("over-size", said, CONTINUITY_FILE, hint=hint)


def texts(survey: Survey) -> Iterator[Finding]:
    """Look for secrets, personal data and leftovers of merges in logs and projections (K5)."""
    from rituals.check.linted_files import log_findings, of_log, text_findings

    home = survey.home
    personal = survey.policy[1].privacy.personal
    yield from log_findings(home, survey.logs[0], personal, survey.part(TEXTS))
    for path in dict.fromkeys(one.file for one in work_tree(survey) if one.code in _IN_WORK_TREE):
        data = work_file(home, path) or b""
        yield from text_findings(path, data, personal)
        yield from (one for one in of_log(path, data) if one.code == "conflict-marker")
    for path, data in _projection(survey):
        yield from text_findings(path, data, personal)


def _projection(survey: Survey) -> Iterator[tuple[str, bytes]]:
    """Yield the projection files: as committed, and the work tree's or the mirror's copy that differs."""
    home = survey.home
    committed = committed_projection(home, survey.tip, survey.policy[1])
    for (path, _), data in zip(
        committed.items(), home.repository.git().blobs(committed.values()), strict=True
    ):
        yield path, data or b""
        here = work_file(home, path) if home.checked_out else None
        if here is not None and here != data:
            yield path, here
    for file in (CONTINUITY_FILE, *survey.policy[1].view_files):
        name, copy = copy_of(home, file)
        if copy and name not in committed:
            yield name, read_copy(copy) or b""
