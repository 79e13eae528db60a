r"""Read and write git objects, a few at a time; and trees, as bytes.

No process is started for what is loose, or in a pack of the repository's own. An object's size comes
before its bytes: what is too large is never taken into memory (fault:J4).

An entry of a tree is `<mode> <name>\0<20 bytes>`, and entries are sorted as if the names of folders
ended in `/` (git's documentation of its object format).
"""

from __future__ import annotations

import os
import zlib
from _thread import get_ident

from ledger.errors import ObjectMissing, ObjectTooLarge, StorageFailed, storage_failure
from ledger.model.ids import sha1
from ledger.model.record import TYPE_CHECKING, Record, cached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ledger.git.repository import Repository

    #: (mode, object id)
    Entry = tuple[str, str]

COMMIT, TREE, BLOB, TAG = "commit", "tree", "blob", "tag"
#: No tree, commit, policy or projection file is larger.
LIMIT_BYTES = 64 << 20
#: So much of what was read is kept until the context ends: trees are asked for again and again.
_KEPT_BYTES = 16 << 20
#: So many commits are walked without asking git.
FEW_COMMITS = 64
#: The header of a loose object is shorter: `commit 1234`.
_HEADER_BYTES = 40
#: By thread and folder: the context that keeps what was read.
_ENTERED: dict[tuple[int, str], Objects] = {}


class CommitHeader(Record):
    """What a join needs of a commit."""

    tree: str  #: its root
    parents: tuple[str, ...]
    authored: int  #: seconds since 1970; 0 where the commit has no number there
    seconds: int  #: when it was committed, the same way
    subject: str  #: the first line of its message


class Objects:
    """Reads the objects of one repository, and keeps them as long as it is there.

    Where one of the same thread and repository was entered, all share what that keeps.
    """

    def __init__(self, repository: Repository) -> None:
        self._git, self._folder = repository.git, f"{repository.commondir}/objects"
        self._pack = ""  #: that had the last object
        self._held, self._room = dict[str, bytes](), _KEPT_BYTES
        self._outermost = _ENTERED.get((get_ident(), self._folder), self)

    def __enter__(self) -> Objects:
        """Return itself."""
        _ENTERED.setdefault((get_ident(), self._folder), self)
        return self

    def __exit__(self, *_: object) -> None:
        """Share no more, behind the outermost context."""
        if self._outermost is self:
            _ENTERED.pop((get_ident(), self._folder), None)

    def hold(self, known: dict[str, bytes]) -> None:
        """Serve objects that are not stored yet, too."""
        self._outermost._held.update(known)

    def holds(self, oid: str, data: bytes) -> bool:
        """Tell whether an object was read, or given to hold, and has these bytes; nothing is hashed."""
        return self._outermost._held.get(oid) == data

    def read(self, oid: str, limit: int = LIMIT_BYTES) -> bytes:
        """Return an object's bytes.

        Raises:
            ObjectMissing: it is not there, or damaged.
            ObjectTooLarge: it has more than `limit` bytes.
        """
        first = self._outermost
        if (data := first._held.get(oid)) is not None:
            return data
        try:
            data = loose_object(self._folder, oid, limit)
        except StorageFailed:  # it is damaged; git may have a packed copy
            data = None
        data = first._packed(oid, limit) if data is None else data[data.index(b"\0") + 1 :]
        if len(data) <= first._room:
            first._room -= len(data)
            first._held[oid] = data
        return data

    def _packed(self, oid: str, limit: int) -> bytes:
        from ledger.git.packs import packed_object

        self._pack, data = packed_object(f"{self._folder}/pack", oid, limit, self._pack)
        try:
            if data is None:
                (data,) = self._git().blobs([oid], limit)
        except ValueError:  # git ended, or was ended, in the middle of it
            pass
        if data is None:
            said = f"fatal: bad object {oid}"
            raise ObjectMissing("cat-file", 128, said, self._git().where, oid)
        return data

    def given(self, oid: str) -> bytes | None:
        """Return an object's bytes, None where it is missing, damaged or too large."""
        try:
            return self.read(oid)
        except (ObjectMissing, ObjectTooLarge):
            return None

    def header(self, commit: str) -> CommitHeader:
        """Return what a join needs of a commit."""
        head, _, message = self.read(commit).decode("utf-8", "replace").partition("\n\n")
        rows = [line.partition(" ")[::2] for line in head.split("\n")]
        parents, who = tuple([said for key, said in rows if key == "parent"]), dict(rows)
        numbers = [who.get(role, "").rsplit(" ", 2)[-2:][0] for role in ("author", "committer")]
        authored, made = [int(number) if number.isdigit() else 0 for number in numbers]
        return CommitHeader(head[5:45], parents, authored, made, message.partition("\n")[0])

    def find(self, commit: str, path: str) -> str:
        """Return the id of what stands at a path of a commit, "" for nothing."""
        return find(self.read, self.header(commit).tree, path)

    def differences(self, old: str, new: str, *paths: str) -> list[tuple[str, str, str, str]]:
        """List what `Git.differences` does at some paths of two commits, "" for none: no git is asked."""
        one, two = (self.header(commit).tree if commit else "" for commit in (old, new))
        return [row for path in paths for row in differences(self.read, one, two, path)]

    def between(self, one: str, two: str) -> dict[str, tuple[int, CommitHeader]]:
        """Return the commits that lie between two, by id, as far back as one that both have.

        Each has who has it: 1, 2 or 3 for both, 7 behind one that both have; none where they are many, or
        the history is cut.
        """
        sides = {one: 1, two: 2} if two else {one: 1}
        known: dict[str, CommitHeader] = {}
        try:
            heads = {commit: self.header(commit) for commit in sides}
            while any(sides[commit] < 4 for commit in heads):
                if len(sides) > FEW_COMMITS:
                    return {}
                commit = max(heads, key=lambda one: (heads[one].seconds, sides[one]))
                known[commit], side = heads.pop(commit), sides[commit]
                for parent in known[commit].parents:
                    if (had := sides.get(parent, 0)) | (both := side | 4 * (side == 3)) != had:
                        sides[parent], heads[parent] = had | both, self.header(parent)
        except ObjectMissing:
            return {}
        return {commit: (sides[commit], head) for commit, head in known.items()}

    def bases(self, one: str, two: str) -> list[str]:
        """Return the best common ancestors of two commits, sorted; none for unrelated histories."""
        found = [commit for commit, (side, _) in self.between(one, two).items() if side == 3]
        if len(found) == 1:  # of several one may be behind another
            return found
        said = self._git().run("merge-base", "--all", one, two, check=False)
        return sorted(said.decode("ascii", "replace").split())


def loose_object(objects: str, oid: str, limit: int = 0) -> bytes | None:
    """Read a loose object from the disk: its bytes with header, None when it is not loose.

    Raises:
        StorageFailed: the file is there and does not hold what its name says.
        ObjectTooLarge: it has more than `limit` bytes, where that is not 0.
    """
    path = f"{objects}/{oid[:2]}/{oid[2:]}"
    try:
        with open(path, "rb") as file:
            packed = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        if limit:
            head = zlib.decompressobj().decompress(packed, _HEADER_BYTES).partition(b"\0")[0]
            if (size := int(head.partition(b" ")[2])) > limit:
                raise ObjectTooLarge(oid, size)
        data = zlib.decompress(packed)
    except (zlib.error, ValueError):
        data = b""
    if sha1(data, usedforsecurity=False).hexdigest() != oid:
        raise StorageFailed(
            f"the object {oid} did not reach the disk whole",
            hint="check the disk; the session log itself is safe in the spool",
        )
    return data


def object_id(kind: str, data: bytes) -> str:
    """Return the id git gives an object (SHA-1 repositories)."""
    head = b"%s %d\0" % (kind.encode("ascii"), len(data))
    return sha1(head + data, usedforsecurity=False).hexdigest()


def merge_commit(tree: str, parents: Iterable[str], people: tuple[str, str], message: str) -> bytes:
    """Write a commit by an author and a committer (`Identity.lines`)."""
    rows = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    rows += [f"author {people[0]}", f"committer {people[1]}", "", message, ""]
    return "\n".join(rows).encode("utf-8", "replace")


def write_objects(
    where: Repository,
    objects: Iterable[tuple[str, bytes]],
    *,
    durable: bool = True,
    names: Mapping[bytes, str] | None = None,
) -> None:
    """Store objects as loose ones, as git does: each is written beside its place, then put there.

    Objects are (kind, bytes), `names` the ids that are known, by the bytes. With `durable` they are
    flushed to the disk, and the folders that have them.

    Raises:
        StorageFailed: the disk refused.
    """
    known, top, made = names or {}, f"{where.commondir}/objects", dict[str, str]()
    try:
        mode = os.stat(top).st_mode & 0o7777  # as `core.sharedRepository` had git make it
        for kind, data in dict.fromkeys(objects):
            oid = known.get(data) or object_id(kind, data)
            path = f"{top}/{oid[:2]}/{oid[2:]}"
            try:
                os.utime(path)  # it is there, and no prune takes it now
            except OSError:
                # by such a name git clears what a kill leaves
                made[path] = written = f"{path[:-38]}tmp_obj_{oid[2:]}{os.urandom(6).hex()}"
                data = zlib.compress(b"%s %d\0%s" % (kind.encode(), len(data), data), 1)
                for last in (False, True):
                    if not os.path.isdir(path[:-39]):
                        os.makedirs(path[:-39], exist_ok=True)
                        os.chmod(path[:-39], mode)
                    try:
                        _write(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, data, durable)
                        break
                    except FileNotFoundError:  # a git that packs took the folder away
                        if last:
                            raise
                os.chmod(written, mode & 0o444)
        for path, written in made.items():
            os.replace(written, path)
        for folder in {path[:-39] for path in made} if durable else ():
            if os.path.isdir(folder):  # else git has packed meanwhile what was in it
                _write(folder, os.O_RDONLY, b"", True)
    except OSError as problem:
        for written in filter(os.path.exists, made.values()):
            os.unlink(written)
        raise storage_failure(problem, top) from problem


def _write(path: str, how: int, data: bytes, flush: bool) -> None:
    end = os.open(path, how, 0o600)
    try:
        while data:
            data = data[os.write(end, data) :]
        if flush:
            os.fsync(end)
    finally:
        os.close(end)


FILE, FOLDER = "100644", "40000"
_NOTHING = "000000", "0" * 40


@cached(32)
def entries(raw: bytes) -> Mapping[bytes, Entry]:
    """Return what a tree has, by name."""
    found = {}
    at = 0
    while at < len(raw):
        end = raw.index(b"\0", at)
        mode, _, name = raw[at:end].partition(b" ")
        at = end + 21  # behind the zero byte and the id
        found[name] = mode.decode("ascii"), raw[end + 1 : at].hex()
    return found


def written(found: Mapping[bytes, Entry]) -> bytes:
    """Return a tree of entries."""
    rows = sorted(found.items(), key=lambda row: row[0] + b"/" * (row[1][0] == FOLDER))
    return b"".join(
        [b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(oid)) for name, (mode, oid) in rows]
    )


def find(read: Callable[[str], bytes], root: str, path: str) -> str:
    """Return the id of what stands at a path of a tree, "" for nothing."""
    oid = root
    for name in path.rstrip("/").split("/") if root else ():
        raw, key = read(oid), os.fsencode(name)
        # object ids hardly ever hold a name by chance, so that most calls cost no walk
        found = entries(raw).get(key) if b" " + key + b"\0" in raw else None
        if found is None:
            return ""
        oid = found[1]
    return oid


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
    found, new = dict(entries(read(root)) if root else ()), dict[str, bytes]()
    for name, inside in below.items():
        key, mode = os.fsencode(name), FOLDER if inside[0][0] else FILE
        there = found.pop(key, None)
        if there is not None and there[0][:3] != mode[:3]:
            raise StorageFailed(
                f"{place}{name} is no folder in the branch's tree, and Diurna does not replace what is "
                "not its own",
                hint=f"move {place}{name} elsewhere with git, or make a home somewhere else",
            )
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


def differences(
    read: Callable[[str], bytes], old: str, new: str, path: str, place: str = ""
) -> Iterator[tuple[str, str, str, str]]:
    """Yield (status, mode, new id, path) of what differs at or below a path of two trees, "" for none.

    `read` gives the bytes of a tree; `place` is where they are themselves.
    """
    if old == new:
        return
    name, _, rest = path.partition("/")
    one, two = (entries(read(tree)) if tree else {} for tree in (old, new))
    for key in {**one, **two} if not name else (os.fsencode(name),):
        sides, here = [one.get(key, _NOTHING), two.get(key, _NOTHING)], place + os.fsdecode(key)
        trees = [oid if mode == FOLDER else "" for mode, oid in sides]
        yield from differences(read, trees[0], trees[1], rest, here + "/")
        before, after = [
            _NOTHING if tree else side for tree, side in zip(trees, sides, strict=True)
        ]
        if before != after and not rest:
            same = before[0][:3] == after[0][:3]
            letter = "A" if before == _NOTHING else "D" if after == _NOTHING else "TM"[same]
            yield letter, *after, here
