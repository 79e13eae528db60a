"""Keep what was found out of HEADs, in a signed file beside git: without it, history is walked again.

It is of all work trees of an own branch, and says what HEAD has of the work that logs tell of: what landed
for good, and what was told of each HEAD, by its id, its branch and the state of the ledger.
"""

from __future__ import annotations

import marshal

from ledger.errors import DiurnaError
from ledger.home import Home
from ledger.model.layout import HERE_FILE
from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.user_key import digest, read_signed, write_signed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from projection.document.fact_remarks import Elsewhere

_HEADER = b"diurna-heads"
#: Of so many HEADs answers are kept.
_HEADS = 8


class EndingFact(Record):
    """A fact that a commit, or a day, is going to end."""

    fact: str  #: its id
    version: str  #: of its text
    until: str  #: what ends it, as its footer says
    birth: str  #: the commit of the code when that was said, "" where the log does not tell
    seconds: int  #: when it was said, since 1970; of a check these two are of its confirmation


class Settled(Record):
    """By which commit the work of a point came into a branch: a fact of history."""

    commit: str  #: that brought it
    how: str  #: `ancestor`, `named`, `patch`, `squash`, `content`, `forge`
    reverted: str = ""  #: the commit that took it back, "" for none
    when: str = ""  #: of that one, `YYYY-MM-DD`


class Told(Record):
    """What was told of one HEAD."""

    head: str
    branch: str  #: that is checked out, "" for none
    tip: str  #: of the ledger
    settled: str  #: digest of what had landed, and of the cache
    number: int  #: of the last place in the cache that was asked for
    #: the logs elsewhere, each with its point, "" for none yet
    outside: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...]  #: the logs of which it can not be told
    #: how many commits HEAD is behind the trunk where it has nothing of its own, else 0
    behind: int
    trunk: str  #: the name of that, "" where nobody knows it
    crowded: bool  #: so much is elsewhere that marks would say nothing
    facts: tuple[Elsewhere, ...]


class Heads(Record):
    """What the file says."""

    settled: dict[str, Settled]  #: by point
    #: the commit that has the work of a log, where its header names another one; "" for none yet
    points: dict[str, str]
    told: tuple[Told, ...] = ()  #: newest first
    sum: str = ""  #: tells one state of the first two from another

    def of(self, head: str, branch: str, tip: str = "") -> Told | None:
        """Return what was told of a HEAD: of the ledger as it is, or last."""
        known = [one for one in self.told if (one.head, one.branch) == (head, branch)]
        return next((one for one in known if tip in ("", one.tip)), None)


def here_path(home: Home) -> str:
    """Return where the file of a home is."""
    name = digest(home.reference.encode("utf-8", "surrogateescape"))[:12]
    return f"{home.repository.commondir}/{HERE_FILE}@{name}"


def read_heads(home: Home) -> Heads:
    """Return what the file says; nothing where there is none that this user's Diurna wrote."""
    plain = read_signed(here_path(home), _HEADER)
    if plain is None:
        return Heads({}, {})
    settled, points, told, sum = plain
    known = {point: Settled(*one) for point, one in settled.items()}
    return Heads(known, points, tuple([_told(one) for one in told]), sum)


def keep(home: Home, told: Told) -> None:
    """Keep what was told of a HEAD, in front of what was told before."""
    kept = read_heads(home)
    older = [one for one in kept.told if (one.head, one.branch) != (told.head, told.branch)]
    _write_heads(home, kept._replace(told=(told, *older)))


def settle_landings(home: Home, settled: Mapping[str, Settled], points: Mapping[str, str]) -> None:
    """Keep what was found out of landings, for good, beside what is known.

    `settled` says by point which commit brought its work; `points` by log which commit has its work,
    where that is not the one of its header.
    """
    kept = read_heads(home)
    new = kept._replace(settled={**kept.settled, **settled}, points={**kept.points, **points})
    if new != kept:
        rows = (*sorted(new.settled.items()), *sorted(new.points.items()))
        sum = digest(marshal.dumps([(one, tuple(said)) for one, said in rows], 2))
        _write_heads(home, new._replace(sum=sum))


def _write_heads(home: Home, kept: Heads) -> None:
    """Write the file, where a key can be kept; what the disk refuses is worked out anew."""
    try:
        write_signed(here_path(home), _HEADER, kept._replace(told=kept.told[:_HEADS]))
    except (OSError, DiurnaError):
        pass


def _told(plain: Any) -> Told:
    told = Told(*plain)
    if not told.facts:
        return told
    from projection.document.fact_remarks import Elsewhere

    return told._replace(facts=tuple([Elsewhere(*row) for row in told.facts]))
