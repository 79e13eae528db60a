"""Look up the words of the index that are related to one that was typed.

Related words count for little (`memory.recall.rank.bm25.RELATED`).
"""

from __future__ import annotations

from projection.text.related_words import ROOT_LETTERS, related_words, root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.recall.query.postings import Lookups

#: The letters at the front of a word that its stem has too.
_KEPT = 2


def related_to(lookups: Lookups, raw: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of the index that are related to one, best first.

    `raw` is as typed, in lower case; `stems` are of its forms.
    """
    return lookups.related(raw, lambda: _related(lookups, stems))


def _related(lookups: Lookups, stems: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for stem in stems:
        groups = related_words(stem[:_KEPT])
        for word, of_word in zip(groups, lookups.stems(" ".join(groups)), strict=True):
            if of_word == stem:
                found.update(dict.fromkeys(lookups.stems(" ".join(groups[word]))))
        if len(stem) >= ROOT_LETTERS and stem.isalpha():
            root = root_of(stem)
            for other in lookups.beginning(root):
                if other.isalpha() and root_of(other) == root:
                    found[other] = None
    return tuple([stem for stem in found if stem not in stems and lookups.count(stem)])
