"""Write a vault into a folder: what is new or other than it was, and over nobody's file.

A file there is ours if its front matter says so and its bytes are those that the front matter was written
for; any other (a person's note, or one of ours that somebody changed) stays as it is, and is named.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from ledger.errors import WriteRefused
from ledger.model.findings import Finding
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, replace_file
from memory.api import Memory
from memory.query.home_views import whole_source
from projection.views.vault_notes import FOLDERS, TOP, is_ours, vault

OUTSIDE = "name a folder outside of the home, that is empty or not there yet"
_LEFT_HINT = "move it elsewhere, and export again; what it says can be recorded with `diurna note`"


class VaultPlan(Record):
    """What an export of a vault does."""

    folder: str  #: where, absolute
    files: int  #: how many notes it has
    write: tuple[tuple[str, str], ...]  #: (path, text) of what is new, or other than it was
    remove: tuple[str, ...]  #: paths of what was exported before and is no part of it any more
    left: tuple[Finding, ...]  #: findings about files in their place that are not ours


def plan_vault(memory: Memory, folder: str, progress: Callable[[int, int], None]) -> VaultPlan:
    """Say what differs between a folder and the vault of a memory.

    The folder is absolute, and need not be there yet. Progress is told how many of how many logs are read.

    Raises:
        WriteRefused: no vault can be there.
    """
    refuse_inside(memory, folder)
    for name in FOLDERS:
        full = os.path.join(folder, name)
        if os.path.lexists(full) and (os.path.islink(full) or not os.path.isdir(full)):
            raise WriteRefused(f"{full} is no folder", where=full, hint=OUTSIDE)
    snapshot = memory.snapshot
    notes = vault(snapshot.ask(lambda cache: whole_source(snapshot, cache, progress)))
    write: list[tuple[str, str]] = []
    left: list[Finding] = []
    for path, text in notes.items():
        there = _standing(folder, path)
        if there == text:
            continue
        if there is None or is_ours(there):
            write.append((path, text))
        else:
            said = f"{path} is there and is not as Diurna exported it; it was left as it is"
            left.append(Finding("hand-edited", said, path, hint=_LEFT_HINT))
    remove = [path for path in _exported(folder) if path not in notes and _is_ours(folder, path)]
    return VaultPlan(folder, len(notes), tuple(write), tuple(remove), tuple(left))


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


def apply_vault(plan: VaultPlan) -> None:
    """Write the files of a plan.

    Raises:
        StorageFailed: the disk refused.
    """
    for path, text in plan.write:
        full = os.path.join(plan.folder, path)
        make_folder(os.path.dirname(full), 0o777)
        replace_file(full, text.encode("utf-8", "replace"))
    for path in plan.remove:
        if _is_ours(plan.folder, path):
            os.unlink(os.path.join(plan.folder, path))


def _standing(folder: str, path: str) -> str | None:
    """Return the text of what stands at a place, None for nothing, "" for what is no plain file."""
    full = os.path.join(folder, path)
    if not os.path.lexists(full):
        return None
    if os.path.islink(full) or not os.path.isfile(full):
        return ""
    try:
        with open(full, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError:
        return ""


def _is_ours(folder: str, path: str) -> bool:
    return is_ours(_standing(folder, path) or "")


def _exported(folder: str) -> list[str]:
    found = list(TOP)
    for name in FOLDERS:
        try:
            listed = sorted(os.listdir(os.path.join(folder, name)))
        except OSError:
            continue
        found += [f"{name}/{one}" for one in listed if one.endswith(".md")]
    return found
