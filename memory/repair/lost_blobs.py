"""Restore from the spool what a power cut or a prune took from the object store.

git does not flush its objects, so after a power cut a commit may name objects that are empty or gone, or
the branch may stand where it stood before. The spool's copies were flushed. A damaged object file is moved
aside first: git takes whatever bears the right name for the object, and does not write it again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from ledger.errors import StorageFailed
from ledger.git.commit_record import loose_object
from ledger.home import OWN_REPOSITORY, Home
from ledger.model.findings import Finding
from ledger.model.layout import log_path
from ledger.model.logset import LogRef
from ledger.model.sha256 import blob_id
from ledger.wal.git_locks import git_prunes, journal, set_aside
from ledger.wal.intents import Intents
from ledger.wal.spool import KEEP, Spool
from memory.cache.cache_file import Cache
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.log_bytes import read_bytes
from memory.worktree.checkout import store_blob, work_file

#: How many places where the branch stood are looked at.
_TIPS = 50


def dropped(home: Home, spool: Spool, cache: Cache) -> list[str]:
    """Return the stems of kept logs that the branch had, and has lost though the user still has them.

    What a person took out of the work tree was meant to go; of the index that can not be said, for git
    reads it before it locks it, and may write it without our entry. Mostly this costs a look into
    one folder and one question to the cache.
    """
    if not home.checked_out or not cache.commit:
        return []
    kept = spool.kept()
    known = cache.known(kept) if kept else {}
    paths = {stem: log_path(stem) for stem in kept if stem not in known}
    if paths and cache.redacted:
        from memory.redaction.withheld_texts import held_logs

        redacted = {stem for stem, _ in held_logs(cache)}  # it may have been meant to go (fault:E7)
        paths = {stem: path for stem, path in paths.items() if stem not in redacted}
    there = [stem for stem, path in paths.items() if os.path.isfile(f"{home.folder}/{path}")]
    if not there:
        return []
    found = [
        stem
        for stem in there
        if (data := spool.read_kept(stem)) is not None and work_file(home, paths[stem]) == data
    ]
    if not home.plain:  # there a commit that is reset leaves them to the next one
        found = [stem for stem in found if _stood(home, cache.commit, paths[stem])]
    if not found:
        return []
    wanted = [home.prefix + paths[stem] for stem in found]
    rows = home.repository.git().tree_files(cache.commit, *wanted)
    at_tip = {path for _, _, path in rows}  # one that only can not be read was not dropped
    return [stem for stem in found if home.prefix + paths[stem] not in at_tip]


def dropped_finding(home: Home, stem: str, then: str, hint: str = "") -> Finding:
    """Say that a commit left a log out, what became of it (`then`), and what to do."""
    beside = "a commit that was begun beside that left it out"
    said = f"{stem} was committed on {home.branch}, and {beside}; {then}"
    return Finding("log-dropped", said, hint=hint)


def _stood(home: Home, tip: str, path: str) -> bool:
    """Tell whether the branch had a file, and a commit took it out of there.

    It is in the tip's history; or the branch stood where it was, and an amended commit replaced that. A
    reset is the user's own way of setting a commit back.
    """
    git, full = home.repository.git(), home.prefix + path
    said = git.run("log", "-1", "--format=%H", tip, "--", f":(top,literal){full}", check=False)
    if said.strip():
        return True
    listed = git.run(
        "log", "-g", f"-n{_TIPS}", "--format=%H %gs", home.reference, "--", check=False
    )
    moves = [line for line in listed.decode("utf-8", "replace").split("\n") if line]
    there = git.resolve(*[f"{move[:40]}:{full}" for move in moves]) if moves else []
    last = next((number for number, blob in enumerate(there) if blob), 0)
    return last > 0 and moves[last - 1][41:].startswith("commit")


def mend_spooled(snapshot: Snapshot, spool: Spool, *, kept: bool) -> list[str]:
    """Look for what a power cut took, for logs that were never read back, and for dropped ones.

    Call it only while holding Diurna's own lock; return the stems of those that were dropped. `kept`:
    look at the kept logs too: once is enough, for after a power cut every process is a new one.
    """
    cache, home = snapshot.cache(), snapshot.home
    drop_purged(cache, spool)
    stems = (*spool.waiting(), *spool.held())
    logs = {stem: spool.read(stem) for stem in stems if cache.log_ref(stem) is not None}
    if kept:
        for stem in suspects(home, spool, cache):
            logs[stem] = spool.read_kept(stem)
    if home.plain:  # what the tip lacks is a person's: `Committer.settle` sees to it
        mend(snapshot, {stem: data for stem, data in logs.items() if cache.log_ref(stem)})
        return []
    for stem in mend(snapshot, logs):
        spool.requeue(stem)
    found = dropped(home, spool, snapshot.cache())
    for stem in found:
        spool.requeue(stem)
    return found


def let_go(
    snapshot: Snapshot, spool: Spool, intents: Intents, remake: Callable[[], list[str]]
) -> None:
    """Flush the disks now and then, and let go of the spooled copies of what is on them.

    Not of what the object store has lost: that is mended, or waits again. And not while git deletes
    what nothing referred to a moment ago. Then git may pack what has piled up. `intents` are what
    recent commits are made of; `remake` writes again what a prune took of them.
    """
    git, kept = snapshot.home.repository.git(), spool.kept()
    if len(kept) < KEEP or git_prunes(snapshot.home.repository.commondir):
        return
    os.sync()
    drop_purged(snapshot.cache(), spool)
    kept = spool.kept()
    remake()
    plain = snapshot.home.plain
    wanted = snapshot.cache().known(kept) if plain else kept
    waits = mend(snapshot, {stem: spool.read_kept(stem) for stem in wanted})
    cache = snapshot.cache()
    if not plain:  # there another branch has them, or a person set them back
        waits += [stem for stem in kept if stem not in waits and cache.log_ref(stem) is None]
    for stem in waits:
        spool.requeue(stem)
    # a commit of the user's that is under way may yet leave out the newest
    newest = kept[len(kept) - KEEP // 8 :]
    spool.forget([stem for stem in kept if stem not in waits and stem not in newest])
    if not waits:
        intents.forget()
    if snapshot.home.kind == OWN_REPOSITORY:  # of all others git packs when a person works there
        git.tidy()


def drop_purged(cache: Cache, spool: Spool) -> None:
    """Let go of copies of logs that were redacted and taken out of the history: they must not return."""
    if not cache.redacted:
        return
    from memory.redaction.withheld_texts import held_logs

    held = held_logs(cache)
    for stem in {stem for stem, _ in held}:
        known = cache.log_ref(stem)
        for data, drop in (
            (spool.read(stem), spool.withdraw),
            (spool.read_kept(stem), lambda gone: spool.forget([gone])),
        ):
            blob = "" if data is None else blob_id(data)
            waits = known is None and spool.mark(stem) is not None  # no branch has had it
            if (stem, blob) in held and not waits and (known is None or known.blob != blob):
                drop(stem)


def suspects(home: Home, spool: Spool, cache: Cache) -> list[str]:
    """Return the kept logs that may be lost, by a look that costs next to nothing.

    They are those that the cache does not have, and those whose object file is empty.
    """
    objects = home.repository.commondir + "/objects"
    found = []
    kept = spool.kept()
    known = cache.known(kept)
    for stem in kept:
        ref = known.get(stem)
        try:
            if ref is None or not os.stat(f"{objects}/{ref.blob[:2]}/{ref.blob[2:]}").st_size:
                found.append(stem)
        except OSError:  # packed
            pass
    return found


def mend(snapshot: Snapshot, logs: Mapping[str, bytes | None]) -> list[str]:
    """Write the objects of committed logs again that the store has lost.

    Call it only while holding Diurna's own lock. The snapshot is built anew when something was mended,
    and told of it; `logs` is stem -> the spool's copy, None for a damaged one.

    Returns:
        The stems that no tree of the tip names any more: they have to be committed again.

    Raises:
        StorageFailed: the disk refused.
    """
    home = snapshot.home
    refs: dict[LogRef, bytes] = {}
    for stem, data in logs.items():
        if data is not None:
            refs[LogRef(stem, log_path(stem), blob_id(data))] = data
    whole = {ref for ref, data in read_bytes(home, list(refs)) if data == refs[ref]}
    lost = [ref for ref in refs if ref not in whole]
    for ref in lost:
        clear_damaged(home, ref.blob)
        store_blob(home, refs[ref])
        said = f"the object {ref.blob} of {ref.path} was lost and was written again from the spool"
        journal(home.repository.commondir, said)
        snapshot.notes.append(Finding("object-mended", said, ref.path))
    if not lost:
        return []
    cache = snapshot.rebuilt()
    return [ref.stem for ref in lost if cache.log_ref(ref.stem) is None]


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
