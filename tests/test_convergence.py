"""Convergence in small: what `tests/campaigns/convergence.py` does with 50 seeds, 5 clones and 100 acts each."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.model.event import FactCreated, FactMoved
from memory.write.draft import SessionDraft
from rituals.decide.decision import Author, record
from rituals.decide.open_contradictions import disputes
from rituals.decide.resolution import Verdict, resolution
from rituals.sync.sync_rounds import sync
from tests.campaigns.convergence import converge
from tests.campaigns.homes import KINDS, OWN_BRANCH, draft, git, hermetic, open_memory
from tests.campaigns.kills import make_pair

__all__ = ["hermetic"]


@pytest.mark.deep(reason="test_sync::h9_both_peers_make_the_same_commit is the small one")
@pytest.mark.parametrize("seed", [1, 3, 6])
def test_h9_clones_that_gossip_at_random_hold_the_same_bytes(tmp_path: Path, seed: int) -> None:
    """Three clones, twelve acts each, then syncs until quiet: nothing differs and nothing is gone."""
    found = converge(tmp_path / "team", seed, 3, 12)
    assert found.faults == ()
    assert found.acknowledged == 36
    assert sum(count for name, count in found.acts if name in ("sync", "pull", "rebase")) > 0


@pytest.mark.deep(reason="of the campaign alone")
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


@pytest.mark.deep(only=("in-tree", "own-reposito"))
@pytest.mark.parametrize("kind", KINDS)
def test_two_clones_that_claim_one_task_at_once_contradict_each_other(
    tmp_path: Path, kind: str
) -> None:
    """Neither claim wins and neither is lost; both sides see the same, until somebody decides."""
    _, (one, two) = make_pair(tmp_path, kind)
    here, there = open_memory(one, "fast-import"), open_memory(two, "fast-import")
    task = FactCreated("wire", "Wire the queue.", " ", (("kind", "task"),))
    here.append(SessionDraft("Plan", "", (task,)))
    for memory in (here, there):
        sync(memory)
    claims = {
        memory.append(SessionDraft("Claim", "", (FactMoved("wire", "in-progress"),), agent)).stem
        for memory, agent in ((here, "ada"), (there, "bob"))
    }
    assert not here.standing("wire").fact.torn and not there.standing("wire").fact.torn
    for memory in (here, there, here):
        sync(memory)
    for memory in (here, there):
        fact = memory.standing("wire").fact
        assert fact.torn and {move.stem for move in fact.moves} == claims
        assert sorted(move.agent for move in fact.moves) == ["ada", "bob"]
        (dispute,) = disputes(memory)
        assert (dispute.kind, [choice.text for choice in dispute.choices]) == (
            "moved", ["in-progress", "in-progress"],
        )  # fmt: skip
    assert here.continuity() == there.continuity()
    assert "- `wire`: 2 moves stand, none wins;" in here.continuity()
    decision = resolution(there, "wire", Verdict(choose="1"))
    record(there, decision, Author("bob"))
    for memory in (there, here):
        sync(memory)
        fact = memory.standing("wire").fact
        assert (fact.state, fact.contradicted) == ("in-progress", False)
        assert dict(fact.meta)["owner"] == dispute.choices[0].agent
