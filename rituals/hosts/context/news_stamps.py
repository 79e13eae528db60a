"""Say by a few stat calls how all that can bring news stands: a hook with nothing to say does no more."""

from __future__ import annotations

import os

from ledger.environment import now_ms
from ledger.model.record import Record
from rituals.hosts.payloads import files_in, read_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NEWS_DIR, OBSERVED_DIR = "diurna/news", "diurna/observed"
#: How many lines of a cursor `has_news` reads, and by how many bytes one grows, so that a full disk
#: does not keep it where it was.
HEAD, BLOCK = 5, 4096


class Standing(Record):
    """How all that can bring news stands, by numbers and times of files."""

    ledger: str = ""  #: the branch and what waits for it
    others: str = ""  #: the spools of other sessions
    own: str = ""  #: the session's spool


def has_news(commondir: str, name: str, *, tool: bool) -> bool:
    """Tell whether there may be something that a session did not hear.

    `name` is what files of the session are called; with `tool` only what collides counts.
    """
    head = read_start(f"{commondir}/{NEWS_DIR}/{name}", BLOCK).split(b"\n", HEAD)
    if len(head) <= HEAD:
        return True
    found = standing(commondir, name, () if tool else names(head[1]))
    then = standing_in(head[3 if tool else 2])
    if found.others != then.others:
        return True
    if found.own == then.own:
        return not tool and found.ledger != then.ledger
    if tool or found.ledger != then.ledger:
        return True
    look = head[4]
    return look.isdigit() and 0 < int(look) <= now_ms()


def standing(commondir: str, name: str, watched: Sequence[str]) -> Standing:
    """Return how all that can bring news stands now."""
    return standing_of(files(commondir), name, watched)


def standing_of(
    listed: Iterable[tuple[str, int, int]], name: str, watched: Sequence[str]
) -> Standing:
    """Return how all that can bring news stands, as `files` listed it."""
    own, count, total, newest = "-", 0, 0, 0
    for file, size, changed in listed:
        if file == f"{name}.jsonl":
            own = str(size)
            continue
        count += 1
        total += size
        newest = max(newest, changed)
    return Standing(stamps(watched), f"{count}.{total}.{newest}", own)


def stamps(watched: Sequence[str]) -> str:
    """Return how some files and folders stand."""
    return ",".join(map(_stamp, watched))


def files(commondir: str) -> list[tuple[str, int, int]]:
    """Return the names, bytes and times of the spools."""
    return files_in(f"{commondir}/{OBSERVED_DIR}")


def _stamp(path: str) -> str:
    try:
        seen = os.stat(path)
    except OSError:
        return "-"
    return f"{seen.st_ino}.{seen.st_size}.{seen.st_mtime_ns}"


def names(line: bytes) -> tuple[str, ...]:
    """Read the files that a cursor watches."""
    return tuple(os.fsdecode(line).split("\0")) if line else ()


def standing_in(line: bytes) -> Standing:
    """Read how all stood, as a cursor has it."""
    words = line.decode("ascii", "replace").split(" ")
    return Standing(*words) if len(words) == len(Standing()) else Standing()
