"""A commit touches memory's own paths alone (fault:D4), and the branch moves only from where it stood."""

from __future__ import annotations

import pytest

from ledger.errors import StorageFailed
from ledger.git.committer import (
    Commit,
    Identity,
    ReferenceLocked,
    TipMoved,
    move_references,
    store_commit,
)
from ledger.git.pygit2_store import read_blobs
from ledger.git.repository import find_repository
from tests.world import World


def test_what_is_in_the_way_of_a_branch_is_named(world: World) -> None:
    """A lock of it, by its path; a branch that moved, and a person's file, are other matters. What is damaged reads as gone."""
    home = world.home()
    repository, tip = find_repository(str(home.folder)), home.git("rev-parse", "main")
    assert repository is not None
    who = Identity("Ada", "ada@a.test")
    wanted = Commit("refs/heads/main", tip, tip, (("memory/x.md", b"x"),), "T", who, 1_800_000_000)
    lock = home.common / "refs/heads/main.lock"
    git, made = repository.git(), store_commit(repository, wanted)
    lock.touch()
    with pytest.raises(ReferenceLocked, match=r"refs/heads/main\.lock"):
        move_references(git, [("refs/heads/main", made, tip)], "T")
    lock.unlink()
    with pytest.raises(StorageFailed, match=r"code\.py"):
        store_commit(repository, wanted._replace(files=(("code.py/x.md", b"x"),)))
    assert move_references(git, [("refs/heads/main", made, tip)], "T") and made != tip
    assert home.git("diff", "--name-only", tip, "main") == "memory/x.md"
    with pytest.raises(TipMoved):
        move_references(git, [("refs/heads/main", made, tip)], "T")
    names = [home.git("rev-parse", f"main:{path}") for path in ("memory/x.md", "code.py")]
    ids = [names[0], "1" * 40, names[1]]
    held = home.git("show", "main:code.py").encode() + b"\n"
    assert list(read_blobs(repository, ids)) == [b"x", None, held]
    home.git("repack", "-adq")
    assert list(read_blobs(repository, ids)) == [b"x", None, held]
    cut = home.common / "objects" / ids[1][:2] / ids[1][2:]
    cut.parent.mkdir()
    cut.write_bytes(b"x\x9c")
    assert list(read_blobs(repository, ids)) == [b"x", None, held]
