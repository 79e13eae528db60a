"""Add to a JSON file, and take out again, by the place in its text: every other byte stays as it is.

What is put into an object or a list that was empty stands behind one blank (`{ "a": 1}`), which nothing
else that is written here does. So it is known whether a container was there before what it holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise

from ledger.model.record import Record

#: Stands in a path for the element of a list.
EACH = "[]"
_WAS_EMPTY = " "
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Unfit(Exception):
    """A file that nothing can be added to; says why, as the end of a sentence."""


class _Child(Record):
    """A member of an object or an element of a list, by where its key, its value and its end are."""

    key: str
    start: int
    value: int
    end: int


def parse(text: str) -> dict[str, object]:
    """Return the object of a file.

    Raises:
        Unfit: it is not JSON as RFC 8259 has it, or no object, or names a key twice.
    """
    try:
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise Unfit(f"is not plain JSON ({problem})") from None
    if not isinstance(found, dict):
        raise Unfit("holds no JSON object")
    return found


def added(
    text: str, path: tuple[str, ...], value: object, beside: tuple[tuple[str, object], ...] = ()
) -> str:
    """Return a file with a value at a path; containers that are missing are made.

    Args:
        text: an object, as `parse` takes it.
        path: keys; `EACH` adds to the list of that key.
        value: what is put there.
        beside: what an object that is made as an element of a list begins with.

    Raises:
        Unfit: something else than a container stands on the way.
    """
    at = _after(text, 0)
    for number, key in enumerate(path):
        if text[at] != ("[" if key == EACH else "{"):
            where = ".".join(path[:number])
            raise Unfit(
                f"has something else than {'a list' if key == EACH else 'an object'} at {where}"
            )
        child = None
        if key != EACH:
            child = next((one for one in _children(text, at) if one.key == key), None)
        if child is None:
            for before, rest in reversed(list(pairwise(path[number:]))):
                begin = dict(beside) if before == EACH else {}
                value = [value] if rest == EACH else {**begin, rest: value}
            return _put(text, at, key, value)
        at = child.value
    raise Unfit(f"has {'.'.join(path)} already")


def removed(text: str, path: tuple[str, ...], ours: Callable[[object], bool]) -> str:
    """Return a file without all that is ours at a path, and without containers that were made for it.

    Args:
        text: an object, as `parse` takes it.
        path: as it was added.
        ours: tells whether a value is ours, or an element of a list on the way holds what is.
    """
    while chain := _chain(text, path, ours):
        while len(chain) > 1:
            at, child = chain[-1]
            alone = len(_children(text, at)) == 1 and text[at + 1 : child.start] != _WAS_EMPTY
            # an element of a list that lost what it was for is of no use
            if not alone and path[len(chain) - 2] != EACH:
                break
            chain.pop()
        text = _cut(text, *chain[-1])
    return text


def holds(text: str, path: tuple[str, ...], ours: Callable[[object], bool]) -> bool:
    """Tell whether something that is ours stands at a path."""
    return bool(_chain(text, path, ours))


def _chain(
    text: str, path: tuple[str, ...], ours: Callable[[object], bool]
) -> list[tuple[int, _Child]]:
    """Return the way to a value that is ours: each container with the child; [] where there is none."""
    at, found = _after(text, 0), list[tuple[int, _Child]]()
    for number, key in enumerate(path):
        last = number == len(path) - 1
        if text[at] != ("[" if key == EACH else "{"):
            return []
        for child in _children(text, at):
            value = _DECODER.raw_decode(text, child.value)[0]
            if (key == EACH or child.key == key) and (ours(value) or not (last or key == EACH)):
                found.append((at, child))
                at = child.value
                break
        else:
            return []
    return found


def _children(text: str, at: int) -> list[_Child]:
    """Return what an object or a list holds that begins at a place."""
    found: list[_Child] = []
    here = _after(text, at + 1)
    while text[here] not in "]}":
        if text[here] == ",":
            here = _after(text, here + 1)
        start, key = here, ""
        if text[at] == "{":
            key, here = _DECODER.raw_decode(text, here)
            here = _after(text, _after(text, here) + 1)
        end = _DECODER.raw_decode(text, here)[1]
        found.append(_Child(key, start, here, end))
        here = _after(text, end)
    return found


def _put(text: str, at: int, key: str, value: object) -> str:
    """Put a child behind the others, in the way in which they are laid out."""
    name = "" if key == EACH else f"{json.dumps(key)}: "
    children = _children(text, at)
    if not children:
        return f"{text[: at + 1]}{_WAS_EMPTY}{name}{json.dumps(value)}{text[at + 1 :]}"
    end, lead = children[-1].end, text[at + 1 : children[0].start]
    laid = _laid_out(text, lead, value)
    return f"{text[:end]},{lead or ' '}{name}{laid}{text[end:]}"


def _laid_out(text: str, lead: str, value: object) -> str:
    """Write a value as others stand in a container, by what is in front of its first one."""
    if "\n" not in lead:
        return json.dumps(value)
    newline = "\r\n" if "\r\n" in text else "\n"
    margin, at = lead.rpartition("\n")[2], _after(text, 0)
    # a file indents as its first member is
    unit = text[at + 1 : _after(text, at + 1)].rpartition("\n")[2] or "  "
    return json.dumps(value, indent=unit).replace("\n", newline + margin)


def _cut(text: str, at: int, child: _Child) -> str:
    children = _children(text, at)
    number = children.index(child)
    if number:
        return text[: children[number - 1].end] + text[child.end :]
    if len(children) > 1:
        return text[: child.start] + text[children[1].start :]
    return text[: at + 1] + text[child.end :]


def _after(text: str, at: int) -> int:
    """Return where the next thing begins that is no space."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")
