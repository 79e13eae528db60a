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

from ledger.model.record import Record
from rituals.hosts.install.json_text import BOM, Unfit

_BEGIN, _END = "<!-- diurna:begin v1 -->\n", "<!-- diurna:end -->"
_MARKS = re.compile(rb"(?m)^<!-- diurna:(begin v\d+|end) -->(?=\r?$)")
_STAMP = re.compile(rb"diurna:file v1 ([0-9a-f]{16})")


class Block(Record):
    """Lines between marks in a file of a person's."""

    text: str

    @property
    def by_hand(self) -> str:
        """What a person would add."""
        return " / ".join(self.text.splitlines())

    def span(self, data: bytes) -> tuple[int, int] | None:
        """Return where the block stands; None where it does not.

        Raises:
            Unfit: its marks are not one pair, or a person wrote between them.
        """
        marks = list(_MARKS.finditer(data))
        if not marks:
            return None
        if len(marks) != 2 or marks[0][1] == b"end" or marks[1][1] != b"end":
            raise Unfit("has marks of Diurna's that are not one pair")
        start, end = marks[0].start(), marks[1].end()
        if data[start:end].replace(b"\r\n", b"\n") != (_BEGIN + self.text + _END).encode():
            raise Unfit("was edited between the marks of Diurna's block")
        return start, end

    def is_in(self, data: bytes) -> bool:
        """Tell whether it stands there; Unfit as for `span`."""
        return self.span(data) is not None

    def put_into(self, data: bytes | None) -> bytes:
        """Return a file (None: there is none) with the block behind its lines; Unfit as for `span`."""
        whole = f"{_BEGIN}{self.text}{_END}\n"
        if data is None:
            return whole.encode()
        if b"\0" in data or data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Unfit("is not text in UTF-8")
        return data if self.span(data) else _behind(data, whole)

    def taken_out_of(self, data: bytes) -> bytes | None:
        """Return a file as it was before; None where it was made for the block; Unfit as for `span`."""
        span = self.span(data)
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


class Whole(Record):
    """A file that nobody else writes to."""

    text: str  #: with its `stamped` last line

    def is_in(self, data: bytes) -> bool:
        """Tell whether a file says that it is ours, whatever became of it."""
        return bool(_STAMP.search(data))

    def put_into(self, data: bytes | None) -> bytes:
        """Return the file: as it is where it says this, but for its ends of lines.

        Raises:
            Unfit: somebody wrote to it since a release of Diurna did.
        """
        new = self.text.encode()
        if data is None:
            return new
        plain = data.replace(b"\r\n", b"\n")
        text, _, last = plain.removesuffix(b"\n").rpartition(b"\n")
        found = _STAMP.search(last)
        if found is None or found[1].decode() != _hash(text + b"\n"):
            raise Unfit("is not as Diurna wrote it")
        return data if plain == new else new

    def taken_out_of(self, data: bytes) -> None:
        """Take it away; Unfit as for `put_into`."""
        self.put_into(data)


def stamped(text: str, before: str, after: str = "") -> Whole:
    """Return a file of whole lines with a last one that says what stands above it.

    `before` begins a comment, `after` ends it.
    """
    return Whole(f"{text}{before}diurna:file v1 {_hash(text.encode())}{after}\n")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _behind(data: bytes, lines: str) -> bytes:
    """Return a file with lines behind an empty one; without an end of their own where it had none."""
    newline = _newline(data)
    text = lines.encode().replace(b"\n", newline)
    if data.endswith(b"\n"):
        return data + newline + text
    return data + newline * 2 + text.removesuffix(newline)


def _newline(data: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in data else b"\n"


class Table(Block):
    """A table in a file of TOML that its host writes to as well, for instance `[outer.key]`."""

    def is_in(self, data: bytes) -> bool:
        """Tell whether it is there as it was put there, but for keys beside ours; Unfit for no TOML."""
        there, ours = self._parted(data)[0], self._parted(self.text.encode())[0]
        return isinstance(there, dict) and isinstance(ours, dict) and ours.items() <= there.items()

    def put_into(self, data: bytes | None) -> bytes:
        """Return a file (None: there is none) with the table; one of that name stays as it is.

        Raises:
            Unfit: it is no TOML that a table can be added to.
        """
        if data is None:
            return self.text.encode()
        there, rest = self._parted(data)
        if there is not None:
            return data
        after = _behind(data, self.text)
        try:
            if self._parted(after)[1] == rest and self.is_in(after):
                return after
        except Unfit:
            pass
        raise Unfit("is no TOML that a table can be added to")

    def taken_out_of(self, data: bytes) -> bytes | None:
        """Return a file without the table and what stands below it; None where nothing else is there.

        Raises:
            Unfit: what is ours can not be told from the rest.
        """
        if not self.is_in(data):
            return data
        newline = _newline(data)
        text = self.text.encode().replace(b"\n", newline)
        for own in (newline + text, newline * 2 + text.removesuffix(newline)):
            if data.endswith(own):
                return data.removesuffix(own)
        mark = BOM if data.startswith(BOM) else b""
        lines, head = data.removeprefix(mark).splitlines(keepends=True), text.split(newline)[0]
        below, wanted = head[:-1] + b".", self._parted(data)[1]
        for start in [at for at, line in enumerate(lines) if line.rstrip(b"\r\n") == head]:
            end = start + 1
            while end < len(lines) and (lines[end][:1] != b"[" or lines[end].startswith(below)):
                end += 1
            while lines[end - 1][:1] == b"#" or not lines[end - 1].strip():
                end -= 1  # of what comes next
            start -= bool(start and not lines[start - 1].strip())
            rest = b"".join([*lines[:start], *lines[end:]])
            try:
                if self._parted(rest) == (None, wanted):
                    return mark + rest if rest.strip() else None
            except Unfit:
                continue  # that head stood in a text
        raise Unfit("has Diurna's table in a form that can not be taken out")

    def _parted(self, data: bytes) -> tuple[object, dict[str, object]]:
        """Return what a file says of the table, None for nothing, and what it says beside it."""
        try:
            whole = tomllib.loads(data.removeprefix(BOM).decode().replace("\r\n", "\n"))
        except UnicodeDecodeError:
            raise Unfit("is not text in UTF-8") from None
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            raise Unfit(f"is no TOML that a table can be added to ({problem})") from None
        outer, key = self.text[1 : self.text.index("]")].split(".")
        inner = whole.get(outer)
        if not isinstance(inner, dict):
            return None, whole
        there = inner.pop(key, None)
        return there, {name: value for name, value in whole.items() if name != outer or inner}
