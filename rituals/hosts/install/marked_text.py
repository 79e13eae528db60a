"""Put what is ours into files of lines, and take it out again to the byte: a block, a table, a whole file.

A block stands between marks, behind a person's lines. A program keeps its settings in the same file as
our table of TOML, and may write between our marks: so the table is known by what it says. A file that is
all ours has a hash of its lines in the last one: one that somebody wrote to is neither replaced nor taken
away.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator

from ledger.model.record import Record
from rituals.hosts.install.json_text import Unfit


class Block(Record):
    """One block."""

    before: str  #: what stands before its marks, on their lines
    after: str  #: what stands behind them
    text: str  #: its lines between the marks

    @property
    def whole(self) -> str:
        """The block with its marks."""
        begin, end = (f"{self.before}diurna:{name}{self.after}" for name in ("begin v1", "end"))
        return f"{begin}\n{self.text}{end}"

    def span(self, data: bytes) -> tuple[int, int] | None:
        """Return where the block stands; None where it does not.

        Raises:
            Unfit: its marks are not one pair, or a person wrote between them.
        """
        before, after = re.escape(self.before.encode()), re.escape(self.after.encode())
        begins, ends = (
            list(re.finditer(rb"(?m)^%bdiurna:%b%b(?=\r?$)" % (before, name, after), data))
            for name in (rb"begin v\d+", b"end")
        )
        if not begins and not ends:
            return None
        if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].start():
            raise Unfit("has marks of Diurna's that are not one pair")
        start, end = begins[0].start(), ends[0].end()
        said = data[start:end].replace(b"\r\n", b"\n").decode("utf-8", "replace")
        if said != self.whole:
            raise Unfit("was edited between the marks of Diurna's block")
        return start, end


def with_block(data: bytes | None, block: Block) -> bytes:
    """Return a file (None where there is none) with the block behind its lines, or where it was.

    Raises:
        Unfit: nothing can be added to the file.
    """
    if data is None:
        return block.whole.encode() + b"\n"
    if b"\0" in data or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unfit("is not text in UTF-8")
    span = block.span(data)
    newline = _newline(data[slice(*span)] if span else data)
    text = block.whole.encode().replace(b"\n", newline)
    if span:
        return data[: span[0]] + text + data[span[1] :]
    if data.endswith(b"\n"):
        return data + newline + text + newline
    return data + newline * 2 + text  # without an end of its own: the file had none


def without_block(data: bytes, block: Block) -> bytes | None:
    """Return a file as it was before the block; None where it was made for it.

    Raises:
        Unfit: the block is not as it was put there.
    """
    span = block.span(data)
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


#: How many lines one value may have.
_LINES = 1_000
_MARK = b"\xef\xbb\xbf"


def has_table(data: bytes, block: Block) -> bool:
    """Tell whether the table of a block is in a file, as it was put there but for keys beside ours.

    Raises:
        Unfit: it is no TOML.
    """
    _, ours = _ours(block)
    found = _at(_parsed(data), block)
    return isinstance(found, dict) and ours.items() <= found.items()


def with_table(data: bytes | None, block: Block) -> bytes:
    """Return a file (None: there is none) with the table of a block; one of that name stays as it is.

    Raises:
        Unfit: it is no TOML that a table can be added to.
    """
    before = _parsed(data or b"")
    if _at(before, block) is not None:
        return data or b""
    after = with_block(without_table(data, block) if data else data, block)
    (name, key), ours = _ours(block)
    outer = before.get(name, {})
    if not isinstance(outer, dict):
        raise Unfit("is no TOML that a table can be added to")
    try:
        found = _parsed(after)
    except Unfit:
        found = {}
    if found != {**before, name: {**outer, key: ours}}:
        raise Unfit("is no TOML that a table can be added to")
    return after


def without_table(data: bytes, block: Block) -> bytes | None:
    """Return a file without the table of a block and its marks; None where it says nothing else.

    Raises:
        Unfit: what is ours can not be told from the rest.
    """
    if _at(_parsed(data), block) is None:
        rest = _without_marks(data, block)
        if rest == data.removeprefix(_MARK):
            return data
        return data[: len(data) - len(data.removeprefix(_MARK))] + rest if rest.strip() else None
    if not has_table(data, block):
        block.span(data)  # which tells what somebody wrote between its marks
        return data
    try:
        return without_block(data, block) if block.span(data) else _cut(data, block)
    except Unfit:
        return _cut(data, block)


def _cut(data: bytes, block: Block) -> bytes | None:
    """Take a table out line by line, and look whether all else says what it said."""
    (name, key), _ = _ours(block)
    lines = _without_marks(data, block)
    kept = [chunk for chunk, said in _statements(lines) if not _is_below(said, (name, key))]
    rest = (_MARK if data.startswith(_MARK) else b"") + b"".join(kept)
    wanted, found = _parsed(data), _parsed(rest)
    outer = wanted[name]
    assert isinstance(outer, dict)
    del outer[key]
    if found != wanted and {**found, name: {}} != wanted:
        raise Unfit("has Diurna's table in a form that can not be taken out")
    return rest if rest.removeprefix(_MARK).strip() else None


def _statements(data: bytes) -> Iterator[tuple[bytes, dict[str, object]]]:
    """Yield the statements of a file with what each says by itself; {} for a comment or nothing."""
    header: list[str] = []
    chunk = b""
    for line in data.splitlines(keepends=True):
        chunk += line
        try:
            found = _parsed(chunk)
        except Unfit:
            if chunk.count(b"\n") > _LINES:
                raise
            continue  # a value of more lines
        if chunk.lstrip().startswith(b"["):
            header, said = _path(found), found
        else:
            said = found
            for key in reversed(header if found else ()):
                said = {key: said}
        yield chunk, said
        chunk = b""
    if chunk:
        yield chunk, {}


def _path(found: object) -> list[str]:
    """Return the keys of a header, by what it says alone."""
    keys = []
    while found:
        if isinstance(found, list):
            found = found[0]
        elif isinstance(found, dict):
            ((key, found),) = found.items()
            keys.append(key)
    return keys


def _is_below(found: object, path: tuple[str, ...]) -> bool:
    """Tell whether all that a statement says is below some keys."""
    for key in path:
        if not isinstance(found, dict) or list(found) != [key]:
            return False
        found = found[key]
    return True


def _without_marks(data: bytes, block: Block) -> bytes:
    """Return lines without a block's marks and the empty one that was put in front of them."""
    begin, end = (block.whole.split("\n")[at].encode() for at in (0, -1))
    kept: list[bytes] = []
    for line in data.removeprefix(_MARK).splitlines(keepends=True):
        if line.rstrip(b"\r\n") == begin and kept and not kept[-1].strip():
            kept.pop()
        if line.rstrip(b"\r\n") not in (begin, end):
            kept.append(line)
    return b"".join(kept)


def _ours(block: Block) -> tuple[tuple[str, str], dict[str, object]]:
    """Return the keys of a block's table, and what it says."""
    ((name, outer),) = tomllib.loads(block.text).items()
    ((key, said),) = outer.items()
    return (name, key), said


def _at(found: dict[str, object], block: Block) -> object:
    (name, key), _ = _ours(block)
    outer = found.get(name)
    return outer.get(key) if isinstance(outer, dict) else None


def _parsed(data: bytes) -> dict[str, object]:
    try:
        return tomllib.loads(data.removeprefix(_MARK).decode().replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise Unfit("is not text in UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise Unfit(f"is no TOML that a table can be added to ({problem})") from None
