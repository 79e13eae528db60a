"""Keep what persons ask agents for, a line each, in the clone alone: for thirty days, for its user's eyes.

What a person says is private, what was redacted and what the hooks of this clone leave end with it. It is
in nothing that another one reads: no log, no answer of a server, no export.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence

from ledger.environment import now_ms
from ledger.model.layout import ASKS_FILE
from ledger.model.record import Record
from ledger.wal.atomic_files import Lock, plain_bytes, replace_file

_KEPT_MS, _MOST, _BYTES, _PATIENCE_SECONDS = 30 * 86_400_000, 2_000, 1 << 20, 5.0


#: The title of a log of which its day and its files are known, and of how many words an ask names one.
_UNNAMED, _WORDS = re.compile(r"Session(?: of \d+ \w+)?(?:: \d+ files?(?: in .+/)?)?"), (5, 4)


class Ask(Record):
    """What a person asked an agent for."""

    at: int  #: milliseconds since 1970
    host: str  #: key of `HOSTS`
    session: str  #: the host's id
    folder: str  #: where it worked, "" for unknown
    text: str  #: one line of at most 120 characters


_TYPES = [int, str, str, str, str]


def asks_in(commondir: str) -> list[Ask]:
    """Return what is kept, oldest first."""
    lines = (plain_bytes(f"{commondir}/{ASKS_FILE}") or b"")[:_BYTES].splitlines()
    if not lines:
        return []
    import json

    found, young = list[Ask](), now_ms() - _KEPT_MS
    for line in lines:
        try:
            said = json.loads(line)
            values = [said.get(field) for field in Ask._fields]
        except (ValueError, AttributeError, RecursionError):
            continue
        if [*map(type, values)] == _TYPES and values[0] >= young:
            found.append(Ask(*values))
    return found


def shown_title(title: str, session: str, asks: Iterable[Ask]) -> str:
    """Return what a log is called in this clone: what was asked for, where nobody named it."""
    if not _UNNAMED.fullmatch(title):
        return title
    return naming([one.text for one in asks if one.session == session]) or title


def naming(asks: Sequence[str]) -> str:
    """Return the first ask of five words, else the first of four; "" where none is so long."""
    return next((one for least in _WORDS for one in asks if len(one.split()) >= least), "")


def keep_asks(commondir: str, asks: Iterable[Ask]) -> None:
    """Keep more; what is older than thirty days goes, and what its session said before is said once.

    Raises:
        StorageFailed: the disk refused.
    """
    new = {one[1:]: one for one in asks}
    _change(commondir, lambda known: [*[one for one in known if one[1:] not in new], *new.values()])


def drop_asks(commondir: str, gone: Callable[[Ask], bool]) -> None:
    """Let go of what is kept and `gone` tells; the file goes with the last.

    Raises:
        StorageFailed: the disk refused.
    """
    if os.path.exists(f"{commondir}/{ASKS_FILE}"):
        _change(commondir, lambda known: [one for one in known if not gone(one)])


def _change(commondir: str, change: Callable[[Sequence[Ask]], list[Ask]]) -> None:
    import json

    path = f"{commondir}/{ASKS_FILE}"
    with Lock(f"{path}.lock", _PATIENCE_SECONDS):
        kept = change(asks_in(commondir))[-_MOST:]
        if kept:
            text = "".join(
                [f"{json.dumps(dict(zip(one._fields, one, strict=True)))}\n" for one in kept]
            )
            replace_file(path, text.encode(), 0o600)
        elif os.path.exists(path):
            os.unlink(path)
