"""Find the line on which a key of `diurna.toml` stands.

And say in our own words what is wrong with its value, and what can stand there.
"""

from __future__ import annotations

import tomllib

from ledger.model.ids import is_fact_id
from projection.policy.model import LANGUAGES, PUBLISHABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_core import ErrorDetails

Keys = tuple[str, ...]  #: keys from the root of the file, `("windows", "active")`

#: How many parts a key can have; none that means something has more than three.
PARTS_LIMIT = 50


def line_of(text: str, path: Keys) -> int:
    """Return the line of the longest part of `path` that stands in the file, 1-based; 0 for none.

    Each heading and each key is read by itself, dotted and quoted as it may be.
    """
    table: Keys = ()
    longest = found = 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line[:1] == "[":
            table = keys = _keys(line)
        else:
            key, sign, _ = line.partition("=")
            # a quoted key may be written with escapes
            if not sign or not (any(part in key for part in path) or '"' in key):
                continue
            keys = (*table, *_keys(f"{key}= 0"))
        same = 0
        while same < min(len(keys), len(path)) and keys[same] == path[same]:
            same += 1
        if same > longest:
            longest, found = same, number
    return found


def _keys(line: str) -> Keys:
    """Return the keys of one heading, or of one line `key = 0`; none where it is neither."""
    try:
        said: object = tomllib.loads(line)
    except (ValueError, RecursionError):
        return ()
    keys: list[str] = []
    while isinstance(said, dict | list) and said:
        if isinstance(said, list):
            said = said[0]
        else:
            key, said = next(iter(said.items()))
            keys.append(key)
    return tuple(keys)


def deep_line(text: str) -> int:
    """Return the first line with a key of more parts than any can have, 0 for none."""
    if not any(line.count(".") >= PARTS_LIMIT for line in text.split("\n")):
        return 0
    parts, quote, line = 1, "", 1
    for char in text:
        if char == "\n":
            line += 1
            parts = 1
            quote = "" if quote == "#" else quote
        elif quote:
            quote = "" if char == quote else quote
        elif char in "\"'#":
            quote = char
        elif char == ".":
            parts += 1
            if parts > PARTS_LIMIT:
                return line
        elif char in "=,[]{}":
            parts = 1
    return 0


def dotted(path: Keys) -> str:
    """Write keys as a heading does."""
    return ".".join([key if is_fact_id(key) and "." not in key else quoted(key) for key in path])


def shown(path: Keys) -> str:
    """Write keys for a message."""
    dotted = ".".join([key if key.isascii() and key.isprintable() else repr(key) for key in path])
    return f"`{dotted if len(dotted) <= 80 else dotted[:79] + '…'}`"


def quoted(text: str) -> str:
    """Write a TOML basic string."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif char < " " or char == "\x7f":
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(char)
    return f'"{"".join(out)}"'


#: Where only some words can stand: which, and what they mean.
CHOICES: dict[Keys, tuple[tuple[str, ...], str]] = {
    ("publish",): (
        ("append", "trunk", "review"),
        "append: committed with each log; trunk: with each log on the trunk; review: only by "
        "`diurna check --publish`",
    ),
    ("privacy", "secrets"): (
        ("redact", "refuse"),
        "redact: the log is stored without them; refuse: it is not stored",
    ),
    ("privacy", "personal"): (
        ("warn", "redact", "keep"),
        "warn: stored and said; redact: stored without; keep: stored in silence",
    ),
    ("recall", "language"): (LANGUAGES, "the language of the ledger"),
    ("capture", "keep"): (
        ("told", "off"),
        "told: what agents reported and what was observed; off: nothing",
    ),
    ("capture", "facts"): (
        ("said", "off"),
        "said: what a person asks to be remembered is a fact; off: capture makes no facts",
    ),
    ("capture", "trust"): (
        ("thread", "supersede"),
        "thread: what speaks against a fact becomes an open thread; supersede: it replaces the fact",
    ),
    ("capture", "approve"): (
        ("none", "ask"),
        "none: facts are recorded; ask: they wait until a person lets them in",
    ),
    ("moment", "command"): (
        ("tell", "off"),
        "tell: a command that breaks a rule is told of it; off: it is not",
    ),
    ("background", "run"): (
        ("daily", "off"),
        "daily: what is due is done by itself, behind a session or a sync; off: only when asked for",
    ),
    ("views", "publish"): (
        PUBLISHABLE,
        "each stands beside continuity.md as a file; `diurna view NAME` shows these and all others",
    ),
}

#: What says nothing any more, and what does instead; the last part may be a value: `("moment", "command",
#: "hold")`. A file that has it is read as if the line were not there (Y10). No row begins as another does.
GONE: dict[Keys, str] = {
    ("inbox",): "another project is asked by an issue in its repository",
    ("review", "ask"): "`diurna review` asks on a terminal, `diurna web --write` on a page",
}


def sentence(
    path: Keys, error: ErrorDetails, known_keys: Callable[[Keys], tuple[str, ...]]
) -> tuple[str, str]:
    """Return what is wrong with a value, and what to do.

    `path` is of its key, `error` as pydantic tells it; `known_keys` gives the keys that a table has.
    """
    key, given = shown(path), error["input"]
    value = str(given).lower() if isinstance(given, bool) else repr(given)
    value = value if len(value) <= 40 else value[:39] + "…"
    match error["type"]:
        case "extra_forbidden":
            known = ", ".join(known_keys(path[:-1]))
            return f"unknown key {key}", f"known here: {known}"
        case "int_type" | "int_from_float" | "int_parsing_size":
            hint = "write it without quotes or a point"
            return f"{key} must be a whole number, not {value}", hint
        case "greater_than_equal":
            return f"{key} must not be below {error['ctx']['ge']}, as {value} is", ""
        case "less_than_equal":
            return f"{key} must not be over {error['ctx']['le']}, as {value} is", ""
        case "list_type":
            return f"{key} must be a list, not {value}", f'write it as {path[-1]} = ["...", "..."]'
        case "too_long":
            return f"{key} must have at most {error['ctx']['max_length']} entries", ""
        case "bool_type":
            return f"{key} must be true or false, not {value}", "write it without quotes"
        case "string_type":
            return f"{key} must be text, not {value}", f'write it in quotes: {path[-1]} = "..."'
        case "string_too_long":
            return f"{key} must have at most {error['ctx']['max_length']} characters", ""
        case "literal_error":
            words, hint = CHOICES[path]
            *others, last = [f'"{word}"' for word in words]
            choices = "names of views, " * (path[0] == "views") + f"{', '.join(others)} or {last}"
            return f"{key} must be {choices}, not {value}", hint
        case "model_type" | "dict_type" | "model_attributes_type":
            hint = f"write it as a heading: [{dotted(path)}]"
            return f"{key} must be a table, not {value}", hint
        case "value_error":
            return f"{key} {error['ctx']['error']}", ""
        case _:
            return f"{key}: {error['msg']}", ""


def no_place(path: Keys) -> tuple[str, str]:
    """Say what is wrong with the name of another home, and what to do."""
    hint = "use lower-case letters, digits and single hyphens, at most 40, and not `personal`"
    return f"{shown(path)}: this is no name for an upstream", hint
