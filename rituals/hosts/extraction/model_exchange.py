"""Write what a model is asked, and find the array of items in its answer, also one that was cut off.

What comes here has no secrets any more, and nothing that can not be seen. What was said is data. `[]` is
an answer; an answer without an array is none. What was cut off gives the items that are whole.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from importlib.resources import files

from ledger.escape import prose
from ledger.model.sha256 import sha256
from ledger.secrets.scanner import without_secrets
from rituals.hosts.extraction.extracted_items import MOST_ITEMS, MOST_TAGS
from rituals.hosts.transcripts.slices import Turn

#: What of a session is shown. Of an agent's turn less than of a person's; the oldest are left out first.
SESSION_CHARS, _USER_CHARS, _AGENT_CHARS = 120_000, 6_000, 3_000
_KNOWN, _KNOWN_CHARS = 60, 200


def prompt_for(
    turns: Sequence[Turn], known: Sequence[tuple[str, str]], kinds: Collection[str]
) -> str:
    """Return the whole prompt."""
    facts = "\n".join([f"{name}: {_cut(text, _KNOWN_CHARS)}" for name, text in known[:_KNOWN]])
    shown = [
        f"[{turn.role}] {_asked(turn)}"
        f"{_cut(turn.text, _USER_CHARS if turn.role == 'user' else _AGENT_CHARS)}"
        for turn in turns
        if turn.text
    ]
    room = SESSION_CHARS
    first = len(shown)
    while first and len(shown[first - 1]) < room:
        first -= 1
        room -= len(shown[first])
    session = "\n\n".join(shown[first:])
    mark = sha256(f"{facts}\n{session}".encode("utf-8", "replace")).hexdigest()[:16]
    text = files(__package__).joinpath("prompt.txt").read_text("utf-8")
    rules = text.format(items=MOST_ITEMS, tags=MOST_TAGS, kinds=", ".join(kinds))
    return (
        f"{rules}\n<known-{mark}>\n{facts}\n</known-{mark}>\n\n"
        f"<session-{mark}>\n{session}\n</session-{mark}>\n"
    )


def _asked(turn: Turn) -> str:
    """Return the question that a turn answers, where it answers one."""
    return f"(asked: {_cut(' '.join(turn.asked.split()), _KNOWN_CHARS)}) " if turn.asked else ""


def _cut(text: str, limit: int) -> str:
    """Take the middle out of a text that is too long."""
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}\n[…]\n{text[-limit // 2 :]}"


#: So many places are looked at where an array may begin.
_TRIES = 32
_READER = json.JSONDecoder()
_BLANKS = " \t\r\n"


def items_in(answer: str) -> list[dict[str, object]]:
    """Return the objects of the array that a model answered with.

    Raises:
        NoAnswer: it has no array.
    """
    at = answer.find("[")
    first = answer.find("{")
    for _ in range(_TRIES):
        if at < 0:
            break
        begin = _behind_blanks(answer, at + 1)
        if answer[begin : begin + 1] == "{":
            found = _objects(answer, begin)
            if found:
                return found
        elif answer[begin : begin + 1] == "]" and not 0 <= first < at:  # not that of an item's tags
            return []
        at = answer.find("[", at + 1)
    raise NoAnswer("its answer has no array", answer)


def _objects(text: str, at: int) -> list[dict[str, object]]:
    """Return the objects that follow each other from there on, as far as they are whole."""
    found: list[dict[str, object]] = []
    while text[at : at + 1] == "{":
        try:
            one, at = _READER.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found.append(one)
        at = _behind_blanks(text, at)
        if text[at : at + 1] != ",":
            break
        at = _behind_blanks(text, at + 1)
    return found


def _behind_blanks(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _BLANKS:
        at += 1
    return at


_SAID_CHARS = 120


class NoAnswer(Exception):
    """An extractor gave no answer that can be read.

    Args:
        why: in our words.
        said: how its own words begin, if it had any.
        free: nobody can have been charged, so that it may be asked once more.
    """

    def __init__(self, why: str, said: str = "", *, free: bool = False) -> None:
        said = without_secrets(prose(said[: 10 * _SAID_CHARS]))[:_SAID_CHARS]
        super().__init__(f"{why}: {said}" if said else why)
        self.free = free
