"""Say what each key of `diurna.toml` takes, and in words what is wrong with a value.

What a key takes follows from its default (`projection.policy.model`); `TAKES` has what that does not say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger.model.ids import is_fact_id
from ledger.model.record import Record
from projection.policy.model import CONTRADICTIONS, LANGUAGES, PUBLISHABLE

Keys = tuple[str, ...]  #: keys from the root of the file, `("windows", "active")`

COUNT_LIMIT = 1_000_000_000
NAME_LIMIT_CHARS = 200
WORDS_LIMIT = 100

#: What says nothing any more, and what does instead; a file is read as if it were not there (Y10).
GONE: dict[Keys, str] = {
    ("inbox",): "another project is asked by an issue in its repository",
    ("review", "ask"): "`diurna review` asks on a terminal, `diurna web --write` on a page",
}


def _line(text: str) -> str:
    """Say what is wrong with a text that is to be one line."""
    if not text.strip():
        return "must not be empty"
    if text != text.strip():
        return "must not start or end with blanks"
    if any(char < " " or "\x7f" <= char <= "\x9f" or char in "\u2028\u2029" for char in text):
        return "must be one line without control characters"
    over = len(text) > NAME_LIMIT_CHARS
    return f"must have at most {NAME_LIMIT_CHARS} characters" if over else ""


def _section(text: str) -> str:
    """Say what is wrong with the title of a section."""
    ours = f"must not be {CONTRADICTIONS}, which Diurna computes"
    return ours if text == CONTRADICTIONS else _line(text)


def _pattern(text: str) -> str:
    """Say what is wrong with a pattern of files: it could name one outside."""
    outside = text.startswith("/") or ".." in text.split("/")
    return "must name files of this repository, from its top" if outside else _line(text)


class Takes(Record):
    """What a key takes beside what its default says."""

    words: tuple[str, ...] = ()  #: of which its value is one, or are the entries of a list
    hint: str = ""  #: what these mean
    formerly: tuple[str, ...] = ()  #: words that are read, too
    least: int = 0  #: the least number
    most: int = COUNT_LIMIT  #: the greatest
    wrong: Callable[[str], str] = _line  #: says what is wrong with a text, or an entry of a list


_NO_ROLE = "must be lower-case words joined by hyphens"
_ROLES = Takes(wrong=lambda text: "" if is_fact_id(text) else _NO_ROLE)
_OFF = "off"
TAKES: dict[Keys, Takes] = {
    ("format",): Takes(least=1),
    ("publish",): Takes(
        ("append", "trunk", "review"),
        "append: by a sync or a session's end, on any branch; trunk: so on the trunk alone; review: only "
        "by `diurna review` and `diurna check --publish`",
    ),
    ("privacy", "secrets"): Takes(
        ("redact", "refuse"),
        "redact: the log is stored without them; refuse: it is not stored",
    ),
    ("privacy", "personal"): Takes(
        ("warn", "redact", "keep"),
        "warn: stored and said; redact: stored without; keep: stored in silence",
    ),
    ("recall", "language"): Takes(LANGUAGES, "the language of the ledger"),
    ("recall", "files"): Takes(wrong=_pattern),
    ("capture", "keep"): Takes(
        ("told", _OFF),
        "told: what agents reported and what was observed; off: nothing",
        ("", "digest", "facts"),
    ),
    ("capture", "facts"): Takes(
        ("said", _OFF),
        "said: what a person asks to be remembered is a fact; off: capture makes no facts",
    ),
    ("capture", "trust"): Takes(
        ("thread", "supersede"),
        "thread: what speaks against a fact becomes an open thread; supersede: it replaces the fact",
    ),
    ("capture", "approve"): Takes(
        ("none", "ask"),
        "none: facts are recorded; ask: they wait until a person lets them in",
    ),
    ("capture", "characters"): Takes(most=100_000),
    ("moment", "command"): Takes(
        ("tell", _OFF),
        "tell: a command that breaks a rule is told of it; off: it is not",
        ("hold",),
    ),
    ("moment", "facts"): Takes(most=10),
    ("moment", "characters"): Takes(most=1_200),
    ("background", "run"): Takes(
        ("daily", _OFF),
        "daily: what is due is done by itself, behind a session or a sync; off: only when asked for",
    ),
    ("views", "publish"): Takes(
        PUBLISHABLE,
        "each stands beside continuity.md as a file; `diurna view NAME` shows these and all others",
    ),
    ("learning", "deprecated_by"): Takes(least=1),
    ("learning", "validators"): _ROLES,
    ("learning", "adversarial"): _ROLES,
    ("kinds", "section"): Takes(wrong=_section),
}


def problem(key: str, value: Any, usual: object, takes: Takes) -> tuple[str, str]:
    """Say what is wrong with a value, and what to do; `usual` is its default."""
    said = value_said(value)
    if isinstance(usual, bool):
        good = isinstance(value, bool)
        return (
            ("", "") if good else (f"must be true or false, not {said}", "write it without quotes")
        )
    if isinstance(usual, int):
        if type(value) is not int:
            return f"must be a whole number, not {said}", "write it without quotes or a point"
        if value < takes.least:
            return f"must not be below {takes.least}, as {said} is", ""
        over = value > takes.most
        return (f"must not be over {takes.most}, as {said} is", "") if over else ("", "")
    several = isinstance(usual, tuple)
    if several and not isinstance(value, list):
        return f"must be a list, not {said}", f'write it as {key} = ["...", "..."]'
    most = len(takes.words) or WORDS_LIMIT
    if several and len(value) > most:
        return f"must have at most {most} entries", ""
    for one in value if several else [value]:
        if takes.words and (not isinstance(one, str) or one not in (*takes.words, *takes.formerly)):
            *others, last = [f'"{word}"' for word in takes.words]
            choices = "names of views, " * several + f"{', '.join(others)} or {last}"
            return f"must be {choices}, not {value_said(one)}", takes.hint
        if not isinstance(one, str):
            return f"must be text, not {value_said(one)}", f'write it in quotes: {key} = "..."'
        if not takes.words and (problem := takes.wrong(one)):
            return problem, ""
    return "", ""


def shown(path: Keys) -> str:
    """Write keys for a message."""
    dotted = ".".join([key if key.isascii() and key.isprintable() else repr(key) for key in path])
    return f"`{dotted if len(dotted) <= 80 else dotted[:79] + '…'}`"


def value_said(given: object) -> str:
    """Write a value for a message."""
    value = str(given).lower() if isinstance(given, bool) else repr(given)
    return value if len(value) <= 40 else value[:39] + "…"
