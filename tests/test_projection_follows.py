"""What an append commits beside its log is the projection of the whole ledger, byte for byte."""

from __future__ import annotations

import random

import pytest

from tests.campaigns.second_fold import log_bytes, path_of
from tests.conftest import examples
from tests.world import OWN_REPOSITORY, World


def planted(rng: random.Random) -> dict[str, bytes]:
    """Make files of a ledger with short windows, in which a fact is born a log, over two quarters; threads are closed."""
    sizes = sorted(rng.choices(range(1, 7), k=3))
    days = sorted(rng.choices(range(3), k=3)) if rng.randrange(2) else [0, 0, 0]
    names = ("working", "active", "archive", "working_days", "active_days", "archive_days")
    windows = "".join(
        f"{name} = {size}\n" for name, size in zip(names, (*sizes, *days), strict=True)
    )
    views = '[views]\npublish = ["state", "progress", "decisions"]\n'
    files = {"diurna.toml": f'format = 1\nproject = "p"\n{views}[windows]\n{windows}'.encode()}
    for number in range(10):
        kind = rng.choice(("fact", "fact", "decision", "thread", "task"))
        facts = [
            (
                f"f-{number}",
                f"Text {number}.",
                rng.choice((" ", "x")) if kind in ("thread", "task") else "",
                f"kind: {kind}",
            )
        ]
        bullets = [f"Created: f-{number}"]
        if number and rng.randrange(3) == 0:
            bullets.append(
                f"{rng.choice(('Closed', 'Invalidated', 'Archived'))}: f-{rng.randrange(number)}"
            )
        stem = f"2026-{6 + number // 5:02d}-{number + 1:02d}-100000"
        files[path_of(stem)] = log_bytes({"agent": "ada"}, bullets, facts)
    return files


@pytest.mark.parametrize("seed", range(examples(3, 60)))
def test_a_page_that_is_brought_forward_is_the_whole_rendering(seed: int, world: World) -> None:
    """Log by log, whatever was rendered before: facts that fade, come back, are closed or false, and the archive."""
    rng = random.Random(f"forecast {seed}")
    home = world.home(OWN_REPOSITORY)
    home.plant(planted(rng))
    home.run("check", "--publish")
    for number in range(4):
        id = f"f-{rng.randrange(10)}"
        asked = rng.choice(
            (
                ("--ref", id),
                ("--ref", id),
                ("--invalidate", id),
                ("--close", id),
                ("--update", id, f"Reworded {number}."),
                (),
            )
        )
        home.run(
            "append",
            "--again",
            "--anyway",
            "--title",
            f"Log {number}",
            "--new",
            f"id=new-{number} Text {number} is new.",
            *asked,
            code=None,
        )
        home.clock.go(days=rng.choice((0, 1, 40)))
        told = home.run("check", "--replay", code=None).json
        assert (told["drift"], told["cache_differs"]) == ([], []), asked
    assert home.git("status", "--porcelain") == ""
