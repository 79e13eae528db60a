"""Convergence in small: what `tests/campaigns/convergence.py` does with 50 seeds, 5 clones and 100 acts each."""

from __future__ import annotations

from pathlib import Path

import pytest

from rituals.sync.sync import sync
from tests.campaigns.convergence import converge
from tests.campaigns.homes import OWN_BRANCH, draft, git, hermetic, open_memory
from tests.campaigns.kills import make_pair

__all__ = ["hermetic"]


@pytest.mark.parametrize("seed", [1, 3, 6])
def test_h9_clones_that_gossip_at_random_hold_the_same_bytes(tmp_path: Path, seed: int) -> None:
    """Three clones, twelve acts each, then syncs until quiet: nothing differs and nothing is gone."""
    found = converge(tmp_path / "team", seed, 3, 12)
    assert found.faults == ()
    assert found.acknowledged == 36
    assert sum(count for name, count in found.acts if name in ("sync", "pull", "rebase")) > 0


def test_a_seed_decides_everything(tmp_path: Path) -> None:
    """The same seed comes to the same commit, byte for byte."""
    digests = {converge(tmp_path / name, 2, 2, 6).digest for name in ("once", "again")}
    assert len(digests) == 1


def test_the_mirror_follows_what_plain_git_fetched(tmp_path: Path) -> None:
    """The branch moved without Diurna, and nothing is left to join: the next sync mirrors it all the same."""
    _, (one, two) = make_pair(tmp_path, OWN_BRANCH)
    there = open_memory(two, "fast-import")
    there.append(draft("there"))
    sync(there)
    sync(open_memory(one, "fast-import"))
    there.append(draft("later"))
    sync(there)
    git(one, "fetch", "-q", "origin", "memory:memory")
    here = open_memory(one, "fast-import")
    assert sync(here).relation == "same"
    assert (one / ".memory" / "continuity.md").read_text() == here.continuity()
    assert "later" in here.continuity()
