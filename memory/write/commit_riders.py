"""Let logs that wait go with a person's own commit, and take them out of its index where it failed (W20).

git runs the hook `pre-commit` once the index that it is about to commit stands, and reads that index
again behind it. So what is staged there is committed, signed and seen by the later hooks as all else in
it. What was staged is noted in the git directory of the work tree first: a commit that fails behind the
hook leaves it there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping

from ledger.codec.log import read_entry
from ledger.errors import Busy, DiurnaError, StorageFailed, WaitsInSpool
from ledger.git.git_objects import move_reference
from ledger.git.repository import operation_under_way, read_reference
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import LOCK_FILE, STATE_DIR, log_path
from ledger.model.sha256 import blob_id
from ledger.wal.atomic_files import Lock, make_folder, replace_file
from ledger.wal.dead_owner import died
from memory.cache.cache_file import Cache
from memory.cache.sqlite import CacheDamaged
from memory.cache.view_name import rides
from memory.repair.lost_blobs import dropped, dropped_finding, reverted
from memory.replay.ledger_snapshot import Snapshot
from memory.worktree.checkout import INDEX_TRIES, pending_file, update_index, work_file
from memory.worktree.commit_follow import catch_up, follow, show_elsewhere, show_move, take_back
from memory.write.draft import Occasion
from memory.write.landing import commit_runs, for_here
from memory.write.personal_guard import kept_back, refuse_personal_logs
from memory.write.spool_commits import Committer, check_writable

#: Paths relative to the home, with their bytes; None takes a file out.
Files = tuple[tuple[str, bytes | None], ...]


def commit_files(
    snapshot: Snapshot,
    committer: Committer,
    files: Callable[[str], Files],
    message: str,
    occasion: Occasion,
) -> str:
    """Commit files of the home other than logs; return the commit.

    `files` says which, for a tip: asked again when another writer was faster. With nothing to do there
    is no commit, and the tip is returned.

    Raises:
        Busy: the branch kept moving or is locked.
        StorageFailed: an object did not reach the disk.
        WriteRefused: the ledger has a newer format.
        DraftRefused: a log among them holds what is only one person's.
    """
    home, branch = snapshot.home, committer.branch
    with branch.lock() as lock:

        def once() -> str:
            tip = home.tip()
            branch.finish_dead(lock, tip)
            listed = files(tip)
            if not listed:
                return tip
            policy = snapshot.read_policy(snapshot.policy_blob(tip))[1]
            check_writable(policy)
            refuse_personal_logs(home, policy, listed)
            made, findings = committer.write(committer.wanted(tip, listed, message, occasion), lock)
            snapshot.notes += findings
            branch.end_note(lock, made)
            return made

        return branch.despite_pruning(lambda: branch.persist(once, lock), lock)


def missing(home: Home, listed: Files, tip: str) -> Files:
    """Return the files that a tip does not have, whatever is in those that it has."""
    if not tip:
        return listed
    git, prefix = home.repository.git(), home.prefix
    there = git.resolve(*[f"{tip}:{prefix}{path}" for path, _ in listed])
    return tuple(one for one, found in zip(listed, there, strict=True) if not found)


def move(snapshot: Snapshot, committer: Committer, where: Callable[[str], str]) -> str:
    """Let the branch point to a commit that is there already; return it.

    `where` says which, for a tip ("" for an unborn branch): asked again when another writer was faster.
    The tip itself changes nothing.

    Raises:
        Busy: the branch kept moving or is locked.
        StorageFailed: the disk refused.
    """
    home, branch = snapshot.home, committer.branch
    with branch.lock() as lock:
        branch.finish_dead(lock)

        def once() -> str:
            tip = read_reference(home.repository, home.reference)
            try:
                made = where(tip)
            except CacheDamaged:  # a damaged cache is no reason not to move
                snapshot.discard()
                made = where(tip)
            if made == tip:
                if not home.checked_out:  # plain git may have moved it past the mirror
                    snapshot.notes += show_move(home, tip, tip)
                return tip
            git = home.repository.git()

            def act() -> None:
                snapshot.notes += show_move(home, tip, made)
                move_reference(git, home.reference, made, tip, "diurna: sync")

            def take_back() -> None:
                if home.checked_out:
                    catch_up(home, made, home.tip())

            branch.noted(lock, tip, act, take_back, made)
            snapshot.notes += show_elsewhere(home, tip, made)
            branch.end_note(lock, made)
            return made

        return branch.despite_pruning(lambda: branch.persist(once, lock), lock)


def heal_index(committer: Committer) -> list[Finding]:
    """Set the index entries that an earlier command had to leave, or died before it set them."""
    if not committer.home.checked_out:
        return []
    with committer.branch.lock() as lock:
        committer.branch.finish_dead(lock)
    return update_index(committer.home, [])


#: How long a person's commit waits for another process of ours, and how long between two tries.
_PATIENCE_SECONDS, _PAUSE_SECONDS = 2.0, 0.05


class _NotStaged(DiurnaError):
    """The index did not take the entries."""


def note_file(home: Home) -> str:
    """Return the file that notes what the hook staged for a commit of this work tree."""
    return f"{home.repository.gitdir}/{STATE_DIR}/riding"


def ride(committer: Committer, cache: Cache, index: str) -> list[str]:
    """Stage logs that wait for this branch into the index git is about to commit; return their stems.

    `index` is what git calls `GIT_INDEX_FILE`. With `git commit PATH` it is one that nobody reads
    again: the next commit would take out again what it alone had.

    Raises:
        DiurnaError: it can not be done; nothing is staged, or the next command takes it back.
    """
    home, spool = committer.home, committer.spool
    if not (rides(home, cache.policy) and home.reference and cache.commit):
        return []
    if not _is_ours(home, index) or operation_under_way(home.repository):
        return []
    check_writable(cache.policy)
    git = home.repository.git()
    asked = git.start(
        "diff-index", "--cached", "--quiet", cache.commit, more={"GIT_INDEX_FILE": index}
    )
    if asked.finish()[0] != 1:
        return []  # there is nothing to commit, or only the message of the last one is to be another
    try:
        with Lock(os.path.join(home.repository.commondir, LOCK_FILE), _PATIENCE_SECONDS) as lock:
            if lock.note:
                return []  # a process died; the next command finishes what it did
            waiting = [stem for stem in spool.held() if cache.log_ref(stem) is None]
            read = {stem: data for stem in waiting if (data := spool.read(stem)) is not None}
            kept = kept_back(
                home, cache.policy, {stem: read_entry(stem, data)[0] for stem, data in read.items()}
            )
            logs = {stem: read[stem] for stem in for_here(home, read) if stem not in kept}
            free = {
                stem: data
                for stem, data in logs.items()
                if work_file(home, log_path(stem)) in (None, data)
            }
            _stage(committer, free, index)
            return list(free)
    except Busy:
        return []


def _is_ours(home: Home, index: str) -> bool:
    """Tell whether an index is that of the work tree, or what takes its place behind the commit."""
    gitdir = os.path.realpath(home.repository.gitdir)
    return os.path.realpath(index) in (f"{gitdir}/index", f"{gitdir}/index.lock")


def _stage(committer: Committer, logs: Mapping[str, bytes], index: str) -> None:
    home = committer.home
    if not logs:
        return
    git = home.repository.git()
    files = [committer.spool.place(stem) for stem in logs]
    stored = git.run("hash-object", "-w", "--no-filters", "--stdin-paths", data=_lines(files))
    if stored.decode().split() != [blob_id(data) for data in logs.values()]:
        raise StorageFailed("git did not store what waits")
    shown = {home.prefix + log_path(stem): blob_id(data) for stem, data in logs.items()}
    _note(home, {**_noted(home), **shown})

    options = home.repository.unfiltered()

    def stage(home: Home, lines: list[str], sparse: bool) -> list[Finding]:
        if sparse:
            raise _NotStaged("the home is outside the sparse checkout")
        for _ in range(INDEX_TRIES):
            setting = git.start(
                *options, "update-index", "--add", "--index-info", more={"GIT_INDEX_FILE": index}
            )
            status, _, said = setting.finish(_lines(lines))
            if not status:
                return []
            time.sleep(_PAUSE_SECONDS)
        raise _NotStaged(said.decode("utf-8", "replace").strip())

    if follow(home, [(log_path(stem), data) for stem, data in logs.items()], stage):
        raise _NotStaged("not every log could be written into the work tree")


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def _noted(home: Home) -> dict[str, str]:
    """Return path from the root -> blob id of what the hook staged."""
    try:
        with open(note_file(home), encoding="utf-8", errors="surrogateescape") as file:
            rows = [line.partition(" ") for line in file.read().split("\n") if line]
    except OSError:
        return {}
    return {path: blob for blob, _, path in rows}


def _note(home: Home, shown: Mapping[str, str]) -> None:
    make_folder(os.path.dirname(note_file(home)))
    replace_file(note_file(home), _lines(f"{blob} {path}" for path, blob in shown.items()), 0o600)


def unstage(home: Home) -> None:
    """Take out of index and work tree what a commit that failed has left there; while one runs, nothing.

    Call it only while holding Diurna's own lock.
    """
    shown = _noted(home)
    if commit_runs(home):
        return
    if shown:
        take_back(home, shown)
    os.unlink(note_file(home))


def bring_back(
    snapshot: Snapshot, committer: Committer, occasion: Callable[[], Occasion], *, dry_run: bool
) -> None:
    """Do both, and report that, or why it failed; nobody asked for it, so it waits for no git.

    The snapshot is told what was noticed; `dry_run`: change nothing; only note it.
    """
    home, because = snapshot.home, ""
    committer.branch.hurried = True
    try:
        lost = dropped(home, committer.spool, snapshot.cache())
        if not dry_run:
            if os.path.lexists(note_file(home)):
                with committer.branch.lock() as lock:
                    if not lock.note:
                        unstage(home)
            if lost or died(home.repository.commondir):
                snapshot.notes += committer.land(occasion(), None, free=True).findings
                return
            if committer.shelf.rides():
                for stem in reverted(home, committer.spool, snapshot.cache()):
                    committer.spool.requeue(stem)
                landed = committer.land_held(occasion())
                snapshot.notes += landed.findings if landed else ()
            if os.path.exists(pending_file(home)):
                snapshot.notes += heal_index(committer)
    except CacheDamaged:
        return  # whoever asks next builds it anew
    except WaitsInSpool as problem:
        because = f" ({problem.message})"
    except (DiurnaError, OSError):
        return  # what is in the way here is in the way of the command, which says so
    finally:
        committer.branch.hurried = False
    hint = "the next Diurna command that can write commits it again"
    snapshot.notes += [dropped_finding(home, stem, f"it is kept{because}", hint) for stem in lost]
