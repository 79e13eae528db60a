"""Keep what brings back what was committed: the spool's copies, and where the branch was left.

git does not flush its objects, so after a power cut a commit may name objects that are empty or gone, or
the branch may stand where it stood before. The spool's copies were flushed. A damaged object file is moved
aside first: git takes whatever bears the right name for the object, and does not write it again. What
keeps the tip of a branch moves with it, and stands beside git too (`memory.repair.lost_logs`).
"""

from __future__ import annotations

import os
from _collections_abc import Callable, Iterable, Mapping

from ledger.errors import DiurnaError, StorageFailed
from ledger.git.git_objects import loose_object
from ledger.git.repository import read_reference, remote_branches
from ledger.home import OWN_REPOSITORY, Home
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import SENT, SESSIONS_DIR, beside_git, kept_as, stem_of
from ledger.model.log_names import LogRef, is_sealed, log_path
from ledger.wal.atomic_files import append_bytes, make_folder, plain_bytes, replace_file
from ledger.wal.git_locks import git_prunes, journal, set_aside
from ledger.wal.spool import KEEP, Intents, Spool
from memory.cache.cache_file import Cache
from memory.replay.tip_snapshot import Snapshot


def set_back(home: Home, spool: Spool, cache: Cache) -> list[str]:
    """Return the stems of plain files that the branch had, and that a reset left in the work tree.

    Mostly this costs a look into one folder and one question to the cache.
    """
    if not home.plain or not cache.commit:
        return []
    from memory.worktree.page_copies import work_file

    kept = spool.kept()
    known = cache.known(kept) if kept else {}
    return [
        stem
        for stem in kept
        if stem not in known
        if (data := spool.read_kept(stem)) and work_file(home, log_path(stem)) == data
    ]


def mend_spooled(snapshot: Snapshot, spool: Spool, *, kept: bool) -> None:
    """Look for what a power cut took, and for logs that were never read back.

    Call it only while holding Diurna's own lock. `kept`: look at the kept logs too: once is enough, for
    after a power cut every process is a new one.
    """
    cache, home = snapshot.cache(), snapshot.home
    drop_purged(cache, spool)
    if home.plain:  # what a person commits is theirs to see to
        return
    stems = (*spool.waiting(), *spool.held())
    logs = {stem: spool.read(stem) for stem in stems if cache.log_ref(stem) is not None}
    listed = spool.kept() if kept else []
    known = cache.known(listed) if listed else {}
    objects = home.repository.commondir + "/objects"
    for stem in listed:  # a look at those that may be lost costs next to nothing
        ref = known.get(stem)
        try:
            lost = ref is None or not os.stat(f"{objects}/{ref.blob[:2]}/{ref.blob[2:]}").st_size
        except OSError:  # packed
            continue
        if lost:
            logs[stem] = spool.read_kept(stem)
    for stem in mend(snapshot, logs):
        spool.requeue(stem)


def let_go(
    snapshot: Snapshot, spool: Spool, intents: Intents, remake: Callable[[], list[str]]
) -> None:
    """Flush the disks now and then, and let go of the spooled copies of what is on them.

    Not of what the object store has lost: that is mended, or waits again. And not while git deletes
    what nothing referred to a moment ago. Then git may pack what has piled up. `intents` are what
    recent commits are made of; `remake` writes again what a prune took of them.
    """
    home, kept = snapshot.home, spool.kept()
    if home.plain or len(kept) < KEEP or git_prunes(home.repository.commondir):
        return
    os.sync()
    drop_purged(snapshot.cache(), spool)
    kept = spool.kept()
    remake()
    waits = mend(snapshot, {stem: spool.read_kept(stem) for stem in kept})
    cache = snapshot.cache()
    waits += [stem for stem in kept if stem not in waits and cache.log_ref(stem) is None]
    for stem in waits:
        spool.requeue(stem)
    spool.forget([stem for stem in kept if stem not in waits])
    if not waits:
        intents.forget()
    if home.kind == OWN_REPOSITORY:  # of all others git packs when a person works there
        home.repository.git().tidy()


def drop_purged(cache: Cache, spool: Spool) -> None:
    """Let go of copies of logs that were redacted and taken out of the history: they must not return."""
    if not cache.redacted:
        return
    from memory.redaction.withheld_texts import held_logs

    held = held_logs(cache)
    for stem in {stem for stem, _ in held}:
        known = cache.log_ref(stem)
        for data, drop, waits in (  # where it has a mark no branch has had it yet
            (spool.read(stem), spool.withdraw, spool.mark(stem) is not None),
            (spool.read_kept(stem), lambda gone: spool.forget([gone]), False),
        ):
            blob = "" if data is None else blob_id(data)
            if (stem, blob) in held and (known.blob != blob if known else not waits):
                drop(stem)


def mend(snapshot: Snapshot, logs: Mapping[str, bytes | None]) -> list[str]:
    """Write the objects of committed logs again that the store has lost.

    Call it only while holding Diurna's own lock. The snapshot is built anew when something was mended,
    and told of it; `logs` is stem -> the spool's copy, None for a damaged one.

    Returns:
        The stems that no tree of the tip names any more: they have to be committed again.

    Raises:
        StorageFailed: the disk refused.
    """
    if not logs:
        return []
    from memory.worktree.index_entries import store_blob

    home, lost = snapshot.home, not_whole(snapshot.home, logs)
    for ref, data in lost.items():
        clear_damaged(home, ref.blob)
        store_blob(home, data)
        said = f"the object {ref.blob} of {ref.path} was lost and was written again from the spool"
        journal(home.repository.commondir, said)
        snapshot.notes.append(Finding("object-mended", said, ref.path))
    if not lost:
        return []
    cache = snapshot.rebuilt()
    return [ref.stem for ref in lost if cache.log_ref(ref.stem) is None]


def not_whole(home: Home, logs: Mapping[str, bytes | None]) -> dict[LogRef, bytes]:
    """Return the logs, by stem, whose bytes git does not have; None for a damaged copy."""
    from memory.replay.read_logs import read_bytes

    refs = {
        LogRef(stem, log_path(stem), blob_id(data)): data
        for stem, data in logs.items()
        if data is not None
    }
    whole = {ref for ref, data in read_bytes(home, list(refs)) if data == refs[ref]}
    return {ref: data for ref, data in refs.items() if ref not in whole}


def clear_damaged(home: Home, blob: str) -> bool:
    """Move an object's file aside when it does not hold what its name says; tell whether it was so.

    Raises:
        StorageFailed: the disk refused.
    """
    objects = home.repository.commondir + "/objects"
    try:
        loose_object(objects, blob)
    except StorageFailed:
        set_aside(home.repository.commondir, f"{objects}/{blob[:2]}/{blob[2:]}")
        return True
    return False


def along(home: Home, tip: str, made: str = "") -> tuple[tuple[str, str], ...]:
    """Return what moves with the branch: what keeps its tip, and a remote's where that is the old one.

    Or where that is `made`, the new one, and another of a remote's was kept before.
    """
    if not home.seen:
        return ()
    name, there = kept_as(SENT, home.reference), remote_tips(home).values()
    before = read_reference(home.repository, name)
    sent = made if before and made in there else tip if tip in there else ""
    return ((home.seen, ""), *[(name, sent)] * bool(sent))


def remote_tips(home: Home) -> dict[str, str]:
    """Return where the branch is on remotes, by the references that track it there."""
    where = home.repository
    return {name: read_reference(where, name) for name in remote_branches(where, home.branch)}


def note_logs(home: Home, fresh: Iterable[str] | None = None) -> None:
    """Note beside git where what keeps the branch leads, and the logs that are fresh there: all for None.

    Call it behind each move of Diurna's. A disk may refuse; what is noted then is found again.
    """
    kept, path = read_reference(home.repository, home.kept), _noted(home)
    try:
        if fresh is not None and os.path.exists(path):
            append_bytes(path, " ".join([*filter(is_sealed, fresh), f"{kept}\n"]).encode())
        elif kept:
            make_folder(os.path.dirname(path))
            replace_file(path, " ".join([*sealed_stems(home, kept), f"{kept}\n"]).encode(), 0o600)
        else:
            os.unlink(path)
    except (OSError, DiurnaError):
        pass


def _noted(home: Home) -> str:
    return beside_git(home.repository.commondir, home.kept)


def noted_words(home: Home) -> list[str]:
    """Return what is noted beside git: logs, and last where Diurna left what keeps the branch, or ""."""
    return (plain_bytes(_noted(home)) or b"").decode("ascii", "replace").split() or [""]


def sealed_stems(home: Home, commit: str) -> set[str]:
    """Return the sealed logs of a commit, none of ""."""
    git, folder = home.repository.git(), home.prefix + SESSIONS_DIR
    listed = git.tree_files(commit, folder) if commit else ()
    return {stem for _, _, path in listed if is_sealed(stem := stem_of(path))}


def is_written(home: Home) -> bool:
    """Tell whether git wrote the branch since it was noted: what a power cut took back is older."""
    files = [f"{home.repository.commondir}/{name}" for name in (home.reference, "packed-refs")]
    written = [os.stat(one).st_mtime_ns for one in files if os.path.exists(one)]
    return bool(written) and written[0] >= os.stat(_noted(home)).st_mtime_ns
