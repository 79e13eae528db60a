"""Save a picture in a file of the user's, only where nothing else is."""

from __future__ import annotations

import os

from ledger.errors import WriteRefused
from ledger.wal.atomic_files import replace_file, storage_failure
from rituals.report.chart import MARKER

_HEAD_BYTES = 256


def keep(path: str, svg: str) -> None:
    """Write a picture to an absolute path.

    Raises:
        WriteRefused: something is there that is no picture of ours; it was left as it is.
        StorageFailed: the disk refused.
    """
    head = MARKER.encode()
    if os.path.lexists(path):
        head = _head(path) if os.path.isfile(path) else b""
    if MARKER.encode() not in head:
        raise WriteRefused(
            "this is no picture that `diurna review --report` made; it was left as it is",
            where=path,
            hint="name a file that is not there yet; `--svg -` prints the picture",
        )
    replace_file(path, svg.encode())


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError as problem:
        raise storage_failure(problem, path) from problem
