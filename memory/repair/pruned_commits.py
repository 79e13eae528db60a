"""Make commits and trees again, byte for byte, that `git gc --prune=now` took (W8).

git deletes what nothing referred to when it looked, and a branch may move to it in that very moment. What
was meant is noted beside the spool (`ledger.wal.spool`): parent, files, author and time give the same
objects, under the same ids. Nothing is moved and nothing replaced; what is there stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice

from ledger.errors import DiurnaError, ObjectMissing
from ledger.git.committer import make_commit
from ledger.git.git_objects import COMMIT, TREE, Objects, write_objects
from ledger.git.repository import read_reference
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import MIRROR_DIR, SESSIONS_DIR, stem_of
from ledger.wal.atomic_files import plain_bytes
from ledger.wal.git_locks import journal
from ledger.wal.spool import Intent, Intents
from memory.object_backups import clear_damaged
from memory.replay.tip_snapshot import Snapshot
from memory.worktree.index_entries import store_blob
from memory.worktree.page_copies import work_file

#: A commit's bytes, those of its new trees by id, and what was meant.
Made = tuple[bytes, dict[str, bytes], Intent]
#: How many commits that others made are passed when looking for ours below a tip.
_STRANGERS = 200


def lost_objects(home: Home) -> list[tuple[str, str]]:
    """Return (what it is, id) of recent commits, trees and files that git does not have any more."""
    return [(what, oid) for _, what, oid in _lost(home, _reachable(home))]


def remake(snapshot: Snapshot) -> list[str]:
    """Write what is lost again; return the ids. Call it only while holding Diurna's own lock.

    Raises:
        StorageFailed: the disk refused.
    """
    home = snapshot.home
    made = _reachable(home)
    lost = _lost(home, made)
    if not lost:
        return []
    bodies = {oid: (TREE, raw) for _, trees, _ in made.values() for oid, raw in trees.items()}
    bodies |= {oid: (COMMIT, body) for oid, (body, _, _) in made.items()}
    structure = [oid for _, _, oid in lost if oid in bodies]
    for _, _, oid in lost:
        clear_damaged(home, oid)
    write_objects(home.repository, [bodies[oid] for oid in structure])
    written = [*structure]
    for commit, path, oid in lost:
        sources = chain(file_copies(home, path, oid), _rendered(snapshot, commit))
        found = () if oid in bodies else (data for data in sources if blob_id(data) == oid)
        for data in islice(found, 1):
            store_blob(home, data)
            written.append(oid)
    if written:
        said = f"objects of recent commits were lost and were written again: {' '.join(written)}"
        journal(home.repository.commondir, said)
        snapshot.notes.append(Finding("object-mended", said))
    return written


def _reachable(home: Home) -> dict[str, Made]:
    """Return the commits that intents give and that a branch leads to, newest first."""
    intents, given = Intents(home.spool_folder).read(), dict[str, Made]()
    tips = {read_reference(home.repository, one.reference) for one in intents}
    todo = sorted(filter(None, {home.tip(), *tips}))
    found: dict[str, Made] = {}
    store = Objects(home.repository)
    for meant in intents:
        message, signature = meant.message, meant.signature
        try:
            oid, body, trees = make_commit(
                store.read, meant.parent, meant.people, message, meant.files, signature
            )
        except (DiurnaError, ValueError, KeyError):
            continue  # on a parent that is gone itself, or on damaged trees
        given[oid] = body, trees, meant
        store.hold({**trees, oid: body})
    for number, commit in enumerate(todo):  # it grows
        if commit in given:
            found[commit] = given[commit]
        if number - len(found) > _STRANGERS or len(found) == len(given):
            break
        todo += [one for one in _parents(commit, store.read) if one not in todo]
    return found


def _parents(commit: str, read: Callable[[str], bytes]) -> list[str]:
    try:
        head = read(commit).partition(b"\n\n")[0]
    except DiurnaError:
        return []
    return [line[7:].decode("ascii") for line in head.split(b"\n") if line[:7] == b"parent "]


def _lost(home: Home, made: dict[str, Made]) -> list[tuple[str, str, str]]:
    """Return (commit, path or kind, id) of everything lost, each once, oldest commits first."""
    rows: dict[str, tuple[str, str, str]] = {}
    for commit, (_, trees, meant) in reversed(made.items()):
        rows.setdefault(commit, (commit, "commit", commit))
        for tree in trees:
            rows.setdefault(tree, (commit, "tree", tree))
        for path, blob in meant.files:
            if blob:
                rows.setdefault(blob, (commit, path, blob))
    lost, store = [], Objects(home.repository)
    for oid, row in rows.items():
        try:
            store.read(oid)
        except ObjectMissing:
            lost.append(row)
    return lost


def file_copies(home: Home, path: str, oid: str) -> Iterator[bytes]:
    """Yield the bytes of a file of the home from wherever this machine has a copy of them.

    `path` is from the root, or relative to the home; `oid` is of the blob: no other bytes will do.
    """
    inside = path.removeprefix(home.prefix)
    candidates: list[bytes | None] = []
    if inside.startswith(SESSIONS_DIR + "/"):
        stem = stem_of(path)
        spool = home.spool
        candidates += (spool.read_kept(stem), spool.read(stem))
    if home.repository.top:
        candidates.append(work_file(home, inside))
        candidates.append(plain_bytes(f"{home.repository.top}/{MIRROR_DIR}/{inside}"))
    yield from (data for data in candidates if data is not None and blob_id(data) == oid)


def _rendered(snapshot: Snapshot, commit: str) -> Iterator[bytes]:
    """Yield the projection of a commit, as it was when that was made: a replay gives it again."""
    from memory.replay.state_as_of import cold_state
    from memory.worktree.rendered_pages import projection_files

    try:
        yield from projection_files(cold_state(snapshot, commit)).bodies.values()
    except DiurnaError:
        return
