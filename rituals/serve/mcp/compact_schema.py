"""Cut JSON schemas to what a client needs: an agent reads them at the start of every session."""

from __future__ import annotations

from typing import Any

#: Marks what is limited so far beyond any sensible request that only the refusal says it.
UNSAID = "unsaid"
_LIMITS = ("minLength", "maxLength", "maxItems", "maxProperties")
#: What says nothing to a client. A pattern costs much: the refusal says better what does not belong there.
_LEFT_OUT = ("title", "additionalProperties", "pattern", UNSAID)
#: Defaults that mean "not given".
_NOTHING: tuple[object, ...] = ("", [], {}, False)


def small(schema: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a schema what pydantic adds to it, and put definitions where they are used.

    A client that resolves no references reads the whole of it then; none of our models holds itself.
    """
    found = _smaller(schema, schema.get("$defs", {}))
    found.pop("description", None)  # the model's docstring; the tool has a description
    return found


def _smaller(schema: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        target = dict(named[schema["$ref"].rpartition("/")[2]])
        target.pop("description", None)
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    left_out = (*_LEFT_OUT, *_LIMITS) if schema.get(UNSAID) is True else _LEFT_OUT
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "$defs" or (key in left_out and not isinstance(value, dict)):
            continue
        if key == "additionalProperties" and left_out is not _LEFT_OUT:
            continue  # of an object whose keys are anything
        if key == "default" and any(value is one or value == one for one in _NOTHING):
            continue
        if key == "properties":
            value = {name: _smaller(one, named) for name, one in value.items()}
        elif isinstance(value, dict):
            value = _smaller(value, named)
        found[key] = value
    return found
