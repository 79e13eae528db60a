"""A few acts of the campaign on references (`tests/campaigns/references.py`), in each kind of home."""

from __future__ import annotations

import random

import pytest

from tests.campaigns.references import ACTS, Clone
from tests.world import World


@pytest.mark.parametrize("kind", ACTS)
def test_what_is_lost_is_found_or_named(world: World, kind: str) -> None:
    """Each acknowledged log; and what somebody took out on purpose has not come back (L6)."""
    rng, clone = random.Random(1), Clone(world, kind)
    for name in ("note", rng.choice(ACTS[kind][1:])):
        clone.act(rng, name)
