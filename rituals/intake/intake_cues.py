"""Know the turns of phrase by which documents are read, as `intake_cues.txt` has them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

CONVENTION, FACT = "convention", "fact"


@cache
def _bodies() -> dict[str, str]:
    """Read the table: what each role has, part by part, each part within its frame."""
    parts: dict[str, list[str]] = {}
    table = Path(__file__).with_suffix(".txt").read_text("utf-8")
    _, *pieces = re.split(r"^\[([A-Z_]+)\]", table, flags=re.MULTILINE)
    for role, piece in zip(pieces[::2], pieces[1::2], strict=True):
        frame, *lines = piece.split("\n")
        rows = "|".join([line for line in lines if line and line[:2] != "# "])
        parts.setdefault(role, []).append((frame.strip() or "…").replace("…", rows))
    return {role: "|".join(bodies) for role, bodies in parts.items()}


@cache
def cue_words(role: str) -> frozenset[str]:
    """Return the words of a role that has nothing else."""
    return frozenset(_bodies()[role].split("|"))


class _Cues:
    """The patterns of all roles, by their names; each is made when it is first asked for."""

    def __getattr__(self, role: str) -> re.Pattern[str]:
        body = re.sub(r"\{([A-Z_]+)\}", lambda other: _bodies()[other[1]], _bodies()[role])
        made = self.__dict__[role] = re.compile(body, re.IGNORECASE)
        return made


cue = _Cues()


def kind_of_bullet(text: str) -> str:
    """Tell what a bullet of a file of rules is: `CONVENTION`, or `FACT` where it only describes."""
    first = re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]
    named = cue.BULLET_NAMES.match(text)
    if named and (
        text[named.end() - 1] == "→" or not cue.BULLET_ORDERS.search(text[named.end() :])
    ):
        return FACT
    return (
        FACT
        if cue.BULLET_STATES.match(first) and not cue.BULLET_ORDERS.search(text)
        else CONVENTION
    )
