"""Make ids for bullets that a person added without one."""

from __future__ import annotations

from projection.text.fact_ids import id_of_subject, subject_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from projection.document.page_parser import Block
    from projection.fold.projection_state import Standing


class NewIds:
    """The ids that one edit makes.

    Args:
        known: gives the facts as they stand in the ledger now.
        before: what the page had before.
    """

    def __init__(self, known: Callable[[str], Standing | None], before: Sequence[Block]) -> None:
        self._known, self._before = known, before
        self._words: dict[str, str] | None = None
        self.made: set[str] = set()
        #: of an id that was made: the number to go on with, and which below it facts have
        self._tried: dict[str, tuple[int, list[str]]] = {}

    def free(self, text: str) -> str:
        """Make the first of `id`, `id-2`… that stands for nothing else; "" if it is said already.

        Raises:
            ValueError: none can be made of the text.
        """
        if not any(map(str.isalnum, text)):
            raise ValueError("no id can be made from this text")
        if self._words is None:
            footers = [pair for one in self._before for pair in one.footer]
            self._words = subject_words([value for key, value in footers if key == "entity"])
        made = id_of_subject(text, self._words)
        number, taken = self._tried.get(made, (1, []))
        for found in taken:
            if found not in self.made and self._is_said(found, text):
                return ""
        while True:
            found = made if number == 1 else f"{made}-{number}"
            if found not in self.made:
                if self._known(found) is None:
                    self._tried[made] = (number + 1, taken)
                    return found
                if self._is_said(found, text):
                    return ""
                taken.append(found)
                self._tried[made] = (number + 1, taken)
            number += 1

    def _is_said(self, id: str, text: str) -> bool:
        """Tell whether an absorption that was cut short said a text already, and that is its fact."""
        standing = self._known(id)
        said = standing is not None and standing.live and standing.fact.text == text
        if said and not any(block.id == id for block in self._before):
            self.made.add(id)
        return id in self.made
