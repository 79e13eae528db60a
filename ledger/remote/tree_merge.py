"""Merge the trees of two tips of one ledger: a set union of logs, three-way for all else.

Pure: trees are read by a function and new ones are returned, so no work tree, no index and no rename
detection take part (FORMAT.md, M1 to M4; fault:H1, fault:H2, fault:H8, fault:H13). Only sub-trees whose
ids differ are looked at.

Session logs are joined as a set of paths. Where one path holds different bytes, the rule is a total
order, so that the join is commutative, associative and idempotent: a log whose bytes match its name comes
first, then an ordinary file, then the lower object id. What comes second is kept at
`sessions/twins/<id>/<name>`, where a replay reads it as a second log of that stem; only bytes that a seal
proves wrong are left to history.
"""

from __future__ import annotations

import os
from _collections_abc import Callable, Mapping, Sequence

from ledger.git.cli import Git
from ledger.git.git_objects import (
    BLOB,
    FILE,
    FOLDER,
    TREE,
    entries,
    object_id,
    write_objects,
    written,
)
from ledger.git.repository import Repository
from ledger.model.ids import blob_id
from ledger.model.layout import ARCHIVE_DIR, POLICY_FILE, SESSIONS_DIR, stem_of
from ledger.model.log_names import breaks_seal, is_sealed
from ledger.model.record import Record

#: Gives the bytes of a tree or blob by its id.
Read = Callable[[str], bytes]
#: (mode, object id)
Entry = tuple[str, str]
#: Merges the lines of a text: the versions of both sides and the base's, which may have none; None for a
#: conflict.
Blend = Callable[[bytes, bytes | None, bytes], bytes | None]

#: Below `sessions/`: the second and later versions of one path.
TWINS_DIR = "twins"


class Double(Record):
    """One path of `sessions/` that held different bytes on both sides."""

    path: str  #: relative to the home
    kept: str  #: the object that stands there now
    other: str  #: the object that does not
    twin: str  #: where the other stands now, "" for bytes that their own name proves wrong


class Joined:
    """What two tips of a ledger come to.

    Args:
        read: gives a tree or blob.
        roots: the root trees of both tips, of which is which must not depend on who joins, and behind
            them those of the merge bases; none for histories that share nothing.
        prefix: the home's, "" or ending in "/".
        derived: tells of a path, relative to the home, whether it is a projection file. Those that both
            sides changed are taken from the second where `second`, else from the first.
        second: see there.
        blend: merges the lines of the policy where both sides changed it.
    """

    def __init__(
        self,
        read: Read,
        roots: Sequence[str],
        prefix: str,
        derived: Callable[[str], bool],
        second: bool,
        blend: Blend | None = None,
    ) -> None:
        self._read, self._prefix, self._blend = read, prefix, blend
        self._derived, self._second = derived, second
        self._twins: list[tuple[str, Entry]] = []
        #: new trees by id; the root tree is among them or was there before
        self.written: dict[str, bytes] = {}
        #: new texts by id, of files whose lines were merged
        self.blended: dict[str, bytes] = {}
        #: paths of `sessions/` with different bytes
        self.doubles: set[Double] = set()
        #: other files that both changed, from the root: where there is one the tree means nothing
        self.clashes: list[str] = []
        self._there = set[str]()  # trees that were read, so that they are stored
        one, two, *bases = roots
        self.tree = self._merge(one, two, tuple(bases), "")  #: the root tree

    # ---- logs -----------------------------------------------------------------------------------

    def _unite_all(self, one: str, two: str) -> str:
        """Unite two `sessions/` trees, and put beside them what found its place taken."""
        tree = self._unite(one, two, "")
        while self._twins:
            twins, self._twins = self._twins, []
            for name, entry in twins:
                added = self._write({os.fsencode(name): entry})
                for folder in (entry[1], TWINS_DIR):
                    added = self._write({os.fsencode(folder): (FOLDER, added)})
                tree = self._unite(tree, added, "")
        return tree

    def _unite(self, one: str, two: str, path: str) -> str:
        if one == two or not two:
            return one
        if not one:
            return two
        found = self._entries(one)
        for name, theirs in self._entries(two).items():
            ours = found.get(name)
            if ours is None:
                found[name] = theirs
            elif ours != theirs:
                found[name] = self._settle(path + os.fsdecode(name), ours, theirs)
        return self._write(found)

    def _settle(self, path: str, one: Entry, two: Entry) -> Entry:
        """Decide what stands at a path that both sides use differently."""
        if one[0] == two[0] == FOLDER:
            return FOLDER, self._unite(one[1], two[1], path + "/")
        first, second = sorted((one, two), key=lambda entry: self._rank(path, entry))
        if first[1] == second[1]:  # the same bytes with another mode
            return first
        name = path[path.rfind("/") + 1 :]
        twin = ""
        if not self._is_wrong(path, second):
            self._twins.append((name, second))
            twin = f"{SESSIONS_DIR}/{TWINS_DIR}/{second[1]}/{name}"
        self.doubles.add(Double(f"{SESSIONS_DIR}/{path}", first[1], second[1], twin))
        return first

    def _rank(self, path: str, entry: Entry) -> tuple[bool, bool, bool, bool, str, str]:
        mode, oid = entry
        elsewhere = path.startswith(TWINS_DIR + "/") and path.split("/")[1] != oid
        return mode != FOLDER, elsewhere, self._is_wrong(path, entry), mode != FILE, oid, mode

    def _is_wrong(self, path: str, entry: Entry) -> bool:
        """Tell whether a sealed log's name proves that its bytes are not the ones it had."""
        stem = stem_of(path)
        if entry[0] == FOLDER or not is_sealed(stem):
            return False
        return entry[0] != FILE or breaks_seal(stem, self._read(entry[1]))

    # ---- everything else ------------------------------------------------------------------------

    def _merge(self, one: str, two: str, bases: tuple[str, ...], path: str) -> str:
        """Merge two folders three-way; below the home's `sessions/` there is no base."""
        if one == two:
            return one
        ours, theirs = self._entries(one), self._entries(two)
        before = [self._entries(base) for base in bases or ("",)]
        found: dict[bytes, Entry] = {}
        for name in ours.keys() | theirs.keys():
            here = path + os.fsdecode(name)
            entry = self._choose(
                here, ours.get(name), theirs.get(name), tuple(base.get(name) for base in before)
            )
            if entry is not None:
                found[name] = entry
        return self._write(found) if found else ""

    def _choose(
        self, path: str, one: Entry | None, two: Entry | None, bases: tuple[Entry | None, ...]
    ) -> Entry | None:
        if one == two:
            return one
        inside = path.removeprefix(self._prefix) if path.startswith(self._prefix) else ""
        folders = _is_folder(one) and _is_folder(two)
        if inside == SESSIONS_DIR and folders:
            return _folder(self._unite_all(_tree(one), _tree(two)))
        # of these folders, what is in them is decided for each by itself
        holds_ours = inside == ARCHIVE_DIR or self._prefix.startswith(path + "/")
        if not (holds_ours and folders) and (one in bases) != (two in bases):
            return two if one in bases else one
        if inside and self._derived(inside):
            return two if self._second else one
        blended = self._blend_lines(one, two, bases) if inside == POLICY_FILE else None
        if blended is not None:
            return blended
        if folders and all(_is_folder(base) for base in bases):
            below = tuple(_tree(base) for base in bases)
            return _folder(self._merge(_tree(one), _tree(two), below, path + "/"))
        self.clashes.append(path)
        return one

    def _blend_lines(
        self, one: Entry | None, two: Entry | None, bases: tuple[Entry | None, ...]
    ) -> Entry | None:
        """Merge the lines of a file that both sides changed; None for a person to do it.

        Only from one base: what several have in common would be a guess.
        """
        if self._blend is None or one is None or two is None or len(set(bases)) != 1:
            return None
        base = bases[0]
        if not one[0] == two[0] == (base or one)[0] == FILE:
            return None
        before = self._read(base[1]) if base else None
        made = self._blend(self._read(one[1]), before, self._read(two[1]))
        if made is None:
            return None
        oid = blob_id(made)
        self.blended[oid] = made
        return FILE, oid

    # ---- trees ----------------------------------------------------------------------------------

    def _entries(self, tree: str) -> dict[bytes, Entry]:
        known = self.written.get(tree)
        self._there.update([tree] if known is None else ())
        return dict(entries(self._read(tree) if known is None else known) if tree else ())

    def _write(self, found: Mapping[bytes, Entry]) -> str:
        """Remember a tree made of entries; return its id."""
        raw = written(found)
        made = object_id(TREE, raw)
        if made not in self._there:
            self.written[made] = raw
        return made


def _is_folder(entry: Entry | None) -> bool:
    """Tell whether an entry is a folder, or nothing, which is an empty one."""
    return entry is None or entry[0] == FOLDER


def _tree(entry: Entry | None) -> str:
    return entry[1] if entry is not None and entry[0] == FOLDER else ""


def _folder(tree: str) -> Entry | None:
    return (FOLDER, tree) if tree else None


def merge_lines(git: Git, one: bytes, base: bytes, two: bytes) -> bytes | None:
    """Merge two versions of a text that come from one base, line by line as git does; None: a conflict.

    Raises:
        GitFailed: git could not.
    """
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("one", "base", "two")]
        for path, data in zip(paths, (one, base, two), strict=True):
            with open(path, "wb") as file:
                file.write(data)
        status, merged, err = git.call("merge-file", "-p", "--", *paths)
    if status and (not merged or status > 127):  # otherwise the number of conflicts
        raise git.failure("merge-file", status, err)
    return None if status else merged


def write_joined(where: Repository, joined: Joined) -> str:
    """Store what was joined, for git to list; return the tree."""
    texts = [(BLOB, data) for data in joined.blended.values()]
    write_objects(where, [*texts, *((TREE, raw) for raw in joined.written.values())])
    return joined.tree
