"""Check that the committed projection can be read, is in step, and holds no conflict markers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE, FORMAT_VERSION
from ledger.model.logset import LogRef
from ledger.model.sha256 import line_digest
from memory.worktree.checkout import work_file
from memory.worktree.projection_files import (
    changes,
    committed_projection,
    drift_findings,
    projection_files,
)
from memory.worktree.trunk import publishes
from projection.document.page_parser import CONFLICT_MARKERS, machine_line, parse
from projection.fold.full_replay import State
from rituals.check.verify.log_set_checks import newer_format


def projection_findings(
    home: Home, tip: str, state: State, refs: Sequence[LogRef]
) -> Iterator[Finding]:
    """Check each projection file of the tip and its copy in the work tree.

    Where a write on the branch does not publish, the files may be behind the ledger, but not ahead of it.
    """
    committed = committed_projection(home, tip, state.policy)
    git = home.repository.git()
    bodies = dict(zip(committed, git.blobs(committed.values()), strict=True))
    for path, blob in committed.items():
        data = bodies[path]
        if data is None:
            said = f"{path} (object {blob}) is missing from the repository"
            yield Finding("unreadable", said, path, hint="`diurna publish` computes it anew")
        else:
            yield from conflict_findings(path, data)
        here = work_file(home, path) if home.checked_out else None
        if here is not None and here != data:
            yield from conflict_findings(path, here)
    if publishes(home, state.policy):
        if tip:
            paths = [path for path, _ in changes(projection_files(state), committed)]
            for one in drift_findings(paths):
                yield one._replace(about=f"{one.file} {committed.get(one.file, '')}")
        return
    data = bodies.get(CONTINUITY_FILE)
    machine = machine_line((data or b"").decode("utf-8", "replace"))
    if machine is None:
        return
    if machine.format > FORMAT_VERSION:
        yield newer_format(CONTINUITY_FILE, machine.format)
    elif machine.newest and all(machine.newest != ref.key for ref in refs):
        yield Finding(
            "drift",
            f"{CONTINUITY_FILE} was published from a ledger with the log {machine.newest}, which "
            "this one does not have",
            CONTINUITY_FILE,
            hint="fetch and merge the branch that has it, or run `diurna publish`",
        )


def conflict_findings(path: str, data: bytes) -> Iterator[Finding]:
    """Name the lines of a projection file that a merge left."""
    if not any(mark.encode() in data for mark in CONFLICT_MARKERS):
        return
    text = data.decode("utf-8", "replace")
    _, noticed = parse(text, file=path)
    lines = text.split("\n")
    for finding in noticed:
        if finding.code == "conflict-in-projection":
            yield finding._replace(
                about=f"{path} {line_digest(lines[finding.line - 1].rstrip())}",
                message=f"{path} holds a merge conflict marker",
                hint="`diurna publish` computes the file anew; both sides' logs count",
            )
