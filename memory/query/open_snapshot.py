"""Open the snapshot that questions are asked of, and clean up first after a redaction that arrived."""

from __future__ import annotations

from memory.replay.clone_view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.replay.ledger_snapshot import Progress


def open_snapshot(home: Home, progress: Progress | None = None) -> View:
    """Return the view of a home, which cleans up after redactions."""
    return View(home, _clean, progress)


def _clean(home: Home, cache: Cache) -> None:
    from memory.repair.redacted_copies import clean  # few ledgers have a redaction

    clean(home, cache)
