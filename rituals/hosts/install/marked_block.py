"""Put a marked block behind the lines of a person's file, find it, and take it out again to the byte."""

from __future__ import annotations

import re

from ledger.model.record import Record
from rituals.hosts.install.json_text import Unfit


class Block(Record):
    """One block."""

    before: str  #: what stands before its marks, on their lines
    after: str  #: what stands behind them
    text: str  #: its lines between the marks
    former: tuple[str, ...] = ()  #: what it said in releases of before: that may be replaced

    @property
    def whole(self) -> str:
        """The block with its marks."""
        return self._around(self.text)

    def _around(self, text: str) -> str:
        begin, end = (f"{self.before}diurna:{name}{self.after}" for name in ("begin v1", "end"))
        return f"{begin}\n{text}{end}"

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
        if said not in map(self._around, (self.text, *self.former)):
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
