"""Tell whether a sentence is about a person, and not about the work, in several languages.

Memory that others share holds nothing of anybody's health, family, pay, plans, place or taste, no
judgement of somebody, and nothing that was said between two people. What a speaker says of themselves,
and what is said of somebody who is named, is personal unless it is plainly about the work: what is
shared is to be right, and need not be all that could be. No text takes more than linear time.
"""

from __future__ import annotations

import re

from ledger.secrets.person_model import person_model, split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: What a sentence is about that concerns a person, and the kinds of words that tell of it.
CONFIDENCE = "what is kept between two"
_TOPICS = (
    ("private life", frozenset(("KIN", "HEALTH", "LIFE"))),
    ("taste", frozenset(("TASTE",))),
    ("somebody else", frozenset(("THEY", "HUMANS", "NAMES", "JUDGED"))),
)
_SPEAKER = "the speaker"
_ENDS, _WIDE_ENDS = ".!?…", "。\uff01\uff1f\uff1b"
#: One that weighs more is about a person: so low that what nobody learned from leaks in one of 70, and
#: so high that of what is about the work as little is lost.
_BAR = -0.5
#: What ends a clause; one by itself is to weigh so much more, has so many words at least, and a part of
#: what the whole sentence weighs for the work is taken from it.
_CLAUSES = re.compile(
    r"[,;:—，] ?|\s[-–]\s|\s(?:because|since|so|weil|parce que|porque|así que|então|потому что)\s"
)
_ALONE, _CLAUSE_WORDS, _WHOLE = 1.0, 4, 0.4
#: One without a word that tells of a person, in another language for instance, is to weigh so much more.
_UNKNOWN = 1.5
#: The scripts of languages that nothing was learned of, kana and Hangul: what is not known weighs nothing.
_UNLEARNED = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
#: Plainly about a person is what weighs so much more, and has a word that tells of one.
_PLAINLY = 1.0
_PERSON = frozenset(
    "ME MY THEIR THEY HUMANS NAMES KIN THEIRS HEALTH LIFE TASTE JUDGED"
    " SIGNS_ME SIGNS_PRIVATE SIGNS_THEY".split()
)
#: A shorter one says nothing of anybody by itself, unless it says whose it is.
_LEAST_WORDS, _OWN = 3, frozenset(("ME", "MY"))
#: Between us and somebody else nothing is kept.
_ANDS = ("and ", "und ", "et ", "y ", "e ", "и ")


def about_person(text: str, *, plainly: bool = False) -> str:
    """Return what the first sentence that is about a person is about; "" where none is.

    `plainly`: only what is so beyond a doubt: a writer is to be warned, and nothing is left out.
    """
    for part in paragraphs(text):
        for sentence in _sentences(" ".join(part.split("\n"))):
            found = _topic(sentence, plainly=plainly)
            if found:
                return found
    return ""


def without_personal(text: str) -> str:
    """Return a text without its paragraphs and items that are about a person."""
    parts = list(paragraphs(text))
    kept = [part for part in parts if not about_person(part)]
    return text if len(kept) == len(parts) else "".join(kept)


def is_kept_quiet(text: str) -> bool:
    """Tell whether a paragraph says that it stays between those who speak: "off the record"."""
    sentences = _sentences(" ".join(text.split("\n")))
    return any(_is_quiet(one, split_words(one)) for one in sentences)


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs and items of a text, with the blank lines behind them; all of it, in order."""
    part: list[str] = []
    closed = False
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        item = bare[:2] in ("- ", "* ", "+ ") or (bare[:1].isdigit() and bare[1:3] in (". ", ") "))
        if part and bare and (closed or item):
            yield "".join(part)
            part = []
        closed = not bare
        part.append(line)
    if part:
        yield "".join(part)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph; an end is a mark with a blank behind it."""
    start = 0
    for at, char in enumerate(text):
        if char in _WIDE_ENDS or (char in _ENDS and text[at + 1 : at + 2] in ("", " ", "\t")):
            yield text[start : at + 1]
            start = at + 1
    yield text[start:]


def _topic(sentence: str, *, plainly: bool) -> str:
    words = split_words(sentence)
    if _is_quiet(sentence, words):
        return CONFIDENCE
    model = person_model()
    weight, found = model.weigh(sentence, words)
    if weight <= _BAR:
        less = _ALONE - _WHOLE * min(0.0, weight)
        for clause in _CLAUSES.split(sentence):
            if len(clause) < len(sentence):
                own = split_words(clause)
                if len(own) >= _CLAUSE_WORDS:
                    weight = max(weight, model.weigh(clause, own)[0] - less)
    if weight <= _BAR:
        return ""
    kinds = {kind for number, kind in enumerate(model.names) if found >> number & 1}
    if _PERSON.isdisjoint(kinds):
        if plainly or weight <= _UNKNOWN or _UNLEARNED.search(sentence):
            return ""
    if plainly and weight <= _BAR + _PLAINLY:
        return ""
    if len(words) < _LEAST_WORDS and (_OWN.isdisjoint(kinds) or kinds <= _OWN):
        return ""
    return next((topic for topic, words in _TOPICS if not words.isdisjoint(kinds)), _SPEAKER)


def _is_quiet(sentence: str, words: list[str]) -> bool:
    """Tell whether a sentence keeps something between two people, by one of the phrases for it."""
    model = person_model()
    if not sentence.isascii() and any(sign in sentence for sign in model.quiet_signs):
        return True
    if model.quiet.keys().isdisjoint(words):
        return False
    whole = f" {' '.join(words)} "
    at = 0
    for word in words:
        for phrase in model.quiet.get(word, ()):
            if whole.startswith(phrase, at) and not whole.startswith(_ANDS, at + len(phrase)):
                return True
        at += len(word) + 1
    return False
