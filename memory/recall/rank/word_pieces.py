"""Cut a text into the pieces of words that vectors are of: the byte-pair encoding of the extra `vectors`.

The library `tokenizers` cuts the same, and takes longer to load than a question takes to answer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Stands for a blank. No piece holds one behind another character, so a text is cut there first.
_BLANK = "\u2581"
_CHUNK = re.compile(f"{_BLANK}*[^{_BLANK}]*")
#: Pieces that no text is made of: they are found as they stand, and cut a text in two.
_SPECIAL = re.compile("(<unk>|<s>|</s>)")
_CHUNKS_KEPT = 20_000
_BLANKS = 64


class WordPieces:
    """A vocabulary of pieces.

    Args:
        numbers: of the pieces; of two that could be joined, those of the lower number are.
    """

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers
        self._none = 2 * len(numbers)
        self._ranks = dict(numbers)
        for count in range(2, _BLANKS):  # blanks are joined after all else
            if _BLANK * count in numbers:
                self._ranks[_BLANK * count] += len(numbers)
        self._cut = lru_cache(_CHUNKS_KEPT)(self._cut_chunk)

    def __len__(self) -> int:
        """Return how many pieces there are."""
        return len(self._numbers)

    def cut(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces, in order."""
        found: list[int] = []
        for part in _SPECIAL.split(text) if "<" in text else (text,):
            if part in self._numbers and _SPECIAL.fullmatch(part):
                found.append(self._numbers[part])
            elif part:
                for chunk in _CHUNK.findall(_BLANK + part.replace(" ", _BLANK)):
                    found += self._cut(chunk)
        return found

    def _cut_chunk(self, chunk: str) -> Sequence[int]:
        """Cut what has blanks at its front alone: join the best two neighbours until none can be."""
        numbers = self._numbers
        if chunk in numbers:
            return (numbers[chunk],)  # every piece is cut into itself
        pieces: list[str] = []
        for char in chunk:
            if char in numbers:
                pieces.append(char)
            else:
                pieces += [f"<0x{byte:02X}>" for byte in char.encode("utf-8", "replace")]
        rank, none = self._ranks.get, self._none
        ranks = [rank(one + two, none) for one, two in pairwise(pieces)]
        while ranks and (best := min(ranks)) < none:
            at = ranks.index(best)
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
            del ranks[at]
            if at:
                ranks[at - 1] = rank(pieces[at - 1] + pieces[at], none)
            if at < len(ranks):
                ranks[at] = rank(pieces[at] + pieces[at + 1], none)
        return [numbers[piece] for piece in pieces]
