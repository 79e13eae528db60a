"""Keep what is known of facts and commits: what a commit took away, and what is going to end or has ended.

One signed file of each work tree beside git; `memory.cache.broken_truth` says what it means now.
"""

from __future__ import annotations

import os

from ledger.home import OWN_BRANCH, OWN_REPOSITORY, Home
from ledger.model.layout import CACHE_DIR, CACHE_VERSION, TRUTH_FILE
from ledger.model.record import Record
from ledger.wal.user_key import digest, signed, user_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.document.fact_remarks import Gone

_HEADER = b"diurna-truth"
_WORDS, _HEAD_BYTES = 7, 300
#: What a line of the file begins with.
_GONE, _WAITS, _SAID, _REFS, _KNOWN, _ENDED = "gone", "waits", "said", "refs", "known", "ended"


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
    #: digests of what was looked for and is not gone; () where that was not read
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
        words = line.split(b" ")
        if len(words) != _WORDS or words[:2] != [_HEADER, b"%d" % CACHE_VERSION]:
            return None
        size, start, key = int(words[4]) if words[4].isdigit() else 0, len(line) + 1, user_key()
        rows = os.pread(fd, size, start)
        if not key or words[5] != _sum(key, path, *words[:5], rows):
            return None
        asked = os.pread(fd, os.fstat(fd).st_size, start + size) if whole else b""
        if whole and words[6] != _sum(key, path, asked):
            return None
    except OSError:
        return None
    finally:
        os.close(fd)
    code, tip = (word.decode("ascii", "replace") for word in words[2:4])
    return _with_rows(Kept(code, tip, (), tuple(asked.decode("ascii", "replace").split())), rows)


def _with_rows(kept: Kept, data: bytes) -> Kept:
    if not data:
        return kept
    from projection.document.fact_remarks import Gone  # most readers have none

    lacks, waits, heads, ends = [], [], [], []
    for line in data.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        sort, *row = line.split("\t")
        if sort == _GONE:
            lacks.append(Lack(row[0], row[1], row[2], Gone(*row[3:])))
        elif sort == _WAITS:
            waits.append(Wait(row[0], row[1], row[2], row[3], int(row[4])))
        elif sort == _SAID:
            kept = kept._replace(said=row[0])
        elif sort == _REFS:
            kept = kept._replace(refs=row[0])
        elif sort == _KNOWN:
            heads.append(row[0])
        else:
            ends.append((row[0], Lack(row[1], row[2], row[3], Gone(*row[4:]))))
    return kept._replace(
        lacks=tuple(lacks), waits=tuple(waits), heads=tuple(heads), ends=tuple(ends)
    )


def write(home: Home, kept: Kept) -> None:
    """Write the file of a home, where this user can sign it.

    Raises:
        OSError: the disk refused.
    """
    from ledger.wal.atomic_files import make_folder, replace_file

    key, path = user_key(), truth_path(home)
    if key:
        make_folder(f"{home.repository.commondir}/{CACHE_DIR}")
        replace_file(path, packed(path, key, kept), 0o600)


def packed(path: str, key: bytes, kept: Kept) -> bytes:
    """Write the file.

    `path` is where it is going to be; a path or name of `kept` that no line can hold is left out.
    """
    rows = [
        *[(_GONE, one.fact, one.version, one.place, *one.gone) for one in kept.lacks],
        *[(_WAITS, *one[:4], str(one.seconds)) for one in kept.waits],
        *([(_SAID, kept.said)] if kept.said else []),
        *([(_REFS, kept.refs)] if kept.refs else []),
        *[(_KNOWN, one) for one in kept.heads],
        *[(_ENDED, known, one.fact, one.version, one.place, *one.gone) for known, one in kept.ends],
    ]
    lines = ["\t".join(row) + "\n" for row in rows if all(_fits(field) for field in row)]
    data = "".join(lines).encode("utf-8", "surrogateescape")
    asked = " ".join(kept.asked).encode("ascii")
    words = [_HEADER, b"%d" % CACHE_VERSION, kept.code.encode() or b"-", kept.tip.encode() or b"-"]
    words.append(b"%d" % len(data))
    words += [_sum(key, path, *words, data), _sum(key, path, asked)]
    return b" ".join(words) + b"\n" + data + asked


def _fits(field: str) -> bool:
    return "\t" not in field and "\n" not in field


def _sum(key: bytes, path: str, *parts: bytes) -> bytes:
    return signed(key, os.fsencode(os.path.basename(path)), *parts).encode()
