r"""Edit git's tree objects as bytes: look entries up, put them in and take them out.

An entry is `<mode> <name>\0<20 bytes>`, and entries are sorted as if the names of folders ended in `/`
(git's documentation of its object format). Whatever else stands in a tree stays as it is, byte for byte.
"""

from __future__ import annotations

import os

from ledger.git.commit_record import in_the_way
from ledger.git.git_objects import TREE, object_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FILE, FOLDER = "100644", "40000"
_ID_BYTES = 20


def with_files(
    read: Callable[[str], bytes], root: str, files: Iterable[tuple[str, str]], place: str = ""
) -> tuple[str, dict[str, bytes]]:
    """Return a tree with ordinary files put in or taken out, and the trees that are new: id -> bytes.

    `read` gives the bytes of a tree; `root` is "" for none. Files are (path, blob id); "" takes the file
    out, and a folder that gets empty goes. `place` is where the tree is itself.

    Raises:
        StorageFailed: something of the user's stands where a folder or file of these belongs (fault:D4).
    """
    below: dict[str, list[tuple[str, str]]] = {}
    raw, new = read(root) if root else b"", dict[str, bytes]()
    for path, blob in files:
        name, _, rest = path.partition("/")
        if rest:
            below.setdefault(name, []).append((rest, blob))
            continue
        _of_a_sort(raw, name, FILE, place)
        raw = _with(raw, name, FILE, blob)
    for name, inside in below.items():
        folder = _of_a_sort(raw, name, FOLDER, place)
        tree, more = with_files(read, folder, inside, f"{place}{name}/")
        raw, new = _with(raw, name, FOLDER, tree), new | more
    made = object_id(TREE, raw) if raw else ""
    return made, new if made in ("", root) else {**new, made: raw}


def _of_a_sort(raw: bytes, name: str, mode: str, place: str) -> str:
    """Return the id of an entry that is a file, or a folder, as `mode` says; "" for none."""
    there = lookup(raw, os.fsencode(name))
    if there is not None and there[0][:3] != mode[:3]:
        raise in_the_way(place + name)
    return there[1] if there is not None else ""


def _with(raw: bytes, name: str, mode: str, oid: str) -> bytes:
    key = os.fsencode(name)
    return put(raw, key, mode, oid) if oid else take(raw, key)


def listing(
    read: Callable[[str], bytes], tree: str, path: str, place: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Yield (mode, object id, path) of all files at or below a path, "" for all, as `git ls-tree -r` does.

    `read` gives the bytes of a tree; `place` is where the tree is itself.
    """
    name, _, rest = path.partition("/")
    for mode, key, oid in entries(read(tree)):
        here = os.fsdecode(key)
        if name in ("", here):
            if mode == FOLDER.encode():
                yield from listing(read, oid.hex(), rest, f"{place}{here}/")
            elif not rest:
                yield mode.decode("ascii"), oid.hex(), place + here


def lookup(raw: bytes, name: bytes) -> tuple[str, str] | None:
    """Return (mode, object id) of an entry, None when there is none of this name."""
    begin, end = _place(raw, name)
    if begin == end:
        return None
    mode = raw[begin : raw.index(b" ", begin)].decode("ascii")
    return mode, raw[end - _ID_BYTES : end].hex()


def put(raw: bytes, name: bytes, mode: str, oid: str) -> bytes:
    """Return the tree with an entry, in the place of one of that name if there is one."""
    begin, end = _place(raw, name)
    rest = raw[:begin] + raw[end:] if begin != end else raw
    at = _slot(rest, name + b"/" if mode == FOLDER else name)
    entry = b"%s %s\0%s" % (mode.encode("ascii"), name, bytes.fromhex(oid))
    return rest[:at] + entry + rest[at:]


def take(raw: bytes, name: bytes) -> bytes:
    """Return the tree without an entry."""
    begin, end = _place(raw, name)
    return raw[:begin] + raw[end:]


def entries(raw: bytes) -> list[tuple[bytes, bytes, bytes]]:
    """Return all entries: (mode, name, object id), as bytes."""
    found = []
    at = 0
    while at < len(raw):
        end = raw.index(b"\0", at)
        mode, _, name = raw[at:end].partition(b" ")
        at = end + 1 + _ID_BYTES
        found.append((mode, name, raw[end + 1 : at]))
    return found


def _place(raw: bytes, name: bytes) -> tuple[int, int]:
    """Return where the entry of a name begins and ends; an empty place when there is none.

    A name is looked for as bytes first: object ids hardly ever hold one by chance, so that most calls cost
    no walk; what is found is believed only where an entry begins.
    """
    wanted = b" " + name + b"\0"
    if wanted not in raw:
        return 0, 0
    at = 0
    find = raw.index
    while at < len(raw):
        end = find(b"\0", at)
        if raw.endswith(wanted[:-1], at, end) and find(b" ", at) == end - len(name) - 1:
            return at, end + 1 + _ID_BYTES
        at = end + 1 + _ID_BYTES
    return 0, 0


def _slot(raw: bytes, key: bytes) -> int:
    """Return where an entry that sorts by `key` belongs."""
    at = 0
    find = raw.index
    while at < len(raw):
        space = find(b" ", at)
        end = find(b"\0", space)
        name = raw[space + 1 : end]
        if (name + b"/" if raw[at:space] == b"40000" else name) > key:
            break
        at = end + 1 + _ID_BYTES
    return at
