"""Keep of which heads it was found out that they have not the work of a point: they are not asked again.

In `diurna/unlanded`, a line each: a point, the tip of its branch (`-` for none), and the heads, the last
asked first. It is a cache: without it more is looked through.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.git.cli import Git
    from ledger.git.landing.landing_search import Work

#: Under the common git directory.
ASKED_FILE = "diurna/unlanded"
#: How many heads of one point are kept.
_HEADS = 4


class Asked:
    """What was asked before.

    Args:
        text: of the file.
        git: runs in the repository.
    """

    def __init__(self, text: str, git: Git) -> None:
        self._git, self._old = git, text
        rows = [line.split(" ") for line in text.split("\n")]
        self._heads = {(row[0], row[1]): row[2:] for row in rows if len(row) > 2}
        self._behind: dict[tuple[str, str], bool] = {}

    def before(self, work: Work, head: str) -> str:
        """Return the nearest head before one that has not some work, "" where none is known."""
        heads = self._heads.get(_key(work), ())
        if head in heads:
            return head
        return next((one for one in heads if self._leads(one, head)), "")

    def note(self, work: Work, head: str) -> None:
        """Note that a head has not some work."""
        heads = self._heads.get(_key(work), ())
        rest = [one for one in heads if one != head and not self._leads(one, head)]
        self._heads[_key(work)] = [head, *rest][:_HEADS]

    def text(self) -> str | None:
        """Return what is to be in the file, None where it is as it was."""
        lines = [" ".join((*key, *heads)) + "\n" for key, heads in sorted(self._heads.items())]
        return None if "".join(lines) == self._old else "".join(lines)

    def _leads(self, old: str, new: str) -> bool:
        """Tell whether a head is an ancestor of another one."""
        if (old, new) not in self._behind:
            self._behind[old, new] = self._git.holds(new, old)
        return self._behind[old, new]


def _key(work: Work) -> tuple[str, str]:
    return work.point, work.tip or "-"
