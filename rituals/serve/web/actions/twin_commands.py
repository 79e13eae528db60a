"""Write the command that does what a form does: for whoever only looks, and beside what was recorded."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

#: Stands where a person has to say something.
OWN_WORDS = "…"
REVIEW, LEARN, UNDO, REDO = "diurna review", "diurna learn", "diurna undo", "diurna redo"


def confirm(ids: Sequence[str]) -> str:
    """Say that facts hold."""
    return _line("confirm", *ids)


def resolve(fact: str, choose: str = "", text: str = "", stands: str = "", state: str = "") -> str:
    """Resolve a contradiction; the arguments are the fields of the form."""
    said: list[str] = []
    for option, value in (("choose", choose), ("text", text), ("state", state)):
        said += [f"--{option}", value] if value else []
    said += [f"--{stands}"] if stands else []
    return _line("resolve", fact, *said)


def close(fact: str) -> str:
    """Close a thread."""
    return _line("append", "--type", "edit", "--title", f"Close {fact}", "--close", fact)


def reopen(fact: str) -> str:
    """Open a thread again."""
    return _line("append", "--type", "edit", "--title", f"Reopen {fact}", "--reopen", fact)


def archive(fact: str, reason: str = OWN_WORDS) -> str:
    """Put a fact away."""
    return _line("archive", fact, "--reason", reason)


def take_out(fact: str, reason: str = OWN_WORDS) -> str:
    """Take a fact out of the archive."""
    return _line("archive", fact, "--back", "--reason", reason)


def reinstate(fact: str, reason: str = OWN_WORDS) -> str:
    """Say that a fact holds after all."""
    return _line("restore", fact, "--reason", reason)


def _line(*words: str) -> str:
    return shlex.join(("diurna", *words))
