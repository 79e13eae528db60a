"""Look up the words of the index that are related to one that was typed.

Related words count for little (`memory.recall.rank.bm25.RELATED`).
"""

from __future__ import annotations

from projection.text.related_words import RELATED, ROOT_LETTERS, root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.recall.query.postings import Lookups


def related_to(lookups: Lookups, raw: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of the index that are related to one, best first.

    Args:
        lookups: of the index.
        raw: as typed, in lower case.
        stems: of its forms.
    """
    return lookups.related(raw, lambda: _related(lookups, stems))


def _related(lookups: Lookups, stems: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    table = lookups.table(RELATED)
    for stem in stems:
        found.update(dict.fromkeys(table.get(stem, ())))
        if len(stem) >= ROOT_LETTERS and stem.isalpha():
            root = root_of(stem)
            for other in lookups.beginning(root):
                if other.isalpha() and root_of(other) == root:
                    found[other] = None
    return tuple([stem for stem in found if stem not in stems and lookups.count(stem)])
