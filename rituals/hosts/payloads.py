"""Read and write an object of JSON as a hook needs it: at once, and without the module `json`.

That one loads the machinery of regular expressions, which takes longer than all that a hook does. Its
scanner and its writer of strings are parts of the interpreter; where there are none, `json` works.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from ledger.model.record import Record

    _R = TypeVar("_R", bound=Record)

_MARK = b"\xef\xbb\xbf"
_BLANK = " \t\n\r"
_FILE_BYTES = 1 << 20


class _Context:
    """What the scanner asks for: plain values, and control characters only where they are escaped."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def read_object(data: bytes) -> dict[str, object] | None:
    """Return the object that some bytes hold, None where they hold none; a byte order mark is skipped."""
    try:
        text = data.removeprefix(_MARK).decode()
        try:
            from _json import make_scanner
        except ImportError:
            import json

            found, rest = json.loads(text), ""
        else:
            start = len(text) - len(text.lstrip(_BLANK))
            found, end = make_scanner(_Context)(text, start)  # type: ignore[arg-type]
            rest = text[end:].strip(_BLANK)
    except (ValueError, RecursionError, StopIteration, SystemError):
        return (
            None  # the last one says ValueError where nobody has loaded `json`, before Python 3.12
        )
    return found if isinstance(found, dict) and not rest else None


def read_start(path: str, limit: int) -> bytes:
    """Return the first bytes of a file that is no link, b"" where it can not be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(fd, limit)
        finally:
            os.close(fd)
    except OSError:
        return b""


def read_file(path: str, limit: int = _FILE_BYTES) -> dict[str, object]:
    """Return the object that a small file of ours holds; an empty one where it holds none."""
    return read_object(read_start(path, limit)) or {}


def record_of(sample: _R, said: object) -> _R | None:
    """Return the record that an object tells, None where one of its values is of another type.

    `sample` has the types of the fields, and the values of those that are not told.
    """
    if not isinstance(said, dict):
        return None
    values = [said.get(field, usual) for field, usual in zip(sample._fields, sample, strict=True)]
    values = [tuple(one) if isinstance(one, list) else one for one in values]
    for value, usual in zip(values, sample, strict=True):
        inner = value if isinstance(value, tuple) else ()
        if type(value) is not type(usual) or not all(isinstance(one, str) for one in inner):
            return None
    return type(sample)(*values)


def fields_of(record: Record) -> dict[str, object]:
    """Return the object that tells a record."""
    return dict(zip(record._fields, record, strict=True))


def write_object(said: Mapping[str, object], *, ascii_only: bool = True) -> str:
    """Write an object of strings, numbers, lists and objects; `ascii_only` escapes all but ASCII."""
    try:
        from _json import encode_basestring, encode_basestring_ascii
    except ImportError:
        import json

        return json.dumps(said, ensure_ascii=ascii_only)
    return _written(said, encode_basestring_ascii if ascii_only else encode_basestring)


def _written(value: object, quoted: Callable[[str], str]) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        pairs = [f"{quoted(key)}: {_written(one, quoted)}" for key, one in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([_written(one, quoted) for one in value]) + "]"
    plain = {True: "true", False: "false", None: "null"}
    return plain[value] if value is None or isinstance(value, bool) else repr(value)
