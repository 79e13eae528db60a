"""The machine (`tests/machine.py`) over each kind of home, with one clone and with several."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.conftest import examples
from tests.machine import KINDS, machine_of


def play(kind: str, clones: int, number: int, most: int, steps: int) -> None:
    """Play examples of a machine; the first that Hypothesis makes is the simplest."""
    run_state_machine_as_test(
        seed(number)(machine_of(kind, clones)),
        settings=settings(
            max_examples=examples(most), stateful_step_count=steps, phases=[Phase.generate], database=None, deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_done_in_one_clone(kind: str, number: int) -> None:
    """No log is lost, no answer differs from the second fold's, nothing of a person's changes."""
    play(kind, 1, number, 2, 6)


@pytest.mark.deep(but=tuple(f"{kind}-1" for kind in KINDS), reason="the first is the small one")
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_done_in_two_clones(kind: str, number: int) -> None:
    """And behind a few syncs they hold the same (fault:H5, fault:H15: whatever either side says of a fact)."""
    play(kind, 2, number, 2, 3)
