"""Read a request from JSON, strictly: pydantic models made from the fields of `Request`.

`append --from-json` takes every key as it is. The MCP server gives its own types, with limits and
descriptions, to the keys that it takes (`rituals.serve.mcp.arguments`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from types import GenericAlias
from typing import Any, ClassVar, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from ledger.errors import DraftRefused
from ledger.model.findings import Finding
from rituals.record.request import NewFact, Pairs, Request


class Strict(BaseModel):
    """These keys and no others, of these types and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    #: Makes the value that a model was made for.
    record: ClassVar[Callable[..., Any]]


def types_of(record: type[Any]) -> dict[str, Any]:
    """Return how JSON writes each field of a value class."""
    return {name: _json_type(hint) for name, hint in get_type_hints(record).items()}


def _json_type(hint: Any) -> Any:
    if hint == Pairs:
        return dict[str, str]
    if items := get_args(hint):
        return GenericAlias(list, (_json_type(items[0]),))
    return model_of(hint, types_of(hint)) if hasattr(hint, "_fields") else hint


def model_of(record: type[Any], types: Mapping[str, Any], required: tuple[str, ...] = ()) -> Any:
    """Make the model that reads a value class.

    The defaults of the class are those of the model. `types` has the type of each key that is read,
    `required` keys that have to be there although the class has a default for them.
    """
    parameters = signature(record.__new__).parameters
    fields: dict[str, Any] = {}
    for name, type_ in types.items():
        default = parameters[name].default
        if name in required or default is Parameter.empty:
            default = ...
        empty: Any = {} if type_ == dict[str, str] else []
        fields[name] = (type_, empty if default == () else default)
    model = create_model(record.__name__, __base__=Strict, **fields)
    model.record = record
    return model


def value_of(said: Any) -> Any:
    """Turn what a model has read into the value that it was made for."""
    if isinstance(said, Strict):
        return said.record(**{name: value_of(one) for name, one in said})
    if isinstance(said, dict):
        return tuple(said.items())
    return tuple([value_of(one) for one in said]) if isinstance(said, list) else said


#: A session log as JSON; every key may be left out, no other key may be there.
JsonDraft = model_of(
    Request, {name: type_ for name, type_ in types_of(Request).items() if name != "type"}
)


def read_json(data: str, name: str) -> Request:
    """Read a request from JSON; `name` is that of the file, for messages.

    Raises:
        DraftRefused: it is no JSON, or not of this shape; the findings name each place.
    """
    try:
        found: Request = value_of(JsonDraft.model_validate_json(data))
    except ValidationError as problem:
        raise DraftRefused(_findings(problem, name)) from None
    return found


def _findings(problem: ValidationError, name: str) -> tuple[Finding, ...]:
    found = []
    for error in problem.errors(include_url=False, include_input=False):
        place = ".".join(str(part) for part in error["loc"])
        said = f"{place}: {error['msg']}" if place else error["msg"]
        hint = f"keys: {', '.join(JsonDraft.model_fields)}; of a new fact: {', '.join(NewFact._fields)}"
        if error["type"] == "json_invalid":
            hint = 'for example: {"title": "Tidy", "new": [{"text": "CI runs on two cores."}]}'
        found.append(Finding("not-canonical", said, name, hint=hint))
    return tuple(found)
