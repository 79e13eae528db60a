"""Keep what was found out of HEADs, in two signed files beside git: without one, history is walked again.

One, of each work tree, says what facts name that a commit took away, and what is going to end or has
ended; `memory.cache.broken_truth` says what it means now. The other, of all work trees of an own branch,
says what HEAD has of the work that logs tell of: what landed for good, and what was told of each HEAD, by
its id, its branch and the state of the ledger.
"""

from __future__ import annotations

import marshal

from ledger.errors import DiurnaError
from ledger.home import OWN_BRANCH, OWN_REPOSITORY, Home
from ledger.model.layout import HERE_FILE, TRUTH_FILE
from ledger.model.record import Record
from ledger.wal.user_key import digest, read_signed, write_signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from projection.document.fact_remarks import Elsewhere, Gone

_TRUTHS_HEADER = b"diurna-truths"


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


class Truths(Record):
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


def read_truths(home: Home) -> Truths | None:
    """Return what the file says, None where there is none that this user's Diurna wrote."""
    said = read_signed(truth_path(home), _TRUTHS_HEADER)
    if said is None:
        return None
    kept = Truths(*said)
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


def write_truths(home: Home, kept: Truths) -> None:
    """Write the file of a home, where this user can sign it.

    Raises:
        OSError: the disk refused.
    """
    write_signed(truth_path(home), _TRUTHS_HEADER, kept)


_HEADS_HEADER = b"diurna-heads"
#: Of so many HEADs answers are kept.
HEADS = 8


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
    outside: tuple[
        tuple[str, str], ...
    ]  #: the logs elsewhere, each with its point, "" for none yet
    unknown: tuple[str, ...]  #: the logs of which it can not be told
    behind: (
        int  #: how many commits HEAD is behind the trunk where it has nothing of its own, else 0
    )
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
        for one in self.told:
            if (one.head, one.branch) == (head, branch) and tip in ("", one.tip):
                return one
        return None


NO_HEADS = Heads({}, {})


def here_path(home: Home) -> str:
    """Return where the file of a home is."""
    name = digest(home.reference.encode("utf-8", "surrogateescape"))[:12]
    return f"{home.repository.commondir}/{HERE_FILE}@{name}"


def read_heads(home: Home) -> Heads:
    """Return what the file says; nothing where there is none that this user's Diurna wrote."""
    plain = read_signed(here_path(home), _HEADS_HEADER)
    return NO_HEADS if plain is None else _heads(plain)


def keep(home: Home, told: Told) -> None:
    """Keep what was told of a HEAD, in front of what was told before."""
    kept = read_heads(home)
    older = [one for one in kept.told if (one.head, one.branch) != (told.head, told.branch)]
    _write_heads(home, kept._replace(told=(told, *older)))


def settle(home: Home, settled: Mapping[str, Settled], points: Mapping[str, str]) -> None:
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
        write_signed(here_path(home), _HEADS_HEADER, kept._replace(told=kept.told[:HEADS]))
    except (OSError, DiurnaError):
        pass


def _heads(plain: Any) -> Heads:
    settled, points, told, sum = plain
    known = {point: Settled(*one) for point, one in settled.items()}
    return Heads(known, points, tuple([_told(one) for one in told]), sum)


def _told(plain: Any) -> Told:
    told = Told(*plain)
    if not told.facts:
        return told
    from projection.document.fact_remarks import Elsewhere

    return told._replace(facts=tuple([Elsewhere(*row) for row in told.facts]))
