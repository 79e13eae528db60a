"""The machine (`tests/machine.py`) over each kind of home, with one clone and with several."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.conftest import examples
from tests.machine import KINDS, lay, machine_of
from tests.world import World


@pytest.fixture(scope="module")
def kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A kind of home that is laid, for one clone and for two."""
    for clones in (1, 2):
        with World(Path(tmp_path_factory.mktemp("laid"))) as world:
            lay(world, request.param, clones)
    return str(request.param)


def play(kind: str, clones: int, number: int, most: int, steps: int) -> None:
    """Play examples of a machine; the first that Hypothesis makes is the simplest."""
    run_state_machine_as_test(
        seed(number)(machine_of(kind, clones)),
        settings=settings(
            max_examples=examples(most), stateful_step_count=steps, phases=[Phase.generate], database=None, deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("kind", KINDS, indirect=True)
def test_whatever_is_done_in_one_clone(kind: str, number: int) -> None:
    """No log is lost, no answer differs from the second fold's, nothing of a person's changes."""
    play(kind, 1, number, 2, 4)


@pytest.mark.deep(only="folder")
@pytest.mark.parametrize("number", range(1))
@pytest.mark.parametrize("kind", KINDS, indirect=True)
def test_whatever_is_done_in_two_clones(kind: str, number: int) -> None:
    """And behind a few syncs they hold the same (fault:H5, fault:H15: whatever either side says of a fact)."""
    play(kind, 2, number, 2, 2)


@pytest.mark.deep(reason="whatever_is_done_in_one_clone and in_two_clones are the small ones")
@pytest.mark.parametrize("clones", (1, 2, 3))
@pytest.mark.parametrize("kind", KINDS, indirect=True)
def test_whatever_is_done_for_long(kind: str, clones: int) -> None:
    """The same by more steps."""
    play(kind, clones, 0, 4, 12)
