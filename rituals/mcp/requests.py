"""What a client may ask: one model for each tool. Requests become values here, strictly and within limits.

The models are the input schemas too, and an agent pays for every word of those: a name speaks for itself
where it can, and what all texts have in common (no control characters) is checked without being said.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ledger.errors import WrongUsage
from ledger.model.ids import ID_LIMIT_CHARS, is_fact_id
from ledger.model.order import is_stem
from memory.brief.place import BRIEF_CHARS
from projection.brief.budget import LEAST_CHARS
from projection.policy.model import DEFAULT_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    A = TypeVar("A", bound="Asked")

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
_REFERENCE_CHARS = ID_LIMIT_CHARS + 20  # the stem of a log and a line of it
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
    """Let dates, stems and commits through, and nothing that git could take for an option."""
    if said[:1] in ("-", "."):
        raise ValueError("not a date, a log or a commit")
    return said


def _reference(said: str) -> str:
    stem, colon, line = said.partition(":")
    if is_stem(stem) and (not colon or (line.isascii() and line.isdigit())):
        return said
    return _fact(said)


_OneLine = (AfterValidator(_line), Field(json_schema_extra={"pattern": "^.*$"}))
Words = Annotated[str, Field(max_length=WORDS_CHARS), *_OneLine]
Names = Annotated[str, Field(max_length=NAMES_CHARS), AfterValidator(_line)]
Title = Annotated[str, Field(max_length=TITLE_CHARS), *_OneLine]
Text = Annotated[str, Field(max_length=TEXT_CHARS), AfterValidator(_lines)]
Body = Annotated[str, Field(max_length=BODY_CHARS), AfterValidator(_lines)]
Point = Annotated[
    str, Field(max_length=_POINT_CHARS, pattern="^[0-9a-z._-]*$"), AfterValidator(_point)
]
Id = Annotated[
    str, Field(max_length=ID_LIMIT_CHARS, pattern="^[a-z0-9.-]+$"), AfterValidator(_fact)
]
Reference = Annotated[
    str, Field(max_length=_REFERENCE_CHARS, pattern="^[a-z0-9._:-]+$"), AfterValidator(_reference)
]
Ids = Annotated[list[Id], Field(max_length=MANY)]


class Asked(BaseModel):
    """What a tool takes: these keys and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class RecallAsked(Asked):
    """A search."""

    query: Annotated[
        Words,
        Field(min_length=1, description='Words, identifiers, "phrases", prefix*, -not'),
    ]
    level: Literal["index", "timeline", "full"] = "index"
    limit: Annotated[int, Field(ge=1, le=HITS_LIMIT)] = 10
    within: Literal["", "facts", "sessions"] = ""
    kind: Names = ""
    tier: Names = ""
    tag: Names = ""
    entity: Names = ""
    agent: Names = ""
    role: Names = ""
    branch: Names = ""
    since: Point = ""
    until: Point = ""
    as_of: Annotated[Point, Field(description="Date, log or commit")] = ""
    superseded: Annotated[bool, Field(description="Also what is false now")] = False


class GetAsked(Asked):
    """Hits by their ids."""

    ids: Annotated[list[Reference], Field(min_length=1, max_length=IDS_LIMIT)]
    level: Annotated[
        Literal["index", "timeline", "full"],
        Field(description="timeline: what happened around it"),
    ] = "full"


class BriefAsked(Asked):
    """What to know before starting."""

    task: Annotated[Words, Field(description="What you are about to do")] = ""
    role: Names = ""
    budget_chars: Annotated[int, Field(ge=LEAST_CHARS, le=BUDGET_CHARS)] = BRIEF_CHARS


class NewAsked(Asked):
    """A fact to be born."""

    text: Annotated[Text, Field(min_length=1)]
    id: Annotated[
        str,
        Field(max_length=ID_LIMIT_CHARS, description="kebab-case; else made from the text"),
    ] = ""
    kind: Annotated[
        str,
        Field(
            max_length=40,
            description="invariant, stack, decision, convention, fact, pattern, thread (open "
            "question), preference or reference",
        ),
        AfterValidator(_line),
    ] = DEFAULT_KIND
    tags: Annotated[list[Names], Field(max_length=MANY)] = []
    entity: Annotated[list[Names], Field(max_length=MANY, description="what it is about")] = []


class UpdateAsked(Asked):
    """A new text for a fact."""

    id: Id
    text: Annotated[Text, Field(min_length=1)]


class SupersedeAsked(Asked):
    """A fact that is false now, and the one that replaces it."""

    old: Id
    new: Id


class AppendAsked(Asked):
    """A session log: the keys of `diurna append --from-json` but those that the server fills in."""

    title: Annotated[Title, Field(min_length=1)]
    body: Annotated[Body, Field(description="Markdown: what happened, why, what is next")] = ""
    refs: Annotated[Ids, Field(description="Facts you relied on")] = []
    new: Annotated[list[NewAsked], Field(max_length=MANY)] = []
    update: Annotated[list[UpdateAsked], Field(max_length=MANY, description="Reword")] = []
    supersede: Annotated[
        list[SupersedeAsked], Field(max_length=MANY, description="old is false, new replaces it")
    ] = []
    invalidate: Annotated[Ids, Field(description="False, without successor")] = []
    close: Annotated[Ids, Field(description="Threads that are done")] = []
    reopen: Ids = []
    reactivate: Annotated[Ids, Field(description="Back from the archive")] = []
    anyway: Annotated[bool, Field(description="Unknown ids are meant")] = False
    role: Title = ""
    model: Title = ""


class ResolveAsked(Asked):
    """A contradiction, and what holds."""

    id: Id
    choose: Annotated[Names, Field(description="A side's id; without it, sides are listed")] = ""
    text: Annotated[Text, Field(description="A new text instead")] = ""
    state: Annotated[Literal["", "open", "closed"], Field(description="Of a thread")] = ""


class StatusAsked(Asked):
    """Where the ledger stands."""


class StartAsked(Asked):
    """The prompt `session-start`."""

    task: Words = ""


class FactAsked(Asked):
    """The resource of a fact."""

    id: Id


#: What pydantic calls an error -> how it reads behind the place.
_SAID = {
    "extra_forbidden": "there is no such argument",
    "missing": "it has to be there",
    "string_type": "it has to be a string",
    "list_type": "it has to be a list",
    "int_type": "it has to be a whole number",
    "bool_type": "it has to be true or false",
    "string_too_short": "it is empty",
    "too_short": "it is empty",
    "string_pattern_mismatch": "it has characters that do not belong there",
    "literal_error": "it has to be one of {expected}",
    "string_too_long": "it has more than {max_length} characters",
    "too_long": "it has more than {max_length}",
    "greater_than_equal": "it has to be at least {ge}",
    "less_than_equal": "it has to be at most {le}",
    "value_error": "{error}",
}


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
        reason = _SAID.get(error["type"], error["msg"]).format(**error.get("ctx", {}))
        said.append(f"{place[:NAMES_CHARS]}: {reason}")
    if len(errors) > _ERRORS_SAID:
        said.append(f"and {len(errors) - _ERRORS_SAID} more")
    raise WrongUsage("; ".join(said), hint=f"arguments: {', '.join(model.model_fields)}")
