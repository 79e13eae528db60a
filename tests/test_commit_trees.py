"""A commit touches memory's own paths alone (fault:D4), and the branch moves only from where it stood."""

from __future__ import annotations

import random

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
from ledger.git.git_objects import Objects
from ledger.git.pygit2_store import read_blobs
from ledger.git.repository import Repository
from ledger.model.ids import blob_id
from tests.world import World


def test_what_is_in_the_way_of_a_branch_is_named(world: World) -> None:
    """A lock of it, by its path; a branch that moved, and a person's file, are other matters. What is damaged reads as gone."""
    home = world.home()
    tip, at = home.git("rev-parse", "main"), str(home.common)
    repository = Repository("", at, at)
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


def test_packs_are_read_without_git(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole, or as what differs from another object, which is named by its place or by its id."""
    home, whole = world.home(), random.Random(0).randbytes(90_000)
    store = f"{home.common}/objects"
    texts = [whole[:at] + whole[: at // 3] + whole[at + 9 :] for at in (0, 1, 255, 256, 70_000)]
    made = {blob_id(text): text for text in (b"", whole, *texts)}
    for text in made.values():
        home.git_bytes("hash-object", "-w", "--stdin", data=text)
    for how, some in (("--delta-base-offset", [*made][:4]), ("--no-reuse-delta", [*made][4:])):
        home.git_bytes("pack-objects", "-q", how, f"{store}/pack/p", data="\n".join(some).encode())
    home.git("prune-packed")
    monkeypatch.setenv("PATH", "")
    objects = Objects(Repository("", store[:-8], store[:-8]))
    assert {oid: objects.read(oid) for oid in made} == made
