"""Keep this user's key, which proves that the cache was written by this user's Diurna, and is whole.

Whoever can write into a git directory can put a cache there, and a folder that a clone brought along can
look like one. So everything in the cache carries a keyed BLAKE2b sum, which is its checksum too, and what
carries none is not read at all. The key lies with the user, outside of every repository. Where none can be
had (no home folder, a read-only disk) nothing is kept: each answer is worked out anew.

Small files that are kept are signed whole, and read and written here.
"""

from __future__ import annotations

import marshal
import os
import stat

from ledger.environment import user_folder, variables
from ledger.errors import DiurnaError
from ledger.model.layout import CACHE_VERSION
from ledger.wal.atomic_files import make_folder, plain_bytes, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import blake2b
    from typing import Any
else:
    try:
        from _blake2 import blake2b  # without loading OpenSSL
    except ImportError:
        from hashlib import blake2b

#: In the folder for what programs keep about a user (XDG Base Directory Specification).
_KEY_FILE = "diurna/key"
_KEY_BYTES, _SUM_BYTES = 32, 16
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def digest(*parts: bytes) -> str:
    """Return the BLAKE2b sum of some bytes, as 32 hex digits."""
    return signed(b"", *parts)


def signed(key: bytes, *parts: bytes) -> str:
    """Return the sum of some bytes that only the holder of a key can tell, as 32 hex digits."""
    found = blake2b(digest_size=_SUM_BYTES, key=key)
    for part in parts:
        found.update(b"%d:" % len(part))
        found.update(part)
    return found.hexdigest()


def user_key() -> bytes:
    """Return this user's key, made on the first call; b"" where none can be kept."""
    folder = state_folder()
    path = f"{folder}/{_KEY_FILE}"
    key = _read(path) if folder else None
    if key is None and folder and _is_ours(folder):
        try:  # of two that make one the last counts: what the other signed is worked out anew
            make_folder(os.path.dirname(path))
            replace_file(path, os.urandom(_KEY_BYTES), 0o600)
        except (OSError, DiurnaError):
            pass  # a read-only disk: there is no key
        key = _read(path)
    return key or b""


def state_folder() -> str:
    """Return where programs keep what is theirs, "" for nowhere."""
    named = variables().get("XDG_STATE_HOME", "")
    if named[:1] == "/":
        return named
    home = user_folder()
    return f"{home}/.local/state" if home[:1] == "/" and os.path.isdir(home) else ""


def _read(path: str) -> bytes | None:
    """Return the key in a file; None for none that only this user could have written and read."""
    try:
        fd = os.open(path, os.O_RDONLY | _NO_FOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        found = os.fstat(fd)
        key = os.read(fd, _KEY_BYTES + 1) if stat.S_ISREG(found.st_mode) else b""
    except OSError:
        return None
    finally:
        os.close(fd)
    private = found.st_uid == os.geteuid() and not found.st_mode & 0o077
    return key if private and len(key) == _KEY_BYTES else None


def _is_ours(folder: str) -> bool:
    """Tell whether a folder, or what it is to be made in, is this user's: `sudo` keeps another's home."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return os.stat(folder).st_uid == os.geteuid()


# ---- signed files: values that `marshal` takes, records as tuples ------------------------------------


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
