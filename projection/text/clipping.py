"""Cut a text that is too long, and never the word that turns it round.

What a cut drops of the sentence that it shows may say that the sentence does not hold: such a word stands
behind the mark of the cut, with what it negates. Nothing is cut between the two.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_CUT = "…"
#: The most characters that a line of what was found has: about 80 tokens.
LINE_CHARS = 320
#: What ends a sentence where a blank and a capital follow, in writings without blanks alone, and what may
#: stand behind it.
_STOPS, _ALONE, _CLOSING = ".!?…", "\u3002\uff01\uff1f", "\"'”’»)]*_`\u300d\u300f"
_BREAKS = _STOPS + "\n" + _ALONE
#: How a line begins that does not go on where the one above it ended.
_STARTS = ("- ", "* ", "+ ", "#", "|", ">", "```", "~~~", "1. ", "2. ")
#: What may stand before the capital of a sentence.
_OPENING = "*_`\"'“‘„«([¿¡"
#: How far a cut goes back to the end of a word; what no cut ends with.
_WORD_CHARS, _LOOSE = 24, " ⏎,;:—–-("
#: How much of a sentence is looked through, and the least room in which a second piece is of use.
_SENTENCE_CHARS, _LEAST_CHARS = 2_000, 24
#: What begins a clause; how far what a word negates is looked for, and how long a word is that tells.
_CLAUSES = (", ", "; ", ": ", " — ", " – ")
_PHRASE_CHARS, _PHRASE_WORDS, _TELLING_CHARS = 40, 3, 4
_MARKS, _ENDS = ".,;:!?()[]{}*_`'\"—–→…“”„«»\u3002\uff01\uff1f", ".!?…\u3002\uff01\uff1f"
#: Words that a full stop shortens.
SHORTENED = frozenset(
    "e.g i.e etc vs cf approx ca resp no nr mr mrs dr st incl z.b d.h bzw ggf p.ej".split()
)
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
    """Cut a text on one line to so many characters, between two words if it can, and mark the cut."""
    if len(text) <= chars:
        return text
    kept, lost = _kept(text, chars - 1), ""
    while chars >= _LEAST_CHARS:
        lost = _said(text, *_turning(text, len(kept), chars // 2))
        if not lost or len(kept) + 2 + len(lost) <= chars:
            break
        whole = last_start(text, len(kept) // 2, len(kept))
        kept = text[:whole].rstrip() if whole else _kept(text, chars - 2 - len(lost))
    return f"{kept}{_CUT} {lost}" if lost else kept + _CUT


def one_line(text: str, chars: int = LINE_CHARS) -> str:
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
    end = last_start(lines, chars // 2, chars - 2)
    return f"{bare[:end].rstrip()} {_CUT}" if end else clipped(bare, chars)


def telling(text: str, words: Sequence[str], chars: int = LINE_CHARS) -> str:
    """Return a text from the first of the sentences that have most of some words, where it is too long.

    A word is looked for without its ending, so this is a guess; it only says what is shown first.
    """
    if len(text) <= chars or not words:
        return text
    starts = [0, *sentence_starts(text, 0, len(text))]
    lower = text.lower()
    heads = [word[: max(3, len(word) - 2)] for word in words]
    counts = [
        sum([head in lower[start:end] for head in heads])
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
    ]
    best = starts[counts.index(max(counts))]
    return "… " + text[best:] if best else text


def sentence_starts(text: str, first: int, behind: int) -> Iterator[int]:
    """Yield where sentences begin in a stretch of a text, behind others.

    A mark ends one where a blank and a capital follow: that in `.entire/settings. json` does not.
    """
    at = first
    while at < behind:
        start = _start(text, at, behind) if text[at] in _BREAKS else 0
        at = start or at + 1
        if start:
            yield start


def last_start(text: str, first: int, behind: int) -> int:
    """Return the last place that `sentence_starts` yields of a short stretch, 0 for none."""
    marks = _BREAKS[: len(_STOPS) + 1] if text.isascii() else _BREAKS
    at = behind
    while (at := max([text.rfind(mark, first, at) for mark in marks])) >= 0:
        if start := _start(text, at, behind):
            return start
    return 0


def _start(text: str, at: int, behind: int) -> int:
    """Return where a sentence begins behind a mark, 0 where none does."""
    mark = text[at]
    closed = _past(text, at + 1, behind, str.isspace if mark == "\n" else _CLOSING.__contains__)
    if mark not in _STOPS:
        return closed
    begins = _past(text, closed, behind, str.isspace)
    rest = text[begins : begins + 8].lstrip(_OPENING)
    # a capital, or a letter of a writing that has none
    capital = rest[:1].isalpha() and not rest[0].islower()
    return begins if begins > closed and capital and not _shortens(text, at) else 0


def _past(text: str, at: int, behind: int, is_one: Callable[[str], bool]) -> int:
    """Return the first place from there on whose character is no such one."""
    while at < behind and is_one(text[at]):
        at += 1
    return at


def _shortens(text: str, at: int) -> bool:
    """Tell whether a full stop is that of a shortened word, an initial or a number of a list."""
    if text[at] != ".":
        return False
    word = text[text.rfind(" ", max(0, at - _WORD_CHARS), at) + 1 : at].lower().lstrip(_OPENING)
    return word in SHORTENED or len(word) < 2 or (word.isdecimal() and len(word) < 4)


def _turning(text: str, at: int, room: int) -> tuple[int, int]:
    """Return where the first word that turns round the rest of a sentence begins, and its phrase ends.

    It is looked for from `at` on; both are that place where there is none. `room` is how long the
    phrase is at most.
    """
    place = at
    if at and any(sentence_starts(text, at - 1, at + 1)):
        return at, at
    for word in text[at : at + _SENTENCE_CHARS].split():
        place = text.index(word, place)
        if _turns(word.strip(_MARKS)):
            begins = max([text.rfind(mark, at, place) for mark in _CLAUSES]) + 1
            end = min(_phrase_end(text, place + len(word)), place + room)
            last = text.rfind(" ", place + len(word), end)
            # a second one at the end would stand without what it negates
            alone = last >= 0 and _turns(text[last + 1 : end].strip(_MARKS))
            return (begins if begins and end - begins <= room else place), last if alone else end
        place += len(word)
        if _closes(word, _ENDS) and word.strip(_MARKS).lower() not in SHORTENED:
            break
    return at, at


def _phrase_end(text: str, at: int) -> int:
    """Return where a phrase ends that a place is in: behind the next word that is no small one."""
    last = text[:at].split(" ")[-1]
    for word in text[at : at + _PHRASE_CHARS].split()[:_PHRASE_WORDS]:
        if _closes(last, _MARKS):
            break
        at, last = text.index(word, at) + len(word), word
        if len(word.strip(_MARKS)) >= _TELLING_CHARS and not _turns(word.strip(_MARKS)):
            break
    return at


def _closes(word: str, marks: str) -> bool:
    """Tell whether a word ends with such a mark, quotes and brackets aside."""
    end = word.rstrip("\"'”’)]*_`")[-1:]
    return end != "" and end in marks


def _said(text: str, start: int, end: int) -> str:
    return text[start:end].strip(_MARKS + " ")


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
    kept = kept.rstrip(_LOOSE)
    while _turns((last := kept[kept.rfind(" ") + 1 :]).strip(_MARKS)) and not _closes(last, _ENDS):
        kept = kept[: len(kept) - len(last)].rstrip(_LOOSE)
    return kept
