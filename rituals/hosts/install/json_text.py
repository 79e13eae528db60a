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

BOM = b"\xef\xbb\xbf"
#: Stands in a path for the element of a list.
EACH = "[]"
_WAS_EMPTY = " "
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Unfit(Exception):
    """A file that nothing can be added to; says why, as the end of a sentence."""


class Entry(Record):
    """What is put into a JSON file."""

    path: tuple[str, ...]  #: where: keys; `EACH` adds to the list of that key
    value: object  #: what
    #: the hook's, which it is known by wherever a person moved it; "" where it is known by what it
    #: runs
    command: str = ""
    beside: tuple[tuple[str, object], ...] = ()  #: what a list's new element holds beside the value

    def is_ours(self, found: object) -> bool:
        """Tell whether a value is this, or holds its command; a host may write more keys beside ours."""
        if self.command:
            return _holds(found, self.command)
        if not (isinstance(found, dict) and isinstance(self.value, dict)):
            return False
        return all(found.get(key) == self.value.get(key) for key in ("command", "args"))


def _holds(value: object, command: str) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value == command or any(_holds(one, command) for one in inner)


class Keys(Record):
    """What stands in a JSON file that others write to as well."""

    entries: tuple[Entry, ...]
    empty: tuple[tuple[str, object], ...] = ()  #: what a new file has beside them

    @property
    def by_hand(self) -> str:
        """What a person would add."""
        text = "{}"
        for entry in self.entries:
            text = added(text, entry)
        return json.dumps(json.loads(text))

    def is_in(self, data: bytes) -> bool:
        """Tell whether something of ours is in a file; Unfit as for `parse`."""
        text = _text(data)
        return any(_chain(text, entry.path, entry.is_ours) for entry in self.entries)

    def put_into(self, data: bytes | None) -> bytes:
        """Return a file, None where there is none, with what is ours; Unfit as for `parse` and `added`."""
        if data is None:
            made = json.loads(self.by_hand) | dict(self.empty)
            return json.dumps(made, indent=2).encode() + b"\n"
        text = _text(data)
        for entry in self.entries:  # what bears our name is there, whatever it says
            ours = entry.is_ours if entry.command else lambda _: True
            if not _chain(text, entry.path, ours):
                text = added(text, entry)
        return _bytes(data, text)

    def taken_out_of(self, data: bytes) -> bytes | None:
        """Return a file without what is ours; None where it was made for that; Unfit as for `parse`."""
        before = text = _text(data)
        for entry in reversed(self.entries):
            text = removed(text, entry)
        rest = _bytes(data, text)
        stays = text == before or not self._says_nothing(parse(text))
        return rest if stays or self.put_into(rest) == self.put_into(data) else None

    def _says_nothing(self, left_over: dict[str, object]) -> bool:
        """Tell whether all that is left came with what was ours, or is a stamp of the file's host."""

        def said(value: object) -> object:
            if isinstance(value, dict):
                full = {key: said(inner) for key, inner in value.items()}
                return {key: inner for key, inner in full.items() if inner not in ({}, [])}
            if isinstance(value, list):
                return [more for inner in value if (more := said(inner)) != {}]
            return value

        left = said({key: value for key, value in left_over.items() if key[:1] != "$"})
        return left in ({}, dict(self.empty))


def _text(data: bytes) -> str:
    """Return the text of a file that holds an object; Unfit as for `parse`, or where it is none."""
    try:
        text = data.removeprefix(BOM).decode()
    except UnicodeDecodeError:
        raise Unfit("is not text in UTF-8") from None
    parse(text)
    return text


def _bytes(data: bytes, text: str) -> bytes:
    return (BOM if data.startswith(BOM) else b"") + text.encode()


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
        whole = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise Unfit(f"is not plain JSON ({problem})") from None
    if not isinstance(whole, dict):
        raise Unfit("holds no JSON object")
    return whole


def added(text: str, entry: Entry) -> str:
    """Return an object, as `parse` takes it, with an entry; containers that are missing are made.

    Raises:
        Unfit: something else than a container stands on the way.
    """
    path, value = entry.path, entry.value
    at = _after(text, 0)
    for number, key in enumerate(path):
        if text[at] != ("[" if key == EACH else "{"):
            where = ".".join(path[:number])
            raise Unfit(
                f"has something else than {'a list' if key == EACH else 'an object'} at {where}"
            )
        child = next((one for one in _children(text, at) if one.key == key), None)
        if child is None:
            for before, rest in reversed(list(pairwise(path[number:]))):
                begin = dict(entry.beside) if before == EACH else {}
                value = [value] if rest == EACH else {**begin, rest: value}
            return _put(text, at, key, value)
        at = child.value
    raise Unfit(f"has {'.'.join(path)} already")


def removed(text: str, entry: Entry) -> str:
    """Return an object without all that is of an entry, and without containers that were made for it."""
    path, ours = entry.path, entry.is_ours
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


def _chain(
    text: str, path: tuple[str, ...], ours: Callable[[object], bool]
) -> list[tuple[int, _Child]]:
    """Return the way to a value that is ours: each container with the child; [] where there is none."""
    at, way = _after(text, 0), list[tuple[int, _Child]]()
    for number, key in enumerate(path):
        last = number == len(path) - 1
        if text[at] != ("[" if key == EACH else "{"):
            return []
        for child in _children(text, at):
            value = _DECODER.raw_decode(text, child.value)[0]
            if (key == EACH or child.key == key) and (ours(value) or not (last or key == EACH)):
                way.append((at, child))
                at = child.value
                break
        else:
            return []
    return way


def _children(text: str, at: int) -> list[_Child]:
    """Return what an object or a list holds that begins at a place."""
    children: list[_Child] = []
    here = _after(text, at + 1)
    while text[here] not in "]}":
        if text[here] == ",":
            here = _after(text, here + 1)
        start, key = here, ""
        if text[at] == "{":
            key, here = _DECODER.raw_decode(text, here)
            here = _after(text, _after(text, here) + 1)
        end = _DECODER.raw_decode(text, here)[1]
        children.append(_Child(key, start, here, end))
        here = _after(text, end)
    return children


def _put(text: str, at: int, key: str, value: object) -> str:
    """Put a child behind the others, in the way in which they are laid out."""
    name = "" if key == EACH else f"{json.dumps(key)}: "
    children = _children(text, at)
    if not children:
        return f"{text[: at + 1]}{_WAS_EMPTY}{name}{json.dumps(value)}{text[at + 1 :]}"
    end, lead, laid = children[-1].end, text[at + 1 : children[0].start], json.dumps(value)
    if "\n" in lead:
        newline = "\r\n" if "\r\n" in text else "\n"
        first = _after(text, 0) + 1  # a file indents as its first member is
        unit = text[first : _after(text, first)].rpartition("\n")[2] or "  "
        margin = newline + lead.rpartition("\n")[2]
        laid = json.dumps(value, indent=unit).replace("\n", margin)
    return f"{text[:end]},{lead or ' '}{name}{laid}{text[end:]}"


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
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key stands there twice")
    return members


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")
