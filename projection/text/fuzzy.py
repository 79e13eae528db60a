"""Compare spellings; the only module that imports rapidfuzz, which costs 20 ms to load."""

from __future__ import annotations

from collections.abc import Sequence


def ratio(one: str, two: str) -> float:
    """Return how alike two words are spelled, 0 to 100."""
    from rapidfuzz import fuzz

    return fuzz.ratio(one, two)


def nearest(name: str, names: Sequence[str], count: int) -> tuple[str, ...]:
    """Return the names that are spelled nearly like one, best first; never that one itself."""
    from rapidfuzz import fuzz, process

    found = process.extract(name, names, scorer=fuzz.ratio, limit=count + 1, score_cutoff=70)
    near = [one for one, _, _ in found if one != name][:count]
    return tuple(sorted(near, key=lambda n: -fuzz.ratio(name, n)))


def meant(name: str, names: Sequence[str]) -> str:
    """Ask whether a name that is not there is one of those that are spelled nearly so; "" for none."""
    alike = nearest(name, names, 3)
    return f"did you mean {' or '.join(alike)}?" if alike else ""


def misspelled(word: str, words: Sequence[str], mistakes: int) -> list[tuple[str, int]]:
    """Return the words that at most so many mistakes turn a word into, with their number, best first.

    A mistake is a letter too many, missing or wrong, or two that changed places (optimal string
    alignment, Damerau 1964).
    """
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    found = process.extract(word, words, scorer=OSA.distance, limit=None, score_cutoff=mistakes)
    return sorted([(one, int(distance)) for one, distance, _ in found], key=lambda p: (p[1], p[0]))


def changes(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the steps from one sequence of words to another: from there to there become these to these.

    What stands between is common to both: their longest common subsequence (Hyyrö 2004), in a bit for each
    pair of words.
    """
    from rapidfuzz.distance import LCSseq

    numbers: dict[str, int] = {}
    one, other = (
        [numbers.setdefault(word, len(numbers)) for word in words] for words in (old, new)
    )
    steps = [step for step in LCSseq.opcodes(one, other) if step.tag != "equal"]
    return [(step.src_start, step.src_end, step.dest_start, step.dest_end) for step in steps]
