"""A commit that would touch anything but memory's own paths is not made, whatever its tree was built by (fault:D4)."""

from __future__ import annotations

import pygit2
import pytest

from ledger.errors import ReferenceLocked, TipMoved, WaitsInSpool
from ledger.git.commit_record import Commit, Identity
from ledger.git.pygit2_store import Store
from ledger.git.repository import find_repository
from memory import Memory, SessionDraft
from tests.world import OWN_REPOSITORY, World


def test_d4_a_commit_that_drops_a_users_file_is_refused_before_the_ref_moves(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log waits, and is committed later with all of the user's files."""
    home = world.home(OWN_REPOSITORY)
    home.write("code.py", "theirs\n")
    home.commit_all()
    right, before = Store._tree, home.shape()

    def dropping(store: Store, wanted: object) -> str | None:
        tree = store._git[right(store, wanted) or ""]  # type: ignore[arg-type]
        builder = store._git.TreeBuilder(tree.peel(pygit2.Tree))
        builder.remove("code.py")
        return str(builder.write())

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_tree", dropping)
        with pytest.raises(WaitsInSpool, match=r"code\.py") as refused:
            Memory.open(str(home.folder)).append(SessionDraft("a"))
    assert home.shape() == before and home.waiting() == [refused.value.stem]
    home.run("check", "--publish")
    home.holds([refused.value.stem])
    assert home.git("cat-file", "-t", "main:code.py") == "blob"


def test_what_is_in_the_way_of_a_branch_is_named(world: World) -> None:
    """A lock of it, by its path; a branch that moved is another matter. What is damaged reads as gone."""
    home = world.home()
    repository, tip = find_repository(str(home.folder)), home.git("rev-parse", "main")
    assert repository is not None
    store, who = Store(repository), Identity("Ada", "ada@a.test")
    wanted = Commit("refs/heads/main", tip, tip, (("memory/x.md", b"x"),), "T", who, 1_800_000_000)
    lock = home.common / "refs/heads/main.lock"
    lock.touch()
    with pytest.raises(ReferenceLocked, match=r"refs/heads/main\.lock"):
        store.commit(wanted)
    lock.unlink()
    assert store.commit(wanted) == home.git("rev-parse", "main") != tip
    with pytest.raises(TipMoved):
        store.commit(wanted)
    ids = [
        home.git("rev-parse", "main:memory/x.md"),
        "1" * 40,
        home.git("rev-parse", "main:code.py"),
    ]
    held = store.blob(ids[2])
    assert held and list(store.blobs(ids)) == [b"x", None, held]
    home.git("repack", "-adq")
    assert list(store.blobs(ids)) == [b"x", None, held] == [store.blob(one) for one in ids]
    (home.common / "objects" / ids[1][:2]).mkdir()
    (home.common / "objects" / ids[1][:2] / ids[1][2:]).write_bytes(b"x\x9c")
    assert list(store.blobs(ids)) == [b"x", None, held]
