"""Import SQLite, without the part of the standard module that loads `datetime`: 3 ms a start.

And the one error of the cache: what SQLite says against its file, and a value in it that can not be
unpacked, is `CacheDamaged`. Nothing else is: a bug in what is made of those values stays a bug.
"""

from __future__ import annotations

import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from typing import Any, TypeVar

    Made = TypeVar("Made")
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:
        import sqlite3

__all__ = ["FILE_ERRORS", "CacheDamaged", "FileErrors", "sqlite3", "unpack"]


class CacheDamaged(Exception):
    """The cache's file is missing, damaged, of another version or out of reach: build it anew."""


class FileErrors:
    """Stands, as `with FILE_ERRORS:`, around what reads or writes a file: SQLite's errors are damage.

    Args:
        damage: what is raised then.
    """

    def __init__(self, damage: type[Exception]) -> None:
        self.damage = damage

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, value: object, trace: object) -> None:
        if isinstance(value, (sqlite3.Error, CacheDamaged)) and not isinstance(value, self.damage):
            raise self.damage(str(value)) from value


FILE_ERRORS = FileErrors(CacheDamaged)
#: A row of more bytes holds hundreds of events. What a few such rows make is kept: who looks at many
#: facts asks of each of them for the one log, or the one fact, that they hang on.
LONG_BYTES = 8192
_KEPT = 16
_long: dict[tuple[bytes, object], Any] = {}


def unpack_once(packed: bytes, make: Callable[[Any], Made]) -> Made:
    """Return the value that a row holds, which nobody can change, as `unpack`."""
    if len(packed) <= LONG_BYTES:
        return unpack(packed, make)
    made: Made | None = _long.get((packed, make))
    if made is None:
        if len(_long) >= _KEPT:
            _long.clear()
        made = _long[packed, make] = unpack(packed, make)
    return made


def unpack(packed: bytes, make: Callable[[Any], Made]) -> Made:
    """Return the value that a row holds, made of what `marshal` gives back.

    Raises:
        CacheDamaged: it was never packed here.
    """
    try:
        return make(marshal.loads(packed))
    except (ValueError, EOFError, TypeError, IndexError) as problem:
        raise CacheDamaged("a value is not as it was written") from problem
