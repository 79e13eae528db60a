"""Read JSON strictly, by shapes: what `append --from-json` takes, and each tool of the MCP server.

A shape is the JSON schema that a client reads, with keys of ours that begin with `_` and are not told.
pydantic reads by it, and is loaded when something is read:
`_least` and `_most` characters or items, `_line` for a text on one line, `_make` for what a text or an
object means, `_needed` and `_default` for a field of one.
"""

from __future__ import annotations

import re
from types import GenericAlias
from typing import Annotated, Any, Literal, get_args, get_type_hints

from ledger.errors import DraftRefused
from ledger.model.finding_codes import Finding
from rituals.record.request import NewFact, Pairs, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pydantic import ValidationError

Shape = dict[str, Any]
#: What commands a terminal, but for lines and tabs; and what breaks a line.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BREAK = re.compile(r"[\n\x0b\x0c\u2028\u2029]")
TEXT: Shape = {"type": "string"}


def object_of(fields: dict[str, Shape], make: Any = dict) -> Shape:
    """Return the shape of an object of these fields and no others."""
    return {"type": "object", "properties": fields, "_make": make}


def shape_of(record: type[Any], leave: str = "") -> Shape:
    """Return how JSON writes a value class: its fields but one, by their types."""
    hints = get_type_hints(record)
    needed = len(hints) - len(record._defaults)
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


def type_of(shape: Shape) -> Any:
    """Return the type by which pydantic reads a shape strictly, and makes what it means; lists are tuples.

    A text without `_most` is checked by whom it is handed to.
    """
    from pydantic import AfterValidator, ConfigDict, Field, create_model

    kind, make = shape["type"], shape.get("_make")
    limits = Field(min_length=shape.get("_least", 0), max_length=shape.get("_most"))
    if kind == "integer":
        return Annotated[int, Field(ge=shape["minimum"], le=shape["maximum"])]
    if kind == "boolean":
        return bool
    if kind == "array":
        items = GenericAlias(list, (type_of(shape["items"]),))
        return Annotated[items, limits, AfterValidator(tuple)]
    if kind == "object":
        if "properties" not in shape:
            return Annotated[dict[str, str], AfterValidator(lambda pairs: tuple(pairs.items()))]
        fields: dict[str, Any] = {
            name: (type_of(field), ... if field.get("_needed") else field.get("_default"))
            for name, field in shape["properties"].items()
        }
        said = [name for name, field in shape["properties"].items() if "_default" in field]

        def made(read: Any) -> Any:
            names = [name for name in fields if name in said or name in read.model_fields_set]
            return shape["_make"](**{name: getattr(read, name) for name in names})

        strict = ConfigDict(extra="forbid", strict=True, protected_namespaces=())
        model = create_model("Object", __config__=strict, **fields)
        return Annotated[model, AfterValidator(made)]
    if "enum" in shape:
        return Literal[tuple(shape["enum"])]
    checks = [AfterValidator(_line if shape.get("_line") else _seen)] if "_most" in shape else []
    return Annotated[(str, limits, *checks, *([AfterValidator(make)] if make else []))]


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
    from pydantic import TypeAdapter, ValidationError

    shape = shape_of(Request, leave="type")
    try:
        found: Request = TypeAdapter(type_of(shape)).validate_json(data)
    except ValidationError as problem:
        wrong = faults(problem)
    else:
        return found
    hint = f"keys: {', '.join(shape['properties'])}; of a new fact: {', '.join(NewFact._fields)}"
    if wrong[0][1].startswith("Invalid JSON"):
        hint = 'for example: {"title": "Tidy", "new": [{"text": "CI runs on two cores."}]}'
    said = [f"{place}: {what}" if place else what for place, what in wrong]
    raise DraftRefused(tuple([Finding("not-canonical", one, name, hint=hint) for one in said]))
