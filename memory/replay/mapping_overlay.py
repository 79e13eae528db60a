"""Lay the few facts that changed over a mapping of a hundred thousand, without copying it."""

from __future__ import annotations

from projection.fold.fact_history import History

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, Mapping

    Histories = Mapping[str, History]
else:
    Histories = object

#: The number of changes from which a copy is cheaper than looking in two places.
_MERGE_FROM = 2000


class Layered(Histories):
    """Histories by fact id: those of a base that nobody changes any more, and changes on top.

    Args:
        base: is kept as it is.
        changes: what holds instead; is kept too.
    """

    def __init__(self, base: dict[str, History], changes: dict[str, History]) -> None:
        self._base = base
        self._changes = changes

    def changed(self, changes: dict[str, History]) -> Layered:
        """Return the mapping with more changes; this one stays as it is."""
        merged = {**self._changes, **changes}
        if len(merged) > _MERGE_FROM:
            return Layered({**self._base, **merged}, {})
        return Layered(self._base, merged)

    def get(self, key: str, default: History | None = None) -> History | None:  # type: ignore[override]
        """Return the history of a fact."""
        found = self._changes.get(key)
        return found if found is not None else self._base.get(key, default)

    def __getitem__(self, key: str) -> History:
        """Return the history of a fact.

        Raises:
            KeyError: no log names it.
        """
        found = self._changes.get(key)
        return found if found is not None else self._base[key]

    def __contains__(self, key: object) -> bool:
        return key in self._changes or key in self._base

    def __iter__(self) -> Iterator[str]:
        return iter({**self._base, **self._changes} if self._changes else self._base)

    def __len__(self) -> int:
        return len(self._base) + sum(key not in self._base for key in self._changes)

    def items(self) -> ItemsView[str, History]:
        """Return all of it."""
        return ({**self._base, **self._changes} if self._changes else self._base).items()
