"""Check that projection and policy can be read; and that the projection is in step and settled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE, FORMAT_VERSION, POLICY_FILE
from ledger.model.logset import LogRef
from ledger.model.record import Record
from memory.api import Memory
from memory.replay.replayed_state import cold_state
from memory.replay.trunk import publishes
from memory.worktree.page_copies import work_file
from memory.worktree.projection_files import (
    committed_projection,
    drift_findings,
    projection_files,
)
from projection.document.page_parser import CONFLICT_MARKERS, machine_line, parse
from projection.fold.full_replay import State
from projection.policy.model import UNSETTLED


def projection_findings(
    home: Home, tip: str, state: State, refs: Sequence[LogRef]
) -> Iterator[Finding]:
    """Check each projection file of the tip and its copy in the work tree.

    Where no write on the branch publishes, the files may be behind the ledger, but not ahead of it.
    """
    committed = committed_projection(home, tip, state.policy)
    git = home.repository.git()
    bodies = dict(zip(committed, git.blobs(committed.values()), strict=True))
    for path, blob in committed.items():
        data = bodies[path]
        if data is None:
            said = f"{path} (object {blob}) is missing from the repository"
            yield Finding(
                "unreadable", said, path, hint="`diurna check --publish` computes it anew"
            )
        else:
            yield from conflict_findings(path, data)
        here = work_file(home, path) if home.checked_out else None
        if here is not None and here != data:
            yield from conflict_findings(path, here)
    if publishes(home, state.policy) and not home.plain:
        if tip:
            paths = [path for path, _ in projection_files(state).changes(committed)]
            yield from drift_findings(paths)
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
            hint="fetch and merge the branch that has it, or run `diurna check --publish`",
        )


def conflict_findings(path: str, data: bytes) -> Iterator[Finding]:
    """Name the lines of a projection file that a merge left."""
    if not any(mark.encode() in data for mark in CONFLICT_MARKERS):
        return
    text = data.decode("utf-8", "replace")
    _, noticed = parse(text, file=path)
    for finding in noticed:
        if finding.code == "conflict-in-projection":
            yield finding._replace(
                message=f"{path} holds a merge conflict marker",
                hint="`diurna check --publish` computes the file anew; both sides' logs count",
            )


class Recheck(Record):
    """What a full replay showed."""

    state: State  #: as replayed from git
    drift: tuple[str, ...]  #: committed projection files that differ from it, sorted
    #: projection files that the cache would give otherwise, sorted: a bug or damage
    stale: tuple[str, ...]
    behind: tuple[str, ...] = ()  #: those that are of fewer logs, and may be (W21)

    @property
    def in_step(self) -> bool:
        """Whether all three say the same."""
        return not (self.drift or self.stale)

    def findings(self) -> tuple[Finding, ...]:
        """Say what differs."""
        found = drift_findings(list(self.drift))
        hint = "the ledger is right: move the cache folder under .git/diurna aside and report this"
        for path in self.stale:
            message = f"the cache gives another {path} than the ledger"
            found.append(Finding("drift", message, path, hint=hint))
        return tuple(found)


def recheck(memory: Memory) -> Recheck:
    """Replay everything from git and compare."""
    cold = cold_state(memory.snapshot.tip, memory.home.tip())
    files = projection_files(cold)
    cached = projection_files(memory.tip_state())
    committed = committed_projection(memory.home, memory.home.tip(), cold.policy)
    drift = tuple(path for path, _ in files.changes(committed))
    stale = [path for path, _ in files.against(cached.blobs)]
    if memory.home.plain and _is_older(memory.home, committed.get(CONTINUITY_FILE, ""), cold):
        return Recheck(cold, (), tuple(stale), drift)
    return Recheck(cold, drift, tuple(stale))


def _is_older(home: Home, page: str, state: State) -> bool:
    """Tell whether a page, by its blob id, is of fewer logs than a state; "" is of none."""
    (data,) = home.repository.git().blobs([page]) if page else (None,)
    line = machine_line((data or b"").decode("utf-8", "replace"))
    summary = state.summary
    older = line is not None and line.digest != summary.digest and line.newest <= summary.newest
    return older or not page


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
