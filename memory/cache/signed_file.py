"""Keep what was worked out in signed files beside git: values that `marshal` takes, records as tuples."""

from __future__ import annotations

import marshal
import os

from ledger.model.layout import CACHE_VERSION
from ledger.wal.atomic_files import make_folder, plain_bytes, replace_file
from ledger.wal.user_key import signed, user_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_signed(path: str, header: bytes) -> Any:
    """Return what a file says, None where there is none that this user's Diurna wrote.

    `header` is the first word of it.
    """
    line, _, data = (plain_bytes(path) or b"").partition(b"\n")
    key = user_key() if data else b""
    ours = bool(key) and line == _line(key, header, path, data)
    return marshal.loads(data) if ours else None  # noqa: S302 - the sum is this user's


def write_signed(path: str, header: bytes, value: object) -> None:
    """Write a file, where this user can sign it.

    Raises:
        StorageFailed: the disk refused.
        WriteRefused: something else is in its place.
    """
    key, data = user_key(), marshal.dumps(_plain(value))
    if key:
        make_folder(os.path.dirname(path))
        replace_file(path, _line(key, header, path, data) + b"\n" + data, 0o600)


def _line(key: bytes, header: bytes, path: str, data: bytes) -> bytes:
    sum = signed(key, os.fsencode(os.path.basename(path)), data)
    return b"%s %d %s" % (header, CACHE_VERSION, sum.encode())


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return tuple([_plain(one) for one in value]) if isinstance(value, tuple) else value
