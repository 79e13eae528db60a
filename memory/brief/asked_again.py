"""Tell what a person asked for in several sessions in the same words, and what else in a session.

It says how they want to work. Words that follow each other are a form, in every language; the asks are of
this clone (`ledger.wal.kept_asks`), and told to who works in it alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from ledger.wal.kept_asks import Ask
from projection.brief.values import Session

#: What else a session was asked for: so many asks.
_MORE = 2
#: So much that was asked again is told, of the newest asks: so many words one after the other, or signs
#: where no blanks part them. What was typed is of words for the most part.
_AGAIN, _NEWEST, _RUN, _SIGNS, _PLAIN = 3, 500, 5, 12, 0.8
#: What stands around a word, and what behind it ends a run; writing without blanks begins with the last.
_MARKS, _ENDS, _UNSPACED = '.,;:!?"“”‘’…()*', ".;:!?…", "\u0e00"


def more_asked(asks: Sequence[Ask], session: str, first: str) -> list[str]:
    """Return what else a session was asked for, what tells most: by words that are rare among asks."""
    held = Counter([word for one in asks for word in {*_plain(one.text)}])
    own = {one.text for one in asks if one.session == session and _is_typed(one.text)} - {first}
    told = {text: sum([log(len(asks) / held[word]) for word in {*_plain(text)}]) for text in own}
    return [f"“{one}”" for one in sorted(told, key=lambda text: (-told[text], text))[:_MORE]]


def asked_again(asks: Sequence[Ask]) -> tuple[Session, ...]:
    """Return the words that were typed one after the other in asks of several sessions, and in how many.

    Nothing else of the asks is told, and no two that share words.
    """
    typed = [one for one in asks[-_NEWEST:] if _is_typed(one.text)]
    sessions: dict[tuple[str, ...], set[str]] = {}
    for one in typed:
        for run in _runs(one.text):
            sessions.setdefault(run, set()).add(one.session)
    held = Counter([word for one in typed for word in {*_plain(one.text)}])
    rated: dict[tuple[str, ...], tuple[int, float]] = {}
    for one in typed:
        words, who = list[str](), set[str]()
        for run in [*_runs(one.text), ()]:
            these = sessions.get(run, set())
            if words and words[1 - len(run) :] == [*run[:-1]] and len(who & these) > 1:
                words, who = [*words, run[-1]], who & these
                continue
            tells = sum([log(len(typed) / max(held[word], 1)) for word in {*words}])
            rated[tuple(words)] = len(who), len(who) * tells
            words, who = ([*run], these) if len(these) > 1 else ([], set())
    rated.pop((), None)
    found, said = list[Session](), set[str]()
    for run, (many, _) in sorted(rated.items(), key=lambda one: (-one[1][1], one[0])):
        if len(found) < _AGAIN and len(said.intersection(run)) < _RUN:
            text = ("" if run[0] >= _UNSPACED else " ").join(run)
            found.append(Session("", "", f"“{text}” ({many} sessions)", "", "ask"))
            said.update(run)
    return tuple(found)


def _is_typed(text: str) -> bool:
    """Tell whether a text is of words: what a program printed has marks and numbers between them."""
    return len(_plain(text)) > _PLAIN * len(text.split())


def _plain(text: str) -> list[str]:
    words = [one.strip(_MARKS) for one in text.casefold().replace("’", "'").split()]
    return [one for one in words if one.replace("'", "").isalpha()]


def _runs(text: str) -> list[tuple[str, ...]]:
    """Return so many words of a text as follow each other; a name, a number or a mark parts them."""
    found: list[tuple[str, ...]] = []
    run: list[str] = []
    for typed in [*text.casefold().replace("’", "'").split(), ""]:
        word = typed.strip(_MARKS)
        if word and word.replace("'", "").isalpha():
            run += word if word[0] >= _UNSPACED else [word]
            if typed[-1] not in _ENDS:
                continue
        width = _SIGNS if run and run[0] >= _UNSPACED else _RUN
        found += [tuple(run[at : at + width]) for at in range(len(run) - width + 1)]
        run = []
    return found
