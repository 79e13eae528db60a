"""`Record`: a named tuple that starts fast, and takes its arguments like any function."""

from __future__ import annotations

import pickle
from inspect import signature
from typing import Any

import pytest

from ledger.model.record import Record


class Point(Record):
    """Two numbers, one of them known."""

    x: int
    y: int = 3


class Place(Record):
    """The same fields as a point."""

    x: int
    y: int = 3


def test_arguments_are_taken_by_place_and_by_name() -> None:
    """With their defaults, in any mixture."""
    assert Point(1) == Point(1, 3) == Point(y=3, x=1) == Point(1)._replace(y=3)
    assert Point(1, 4).y == 4
    assert list(signature(Point).parameters) == ["x", "y"]
    assert repr(Point(1)) == "Point(x=1, y=3)"
    assert pickle.loads(pickle.dumps(Point(1))) == Point(1)  # noqa: S301 - our own bytes


@pytest.mark.parametrize("values", [((), {}), ((1, 2, 3), {}), ((1,), {"z": 2}), ((1,), {"x": 2})])
def test_wrong_arguments_are_refused(values: tuple[tuple[int, ...], dict[str, int]]) -> None:
    """Too few, too many, unknown ones, and those that are given twice."""
    with pytest.raises(TypeError):
        Point(*values[0], **values[1])


def test_records_of_two_classes_differ() -> None:
    """Also where their values are the same; two classes share no default and no name."""
    place: object = Place(1)
    assert Point(1) != place
    wide = made("Wide", {f"field_{number}": "int" for number in range(40)}, field_39=7)
    assert tuple(wide(*range(39))) == (*range(39), 7)


def made(name: str, annotations: dict[str, str], **defaults: object) -> Any:
    """Make a class of records as a class statement does."""
    kind: Any = type(Record)
    return kind(name, (Record,), {"__annotations__": annotations, **defaults})


def test_a_default_is_followed_by_defaults() -> None:
    """As in any function."""
    with pytest.raises(TypeError, match="follows one that has one"):
        made("Wrong", {"a": "int", "b": "int"}, a=1)
