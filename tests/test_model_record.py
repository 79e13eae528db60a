"""`Record`: a named tuple that starts fast, and takes its arguments like any function."""

from __future__ import annotations

import pickle
from inspect import signature

from ledger.model.record import Record


class Point(Record):
    """Two numbers, one of them known."""

    x: int
    y: int = 3


def test_arguments_are_taken_by_place_and_by_name() -> None:
    """With their defaults, in any mixture."""
    assert Point(1) == Point(1, 3) == Point(y=3, x=1) == Point(1)._replace(y=3)
    assert Point(1, 4).y == 4
    assert list(signature(Point).parameters) == ["x", "y"]
    assert repr(Point(1)) == "Point(x=1, y=3)"
    assert pickle.loads(pickle.dumps(Point(1))) == Point(1)  # noqa: S301 - our own bytes
