"""Read what a client asks, within limits, by the shapes that the tools' own parameters declare.

A parameter's default is its shape, as a row is that of an option (`rituals.cli.operation`). They are the
input schemas too, and an agent pays for every word of those: a name speaks for itself where it can. They
say what every provider takes (`tests/schema_subsets.md`); all else, as the length of a text, is checked
without being said.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any

from ledger.errors import WrongUsage
from ledger.model.record import Record
from projection.fold.fact_links import names_in
from projection.policy.model import DEFAULT_KIND
from rituals.record.json_request import TEXT, Shape, faults, object_of, reader_of, shape_of
from rituals.record.request import NewFact, Supersession, Update

#: Words of a search or a task, names with commas between, a title, the text of a fact, that of a log.
WORDS_CHARS, NAMES_CHARS, TEXT_CHARS, BODY_CHARS = 400, 200, 8_000, 100_000
#: Things of one sort in one log, hits of one answer, ids of one question.
MANY, HITS_LIMIT, IDS_LIMIT = 50, 50, 20
_ERRORS_SAID = 5
#: What a text is read as where a type of JSON is wanted that is none.
_READ: dict[str, tuple[type, ...]] = {
    "array": (list, dict), "object": (dict,), "integer": (int, float), "boolean": (bool,),
}  # fmt: skip


def one(kind: str, said: str = "", **more: Any) -> Any:
    """Declare a parameter: its type, what is said of it, and what is checked."""
    return {"type": kind, **({"description": said} if said else {}), **more}


text = partial(one, "string", _most=TEXT_CHARS, _default="")
names = partial(text, _most=NAMES_CHARS, _line=True)
words = partial(names, _most=WORDS_CHARS)
#: Names or ids with commas between.
listed = partial(names, _most=TEXT_CHARS, _make=names_in, _default=())
choice = partial(one, "string", _default="")
flag = partial(one, "boolean", _default=False)
number = partial(one, "integer")
many = partial(one, "array", _most=MANY, _default=())


def _pairs(first: str, second: str, **more: Any) -> Any:
    """Declare what a request holds as pairs: providers take no object of any keys."""
    fields = {first: {**TEXT, "_needed": True}, second: names(_most=TEXT_CHARS, **more)}
    return many(items=object_of(fields, lambda **pair: tuple(pair.values())))


#: Of a new fact. What is no kind stays in the text, and the answer says so.
KIND = names(
    "invariant, stack, decision, convention, fact, pattern, thread (open question), task, preference "
    "or reference", _most=40,
)  # fmt: skip
_NEW = {
    "text": text(_needed=True), "id": names("kebab-case; else made from the text"),
    "kind": {**KIND, "description": "As of `note`", "_default": DEFAULT_KIND}, "tags": listed(),
    "entity": listed("What it is about"), "footers": _pairs("key", "value", _needed=True),
}  # fmt: skip
#: A session log: what `diurna append --from-json` takes, without what the server fills in. What is wrong
#: with an id or a text is said by `rituals.record.draft_composer`, in the words of the command line.
REQUEST = object_of({
    "title": names(_least=1, _needed=True),
    "body": text("Markdown: what happened, why, what is next", _most=BODY_CHARS),
    "refs": listed("Ids you relied on"), "new": many(items=object_of(_NEW, NewFact)),
    "update": many("Reword", items=shape_of(Update)),
    "supersede": many("old is false, new replaces it", items=shape_of(Supersession)),
    "invalidate": listed("False, without successor"),
    "close": listed("Done"),
    "reopen": listed(), "reactivate": listed("Back from the archive"),
    "move": _pairs("id", "state", _needed=True), "helped": _pairs("id", "evidence", _needed=True),
    "ignored": _pairs("id", "role"),
    "anyway": flag("Unknown ids are meant"), "role": names(), "model": names(),
    "verdict": names("pass, fail"), "about": names("What is judged"), "tokens": names(),
})  # fmt: skip


class Caller(Record):
    """Who calls."""

    agent: str = ""  #: who writes, "" for the default of the process
    host: str = ""  #: the program the agent runs in, "" where that is the agent, or not known
    session: Callable[[], str] = str  #: tells the host's session, else the connection


class Tool(Record):
    """One tool."""

    name: str  #: what a client calls
    description: str  #: what an agent is told: it is part of every prompt
    takes: Shape  #: of its arguments
    does: Callable[..., dict[str, Any]]
    writes: bool  #: whether it may append a log; none takes anything away


BY_NAME: dict[str, Tool] = {}


def tool(
    description: str, *, writes: bool = False, takes: Shape | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """List a function that answers as a tool, by its name; its named parameters are the arguments."""

    def put(does: Callable[..., Any]) -> Callable[..., Any]:
        shape = takes or object_of(does.__kwdefaults__ or {})
        BY_NAME[does.__name__] = Tool(does.__name__, description, shape, does, writes)
        return does

    return put


_reader = cache(lambda name: reader_of(BY_NAME[name].takes))


def read(tool: Tool, arguments: Any) -> Any:
    """Read the arguments of a call: what their shape makes of them.

    Raises:
        WrongUsage: they are not of this shape, or over a limit; the message names each place.
    """
    from pydantic_core import ValidationError

    try:
        return _reader(tool.name).validate_python(_meant(arguments, tool.takes))
    except ValidationError as problem:
        wrong = [f"{at[:NAMES_CHARS] or 'arguments'}: {what}" for at, what in faults(problem)]
    hint = f"arguments: {', '.join(tool.takes['properties'])}"
    raise WrongUsage("; ".join(wrong[:_ERRORS_SAID]), hint=hint)


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
        fields = [(name, one, schema["properties"].get(name, TEXT)) for name, one in said.items()]
        return {
            name: _meant(one, field)
            for name, one, field in fields
            if one is not None
            and (one != "" or (field["type"] == "string" and "enum" not in field))
        }
    return said


def told(shape: Shape) -> Shape:
    """Return what a client reads of a shape; what an object has to have, a refusal says."""
    found = {key: one for key, one in shape.items() if key[0] != "_"}
    if "properties" in found:
        found["properties"] = {name: told(one) for name, one in found["properties"].items()}
    return {**found, "items": told(found["items"])} if "items" in found else found


def schema_of(shape: Shape) -> Shape:
    """Return the input schema of a tool: its shape, and what it can not do without."""
    needed = [name for name, field in shape["properties"].items() if "_needed" in field]
    return {**told(shape), **({"required": needed} if needed else {})}
