"""Keep which sessions are silent: their user said that nothing of them is to be kept.

One file beside git has when each silence began and ended, in one work tree, for one session or for all
that work there. Hooks look at it before they keep anything; who reads a transcript later leaves out what
was said meanwhile. Standard library only: hooks read it.
"""

from __future__ import annotations

import os

from ledger.model.layout import SILENCES_FILE
from ledger.model.record import TYPE_CHECKING, Record
from rituals.hosts.session_files import read_file, record_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.home import Home
    from rituals.hosts.transcripts.turns import Turn


class Silence(Record):
    """A time in which nothing is kept."""

    top: str  #: of the work tree, "" for none
    session: str  #: the host's id, "" for every session of the work tree
    since: int  #: milliseconds since 1970
    until: int = 0  #: the same; 0 while it lasts

    def holds(self, session: str, folder: str, at: int) -> bool:
        """Tell whether it holds for a session at a moment; what has no time, or no place, is in it.

        `at` is in milliseconds since 1970, `folder` where the session works; 0 and "" are unknown.
        """
        here = not folder or f"{os.path.realpath(folder)}/".startswith(f"{self.top}/")
        mine = session == self.session if self.session else here
        return mine and (not at or (self.since <= at and (not self.until or at <= self.until)))


def silences(commondir: str) -> tuple[Silence, ...]:
    """Return all that are remembered, oldest first."""
    listed = read_file(f"{commondir}/{SILENCES_FILE}").get("silences")
    found = (
        [record_of(Silence("", "", 0), one) for one in listed] if isinstance(listed, list) else []
    )
    return tuple([one for one in found if one is not None])


def is_silent(commondir: str, session: str, folder: str) -> bool:
    """Tell whether a session is silent now: most clones have no such file."""
    return any(not one.until and one.holds(session, folder, 0) for one in silences(commondir))


def lasting(home: Home) -> list[Silence]:
    """Return the silences that last in the work tree of a home, or for sessions in it."""
    known, top = silences(home.repository.commondir), os.path.realpath(place_of(home))
    return [one for one in known if not one.until and one.top == top]


def place_of(home: Home) -> str:
    """Return the work tree whose sessions a home's silences are of; where none is, its repository."""
    from contextlib import suppress

    from ledger.environment import working_directory
    from ledger.git.config_files import HOME_SETTING
    from ledger.git.repository import find_repository

    here = home.repository
    if home.named == HOME_SETTING:  # of code that keeps its memory elsewhere
        with suppress(OSError):  # the folder may be gone
            here = find_repository(working_directory(), fit=False) or here
    return here.top or here.where


def audible(turns: tuple[Turn, ...], commondir: str, session: str, folder: str) -> tuple[Turn, ...]:
    """Return turns of a transcript without what was said in silence."""
    known = silences(commondir)
    return tuple([one for one in turns if heard(known, session, folder, one.when)])


def heard(known: Sequence[Silence], session: str, folder: str, at: int) -> bool:
    """Tell whether a session was not silent at a moment; the arguments are those of `Silence.holds`."""
    return not any(one.holds(session, folder, at) for one in known)
