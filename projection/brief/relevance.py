"""Rate how much a fact has to do with the task, the branch and the changed files.

The task's ranking comes from the search; what surrounds it is looked for in the facts' words here. Both
are fused by reciprocal rank (Cormack, Clarke and Büttcher 2009, with their k = 60).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from projection.fold.fact_history import Fact
    from projection.fold.projection_state import Standing

_K = 60
_LEAST_WORD_CHARS = 4
#: What branches and files are called everywhere.
_COMMON = frozenset(
    "main master trunk develop development feature feat fixes bugfix hotfix release chore docs "
    "test tests branch draft work topic init index utils readme lib src util config user "
    "refactor update claude codex agent".split()
)
_PATH_WEIGHT, _NAME_WEIGHT = 4, 2


def scores(
    live: Iterable[Standing], found: Sequence[str], branch: str, changed: Sequence[str]
) -> dict[str, float]:
    """Score facts; one that has nothing to do with it is left out.

    `found` are ids of what the search found for the task, best first; `branch` is checked out;
    `changed` are paths of files that differ from what is committed.
    """
    fused = {fact: 1 / (_K + rank) for rank, fact in enumerate(found)}
    wanted = _wanted(branch, changed)
    if not wanted:
        return fused
    near = [(-weight, one.fact.id) for one in live if (weight := _weight(one.fact, wanted))]
    for rank, (_, fact) in enumerate(sorted(near)):
        fused[fact] = fused.get(fact, 0.0) + 1 / (_K + rank)
    return fused


def _wanted(branch: str, changed: Sequence[str]) -> dict[str, int]:
    """Return what is looked for, with its weight: paths, names of files, words."""
    wanted: dict[str, int] = {}
    for path in changed:
        path = path.lower()
        name = path[path.rfind("/") + 1 :]
        for part, weight in ((path, _PATH_WEIGHT), (name, _NAME_WEIGHT)):
            if len(part) >= _LEAST_WORD_CHARS:
                wanted[part] = weight
        for word in _words(name.partition(".")[0]):
            wanted.setdefault(word, 1)
    for word in _words(branch.lower()):
        wanted.setdefault(word, 1)
    return wanted


def _words(text: str) -> list[str]:
    split = "".join([char if char.isalnum() else " " for char in text]).split()
    return [word for word in split if len(word) >= _LEAST_WORD_CHARS and word not in _COMMON]


def _weight(fact: Fact, wanted: dict[str, int]) -> int:
    meta = [value for key, value in fact.meta if key in ("tags", "entity", "source", "serves")]
    said = " ".join([fact.id, fact.text, *meta]).lower()
    return sum(weight for word, weight in wanted.items() if _has(said, word))


def _has(said: str, word: str) -> bool:
    """Tell whether a text has a word, or a path, as a whole."""
    at = said.find(word)
    while at >= 0:
        end = at + len(word)
        if not (said[at - 1 : at].isalnum() or said[end : end + 1].isalnum()):
            return True
        at = said.find(word, at + 1)
    return False
