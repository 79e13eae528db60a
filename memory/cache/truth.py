"""Read which of the things that facts name a commit took away: made aside, computed by no reader.

`rituals.review.truth` makes the file behind sessions, appends and syncs. Here it is only read, and a mark
counts only where nothing that is cheap to see speaks against it: the fact still says so, and the path is
not in the work tree again, as on another branch.
"""

from __future__ import annotations

import os

from ledger.home import OWN_BRANCH, OWN_REPOSITORY
from ledger.model.layout import CACHE_VERSION, TRUTH_FILE
from ledger.model.record import Record
from memory.cache.key import digest, signed, user_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.home import Home
    from projection.document.marks import Gone
    from projection.fold.fact import Fact

_HEADER = b"diurna-truth"
_WORDS, _HEAD_BYTES = 7, 300


class Lack(Record):
    """What one fact names that is gone."""

    fact: str  #: its id
    version: str  #: of its text that names it
    place: str  #: the path that is gone, from the top; "" for a name of code
    gone: Gone  #: the mark


class Kept(Record):
    """What the file says."""

    code: str  #: the commit of the code that it was made of
    tip: str  #: the commit of the ledger
    lacks: tuple[Lack, ...]  #: what is gone
    #: digests of what was looked for and is not gone; () where that was not read
    asked: tuple[str, ...] = ()


class Truth:
    """What is gone, for readers.

    Args:
        lacks: of all facts.
    """

    def __init__(self, lacks: Iterable[Lack] = ()) -> None:
        self._lacks: dict[str, list[Lack]] = {}
        for one in lacks:
            self._lacks.setdefault(one.fact, []).append(one)

    def __bool__(self) -> bool:
        """Tell whether anything is gone."""
        return bool(self._lacks)

    def of(self, fact: Fact | None) -> tuple[Gone, ...]:
        """Return what a fact names that is gone; nothing of one that is withheld, or reworded since."""
        found = self._lacks.get(fact.id) if fact is not None else None
        if not found or fact is None or fact.redacted or fact.false:
            return ()
        versions = {one.id for one in fact.heads}
        return tuple([one.gone for one in found if one.version in versions])

    def named(self, fact: str, text: str) -> tuple[Gone, ...]:
        """Return what the text of a fact names that is gone, where only its id is known."""
        return tuple([one.gone for one in self._lacks.get(fact, ()) if one.gone.subject in text])

    @property
    def said(self) -> str:
        """All of it: what an answer that is kept depends on."""
        return "\0".join([f"{one.fact}\t{one.version}\t{one.gone.said}" for one in self])

    def __iter__(self) -> Iterator[Lack]:
        """Yield what is gone."""
        for some in self._lacks.values():
            yield from some


#: Where nothing is known to be gone.
NOTHING_GONE = Truth()


def has_code(home: Home) -> bool:
    """Tell whether a home stands in the repository of the code that it is about, with a work tree."""
    return home.kind != OWN_REPOSITORY and bool(home.repository.top)


def truth_of(home: Home) -> Truth:
    """Return what facts of a home name that is gone; nothing where that was not looked for yet."""
    if not has_code(home):
        return NOTHING_GONE
    kept = read(home)
    if kept is None or not kept.lacks:
        return NOTHING_GONE
    top = home.repository.top
    return Truth(
        [one for one in kept.lacks if not (one.place and os.path.lexists(f"{top}/{one.place}"))]
    )


def truth_path(home: Home) -> str:
    """Return where the file of a home is, for its work tree."""
    branch = home.reference if home.kind == OWN_BRANCH else ""
    parts = [
        one.encode("utf-8", "surrogateescape") for one in (home.repository.top, home.prefix, branch)
    ]
    return f"{home.repository.commondir}/{TRUTH_FILE}@{digest(*parts)[:12]}"


def read(home: Home, *, whole: bool = False) -> Kept | None:
    """Return what the file says, None where there is none that this user's Diurna wrote.

    `whole`: with what was asked, which who makes it anew has to know.
    """
    path = truth_path(home)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        line = os.pread(fd, _HEAD_BYTES, 0).partition(b"\n")[0]
        head = line.split(b" ")
        if len(head) != _WORDS or head[:2] != [_HEADER, b"%d" % CACHE_VERSION]:
            return None
        size, start, key = int(head[4]) if head[4].isdigit() else 0, len(line) + 1, user_key()
        lacks = os.pread(fd, size, start)
        if not key or head[5] != _sum(key, path, *head[:5], lacks):
            return None
        asked = os.pread(fd, os.fstat(fd).st_size, start + size) if whole else b""
        if whole and head[6] != _sum(key, path, asked):
            return None
    except OSError:
        return None
    finally:
        os.close(fd)
    code, tip = (word.decode("ascii", "replace") for word in head[2:4])
    return Kept(code, tip, _lacks(lacks), tuple(asked.decode("ascii", "replace").split()))


def _lacks(data: bytes) -> tuple[Lack, ...]:
    if not data:
        return ()
    from projection.document.marks import Gone  # most readers have none

    rows = [row.split("\t") for row in data.decode("utf-8", "surrogateescape").split("\n") if row]
    return tuple([Lack(row[0], row[1], row[2], Gone(*row[3:])) for row in rows])


def packed(path: str, key: bytes, kept: Kept) -> bytes:
    """Write the file.

    `path` is where it is going to be; a path or name of `kept` that no line can hold is left out.
    """
    rows = [(one.fact, one.version, one.place, *one.gone) for one in kept.lacks]
    lines = ["\t".join(row) + "\n" for row in rows if all(_fits(field) for field in row)]
    lacks = "".join(lines).encode("utf-8", "surrogateescape")
    asked = " ".join(kept.asked).encode("ascii")
    head = [_HEADER, b"%d" % CACHE_VERSION, kept.code.encode() or b"-", kept.tip.encode() or b"-"]
    head.append(b"%d" % len(lacks))
    head += [_sum(key, path, *head, lacks), _sum(key, path, asked)]
    return b" ".join(head) + b"\n" + lacks + asked


def _fits(field: str) -> bool:
    return "\t" not in field and "\n" not in field


def _sum(key: bytes, path: str, *parts: bytes) -> bytes:
    return signed(key, os.fsencode(os.path.basename(path)), *parts).encode()
