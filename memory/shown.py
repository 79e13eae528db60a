"""`continuity.md` as last shown: kept beside the cache under the commit it is true for.

The text is good as long as the branch points to that commit, so a reader with nothing new opens three
small files. It is checked by length and CRC; anything odd about it means working it out again.
"""

from __future__ import annotations

import os
import zlib

from ledger.home import Home, discover
from ledger.layout import CACHE_VERSION, FORMAT_VERSION

_HEADER = b"diurna-shown"


def continuity(start: str) -> bytes | None:
    """Return the replayed `continuity.md` for a folder.

    Returns:
        Its bytes; None when there is something to be said beside it (logs that wait, a policy or a log
        that can not be read, a newer format), which the command line does.

    Raises:
        DiurnaError: there is no home, or its repository can not be read.
    """
    home = discover(start)
    if _waiting(home):
        return None
    tip = home.tip()
    path = home.cache_file + ".shown"
    found = _read(path, tip)
    if found is not None:
        return found
    from memory.snapshot import Snapshot
    from projection.render import render

    snapshot = Snapshot(home)
    commit, problem, view = snapshot.ask(
        lambda cache: (cache.commit, cache.policy_problem or cache.unread(), cache.view()), tip
    )
    if problem or view.policy.format > FORMAT_VERSION:
        return None
    data = render(view).encode("utf-8", "surrogateescape")
    if commit == tip:
        _write(path, tip, data)
    return data


def _waiting(home: Home) -> bool:
    try:
        with os.scandir(home.spool_folder) as entries:
            return any(entry.is_file() for entry in entries)
    except OSError:
        return False


def _read(path: str, tip: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            head = file.readline(200).split()
            data = file.read()
    except OSError:
        return None
    wanted = [_HEADER, b"%d" % CACHE_VERSION, tip.encode(), b"%d" % len(data)]
    if len(head) != 5 or head[:4] != wanted or head[4] != b"%08x" % zlib.crc32(data):
        return None
    return data


def _write(path: str, tip: str, data: bytes) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    head = b"%s %d %s %d %08x\n" % (
        _HEADER, CACHE_VERSION, tip.encode(), len(data), zlib.crc32(data),
    )  # fmt: skip
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(fd, head + data)
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except OSError:
        pass  # a read-only disk: the next run works it out again
