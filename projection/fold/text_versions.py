"""Decide which texts of a fact stand, from its births, updates and closings in ledger order.

Nothing here knows who saw what but by what they name: an update names the versions it replaces, a closing
those that it closed. Keeps invariants F3 and F8 of FORMAT.md.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from ledger.model.ids import version_id
from projection.fold.fact_history import Version


class Texts:
    """The versions that stand, by id; `heads` is right after every step."""

    def __init__(self) -> None:
        self.heads: dict[str, Version] = {}
        self._replaced: dict[str, tuple[str, ...]] = {}  # by what stands, when it last came
        self._again: set[str] = set()  # what came more than once
        self._known: dict[str, Version] = {}
        self._closed_at = ""
        self._closed: tuple[str, ...] = ()
        self._settled: set[str] = set()
        self._latest: tuple[str, tuple[str, ...]] = ("", ())

    def bring(
        self, text: str, stem: str, was: tuple[str, ...] | None, *, knew: bool = False
    ) -> None:
        """Let a text stand; the versions it replaces no longer do, unless they come up again later.

        A version that came up again by replacing another of them is not among what this writer saw: to
        them the other one stood. So two who chose differently between the same versions both stand.
        `was` are the versions it replaces, None for all that stand; `knew`: whether its writer knew
        that the thread was closed.
        """
        made = version_id(text)
        stand = self.standing()
        parents = tuple(stand) if was is None else was
        gone = [
            parent
            for parent in parents
            if parent != made and not self._unseen(parent, parents, stand)
        ]
        seen = stand.keys() & parents
        if (
            was is None
            or knew
            or stem == self._closed_at
            or 0 < len(seen & self.heads.keys()) < len(seen)
        ):
            self._settled.update(parents)  # who names both sides has seen both
        for parent in gone:
            self.heads.pop(parent, None)
        first = self.heads.pop(made, None)
        if made in self._known:
            self._again.add(made)
        self.heads[made] = self._known[made] = first or Version(made, text, stem, parents)
        self._replaced[made] = parents
        self._latest = stem, parents

    def _unseen(self, version: str, named: Iterable[str], stand: Container[str]) -> bool:
        """Tell whether a version came up again, in place of one that an update names as standing."""
        if version not in self._again:
            return False  # it came once, so whoever names it has seen how
        replaced = self._replaced[version]
        return any(one != version and one in replaced and one not in stand for one in named)

    def close(self, stem: str, was: tuple[str, ...] | None) -> None:
        """Note what a closing closed; "" reopens.

        `was` are the versions that whoever closed it saw, None where it is not said.
        """
        self._closed_at, self._closed = stem, was or ()
        latest, parents = self._latest  # perhaps it was reworded and closed in one log
        self._settled = set(parents) if latest == stem else set()

    def standing(self) -> dict[str, Version]:
        """Return what stands of a closed thread: also what was closed, and reworded unaware of that."""
        found = dict(self.heads)
        for version in self._closed:
            if version not in self._settled and version in self._known:
                found[version] = self._known[version]
        return found
