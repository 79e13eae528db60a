"""Refuse a folder in which what is exported would be in the way."""

from __future__ import annotations

import os

from ledger.errors import WriteRefused
from memory.api import Memory

OUTSIDE = "name a folder outside of the home, that is empty or not there yet"


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
