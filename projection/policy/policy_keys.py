"""Find the line on which a key of `diurna.toml` stands, and write one as the file has it."""

from __future__ import annotations

import re
import tomllib

from ledger.model.ids import is_fact_id

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


def with_number(text: str, path: Keys, number: int) -> str:
    """Return the file with a number in one of its tables; its other lines and its comments stay.

    `path` is that of the number: a table, and a key of it. "" is returned where the file is written in
    a way that takes more than a line to change.
    """
    table, key = path
    lines, said = text.split("\n"), f"{key} = {number}"
    before = tomllib.loads(text)
    at = line_of(text, path)
    if key in before.get(table, {}):
        lines[at - 1] = re.sub(r"=\s*\d[\d_]*", f"= {number}", lines[at - 1], count=1)
    elif table in before:
        lines.insert(at, said)
    else:
        lines += [f"[{table}]", said, ""]
    after = "\n".join(lines)
    try:
        right = tomllib.loads(after) == {**before, table: {**before.get(table, {}), key: number}}
    except ValueError:
        right = False
    return after if right else ""


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
