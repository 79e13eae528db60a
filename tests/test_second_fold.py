"""What the product says of a ledger is what a second reader says that was written from FORMAT.md alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.campaigns.second_fold import differences, made_up
from tests.conftest import examples


@pytest.mark.parametrize("seed", range(examples(24, 400)))
def test_two_readers_say_the_same(seed: int, tmp_path: Path) -> None:
    """Texts, use, birth, truth, tiers, pages, who said it: cold, warm after late logs, and as of a log."""
    rng = random.Random(seed)
    assert differences(made_up(rng), rng, tmp_path / "home") == []
