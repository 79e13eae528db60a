"""Check the ledger and its checkout: each check yields what it finds, whoever asked."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.errors import WriteRefused
from ledger.model.finding_codes import Finding
from ledger.model.layout import CONTINUITY_FILE, FORMAT_VERSION, POLICY_FILE
from ledger.model.log_names import ahead_by_a_day, log_path
from ledger.model.session import says_personal
from memory import (
    committed_projection,
    drift_findings,
    is_behind,
    is_own,
    lost_findings,
    named_few,
    personal_finding,
    projection_files,
    publishes,
    refuse_unwritable,
    status_of,
    work_file,
)
from projection.document.page_parser import CONFLICT_MARKERS, machine_line, parse
from projection.lifecycle.review_due import over
from projection.policy.model import UNSETTLED
from rituals.check.check_registry import COMMIT, PUBLISH, Noticed, Survey, mended
from rituals.check.edited_logs import work_tree_findings
from rituals.check.history import damage_finding

_PERSONAL_HINT = (
    "`diurna redact ID --reason WHY` withholds it; history still has it, and others may too"
)


def said(survey: Survey) -> Iterator[Finding]:
    """Tell what is odd about the set of logs, about each of them, and about what they say together."""
    refs, odd = survey.logs
    elsewhere = {guess: ref.path for ref in refs if (guess := log_path(ref.key)) != ref.path}
    for one in (*survey.listing().findings, *odd, *survey.state.findings()):
        one = one._replace(file=elsewhere.get(one.file, one.file))  # where the log really is
        if one.code != "seal-broken" or not survey.purged(one.file):
            yield one


def policy(survey: Survey) -> Iterator[Finding]:
    """Say what is wrong with the policy at the tip, which then gives way to the defaults."""
    (blob, found, problem), git = survey.policy, survey.home.repository.git()
    if survey.tip and not blob:
        for _, lost, _ in git.tree_files(survey.tip, survey.home.prefix + POLICY_FILE):
            where = f"{POLICY_FILE} (object {lost})"
            said = f"{where} is missing from the repository; the defaults are in force"
            hint = "fetch it from a clone that has it"
            yield Finding("unreadable", said, POLICY_FILE, hint=hint)
        return
    if problem:
        yield policy_problem(problem)
    elif blob:
        yield from gone_policy(next(git.blobs([blob])) or b"")
    if found.format > FORMAT_VERSION:
        yield newer_format(POLICY_FILE, found.format)


def clocks(survey: Survey) -> Iterator[Finding]:
    """Name the first log that is stamped more than a day ahead of this clock (O4); more follow it."""
    ahead = [ref for ref in survey.logs[0] if ahead_by_a_day(ref.stem, survey.now_ms)]
    if ahead:
        first, more = min(ahead, key=lambda ref: ref.key), len(ahead) - 1
        said = f"{first.stem} is stamped more than a day ahead of this clock"
        said += f" ({more} more after it)" if more else ""
        hint = "check both clocks; it keeps its place, and later logs sort after it"
        yield Finding("clock-ahead", said, first.path, hint=hint)


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
            yield personal_finding(one.fact.id)._replace(hint=_PERSONAL_HINT)


def work_tree(survey: Survey) -> Iterator[Finding]:
    """Compare the logs in the work tree with the committed ones."""
    if survey.home.checked_out:
        yield from work_tree_findings(survey.home, survey.listing(), survey.held)


def edits(survey: Survey) -> Iterator[Finding]:
    """Name each change that `check --absorb` would record, and every edit that it would not understand."""
    yield from survey.memory.undeclared(survey.memory.edited())


def spool(survey: Survey) -> Iterator[Noticed]:
    """Name the logs that wait to be committed."""
    if waiting := survey.memory.waiting():
        many, _, names = named_few(waiting).partition(": ")
        verb = "waits" if len(waiting) == 1 else "wait"
        found = Finding("spool-waiting", f"{many} {verb} to be committed: {names}")
        then = "commits it, and so does the next command that writes"
        step = f"commit what waits in the spool ({len(waiting)})"
        yield mended(found, then, COMMIT, step, survey.memory.drain)


def due(survey: Survey) -> Iterator[Finding]:
    """Tell that a review is due, and that `continuity.md` is over the limits of the policy."""
    status = survey.memory.ask(status_of, committed=True)
    yield from status.due_findings()
    if too_much := over(status.size, status.policy.review):
        said = f"{CONTINUITY_FILE} is over the limits of the policy: {'; '.join(too_much)}"
        hint = "`diurna review` asks what may go; the limits are below [review] in diurna.toml"
        yield Finding("over-size", said, CONTINUITY_FILE, hint=hint)


def projection(survey: Survey) -> Iterator[Finding | Noticed]:
    """Check each projection file of the tip and its copy in the work tree.

    They may be behind the ledger, but not ahead of it, and say what its logs up to there do.
    """
    home, state = survey.home, survey.state
    committed = committed_projection(home, survey.tip, state.policy)
    bodies = dict(zip(committed, home.repository.git().blobs(committed.values()), strict=True))
    for path, data in bodies.items():
        if data is None:
            said = f"{path} (object {committed[path]}) is missing from the repository"
            hint = "`diurna check --publish` computes it anew"
            yield Finding("unreadable", said, path, hint=hint)
        else:
            yield from conflict_findings(path, data)
        here = work_file(home, path) if home.checked_out else None
        if here is not None and here != data:
            yield from conflict_findings(path, here)
    page = bodies.get(CONTINUITY_FILE)
    machine = machine_line((page or b"").decode("utf-8", "replace"))
    known = machine is None or machine.newest in ("", *[ref.key for ref in survey.logs[0]])
    if machine is not None and machine.format > FORMAT_VERSION:
        yield newer_format(CONTINUITY_FILE, machine.format)
    elif machine is not None and not known:
        said = f"{CONTINUITY_FILE} was published from a ledger with the log {machine.newest}"
        hint = "fetch and merge the branch that has it, or run `diurna check --publish`"
        said = f"{said}, which this one does not have"
        yield Finding("drift", said, CONTINUITY_FILE, hint=hint)
    elif publishes(home, state.policy) and not is_behind(page, state.summary) and _is_whole(survey):
        changes = projection_files(state).changes(committed) if survey.tip else ()
        drifted = drift_findings([path for path, _ in changes])
        step = f"publish {', '.join([one.file for one in drifted])}"
        ours = bool(drifted) and _is_ours(survey)
        for one in drifted:
            yield mended(one, "publishes it", PUBLISH, step, survey.memory.publish) if ours else one


def _is_whole(survey: Survey) -> bool:
    """Tell whether the policy and each log can be read: else the pages say more than what is left."""
    return not survey.policy[2] and all(one.code != "unreadable" for one in survey.state.findings())


def _is_ours(survey: Survey) -> bool:
    """Tell whether a drifted projection is ours to write now: nobody's edit is in it."""
    memory = survey.memory
    if survey.state.policy.format > FORMAT_VERSION:
        return False
    try:
        refuse_unwritable(survey.home)
    except WriteRefused:
        return False
    return not (memory.edited() or memory.left_alone())


def conflict_findings(path: str, data: bytes) -> Iterator[Finding]:
    """Name the lines of a projection file that a merge left."""
    if not any(mark.encode() in data for mark in CONFLICT_MARKERS):
        return
    text = data.decode("utf-8", "replace")
    _, noticed = parse(text, file=path)
    said = f"{path} holds a merge conflict marker"
    hint = "`diurna check --publish` computes the file anew; both sides' logs count"
    for one in noticed:
        if one.code == "conflict-in-projection":
            yield one._replace(message=said, hint=hint)


def policy_problem(problem: str) -> Finding:
    """Say why the policy at the tip can not be read; an unsettled merge in it is an error."""
    code = "conflict-marker" if UNSETTLED in problem else "policy-invalid"
    hint = "the defaults are in force until it is mended and committed"
    return Finding(code, problem, POLICY_FILE, hint=hint)


def gone_policy(data: bytes, path: str = POLICY_FILE) -> Iterator[Finding]:
    """Name the keys of a policy that mean nothing any more; the file is read without them."""
    from projection.policy.toml import gone_keys

    for line, key, instead in gone_keys(data):
        said = f"{POLICY_FILE}:{line}: {key} means nothing any more"
        yield Finding("policy-deprecated", said, path, line, hint=f"take the line out: {instead}")


def newer_format(path: str, version: int) -> Finding:
    """Say that a file has a format newer than this Diurna knows."""
    said = f"{path} has format {version}; this Diurna knows {FORMAT_VERSION}"
    hint = "install a newer Diurna; this one reads what it can"
    return Finding("newer-format", said, path, hint=hint)
