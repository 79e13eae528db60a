"""Questions: what somebody typed, as words, phrases, beginnings, and what must not be there."""

from __future__ import annotations

import re

from ledger.values import Record
from memory.recall.terms import FORMS, MONTHS, SMALL

_PIECE = re.compile(r'(?<!\S)(-?)"([^"]+)"|(?<!\S)-(\w[\w./-]*)(?!\S)|(\S+)')
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_BEGINNING = re.compile(r"\w[\w.-]*\*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: A question longer than this is read up to here.
QUESTION_CHARS = 2000


class Word(Record):
    """One word of a question.

    Args:
        raw: as typed, in lower case.
        forms: what counts as this word, before stemming: itself, and the other forms of its verb.
        beginning: anything that begins so.
        place: its number among the words of the question, those that say nothing counted too.
    """

    raw: str
    forms: tuple[str, ...]
    beginning: bool
    place: int


class Question(Record):
    """A question, read.

    Args:
        words: to look for, each once, in the order typed.
        phrases: word after word as typed; a hit has all of them.
        unwanted: words or phrases that no hit has.
        year, month, day: the date that is named, "" and 0 where none is.
        named: every word, in lower case, without what follows an apostrophe.
    """

    words: tuple[Word, ...]
    phrases: tuple[str, ...]
    unwanted: tuple[str, ...]
    year: str
    month: int
    day: int
    named: frozenset[str]


def read_question(text: str) -> Question:
    """Read what somebody typed."""
    words: list[Word] = []
    phrases: list[str] = []
    unwanted: list[str] = []
    seen: set[str] = set()
    named: list[str] = []
    place = 0

    def take(piece: str) -> None:
        nonlocal place
        for found in _WORD.findall(piece):
            parts = [found] if found.islower() else _CAMEL.sub(" ", found).split()
            for part in parts if len(parts) == 1 else [found, *parts]:
                raw = part.lower().replace("’", "'").partition("'")[0]
                place += 1
                named.append(raw)
                if raw and raw not in SMALL and raw not in seen:
                    seen.add(raw)
                    words.append(Word(raw, FORMS.get(raw, (raw,)), False, place))

    for minus, quoted, without, plain in _PIECE.findall(text[:QUESTION_CHARS]):
        if (quoted and minus) or without:
            unwanted.append(quoted or without)
        elif quoted:
            phrases.append(quoted)
            take(quoted)
        elif _BEGINNING.fullmatch(plain):
            raw = plain[:-1].lower()
            place += 1
            words.append(Word(raw, (raw,), True, place))
        else:
            take(plain)
    return Question(tuple(words), tuple(phrases), tuple(unwanted), *_date(named), frozenset(named))


def _date(words: list[str]) -> tuple[str, int, int]:
    """Find the year, the month and the day that a question names."""
    year, month, day = "", 0, 0
    for number, word in enumerate(words):
        if len(word) == 4 and word.isdigit() and word[:2] in ("19", "20"):
            year = word
        elif word in MONTHS and (word != "may" or _is_month(words, number)):
            month = MONTHS[word]
        elif word.rstrip("sthndr").isdigit() and 1 <= int(word.rstrip("sthndr")) <= 31:
            day = int(word.rstrip("sthndr"))
    return year, month, day if month else 0


def _is_month(words: list[str], number: int) -> bool:
    """Tell whether "may" at a place is the month: a number or "in" stands beside it."""
    beside = words[max(0, number - 1) : number] + words[number + 1 : number + 2]
    return any(word in ("in", "of", "on", "last") or word[:1].isdigit() for word in beside)
