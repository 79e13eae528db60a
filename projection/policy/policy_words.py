"""Look at the words of a policy: each is returned as it is, or refused with a sentence about it."""

from __future__ import annotations

from ledger.model.ids import is_fact_id
from projection.policy.model import CONTRADICTIONS


def one_line(text: str) -> str:
    """Refuse a text that is no line of its own."""
    if not text.strip():
        raise ValueError("must not be empty")
    if text != text.strip():
        raise ValueError("must not start or end with blanks")
    if any(char < " " or "\x7f" <= char <= "\x9f" or char in "\u2028\u2029" for char in text):
        raise ValueError("must be one line without control characters")
    return text


def role(text: str) -> str:
    """Refuse what is no name of a role."""
    if not is_fact_id(text):
        raise ValueError("must be lower-case words joined by hyphens, as roles are counted")
    return text


def section(text: str) -> str:
    """Refuse the section that Diurna computes."""
    if text == CONTRADICTIONS:
        raise ValueError(f"must not be {CONTRADICTIONS}, which Diurna computes")
    return one_line(text)


def pattern(text: str) -> str:
    """Refuse what could name a file outside."""
    if text.startswith("/") or ".." in text.split("/"):
        raise ValueError("must name files of this repository, from its top")
    return one_line(text)


def is_place(name: str) -> bool:
    """Tell whether another home may be named so."""
    return is_fact_id(name) and "." not in name and len(name) <= 40 and name != "personal"
