"""Homes of others: fetched by sync, read beside one's own, never written, and hostile at times."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.home import IN_TREE, OWN_REPOSITORY, discover
from ledger.model.layout import FETCHED_FILE
from memory.replay.upstreams import note_of, upstream_folder, upstream_homes, upstreams
from projection.policy.model import Policy, Upstream
from tests.conftest import Repo

URL = "https://git.example.org/team/memory.git#main"


@pytest.mark.parametrize("prefix", ("", "memory/"))
def test_what_was_fetched_is_told_by_one_note(repo: Repo, prefix: str) -> None:
    """With its name, where in it the home is, and when; nothing of one that the policy names no more."""
    home = discover(str(repo.path))
    policy = Policy(upstream=(Upstream("org", URL), Upstream("other", URL)))
    assert upstream_homes(home, Policy()) == () == upstream_homes(home, policy)
    note = Path(upstream_folder(home, "org")) / FETCHED_FILE
    note.parent.mkdir(parents=True)
    note.write_bytes(note_of(URL, prefix, 1_790_000_000.4))
    ((name, there, fetched_at),) = upstream_homes(home, policy)
    assert (name, there.prefix, fetched_at) == ("org", prefix, 1_790_000_000.0)
    assert there.kind == (IN_TREE if prefix else OWN_REPOSITORY) and not there.checked_out
    assert [one.fetched_at for one in upstreams(home, policy)] == [fetched_at, 0.0]
    elsewhere = Policy(upstream=(Upstream("org", URL + "2"),))
    assert upstream_homes(home, elsewhere) == ()


@pytest.mark.parametrize("note", (b"", b"\n", b"x .\n", b"1 ../x\n", b"1 .", b"\xff" * 9000))
def test_a_note_that_says_nothing_is_none(repo: Repo, note: bytes) -> None:
    """Whatever stands in it."""
    home = discover(str(repo.path))
    path = Path(upstream_folder(home, "org")) / FETCHED_FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(note if note.endswith(b".") is False else note + b"\nelsewhere\n")
    assert upstream_homes(home, Policy(upstream=(Upstream("org", URL),))) == ()
