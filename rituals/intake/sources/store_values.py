"""Read the values that stores have in common: kinds, JSON, tags, times, and whom a text is about."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

from ledger.model.order import is_date

#: What tools call the kinds of the policy. A word that is not here makes a plain fact.
_KINDS = {
    "decision": "decision", "adr": "decision", "rationale": "decision",
    "convention": "convention", "rule": "convention", "guideline": "convention",
    "standard": "convention", "practice": "convention",
    "invariant": "invariant", "pattern": "pattern",
    "stack": "stack", "tech": "stack", "technology": "stack", "tool": "stack", "tools": "stack",
    "preference": "preference",
    "todo": "thread", "task": "thread", "question": "thread", "open": "thread", "next": "thread",
    "action": "thread", "reference": "reference", "link": "reference", "resource": "reference",
}  # fmt: skip
_PERSON = re.compile(
    r"(i|i'm|i’m|i'd|my name|name is|(the )?user('s|’s)?|prefers|likes|dislikes)\b", re.IGNORECASE
)
_JSON_CHARS = 1 << 20
_DAY_CHARS = 10
#: From so many on a number counts milliseconds, microseconds, nanoseconds.
_SCALES = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))


def kind_of(word: str) -> str:
    """Return the kind of the policy that a tool's word for a memory means, "" for a plain fact."""
    word = word.strip().lower()
    return _KINDS.get(word) or _KINDS.get(word.removesuffix("s"), "")


def is_about_a_person(text: str) -> bool:
    """Tell whether a text says what one person is, has or likes: it starts with whom it is about."""
    return _PERSON.match(text.lstrip()) is not None


def from_json(text: str, limit: int = _JSON_CHARS) -> object:
    """Return what a text of JSON holds, None where it is none, too deep, or longer than a limit."""
    if not text or len(text) > limit:
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def mapping(value: object) -> dict[str, object]:
    """Return a JSON object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def shown(path: str) -> str:
    """Return a path that can be printed, whatever bytes its name has."""
    return path.encode("utf-8", "replace").decode()


def texts(value: object) -> tuple[str, ...]:
    """Return the texts of a JSON array without empty ones."""
    found = value if isinstance(value, list) else []
    return tuple([one.strip() for one in found if isinstance(one, str) and one.strip()])


def text(value: object) -> str:
    """Return a JSON text, "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def several(number: int, one: str, more: str) -> str:
    """Return a number with its noun: `1 memory`, `1,200 memories`."""
    return f"{number:,} {one if number == 1 else more}"


def tag_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what of a tool's words can be tags here, each once."""
    bare = [re.sub(r"[^a-z0-9]+", "-", word.lower()[:60]).strip("-") for word in words[:20]]
    return tuple(dict.fromkeys([word for word in bare if word]))


def time_of(said: object) -> str:
    """Return a time as a date or an instant (UTC); "" for what is none."""
    if isinstance(said, bool) or said is None:
        return ""
    if isinstance(said, str):
        text = said.strip()
        if text.isascii() and text.replace(".", "", 1).isdigit() and len(text) >= _DAY_CHARS - 1:
            return _since_1970(float(text)) if len(text) < 24 else ""
        return _written(text)
    return _since_1970(float(said)) if isinstance(said, int | float) else ""


def _written(text: str) -> str:
    """Read a time as it is written; one without a zone is taken as UTC, one that is odd for its day."""
    day = text[:_DAY_CHARS].replace("/", "-")
    if not is_date(day):
        return ""
    if len(text) == _DAY_CHARS:
        return day
    try:
        read = datetime.fromisoformat(day + text[_DAY_CHARS:].replace(" UTC", "Z"))
        if read.tzinfo is not None:
            read = read.astimezone(UTC)
    except (ValueError, OverflowError):
        return day
    return read.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def _since_1970(number: float) -> str:
    try:
        for least, unit in _SCALES:
            if number >= least:
                number /= unit
                break
        return (
            datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if number > 0 else ""
        )
    except (ValueError, OverflowError, OSError):
        return ""
