"""Take what was redacted out of git's history: a plan to look at, a backup, and then all at once.

The history is written anew beside the old one, work trees and indexes follow, and then all references
move in one transaction. Whoever is killed before that has lost nothing, and the same command goes on. What
other clones, remotes and their web pages hold, people have to see to; nothing is sent anywhere.
"""

from __future__ import annotations

import os
from glob import escape, glob

from ledger.errors import StorageFailed, WriteRefused
from ledger.git.cli import Git
from ledger.git.git_objects import write_objects
from ledger.git.history_rewrite import Rewriter, Rewriting, move_all
from ledger.git.repository import Repository, cut_commits, operation_under_way
from ledger.model.event import FactRedacted
from ledger.model.ids import blob_id
from ledger.model.layout import LOCK_FILE, SESSIONS_DIR, STATE_DIR, stem_of
from ledger.model.log_names import is_stem, log_path
from ledger.model.record import Record
from ledger.wal.atomic_files import Lock, make_folder, plain_bytes
from ledger.wal.git_locks import EVERY, clear_left_lock, is_abandoned
from memory import (
    Memory,
    SessionDraft,
    clean_again,
    finish_dead,
    held_logs,
    note_checked,
    read_checked,
)
from rituals.decide.redaction import REMOTES, holding_of, work_trees

#: Beside git: the histories as they were.
_BACKUPS = "purged"
_LOCK_SECONDS = 10.0
_HEADS = "refs/heads/"


class WorkTree(Record):
    """A work tree that has a branch checked out which is written anew."""

    top: str  #: its folder
    gitdir: str  #: what git keeps of it
    old: str  #: the commit that it has
    new: str  #: the one that it gets


class Purge(Record):
    """What would be written anew."""

    history: Rewriting  #: the new one
    files: tuple[tuple[str, str], ...]  #: (path, blob id) that get other bytes
    stays: tuple[str, ...]  #: paths of files that would say it still, in what is not redacted
    trees: tuple[WorkTree, ...]  #: the work trees that follow
    backup: str  #: where the old history is kept
    refused: tuple[str, ...]  #: why it can not be done now, a line each

    @property
    def afterwards(self) -> tuple[str, ...]:
        """The branches of remotes that still have it, a line each; no command is named that forces."""
        here = [one.reference for one in self.history.moves if one.reference.startswith(_HEADS)]
        ends = tuple([one.removeprefix(_HEADS[:-1]) for one in here])
        return tuple(
            f"{one.reference.removeprefix(REMOTES)} still has it, at {one.old[:12]}: let this clone's "
            "take its place there, in whatever way the forge allows"
            for one in self.history.moves
            if one.reference.startswith(REMOTES) and one.reference.endswith(ends)
        )


def plan_purge(memory: Memory, facts: tuple[str, ...], logs: tuple[str, ...]) -> Purge:
    """Plan a history without the texts of facts and the words of logs. Nothing is stored."""
    home = memory.home
    git = home.repository.git()
    holding = holding_of(memory, facts, logs)
    purge, places = holding.purge, holding.places
    blobs: dict[str, bytes] = {}
    stays: list[str] = []
    for (path, blob), data in zip(places, git.blobs(blob for _, blob in places), strict=True):
        inside = path.removeprefix(home.prefix)
        log = inside.startswith(SESSIONS_DIR + "/") and is_stem(stem_of(inside))
        new = purge.log(stem_of(inside), data or b"") if log else purge.page(data or b"")
        if data is not None and new != data:
            blobs[blob] = new
        if purge.telling.stands_in(new):
            stays.append(path)
    history = Rewriter(home.repository, home.prefix, blobs, purge.message).planned()
    trees, refused = _work_trees(home.repository, history)
    spool = home.spool
    for stem in spool.held() if home.plain else ():
        data = spool.read(stem) or b""
        if purge.log(stem, data) != data:
            refused.append(f"{home.prefix}{log_path(stem)} holds it and is not committed")
    if cut_commits(home.repository):
        refused.append("this clone is shallow: the whole history is elsewhere")
    refused += [f"{name} leads to it too, and is not Diurna's to move" for name in history.others]
    tip = home.tip()[:12]
    return Purge(
        history, tuple([one for one in places if one[1] in blobs]),
        tuple(dict.fromkeys(stays)), tuple(trees),
        f"{home.repository.commondir}/{STATE_DIR}/{_BACKUPS}/{tip}.bundle", tuple(refused),
    )  # fmt: skip


def purge(memory: Memory, facts: tuple[str, ...], logs: tuple[str, ...]) -> Purge:
    """Do what is planned; return what was done.

    The logs that change are named by a redaction first, so that `check` knows of them (FORMAT.md, L3).

    Raises:
        WriteRefused: it can not be done now; nothing changed.
        StorageFailed: the disk or git refused; no reference moved.
    """
    plan = plan_purge(memory, facts, logs)
    refuse(plan)
    if not plan.history.moves:
        return plan
    held = held_logs(memory.cache())
    prefix = memory.home.prefix
    changed = {
        (stem_of(path.removeprefix(prefix)), blob)
        for path, blob in plan.files
        if path.startswith(f"{prefix}{SESSIONS_DIR}/") and is_stem(stem_of(path))
    }
    if missing := tuple(sorted(changed - held)):
        said = FactRedacted((*facts, *logs)[0], held=missing)
        memory.append(SessionDraft("Purge", "", (said,), type="edit", anyway=True), again=True)
        plan = plan_purge(memory, facts, logs)
        refuse(plan)
    home = memory.home
    git, common = home.repository.git(), home.repository.commondir
    checked, in_step = read_checked(home), not memory.drift()
    with Lock(f"{common}/{LOCK_FILE}", _LOCK_SECONDS) as lock:
        memory.snapshot.notes += finish_dead(home, lock)
        _back_up(git, plan)
        write_objects(home.repository, plan.history.objects)
        moves, tip = plan.history.moves, home.tip()
        new = next((one.new for one in moves if one.reference == home.reference), tip)
        files = [f"{tree.gitdir}/index" for tree in plan.trees]
        files += [f"{common}/{one}" for one in ("packed-refs", "HEAD")]
        for file in (*files, *[f"{common}/{one.reference}" for one in moves]):
            clear_left_lock(home.repository, f"{file}.lock")
        # who finds it puts work trees back, or lets them follow, and clears the locks of our git
        lock.write_note(f"{EVERY} {home.reference or 'HEAD'} {tip} {new}", lasting=True)
        for tree in plan.trees:
            _follow(tree)
        move_all(git, moves)
    if checked in plan.history.commits:
        note_checked(home, plan.history.commits[checked])
    memory.ask(lambda cache: clean_again(home, cache))
    if in_step and memory.drift():  # the page names the bytes of the logs that it is made of
        memory.publish()
    return plan


def refuse(plan: Purge) -> None:
    """Refuse what can not be done now.

    Raises:
        WriteRefused: the reasons are said.
    """
    if plan.refused:
        hint = "nothing was changed; commit or put aside what is yours, and run the command again"
        raise WriteRefused(f"the history is not written anew: {'; '.join(plan.refused)}", hint=hint)


def _work_trees(repository: Repository, history: Rewriting) -> tuple[list[WorkTree], list[str]]:
    """Find the work trees that have to follow, and what is in the way in each."""
    new = {one.reference: one.new for one in history.moves}
    trees: list[WorkTree] = []
    refused: list[str] = []
    for tree in work_trees(repository.git()):
        top, commit, branch = tree["worktree"], tree.get("HEAD", ""), tree.get("branch", "")
        if not os.path.exists(f"{top}/.git"):
            continue  # bare, or gone
        if not branch and commit in history.commits:
            refused.append(f"HEAD is detached in {top}")
        if branch not in new:
            continue
        git = Git(top)
        gitdir = git.text("rev-parse", "--absolute-git-dir").rstrip("\n")
        trees.append(WorkTree(top, gitdir, commit, new[branch]))
        if under_way := operation_under_way(repository._replace(top=top, gitdir=gitdir)):
            refused.append(f"{under_way} is under way in {top}")
        if dirty := _dirty(git, trees[-1], history):
            more = f" and {len(dirty) - 1} more" if len(dirty) > 1 else ""
            refused.append(f"{dirty[0]}{more} in {top} is changed and not committed")
    return trees, refused


def _dirty(git: Git, tree: WorkTree, history: Rewriting) -> list[str]:
    """Return what a person has changed; what a killed purge wrote there is ours."""
    rows = git.status("--untracked-files=no", "--no-renames")
    if not rows:
        return []
    kept = {blob_id(data) for kind, data in history.objects if kind == "blob"}
    listed = git.text("ls-files", "-s", "-z").split("\0")
    index = {line.partition("\t")[2]: line.split(" ")[1] for line in listed if line}
    changed = []
    for path in [row[3:] for row in rows]:
        data = plain_bytes(f"{tree.top}/{path}")
        here = index.get(path, "") if data is None else blob_id(data)
        was = git.resolve(f"{tree.old}:{path}")[0]
        if index.get(path) not in kept or not (here in kept or here == was):
            changed.append(path)
    return changed


def _back_up(git: Git, plan: Purge) -> None:
    """Keep the old history in one file that `git clone` and `git fetch` read."""
    make_folder(os.path.dirname(plan.backup))
    for left in glob(f"{escape(os.path.dirname(plan.backup))}/*.tmp*"):  # of one who was killed
        if is_abandoned(left):
            os.unlink(left)
    scratch = f"{plan.backup}.{os.getpid()}.tmp"
    names = [one.reference for one in plan.history.moves]
    old = os.umask(0o077)
    try:
        status, _, err = git.call("bundle", "create", "-q", scratch, *names)
    finally:
        os.umask(old)
    if not status:
        status, _, err = git.call("bundle", "verify", "-q", scratch)
    if status:
        said = f"the backup could not be written: {err.decode('utf-8', 'replace').strip()}"
        raise StorageFailed(said, hint="nothing was changed; see that the disk has room")
    with open(scratch, "rb") as file:
        os.fsync(file.fileno())
    os.replace(scratch, plan.backup)


def _follow(tree: WorkTree) -> None:
    """Let the index of a work tree and its files have the new bytes, before its branch has them."""
    git = Git(tree.top)
    rows = git.differences(tree.old, tree.new)
    lines = "".join([f"{mode} {blob}\t{path}\n" for _, mode, blob, path in rows])
    paths = "".join([f"{path}\0" for _, _, _, path in rows])
    git.run("update-index", "--index-info", data=os.fsencode(lines))
    git.run("checkout-index", "-f", "-q", "-z", "--stdin", data=os.fsencode(paths))
