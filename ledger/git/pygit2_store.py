"""Read and write objects and references with pygit2; the only module that imports it.

Works around measured faults of libgit2 1.9:
`create_commit` has no compare-and-swap on the first commit and does not notice a full disk, so the
commit is written as an object and the reference moves in a transaction that compares. Reading a loose
object that was cut short it never comes back, so loose objects are read here without it.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Iterator

import pygit2
from pygit2.enums import ObjectType, Option

from ledger.errors import CorruptRepository, GitFailed, ReferenceLocked, StorageFailed, TipMoved
from ledger.git import commit_record as record
from ledger.git import trees
from ledger.git.git_objects import merge_commit
from ledger.git.repository import Repository

# a tree's entries are what was just written or what the parent's tree has: looking each one up again
# costs more than writing it, and every commit is read back before it is acknowledged
pygit2.option(Option.ENABLE_STRICT_OBJECT_CREATION, False)
# SHA-1 with collision detection over every object read takes a third of the reading; who reads logs proves
# their bytes by the seal, or by the blob's id where they bear none (`memory.replay.read_logs`)
pygit2.option(Option.ENABLE_STRICT_HASH_VERIFICATION, False)


class Store:
    """Objects and references of one repository.

    Args:
        repository: where it is.
    """

    def __init__(self, repository: Repository) -> None:
        self._where = repository
        try:
            self._git = pygit2.Repository(repository.gitdir)
        except (pygit2.GitError, KeyError) as problem:
            raise CorruptRepository(
                f"{repository.gitdir} can not be opened: {problem}",
                hint="run `git fsck` there to see what is wrong",
            ) from problem
        self._odb = self._git.odb
        self._objects = repository.commondir + "/objects"
        #: what the last commit wrote: its trees, and (commit, root tree)
        self._trees: dict[str, bytes] = {}
        self._last = ("", "")

    def blobs(self, ids: Iterable[str]) -> Iterator[bytes | None]:
        """Yield the bytes of each object, None for one that is missing or unreadable.

        That the bytes are those of the id is for the caller to check.
        """
        read = self._odb.read
        loose = self._loose()
        for one in ids:
            try:
                yield self._read_loose(one) if one in loose else read(one)[1]
            except (KeyError, pygit2.GitError, ValueError):
                yield None

    def blob(self, one: str) -> bytes | None:
        """Return the bytes of one object; see `blobs`, which is for many."""
        try:
            return self._read_loose(one)
        except (KeyError, pygit2.GitError, ValueError, OSError):
            return None

    def _loose(self) -> set[str]:
        """List the loose objects: what is packed is not looked for in vain, and costs nothing."""
        found: set[str] = set()
        for number in range(256):
            start = f"{number:02x}"
            try:
                found.update([start + name for name in os.listdir(f"{self._objects}/{start}")])
            except OSError:
                continue
        return found

    def _read_loose(self, one: str) -> bytes | None:
        """Read a loose object without libgit2, which never comes back from one that was cut short."""
        try:
            with open(f"{self._objects}/{one[:2]}/{one[2:]}", "rb") as file:
                data = zlib.decompress(file.read())
            return data[data.index(b"\0") + 1 :]
        except FileNotFoundError:  # packed meanwhile
            return bytes(self._odb.read(one)[1])
        except zlib.error:
            return self._read_safely(one)

    def _read_safely(self, one: str) -> bytes | None:
        """Let git read an object whose file is damaged: there may be a packed copy."""
        try:
            (found,) = self._where.git().blobs([one])
        except GitFailed:
            return None
        return found

    def _body(self, one: str) -> bytes:
        """Return the bytes of a tree or commit."""
        found = record.loose_object(self._objects, one)
        if found is not None:
            return found[found.index(b"\0") + 1 :]
        return bytes(self._odb.read(one)[1])

    def commit(
        self,
        wanted: record.Commit,
        show: Callable[[record.Move], None] = record.at_once,
        sign: Callable[[str], str] = record.as_made,
    ) -> str:
        """Make a commit and move the branch to it; return its id.

        Returns `wanted.parent` when the tip holds all the files already. `show` is called once nothing
        is known to be in the way, with what moves the branch; `sign` gives the signed commit for one
        that is not.

        Raises:
            TipMoved: the branch is no longer at `wanted.expected`.
            ReferenceLocked: the branch's lock file is there.
            StorageFailed: an object did not reach the disk.
        """
        try:
            tree = self._tree(wanted)
            if tree is None and wanted.parent:
                return wanted.parent
            self._check_ours(wanted, str(tree))
            for one in self._trees:  # before libgit2 looks at them, and before a branch names them
                record.loose_object(self._objects, one)
            made = sign(self._write_commit(wanted, str(tree)))
            record.check_stored(
                self._where, made
            )  # before a branch points to it (fault:A7, fault:A14)
            show(lambda within: self._move(wanted, made, within))
            self._last = (made, str(tree))
        except (TipMoved, ReferenceLocked, StorageFailed):
            raise
        except (pygit2.GitError, OSError, KeyError, ValueError) as problem:
            raise self._failure(problem, wanted) from problem
        return made

    def _tree(self, wanted: record.Commit) -> str | None:
        """Write the trees with the new files; None when nothing differs from the parent's."""
        base = self._root(wanted.parent)
        folders: dict[str, dict[str, bytes | None]] = {}
        for path, data in wanted.files:
            folder, _, name = path.rpartition("/")
            folders.setdefault(folder, {})[name] = data
        written: dict[str, bytes] = {}
        made = self._folder(base, "", folders, written)
        self._trees = written
        return None if made == base else made

    def _root(self, commit: str) -> str:
        """Return the id of a commit's tree, "" for no commit."""
        if not commit:
            return ""
        if self._last[0] == commit:
            return self._last[1]
        return self._body(commit)[5:45].decode("ascii")

    def _raw(self, tree: str) -> bytes:
        """Return a tree's bytes: those just written are read again by the next append."""
        if not tree:
            return b""
        known = self._trees.get(tree)
        return known if known is not None else self._body(tree)

    def _folder(
        self,
        base: str,
        path: str,
        folders: dict[str, dict[str, bytes | None]],
        written: dict[str, bytes],
    ) -> str:
        """Write one folder's tree: its old entries, our files, our sub-folders. Depth is ours."""
        raw = old = self._raw(base)
        for name, data in folders.get(path, {}).items():
            key = os.fsencode(name)
            if data is None:
                raw = trees.take(raw, key)
                continue
            blob = str(self._odb.write(ObjectType.BLOB, data))
            raw = trees.put(raw, key, trees.FILE, blob)
        start = path + "/" if path else ""
        below = {
            folder[len(start) :].split("/", 1)[0]
            for folder in folders
            if folder != path and folder.startswith(start)
        }
        for name in below:
            key = os.fsencode(name)
            found = trees.lookup(raw, key)
            if found is not None and found[0] != trees.FOLDER:
                raise record.in_the_way(start + name)
            child = self._folder(found[1] if found else "", start + name, folders, written)
            raw = trees.put(raw, key, trees.FOLDER, child)
        made = base if raw == old and base else str(self._odb.write(ObjectType.TREE, raw))
        written[made] = raw
        return made

    def _check_ours(self, wanted: record.Commit, tree: str) -> None:
        """Compare a new tree with the parent's: only our own files may differ (fault:D4)."""
        self._compare("", self._root(wanted.parent), tree, [path for path, _ in wanted.files])

    def _compare(self, path: str, base: str, made: str, files: list[str]) -> None:
        old, new = self._raw(base), self._raw(made)
        start = path + "/" if path else ""
        below: dict[bytes, list[str]] = {}
        for file in files:
            below.setdefault(os.fsencode(file[len(start) :].split("/", 1)[0]), []).append(file)
        if not trees.same_but_for(old, new, list(below)):
            (other, *_) = trees.differing(old, new) - set(below)
            raise StorageFailed(
                f"the commit would change {start}{os.fsdecode(other)}, which is not Diurna's; "
                "it was not made",
                hint="please report this as a fault of Diurna",
            )
        for key, held in below.items():
            name = start + os.fsdecode(key)
            then, now = trees.lookup(old, key), trees.lookup(new, key)
            if now is not None and now[0] == trees.FOLDER and name not in held:
                self._compare(name, then[1] if then else "", now[1], held)

    def _write_commit(self, wanted: record.Commit, tree: str) -> str:
        parents = [wanted.parent] if wanted.parent else []
        people = wanted.identity.lines(wanted.seconds)
        made = merge_commit(tree, parents, people, wanted.message.replace("\0", ""))
        return str(self._odb.write(ObjectType.COMMIT, made))

    def _move(self, wanted: record.Commit, made: str, within: record.Within) -> bool:
        """Move the branch if it is still where it was, and `within` says so."""
        reference = wanted.reference
        with self._git.transaction() as transaction:
            for name in (reference, *[name for name, _ in wanted.along]):
                transaction.lock_ref(name)
            try:
                now = str(self._git.lookup_reference(reference).target)
            except KeyError:
                now = ""
            if now != wanted.expected:
                raise TipMoved(reference)
            if not within():
                return False
            # the reflog's author: `set_target` of pygit2 1.21 can not take a signature
            name, email = wanted.identity.committing
            self._git.set_ident(record.clean_name(name), record.clean_name(email))
            for name, commit in ((reference, made), *wanted.along):
                transaction.set_target(name, commit or made, message=wanted.message.split("\n")[0])
        return True

    def _failure(self, problem: Exception, wanted: record.Commit) -> Exception:
        """Tell libgit2's errors apart, by their text: it gives no codes for them."""
        said = str(problem)
        lock = record.branch_lock(self._where.commondir, wanted.reference)
        # libgit2 says so of a lock that was there; by now its owner may be done
        taken = "failed to lock file" in said or ("locked file" in said and "File exists" in said)
        there = record.lock_in_the_way(said, lock)
        if taken or there:
            return ReferenceLocked(there or lock)
        return StorageFailed(
            f"git could not store the commit: {said}",
            hint="the log is saved; check the disk and its free space",
        )
