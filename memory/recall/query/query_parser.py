"""Parse a question into words, phrases, beginnings, what must not be there, and the date that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

from ledger.model.record import Record
from memory.recall.index.rows import NUMBERED, TIMED
from memory.recall.index.unspaced import asked_pairs, has_unspaced, pairs_in
from memory.recall.query.stopwords import FORMS, MONTHS, SMALL

#: The year, the month and the day, each worth so much of a whole date.
YEAR, MONTH, DAY = 0.2, 0.4, 0.4
#: What is told of a day is told a day or two later, or within the week, or the day before.
SOON, WEEK = 0.5, 0.25
_PIECE = re.compile(r'(?<!\S)(-?)"([^"]+)"|(?<!\S)-(\w[\w./-]*)(?!\S)|(\S+)')
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_BEGINNING = re.compile(r"\w[\w.-]*\*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: Endings that are spelled with an s or a z.
_ISE = re.compile(r"(\w{3,}[iy])([sz])(e|ed|es|er|ers|ing|ation|ations)")
_JOINED = re.compile(r"[^\W_](?:[\w./\\:#@+-]*[^\W_])?")
_TIMES = re.compile(
    r"\A\s*(?:when|what (?:date|year|month|day|time)|how long)\b|\bwhich (?:month|year|day|date)\b",
    re.I,
)
_NUMBERS = re.compile(r"\s*how (?:many|much|old|often)\b", re.I)
#: The characters of a question that are read, and the words that are looked for.
QUESTION_CHARS = 2000
WORDS = 64


class Word(Record):
    """One word of a question."""

    raw: str  #: as typed, in lower case
    #: what counts as this word, before stemming: itself, and the other forms of its verb
    forms: tuple[str, ...]
    beginning: bool = False  #: anything that begins so
    root: str = ""  #: what begins so counts as this word too, "" for nothing


class Question(Record):
    """A question, read."""

    words: tuple[Word, ...]  #: to look for, each once, in the order typed
    phrases: tuple[str, ...]  #: what was quoted
    #: what is one name though it has several words: `snake_case`, `src/a.py`, `v1.2.3`
    names: tuple[str, ...]
    unwanted: tuple[str, ...]  #: words or phrases that no hit has
    alone: bool  #: there is nothing but phrases
    date: Named  #: that is named
    named: frozenset[str]  #: every word, in lower case, without what follows an apostrophe
    hints: int  #: the marks of passages that hold what is asked for (`passages.marks_of`)
    small: bool  #: some of the words are English ones that tell nothing


def read_question(text: str) -> Question:
    """Read what somebody typed; no text is wrong."""
    words: dict[str, Word] = {}
    phrases: list[str] = []
    names: dict[str, None] = {}
    unwanted: list[str] = []
    said: list[str] = []
    quoted_words = 0
    text = text[:QUESTION_CHARS].encode("utf-8", "replace").decode()  # no half of a character
    text = normalize("NFC", text)
    for minus, quoted, without, plain in _PIECE.findall(text):
        if (quoted and minus) or without:
            unwanted.append(quoted or without)
        elif quoted:
            phrases.append(quoted)
            before = len(words)
            _take(_take_unspaced(quoted, words), words, said)
            quoted_words += len(words) - before
        elif _BEGINNING.fullmatch(plain):
            raw = plain[:-1].lower()
            words.setdefault(plain.lower(), Word(raw, (raw,), True))
        else:
            plain = _take_unspaced(plain, words)
            names.update(dict.fromkeys(_names(plain)))
            _take(plain, words, said)
    hints = (TIMED if _TIMES.search(text) else 0) | (NUMBERED if _NUMBERS.match(text) else 0)
    return Question(
        tuple(words.values())[:WORDS],
        tuple(phrases),
        tuple(names),
        tuple(unwanted),
        bool(phrases) and quoted_words == len(words) and not names,
        named_date(said),
        frozenset(said),
        hints,
        not SMALL.isdisjoint(said),
    )


def wanted_text(text: str) -> str:
    """Return a question as it was typed, without what no hit may have, quotes and stars."""
    pieces = _PIECE.findall(text[:QUESTION_CHARS])
    wanted = [quoted or plain for minus, quoted, _, plain in pieces if not minus]
    return " ".join([piece.rstrip("*") for piece in wanted if piece])


def words_in(text: str) -> tuple[str, ...]:
    """Return the distinct words of a passage that tell something, in lower case, in order."""
    found = (word.partition("'")[0] for word in _WORD.findall(text.lower().replace("’", "'")))
    return tuple(dict.fromkeys([word for word in found if word not in SMALL]))


def as_indexed(phrase: str) -> str:
    """Return a phrase as the index has it: of writing without blanks, the pairs of its characters."""
    return pairs_in(phrase) or phrase


def _take_unspaced(piece: str, words: dict[str, Word]) -> str:
    """Take what of a piece is writing without blanks; return the rest."""
    if not has_unspaced(piece):
        return piece
    pairs, rest = asked_pairs(piece)
    for typed, indexed in pairs.items():
        words.setdefault(typed, Word(typed, (indexed,), len(typed) == 1))
    return rest


def _take(piece: str, words: dict[str, Word], said: list[str]) -> None:
    """Take the words of a piece: `camelCase` as itself and as its parts."""
    for found in _WORD.findall(piece):
        parts = [found] if found.islower() else _CAMEL.sub(" ", found).split()
        for part in parts if len(parts) == 1 else [found, *parts]:
            raw = part.lower().replace("’", "'").partition("'")[0]
            said.append(raw)
            if raw and raw not in SMALL and raw not in words:
                words[raw] = Word(raw, FORMS.get(raw) or (raw, *other_spelling(raw)))


def other_spelling(word: str) -> tuple[str, ...]:
    """Return an English word, in lower case, as it is spelled overseas: `modularise`, `analyze`."""
    found = _ISE.fullmatch(word)
    return (f"{found[1]}{'z' if found[2] == 's' else 's'}{found[3]}",) if found else ()


def _names(piece: str) -> list[str]:
    """Return what in a piece is one name of several words, as these words."""
    names = []
    for found in _JOINED.findall(piece):
        parts = _CAMEL.sub(" ", " ".join(_WORD.findall(found))).split()
        if len(parts) > 1:
            names.append(" ".join(parts))
    return names


class Named(Record):
    """What a question names of a date; "" and 0 where it names nothing."""

    year: str = ""
    month: int = 0
    day: int = 0


def named_date(words: Sequence[str]) -> Named:
    """Find the year, the month and the day that words in lower case name.

    `7 May 2023`, `May 7th`, `2023-05-07`, `07.05.2023` (the day first, unless there is no such month).
    """
    for one, two, three in zip(words, words[1:], words[2:], strict=False):
        if one.isdecimal() and two.isdecimal() and three.isdecimal():
            if _is_year(one) and int(two) <= 12:
                return Named(one, int(two), int(three) if int(three) <= 31 else 0)
            if _is_year(three) and len(one) <= 2 and len(two) <= 2:
                day, month = (int(one), int(two)) if int(two) <= 12 else (int(two), int(one))
                if 0 < month <= 12 and day <= 31:
                    return Named(three, month, day)
    year, month, day = "", 0, 0
    for number, word in enumerate(words):
        if _is_year(word):
            year = word
        elif word in MONTHS and (word != "may" or _is_month(words, number)):
            month = MONTHS[word]
        else:
            bare = word.rstrip("sthndr") if word[:1].isdecimal() else ""
            if bare.isdecimal() and len(bare) <= 2 and 1 <= int(bare) <= 31:
                day = int(bare)
    return Named(year, month, day if month else 0)


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word.isascii() and word[:2] in ("19", "20")


def _is_month(words: Sequence[str], number: int) -> bool:
    """Tell whether "may" at a place is the month: a number or "in" stands beside it."""
    beside = [*words[max(0, number - 1) : number], *words[number + 1 : number + 2]]
    return any(word in ("in", "of", "on", "last") or word[:1].isdecimal() for word in beside)


def closeness(named: Named, day: str) -> float:
    """Return how near a day, `YYYY-MM-DD`, is to a date that was named, 0 to 1."""
    if not (named.year or named.month):
        return 0.0
    if named.year and named.month and named.day:
        behind = _days(day) - _days(f"{named.year}-{named.month:02d}-{named.day:02d}")
        if behind == 0:
            return 1.0
        if 0 < behind <= 2:
            return SOON
        return WEEK if -2 < behind <= 8 else 0.0
    month = day[5:7] == f"{named.month:02d}"
    return (
        YEAR * (day[:4] == named.year)
        + MONTH * month
        + DAY * (month and day[8:10] == f"{named.day:02d}")
    )


def _days(day: str) -> int:
    """Return the number of a day, of which only differences mean anything; 0 for what is no day."""
    try:
        year, month, number = int(day[:4]), int(day[5:7]), int(day[8:10])
    except ValueError:
        return 0
    if month <= 2:
        year, month = year - 1, month + 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (306 * (month + 1)) // 10 + number
