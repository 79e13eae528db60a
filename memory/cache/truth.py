"""Read which of the things that facts name a commit took away, and which facts a commit ended.

`rituals.review.truth` makes the file behind sessions, appends and syncs. Here it is read, and a mark
counts only where nothing that is cheap to see speaks against it: the fact still says so, and the path is
not in the work tree again, as on another branch. What has ended is told of HEAD: where that one moved
since, who reads looks through what is new on it, once, and keeps the answer.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms
from ledger.git.repository import head, is_shallow
from ledger.home import OWN_BRANCH, OWN_REPOSITORY
from ledger.model.layout import CACHE_DIR, CACHE_VERSION, TRUTH_FILE
from ledger.model.order import stamp_of
from ledger.model.record import Record
from memory.cache.key import digest, signed, user_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.home import Home
    from memory.cache.ended import End
    from projection.document.marks import Gone
    from projection.fold.fact import Fact

_HEADER = b"diurna-truth"
_WORDS, _HEAD_BYTES = 7, 300
#: Of so many HEADs the file says what has ended at them: branches between which one goes to and fro.
_HEADS = 8
_DAY = "date "
#: What a line of the file begins with.
_GONE, _WAITS, _KNOWN, _ENDED = "gone", "waits", "known", "ended"


class Lack(Record):
    """What one fact names that is gone."""

    fact: str  #: its id
    version: str  #: of its text that names it
    place: str  #: the path that is gone, from the top; "" for a name of code
    gone: Gone  #: the mark


class Wait(Record):
    """A fact that a commit, or a day, is going to end."""

    fact: str  #: its id
    version: str  #: of its text
    until: str  #: what ends it, as its footer says
    birth: str  #: the commit of the code when that was said, "" where the log does not tell
    seconds: int  #: when it was said, since 1970


class Kept(Record):
    """What the file says."""

    code: str  #: the commit of the code that it was made of
    tip: str  #: the commit of the ledger
    lacks: tuple[Lack, ...]  #: what is gone
    #: digests of what was looked for and is not gone; () where that was not read
    asked: tuple[str, ...] = ()
    waits: tuple[Wait, ...] = ()  #: facts that a commit or a day is going to end
    heads: tuple[str, ...] = ()  #: the commits of which it is known what has ended at them, newest first
    ends: tuple[tuple[str, Lack], ...] = ()  #: (one of them, what has ended at it)


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
        return tuple(
            [
                one.gone
                for one in self._lacks.get(fact, ())
                if one.gone.code == _ENDED or one.gone.subject in text
            ]
        )

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
    if kept is None or not (kept.lacks or kept.waits):
        return NOTHING_GONE
    top = home.repository.top
    lacks = [
        one for one in kept.lacks if not (one.place and os.path.lexists(f"{top}/{one.place}"))
    ]
    return Truth(lacks + _ended_now(home, kept) if kept.waits else lacks)


def _ended_now(home: Home, kept: Kept) -> list[Lack]:
    """Return which facts have ended at HEAD, or by today (UTC)."""
    from projection.document.marks import ENDED, Gone

    today = stamp_of(now_ms())[:10]
    days = [
        Lack(one.fact, one.version, "", Gone(ENDED, one.until, "", one.until[len(_DAY) :]))
        for one in kept.waits
        if one.until.startswith(_DAY) and one.until[len(_DAY) :] <= today
    ]
    commit = head(home.repository)[1]
    if len(days) == len(kept.waits) or not commit:
        return days
    if commit not in kept.heads:
        from ledger.errors import DiurnaError

        try:
            kept = with_ends(home, read(home, whole=True) or kept, kept.waits)
        except DiurnaError:
            return days  # git can not tell, and the reader asked for something else
        if kept.heads[:1] == (commit,):
            try:
                write(home, kept)
            except OSError:
                pass  # the next one looks again
    return days + [one for known, one in kept.ends if known == commit]


def with_ends(home: Home, before: Kept, waits: Iterable[Wait]) -> Kept:
    """Return what is known with what of some facts has ended at HEAD; a history that is cut tells nothing.

    What was asked at one of the last HEADs before is asked of what came behind it alone.

    Raises:
        DiurnaError: git can not tell.
    """
    from memory.cache.ended import ended

    waits, (reference, commit) = tuple(waits), head(home.repository)
    before = before._replace(waits=waits) if set(waits) == set(before.waits) else before
    if not waits or not commit or is_shallow(home.repository):
        return before._replace(waits=waits, heads=(), ends=())
    git, branch = home.repository.git(), reference.removeprefix("refs/heads/")
    old = [one for one in waits if one in before.waits]
    new = [one for one in waits if one not in before.waits]
    found: list[Lack] | None = None
    for since in before.heads[:2] if old else ():
        done = [one for known, one in before.ends if known == since]
        ids = {one.fact for one in done}
        later = ended(git, commit, [one for one in old if one.fact not in ids], since=since, branch=branch)  # fmt: skip
        if later is not None:
            there = {one.fact for one in old}
            found = [one for one in done if one.fact in there] + _lacks_of(later)
            break
    if found is None:
        found, new = [], list(waits)
    found += _lacks_of(ended(git, commit, new, branch=branch) or {})
    heads = (commit, *before.heads)[:_HEADS] if before.waits == waits else (commit,)
    ends = [pair for pair in before.ends if pair[0] in heads[1:]]
    return before._replace(
        waits=waits, heads=heads, ends=(*[(commit, one) for one in found], *ends)
    )


def _lacks_of(found: dict[Wait, End]) -> list[Lack]:
    from projection.document.marks import ENDED, Gone

    return [
        Lack(wait.fact, wait.version, "",
             Gone(ENDED, end.said, end.commit[:7], stamp_of(end.seconds * 1000)[:10]))
        for wait, end in found.items()
    ]  # fmt: skip


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
    from projection.document.marks import Gone  # most readers have none

    lacks, waits, heads, ends = [], [], [], []
    for line in data.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        sort, *row = line.split("\t")
        if sort == _GONE:
            lacks.append(Lack(row[0], row[1], row[2], Gone(*row[3:])))
        elif sort == _WAITS:
            waits.append(Wait(*row[:4], int(row[4])))
        elif sort == _KNOWN:
            heads.append(row[0])
        else:
            ends.append((row[0], Lack(row[1], row[2], "", Gone(*row[3:]))))
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
        *[(_KNOWN, one) for one in kept.heads],
        *[(_ENDED, known, one.fact, one.version, *one.gone) for known, one in kept.ends],
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
