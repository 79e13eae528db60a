"""Keep what is known of facts and commits: what a commit took away, and what is going to end or has ended.

One signed file of each work tree beside git; `memory.cache.broken_truth` says what it means now.
"""

from __future__ import annotations

from ledger.home import OWN_BRANCH, OWN_REPOSITORY, Home
from ledger.model.layout import TRUTH_FILE
from ledger.model.record import Record
from ledger.wal.user_key import digest, read_signed, write_signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from projection.document.fact_remarks import Gone

_HEADER = b"diurna-truths"


class Lack(Record):
    """What one fact names that is gone."""

    fact: str  #: its id
    version: str  #: of its text that names it
    #: the path that is gone, from the top, "" for a name of code; the whole id of what ended a fact
    place: str
    gone: Gone  #: the mark


class Wait(Record):
    """A fact that a commit, or a day, is going to end."""

    fact: str  #: its id
    version: str  #: of its text
    until: str  #: what ends it, as its footer says
    birth: str  #: the commit of the code when that was said, "" where the log does not tell
    seconds: int  #: when it was said, since 1970; of a check these two are of its confirmation


class Kept(Record):
    """What the file says."""

    code: str  #: the commit of the code that it was made of
    tip: str  #: the commit of the ledger
    lacks: tuple[Lack, ...]  #: what is gone
    #: digests of what was looked for and is not gone
    asked: tuple[str, ...] = ()
    waits: tuple[Wait, ...] = ()  #: facts that a commit or a day is going to end
    said: str = ""  #: the digest of the logs that say so
    refs: str = ""  #: the stamp of the tags and branches that may end them
    heads: tuple[str, ...] = ()  #: commits of which `ends` tells, newest first
    ends: tuple[tuple[str, Lack], ...] = ()  #: (one of these, what has ended at it)


def has_code(home: Home) -> bool:
    """Tell whether a home stands in the repository of the code that it is about, with a work tree."""
    return home.kind != OWN_REPOSITORY and bool(home.repository.top)


def truth_path(home: Home) -> str:
    """Return where the file of a home is, for its work tree."""
    branch = home.reference if home.kind == OWN_BRANCH else ""
    parts = [
        one.encode("utf-8", "surrogateescape") for one in (home.repository.top, home.prefix, branch)
    ]
    return f"{home.repository.commondir}/{TRUTH_FILE}@{digest(*parts)[:12]}"


def read(home: Home) -> Kept | None:
    """Return what the file says, None where there is none that this user's Diurna wrote."""
    said = read_signed(truth_path(home), _HEADER)
    if said is None:
        return None
    kept = Kept(*said)
    if not (kept.lacks or kept.waits or kept.ends):
        return kept  # as in most homes
    from projection.document.fact_remarks import Gone

    def lack(row: tuple[Any, ...]) -> Lack:
        fact, version, place, gone = row
        return Lack(fact, version, place, Gone(*gone))

    return kept._replace(
        lacks=tuple([lack(row) for row in kept.lacks]),
        waits=tuple([Wait(*row) for row in kept.waits]),
        ends=tuple([(known, lack(row)) for known, row in kept.ends]),
    )


def write(home: Home, kept: Kept) -> None:
    """Write the file of a home, where this user can sign it.

    Raises:
        OSError: the disk refused.
    """
    write_signed(truth_path(home), _HEADER, kept)
