"""Write a vault into a folder: what is new or other than it was, and over nobody's file.

A file there is ours if its front matter says so and its bytes are those that the front matter was written
for; any other (a person's note, or one of ours that somebody changed) stays as it is, and is named.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ledger.errors import WriteRefused
from ledger.model.finding_codes import Finding
from ledger.wal.atomic_files import make_folder, replace_file
from memory import Memory, whole_source
from projection.views.vault_notes import FOLDERS, TOP, is_ours, vault

OUTSIDE = "name a folder outside of the home, that is empty or not there yet"
_LEFT_HINT = "move it elsewhere, and export again; what it says can be recorded with `diurna note`"


def export_vault(
    memory: Memory, folder: str, progress: Callable[[int, int], None], *, dry_run: bool = False
) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """Write the vault of a memory into a folder, which is absolute and need not be there yet.

    Progress is told how many of how many logs are read. Returned is how many notes it has, which were
    `written`, being new or other than they were, and which `removed`, being no part of it any more;
    and what is in their place and is not ours.

    Raises:
        WriteRefused: no vault can be there.
        StorageFailed: the disk refused.
    """
    refuse_inside(memory, folder)
    for name in FOLDERS:
        full = os.path.join(folder, name)
        if os.path.lexists(full) and (os.path.islink(full) or not os.path.isdir(full)):
            raise WriteRefused(f"{full} is no folder", where=full, hint=OUTSIDE)
    snapshot = memory.snapshot
    notes = vault(snapshot.ask(lambda cache: whole_source(snapshot, cache, progress)))
    there = {path: _standing(os.path.join(folder, path)) for path in notes}
    others = {path: one for path, one in there.items() if one != notes[path]}
    written = [path for path, one in others.items() if one is None or is_ours(one)]
    left = [
        Finding(
            "hand-edited", f"{path} is there and is not as Diurna exported it; it was left as it is", path,
            hint=_LEFT_HINT,
        )
        for path in others
        if path not in written
    ]  # fmt: skip
    here = [one for name in FOLDERS for one in sorted(Path(folder, name).glob("*.md"))]
    exported = [*TOP, *[str(one.relative_to(folder)) for one in here]]
    gone = [os.path.join(folder, path) for path in exported if path not in notes]
    removed = [full for full in gone if is_ours(_standing(full) or "")]
    if not dry_run:
        for path in written:
            full = os.path.join(folder, path)
            make_folder(os.path.dirname(full), 0o777)
            replace_file(full, notes[path].encode("utf-8", "replace"))
        for full in removed:
            os.unlink(full)
    removed = [os.path.relpath(full, folder) for full in removed]
    return {"files": len(notes), "written": written, "removed": removed}, tuple(left)


def refuse_inside(memory: Memory, folder: str) -> None:
    """Refuse a folder in git's own or in the home, and what is no folder.

    Raises:
        WriteRefused: it is one.
    """
    real = os.path.realpath(folder)
    repository = memory.home.repository
    for place, called in (
        (repository.commondir, "git's own folder"),
        (repository.gitdir, "git's own folder"),
        (memory.home.folder if repository.top else "", "the home itself"),
    ):
        inside = os.path.realpath(place) if place else ""
        if inside and (real + os.sep).startswith(inside.rstrip(os.sep) + os.sep):
            raise WriteRefused(f"{folder} is in {called}", where=folder, hint=OUTSIDE)
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise WriteRefused(f"{folder} is no folder", where=folder, hint=OUTSIDE)


def _standing(full: str) -> str | None:
    """Return the text of what stands at a place, None for nothing, "" for what is no plain file."""
    if not os.path.lexists(full):
        return None
    if os.path.islink(full) or not os.path.isfile(full):
        return ""
    try:
        with open(full, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError:
        return ""
