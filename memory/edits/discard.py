"""Write projection files anew over what people edited in them, and keep what they wrote beside git.

Nobody asks for this but a person, or an agent that a person's page is in the way of; so what is dropped is
said, and can be had back (A11).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from ledger.errors import HandEdited
from ledger.home import Home
from ledger.model.ids import blob_id
from ledger.model.layout import ABSORB_LOCK_FILE, CONTINUITY_FILE, DROPPED_DIR, MIRROR_DIR
from ledger.model.record import Record
from ledger.wal.atomic_files import Lock, make_folder, plain_bytes, replace_file
from memory.edits.committed import note_checked
from memory.worktree.authorship import in_the_way, refuse_left
from memory.worktree.index_entries import entry_line, store_blob, update_index
from memory.worktree.page_copies import place_of, write_noted
from memory.worktree.projection_files import committed_projection, projection_files, standing_files
from memory.write.commit_files import Files
from projection.document.page_renderer import STATE_LABELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.edits.pages import Pages

#: Lines that say nothing of a person's: they are computed.
_COMPUTED = re.compile(rf"\s*$|\s*<!--|- (?:{'|'.join(STATE_LABELS)}): ")


class Dropped(Record):
    """A file that a person edited and that is written anew."""

    file: str  #: its name: in the home, or in the mirror
    kept: str  #: where its bytes are kept, from the top of the repository
    lines: tuple[str, ...]  #: what stood in it and does not stand in the new one


class Discarded(Record):
    """What was written over."""

    dropped: tuple[Dropped, ...] = ()  #: the files, as people edited them
    files: tuple[str, ...] = ()  #: the projection files that are committed anew
    commit: str = ""  #: that has them, "" where there is none


def discard_edits(pages: Pages, *, dry_run: bool) -> Discarded:
    """Write anew what people edited and no log says.

    Raises:
        HandEdited: something that is no file stands where one belongs, or a person edits right now.
    """
    home = pages.home
    make_folder(f"{home.repository.gitdir}/{os.path.dirname(ABSORB_LOCK_FILE)}")
    with Lock(f"{home.repository.gitdir}/{ABSORB_LOCK_FILE}"):
        policy = pages.ask(lambda cache: cache.policy, committed=True)
        tip = home.tip()
        rows = standing_files(home, tip, policy.view_files)
        refuse_left(in_the_way(home, rows))
        made = projection_files(pages.tip_state())
        new = made.bodies

        def drifted(tip: str) -> Files:
            return made.changes(committed_projection(home, tip, policy))

        edited = {name: plain_bytes(place_of(home, name)) or b"" for name in pages.edited()}
        found = set(edited.items())
        left = {one.file for one in pages.left()}
        blobs = {path: blob for _, blob, path in rows if path in left}
        for path, body in zip(blobs, home.repository.git().blobs(blobs.values()), strict=True):
            if body is not None and body not in edited.values():
                found.add((path, body))
        dropped = tuple([_keep(home, name, data, new, dry_run) for name, data in sorted(found)])
        changed = drifted(tip) if dropped else ()
        files = tuple([path for path, _ in changed])
        if dry_run or not dropped:
            return Discarded(dropped, files)
        _write(home, edited, new)

        said = "diurna: publish the projection"
        commit = pages.committer.commit_files(drifted, said, pages.occasion) if changed else ""
        if home.checked_out:
            rest = [name for name in edited if name not in files and name in new]
            lines = [entry_line(home.prefix + name, blob_id(new[name])) for name in rest]
            pages.snapshot.tip.notes += update_index(home, lines)
        note_checked(home, commit or tip)
        return Discarded(dropped, files, commit)


def _keep(home: Home, name: str, data: bytes, new: Mapping[str, bytes], dry_run: bool) -> Dropped:
    """Keep the bytes of a file under a name that tells which they are."""
    path = name.removeprefix(f"{MIRROR_DIR}/")
    kept = f"{home.state_dir}/{DROPPED_DIR}/{blob_id(data)[:12]}-{path.replace('/', '-')}"
    if not dry_run:
        make_folder(os.path.dirname(kept))
        replace_file(kept, data, 0o600)
    stands = set(new.get(path, b"").decode("utf-8", "surrogateescape").split("\n"))
    lines = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    lost = tuple([line for line in lines if line not in stands and not _COMPUTED.match(line)])
    top = home.repository.top
    return Dropped(name, os.path.relpath(kept, top) if top else kept, lost)


def _write(home: Home, edited: Mapping[str, bytes], new: Mapping[str, bytes]) -> None:
    """Write the copies that people edited, unless they go on editing them."""
    for name, data in edited.items():
        full, path = place_of(home, name), name.removeprefix(f"{MIRROR_DIR}/")
        if (plain_bytes(full) or b"") != data:
            raise HandEdited(
                f"{name} was edited again meanwhile", where=name, hint="give the same command again"
            )
        if path not in new:
            os.unlink(full)
            continue
        if path == CONTINUITY_FILE:
            store_blob(home, new[path])
        write_noted(home, name, new[path])
