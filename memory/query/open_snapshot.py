"""Open a home for questions of its cache; what a redaction that arrived withholds is cleaned up first."""

from __future__ import annotations

import os

from memory.replay.clone_view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ledger.home import Home
    from ledger.model.logset import LogRef
    from ledger.model.session import Entry
    from memory.cache.cache_file import Cache
    from memory.replay.ledger_snapshot import Progress
    from projection.fold.fact_history import Fact
    from projection.policy.model import Policy

    Said = TypeVar("Said")


def open_snapshot(home: Home, progress: Progress | None = None) -> View:
    """Return the view of a home, which cleans up after redactions."""
    return View(home, _clean, progress)


def _clean(home: Home, cache: Cache) -> None:
    from memory.repair.redacted_copies import clean  # few ledgers have a redaction

    clean(home, cache)


def hides(home: Home) -> Callable[[str], bool]:
    """Return what tells whether a text says again what is withheld in a home; in most nothing is."""
    if not os.path.exists(f"{home.cache_file}.redacted"):
        return lambda _: False
    from memory.redaction.withheld_lines import telling_of

    view = open_snapshot(home)
    try:
        telling = view.ask(lambda cache: telling_of(home, cache))
    finally:
        view.close()
    return telling.repeats if telling else lambda _: False


class OpenHome:
    """One home, open: what its cache is asked, it is asked here.

    Args:
        home: where the ledger lives.
        progress: told how far a long reading is, as (done, total).
    """

    def __init__(self, home: Home, progress: Progress | None = None) -> None:
        self.home = home
        self.snapshot = open_snapshot(home, progress)

    def ask(self, question: Callable[[Cache], Said], *, committed: bool = False) -> Said:
        """Answer a question of the whole memory as of one moment (`Snapshot.ask`).

        Args:
            question: is given the cache, and keeps nothing of it.
            committed: without the logs that wait.
        """
        return (self.snapshot.tip if committed else self.snapshot).ask(question)

    def cache(self) -> Cache:
        """Return the cache as it is now, for a few questions that need not be of one moment."""
        return self.snapshot.cache()

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self.ask(lambda cache: cache.policy, committed=True)

    def fact(self, id: str) -> Fact | None:
        """Return one fact by its whole id, without where it stands; None where there is none."""
        return self.ask(lambda cache: cache.fact(id))

    def logs(self, *, committed: bool = False) -> list[tuple[LogRef, Entry]]:
        """Return all logs with what they say, in the order in which the cache met them."""
        return self.ask(
            lambda cache: [(ref, entry) for _, ref, entry in cache.entries()], committed=committed
        )

    def publishes(self, *, reviewing: bool = False) -> bool:
        """Tell whether a write on this branch, a review perhaps, commits the projection with it."""
        from memory.replay.trunk import publishes

        return publishes(self.home, self.policy, reviewing=reviewing)

    def short(self, stem: str) -> str:
        """Return a stem as people read it; whatever takes a stem takes that too."""
        from memory.cache.name_lookup import short_stem

        return self.ask(lambda cache: short_stem(cache, stem))

    def named(self, fact: str) -> str:
        """Return the whole id for it or the start of it (`fact_named`); an unknown one as it is."""
        from memory.cache.name_lookup import fact_named

        return self.ask(lambda cache: fact_named(cache, fact))
