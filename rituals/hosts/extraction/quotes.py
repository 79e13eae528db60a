"""Find quotes in what was said: word for word, white space apart, within one turn.

A quote that stands there and still says the opposite is none: cut out behind a "not" of its sentence, or
out of a question.
"""

from __future__ import annotations

from projection.text.vocabulary import NEGATORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rituals.hosts.transcripts.slices import Turn

#: What is shorter bears nothing out; a script without blanks says as much in fewer characters.
_LEAST_CHARS, _LEAST_WORDS, _LEAST_UNSPACED = 8, 2, 4
_NO_BLANKS = "\u2e80"
#: So far a sentence is looked at around a quote, and at so many places where the quote stands.
_REACH, _PLACES = 300, 200
_SENTENCE_ENDS = frozenset(".!?;\n。\uff01\uff1f")
_QUESTIONS = "?\uff1f"
_CLAUSE_ENDS = _SENTENCE_ENDS | frozenset(",:—–(")
_REFUSING = NEGATORS | frozenset(
    "instead than hardly nicht kein keine keinen nie statt jamás nunca jamais pas".split()
)


class Quotes:
    """Looks for quotes in the turns of a slice.

    Args:
        turns: of it.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._texts: list[tuple[int, str, str]] = []
        for turn in turns:
            text = "\n".join(
                [" ".join(line.split()) for line in turn.text.split("\n") if line.strip()]
            )
            self._texts.append((turn.at, text, text.replace("\n", " ")))

    def find(self, quote: str, *, stated: bool) -> tuple[str, int] | None:
        """Return a quote on one line, and the byte at which the line starts that has it.

        None where nobody said so. What has to be `stated` must not be a part of a question.
        """
        quote = " ".join(quote.split())
        if not _says_something(quote):
            return None
        places = _PLACES
        for byte, text, joined in self._texts:
            at = joined.find(quote)
            while at >= 0 and places:
                places -= 1
                end = at + len(quote)
                if _is_whole(joined, at, end) and not _is_turned(text, at):
                    if not (stated and _is_asked(text, end)):
                        return quote, byte
                at = joined.find(quote, end)
        return None


def _says_something(quote: str) -> bool:
    if quote and max(quote) >= _NO_BLANKS:
        return len(quote) >= _LEAST_UNSPACED
    return len(quote) >= _LEAST_CHARS and len(quote.split()) >= _LEAST_WORDS


def _is_whole(text: str, at: int, end: int) -> bool:
    """Tell whether words neither begin nor end outside of a part of a text."""
    before, behind = text[at - 1 : at] if at else "", text[end : end + 1]
    return not (_joins(before) and _joins(text[at])) and not (
        _joins(behind) and _joins(text[end - 1])
    )


def _joins(char: str) -> bool:
    return char.isalnum() and char < _NO_BLANKS


def _is_turned(text: str, at: int) -> bool:
    """Tell whether what stands before a place in its clause turns round what follows."""
    begin = at
    while begin > max(0, at - _REACH) and text[begin - 1] not in _CLAUSE_ENDS:
        begin -= 1
    words = text[begin:at].lower().replace("’", "'").split()
    return any(word in _REFUSING or word.endswith("n't") for word in words)


def _is_asked(text: str, end: int) -> bool:
    """Tell whether the sentence that a place is in is a question."""
    if text[end - 1] in _SENTENCE_ENDS:
        return text[end - 1] in _QUESTIONS
    for char in text[end : end + _REACH]:
        if char in _SENTENCE_ENDS:
            return char in _QUESTIONS
    return False
