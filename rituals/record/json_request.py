"""Read JSON strictly, by shapes: what `append --from-json` takes, and each tool of the MCP server.

A shape is the JSON schema that a client reads, with keys of ours that begin with `_` and are not told:
`_least` and `_most` characters or items, `_line` for a text on one line, `_make` for what a text or an
object means, `_needed` and `_default` for a field of one.
"""

from __future__ import annotations

import json
import re
from typing import Any, get_args, get_type_hints

from ledger.errors import DraftRefused
from ledger.model.findings import Finding
from rituals.record.request import NewFact, Pairs, Request

Shape = dict[str, Any]
#: Where something is wrong, and what.
Wrong = list[tuple[str, str]]
#: What commands a terminal or is no character, but for lines and tabs; and what breaks a line.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BREAK = re.compile(r"[\n\x0b\x0c\u2028\u2029]")
_TYPES: dict[str, tuple[type, str]] = {
    "string": (str, "a valid string"), "integer": (int, "a valid integer"),
    "boolean": (bool, "a valid boolean"), "array": (list, "a valid array"), "object": (dict, "an object"),
}  # fmt: skip
TEXT: Shape = {"type": "string"}


def object_of(fields: dict[str, Shape], make: Any = dict) -> Shape:
    """Return the shape of an object of these fields and no others."""
    return {"type": "object", "properties": fields, "_make": make}


def shape_of(record: type[Any], leave: str = "") -> Shape:
    """Return how JSON writes a value class: its fields but one, by their types."""
    hints = get_type_hints(record)
    needed = len(hints) - len(record.__new__.__defaults__ or ())
    fields = {
        name: {**_shape_of(hint), "_needed": at < needed}
        for at, (name, hint) in enumerate(hints.items())
        if name != leave
    }
    return object_of(fields, record)


def _shape_of(hint: Any) -> Shape:
    if hint == Pairs:
        return {"type": "object"}
    if items := get_args(hint):
        return {"type": "array", "items": _shape_of(items[0])}
    if hint in (str, bool):
        return TEXT if hint is str else {"type": "boolean"}
    return shape_of(hint)


def value_of(said: Any, shape: Shape, wrong: Wrong, place: str = "") -> Any:
    """Return what JSON means by its shape, lists as tuples; note in `wrong` what it can not mean."""
    kind = shape["type"]
    if faults := _faults(said, shape):
        wrong.append((place, faults[0]))
    elif kind == "array":
        items = enumerate(said)
        return tuple([value_of(one, shape["items"], wrong, f"{place}.{at}") for at, one in items])
    elif kind == "object" and "properties" in shape:
        return _object_of(said, shape, wrong, place)
    elif "_make" in shape:
        return shape["_make"](said)
    elif kind == "object":
        pairs = [(key, value_of(one, TEXT, wrong, f"{place}.{key}")) for key, one in said.items()]
        return tuple(pairs)
    return said


def _object_of(said: dict[str, Any], shape: Shape, wrong: Wrong, place: str) -> Any:
    fields, before, values = shape["properties"], len(wrong), {}
    inside = f"{place}." if place else ""
    for name, field in fields.items():
        if name in said:
            values[name] = value_of(said[name], field, wrong, inside + name)
        elif field.get("_needed"):
            wrong.append((inside + name, "Field required"))
        elif "_default" in field:
            values[name] = field["_default"]
    wrong += [
        (inside + name, "Extra inputs are not permitted") for name in said if name not in fields
    ]
    return shape["_make"](**values) if len(wrong) == before else said


def _faults(said: Any, shape: Shape) -> list[str]:
    """Say what is wrong with a value, whatever is inside it."""
    type_, called = _TYPES[shape["type"]]
    least, most, among = shape.get("_least", 0), shape.get("_most"), shape.get("enum", ())
    given: Any = type(said)
    rules: list[tuple[Any, str]] = []
    if given is not type_:
        rules = [(True, f"Input should be {called}")]
    elif type_ is int:
        rules = [
            (said < shape["minimum"], f"Input should be greater than or equal to {shape['minimum']}"),
            (said > shape["maximum"], f"Input should be less than or equal to {shape['maximum']}"),
        ]  # fmt: skip
    elif type_ is str:
        whole = said.isascii() or said == said.encode("utf-8", "replace").decode()
        rules = [
            (not whole, "it holds what is no character"),
            (most is not None and len(said) > most, f"String should have at most {most} characters"),
            (len(said) < least, "it is empty"),
            (most is not None and _UNSEEN.search(said), "it holds a control character"),
            (shape.get("_line") and _BREAK.search(said), "it has to be one line"),
            (among and said not in among, f"Input should be {' or '.join(map(repr, among))}"),
        ]  # fmt: skip
    elif type_ is list:
        rules = [
            (most is not None and len(said) > most, f"List should have at most {most} items"),
            (len(said) < least, "it is empty"),
        ]
    return [message for broken, message in rules if broken]


def read_json(data: str, name: str) -> Request:
    """Read a request from JSON; `name` is that of the file, for messages.

    Raises:
        DraftRefused: it is no JSON, or not of this shape; the findings name each place.
    """
    shape, wrong = shape_of(Request, leave="type"), Wrong()
    hint = f"keys: {', '.join(shape['properties'])}; of a new fact: {', '.join(NewFact._fields)}"
    try:
        found: Request = value_of(json.loads(data), shape, wrong)
    except (ValueError, RecursionError) as problem:
        wrong.append(("", f"Invalid JSON: {problem}"))
        hint = 'for example: {"title": "Tidy", "new": [{"text": "CI runs on two cores."}]}'
    if wrong:
        said = [f"{place}: {what}" if place else what for place, what in wrong]
        raise DraftRefused(tuple([Finding("not-canonical", one, name, hint=hint) for one in said]))
    return found
