"""Read and write what projects send each other: requests, and the answers to them (FORMAT.md, Y10)."""

from __future__ import annotations

import re

from ledger.model.record import Record
from ledger.model.sha256 import sha256

LIMIT_BYTES = 4096
#: The branches of requests, `PROJECT-HASH` behind this, and of answers, a hash.
ASKING, ANSWERING = "refs/heads/diurna-inbox/", "refs/heads/diurna-inbox-reply/"
DONE, DECLINED = "done", "declined"
HASH_CHARS, _TITLE_CHARS = 12, 80

_NAME = re.compile(r"(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{12}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_KEYS = ("from", "to", "asked", "reply", "state")


class Letter(Record):
    """A request or an answer; each field is a claim of whoever pushed it."""

    asker: str  #: which project sends it
    to: str  #: to which one, as the sender calls it
    day: str  #: when
    reply: str  #: of a request: the URL to which an answer may go, "" for none
    state: str  #: of an answer: `DONE` or `DECLINED`; "" of a request
    text: str  #: the first line is its title

    @property
    def hash(self) -> str:
        """What names a request: the same words to the same project have the same."""
        said = f"{self.asker}\n{self.to}\n{self.text}".encode("utf-8", "surrogatepass")
        return sha256(said).hexdigest()[:HASH_CHARS]

    @property
    def title(self) -> str:
        """The first line, cut where it is long."""
        first = self.text.partition("\n")[0]
        return first if len(first) <= _TITLE_CHARS else f"{first[: _TITLE_CHARS - 1]}…"

    def encode(self) -> bytes:
        """Write it as the one file of a commit."""
        pairs = zip(_KEYS, self, strict=False)
        head = "".join([f"{key}: {value}\n" for key, value in pairs if value])
        return f"{head}\n{self.text}\n".encode("utf-8", "surrogateescape")


def is_name(name: str) -> bool:
    """Tell whether a branch behind `ASKING` is named as a request is."""
    return _NAME.fullmatch(name) is not None


def decode(data: bytes) -> Letter:
    """Read a letter.

    Raises:
        ValueError: it is none; the message says why.
    """
    if len(data) > LIMIT_BYTES or b"\0" in data:
        raise ValueError("it holds a NUL" if b"\0" in data else f"it is over {LIMIT_BYTES} bytes")
    head, _, text = data.decode("utf-8").partition("\n\n")  # its error is a `ValueError` too
    said = dict([line.partition(": ")[::2] for line in head.split("\n")])
    asker, to, day, reply, state = [said.get(key, "").strip() for key in _KEYS]
    if not (text.strip() and _DAY.fullmatch(day) and said.keys() <= set(_KEYS)):
        raise ValueError("it is not written as a request is")
    return Letter(asker, to, day, reply, state, text.strip())
