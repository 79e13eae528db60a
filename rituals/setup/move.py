"""Move a home from its folder beside the code to a branch of its own, with its past.

The history of the logs is written anew on the branch, by whom and when each commit was made, so that `why`
names the same people. The branch is whole before the folder is touched, which then says in a file where
memory went. The same history gives the same objects, and each step looks whether it is done: a move that
was ended in the middle goes on when it is started again.

What clones and branches record in the folder all the same, not having heard of that, is joined later. Only
sealed logs count, whose names prove their bytes. Who joins them did not write them, so the commit names
nobody, and `why` says that it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ledger.errors import WriteRefused
from ledger.git.committer import FALLBACK_EMAIL, FALLBACK_NAME, Identity, move_references
from ledger.git.git_objects import COMMIT, object_id, write_objects
from ledger.git.history_rewrite import relocated
from ledger.git.repository import branch_tips, config_value, head, read_reference
from ledger.home import IN_TREE, OWN_BRANCH, Home, branch_home, checked_out_home
from ledger.model import layout
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.log_names import breaks_seal, is_sealed, log_path
from ledger.model.record import Record
from ledger.wal.spool import Spool
from memory import (
    Memory,
    apply_drivers,
    former_places,
    held_logs,
    keep_out_of_status,
    mirror_changes,
    plan_drivers,
)
from rituals.setup.init_obstacles import is_known, refuse_branch, refuse_state

_MOVED = """\
# The memory of this project moved

It is on the branch `{}` now: `diurna show` reads it from any branch.
Logs that are recorded here all the same are joined to it by the next `diurna sync` there.
"""


class MovePlan(Record):
    """What a move does."""

    home: Home  #: as it is now
    there: Home  #: as it is to be
    logs: int  #: how many logs go
    steps: tuple[str, ...]  #: the plan in sentences; empty when there is nothing to do


def plan_move(home: Home, branch: str) -> MovePlan:
    """Plan a move. Nothing is changed.

    Raises:
        WriteRefused: it can not be moved there, or not now; the reason is said.
    """
    repository, git = home.repository, home.repository.git()
    if home.kind == OWN_BRANCH:
        return MovePlan(home, home, 0, ())
    if home.kind != IN_TREE or not repository.top:
        raise WriteRefused(
            "a home moves from a folder beside the code, in a work tree",
            hint="`diurna status` says what this one is",
        )
    refuse_state(repository, head(repository)[0])
    there = branch_home(repository, branch)
    another = "diurna init --move branch --branch"
    refuse_branch(repository, branch, another)
    tip = there.tip()
    objects = relocated(git, home.tip(), home.prefix)[1]
    known = set(git.run("rev-list", tip).decode("ascii").split()) if tip else set()
    if tip and not known & {object_id(kind, data) for kind, data in objects if kind == COMMIT}:
        message = f"the branch {branch} exists and holds something else"
        raise WriteRefused(message, hint=f"`{another} NAME` takes another name")
    folder = home.prefix.rstrip("/")
    where = f":(top,literal){folder}"
    said = git.run("status", "--porcelain", "-z", "-uall", "--", where).decode("utf-8", "replace")
    if said:
        raise WriteRefused(
            f"{said.split(chr(0))[0][3:]} is not committed as it is",
            hint="commit it, or let `diurna check --absorb` read an edit of continuity.md; then move",
        )
    spool = home.spool
    rows = git.tree_files(home.tip(), home.prefix + layout.SESSIONS_DIR)
    stems = {layout.stem_of(path) for _, _, path in rows if path.endswith(".md")}
    if home.plain and (held := [stem for stem in spool.held() if stem not in stems]):
        raise WriteRefused(
            f"{held[0]} is not committed, on this branch or on another",
            hint="`diurna status` names it; commit it, or take it back with `diurna undo`; then move",
        )
    logs = len(stems.union(spool.waiting(), spool.held()))
    steps = (
        f"write the history of {folder}/ anew as the branch {branch}: "
        f"{logs} log{'s' if logs != 1 else ''}, by whom and when",
        f"set {layout.CONFIG_BRANCH} = {branch} in the repository's configuration",
        f"take {folder}/ out of {home.branch} in one commit",
        f"leave {folder}/{layout.MOVED_FILE} there, which says where memory is",
    )
    return MovePlan(home, there, logs, steps)


def apply_move(plan: MovePlan, clock: Callable[[], int], agent: str = "") -> Memory:
    """Move a home as planned; return it where it is now, open.

    Raises:
        DiurnaError: a step failed; what was done stands, and the same command goes on from there.
    """
    home, there = plan.home, plan.there
    repository, git = home.repository, home.repository.git()
    old = Memory(home, agent=agent, clock=clock, lasting=False)
    old.bring_back()
    old.drain()
    old.close()
    moved, objects = relocated(git, home.tip(), home.prefix)
    write_objects(repository, objects)
    if not read_reference(repository, there.reference):
        move_references(git, [(there.reference, moved, "")], f"diurna: moved from {home.prefix}")
    else:  # from an earlier move
        memory = Memory(there, clock=clock, lasting=False)
        memory.join(moved)
        memory.close()
    policy = git.resolve(f"{there.tip()}:{layout.POLICY_FILE}")[0]
    (data,) = git.blobs([policy])
    appends = re.sub(rb'(?m)^(publish\s*=\s*)"trunk"', rb'\g<1>"append"', data or b"", count=1)
    files = [(layout.POLICY_FILE, appends), (layout.MOVED_FILE, None)]
    _commit(there, clock, f"diurna: moved here from {home.prefix}", files)
    git.configure("config", "--local", layout.CONFIG_BRANCH, there.branch)
    keep_out_of_status(there)
    rows = git.tree_files(home.tip(), home.prefix.rstrip("/"))
    gone = [path for _, _, path in rows if is_known(path[len(home.prefix) :])]
    left = (home.prefix + layout.MOVED_FILE, _MOVED.format(there.branch).encode())
    top = checked_out_home(repository, "")
    message = f"diurna: moved to the branch {there.branch}"
    _commit(top, clock, message, [*[(path, None) for path in gone], left])
    git.configure("config", "--local", layout.CONFIG_MOVED, home.prefix)
    mirror_changes(there, there.tip())
    memory = Memory(there, agent=agent, clock=clock, lasting=False)
    join_strays(memory, spool=home.spool_folder)
    apply_drivers(there, plan_drivers(there))
    return memory


def _commit(
    home: Home, clock: Callable[[], int], message: str, files: list[tuple[str, bytes | None]]
) -> None:
    """Commit files, None for one that goes, unless all of them are so."""
    names = [f"{home.tip()}:{home.prefix}{path}" for path, _ in files]
    wanted = ["" if data is None else blob_id(data) for _, data in files]
    if home.repository.git().resolve(*names) != wanted:
        memory = Memory(home, clock=clock, lasting=False)
        try:
            memory.commit_files(files, message)
        finally:
            memory.close()


def strays(memory: Memory) -> dict[str, bytes]:
    """Return the logs, by stem, that branches here have where the memory was before, and it has not."""
    home, git = memory.home, memory.home.repository.git()
    asked = [
        (tip, prefix) for prefix in former_places(home) for tip in branch_tips(home.repository)
    ]
    names = (layout.MOVED_FILE, layout.POLICY_FILE, layout.SESSIONS_DIR)
    objects = git.resolve(*[f"{tip}:{prefix}{name}" for tip, prefix in asked for name in names])
    rows = list(zip(objects[::3], objects[1::3], objects[2::3], strict=True))
    if not rows:
        return {}
    known = {ref.stem for ref in memory.snapshot.list_logs(home.tip())[0]}
    known |= {stem for stem, _ in memory.ask(held_logs, committed=True)}
    blobs: dict[str, str] = {}
    for tree in dict.fromkeys(logs for moved, policy, logs in rows if logs and (moved or policy)):
        for _, blob, path in git.tree_files(tree):
            if is_sealed(stem := layout.stem_of(path)) and stem not in known:
                blobs[stem] = blob
    bodies = zip(blobs, git.blobs(blobs.values()), strict=True)
    return {stem: data for stem, data in bodies if data and not breaks_seal(stem, data)}


def join_strays(memory: Memory, spool: str = "") -> tuple[Finding, ...]:
    """Commit them, and what waits in another spool's folder, "" for none; say how many they were."""
    home, git = memory.home, memory.home.repository.git()
    places = former_places(home)
    if places and not config_value(home.repository, "moved"):
        moved = git.resolve(*[f"HEAD:{prefix}{layout.MOVED_FILE}" for prefix in places])
        for prefix in [prefix for prefix, blob in zip(places, moved, strict=True) if blob]:
            # branches that still have the old place lead to the new one, in this clone
            git.configure("config", "--local", layout.CONFIG_MOVED, prefix)
            git.configure("config", "--local", layout.CONFIG_BRANCH, home.branch)
    mine = home.spool
    if spool and spool != home.spool_folder:
        left = Spool(spool)
        for stem in (*left.waiting(), *left.held()):
            mine.put(stem, left.read(stem) or b"")
            left.commit(stem)
    if mine.waiting():
        memory.drain()
    logs = strays(memory)
    if not logs:
        return ()
    nobody = Identity(FALLBACK_NAME, FALLBACK_EMAIL)
    now = memory.occasion().now_ms
    joiner = Memory(home, clock=lambda: now, lasting=False, identity=nobody)
    many = f"{len(logs)} log{'s' if len(logs) != 1 else ''}"
    files = [(log_path(stem), data) for stem, data in logs.items()]
    joiner.commit_files(files, f"diurna: {many} from where memory was before", only_missing=True)
    joiner.close()
    return (Finding("home-moved", f"{many} joined that stood where memory was before it moved"),)
