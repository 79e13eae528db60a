"""Read and write `diurna.toml`: the one place where its bytes become a `Policy`.

What can not be meant is refused with the key and its line (FORMAT.md, section 6; fault:M6). The only
module of the projection that imports pydantic: code that has a policy as a value, from a cache say,
never pays for it.
"""

from __future__ import annotations

import tomllib
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model

from ledger.codec.outline import marker_line
from ledger.errors import PolicyInvalid
from ledger.model.ids import is_fact_id
from ledger.model.layout import FORMAT_VERSION, POLICY_FILE
from projection.policy.model import (
    BUILT_IN_KINDS,
    CONTRADICTIONS,
    PUBLISHABLE,
    UNSETTLED,
    Kind,
    Policy,
    Upstream,
)
from projection.policy.policy_keys import (
    CHOICES,
    GONE,
    PARTS_LIMIT,
    Keys,
    deep_line,
    line_of,
    no_place,
    sentence,
    shown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def one_line(text: str) -> str:
    """Refuse a text that is no line of its own."""
    if not text.strip():
        raise ValueError("must not be empty")
    if text != text.strip():
        raise ValueError("must not start or end with blanks")
    if any(char < " " or "\x7f" <= char <= "\x9f" or char in "\u2028\u2029" for char in text):
        raise ValueError("must be one line without control characters")
    return text


def role(text: str) -> str:
    """Refuse what is no name of a role."""
    if not is_fact_id(text):
        raise ValueError("must be lower-case words joined by hyphens, as roles are counted")
    return text


def section(text: str) -> str:
    """Refuse the section that Diurna computes."""
    if text == CONTRADICTIONS:
        raise ValueError(f"must not be {CONTRADICTIONS}, which Diurna computes")
    return one_line(text)


def pattern(text: str) -> str:
    """Refuse what could name a file outside."""
    if text.startswith("/") or ".." in text.split("/"):
        raise ValueError("must name files of this repository, from its top")
    return one_line(text)


def is_place(name: str) -> bool:
    """Tell whether another home may be named so."""
    return is_fact_id(name) and "." not in name and len(name) <= 40 and name != "personal"


POLICY_LIMIT_BYTES = 64 << 10
COUNT_LIMIT = 1_000_000_000
NAME_LIMIT_CHARS = 200
WORDS_LIMIT = 100
UPSTREAMS_LIMIT = 8

#: What must ascend: the table, what its values are called, and the keys.
_ASCENDING = (
    ("windows", "the windows ", ("working", "active", "archive")),
    ("windows", "the windows ", ("working_days", "active_days", "archive_days")),
    ("learning", "", ("candidate", "verified", "active")),
)


_Count = Annotated[int, Field(ge=0, le=COUNT_LIMIT)]
_Name = Annotated[str, Field(max_length=NAME_LIMIT_CHARS), AfterValidator(one_line)]
_Pattern = Annotated[str, Field(max_length=NAME_LIMIT_CHARS), AfterValidator(pattern)]
_Role = Annotated[str, Field(max_length=NAME_LIMIT_CHARS), AfterValidator(role)]
_Title = Annotated[str, Field(max_length=NAME_LIMIT_CHARS), AfterValidator(section)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Kind(_Table):
    section: _Title | None = None
    decays: bool | None = None


def _list_of(entry: Any) -> Any:
    return Annotated[list[entry], Field(max_length=WORDS_LIMIT)]


#: What a key takes where neither its default nor the table of choices says so.
_TYPES: dict[Keys, Any] = {
    ("format",): Annotated[int, Field(ge=1, le=COUNT_LIMIT)],
    ("recall", "files"): _list_of(_Pattern),
    ("capture", "keep"): Literal["", *CHOICES["capture", "keep"][0], "digest", "facts"],
    ("capture", "characters"): Annotated[int, Field(ge=0, le=100_000)],
    ("moment", "command"): Literal[*CHOICES["moment", "command"][0], "hold"],
    ("moment", "facts"): Annotated[int, Field(ge=0, le=10)],
    ("moment", "characters"): Annotated[int, Field(ge=0, le=1_200)],
    ("views", "publish"): Annotated[
        list[Literal["state", "progress", "decisions"]], Field(max_length=len(PUBLISHABLE))
    ],
    ("learning", "deprecated_by"): Annotated[int, Field(ge=1, le=COUNT_LIMIT)],
    ("learning", "validators"): _list_of(_Role),
    ("learning", "adversarial"): _list_of(_Role),
}
#: What holds keys of any name.
_NAMED: dict[Keys, Any] = {
    ("upstream",): Annotated[dict[str, _Name], Field(max_length=UPSTREAMS_LIMIT)],
    ("kinds",): dict[str, _Kind],
}
#: The tables and keys of the file, as a message lists them.
_KEYS = (
    "format project publish trunk personal push windows review privacy recall capture views brief "
    "background branches learning moment upstream kinds"
).split()


def _table(path: Keys, usual: dict[str, Any]) -> Any:
    """Make the model of a table: its keys, and what they have where the file does not say so."""
    fields: dict[str, Any] = {key: _field((*path, key), value) for key, value in usual.items()}
    return create_model("_Table", __base__=_Table, **fields)


def _field(path: Keys, usual: Any) -> tuple[Any, Any]:
    """Return what a key takes, and its default."""
    if hasattr(usual, "_fields"):
        table = _table(path, dict(zip(usual._fields, usual, strict=True)))
        return table, table()
    if path in _NAMED:
        return _NAMED[path], {}
    if path in _TYPES:
        return _TYPES[path], list(usual) if isinstance(usual, tuple) else usual
    if path in CHOICES:
        return Literal[CHOICES[path][0]], usual
    if isinstance(usual, tuple):
        return _list_of(_Name), list(usual)
    return {bool: bool, int: _Count}.get(type(usual), _Name), usual


_File = _table((), {key: getattr(Policy(), key) for key in _KEYS})


def read_policy(data: bytes | str, *, newer_ok: bool = False) -> Policy:
    """Read the policy of a home, from `diurna.toml`.

    `newer_ok` reads a file of a newer format as far as this version understands it, for commands that
    write nothing; the policy then bears the newer format number.

    Raises:
        PolicyInvalid: the file says something that can not be meant; `where` is its file and line.
    """
    text = _decode(data)
    table = _load(text)
    table.pop("commit", None)  # said who commits the logs of a folder: a person, by now
    _without_gone(table)
    newest = table.get("format")
    newer = isinstance(newest, int) and newest > FORMAT_VERSION
    if newer and not newer_ok:
        newest = f"{str(newest)[:20]} is newer than {FORMAT_VERSION}"
        message = f"format {newest}, the newest this version knows"
        hint = "upgrade Diurna; until then this home can be read, not written"
        raise _refusal(text, ("format",), message, hint)
    while True:
        try:
            file = _File.model_validate(table)
        except ValidationError as invalid:
            problems = _problems(text, table, invalid.errors(include_url=False))
            if not newer:
                raise _first(problems) from None
            for _, path, _, _ in problems:
                _drop(table, path)
            continue
        said = file.model_dump()
        crooked = _crooked(table, said)
        if crooked is None:
            break
        if not newer:
            raise _refusal(text, *crooked)
        _drop(table, ("windows",) if crooked[0][0] == "windows" else crooked[0])
    return _policy(said | {"format": newest if isinstance(newest, int) else said["format"]})


def gone_keys(data: bytes | str) -> list[tuple[int, str, str]]:
    """Return what a file says that means nothing any more: its line, its key, and what does instead.

    Raises:
        PolicyInvalid: it is no TOML.
    """
    text = _decode(data)
    return [(line_of(text, path), shown(path), GONE[row])
            for path, row in _without_gone(_load(text))]  # fmt: skip


def _without_gone(table: dict[str, Any]) -> list[tuple[Keys, Keys]]:
    """Take out what means nothing any more; return its keys, each with its row of the table."""
    found = []
    for row in GONE:
        *outer, last = row
        inner: Any = table
        for name in outer:
            inner = inner.get(name) if isinstance(inner, dict) else None
        path = row if isinstance(inner, dict) and last in inner else row[:-1] * (inner == last)
        if path:
            _drop(table, path)
            found.append((path, row))
    return found


def _policy(said: dict[str, Any]) -> Policy:
    """Return what a file says, as the projection has it."""
    said["kinds"] = _kinds(said["kinds"])
    said["upstream"] = Upstream.all_of(said["upstream"])
    published = said["views"]["publish"]
    said["views"]["publish"] = [name for name in PUBLISHABLE if name in published]
    for key, usual in zip(Policy._fields, Policy(), strict=True):
        if isinstance(said[key], dict):
            values = {
                name: tuple(one) if isinstance(one, list) else one
                for name, one in said[key].items()
            }
            said[key] = type(usual)(**values)
    return Policy(**said)


def _decode(data: bytes | str) -> str:
    if len(data) > POLICY_LIMIT_BYTES:
        raise _invalid(0, f"{len(data)} bytes, over the limit of {POLICY_LIMIT_BYTES}")
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        raise _invalid(line, "this is not UTF-8", "save the file as UTF-8") from None


def _load(text: str) -> dict[str, Any]:
    deep = deep_line(text)
    if deep:  # the parser of Python takes a time that grows with the square of a key's parts
        message = f"a key of more than {PARTS_LIMIT} parts"
        raise _invalid(deep, message, "keys are like `windows.active`")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _invalid(0, "nested too deep") from None
    except ValueError as bad:  # also a number of more digits than Python reads
        message, _, place = str(bad).partition(" (at ")
        marker = marker_line(text)
        if marker:
            hint = "keep the lines that hold and take the markers out"
            raise _invalid(marker, UNSETTLED, hint) from None
        if message.startswith("Exceeds the limit"):
            message = "a number has too many digits"
        digits = place.partition("line ")[2].partition(",")[0]
        line = int(digits) if digits.isascii() and digits.isdigit() else 0
        line = text.count("\n") + 1 if "end of document" in place else line
        hint = 'a line is `key = value`, and text stands in quotes: project = "name"'
        raise _invalid(line, f"this is not TOML: {message[:200]}", hint) from None


def _kinds(changed: dict[str, dict[str, Any]]) -> tuple[Kind, ...]:
    """Return the built-in kinds as changed, then the added ones by name."""
    kinds = []
    for kind in BUILT_IN_KINDS:
        change = changed.pop(kind.name, {"section": None, "decays": None})
        decays = kind.decays if change["decays"] is None else change["decays"]
        kinds.append(Kind(kind.name, change["section"] or kind.section, decays))
    for name, added in sorted(changed.items()):
        kinds.append(Kind(name, added["section"] or name, added["decays"] is not False))
    return tuple(kinds)


def _crooked(table: dict[str, Any], said: dict[str, Any]) -> tuple[Keys, str, str] | None:
    """Find values that contradict each other: where, what, and what to do."""
    for table_name, what, names in _ASCENDING:
        values = said[table_name]
        counts = [values[name] for name in names]
        for smaller, larger in pairwise(names):
            if values[smaller] > values[larger]:
                key = larger if larger in table.get(table_name, ()) else smaller
                message = (
                    f"`{table_name}.{key}` can not be {values[key]}: {what}{names[0]}, "
                    f"{names[1]} and {names[2]} would be {counts[0]}, {counts[1]} and {counts[2]}"
                )
                return (table_name, key), message, f"{' <= '.join(names)} must hold"
    for name in said["upstream"]:
        if not is_place(name):
            where = ("upstream", name)
            return where, *no_place(where)
    built_in = {kind.name for kind in BUILT_IN_KINDS}
    for name, kind in said["kinds"].items():
        where = ("kinds", name)
        if not is_fact_id(name) or "." in name:
            hint = "use lower-case letters, digits and single hyphens, as in `open-question`"
            return where, f"{shown(where)}: this is no name for a kind", hint
        if kind["section"] is None and name not in built_in:
            hint = f'add the heading its facts stand under: section = "{name.capitalize()}"'
            return where, f"{shown(where)} needs a section", hint
    return None


Problem = tuple[int, Keys, str, str]  #: line or 0, path, message, hint


def _problems(text: str, table: dict[str, object], errors: list[ErrorDetails]) -> list[Problem]:
    """Say each error in our own words, in the order of the file."""
    found = []
    for count, error in enumerate(errors):
        path = tuple(part for part in error["loc"] if isinstance(part, str))
        line = line_of(text, path) if count < 8 else 0
        found.append((line, path, *sentence(path, error, _known_keys)))
    return sorted(found, key=lambda problem: (not problem[0], problem[0], problem[1]))


def _known_keys(path: Keys) -> tuple[str, ...]:
    field = _File.model_fields.get(path[0]) if path else None
    table = field.annotation if field else None
    known = table if isinstance(table, type) and issubclass(table, _Table) else _Kind
    return tuple((known if path else _File).model_fields)


def _first(problems: list[Problem]) -> PolicyInvalid:
    line, _, message, hint = problems[0]
    if len(problems) > 1:
        others = [shown(path) for _, path, _, _ in problems[1:4]]
        message += f" (also wrong: {', '.join([*others, *['…'] * (len(problems) > 4)])})"
    return _invalid(line, message, hint)


def _refusal(text: str, path: Keys, message: str, hint: str) -> PolicyInvalid:
    return _invalid(line_of(text, path), message, hint)


def _invalid(line: int, message: str, hint: str = "") -> PolicyInvalid:
    return PolicyInvalid(message, where=f"{POLICY_FILE}:{line}" if line else POLICY_FILE, hint=hint)


def _drop(table: dict[str, object], path: Keys) -> None:
    """Take a key out of a file; all keys, should it not be there."""
    *outer, key = path or ("",)
    inner: object = table
    for name in outer:
        inner = inner.get(name) if isinstance(inner, dict) else None
    if isinstance(inner, dict) and key in inner:
        del inner[key]
    else:
        table.clear()
