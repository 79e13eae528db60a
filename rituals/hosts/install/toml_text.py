"""Add a table to a file of TOML, and take it out again, wherever a program that rewrites its file put it.

A program keeps its settings in the same file, and what it adds may stand between our marks, behind our
table or in it. So what is ours is known by what it says; the marks only tell what was there before.
"""

from __future__ import annotations

import tomllib

from rituals.hosts.install.json_text import Unfit
from rituals.hosts.install.marked_block import with_block, without_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rituals.hosts.install.marked_block import Block

#: How many lines one value may have.
_LINES = 1_000
_MARK = b"\xef\xbb\xbf"


def has_table(data: bytes, block: Block) -> bool:
    """Tell whether the table of a block is in a file, as it was put there but for keys beside ours.

    Raises:
        Unfit: it is no TOML.
    """
    _, ours = _ours(block)
    found = _at(_parsed(_decoded(data)), block)
    return isinstance(found, dict) and ours.items() <= found.items()


def with_table(data: bytes | None, block: Block) -> bytes:
    """Return a file (None: there is none) with the table of a block; one of that name stays as it is.

    Raises:
        Unfit: it is no TOML that a table can be added to.
    """
    before = _parsed(_decoded(data or b""))
    if _at(before, block) is not None:
        return data or b""
    after = with_block(without_table(data, block) if data else data, block)
    (name, key), ours = _ours(block)
    outer = before.get(name, {})
    if not isinstance(outer, dict):
        raise Unfit("is no TOML that a table can be added to")
    try:
        found = _parsed(_decoded(after))
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
    if _at(_parsed(_decoded(data)), block) is None:
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
    rest = (_MARK if data.startswith(_MARK) else b"") + "".join(kept).encode()
    wanted, found = _parsed(_decoded(data)), _parsed(_decoded(rest))
    outer = wanted[name]
    assert isinstance(outer, dict)
    del outer[key]
    if found != wanted and {**found, name: {}} != wanted:
        raise Unfit("has Diurna's table in a form that can not be taken out")
    return rest if rest.removeprefix(_MARK).strip() else None


def _statements(data: bytes) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the statements of a file with what each says by itself; {} for a comment or nothing."""
    header: list[str] = []
    chunk = ""
    for line in data.splitlines(keepends=True):
        chunk += line.decode()
        try:
            found = _parsed(chunk)
        except Unfit:
            if chunk.count("\n") > _LINES:
                raise
            continue  # a value of more lines
        if chunk.lstrip().startswith("["):
            header, said = _path(found), found
        else:
            said = found
            for key in reversed(header if found else ()):
                said = {key: said}
        yield chunk, said
        chunk = ""
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


def _parsed(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise Unfit(f"is no TOML that a table can be added to ({problem})") from None


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unfit("is not text in UTF-8") from None
