"""A commit that would touch anything but memory's own paths is not made, whatever its tree was built by (fault:D4)."""

from __future__ import annotations

import pygit2
import pytest

from ledger.errors import WaitsInSpool
from ledger.git.pygit2_store import Store
from memory import Memory, SessionDraft
from tests.world import World


def test_d4_a_commit_that_drops_a_users_file_is_refused_before_the_ref_moves(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log waits, and is committed later with all of the user's files."""
    home = world.home()
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
