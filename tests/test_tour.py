"""The tour tells the truth: it runs what it prints, needs nothing, leaves nothing, and fails loudly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import memory
from tests.campaigns import forks
from tests.world import World

#: Where the packages are: the checkout, or `site-packages` when a wheel is tested.
HERE = Path(memory.__file__).parent.parent


def bare_environment(home: Path) -> dict[str, str]:
    """Return an environment in which git has no configuration and nobody has a name."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "PYTHONPATH": str(HERE),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def take(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run `diurna init --tour` with an empty home directory."""
    (home / "tmp").mkdir(parents=True)
    return subprocess.run(
        [sys.executable, "-P", "-m", "rituals", "init", "--tour", *options],
        cwd=home, env=bare_environment(home), capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip


#: The gate gives the whole tour once, of the wheel (`.ci/run`), and looks that nothing is left of it.
whole = pytest.mark.deep(reason="the gate's wheel is given it")
Taken = tuple[Path, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Taken:
    """Take the tour once for all who look at it, and keep its folder."""
    home = tmp_path_factory.mktemp("home")
    return home, take(home, "--keep")


@whole
def test_tour_needs_no_configuration(taken: Taken) -> None:
    """It ends with 0 for a user whose git has no name; `--keep` leaves both clones and says where they are."""
    home, done = taken
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    kept = Path(done.stderr.rsplit("kept in ", 1)[1].strip())
    assert kept.is_relative_to(home / "tmp")
    ada, bo = kept / "ada" / "continuity.md", kept / "bo" / "continuity.md"
    assert ada.read_bytes() == bo.read_bytes()


@whole
@pytest.mark.parametrize(
    "said",
    (
        "diurna append --agent claude-code",
        "diurna append --agent codex",
        "--supersede webhook-once=webhook-retries",
        "diurna why webhook-once",
        "git pull --no-rebase",
        "diurna check --publish",
        "- staging-port — Staging listens on port 8081. — faded — ",
        "cmp ada/continuity.md bo/continuity.md && echo same\nsame\n",
    ),
)
def test_tour_tells_the_whole_story(taken: Taken, said: str) -> None:
    """Two agents, a supersession with its reasons, decay, two clones and one result."""
    assert said in taken[1].stdout


@whole
def test_tour_ends_with_what_to_do_next(taken: Taken) -> None:
    """The last two lines are commands for the reader's own repository."""
    first, second = taken[1].stdout.rstrip("\n").split("\n")[-2:]
    assert first.startswith("  diurna init")
    assert second.startswith("  diurna note")


def test_the_tour_fails_loudly_when_a_command_does(world: World) -> None:
    """A command that ends with an error ends the tour, with what it said and a hint, and nothing is left."""
    (world.user / "tmp").mkdir()
    place = world.place("user")
    with world.git_does("echo no luck >&2; exit 3", only="update-ref"):
        told = place.process(
            "init", "--tour", code=1, json=False, env={"TMPDIR": str(world.user / "tmp")}
        )
    assert "no luck" in told.out + told.err and "\nhint: " in told.err
    assert list((world.user / "tmp").iterdir()) == []


def test_the_tour_says_what_it_lacks(tmp_path: Path) -> None:
    """Without git, or without a shell, it fails with a hint and leaves nothing."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tmp_path / "tmp").mkdir()
    for missing in ("sh", "git"):
        without = {**bare_environment(tmp_path), "PATH": str(tools)}
        done = forks.run(["-m", "rituals", "init", "--tour"], tmp_path, without)
        assert done.returncode == 1
        assert done.stderr.startswith("diurna: init: ")
        assert "\nhint: " in done.stderr
        assert missing in done.stdout + done.stderr
        assert list((tmp_path / "tmp").iterdir()) == []
        if missing == "sh":
            (tools / "sh").symlink_to("/bin/sh")
