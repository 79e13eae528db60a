"""Find the value that a sentence tells: `the password for staging is X`, `X is the root password`."""

from __future__ import annotations

from ledger.secrets.credential_values import is_strong

#: Where a sentence ends, or the part of it; what it says before a value, and what may stand between.
_ENDS = ("\n", ". ", ", ", "; ", ": ")
_TELLING = (
    " is ", " was ", " changed to ", " reset to ", " set to ", " lautet ", " ist ", " heißt ", " est ",
    " es ", " è ", " é ",
)  # fmt: skip
_FILLERS = ("now ", "still ", "set to ", "jetzt ", "nun ", "ahora ")
_QUOTES = "\"'`"


def told_behind(text: str, low: str, at: int) -> int:
    """Return where the value begins that a sentence tells behind a place; 0 where none does."""
    near = low[at : at + 80]
    stop = min([near.index(end) for end in _ENDS if end in near], default=80)
    if (
        near[stop : stop + 2] == ": "
        and near.count(" ", 0, stop) <= 4
        and is_strong(text[at + stop + 2 : at + 160])
    ):
        return at + stop + 2
    if stop < 6:
        return 0
    near = near[:stop]
    for word in _TELLING:
        cut = near.find(word)
        if 0 <= cut and near.count(" ", 0, cut) <= 6:
            cut += len(word)
            more = next((filler for filler in _FILLERS if near.startswith(filler, cut)), "")
            return at + cut + len(more)
    return 0


def told_before(text: str, low: str, at: int) -> tuple[int, int] | None:
    """Return where the value stands that a sentence begins with, up to a place; None where none does."""
    near = low[max(0, at - 24) : at]
    cut = near.rfind(" is ")
    if not near.startswith(("the ", "my ", "our "), cut + 4) or near.count(" ", cut) > 4:
        return None
    end = at - len(near) + cut
    word = text[max(0, end - 80) : end].replace("\n", " ").rpartition(" ")[2]
    start = end - len(word) + (word[:1] in _QUOTES)
    end -= word[-1:] in _QUOTES
    return (start, end) if len(word) > 9 and is_strong(text[start:end]) else None
