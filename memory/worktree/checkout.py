"""The files of a work tree that are Diurna's, and their entries in git's index.

Which bytes Diurna wrote last is remembered, so that a person's edit is told from them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping

from ledger.environment import now_seconds
from ledger.git.repository import head
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import EDITABLE, MIRROR_DIR, SESSIONS_DIR, VIEW_FILES
from ledger.wal.atomic_files import Lock, make_folder, plain_bytes, replace_file
from ledger.wal.git_locks import clear_index_lock

INDEX_TRIES = 12
FILE_MODE = "100644"
#: Ends the hint of what a commit brought and a work tree could not be given yet.
LATER = "the next Diurna command tries again"


def written_record(home: Home) -> str:
    """Return the file that remembers which projection bytes Diurna last wrote in this work tree."""
    return f"{home.repository.gitdir}/diurna/written"


def read_written(home: Home) -> dict[str, list[str]]:
    """Return path -> blob ids of the projection files written in this work tree, the last one last."""
    found: dict[str, list[str]] = {}
    for line in (plain_bytes(written_record(home)) or b"").decode("utf-8", "replace").split("\n"):
        if len(line) > 41:
            found.setdefault(line[41:], []).append(line[:40])
    return found


def note_written(home: Home, blobs: Mapping[str, str]) -> None:
    """Remember the projection bytes that are about to be written; of others nothing is kept."""
    with _writing(home):
        _note(home, blobs)


def _writing(home: Home) -> Lock:
    """Return the lock of the record, which `diurna check --replay --write` takes beside an append."""
    make_folder(os.path.dirname(written_record(home)))
    return Lock(f"{home.repository.gitdir}/diurna/writing")


def _note(home: Home, blobs: Mapping[str, str]) -> None:
    """Remember bytes, the record's lock held.

    What was remembered and stands there yet is so still: whoever is killed between the two wrote either.
    """
    ours = {path: blob for path, blob in blobs.items() if not path.startswith(SESSIONS_DIR + "/")}
    known = read_written(home)
    was = {path: known.get(path, []) for path in ours}
    for path, blob in ours.items():
        before = set(was[path]) - {blob}
        here = blob_id(plain_bytes(place_of(home, path)) or b"") if before else ""
        known[path] = [*([here] if here in before else []), blob]
    if all(known[path] == was[path] for path in ours):
        return
    text = "".join(f"{blob} {path}\n" for path in sorted(known) for blob in known[path])
    replace_file(written_record(home), text.encode(), 0o600)


def write_noted(home: Home, name: str, data: bytes, scratch: str = "") -> None:
    """Write a projection file, or the copy of one in the mirror, ours whenever we are killed.

    The home has a work tree; `name` is as `place_of` knows it, `scratch` as `replace_file` has it.
    """
    full, blob = place_of(home, name), {name: blob_id(data)}
    make_folder(os.path.dirname(full), 0o777)
    with _writing(home):
        _note(home, blob)
        replace_file(full, data, scratch=scratch)
        _note(home, blob)  # what stood there before is a person's again, who puts it back


def place_of(home: Home, name: str) -> str:
    """Return where a projection file is by its path in the home, or the copy of one in the mirror."""
    return f"{home.repository.top if name.startswith(f'{MIRROR_DIR}/') else home.folder}/{name}"


def hand_edited(home: Home, paths: Iterable[str], committed: Mapping[str, str]) -> list[str]:
    """Return the projection files whose work-tree copy is neither committed nor ours.

    The home has a work tree; paths are relative to it; `committed` is path -> blob id at the tip.
    """
    edited: list[str] = []
    ours: dict[str, list[str]] | None = None
    for path in paths:
        data = work_file(home, path)
        if data is None:
            continue
        here = blob_id(data)
        if here == committed.get(path):
            continue
        if ours is None:
            ours = read_written(home)
        if here not in ours.get(path, ()):
            edited.append(path)
    return edited


def is_editable(path: str) -> bool:
    """Tell whether an edit of a projection file, or of its copy in the mirror, is read back."""
    return path.removeprefix(f"{MIRROR_DIR}/") in EDITABLE


def edit_hint(path: str) -> str:
    """Say what to do about a projection file that was edited by hand.

    `path` is relative to the home, or that of the mirror.
    """
    if is_editable(path):
        said = "`diurna check --absorb` makes a log of the edit; --dry-run says what it understands"
        own = "; a file of your own stays, and [views] in diurna.toml must not name a view of that name"
        return said + own * (path.removeprefix(f"{MIRROR_DIR}/") in VIEW_FILES)
    then = "move the file elsewhere" if path.startswith(MIRROR_DIR) else "put it back as git has it"
    way_out = (
        "`diurna check --publish --discard-edits` writes it anew and keeps this one beside git"
    )
    return f"record what the edit says with `diurna note TEXT`, and {then}; or {way_out}"


def edited_finding(path: str) -> Finding:
    """Say that a projection file, or its copy in the mirror, was edited by hand and left alone."""
    left = "left as it is" if path.startswith(MIRROR_DIR) else "left as it is and not published"
    return Finding(
        "hand-edited", f"{path} was edited by hand; it was {left}", path, hint=edit_hint(path)
    )


def work_file(home: Home, path: str) -> bytes | None:
    """Return the work tree's copy of a file of the home, None when there is none."""
    return plain_bytes(f"{home.folder}/{path}")  # what is no plain file is never ours


def store_blob(home: Home, data: bytes) -> None:
    """Put a file's bytes into the object store, as they are, for an index entry to name."""
    home.repository.git().run("hash-object", "-w", "--no-filters", "--stdin", data=data)


def entry_line(path: str, blob: str) -> str:
    """Return the entry of a file as `git update-index --index-info` reads it; "" as blob takes it out.

    `path` is from the root of the work tree.
    """
    return f"{FILE_MODE} {blob}\t{path}" if blob else f"0 {'0' * 40}\t{path}"


def index_stamp(home: Home) -> tuple[int, ...]:
    """Return what tells whether somebody wrote the index since."""
    try:
        found = os.stat(f"{home.repository.gitdir}/index")
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def update_index(
    home: Home, lines: list[str], sparse: bool = False, tries: int = 0
) -> list[Finding]:
    """Set index entries.

    The home has a work tree; `lines` are as `entry_line` writes them; `sparse`: it lies outside the
    sparse checkout: mark the entries so. Somebody who holds the index is waited for, `tries` times
    where that is not 0.
    """
    if not lines:
        return []
    data = "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")
    findings, said = _set_entries(home, data, tries or INDEX_TRIES)
    if said:
        because = said.strip().split("\n")[0]
        message = f"what was committed stands, and git's index could not follow: {because}"
        hint = f"{LATER}; until then `git status` shows the file as deleted"
        return [*findings, Finding("index-busy", message, hint=hint)]
    if sparse:
        paths = "".join(line.split("\t", 1)[1] + "\0" for line in lines)
        marks = ("update-index", "--skip-worktree", "-z", "--stdin")
        home.repository.git().run(
            *home.repository.unfiltered(),
            *marks,
            data=paths.encode("utf-8", "surrogateescape"),
            check=False,
        )
    return findings


def _as_checked_out(home: Home, data: bytes) -> bytes:
    """Return entries for the paths of some others, as the branch has them that is checked out by now."""
    paths = [line.split("\t", 1)[1] for line in os.fsdecode(data).split("\n") if line]
    there = blobs_at(home, head(home.repository)[1], paths, whole=True)
    return os.fsencode("".join(f"{entry_line(path, blob)}\n" for path, blob in there.items()))


def blobs_at(home: Home, tip: str, paths: Iterable[str], *, whole: bool = False) -> dict[str, str]:
    """Return the blob ids of files in a commit, by their path from the root; "" for a missing one.

    `tip` is "" for none; `whole`: take no file for missing where the commit, or a tree of the home in
    it, is gone itself.

    Raises:
        ObjectMissing: `whole`, and one of them is gone.
    """
    wanted, git = list(paths), home.repository.git()
    found = git.resolve(*[f"{tip}:{path}" for path in wanted]) if tip else ()
    if whole and tip and not all(found):
        git.tree_files(tip, home.prefix)
    return dict.fromkeys(wanted, "") | dict(zip(wanted, found, strict=False))


def _set_entries(home: Home, data: bytes, tries: int) -> tuple[list[Finding], str]:
    """Set entries of git's index, waiting a while for others who hold it.

    One who holds it may be about to check out another branch: the entries are then those of that one.
    """
    git, where = home.repository.git(), home.repository
    findings: list[Finding] = []
    said, options = b"", where.unfiltered()
    for attempt in range(tries):
        began, here = now_seconds(), head(where)[0]
        lines = data if here == home.reference else _as_checked_out(home, data)
        status, _, said = git.call(*options, "update-index", "--add", "--index-info", data=lines)
        if not status:
            if head(where)[0] == here:
                return findings, ""
            continue  # another branch was checked out meanwhile: its entries are wanted
        if status < 0:  # killed, and its lock is in the way of everybody
            cleared = clear_index_lock(where.commondir, where.gitdir, where.top, began)
            if cleared is not None:
                findings.append(cleared)
                continue
        if b"index.lock" not in said:
            break
        time.sleep(0.01 * (attempt + 1))
    return findings, said.decode("utf-8", "replace") or "git said nothing"
