"""Read and write `diurna.toml`: the one place where its bytes become a `Policy`.

What can not be meant is refused with the key and its line (FORMAT.md, section 6; fault:M6). The only
module of the projection that imports pydantic: code that has a policy as a value, from a cache say,
never pays for it.
"""

from __future__ import annotations

import tomllib
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ledger.codec.conflict_markers import marker_line
from ledger.errors import PolicyInvalid
from ledger.model.ids import is_fact_id
from ledger.model.layout import FORMAT_VERSION, POLICY_FILE
from projection.policy.model import (
    BUILT_IN_KINDS,
    PUBLISHABLE,
    UNSETTLED,
    Background,
    Branches,
    Briefs,
    Capture,
    Commits,
    Inbox,
    Kind,
    Learning,
    Moments,
    Policy,
    Privacy,
    Recall,
    Review,
    Upstream,
    Views,
    Windows,
)
from projection.policy.policy_keys import PARTS_LIMIT, Keys, deep_line, line_of, shown
from projection.policy.policy_messages import no_place, sentence
from projection.policy.policy_words import is_place, one_line, pattern, role, section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

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
_Threshold = Annotated[int, Field(ge=1, le=COUNT_LIMIT)]
_Role = Annotated[str, Field(max_length=NAME_LIMIT_CHARS), AfterValidator(role)]
_Title = Annotated[str, Field(max_length=NAME_LIMIT_CHARS), AfterValidator(section)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    def values(self) -> dict[str, Any]:
        """Return what it says, as the projection has it."""
        said = self.model_dump().items()
        return {key: tuple(one) if isinstance(one, list) else one for key, one in said}


class _Windows(_Table):
    working: _Count = Windows().working
    active: _Count = Windows().active
    archive: _Count = Windows().archive
    working_days: _Count = 0
    active_days: _Count = 0
    archive_days: _Count = 0
    stretch_hours: _Count = 0


class _Review(_Table):
    every: _Count = Review().every
    max_facts: _Count = Review().max_facts
    max_lines: _Count = Review().max_lines
    closed_thread_lines: _Count = Review().closed_thread_lines
    verify_invariants_every: _Count = Review().verify_invariants_every
    stale_thread_after: _Count = Review().stale_thread_after
    ask: Literal["pull-request", "issue", "off"] = "off"


class _Privacy(_Table):
    secrets: Literal["redact", "refuse"] = "redact"
    personal: Literal["warn", "redact", "keep"] = "warn"


class _Recall(_Table):
    language: Literal["en", "de", "es", "fr"] = "en"
    files: Annotated[list[_Pattern], Field(max_length=WORDS_LIMIT)] = []


class _Capture(_Table):
    keep: Literal["", "told", "digest", "off", "facts"] = ""
    trust: Literal["thread", "supersede"] = "thread"
    approve: Literal["none", "ask"] = "none"
    decision_words: Annotated[list[_Name], Field(max_length=WORDS_LIMIT)] = []
    facts: Literal["said", "off"] = "said"
    ask: _Count = Capture().ask
    characters: Annotated[int, Field(ge=0, le=100_000)] = Capture().characters


class _Moment(_Table):
    prompt: bool = Moments().prompt
    command: Literal["tell", "hold", "off"] = "tell"
    file: bool = Moments().file
    facts: Annotated[int, Field(ge=0, le=10)] = 3
    characters: Annotated[int, Field(ge=0, le=1_200)] = 600


class _Views(_Table):
    publish: Annotated[
        list[Literal["state", "progress", "decisions"]], Field(max_length=len(PUBLISHABLE))
    ] = []


class _Commits(_Table):
    own: bool = True


class _Branches(_Table):
    follow: bool = True


class _Background(_Table):
    run: Literal["daily", "off"] = "daily"


class _Briefs(_Table):
    rest: _Count = Briefs().rest


class _Learning(_Table):
    candidate: _Count = Learning().candidate
    verified: _Count = Learning().verified
    verified_contexts: _Count = Learning().verified_contexts
    active: _Count = Learning().active
    active_contexts: _Count = Learning().active_contexts
    deprecated_by: _Threshold = Learning().deprecated_by
    validator_weight: _Count = Learning().validator_weight
    validators: Annotated[list[_Role], Field(max_length=WORDS_LIMIT)] = list(Learning().validators)
    adversarial: Annotated[list[_Role], Field(max_length=WORDS_LIMIT)] = list(
        Learning().adversarial
    )
    adversarial_tokens: _Count = Learning().adversarial_tokens
    role_tokens: _Count = Learning().role_tokens


class _Inbox(_Table):
    accept: bool = False
    to: Annotated[dict[str, _Name], Field(max_length=UPSTREAMS_LIMIT)] = {}


class _Kind(_Table):
    section: _Title | None = None
    decays: bool | None = None


class _File(_Table):
    format: Annotated[int, Field(ge=1, le=COUNT_LIMIT)] = 1
    project: _Name = Policy().project
    publish: Literal["append", "trunk", "review"] = "append"
    trunk: _Name = ""
    personal: bool = False
    push: bool = False
    windows: _Windows = _Windows()
    review: _Review = _Review()
    privacy: _Privacy = _Privacy()
    recall: _Recall = _Recall()
    capture: _Capture = _Capture()
    views: _Views = _Views()
    brief: _Briefs = _Briefs()
    commit: _Commits = _Commits()
    background: _Background = _Background()
    branches: _Branches = _Branches()
    learning: _Learning = _Learning()
    moment: _Moment = _Moment()
    upstream: Annotated[dict[str, _Name], Field(max_length=UPSTREAMS_LIMIT)] = {}
    inbox: _Inbox = _Inbox()
    kinds: dict[str, _Kind] = {}


def read_policy(data: bytes | str, *, newer_ok: bool = False) -> Policy:
    """Read the policy of a home, from `diurna.toml`.

    `newer_ok` reads a file of a newer format as far as this version understands it, for commands that
    write nothing; the policy then bears the newer format number.

    Raises:
        PolicyInvalid: the file says something that can not be meant; `where` is its file and line.
    """
    text = _decode(data)
    table = _load(text)
    newest = table.get("format")
    newer = isinstance(newest, int) and newest > FORMAT_VERSION
    if newer and not newer_ok:
        said = f"format {str(newest)[:20]} is newer than {FORMAT_VERSION}, the newest this version knows"
        hint = "upgrade Diurna; until then this home can be read, not written"
        raise _refusal(text, ("format",), said, hint)
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
        crooked = _crooked(table, file)
        if crooked is None:
            break
        if not newer:
            raise _refusal(text, *crooked)
        _drop(table, ("windows",) if crooked[0][0] == "windows" else crooked[0])
    return Policy(
        file.project,
        file.publish,
        Windows(**file.windows.model_dump()),
        Review(**file.review.model_dump(exclude={"ask"})),
        _kinds(file.kinds),
        newest if isinstance(newest, int) else file.format,
        Privacy(file.privacy.secrets, file.privacy.personal),
        file.trunk,
        Recall(file.recall.language, tuple(file.recall.files)),
        Capture(**file.capture.values()),
        Views(tuple([name for name in PUBLISHABLE if name in file.views.publish])),
        Learning(**file.learning.values()),
        file.personal,
        file.push,
        Upstream.all_of(file.upstream),
        Inbox(file.inbox.accept, Upstream.all_of(file.inbox.to)),
        Moments(**file.moment.values()),
        Briefs(file.brief.rest),
        Commits(file.commit.own),
        Background(file.background.run),
        Branches(file.branches.follow),
        file.review.ask,
    )


def _decode(data: bytes | str) -> str:
    if len(data) > POLICY_LIMIT_BYTES:
        raise PolicyInvalid(
            f"{len(data)} bytes, over the limit of {POLICY_LIMIT_BYTES}", where=POLICY_FILE
        )
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        raise PolicyInvalid(
            "this is not UTF-8", where=f"{POLICY_FILE}:{line}", hint="save the file as UTF-8"
        ) from None


def _load(text: str) -> dict[str, object]:
    deep = deep_line(text)
    if deep:  # the parser of Python takes a time that grows with the square of a key's parts
        raise PolicyInvalid(
            f"a key of more than {PARTS_LIMIT} parts",
            where=f"{POLICY_FILE}:{deep}",
            hint="keys are like `windows.active`",
        )
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise PolicyInvalid("nested too deep", where=POLICY_FILE) from None
    except ValueError as bad:  # also a number of more digits than Python reads
        message, _, place = str(bad).partition(" (at ")
        if message.startswith("Exceeds the limit"):
            message = "a number has too many digits"
        line = text.count("\n") + 1 if "end of document" in place else _digits_after(place, "line ")
        marker = marker_line(text)
        if marker:
            raise PolicyInvalid(
                UNSETTLED,
                where=f"{POLICY_FILE}:{marker}",
                hint="keep the lines that hold and take the markers out",
            ) from None
        raise PolicyInvalid(
            f"this is not TOML: {message[:200]}",
            where=f"{POLICY_FILE}:{line}" if line else POLICY_FILE,
            hint='a line is `key = value`, and text stands in quotes: project = "name"',
        ) from None


def _digits_after(text: str, word: str) -> int:
    digits = text.partition(word)[2].partition(",")[0]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def _kinds(changed: dict[str, _Kind]) -> tuple[Kind, ...]:
    """Return the built-in kinds as changed, then the added ones by name."""
    built_in = []
    for kind in BUILT_IN_KINDS:
        change = changed.get(kind.name, _Kind())
        decays = kind.decays if change.decays is None else change.decays
        built_in.append(Kind(kind.name, change.section or kind.section, decays))
    names = {kind.name for kind in BUILT_IN_KINDS}
    added = [
        Kind(name, kind.section or name, kind.decays is not False)
        for name, kind in sorted(changed.items())
        if name not in names
    ]
    return (*built_in, *added)


def _crooked(table: dict[str, object], file: _File) -> tuple[Keys, str, str] | None:
    """Find values that contradict each other: where, what, and what to do."""
    for table_name, what, names in _ASCENDING:
        values = getattr(file, table_name)
        counts = [getattr(values, name) for name in names]
        for smaller, larger in pairwise(names):
            if getattr(values, smaller) > getattr(values, larger):
                key = larger if larger in values.model_fields_set else smaller
                message = (
                    f"`{table_name}.{key}` can not be {getattr(values, key)}: {what}{names[0]}, "
                    f"{names[1]} and {names[2]} would be {counts[0]}, {counts[1]} and {counts[2]}"
                )
                return (table_name, key), message, f"{' <= '.join(names)} must hold"
    named = [("upstream", name) for name in file.upstream]
    for where in (*named, *[("inbox", "to", name) for name in file.inbox.to]):
        if not is_place(where[-1]):
            return where, *no_place(where)
    built_in = {kind.name for kind in BUILT_IN_KINDS}
    for name, kind in file.kinds.items():
        where = ("kinds", name)
        if not is_fact_id(name) or "." in name:
            hint = "use lower-case letters, digits and single hyphens, as in `open-question`"
            return where, f"{shown(where)}: this is no name for a kind", hint
        if kind.section is None and name not in built_in:
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
    return PolicyInvalid(message, where=f"{POLICY_FILE}:{line}" if line else POLICY_FILE, hint=hint)


def _refusal(text: str, path: Keys, message: str, hint: str) -> PolicyInvalid:
    line = line_of(text, path)
    return PolicyInvalid(message, where=f"{POLICY_FILE}:{line}" if line else POLICY_FILE, hint=hint)


def _drop(table: dict[str, object], path: Keys) -> None:
    """Take a key out of a file of a newer format; all keys, should it not be there."""
    *outer, key = path or ("",)
    inner: object = table
    for name in outer:
        inner = inner.get(name) if isinstance(inner, dict) else None
    if isinstance(inner, dict) and key in inner:
        del inner[key]
    else:
        table.clear()
