"""Define the place of a secret or of personal data in a text, without its value."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.model.record import Record

SECRET, PERSONAL = "secret", "personal"
#: The rule for what only its look behind a label tells.
LABELLED = "labelled-value"
#: The rule for what is drawn as tokens are, of whatever vendor.
OPAQUE = "opaque-token"
#: The rules for personal data; every other rule is for secrets.
PERSONAL_RULES = ("home-path",)


class Hit(Record):
    """Where a value stands in a text, and what it is."""

    rule: str  #: which kind of value, `github-token` for instance
    start: int  #: of the value, in characters
    end: int  #: behind it
    shown: str  #: what may be printed of it: the vendor's public mark and the length, `ghp_…(40)`

    @property
    def kind(self) -> str:
        """`secret` or `personal`."""
        return PERSONAL if self.rule in PERSONAL_RULES else SECRET


def hit(rule: str, start: int, end: int, mark: str = "") -> Hit:
    """Describe a value; of the value itself only `mark`, which is the same for everybody, is kept."""
    return Hit(rule, start, end, f"{mark}…({end - start})")


def places(text: str, mark: str) -> Iterator[int]:
    """Yield where a mark stands in a text, none of them in another one."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))


def apart(found: list[Hit]) -> tuple[Hit, ...]:
    """Order hits and leave out those inside another; of two that overlap the first found stays."""
    if len(found) < 2:
        return tuple(found)
    taken = bytearray(max([one.end for one in found]))
    kept: list[Hit] = []
    for one in found:
        if taken.find(1, one.start, one.end) < 0:
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.start))
