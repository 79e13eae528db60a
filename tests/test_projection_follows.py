"""What an append commits beside its log is the projection of the whole ledger, byte for byte."""

from __future__ import annotations

import random

import pytest

from tests.campaigns.second_fold import made_up
from tests.conftest import examples
from tests.world import OWN_REPOSITORY, World


@pytest.mark.parametrize("seed", range(examples(6, 60)))
def test_a_page_that_is_brought_forward_is_the_whole_rendering(seed: int, world: World) -> None:
    """Log by log, whatever was rendered before: facts that fade, come back, are closed or false, and the archive."""
    rng = random.Random(f"forecast {seed}")
    files = made_up(rng, 12, theme=rng.choice(("anything", "age", "threads", "truth")))
    policy = files["diurna.toml"] + b'[views]\npublish = ["state", "progress", "decisions"]\n'
    home = world.home(OWN_REPOSITORY)
    home.plant({**files, "diurna.toml": policy})
    home.run("check", "--publish")
    facts = list(home.show())
    for number in range(4):
        id = rng.choice(facts) if facts else ""
        said = [
            ("--ref", id),
            ("--invalidate", id),
            ("--update", id, f"Reworded {number}."),
            ("--close", id),
        ]
        asked = rng.choice(said) if id else ()
        new = f"{rng.choice(('decision', 'thread', 'invariant'))}: id=new-{number} Text {number}."
        home.run(
            "append",
            "--again",
            "--anyway",
            "--title",
            f"Log {number}",
            "--new",
            new,
            *asked,
            code=None,
        )
        home.clock.go(days=rng.choice((0, 1, 40)))
        told = home.run("check", "--replay", code=None).json
        assert (told["drift"], told["cache_differs"]) == ([], []), asked
    assert home.git("status", "--porcelain") == ""
