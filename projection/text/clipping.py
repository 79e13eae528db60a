"""Cut a text that is too long, and never the word that turns it round.

What a cut drops of the sentence that it shows may say that the sentence does not hold: such a word stands
behind the mark of the cut.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CUT = "…"
#: What ends a sentence where a blank and a capital follow, in writings without blanks alone, and what may
#: stand behind it.
_STOPS, _ALONE, _CLOSING = ".!?…", "\u3002\uff01\uff1f", "\"'”’»)]*_`\u300d\u300f"
#: How a line begins that does not go on where the one above it ended.
_STARTS = ("- ", "* ", "+ ", "#", "|", ">", "```", "~~~", "1. ", "2. ")
#: What may stand before the capital of a sentence.
_OPENING = "*_`\"'“‘„«([¿¡"
#: How far a cut goes back to the end of a word; what no cut ends with.
_WORD_CHARS, _LOOSE = 24, " ⏎,;:—–-("
#: How much of a sentence is looked through, and the least room in which a second piece is of use.
_SENTENCE_CHARS, _LEAST_CHARS = 2_000, 24
_MARKS, _ENDS = ".,;:!?()[]{}*_`'\"—–→…“”„«»\u3002\uff01\uff1f", ".!?…\u3002\uff01\uff1f"
_SHORT = frozenset("e.g i.e etc vs approx ca resp no nr z.b d.h bzw ggf p.ej".split())
#: Words that turn a statement round, in English, German, French, Spanish, Italian, Portuguese and Dutch.
_NEGATIONS = frozenset(
    "not no never none nothing nobody nowhere neither nor cannot without "
    "nicht nichts nie niemals nirgends keinesfalls weder ohne nein "
    "pas jamais rien sans non ni nunca jamás nada nadie tampoco sin ningún "
    "mai niente nulla né senza não ninguém sem niet nooit niets geen zonder".split()
)
#: How those begin that are inflected, and how many letters may follow.
_STEMS = ("kein", "niemand", "aucun", "ningun", "nessun", "nenhum")
_ENDING = 2


def clipped(text: str, chars: int) -> str:
    """Cut a text to so many characters, between two words where there is a place, and mark the cut.

    Args:
        text: on one line.
        chars: the most that is returned.
    """
    if len(text) <= chars:
        return text
    kept = _kept(text, chars - 1)
    lost = dropped(text, len(kept)) if chars >= _LEAST_CHARS else ""
    if not lost:
        return kept + _CUT
    kept = _kept(text, chars - 2 - len(lost))
    return f"{kept}{_CUT} {lost}" if dropped(text, len(kept)) else kept + _CUT


def ended(text: str, chars: int) -> str:
    """Put a text on one line of so many characters, cut behind a sentence where one ends in its back half.

    Else it is cut as `clipped` does.
    """
    parts: list[str] = []
    fresh = True  # what begins here does not go on where the line above ended
    for line in text.split("\n"):
        said = " ".join(line.split())
        if said:
            parts.append(("\n" if fresh or said.startswith(_STARTS) else " ") + said)
        fresh = not said
    lines = "".join(parts).strip()
    bare = lines.replace("\n", " ")
    if len(bare) <= chars:
        return bare
    ends = [*sentence_starts(lines, chars // 2, chars - 2)]
    return f"{bare[: ends[-1]].rstrip()} {_CUT}" if ends else clipped(bare, chars)


def sentence_starts(text: str, first: int, behind: int) -> Iterator[int]:
    """Yield where sentences begin in a stretch of a text, behind others.

    A mark ends one where a blank and a capital follow: that in `.entire/settings. json` does not.
    """
    at = first
    while at < behind:
        mark = text[at]
        at += 1
        if mark == "\n" or mark in _ALONE:
            at = _past(text, at, behind, str.isspace if mark == "\n" else _CLOSING.__contains__)
            yield at
        elif mark in _STOPS:
            closed = _past(text, at, behind, _CLOSING.__contains__)
            begins = _past(text, closed, behind, str.isspace)
            rest = text[begins : begins + 8].lstrip(_OPENING)
            if begins > closed and _is_capital(rest) and not _shortens(text, at - 1):
                at = begins
                yield at


def _past(text: str, at: int, behind: int, is_one: Callable[[str], bool]) -> int:
    """Return the first place from there on whose character is no such one."""
    while at < behind and is_one(text[at]):
        at += 1
    return at


def _is_capital(rest: str) -> bool:
    """Tell whether a text begins with a capital, or a letter of a writing that has none."""
    return rest[:1].isalpha() and not rest[0].islower()


def _shortens(text: str, at: int) -> bool:
    """Tell whether a full stop is that of a shortened word, an initial or a number of a list."""
    if text[at] != ".":
        return False
    word = text[text.rfind(" ", max(0, at - _WORD_CHARS), at) + 1 : at].lower().lstrip(_OPENING)
    return word in _SHORT or len(word) < 2 or (word.isdecimal() and len(word) < 4)


def windowed(text: str, at: int, chars: int) -> str:
    """Return so many characters of a sentence around a place; what a cut drops in front is marked, too.

    Args:
        text: one sentence.
        at: a place in it.
        chars: the most that is returned.
    """
    begin = text.find(" ", max(0, at - chars // 2)) + 1 if at > chars // 2 else 0
    if len(text) <= chars or not 0 < begin <= at:
        return clipped(text, chars)
    lost = dropped(text[:begin], 0)
    lead = f"{lost} {_CUT} " if lost else f"{_CUT} "
    return lead + clipped(text[begin:], chars - len(lead))


def dropped(text: str, at: int) -> str:
    """Return the word that turns round the sentence in which a place is, from there on; "" for none."""
    if at and text[at - 1] in _ENDS and text[at : at + 1] == " ":
        return ""
    return _first(text[at : at + _SENTENCE_CHARS])


def negates(text: str) -> bool:
    """Tell whether a word of a text turns round what it says."""
    return any(_turns(word.strip(_MARKS)) for word in text.split())


def _first(text: str) -> str:
    """Return the first word that turns round what a text says, up to the end of its sentence."""
    for word in text.split():
        bare = word.strip(_MARKS)
        if _turns(bare):
            return bare
        end = word.rstrip("\"'”’)]*_`")[-1:]
        if end and end in _ENDS and bare.lower() not in _SHORT:
            return ""
    return ""


def _turns(word: str) -> bool:
    low = word.lower()
    if low in _NEGATIONS or low.endswith(("n't", "n’t")):
        return True
    return low.startswith(_STEMS) and any(
        low.startswith(stem) and len(low) <= len(stem) + _ENDING for stem in _STEMS
    )


def _kept(text: str, chars: int) -> str:
    kept = text[: max(0, chars)]
    if text[len(kept) : len(kept) + 1] != " ":
        at = kept.rfind(" ", max(len(kept) - _WORD_CHARS, len(kept) // 2 + 1))
        kept = kept[: at if at > 0 else len(kept)]
    return kept.rstrip(_LOOSE)
