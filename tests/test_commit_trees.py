<<<<<<< HEAD
"""A commit touches memory's own paths alone (fault:D4), and the branch moves only from where it stood."""

from __future__ import annotations

import pytest

from ledger.errors import ReferenceLocked, StorageFailed, TipMoved
from ledger.git.commit_maker import write_commit
=======
"""A commit holds what was there and our files, or is not made and names what is in its way (fault:D4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledger.errors import ReferenceLocked, StorageFailed, TipMoved
>>>>>>> ac9a25bf (git: one writer of commits; trees are edited as bytes, objects written as files of their own, and git moves the branch)
from ledger.git.commit_record import Commit, Identity
from ledger.git.commit_writer import store_loose, write_commit
from ledger.git.pygit2_store import read_blobs
from ledger.git.repository import find_repository
<<<<<<< HEAD
from tests.world import World
=======
from tests.world import Place, World

if TYPE_CHECKING:
    from ledger.git.commit_record import Move


def written(home: Place, tip: str, *files: tuple[str, bytes | None]) -> str:
    repository = find_repository(str(home.folder))
    assert repository is not None
    who = Identity("Ada", "ada@a.test")
    wanted = Commit("refs/heads/main", tip, tip, files, "T", who, 1_800_000_000)

    def at_once(move: Move) -> None:
        move(lambda: True)

    return write_commit(repository, wanted, at_once, lambda made: made)
>>>>>>> ac9a25bf (git: one writer of commits; trees are edited as bytes, objects written as files of their own, and git moves the branch)


def test_what_is_in_the_way_of_a_branch_is_named(world: World) -> None:
    """A lock of it, by its path; a branch that moved, and a person's file, are other matters. What is damaged reads as gone."""
    home = world.home()
    repository, tip = find_repository(str(home.folder)), home.git("rev-parse", "main")
    assert repository is not None
    lock, file = home.common / "refs/heads/main.lock", ("memory/x.md", b"x")
    lock.touch()
    with pytest.raises(ReferenceLocked, match=r"refs/heads/main\.lock"):
<<<<<<< HEAD
        write_commit(repository, wanted)
    lock.unlink()
    with pytest.raises(StorageFailed, match=r"code\.py"):
        write_commit(repository, wanted._replace(files=(("code.py/x.md", b"x"),)))
    assert write_commit(repository, wanted) == home.git("rev-parse", "main") != tip
    assert home.git("diff", "--name-only", tip, "main") == "memory/x.md"
    with pytest.raises(TipMoved):
        write_commit(repository, wanted)
=======
        written(home, tip, file)
    lock.unlink()
    assert written(home, tip, file) == home.git("rev-parse", "main") != tip
    with pytest.raises(TipMoved):
        written(home, tip, file)
>>>>>>> ac9a25bf (git: one writer of commits; trees are edited as bytes, objects written as files of their own, and git moves the branch)
    ids = [
        home.git("rev-parse", "main:memory/x.md"),
        "1" * 40,
        home.git("rev-parse", "main:code.py"),
    ]
    held = home.git("show", "main:code.py").encode() + b"\n"
    assert list(read_blobs(repository, ids)) == [b"x", None, held]
    home.git("repack", "-adq")
    assert list(read_blobs(repository, ids)) == [b"x", None, held]
    (home.common / "objects" / ids[1][:2]).mkdir()
    (home.common / "objects" / ids[1][:2] / ids[1][2:]).write_bytes(b"x\x9c")
    assert list(read_blobs(repository, ids)) == [b"x", None, held]


@pytest.mark.parametrize("packed", [False, True])
def test_d4_all_else_stays_as_it_is(world: World, packed: bool) -> None:
    """Modes, links and names that no text has; a folder that gets empty goes; what is no folder is in the way."""
    home = world.home()
    home.write("bin/run", "#!/bin/sh\n").chmod(0o755)
    (home.folder / "bin/lin\udcffk").symlink_to("run")
    home.commit_all()
    if packed:
        home.git("gc", "-q", "--prune=now")
    before, tip = home.git("ls-tree", "-r", "main").split("\n"), home.git("rev-parse", "main")
    one = written(home, tip, ("bin/a/b.md", b"b"), ("new/c.md", b"c"))
    (*rows,) = (row for row in home.git("ls-tree", "-r", "main").split("\n") if row not in before)
    assert [row.split("\t")[1] for row in rows] == ["bin/a/b.md", "new/c.md"]
    assert home.git("fsck", "--strict", "--no-dangling") == ""
    written(home, one, ("bin/a/b.md", None), ("new/c.md", None))
    assert home.git("ls-tree", "-r", "main").split("\n") == before
    with pytest.raises(StorageFailed, match="bin/run is no folder"):
        written(home, home.git("rev-parse", "main"), ("bin/run/x.md", b"x"))


def test_objects_are_files_as_git_leaves_them(world: World) -> None:
    """For whom the folder of objects is; what is there and damaged is not taken for stored."""
    home = world.home()
    folder = home.common / "objects"
    for mode in (0o755, 0o2770):
        folder.chmod(mode)
        data = b"of %o" % mode
        oid = store_loose(str(folder), "blob", data)
        assert home.git("cat-file", "blob", oid).encode() == data
        file = folder / oid[:2] / oid[2:]
        assert file.stat().st_mode & 0o777 == mode & 0o444
        assert [one.name for one in file.parent.iterdir() if "tmp" in one.name] == []
    file.chmod(0o600)
    file.write_bytes(b"x")
    with pytest.raises(StorageFailed):
        store_loose(str(folder), "blob", data)
