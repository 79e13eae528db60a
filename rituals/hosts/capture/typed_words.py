"""Leave out of what an agent said what a person typed: no machine quotes a person.

A run of six words is a repetition, or of twelve characters in scripts without blanks, whatever the case,
the accents and the marks. It is a form, the same in every language. Linear in the text.
"""

from __future__ import annotations

import re
from _bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import pairwise
from unicodedata import category, normalize

from rituals.hosts.capture.report_paragraphs import is_listed, listed_mark, sentence_ends

#: What a run weighs: a word counts twice as much as a character of a script without blanks.
_RUN, _WORD, _CHARACTER = 12, 2, 1
#: Thai, Lao, Tibetan, Burmese, Khmer, Han and kana.
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
_PIECES = re.compile(rf"(?P<wide>[{_UNSPACED}])|[^\s{_UNSPACED}]+")
#: A name of code, a path or an address is one word, whatever marks are in it.
_CODE = re.compile(r"\w[/\\_.:@=]+\w")
_PARTED = re.compile(r"\W+")
_GAPS = re.compile(r"\n{3,}")
#: What a person said stands on such lines where the policy has it shared.
_ASKED = "> "
#: Stands in the place of a heading that repeats what was typed.
UNSHARED = "(not shared)"


class TypedWords:
    """Knows again what persons typed.

    Args:
        texts: that they typed, whole.
        hidden: the runs of what nothing may keep, as `hidden_runs` gives them.
    """

    def __init__(self, texts: Iterable[str], hidden: Iterable[str] = ()) -> None:
        self._runs, self._hidden = {run for text in texts for run in _runs_in(text)}, {*hidden}

    def repeats(self, text: str) -> bool:
        """Tell whether a text has such a run."""
        return next(self._spans(normalize("NFC", text)), None) is not None

    def without(self, text: str, *, asks: bool = False) -> tuple[str, list[str]]:
        """Return a text without the sentences that have a part of such a run, and these.

        A heading of level 3 keeps its place; with `asks` the lines that quote a person stay.
        """
        text, left_out, quoted = normalize("NFC", text), list[str](), _ASKED if asks else "\n"
        while spans := list(self._spans(text)):
            text, lost = _cut(text, spans, quoted)
            if not lost:
                break
            left_out += lost
        return _GAPS.sub("\n\n", text).strip("\n"), left_out

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        if self._runs or self._hidden:
            for run, start, end in _runs(_units(text)):
                if run in self._runs or (self._hidden and _hash(run) in self._hidden):
                    yield start, end


def hidden_runs(text: str) -> list[str]:
    """Return the runs of a text by which it is known again and can not be read."""
    return list(dict.fromkeys(_hash(run) for run in _runs_in(text)))


def _hash(run: str) -> str:
    return blake2b(run.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _runs_in(text: str) -> Iterator[str]:
    return (run for run, _, _ in _runs(_units(normalize("NFC", text))))


def _units(text: str) -> list[tuple[str, int, int, int]]:
    """Return the words of a text, each with its place and what it weighs."""
    found: list[tuple[str, int, int, int]] = []
    for piece in _PIECES.finditer(text):
        said, start, end = piece[0], piece.start(), piece.end()
        if piece["wide"]:
            if category(said)[0] in "LMN":
                found.append((normalize("NFKC", said), start, end, _CHARACTER))
            continue
        bare = _bare(said)
        parts = [bare] if _CODE.search(bare) else _PARTED.split(bare)
        for part in parts:
            word = "".join([char for char in part if char.isalnum()]).casefold()
            if word:
                found.append((word, start, end, _WORD))
    return found


def _bare(said: str) -> str:
    """Return a word without accents, vowel signs and what is not seen."""
    apart = normalize("NFKD", said)
    return "".join([char for char in apart if category(char) not in ("Mn", "Mc", "Cf")])


def _runs(units: list[tuple[str, int, int, int]]) -> Iterator[tuple[str, int, int]]:
    """Yield the shortest run from each word on that weighs enough, with its place."""
    end = weight = 0
    for begin, (_, start, _, own) in enumerate(units):
        while weight < _RUN and end < len(units):
            weight += units[end][3]
            end += 1
        if weight < _RUN:
            return
        yield "\0".join([one[0] for one in units[begin:end]]), start, units[end - 1][2]
        weight -= own


def _cut(text: str, spans: list[tuple[int, int]], quoted: str) -> tuple[str, list[str]]:
    """Return a text without the sentences that have a part of one of the spans, and these.

    Lines stay that begin with `quoted`. A list has no hole.
    """
    firsts, lasts = [first for first, _ in spans], [last for _, last in spans]
    kept, lost, at = list[str](), list[str](), 0
    for line in text.split("\n"):
        mark = listed_mark(line)
        ends = [] if line.lstrip().startswith("|") else sentence_ends(line, mark)
        stay, gone, cut = list[str](), list[str](), ""
        for begin, end in pairwise([mark, *ends, len(line)]):
            said = line[begin:end].strip()
            hit = bisect_right(lasts, at + begin) < bisect_left(firsts, at + end)
            # behind the mark of a cut stands a piece of what was cut
            cut = said if cut.endswith("…") or hit else ""
            (gone if cut else stay).append(said)
        at += len(line) + 1
        rest = " ".join(filter(None, stay))
        if not (line and gone) or line.startswith((quoted, "## ")):
            kept.append(line)
        elif line.startswith("### "):
            kept.append(f"### {UNSHARED}")
            lost.append(line)
        else:
            lost += gone
            if rest:
                kept.append(line[:mark] + rest)
            elif is_listed(line):
                kept.append(f"{line[:mark].replace('**', '') or '| '}{UNSHARED}")
    return "\n".join(kept), lost
