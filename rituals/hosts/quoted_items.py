"""Take of a model's answer only what somebody said: each item has the words that bear it out.

A quote has to stand in one turn, word for word, white space apart. One that stands there and still says
the opposite is none: cut out behind a "not" of its sentence, or out of a question.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ledger.model.record import Record
from ledger.secrets.scanner import without_secrets
from projection.policy.model import BUILT_IN_KINDS, DELIBERATE, THREAD_KIND
from projection.text.clipping import clipped
from projection.text.normalize import NEGATORS
from rituals.hosts.transcripts.turns import Turn

KINDS = tuple(kind.name for kind in BUILT_IN_KINDS if kind.name not in DELIBERATE)
#: At most so many items come of a slice, each with at most so many tags.
MOST_ITEMS, MOST_TAGS = 12, 5


class Item(Record):
    """Something that others have to know."""

    kind: str  #: of the fact
    text: str  #: in words that can be understood without the session
    quote: str  #: the words of the session that say it, on one line
    salience: int = 5  #: 1 to 10
    entity: str = ""  #: what it is about
    tags: tuple[str, ...] = ()  #: at most 5
    personal: bool = False  #: it is about the person, not about the project
    supersedes: tuple[str, ...] = ()  #: ids of known facts that no longer hold
    obsolete_when: str = ""  #: what will make an end of it
    at: int = 0  #: the byte at which the line of the transcript starts that has the quote


#: What is said of an item that does not say itself how much it weighs.
_SALIENCE = 5
_TEXT_CHARS, _QUOTE_CHARS, _NAME_CHARS = 500, 1000, 80


def checked(
    answers: Sequence[dict[str, object]],
    turns: Sequence[Turn],
    known: Collection[str],
    kinds: Collection[str] = KINDS,
) -> tuple[tuple[Item, ...], int]:
    """Return the items of answers that hold, what weighs most first, and how many do not."""
    lines = [[" ".join(line.split()) for line in turn.text.split("\n")] for turn in turns]
    said = [
        (turn.at, "\n".join(filter(None, some))) for turn, some in zip(turns, lines, strict=True)
    ]
    found: dict[str, Item] = {}
    for answer in answers:
        item = _item(answer, said, known, kinds)
        if item is not None:
            found.setdefault(" ".join(item.text.lower().split()), item)
    best = sorted(found.values(), key=lambda item: -item.salience)[:MOST_ITEMS]
    return tuple(best), len(answers) - len(best)


def _item(
    answer: dict[str, object],
    said: Sequence[tuple[int, str]],
    known: Collection[str],
    kinds: Collection[str],
) -> Item | None:
    """Return an item; None where it is none, or where nobody said so."""
    kind, text, quote = (_line(answer.get(key)) for key in ("kind", "text", "quote"))
    salience = answer.get("salience", _SALIENCE)
    if kind not in kinds or not text or len(text) > _TEXT_CHARS or len(quote) > _QUOTE_CHARS:
        return None
    if isinstance(salience, bool) or not isinstance(salience, int | float):
        return None
    at = _place(quote, said, stated=kind != THREAD_KIND)
    if at < 0:
        return None
    names = [_line(tag) for tag in _list(answer.get("tags"))]
    return Item(
        kind, without_secrets(text), without_secrets(quote), round(max(1, min(10, salience))),
        _name(_line(answer.get("entity"))),
        tuple(dict.fromkeys(filter(None, map(_name, names))))[:MOST_TAGS],
        answer.get("personal") is True,
        tuple([one for one in _list(answer.get("supersedes")) if one in known]),
        _note(answer.get("obsolete_when")), at,
    )  # fmt: skip


def _list(value: object) -> list[str]:
    """Return the texts of a list; a text alone is a list of one."""
    some = value if isinstance(value, list) else [value]
    return [one for one in some if isinstance(one, str)]


def _line(value: object) -> str:
    """Return a text on one line that can be written."""
    text = value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
    return " ".join(text.split())


def _name(line: str) -> str:
    """Return what can stand in a list in a footer, "" where it is too long for a name."""
    name = without_secrets(line).replace("|", " ").replace(",", " ")
    return " ".join(name.split()) if len(name) <= _NAME_CHARS else ""


def _note(value: object) -> str:
    """Return what can stand in a footer."""
    return clipped(without_secrets(_line(value)).replace("|", "/"), _TEXT_CHARS)


#: What is shorter bears nothing out; a script without blanks says as much in fewer characters.
_LEAST_CHARS, _LEAST_WORDS, _LEAST_UNSPACED = 8, 2, 4
_NO_BLANKS = "\u2e80"
#: So far a sentence is looked at around a quote, and at so many places where the quote stands.
_REACH, _PLACES = 300, 200
_QUESTIONS = "?\uff1f"
_SENTENCE_ENDS = frozenset(f".!;\n。\uff01{_QUESTIONS}")
_CLAUSE_ENDS = _SENTENCE_ENDS | frozenset(",:—–(")
_REFUSING = NEGATORS | frozenset(
    "instead than hardly nicht kein keine keinen nie statt jamás nunca jamais pas".split()
)


def _place(quote: str, said: Sequence[tuple[int, str]], *, stated: bool) -> int:
    """Return the byte at which the line of the turn starts that has a quote; -1 where nobody said so.

    What has to be `stated` must not be a part of a question.
    """
    unspaced = bool(quote) and max(quote) >= _NO_BLANKS
    if len(quote) < (_LEAST_UNSPACED if unspaced else _LEAST_CHARS):
        return -1
    if not unspaced and len(quote.split()) < _LEAST_WORDS:
        return -1
    places = _PLACES
    for byte, text in said:
        joined = text.replace("\n", " ")
        at = joined.find(quote)
        while at >= 0 and places:
            places -= 1
            end = at + len(quote)
            cut = _joins(joined, at) or _joins(joined, end)
            if not (cut or _is_turned(text, at) or (stated and _is_asked(text, end))):
                return byte
            at = joined.find(quote, end)
    return -1


def _joins(text: str, at: int) -> bool:
    """Tell whether a place is within a word."""
    around = text[at - 1 : at + 1] if 0 < at < len(text) else " "
    return all(char.isalnum() and char < _NO_BLANKS for char in around)


def _is_turned(text: str, at: int) -> bool:
    """Tell whether what stands before a place in its clause turns round what follows."""
    begin = at
    while begin > max(0, at - _REACH) and text[begin - 1] not in _CLAUSE_ENDS:
        begin -= 1
    words = text[begin:at].lower().replace("’", "'").split()
    return any(word in _REFUSING or word.endswith("n't") for word in words)


def _is_asked(text: str, end: int) -> bool:
    """Tell whether the sentence that a place is in is a question."""
    ends = (char for char in text[end - 1 : end + _REACH] if char in _SENTENCE_ENDS)
    return next(ends, "") in tuple(_QUESTIONS)
