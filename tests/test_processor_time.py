"""What is too dear for the gate fails there, and what is deep is left to `python -m tests.deep`."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import processor_time
from tests.pages import ROOT
from tests.processor_time import leave_out, steps

_ITEMS = r"""
import os, subprocess, sys, time
import pytest
from hypothesis import given, strategies as st
from tests.campaigns import forks

def burn(seconds=0.25):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

BURN = "import time\nend = time.process_time() + 0.25\nwhile time.process_time() < end: pass"
begun = []

def test_itself(): burn()
def test_a_child(): subprocess.run([sys.executable, "-S", "-c", BURN])
def test_a_fork(): forks.run(["-c", BURN], "/", os.environ)
def test_a_first_time(): begun or burn(); begun.append(1)
def test_that_fails(): burn(); assert not begun
def test_that_waits(): time.sleep(0.4)

@pytest.fixture(scope="module")
def shared():
    yield burn()
    burn()

def test_with_what_is_shared(shared): pass

@pytest.mark.deep
def test_deep(): burn()

@pytest.mark.deep(but="small")
@pytest.mark.parametrize("size", ["small", "large"])
def test_all_but_one(size): size == "small" or burn()

@pytest.mark.deep(only=("large",))
@pytest.mark.parametrize("size", ["small", "large"])
def test_one(size): size == "small" or burn()

@given(st.booleans())
def test_law(it): pass
"""
_PLUGIN = """
from tests.processor_time import *
from tests import processor_time
processor_time.LIMIT = 0.2

def pytest_collection_modifyitems(config, items):
    processor_time.leave_out(config, items)
"""


def ran(folder: Path, *arguments: str) -> dict[str, str]:
    """Run items of every sort with another limit; return what became of each that ran."""
    (folder / "test_items.py").write_text(_ITEMS)
    (folder / "conftest.py").write_text(_PLUGIN)
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("DIURNA_", "PYTEST_"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", folder, "-W", "ignore",
         "-c", os.devnull, *arguments, "test_items.py"],
        cwd=folder, env=environment | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("test_items.py::")]
    assert lines, done.stdout + done.stderr
    words = [line.partition("::test_")[2].split() for line in lines]
    return {name: "".join(word[:1]) for name, *word in words}


@pytest.mark.deep
def test_the_gate_refuses_what_is_dear(tmp_path: Path) -> None:
    """Itself, its children and forks count, what waits, is shared, or is dear once does not; a failure is told as it is."""
    found = ran(tmp_path, "-v")
    refused = {name for name, word in found.items() if word == "FAILED"}
    assert refused == {"itself", "a_child", "a_fork", "that_fails"}
    passed = {
        "a_first_time",
        "that_waits",
        "with_what_is_shared",
        "all_but_one[small]",
        "one[small]",
        "law",
    }
    assert found.keys() - refused == passed


@pytest.mark.deep(reason="too_many_deep_items_are_refused is the small one")
def test_what_is_deep_is_chosen(tmp_path: Path) -> None:
    """By `tests.deep`, which takes the laws too."""
    deep = {"deep", "all_but_one[large]", "one[large]", "law"}
    assert ran(tmp_path, "--co", "-qm", "deep or law").keys() == deep


def test_steps_are_counted() -> None:
    """The same each time, and more for more."""

    def look(count: int) -> list[str]:
        return [hex(number) for number in range(count)]

    assert steps(partial(look, 100)) - steps(partial(look, 10)) == 90


def test_too_many_deep_items_are_refused(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all that are collected; one that is named is left in whatever its mark."""
    monkeypatch.setattr(processor_time, "IN_CAMPAIGN", False)
    monkeypatch.setattr(pytestconfig.option, "markexpr", "")
    monkeypatch.setattr(pytestconfig, "args", ["tests"])
    monkeypatch.setattr(pytestconfig.hook, "pytest_deselected", lambda items: None, raising=False)

    class Item:
        def __init__(self, *marks: str) -> None:
            self.own_markers = [getattr(pytest.mark, mark).mark for mark in marks]

        def get_closest_marker(self, name: str) -> object:
            return next((mark for mark in self.own_markers if mark.name == name), None)

    items: list[Any] = [*[Item("deep") for _ in range(600)], *[Item() for _ in range(3400)]]
    leave_out(pytestconfig, items)
    assert len(items) == 3400
    items = [*[Item("deep") for _ in range(601)], *[Item() for _ in range(3399)]]
    with pytest.raises(pytest.UsageError, match="601 of 4000 items are deep"):
        leave_out(pytestconfig, items)
