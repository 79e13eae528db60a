"""Move a home between its folder beside the code and a branch of its own, with its past.

The history of the logs is written anew in the other place, by whom and when each commit was made, so that
`why` names the same people. The new place is whole before the old one is touched; the old one then says in
a file where memory went. The same history gives the same objects, and each step looks whether it is done:
a move that was ended in the middle goes on when it is started again. What is recorded in the old place
meanwhile, here or in other clones, is no part of it, and is joined later (`rituals.setup.strays`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ledger.errors import WriteRefused
from ledger.git.git_objects import (
    BLOB,
    COMMIT,
    TREE,
    Objects,
    merge_commit,
    move_references,
    object_id,
    write_objects,
)
from ledger.git.history_rewrite import relocated
from ledger.git.repository import Repository, config_value, head, read_reference
from ledger.git.trees import FOLDER, lookup, put, with_files
from ledger.home import IN_TREE, OWN_BRANCH, Home, branch_home, checked_out_home
from ledger.model import layout
from ledger.model.ids import blob_id
from ledger.model.record import Record
from ledger.wal.spool import Spool
from memory.api import Memory
from memory.merge.sync_plan import AHEAD, Plan
from memory.replay.trunk import trunk_of
from memory.worktree.merge_drivers import apply_drivers, plan_drivers
from memory.worktree.page_copies import keep_out_of_status, mirror, mirror_changes
from rituals.setup.setup_plan import (
    is_known,
    pointer_to,
    refuse_branch,
    refuse_others_folder,
    refuse_state,
)
from rituals.setup.strays import join_strays

#: Paths with their bytes; None takes a file out.
Files = list[tuple[str, bytes | None]]


class MovePlan(Record):
    """What a move does."""

    home: Home  #: as it is now
    there: Home  #: as it is to be
    logs: int  #: how many logs go
    steps: tuple[str, ...]  #: the plan in sentences; empty when there is nothing to do


def plan_move(home: Home, to: str, name: str) -> MovePlan:
    """Plan a move. Nothing is changed.

    `to` is the kind of the other home, `IN_TREE` or `OWN_BRANCH`; `name` is of the branch, or the prefix.

    Raises:
        WriteRefused: it can not be moved there, or not now; the reason is said.
    """
    repository = home.repository
    if home.kind not in (IN_TREE, OWN_BRANCH) or not repository.top:
        raise WriteRefused(
            "a home moves between a folder beside the code and a branch of its own, in a work tree",
            hint="`diurna status` says what this one is",
        )
    reference, tip = head(repository)
    refuse_state(repository, reference)
    code = checked_out_home(repository, name if to == IN_TREE else home.prefix).branch
    if home.kind == to:
        left = _left_over(home)
        if left is None:
            return MovePlan(home, home, 0, ())
        home, there = left, home
    elif to == OWN_BRANCH:
        there = branch_home(repository, name)
        _refuse_branch(home, there)
    else:
        there = checked_out_home(repository, name)
        refuse_others_folder(repository, tip, name)
    _refuse_dirty(home if home.kind == IN_TREE else there)
    git = repository.git()
    folder = (home.prefix or there.prefix).rstrip("/")
    rows = git.tree_files(home.tip(), home.prefix + layout.SESSIONS_DIR)
    spool = Spool(home.spool_folder)
    stems = {layout.stem_of(path) for _, _, path in rows if path.endswith(".md")}
    if home.plain and (held := [stem for stem in spool.held() if stem not in stems]):
        raise WriteRefused(
            f"{held[0]} is not committed, on this branch or on another",
            hint="`diurna status` names it; commit it, or take it back with `diurna undo`; then move",
        )
    logs = len(stems.union(spool.waiting(), spool.held()))
    if to == OWN_BRANCH:
        steps = [
            f"write the history of {folder}/ anew as the branch {there.branch}: {_counted(logs)}, "
            "by whom and when",
            f"set {layout.CONFIG_BRANCH} = {there.branch} in the repository's configuration",
            f"take {folder}/ out of {code} in one commit",
            f"leave {folder}/{layout.MOVED_FILE} there, which says where memory is",
        ]
    else:
        steps = [
            f"join the history of the branch {home.branch} to {code}, as {folder}/: {_counted(logs)}, "
            "by whom and when",
            f"say in {layout.MOVED_FILE} on the branch {home.branch} that memory moved; the branch stays",
        ]
        if config_value(repository, "diurna", "branch"):
            steps.append(f"unset {layout.CONFIG_BRANCH} in the repository's configuration")
    return MovePlan(home, there, logs, tuple(steps))


def apply_move(plan: MovePlan, clock: Callable[[], int], agent: str = "") -> Memory:
    """Move a home as planned; return it where it is now, open.

    Raises:
        DiurnaError: a step failed; what was done stands, and the same command goes on from there.
    """
    old = Memory(plan.home, agent=agent, clock=clock, lasting=False)
    old.bring_back()
    old.drain()
    join_strays(old)
    old.close()
    (_to_branch if plan.there.kind == OWN_BRANCH else _to_tree)(plan, clock)
    memory = Memory(plan.there, agent=agent, clock=clock, lasting=False)
    join_strays(memory, spool=plan.home.spool_folder)
    apply_drivers(plan.there, plan_drivers(plan.there))
    return memory


def _to_branch(plan: MovePlan, clock: Callable[[], int]) -> None:
    home, there = plan.home, plan.there
    repository, git = home.repository, home.repository.git()
    past = relocated(git, home.tip(), home.prefix, "")
    write_objects(git, past.objects)
    if not read_reference(repository, there.reference):
        move_references(git, [(there.reference, past.tip)], "", f"diurna: moved from {home.prefix}")
    else:  # from an earlier move, whichever way
        memory = Memory(there, clock=clock, lasting=False)
        memory.join(past.tip)
        memory.close()
    files = [*_published(there, "append", ""), (layout.MOVED_FILE, None)]
    _commit(there, clock, f"diurna: moved here from {home.prefix}", files)
    git.configure("config", "--local", layout.CONFIG_BRANCH, there.branch)
    keep_out_of_status(there)
    rows = git.tree_files(home.tip(), home.prefix.rstrip("/"))
    gone = [path for _, _, path in rows if is_known(path[len(home.prefix) :])]
    said = _moved(f"the branch `{there.branch}`", "`diurna show` reads it from any branch")
    left = (home.prefix + layout.MOVED_FILE, said)
    top = checked_out_home(repository, "")
    files = [*[(path, None) for path in gone], left]
    _commit(top, clock, f"diurna: moved to the branch {there.branch}", files)
    git.configure("config", "--local", layout.CONFIG_MOVED, home.prefix)
    mirror_changes(there, there.tip())


def _to_tree(plan: MovePlan, clock: Callable[[], int]) -> None:
    home, there = plan.home, plan.there
    repository, git = home.repository, home.repository.git()
    prefix, tip = there.prefix, there.tip()
    if not git.resolve(f"{tip}:{prefix}{layout.POLICY_FILE}")[0]:
        before: Files = [*pointer_to(prefix)]
        if tip and git.resolve(f"{tip}:{prefix}{layout.MOVED_FILE}")[0]:
            before.append((prefix + layout.MOVED_FILE, None))
        _commit(
            checked_out_home(repository, ""), clock, f"diurna: memory comes to {prefix}", before
        )
        tip = there.tip()
        made = _joined(plan, tip, clock)
        memory = Memory(there, clock=clock, lasting=False)
        memory.join(made, planned=Plan(AHEAD, tip, made, made))
        memory.close()
    said = _moved(
        f"`{prefix}` on the branch `{there.branch}`", "check that branch out, or merge it"
    )
    _commit(
        home, clock, f"diurna: moved to {prefix} on {there.branch}", [(layout.MOVED_FILE, said)]
    )
    pages = [
        path for _, _, path in git.tree_files(home.tip(), *layout.EDITABLE, layout.ARCHIVE_DIR)
    ]
    mirror(home, [(path, None) for path in pages])  # what it shows ends here
    for key in (layout.CONFIG_BRANCH, layout.CONFIG_MOVED):
        git.run("config", "--local", "--unset-all", key, check=False)


def _joined(plan: MovePlan, tip: str, clock: Callable[[], int]) -> str:
    """Make the commit that joins a branch's history to the code's, its files below the prefix."""
    home, there = plan.home, plan.there
    git = home.repository.git()
    past = relocated(git, home.tip(), "", there.prefix)
    objects = list(past.objects)
    policy = dict(_published(home, "trunk", trunk_of(home.repository, there.branch)))
    with Objects(git) as reader:
        known = {object_id(kind, data): data for kind, data in objects}
        reader.hold(known)
        changed = [(path, blob_id(data)) for path, data in policy.items() if data is not None]
        tree, written = with_files(
            reader.read, reader.header(home.tip()).tree, [*changed, (layout.MOVED_FILE, "")]
        )
        reader.hold(written)
        objects += [(BLOB, data) for data in policy.values() if data is not None]
        objects += [(TREE, raw) for raw in written.values()]
        root = reader.header(tip).tree if tip else ""
        whole, trees = _with_folder(reader, root, there.prefix.split("/")[:-1], tree)
        objects += [(TREE, raw) for raw in trees]
        parents = (tip, past.tip) if tip else (past.tip,)
        memory = Memory(home, clock=clock, lasting=False)
        message = f"diurna: the memory of the branch {home.branch}, beside the code"
        people = memory.identity().lines(clock() // 1000)
        memory.close()
        commit = merge_commit(whole, parents, people, message)
    write_objects(git, [*objects, (COMMIT, commit)])
    return object_id(COMMIT, commit)


def _with_folder(
    reader: Objects, root: str, parts: list[str], tree: str
) -> tuple[str, list[bytes]]:
    """Return a tree with a folder in the place of what is there, and the trees that are new."""
    if not parts:
        return tree, []
    raw = reader.read(root) if root else b""
    name = parts[0].encode("utf-8", "surrogateescape")
    there = lookup(raw, name)
    inner = there[1] if there is not None and there[0] == FOLDER else ""
    new, made = _with_folder(reader, inner, parts[1:], tree)
    raw = put(raw, name, FOLDER, new)
    return object_id(TREE, raw), [*made, raw]


def _published(home: Home, when: str, trunk: str) -> Files:
    """Return the policy of a home as the other kind of home has it, nothing where it is so."""
    git = home.repository.git()
    found = git.resolve(f"{home.tip()}:{layout.POLICY_FILE}")
    (data,) = git.blobs(found) if found[0] else (None,)
    if data is None:
        return []
    usual = "trunk" if when == "append" else "append"
    line = rb'(?m)^(publish\s*=\s*)"%s"' % usual.encode()
    said = re.sub(line, rb'\g<1>"%s"' % when.encode(), data, count=1)
    if trunk and said != data and not re.search(rb"(?m)^trunk\s*=", said):
        from projection.policy.template import quoted

        added = f"trunk   = {quoted(trunk)}\n".encode()
        said = re.sub(rb"(?m)^(publish\s*=.*\n)", lambda one: one[1] + added, said, count=1)
    return [(layout.POLICY_FILE, said)] if said != data else []


def _commit(home: Home, clock: Callable[[], int], said: str, files: Files) -> None:
    """Commit files, unless all of them are so."""
    git, prefix = home.repository.git(), home.prefix
    tip = home.tip()
    there = git.resolve(*[f"{tip}:{prefix}{path}" for path, _ in files])
    wanted = ["" if data is None else blob_id(data) for _, data in files]
    if there == wanted:
        return
    memory = Memory(home, clock=clock, lasting=False)
    try:
        memory.commit_files(files, said)
    finally:
        memory.close()


def _moved(where: str, how: str) -> bytes:
    return (
        f"# The memory of this project moved\n\nIt is on {where} now: {how}.\n"
        "Logs that are recorded here all the same are joined to it by the next `diurna sync` there.\n"
    ).encode()


def _refuse_branch(home: Home, there: Home) -> None:
    git = home.repository.git()
    another = "diurna init --move branch --branch"
    refuse_branch(home.repository, there.branch, another)
    tip = there.tip()
    past = relocated(git, home.tip(), home.prefix, "")
    known = set(git.run("rev-list", tip).decode("ascii").split()) if tip else set()
    if tip and not known & {object_id(kind, data) for kind, data in past.objects if kind == COMMIT}:
        message = f"the branch {there.branch} exists and holds something else"
        raise WriteRefused(message, hint=f"`{another} NAME` takes another name")


def _refuse_dirty(home: Home) -> None:
    """Refuse while files in the folder are not as they are committed: none of them is to be lost."""
    git = home.repository.git()
    where = f":(top,literal){home.prefix.rstrip('/')}"
    said = git.run("status", "--porcelain", "-z", "-uall", "--", where).decode("utf-8", "replace")
    if said:
        raise WriteRefused(
            f"{said.split(chr(0))[0][3:]} is not committed as it is",
            hint="commit it, or let `diurna check --absorb` read an edit of continuity.md; then move",
        )


def _left_over(home: Home) -> Home | None:
    """Return the other place of a home, where a move from there was not ended; None for none."""
    repository = home.repository
    git = repository.git()
    if home.kind == OWN_BRANCH:
        return None
    branch = config_value(repository, "diurna", "branch")
    if not branch or not read_reference(repository, f"refs/heads/{branch}"):
        return None
    there = branch_home(repository, branch)
    files = (layout.POLICY_FILE, layout.MOVED_FILE)
    policy, moved = git.resolve(*[f"{there.tip()}:{name}" for name in files])
    return there if policy and not moved else None


def _counted(logs: int) -> str:
    return f"{logs} log{'s' if logs != 1 else ''}"


def default_prefix(repository: Repository) -> str:
    """Return where a home comes to that is moved beside the code, unless somebody says where."""
    return config_value(repository, "diurna", "moved") or layout.TREE_PREFIX
