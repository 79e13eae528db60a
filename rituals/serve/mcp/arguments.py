"""Read what a client asks, within limits, by models that are made of the tools' own parameters.

The models are the input schemas too, and an agent pays for every word of those: a name speaks for itself
where it can. What all texts have in common (no control characters), patterns, and limits that only
nonsense meets are checked without being said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, ValidationError, create_model

from ledger.errors import WrongUsage
from ledger.model.ids import ID_LIMIT_CHARS, is_fact_id
from ledger.model.order import is_stem
from ledger.model.record import Record
from memory.recall.recall_values import is_place, parted
from rituals.record.json_request import Strict, model_of, reason
from rituals.record.request import NewFact, Request, Supersession, Update

A = TypeVar("A", bound=Strict)
#: Marks what is limited so far beyond any sensible request that only the refusal says it.
UNSAID = "unsaid"
#: Words of a search or a task, names with commas between, a title, the text of a fact, the prose of a log.
WORDS_CHARS, NAMES_CHARS, TITLE_CHARS, TEXT_CHARS, BODY_CHARS = 400, 200, 200, 8_000, 100_000
#: Things of one sort in one log, hits of one answer, ids of one question.
MANY, HITS_LIMIT, IDS_LIMIT = 50, 50, 20
_ERRORS_SAID = 5
_LIMITS = ("minLength", "maxLength", "maxItems", "maxProperties", "additionalProperties")
#: What says nothing to a client. A pattern costs much: the refusal says better what does not belong there.
_LEFT_OUT = ("title", "additionalProperties", "pattern", UNSAID, "$defs")
_NOTHING: tuple[object, ...] = ("", [], {}, False)


def _lines(said: str) -> str:
    """Let lines and tabs through, and nothing else that commands a terminal or is no character."""
    if any(
        (char < " " and char not in "\t\n")
        or "\x7f" <= char < "\xa0"
        or "\ud800" <= char < "\ue000"
        for char in said
    ):
        raise ValueError("it holds a control character")
    return said


def _line(said: str) -> str:
    if any(char in said for char in "\n\x0b\x0c\u2028\u2029"):
        raise ValueError("it has to be one line")
    return _lines(said)


def _fact(said: str) -> str:
    if not is_fact_id(said):
        raise ValueError("not a fact id: ids are lower-case words joined by hyphens or dots")
    return said


def _point(said: str) -> str:
    """Let times, stems and commits through, and nothing that git could take for an option or a path."""
    clock = all(part[:1].isdigit() for part in said.split(":")[1:])
    if said[:1] in ("-", ".", ":", "+") or not clock:
        raise ValueError("not a time, a log or a commit")
    return said


def _reference(said: str) -> str:
    stem, colon, line = said.partition(":")
    if is_stem(stem) and (not colon or (line.isascii() and line.isdigit())):
        return said
    return _line(said) if is_place(said) or parted(said)[0] else _fact(said)


_Unsaid = Field(json_schema_extra={UNSAID: True})
Words = Annotated[str, Field(max_length=WORDS_CHARS), AfterValidator(_line)]
Names = Annotated[str, Field(max_length=NAMES_CHARS), AfterValidator(_line), _Unsaid]
Title = Annotated[str, Field(max_length=TITLE_CHARS), AfterValidator(_line)]
Text = Annotated[str, Field(max_length=TEXT_CHARS), AfterValidator(_lines)]
Lines = Annotated[Text, _Unsaid]
Point = Annotated[
    str,
    Field(max_length=ID_LIMIT_CHARS, pattern="^[0-9A-Za-z .,:+_-]*$"),
    AfterValidator(_point),
    _Unsaid,
]
Id = Annotated[
    str, Field(max_length=ID_LIMIT_CHARS, pattern="^[a-z0-9.-]+$"), AfterValidator(_fact), _Unsaid
]
TaskId = Annotated[str, Field(max_length=ID_LIMIT_CHARS, pattern="^[a-z0-9.-]*$"), _Unsaid]
#: A log or a document, and a line of it.
Reference = Annotated[
    str, Field(max_length=ID_LIMIT_CHARS + 20), AfterValidator(_reference), _Unsaid
]
Level = Literal["index", "timeline", "full"]
Stands = Annotated[
    Literal["", "open", "closed", "both"], Field(description="Of a thread; both: both sides hold")
]
_Body = Annotated[str, Field(max_length=BODY_CHARS), AfterValidator(_lines)]
#: What a schema says of a draft, and `rituals.record.slips` checks, in the words of the command line.
_SaidId = Annotated[str, Field(json_schema_extra={"maxLength": ID_LIMIT_CHARS, UNSAID: True})]
_SomeText = Annotated[Text, Field(json_schema_extra={"minLength": 1})]
_Said = Annotated[
    dict[str, Annotated[str, Field(max_length=TEXT_CHARS), AfterValidator(_line)]],
    Field(max_length=MANY), _Unsaid,
]  # fmt: skip


def _of(type_: Any, said: str, **limits: Any) -> Any:
    return Annotated[type_, Field(description=said or None, **limits)]


def _many(model: Any, said: str = "") -> Any:
    return Annotated[list[model], Field(max_length=MANY, description=said or None), _Unsaid]


_KINDS = (
    "invariant, stack, decision, convention, fact, pattern, thread (open question), task, preference "
    "or reference"
)
_New = model_of(NewFact, {
    "text": _SomeText,
    "id": Annotated[_of(str, "kebab-case; else made from the text", max_length=ID_LIMIT_CHARS), _Unsaid],
    "kind": Annotated[_of(str, _KINDS, max_length=40), AfterValidator(_line), _Unsaid],
    "tags": _many(Names), "entity": _many(Names, "What it is about"), "footers": _Said,
})  # fmt: skip
#: A session log: what `diurna append --from-json` takes, without what the server fills in.
AppendAsked = model_of(Request, {
    "title": _of(Title, "", min_length=1),
    "body": _of(_Body, "Markdown: what happened, why, what is next"),
    "refs": _many(_SaidId, "Facts you relied on"), "new": _many(_New),
    "update": _many(model_of(Update, {"id": _SaidId, "text": _SomeText}), "Reword"),
    "supersede": _many(model_of(Supersession, {"old": _SaidId, "new": _SaidId}),
                       "old is false, new replaces it"),
    "invalidate": _many(_SaidId, "False, without successor"), "close": _many(_SaidId, "Done"),
    "reopen": _many(_SaidId), "reactivate": _many(_SaidId, "Back from the archive"),
    "move": _of(_Said, "id: state"), "helped": _of(_Said, "id: evidence"), "ignored": _Said,
    "anyway": _of(bool, "Unknown ids are meant"), "role": Annotated[Title, _Unsaid],
    "model": Annotated[Title, _Unsaid], "verdict": Annotated[_of(Title, "pass, fail"), _Unsaid],
    "about": _of(Names, "What is judged"), "tokens": Names,
}, required=("title",))  # fmt: skip


class Caller(Record):
    """Who calls."""

    agent: str = ""  #: who writes, "" for the default of the process
    host: str = ""  #: the program the agent runs in, "" where that is the agent, or not known
    #: the host session that the connection belongs to, else the connection; "" for none
    session: str = ""


def model_for(function: Callable[..., Any]) -> type[Strict]:
    """Make the model of the arguments that a function takes by name."""
    fields: dict[str, Any] = {
        name: (one.annotation, ... if one.default is Parameter.empty else one.default)
        for name, one in signature(function).parameters.items()
        if one.kind is Parameter.KEYWORD_ONLY
    }
    return create_model(function.__name__, __base__=Strict, **fields)


def read(model: type[A], arguments: Mapping[str, Any]) -> A:
    """Read the arguments of a call.

    Raises:
        WrongUsage: they are not of this shape, or over a limit; the message names each place.
    """
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as problem:
        errors = problem.errors(include_url=False, include_input=False)
    said = []
    for error in errors[:_ERRORS_SAID]:
        place = ".".join(str(part) for part in error["loc"])
        said.append(f"{place[:NAMES_CHARS]}: {reason(error, 'argument')}")
    if len(errors) > _ERRORS_SAID:
        said.append(f"and {len(errors) - _ERRORS_SAID} more")
    raise WrongUsage("; ".join(said), hint=f"arguments: {', '.join(model.model_fields)}")


def small(schema: dict[str, Any], named: dict[str, Any] | None = None) -> dict[str, Any]:
    """Leave out of a schema what pydantic adds to it, and put definitions where they are used.

    A client that resolves no references reads the whole of it then; none of our models holds itself.
    """
    named = schema.get("$defs", {}) if named is None else named
    if "$ref" in schema:
        schema = {**named[schema["$ref"].rpartition("/")[2]], **schema}
    unsaid = schema.get(UNSAID) is True
    found: dict[str, Any] = {}
    for key, value in schema.items():
        model = key == "description" and schema.get("type") == "object" and "properties" in schema
        empty = key == "default" and any(value is one or value == one for one in _NOTHING)
        if key in (*_LEFT_OUT, "$ref") or (unsaid and key in _LIMITS) or empty or model:
            if not (isinstance(value, dict) and key == "additionalProperties" and not unsaid):
                continue
        if key == "properties":
            value = {name: small(one, named) for name, one in value.items()}
        elif isinstance(value, dict):
            value = small(value, named)
        found[key] = value
    return found
