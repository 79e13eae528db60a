"""A pytest plugin: which test reaches which function, and its processor time.

With `-p tests.campaigns.reached` and the environment variable `REACHED` naming a file, a run of the tests writes there one JSON
object: `seconds` by test and parameters, and `functions`, by path and dotted name the tests that run a line of it. Fixtures count as
part of the test that asks for them. It needs `coverage`.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import coverage
import pytest

from tests.campaigns.mutations import functions

PACKAGES = ("ledger", "projection", "memory", "rituals")
_top = Path(__file__).resolve().parents[2]
_seconds: dict[str, float] = defaultdict(float)
_failed: set[str] = set()
_last = [0.0]  # when the phase of a test began
_coverage = coverage.Coverage(
    data_file=None, config_file=False, source=[str(_top / name) for name in PACKAGES]
)


def _used() -> float:
    """Return the processor time of this process and of those that it waited for, in seconds."""
    return sum(os.times()[:4])


def pytest_sessionstart() -> None:
    """Begin to count."""
    _coverage.start()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Count for this test from here."""
    _coverage.switch_context(item.nodeid)
    _last[0] = _used()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the time of a test; one that fails or is skipped says nothing of a mutant."""
    now = _used()  # a busy machine makes no test longer
    _seconds[report.nodeid] += now - _last[0]
    _last[0] = now
    if not report.passed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write what was reached."""
    _coverage.stop()
    data = _coverage.get_data()
    reached: dict[str, dict[str, list[str]]] = {}
    for name in data.measured_files():
        if not name.endswith(".py"):  # a template that was compiled
            continue
        path = Path(name).relative_to(_top)
        owner = functions(Path(name).read_bytes())
        tests: dict[str, set[str]] = defaultdict(set)
        for line, contexts in data.contexts_by_lineno(name).items():
            if line in owner:
                tests[owner[line]].update(contexts)
        reached[str(path)] = {
            function: sorted(found - _failed - {""}) for function, found in sorted(tests.items())
        }
    Path(os.environ["REACHED"]).write_text(
        json.dumps({"seconds": _seconds, "functions": reached}), encoding="utf-8"
    )
