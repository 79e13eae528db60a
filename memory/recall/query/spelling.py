"""Correct a word that no passage has by words of the index that are spelled nearly so."""

from __future__ import annotations

from projection.text.related_words import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.recall.query.postings import Lookups

#: The letters from which a word may have one mistake, and two.
ONE_FROM, TWO_FROM = 4, 8
#: A stem of fewer letters is nearly like too many.
_LEAST = 3
#: How many of the nearest words are looked for.
_NEAREST = 3
#: The letters that a word without its ending keeps at least, and the most that it lacks; those that it
#: shares at least with its like in another language ("modularisation", "modularização").
_BEGUN, _ENDING, _COGNATE = 6, 5, 8


def respelled(lookups: Lookups, raw: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of the index that somebody may have meant, none for a word with digits.

    `raw` is as typed, in lower case; the index does not have it.
    """
    if len(raw) < ONE_FROM or not raw.isalpha() or len(stems) != 1:
        return ()
    stem = stems[0]
    if len(stem) < _LEAST:
        return ()
    allowed = 2 if len(raw) >= TWO_FROM else 1
    root = root_of(stem)
    from projection.text.fuzzy import misspelled

    known: dict[str, None] = {}
    found: list[tuple[str, int]] = []
    # a beginning is enough to find candidates cheaply; then such in which the mistake is in it: two
    # letters changed places, one is missing, or one is too many
    swapped = (stem[1] + stem[0], stem[0] + stem[2], stem[1:3])
    for starts in ((stem[:3],), (stem[:2],), swapped):
        fresh = {word for start in starts for word in lookups.spelled(start)} - known.keys()
        known.update(dict.fromkeys(sorted(fresh)))
        found = misspelled(stem, list(known), allowed)
        if not found and root != stem and len(root) >= ONE_FROM:
            found = misspelled(root, list(known), 1)
        if found:
            break
    # a mistake in the ending, or the ending of another language
    sizes = range(len(stem), max(_BEGUN, len(stem) - _ENDING) - 1, -1)
    for size in () if found else sizes:
        most = 2 * size if size >= _COGNATE else size
        begun = [word for word in known if len(word) <= most and word.startswith(stem[:size])]
        found = [(word, len(word)) for word in sorted(begun, key=len)]
        if found:
            break
    least = found[0][1] if found else 0
    best = [word for word, distance in found if distance == least]
    best.sort(key=lambda word: (-lookups.count(word), word))
    return tuple(best[:_NEAREST])
