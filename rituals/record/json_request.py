"""Read JSON strictly, by shapes: what `append --from-json` takes, and each tool of the MCP server.

A shape is the JSON schema that a client reads, with keys of ours that begin with `_` and are not told.
pydantic's core reads by it, without pydantic's models, and is loaded when something is read:
`_least` and `_most` characters or items, `_line` for a text on one line, `_make` for what a text or an
object means, `_needed` and `_default` for a field of one.
"""

from __future__ import annotations

import re
from typing import Any, get_args, get_type_hints

from ledger.errors import DraftRefused
from ledger.model.finding_codes import Finding
from rituals.record.request import NewFact, Pairs, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pydantic_core import SchemaValidator, ValidationError

Shape = dict[str, Any]
#: What commands a terminal, but for lines and tabs; and what breaks a line.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BREAK = re.compile(r"[\n\x0b\x0c\u2028\u2029]")
TEXT: Shape = {"type": "string"}
_LIMITS = {"_least": "min_length", "_most": "max_length", "minimum": "ge", "maximum": "le"}


def object_of(fields: dict[str, Shape], make: Any = dict) -> Shape:
    """Return the shape of an object of these fields and no others."""
    return {"type": "object", "properties": fields, "_make": make}


def shape_of(record: type[Any], leave: str = "") -> Shape:
    """Return how JSON writes a value class: its fields but one, by their types."""
    hints = get_type_hints(record)
    needed = len(hints) - len(record._defaults)
    fields = {
        name: {**_shape_of(hint), **({"_needed": True} if at < needed else {})}
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


def reader_of(shape: Shape) -> SchemaValidator:
    """Return what reads a shape strictly, and makes what it means; lists are tuples.

    A text without `_most` is checked by whom it is handed to.
    """
    from pydantic_core import SchemaValidator

    return SchemaValidator(_schema_of(shape))


def _schema_of(shape: Shape) -> Any:
    from pydantic_core import core_schema as core

    kind, steps = shape["type"], [shape["_make"]] if "_make" in shape else []
    limits: Any = {_LIMITS[key]: value for key, value in shape.items() if key in _LIMITS}
    schema: Any
    if kind == "array":
        schema, steps = core.list_schema(_schema_of(shape["items"]), **limits), [tuple]
    elif kind == "object" and "properties" in shape:
        fields = {
            name: core.typed_dict_field(_schema_of(one), required="_needed" in one)
            for name, one in shape["properties"].items()
        }
        schema = core.typed_dict_schema(fields, extra_behavior="forbid", config={"strict": True})
        steps = [lambda read: shape["_make"](**read)]
    elif kind == "object":
        schema = core.dict_schema(core.str_schema(), core.str_schema())
        steps = [lambda pairs: tuple(pairs.items())]
    elif kind != "string":
        schema = core.bool_schema() if kind == "boolean" else core.int_schema(**limits)
    elif "enum" in shape:
        schema = core.literal_schema(list(shape["enum"]))
    else:
        schema = core.str_schema(**limits)
        steps = [_line if shape.get("_line") else _seen, *steps] if "_most" in shape else steps
    for step in steps:
        schema = core.no_info_after_validator_function(step, schema)
    given = "_default" in shape and "_needed" not in shape
    return core.with_default_schema(schema, default=shape["_default"]) if given else schema


def _seen(text: str) -> str:
    if _UNSEEN.search(text):
        raise ValueError("it holds a control character")
    return text


def _line(text: str) -> str:
    if _BREAK.search(text):
        raise ValueError("it has to be one line")
    return _seen(text)


def faults(problem: ValidationError) -> list[tuple[str, str]]:
    """Say where JSON is wrong, and what is wrong there."""
    return [
        (
            ".".join(map(str, error["loc"])),
            "it is empty"
            if error["type"].endswith("too_short")
            else error["msg"].removeprefix("Value error, "),
        )
        for error in problem.errors(include_url=False, include_input=False)
    ]


def read_json(data: str, name: str) -> Request:
    """Read a request from JSON; `name` is that of the file, for messages.

    Raises:
        DraftRefused: it is no JSON, or not of this shape; the findings name each place.
    """
    from pydantic_core import ValidationError

    shape = shape_of(Request, leave="type")
    try:
        found: Request = reader_of(shape).validate_json(data)
    except ValidationError as problem:
        wrong = faults(problem)
    else:
        return found
    hint = f"keys: {', '.join(shape['properties'])}; of a new fact: {', '.join(NewFact._fields)}"
    if wrong[0][1].startswith("Invalid JSON"):
        hint = 'for example: {"title": "Tidy", "new": [{"text": "CI runs on two cores."}]}'
    said = [f"{place}: {what}" if place else what for place, what in wrong]
    raise DraftRefused(tuple([Finding("not-canonical", one, name, hint=hint) for one in said]))
