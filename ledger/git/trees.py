r"""Read and write git's tree objects as bytes.

An entry is `<mode> <name>\0<20 bytes>`, and entries are sorted as if the names of folders ended in `/`
(git's documentation of its object format).
"""

from __future__ import annotations

import os

from ledger.git.commit_record import in_the_way
from ledger.git.git_objects import TREE, object_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    #: (mode, object id)
    Entry = tuple[str, str]

FILE, FOLDER = "100644", "40000"
_ID_BYTES = 20


def entries(raw: bytes) -> dict[bytes, Entry]:
    """Return what a tree has, by name."""
    found = {}
    at = 0
    while at < len(raw):
        end = raw.index(b"\0", at)
        mode, _, name = raw[at:end].partition(b" ")
        at = end + 1 + _ID_BYTES
        found[name] = mode.decode("ascii"), raw[end + 1 : at].hex()
    return found


def written(found: Mapping[bytes, Entry]) -> bytes:
    """Return a tree of entries."""
    rows = sorted(found.items(), key=lambda row: row[0] + b"/" * (row[1][0] == FOLDER))
    return b"".join(
        [b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(oid)) for name, (mode, oid) in rows]
    )


def lookup(raw: bytes, name: bytes) -> Entry | None:
    """Return an entry, None when there is none of this name."""
    # object ids hardly ever hold a name by chance, so that most calls cost no walk
    return entries(raw).get(name) if b" " + name + b"\0" in raw else None


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
    for path, blob in files:
        name, _, rest = path.partition("/")
        below.setdefault(name, []).append((rest, blob))
    found, new = entries(read(root)) if root else {}, dict[str, bytes]()
    for name, inside in below.items():
        key, mode = os.fsencode(name), FOLDER if inside[0][0] else FILE
        there = found.pop(key, None)
        if there is not None and there[0][:3] != mode[:3]:
            raise in_the_way(place + name)
        oid = inside[-1][1]
        if mode == FOLDER:
            folder = there[1] if there else ""
            oid, more = with_files(read, folder, inside, f"{place}{name}/")
            new |= more
        if oid:
            found[key] = mode, oid
    raw = written(found)
    made = object_id(TREE, raw) if raw else ""
    return made, new if made in ("", root) else {**new, made: raw}


def listing(
    read: Callable[[str], bytes], tree: str, path: str, place: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Yield (mode, object id, path) of all files at or below a path, "" for all, as `git ls-tree -r` does.

    `read` gives the bytes of a tree; `place` is where the tree is itself.
    """
    name, _, rest = path.partition("/")
    for key, (mode, oid) in entries(read(tree)).items():
        here = os.fsdecode(key)
        if name in ("", here):
            if mode == FOLDER:
                yield from listing(read, oid, rest, f"{place}{here}/")
            elif not rest:
                yield mode, oid, place + here
