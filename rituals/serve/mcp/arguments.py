"""Read what a client asks, within limits, by models that are made of the tools' own parameters.

The models are the input schemas too, and an agent pays for every word of those: a name speaks for itself
where it can. They say what every provider takes (`tests/schema_subsets.md`); all else, as the length of a
text, is checked without being said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from inspect import Parameter, signature
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, ValidationError, create_model

from ledger.errors import WrongUsage
from ledger.model.record import Record
from rituals.record.json_request import Strict, model_of
from rituals.record.request import NewFact, Request, Supersession, Update

A = TypeVar("A", bound=Strict)
#: Words of a search or a task, names with commas between or a title, the text of a fact, that of a log.
WORDS_CHARS, NAMES_CHARS, TEXT_CHARS, BODY_CHARS = 400, 200, 8_000, 100_000
#: Things of one sort in one log, hits of one answer, ids of one question.
MANY, HITS_LIMIT, IDS_LIMIT = 50, 50, 20
_ERRORS_SAID = 5
#: What commands a terminal or is no character, but for lines and tabs; and what breaks a line.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_BREAK = re.compile(r"[\n\x0b\x0c\u2028\u2029]")
#: What a schema says to a client. A length or a pattern some provider refuses: our refusal says it better.
_SAID = ("type", "description", "enum", "items", "properties", "required", "minimum", "maximum")
_TEXT = {"type": "string"}
#: What a text is read as where a type of JSON is wanted that is none.
_READ: dict[str, tuple[type, ...]] = {
    "array": (list, dict), "object": (dict,), "integer": (int, float), "boolean": (bool,),
}  # fmt: skip


def _lines(said: str) -> str:
    if _UNSEEN.search(said):
        raise ValueError("it holds a control character")
    return said


def _line(said: str) -> str:
    if _BREAK.search(said):
        raise ValueError("it has to be one line")
    return _lines(said)


Words = Annotated[str, Field(max_length=WORDS_CHARS), AfterValidator(_line)]
Names = Annotated[str, Field(max_length=NAMES_CHARS), AfterValidator(_line)]
Text = Annotated[str, Field(max_length=TEXT_CHARS), AfterValidator(_lines)]
Level = Literal["index", "timeline", "full"]
_Body = Annotated[str, Field(max_length=BODY_CHARS), AfterValidator(_lines)]


def _of(type_: Any, said: str, **limits: Any) -> Any:
    return Annotated[type_, Field(description=said or None, **limits)]


def _many(model: Any, said: str = "") -> Any:
    return _of(list[model], said, max_length=MANY)


def _pairs(first: str, second: str, default: Any = ...) -> Any:
    """Make the type of what a request holds as pairs: providers take no object of any keys."""
    words = Annotated[str, Field(max_length=TEXT_CHARS), AfterValidator(_line)]
    fields: dict[str, Any] = {first: (str, ...), second: (words, default)}
    model = create_model("Pair", __base__=Strict, **fields)
    model.record = staticmethod(lambda **pair: tuple(pair.values()))
    return _many(model)


_KINDS = (
    "invariant, stack, decision, convention, fact, pattern, thread (open question), task, preference "
    "or reference"
)
#: Of a new fact. What is no kind stays in the text, and the answer says so.
Kind = Annotated[str, Field(max_length=40, description=_KINDS), AfterValidator(_line)]
_New = model_of(NewFact, {
    "text": Text, "id": _of(Names, "kebab-case; else made from the text"),
    "kind": Kind, "tags": _many(Names), "entity": _many(Names, "What it is about"),
    "footers": _pairs("key", "value"),
})  # fmt: skip
#: A session log: what `diurna append --from-json` takes, without what the server fills in. What is wrong
#: with an id or a text is said by `rituals.record.draft_composer`, in the words of the command line.
AppendAsked = model_of(Request, {
    "title": _of(Names, f"{NAMES_CHARS} characters at most", min_length=1),
    "body": _of(_Body, "Markdown: what happened, why, what is next"),
    "refs": _many(str, "Facts you relied on"), "new": _many(_New),
    "update": _many(model_of(Update, {"id": str, "text": Text}), "Reword"),
    "supersede": _many(model_of(Supersession, {"old": str, "new": str}),
                       "old is false, new replaces it"),
    "invalidate": _many(str, "False, without successor"), "close": _many(str, "Done"),
    "reopen": _many(str), "reactivate": _many(str, "Back from the archive"),
    "move": _pairs("id", "state"), "helped": _pairs("id", "evidence"),
    "ignored": _pairs("id", "role", ""),
    "anyway": _of(bool, "Unknown ids are meant"), "role": Names, "model": Names,
    "verdict": _of(Names, "pass, fail"), "about": _of(Names, "What is judged"), "tokens": Names,
}, required=("title",))  # fmt: skip


class Caller(Record):
    """Who calls."""

    agent: str = ""  #: who writes, "" for the default of the process
    host: str = ""  #: the program the agent runs in, "" where that is the agent, or not known
    session: str = ""  #: the host session that the connection belongs to, else the connection


class Tool(Record):
    """One tool."""

    name: str  #: what a client calls
    description: str  #: what an agent is told: it is part of every prompt
    takes: type[Strict]  #: the model of its arguments
    does: Callable[..., dict[str, Any]]
    writes: bool  #: whether it may append a log; none takes anything away


BY_NAME: dict[str, Tool] = {}


def tool(
    description: str, *, writes: bool = False, takes: type[Strict] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """List a function that answers as a tool, by its name; its named parameters are the arguments."""

    def listed(does: Callable[..., Any]) -> Callable[..., Any]:
        fields: dict[str, Any] = {
            name: (one.annotation, ... if one.default is Parameter.empty else one.default)
            for name, one in signature(does).parameters.items()
            if one.kind is Parameter.KEYWORD_ONLY
        }
        name = does.__name__
        model = takes or create_model(name, __base__=Strict, **fields)
        BY_NAME[name] = Tool(name, description, model, does, writes)
        return does

    return listed


def read(model: type[A], arguments: Mapping[str, Any]) -> A:
    """Read the arguments of a call.

    Raises:
        WrongUsage: they are not of this shape, or over a limit; the message names each place.
    """
    try:
        return model.model_validate(_meant(dict(arguments), schema_of(model)))
    except ValidationError as problem:
        errors = problem.errors(include_url=False, include_input=False)
    said = []
    for error in errors[:_ERRORS_SAID]:
        place = ".".join(str(part) for part in error["loc"])
        wrong = (
            "it is empty"
            if error["type"].endswith("too_short")
            else error["msg"].removeprefix("Value error, ")
        )
        said.append(f"{place[:NAMES_CHARS]}: {wrong}")
    raise WrongUsage("; ".join(said), hint=f"arguments: {', '.join(model.model_fields)}")


def _meant(said: Any, schema: Mapping[str, Any]) -> Any:
    """Read what comes from a client that knows no types, or can leave no argument out, as it is meant.

    `null` is absence, and so is an empty text where none can stand. A text that is JSON of the wanted type
    is that, a number is the text of it, a single value a list of one, an object of other keys a list of
    pairs, and a list of texts, where one is wanted, names with commas between.
    """
    kind = schema["type"]
    if isinstance(said, str) and kind in _READ:
        with suppress(ValueError, RecursionError):
            value = json.loads(said if kind in ("array", "object") else said.lower())
            said = value if type(value) in _READ[kind] else said
    if kind == "integer" and isinstance(said, float) and said.is_integer():
        return int(said)
    if kind == "string" and isinstance(said, int | float):
        return json.dumps(said)
    if kind == "string" and isinstance(said, list) and all(isinstance(one, str) for one in said):
        return ", ".join(said)
    if kind == "array":
        many = said if isinstance(said, list) else [said]
        pair = schema["items"].get("properties", {})
        if isinstance(said, dict) and len(pair) == 2 and pair.keys().isdisjoint(said):
            many = [dict(zip(pair, one, strict=True)) for one in said.items()]
        return [_meant(one, schema["items"]) for one in many if one is not None]
    if kind == "object" and isinstance(said, dict):
        fields = [(name, one, schema["properties"].get(name, _TEXT)) for name, one in said.items()]
        return {
            name: _meant(one, field)
            for name, one, field in fields
            if one is not None
            and (one != "" or (field["type"] == "string" and "enum" not in field))
        }
    return said


@cache
def schema_of(model: type[Strict]) -> dict[str, Any]:
    """Return what a client reads of a model: definitions stand where they are used.

    A client that resolves no references reads the whole of it then; none of our models holds itself.
    """
    whole = model.model_json_schema()
    return _small(whole, whole.get("$defs", {}))


def _small(schema: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        schema = named[schema["$ref"].rpartition("/")[2]]
    found = {key: schema[key] for key in _SAID if key in schema}
    if "properties" in found:  # what the class says of itself is for us
        found.pop("description", None)
        found["properties"] = {
            name: _small(one, named) for name, one in found["properties"].items()
        }
    if "items" in found:
        found["items"] = _small(found["items"], named)
    if "enum" in found:
        found["enum"] = [one for one in found["enum"] if one]
    return found
