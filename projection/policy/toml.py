"""Read `diurna.toml`: the one place where its bytes become a `Policy`.

What can not be meant is refused with the key and its line (FORMAT.md, section 6; fault:M6).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from ledger.codec.outline import marker_line
from ledger.errors import DiurnaError
from ledger.model.ids import is_fact_id
from ledger.model.layout import FORMAT_VERSION, POLICY_FILE
from projection.policy.model import (
    BUILT_IN_KINDS,
    PUBLISHABLE,
    UNSETTLED,
    Kind,
    Policy,
    Upstream,
)
from projection.policy.policy_keys import GONE, TAKES, Keys, Takes, problem, shown, value_said

#: Notes what is wrong: with which key, in words, and what to do.
Wrong = Callable[[Keys, str, str], None]

POLICY_LIMIT_BYTES = 64 << 10
UPSTREAMS_LIMIT = 8
#: How many parts a key can have; none that means something has more than three.
PARTS_LIMIT = 50

#: What must ascend: the table, what its values are called, and the keys.
_ASCENDING = (
    ("windows", "the windows ", ("working", "active", "archive")),
    ("windows", "the windows ", ("working_days", "active_days", "archive_days")),
    ("learning", "", ("candidate", "verified", "active")),
)
#: A key of more than `PARTS_LIMIT` parts.
_DEEP = re.compile(r"""(?<![\w-])(?:(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){50}""")
_PART = re.compile(r"""\s*(?:([A-Za-z0-9_-]+)|"([^"]*)"|'([^']*)')\s*(?:\.|$)""")


class PolicyInvalid(DiurnaError):
    """`diurna.toml` says something that can not be meant."""


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
    for path in GONE:
        _take(table, path)
    given = table.get("format")
    newest = given if isinstance(given, int) else 0
    newer = newest > FORMAT_VERSION
    if newer and not newer_ok:
        message = f"format {str(newest)[:20]} is newer than {FORMAT_VERSION}"
        message += ", the newest this version knows"
        hint = "upgrade Diurna; until then this home can be read, not written"
        raise _invalid(_lines(text).get(("format",), 0), message, hint)
    problems: list[tuple[Keys, str, str]] = []

    def wrong(path: Keys, said: str, hint: str = "") -> None:
        problems.append((path, said, hint))

    policy: Policy = _read(Policy(), table, (), wrong)
    for name, what, keys in _ASCENDING:
        values = getattr(policy, name)
        counts = [getattr(values, key) for key in keys]
        for smaller, larger in pairwise(keys):
            if getattr(values, smaller) > getattr(values, larger) and not problems:
                key = larger if larger in table.get(name, ()) else smaller
                said = (
                    f"{shown((name, key))} can not be {getattr(values, key)}: {what}{keys[0]}, "
                    f"{keys[1]} and {keys[2]} would be {counts[0]}, {counts[1]} and {counts[2]}"
                )
                wrong((name, key), said, f"{' <= '.join(keys)} must hold")
        if counts != sorted(counts):
            usual = Policy()
            policy = policy._replace(windows=usual.windows, learning=usual.learning)
    if problems and not newer:
        raise _first(text, problems)
    return policy._replace(format=newest) if newer else policy


def gone_keys(data: bytes | str) -> list[tuple[int, str, str]]:
    """Return what a file says that means nothing any more: its line, its key, and what does instead.

    Raises:
        PolicyInvalid: it is no TOML.
    """
    text = _decode(data)
    table, lines = _load(text), _lines(text)
    return [
        (lines.get(path, 0), shown(path), instead)
        for path, instead in GONE.items()
        if _take(table, path)
    ]


def _take(table: dict[str, Any], path: Keys) -> bool:
    """Take a key out of a file; tell whether it was there."""
    *outer, key = path
    inner: Any = table
    for name in outer:
        inner = inner.get(name) if isinstance(inner, dict) else None
    return isinstance(inner, dict) and inner.pop(key, None) is not None


def _read(usual: Any, said: object, path: Keys, wrong: Wrong) -> Any:
    """Return a table with what a file says in place of its defaults, and note what is wrong."""
    if not isinstance(said, dict):
        hint = f"write it as a heading: [{'.'.join(path)}]"
        wrong(path, f"{shown(path)} must be a table, not {value_said(said)}", hint)
        return usual
    known = [key for key in usual._fields if key != "name"]
    values: dict[str, Any] = {}
    for key, value in said.items():
        here = (*path, key)
        if key not in known:
            wrong(here, f"unknown key {shown(here)}", f"known here: {', '.join(known)}")
        elif here in (("kinds",), ("upstream",)):
            if not isinstance(value, dict):
                _read(Policy(), value, here, wrong)
                value = {}
            values[key] = (_kinds if key == "kinds" else _upstreams)(value, here, wrong)
        elif hasattr(getattr(usual, key), "_fields"):
            values[key] = _read(getattr(usual, key), value, here, wrong)
        else:
            takes = TAKES.get(("kinds", key) if path[:1] == ("kinds",) else here, Takes())
            words, hint = problem(key, value, getattr(usual, key), takes)
            if words:
                wrong(here, f"{shown(here)} {words}", hint)
            else:
                values[key] = tuple(value) if isinstance(value, list) else value
    if path == ("views",) and values:
        values["publish"] = tuple([one for one in PUBLISHABLE if one in values["publish"]])
    return usual._replace(**values)


def _kinds(said: dict[str, Any], path: Keys, wrong: Wrong) -> tuple[Kind, ...]:
    """Return the built-in kinds as changed, then the added ones by name."""
    known = {kind.name: kind for kind in BUILT_IN_KINDS}
    built_in = tuple(known)
    for name, table in said.items():
        here = (*path, name)
        if not is_fact_id(name) or "." in name:
            hint = "use lower-case letters, digits and single hyphens, as in `open-question`"
            wrong(here, f"{shown(here)}: this is no name for a kind", hint)
            continue
        kind = _read(known.get(name, Kind(name, "")), table, here, wrong)
        if kind.section:
            known[name] = kind
        elif isinstance(table, dict) and "section" not in table:
            hint = f'add the heading its facts stand under: section = "{name.capitalize()}"'
            wrong(here, f"{shown(here)} needs a section", hint)
    added = sorted(known.keys() - set(built_in))
    return tuple([known[name] for name in (*built_in, *added)])


def _upstreams(said: dict[str, Any], path: Keys, wrong: Wrong) -> tuple[Upstream, ...]:
    """Return the homes of others that a table names."""
    if len(said) > UPSTREAMS_LIMIT:
        wrong(path, f"{shown(path)} must have at most {UPSTREAMS_LIMIT} entries", "")
    for name, url in said.items():
        here = (*path, name)
        words, hint = problem(name, url, "", Takes())
        if not is_fact_id(name) or "." in name or len(name) > 40 or name == "personal":
            hint = (
                "use lower-case letters, digits and single hyphens, at most 40, and not `personal`"
            )
            wrong(here, f"{shown(here)}: this is no name for an upstream", hint)
        elif words:
            wrong(here, f"{shown(here)} {words}", hint)
    return tuple([Upstream(name, url) for name, url in said.items() if isinstance(url, str)])


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
    if deep := _DEEP.search(text):  # the parser of Python takes the square of a key's parts
        line = text.count("\n", 0, deep.start()) + 1
        raise _invalid(
            line, f"a key of more than {PARTS_LIMIT} parts", "keys are like `windows.active`"
        )
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


def _lines(text: str) -> dict[Keys, int]:
    """Return the first line of each heading and key, and of what contains it, 1-based."""
    found: dict[Keys, int] = {}
    table: Keys = ()
    for number, line in enumerate(text.split("\n"), 1):
        head, sign, _ = line.partition("=")
        if line.lstrip()[:1] == "[":
            head = line.strip(" \t[").partition("]")[0]
            table = ()
        elif not sign:
            continue
        keys = (*table, *[one or two or three for one, two, three in _PART.findall(head)])
        table = keys if line.lstrip()[:1] == "[" else table
        for end in range(1, len(keys) + 1):
            found.setdefault(keys[:end], number)
    return found


def _first(text: str, problems: list[tuple[Keys, str, str]]) -> PolicyInvalid:
    """Say the first problem in the file, and name the keys of the others."""
    lines = _lines(text)
    rows = []
    for path, said, hint in problems:
        ends = range(len(path), 0, -1)
        line = next((lines[path[:end]] for end in ends if path[:end] in lines), 0)
        rows.append((not line, line, path, said, hint))
    rows.sort()
    _, line, _, message, hint = rows[0]
    others = [shown(path) for _, _, path, _, _ in rows[1:4]]
    if others:
        message += f" (also wrong: {', '.join([*others, *['…'] * (len(rows) > 4)])})"
    return _invalid(line, message, hint)


def _invalid(line: int, message: str, hint: str = "") -> PolicyInvalid:
    return PolicyInvalid(message, where=f"{POLICY_FILE}:{line}" if line else POLICY_FILE, hint=hint)
