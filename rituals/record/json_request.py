"""`append --from-json`: bytes become a request here, strictly (G6 and G21 of the catalogue)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ledger.errors import DraftRefused
from ledger.model.findings import Finding
from projection.policy.model import DEFAULT_KIND
from rituals.record.compose import Request
from rituals.record.new_facts import NewFact


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _New(_Strict):
    text: str = Field(min_length=1)
    id: str = ""
    kind: str = DEFAULT_KIND
    tags: list[str] = []
    entity: list[str] = []


class _Update(_Strict):
    id: str
    text: str


class _Supersede(_Strict):
    old: str
    new: str


class JsonDraft(_Strict):
    """A session log as JSON; every key may be left out, no other key may be there."""

    title: str = ""
    body: str = ""
    agent: str = ""
    role: str = ""
    host: str = ""
    model: str = ""
    session: str = ""
    refs: list[str] = []
    new: list[_New] = []
    update: list[_Update] = []
    supersede: list[_Supersede] = []
    invalidate: list[str] = []
    close: list[str] = []
    reopen: list[str] = []
    reactivate: list[str] = []
    anyway: bool = False


#: What pydantic calls an error -> how it reads behind the place.
_SAID = {
    "extra_forbidden": "there is no such key",
    "missing": "it has to be there",
    "string_type": "it has to be a string",
    "bool_type": "it has to be true or false",
    "list_type": "it has to be a list",
    "model_type": "it has to be an object",
    "model_attributes_type": "it has to be an object",
    "string_too_short": "it is empty",
}
#: The keys of the objects inside.
_INNER: dict[str, type[BaseModel]] = {"new": _New, "update": _Update, "supersede": _Supersede}
HEADER_KEYS = ("role", "host", "model", "session")


def read_json(data: bytes, name: str) -> Request:
    """Read a request from JSON.

    Args:
        data: UTF-8.
        name: of the file, for messages.

    Raises:
        DraftRefused: it is no JSON, or not of this shape; the findings name each place.
    """
    try:
        draft = JsonDraft.model_validate_json(data)
    except ValidationError as problem:
        raise DraftRefused(_findings(problem, name)) from None
    return request_of(draft)


def request_of(draft: JsonDraft) -> Request:
    """Turn what JSON says into what is to be recorded."""
    return Request(
        draft.title,
        draft.body,
        draft.agent,
        "",
        tuple((key, getattr(draft, key)) for key in HEADER_KEYS if getattr(draft, key)),
        tuple(draft.refs),
        tuple(
            NewFact(new.kind, new.id, new.text, tuple(new.tags), tuple(new.entity))
            for new in draft.new
        ),
        tuple((update.id, update.text) for update in draft.update),
        tuple((pair.old, pair.new) for pair in draft.supersede),
        tuple(draft.invalidate),
        tuple(draft.close),
        tuple(draft.reopen),
        tuple(draft.reactivate),
        draft.anyway,
    )


def _findings(problem: ValidationError, name: str) -> tuple[Finding, ...]:
    found = []
    for error in problem.errors(include_url=False, include_input=False):
        place = ".".join(str(part) for part in error["loc"])
        said = _SAID.get(error["type"], error["msg"])
        said = f"{place}: {said}" if place else said.replace("it has to be", "the JSON has to be")
        key = str(error["loc"][0]) if len(error["loc"]) > 1 else ""
        model = _INNER.get(key, JsonDraft)
        hint = f"keys: {', '.join(model.model_fields)}"
        if error["type"] == "json_invalid":
            hint = 'for example: {"title": "Tidy", "new": [{"text": "CI runs on two cores."}]}'
        found.append(Finding("not-canonical", said, name, hint=hint))
    return tuple(found)
