"""Find what is wrong with the set of logs as it stands: names, stamps, the policy, the spool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ledger.codec.conflict_markers import marker_line
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import FORMAT_VERSION, POLICY_FILE, log_path, stem_of
from ledger.model.logset import LogRef
from ledger.model.order import is_sealed
from ledger.model.seal import is_weak
from ledger.model.sha256 import blob_id, line_digest
from memory.worktree.checkout import work_file
from memory.write.append import ahead_by_a_day
from projection.policy.model import ASK, UNSETTLED, Policy
from rituals.check.verify.session_listing import named


def name_writers(
    home: Home, tip: str, odd: Iterable[Finding], standing: Mapping[str, str]
) -> Iterator[Finding]:
    """Say of two logs of one name who committed which."""
    git = home.repository.git()
    for finding in odd:
        if finding.code != "duplicate-stem":
            yield finding
            continue
        stem = stem_of(finding.file)
        said = []
        paths = sorted(path for path in standing if stem_of(path) == stem)
        for path in paths:
            line = git.run(
                "--literal-pathspecs", "log", "-1", "--diff-filter=A", "--no-show-signature",
                "--format=%h by %an", tip, "--", home.prefix + path, check=False,
            )  # fmt: skip
            words = line.decode("utf-8", "replace").strip()
            said.append(f"{path} came with {words}" if words else path)
        yield finding._replace(
            message=f"two logs are named {stem} and differ; both are read: {'; '.join(said)}",
            hint="if one of them is a copy that was changed, say so in a new log",
            about=" ".join([stem, *sorted(standing[path] for path in paths)]),
        )


def placed(findings: Iterable[Finding], refs: Sequence[LogRef]) -> Iterator[Finding]:
    """Put findings on the file a log really is, where it lies elsewhere than it would be put."""
    elsewhere = {guess: ref.path for ref in refs if (guess := log_path(ref.key)) != ref.path}
    for finding in findings:
        at = elsewhere.get(finding.file)
        yield finding if at is None else finding._replace(file=at)


def policy_findings(
    home: Home, tip: str, blob: str, policy: Policy, problem: str
) -> Iterator[Finding]:
    """Say what is wrong with the policy at the tip, which then gives way to the defaults."""
    if tip and not blob:
        listed = home.repository.git().tree_files(tip, home.prefix + POLICY_FILE)
        if listed:
            yield Finding(
                "unreadable",
                f"{POLICY_FILE} (object {listed[0][1]}) is missing from the repository; "
                "the defaults are in force",
                POLICY_FILE,
                hint="fetch it from a clone that has it",
            )
            return
    if problem:
        yield policy_problem(problem)
    if policy.capture.approve == ASK:
        yield Finding(
            "policy-deprecated",
            '`[capture] approve = "ask"` lets no fact wait any more; none comes in by itself',
            POLICY_FILE,
            hint='say `facts = "off"` instead; `diurna review --learn` shows what could be one',
        )
    if policy.format > FORMAT_VERSION:
        yield newer_format(POLICY_FILE, policy.format)


def policy_in_work_tree(home: Home, blob: str) -> Iterator[Finding]:
    """Say that the work tree's policy, which does not count, holds markers of a merge."""
    here = work_file(home, POLICY_FILE) if home.checked_out else None
    if here is not None and blob_id(here) != blob:
        line = marker_line(here.decode("utf-8", "replace"))
        if line:
            said = f"{POLICY_FILE}:{line}: {UNSETTLED} in the work tree"
            hint = "keep the lines that hold and take the markers out; what is committed counts"
            yield Finding("conflict-marker", said, POLICY_FILE, hint=hint)


def policy_problem(problem: str) -> Finding:
    """Say why the policy at the tip can not be read; an unsettled merge in it is an error."""
    code = "conflict-marker" if UNSETTLED in problem else "policy-invalid"
    hint = "the defaults are in force until it is mended and committed"
    return Finding(code, problem, POLICY_FILE, hint=hint)


def newer_format(path: str, version: int) -> Finding:
    """Say that a file has a format newer than this Diurna knows."""
    said = f"{path} has format {version}; this Diurna knows {FORMAT_VERSION}"
    hint = "install a newer Diurna; this one reads what it can"
    return Finding("newer-format", said, path, hint=hint)


def clock_findings(refs: Iterable[LogRef], now_ms: int) -> Iterator[Finding]:
    """Name the logs that are stamped more than a day ahead of this clock (O4)."""
    for ref in refs:
        if ahead_by_a_day(ref.stem, now_ms):
            said = f"{ref.stem} is stamped more than a day ahead of this clock"
            hint = "check both clocks; it keeps its place, and later logs sort after it"
            yield Finding("clock-ahead", said, ref.path, hint=hint)


def weak_findings(refs: Iterable[LogRef]) -> Iterator[Finding]:
    """Say once that some seals are too short to prove anything against somebody who tries."""
    weak = [ref.stem for ref in refs if is_weak(ref.stem) and is_sealed(ref.stem)]
    if weak:
        yield Finding(
            "weak-seal",
            f"{named(weak)}: sealed with 48 bits, as Diurna did before; other bytes can be made to fit",
            hint="new logs have a longer seal; what git's history has of these is compared",
            about=line_digest(" ".join(sorted(weak))),
        )


def spool_findings(waiting: Sequence[str]) -> Iterator[Finding]:
    """Name the logs that wait to be committed."""
    if waiting:
        many, _, names = named(waiting).partition(": ")
        verb = "waits" if len(waiting) == 1 else "wait"
        hint = "the next Diurna command that writes commits what waits"
        yield Finding("spool-waiting", f"{many} {verb} to be committed: {names}", hint=hint)
