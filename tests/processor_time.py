"""The gate runs what is cheap: an item that uses more than half a second of the processor is marked `deep`.

`pytest` leaves such items out, unless one is named by its id, and `python -m tests.deep` runs them, and each
law with more examples. An item without the mark that uses more than 0.8 s fails: this process, all that it
started and waited for, and those that were forked for it. What stands for a whole module or session is not
the item's. A first run may load what the others find loaded, and a busy machine counts more; so an item is
too dear by the median of three runs, and a slow machine has more seconds by as much as it takes longer for a
piece of work.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cache
from statistics import median
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import is_hypothesis_test

from tests.campaigns import forks
from tests.campaigns.matrices import WHOLE

#: Seconds of the processor that an item may use without the mark, on a machine that takes `PIECE` for
#: `_piece`.
LIMIT = 0.8
PIECE = 0.0025
#: How many of a hundred items may be deep.
SHARE = 15
#: In a campaign everything takes longer, and everything is wanted.
IN_CAMPAIGN = any(
    name in os.environ for name in (WHOLE, "DIURNA_LAW_EXAMPLES", "DIURNA_WRITE_TABLES")
)
_shared = [0.0]  # what fixtures took that are not made for one item


def used() -> float:
    """Return the seconds of the processor that this process and those that it waited for took so far."""
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    own = [resource.getrusage(kind) for kind in kinds]
    return sum(one.ru_utime + one.ru_stime for one in own) + forks.processor_time() - _shared[0]


def _piece() -> float:
    """Return the seconds of the processor that a piece of work takes, like that of a test: objects, texts, digests."""
    before = time.process_time()
    rows = [{"id": f"fact-{number}", "uses": number % 7} for number in range(1500)]
    text = json.dumps(sorted(rows, key=lambda row: (row["uses"], row["id"])))
    for _ in range(20):
        hashlib.sha256(text.encode()).hexdigest()
    assert json.loads(text)
    return time.process_time() - before


@cache
def limit() -> float:
    """Return `LIMIT` for this machine as it is now; never less than it."""
    return LIMIT * max(1.0, median(_piece() for _ in range(9)) / PIECE)


def steps(do: Callable[[], object]) -> int:
    """Count the calls that a function makes in this thread, of Python and of C: the same on every machine.

    What one call does inside of C counts once: a text that makes it slow is too dear for the gate (`LIMIT`).
    """
    count = 0

    def met(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(met)
    try:
        do()
    finally:
        sys.setprofile(None)
    return count


@contextmanager
def of_no_item() -> Iterator[None]:
    """Leave out what is taken meanwhile."""
    before = used()
    try:
        yield
    finally:
        _shared[0] += used() - before


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    """Leave out what a fixture takes that serves more than one item."""
    if fixturedef.scope == "function":
        return (yield)
    with of_no_item():
        return (yield)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run an item, and let it fail where it is too dear for the gate.

    Where Python keeps nothing that it compiled, each process of an item compiles anew: nothing is told of it there.
    """
    if IN_CAMPAIGN or sys.dont_write_bytecode or item.get_closest_marker("deep"):
        return None
    told = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**told)
    before = used()
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    took = used() - before
    if took > LIMIT and took > limit() and all(report.passed for report in reports):
        took = median([took, *_again(item, nextitem)])
        if took > limit():
            report = next(report for report in reports if report.when == "call")
            report.outcome, report.longrepr = (
                "failed",
                (
                    f"{took:.2f} s of the processor, over {limit():.2f}: make it cheaper, or mark it `deep` and "
                    "let the gate keep a small one of its kind"
                ),
            )
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(**told)
    return True


def _again(item: Any, nextitem: pytest.Item | None) -> list[float]:
    """Run an item twice more, whatever comes of it; return what each took."""
    found = []
    for _ in range(2):
        item._initrequest()
        before = used()
        runtestprotocol(item, log=False, nextitem=item)
        found.append(used() - before)
    item.session._setupstate.teardown_exact(nextitem)
    return found


def _keep_small(item: pytest.Item) -> None:
    """Take the mark off the cases of a test that stay in the gate: `deep(but="a-1")`, `deep(only=("a-2",))`.

    Cases are named by how their ids begin.
    """
    mark = item.get_closest_marker("deep")
    case = getattr(getattr(item, "callspec", None), "id", "")
    if mark is None or not {"but", "only"} & mark.kwargs.keys():
        return
    wanted = mark.kwargs.get("but") or mark.kwargs["only"]
    named = case.startswith((wanted,) if isinstance(wanted, str) else wanted)
    if named == ("but" in mark.kwargs):
        item.own_markers = [one for one in item.own_markers if one.name != "deep"]


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the deep items to `python -m tests.deep`, unless one is named, a mark is asked for, or all is wanted.

    Raises:
        pytest.UsageError: of all items too many are deep.
    """
    for item in items:
        _keep_small(item)
        if "browser" in getattr(item, "fixturenames", ()) and not item.get_closest_marker("smoke"):
            item.add_marker("deep")  # what a browser takes is seen when it ends, and is no item's
        cases = getattr(getattr(item, "callspec", None), "params", {})
        if "seed" in cases or is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("law")
    deep = [item for item in items if item.get_closest_marker("deep")]
    named = any("::" in argument for argument in config.args)
    if config.option.markexpr or named or IN_CAMPAIGN:
        return
    if len(items) > 3000 and 100 * len(deep) > SHARE * len(items):
        raise pytest.UsageError(f"{len(deep)} of {len(items)} items are deep, over {SHARE} %")
    if deep:
        config.hook.pytest_deselected(items=deep)
        items[:] = [item for item in items if not item.get_closest_marker("deep")]
