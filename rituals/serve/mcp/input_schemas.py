"""Define what a client may ask, one strict model for each tool.

Requests become values here, within limits. The models are the input schemas too, and an agent pays for
every word of those: a name speaks for itself where it can. What all texts have in common (no control
characters), patterns, and limits that only nonsense meets are checked without being said.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import GenericAlias
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, ValidationError

from ledger.errors import WrongUsage
from ledger.model.ids import ID_LIMIT_CHARS, is_fact_id
from ledger.model.order import is_stem
from memory.brief.brief_place import BRIEF_CHARS
from memory.recall.recall_values import is_place, parted
from projection.brief.budget import LEAST_CHARS
from rituals.record.json_request import Strict, model_of, reason
from rituals.record.request import NewFact, Request, Supersession, Update
from rituals.serve.mcp.compact_schema import UNSAID

A = TypeVar("A", bound="Strict")

#: Words of a search or of a task.
WORDS_CHARS = 400
#: A name, of a kind or an agent; several of them with commas between.
NAMES_CHARS = 200
TITLE_CHARS = 200
#: The text of one fact.
TEXT_CHARS = 8_000
#: The prose of a log.
BODY_CHARS = 100_000
#: Things of one sort in one log.
MANY = 50
HITS_LIMIT = 50
#: Ids in one question.
IDS_LIMIT = 20
BUDGET_CHARS = 40_000
_REFERENCE_CHARS = ID_LIMIT_CHARS + 20  # a log or a document, and a line of it
_POINT_CHARS = ID_LIMIT_CHARS
_ERRORS_SAID = 5


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
    if is_place(said) or parted(said)[0]:
        return _line(said)
    return _fact(said)


_Unsaid = Field(json_schema_extra={UNSAID: True})
Words = Annotated[str, Field(max_length=WORDS_CHARS), AfterValidator(_line)]
Names = Annotated[str, Field(max_length=NAMES_CHARS), AfterValidator(_line), _Unsaid]
Title = Annotated[str, Field(max_length=TITLE_CHARS), AfterValidator(_line)]
Text = Annotated[str, Field(max_length=TEXT_CHARS), AfterValidator(_lines)]
Body = Annotated[str, Field(max_length=BODY_CHARS), AfterValidator(_lines)]
Point = Annotated[
    str,
    Field(max_length=_POINT_CHARS, pattern="^[0-9A-Za-z .,:+_-]*$"),
    AfterValidator(_point),
    _Unsaid,
]
Id = Annotated[
    str, Field(max_length=ID_LIMIT_CHARS, pattern="^[a-z0-9.-]+$"), AfterValidator(_fact), _Unsaid
]
Reference = Annotated[str, Field(max_length=_REFERENCE_CHARS), AfterValidator(_reference), _Unsaid]
#: What a schema says of a draft, and `rituals.record.slips` checks, in the words of the command line.
SaidId = Annotated[str, Field(json_schema_extra={"maxLength": ID_LIMIT_CHARS, UNSAID: True})]
SomeText = Annotated[Text, Field(json_schema_extra={"minLength": 1})]


class RecallAsked(Strict):
    """A search."""

    query: Annotated[
        Words, Field(min_length=1, description='Words, identifiers, "phrases", prefix*, -not')
    ]
    level: Literal["index", "timeline", "full"] = "index"
    limit: Annotated[int, Field(ge=1, le=HITS_LIMIT)] = 10
    within: Literal["", "facts", "sessions", "docs", "upstream"] = ""
    kind: Names = ""
    tier: Annotated[Names, Field(description="core, working, active, archived or superseded")] = ""
    tag: Names = ""
    entity: Names = ""
    agent: Names = ""
    role: Names = ""
    branch: Names = ""
    since: Point = ""
    until: Point = ""
    as_of: Annotated[Point, Field(description="Time, log or commit")] = ""
    superseded: Annotated[bool, Field(description="Also what is false now")] = False
    org: Annotated[bool, Field(description="The organisation's ledgers")] = False
    team: Names = ""
    repo: Names = ""


class GetAsked(Strict):
    """Hits by their ids."""

    ids: Annotated[list[Reference], Field(min_length=1, max_length=IDS_LIMIT)]
    level: Annotated[
        Literal["index", "timeline", "full"], Field(description="timeline: what happened around it")
    ] = "full"


class BriefAsked(Strict):
    """What to know before starting."""

    task: Annotated[Words, Field(description="What you are about to do, or a task's id")] = ""
    role: Names = ""
    budget_chars: Annotated[int, Field(ge=LEAST_CHARS, le=BUDGET_CHARS)] = BRIEF_CHARS


def _many(model: Any, **said: Any) -> Any:
    return Annotated[GenericAlias(list, (model,)), Field(max_length=MANY, **said), _Unsaid]


#: Words of one line by key, as many as anything else.
Said = Annotated[dict[str, Annotated[str, Field(max_length=TEXT_CHARS), AfterValidator(_line)]],
                 Field(max_length=MANY), _Unsaid]  # fmt: skip

_New = model_of(
    NewFact,
    {
        "text": SomeText,
        "id": Annotated[
            str,
            Field(max_length=ID_LIMIT_CHARS, description="kebab-case; else made from the text"),
            _Unsaid,
        ],
        "kind": Annotated[
            str,
            Field(
                max_length=40,
                description="invariant, stack, decision, convention, fact, pattern, thread (open "
                "question), task, preference or reference",
            ),
            AfterValidator(_line),
            _Unsaid,
        ],
        "tags": _many(Names),
        "entity": _many(Names, description="What it is about"),
        "footers": Said,
    },
)
_Update = model_of(Update, {"id": SaidId, "text": SomeText})
_Supersession = model_of(Supersession, {"old": SaidId, "new": SaidId})


#: A session log: what `diurna append --from-json` takes, without what the server fills in.
AppendAsked = model_of(
    Request,
    {
        "title": Annotated[Title, Field(min_length=1)],
        "body": Annotated[Body, Field(description="Markdown: what happened, why, what is next")],
        "refs": _many(SaidId, description="Facts you relied on"),
        "new": _many(_New),
        "update": _many(_Update, description="Reword"),
        "supersede": _many(_Supersession, description="old is false, new replaces it"),
        "invalidate": _many(SaidId, description="False, without successor"),
        "close": _many(SaidId, description="Done"),
        "reopen": _many(SaidId),
        "reactivate": _many(SaidId, description="Back from the archive"),
        "move": Annotated[Said, Field(description="id: state")],
        "helped": Annotated[Said, Field(description="id: evidence")],
        "ignored": Said,
        "anyway": Annotated[bool, Field(description="Unknown ids are meant")],
        "role": Annotated[Title, _Unsaid],
        "model": Annotated[Title, _Unsaid],
        "verdict": Annotated[Title, Field(description="pass, fail"), _Unsaid],
        "about": Annotated[Names, Field(description="What is judged")],
        "tokens": Annotated[Names, _Unsaid],
    },
    required=("title",),
)


class ResolveAsked(Strict):
    """A contradiction, and what holds."""

    id: Id
    choose: Annotated[Names, Field(description="A side's id; without it, sides are listed")] = ""
    text: Annotated[Text, Field(description="A new text instead")] = ""
    state: Annotated[Literal["", "open", "closed"], Field(description="Of a thread")] = ""


class LearnAsked(Strict):
    """What was met again and again, and whether to raise it."""

    ask: Annotated[bool, Field(description="Raise them as threads")] = False


_Task = Annotated[str, Field(max_length=ID_LIMIT_CHARS, pattern="^[a-z0-9.-]*$"), _Unsaid]
_Points = Annotated[str, Field(max_length=TEXT_CHARS), AfterValidator(_lines), _Unsaid]


class TaskAsked(Strict):
    """A task, and what is to become of it; several texts stand on lines of their own."""

    action: Literal["list", "add", "start", "move", "done", "handoff", "pick"] = "list"
    id: _Task = ""
    text: _Points = ""
    priority: Literal["", "high", "medium", "low"] = ""
    depends: Names = ""
    criteria: _Points = ""
    state: Literal["", "blocked", "cancelled"] = ""
    why: Names = ""
    start: bool = False
    take_over: bool = False
    role: Names = ""
    to: Annotated[Names, Field(description="agent or role")] = ""
    done: _Points = ""
    remaining: _Points = ""
    warnings: _Points = ""
    questions: _Points = ""
    next: _Points = ""
    confidence: Names = ""


class StatusAsked(Strict):
    """Where the ledger stands."""


class StartAsked(Strict):
    """The prompt `session-start`."""

    task: Words = ""


class FactAsked(Strict):
    """The resource of a fact."""

    id: Id


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
