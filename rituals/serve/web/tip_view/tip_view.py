"""Hold one tip of a ledger as pages see it."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from projection.fold.replay import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.session import Entry
    from memory.api import Memory


class TipView:
    """What pages ask of one tip; each part is worked out when the first page asks for it, and kept.

    Args:
        memory: the home, open; used on the thread that opened it.
        state: of the tip.
    """

    def __init__(self, memory: Memory, state: State) -> None:
        self.memory, self.state = memory, state
        self.tip = memory.home.tip()
        #: stems of all work logs, in ledger order
        self.work = state.work

    @property
    def mark(self) -> str:
        """What changes whenever memory does: also when a log waits that no commit has yet."""
        return mark_of(self.tip, self.state)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All logs, in ledger order."""
        found = self.memory.snapshot.ask(lambda cache: [one for _, _, one in cache.entries()])
        return tuple(sorted(found, key=lambda entry: entry.stem))

    @cached_property
    def uses(self) -> dict[str, list[int]]:
        """Where each fact was used: the numbers of the work sessions that name it, from 0 on."""
        places = {stem: number for number, stem in enumerate(self.work)}
        found: dict[str, list[int]] = {}
        for entry in self.entries:
            number = places.get(entry.stem)
            if number is not None:
                for fact in entry.named:
                    found.setdefault(fact, []).append(number)
        return found

    def sessions_since(self, stem: str) -> int:
        """Count the work sessions behind a log."""
        return max(len(self.work) - bisect_left(self.work, stem) - 1, 0)


class TipViews:
    """Gives the view of the tip where it stands now; it is made anew when memory changed."""

    def __init__(self) -> None:
        self._kept: TipView | None = None

    def of(self, memory: Memory) -> TipView:
        """Return what pages see of a home."""
        state = memory.state()
        kept = self._kept
        if (
            kept is None
            or kept.memory is not memory
            or kept.mark != mark_of(memory.home.tip(), state)
        ):
            kept = self._kept = TipView(memory, state)
        return kept


def mark_of(tip: str, state: State) -> str:
    """Name what memory holds at a tip, in 24 characters."""
    return f"{tip[:12]}{state.summary.digest[:12]}"
