"""Find the array of items in what a model answered: in fences, in prose, or cut off.

`[]` is an answer; an answer without an array is none. What was cut off gives the items that are whole.
"""

from __future__ import annotations

import json

from rituals.hosts.extraction.extractor_failure import NoAnswer

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
