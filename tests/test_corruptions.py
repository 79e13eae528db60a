"""Damage to the cache, a small part of the campaign: no answer changes, and no command fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns.corruptions import COMMANDS, DAMAGES, corrupt
from tests.campaigns.homes import START_MS, hermetic
from tests.conftest import sampled

__all__ = ["hermetic"]


@pytest.mark.deep(reason="test_cache_damage is the small one")
@pytest.mark.parametrize("seed", sampled([11, 12], 2))
def test_damage_changes_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Every kind of damage at least once, each before some of nine commands, beginning with another one."""
    monkeypatch.setenv("DIURNA_NOW", str(START_MS + 90_000_000))
    found = corrupt(tmp_path, len(DAMAGES), seed, asked=len(sampled(range(len(COMMANDS)), 3)))
    assert {one.kind for one in found} == set(DAMAGES)
    assert [one for one in found if one.faults] == []
    assert sum(one.told for one in found) >= 5, "damage is noted in the journal"
