"""Put what is ours into files of lines, and take it out again to the byte: a block, a table, a whole file.

The block stands between marks, behind a person's lines. A program keeps its settings in the same file as
our table of TOML, and may write on every side of it: so the table is known by what it says. A file that is
all ours has a hash of its lines in the last one: one that somebody wrote to is neither replaced nor taken
away.
"""

from __future__ import annotations

import hashlib
import re
import tomllib

from rituals.hosts.install.json_text import Unfit

BOM = b"\xef\xbb\xbf"
_BEGIN, _END = "<!-- diurna:begin v1 -->\n", "<!-- diurna:end -->"
_MARKS = re.compile(rb"(?m)^<!-- diurna:(begin v\d+|end) -->(?=\r?$)")


def block_span(data: bytes, text: str) -> tuple[int, int] | None:
    """Return where the block of a text stands; None where it does not.

    Raises:
        Unfit: its marks are not one pair, or a person wrote between them.
    """
    marks = list(_MARKS.finditer(data))
    if not marks:
        return None
    if len(marks) != 2 or marks[0][1] == b"end" or marks[1][1] != b"end":
        raise Unfit("has marks of Diurna's that are not one pair")
    start, end = marks[0].start(), marks[1].end()
    if data[start:end].replace(b"\r\n", b"\n") != (_BEGIN + text + _END).encode():
        raise Unfit("was edited between the marks of Diurna's block")
    return start, end


def with_block(data: bytes | None, text: str) -> bytes:
    """Return a file (None where there is none) with the block of a text behind its lines.

    Raises:
        Unfit: nothing can be added to the file.
    """
    if data is None:
        return f"{_BEGIN}{text}{_END}\n".encode()
    if b"\0" in data or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unfit("is not text in UTF-8")
    return data if block_span(data, text) else _behind(data, f"{_BEGIN}{text}{_END}\n")


def without_block(data: bytes, text: str) -> bytes | None:
    """Return a file as it was before the block; None where it was made for it.

    Raises:
        Unfit: the block is not as it was put there.
    """
    span = block_span(data, text)
    if span is None:
        return data
    before, after = data[: span[0]], data[span[1] :]
    if not before and after == b"\n":
        return None
    newline = _newline(data[slice(*span)])
    if not after:
        return before.removesuffix(newline * 2)
    if before.endswith(b"\n" + newline):
        before = before.removesuffix(newline)
    return before + after.removeprefix(newline)


def _behind(data: bytes, lines: str) -> bytes:
    """Return a file with lines behind an empty one; without an end of their own where it had none."""
    newline = _newline(data)
    text = lines.encode().replace(b"\n", newline)
    if data.endswith(b"\n"):
        return data + newline + text
    return data + newline * 2 + text.removesuffix(newline)


def _newline(data: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in data else b"\n"


_STAMP = re.compile(rb"diurna:file v1 ([0-9a-f]{16})")


def stamped(text: str, before: str, after: str = "") -> str:
    """Return a text with a last line that says what stands above it.

    The text has whole lines; `before` begins a comment, `after` ends it.
    """
    return f"{text}{before}diurna:file v1 {_hash(text.encode())}{after}\n"


def bears_mark(data: bytes) -> bool:
    """Tell whether a file says that it is ours, whatever became of it."""
    return bool(_STAMP.search(data))


def is_as_written(data: bytes) -> bool:
    """Tell whether a release of Diurna wrote a file, and nobody since, but for git its ends of lines."""
    data = data.replace(b"\r\n", b"\n")
    text, _, last = data.removesuffix(b"\n").rpartition(b"\n")
    found = _STAMP.search(last)
    return found is not None and found[1].decode() == _hash(text + b"\n")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def has_table(data: bytes, table: str) -> bool:
    """Tell whether a table is in a file as it was put there, but for keys beside ours.

    Raises:
        Unfit: it is no TOML.
    """
    there, ours = _both(_parsed(data), table)[0], _both(_parsed(table.encode()), table)[0]
    return isinstance(there, dict) and isinstance(ours, dict) and ours.items() <= there.items()


def with_table(data: bytes | None, table: str) -> bytes:
    """Return a file (None: there is none) with a table; one of that name stays as it is.

    Raises:
        Unfit: it is no TOML that a table can be added to.
    """
    if data is None:
        return table.encode()
    there, rest = _both(_parsed(data), table)
    if there is not None:
        return data
    after = _behind(data, table)
    try:
        if _both(_parsed(after), table)[1] == rest and has_table(after, table):
            return after
    except Unfit:
        pass
    raise Unfit("is no TOML that a table can be added to")


def without_table(data: bytes, table: str) -> bytes | None:
    """Return a file without a table and what stands below it; None where nothing else is there.

    Raises:
        Unfit: what is ours can not be told from the rest.
    """
    if not has_table(data, table):
        return data
    newline = _newline(data)
    text = table.encode().replace(b"\n", newline)
    for own in (newline + text, newline * 2 + text.removesuffix(newline)):
        if data.endswith(own):
            return data.removesuffix(own)
    mark = BOM if data.startswith(BOM) else b""
    lines, head = data.removeprefix(mark).splitlines(keepends=True), text.split(newline)[0]
    wanted = _both(_parsed(data), table)[1]
    for start in [at for at, line in enumerate(lines) if line.rstrip(b"\r\n") == head]:
        end = start + 1
        while end < len(lines) and (
            lines[end][:1] != b"[" or lines[end].startswith(head[:-1] + b".")
        ):
            end += 1
        while lines[end - 1][:1] == b"#" or not lines[end - 1].strip():
            end -= 1  # of what comes next
        start -= bool(start and not lines[start - 1].strip())
        rest = b"".join([*lines[:start], *lines[end:]])
        try:
            if _both(_parsed(rest), table) == (None, wanted):
                return mark + rest if rest.strip() else None
        except Unfit:
            continue  # that head stood in a text
    raise Unfit("has Diurna's table in a form that can not be taken out")


def _both(found: dict[str, object], table: str) -> tuple[object, dict[str, object]]:
    """Return what a file says of a table, None for nothing, and what it says beside it."""
    outer, key = table[1 : table.index("]")].split(".")
    inner = found.get(outer)
    if not isinstance(inner, dict):
        return None, found
    beside = {name: said for name, said in inner.items() if name != key}
    rest = {name: said for name, said in found.items() if name != outer}
    return inner.get(key), {**rest, outer: beside} if beside else rest


def _parsed(data: bytes) -> dict[str, object]:
    try:
        return tomllib.loads(data.removeprefix(BOM).decode().replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise Unfit("is not text in UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise Unfit(f"is no TOML that a table can be added to ({problem})") from None
