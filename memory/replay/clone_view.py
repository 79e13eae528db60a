"""Hold the ledger as this clone sees it: what the branch has, and the logs that wait (W14, W15, W21).

A ledger is a set, so both together are one. The view has a cache of its own, which begins as a copy of
that of the branch's tip: logs that land elsewhere leave the view, and a cache can only be added to. The
digest of its set (P4) tells whether it holds just what it should.
"""

from __future__ import annotations

from ledger.model.ids import blob_id
from ledger.model.log_names import LogRef, log_path
from memory.cache.ledger_version import beside, seen, tip_of
from memory.cache.stamp import CacheDamaged
from memory.replay.tip_snapshot import Snapshot
from projection.fold.live_view import log_digest, set_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.replay.tip_snapshot import Progress


class View(Snapshot):
    """Follows one home, and what waits beside its branch.

    Args:
        home: the home.
        clean: takes what was redacted out of all else that is kept beside git.
        progress: told how far a long reading is.
    """

    def __init__(
        self, home: Home, clean: Callable[[Home, Cache], object], progress: Progress | None = None
    ) -> None:
        super().__init__(home, clean, progress)
        self._path = home.cache_file + ".view.sqlite"
        self._committed = Snapshot(home, clean, progress)
        #: what was asked last, where it is not that of the tip alone
        self._joined: Cache | None = None
        self.notes = self._committed.notes

    @property
    def tip(self) -> Snapshot:
        """The ledger as it is committed, without what waits."""
        return self._committed

    def seen(self) -> str:
        """Name what is shown now, for a log that holds only there."""
        return seen(self.home) if self.home.plain else self.home.tip()

    @property
    def ledger(self) -> Snapshot:
        """What plans are made of: what is committed, and what a person has yet to commit."""
        return self if self.home.plain else self._committed

    def waiting(self) -> frozenset[str]:
        """Return the stems of its logs that are not committed on the branch yet."""
        held = self.home.spool.held()
        return frozenset(held).difference(self._committed.cache().known(held) if held else ())

    def cache(self, tip: str | None = None) -> Cache:
        """Return the cache of the view as it is now; of a commit alone where one is named."""
        at = None if tip is None else tip_of(tip)
        # what is not here any more has landed, and is looked for after that
        waits = beside(self.home) if tip is None or tip != at else ""
        held = self.home.spool.held() if waits else []
        committed = self._committed.cache(at)
        known = committed.known(held) if held else {}
        self._joined = None
        if len(known) < len(held):
            waiting = [stem for stem in held if stem not in known]
            self._joined = self._with_held(committed, committed.commit + waits, waiting)
        return self._joined or committed

    def _with_held(self, committed: Cache, name: str, waiting: list[str]) -> Cache:
        """Bring the cache of the view to a tip and what waits beside it."""
        view = self._open()
        if view is not None and view.commit == name and _alike(view, committed):
            return view
        spool, logs = self.home.spool, dict[LogRef, bytes]()
        # a stem proves what it names: those that the view has are not read, or all are
        for known in ({} if view is None else view.known(waiting), {}):
            logs = {
                LogRef(stem, log_path(stem), blob_id(data)): data
                for stem in waiting
                if stem not in known and (data := spool.read(stem) or spool.read_kept(stem))
            }
            wanted = _sum(committed, [*known.values(), *logs])
            if view is not None and _alike(view, committed) and _sum(view, logs) == wanted:
                try:
                    if self._add(view, name, logs):
                        return view
                except CacheDamaged:
                    pass
        return self._copy(committed, name, logs)

    def _add(self, view: Cache, name: str, logs: dict[LogRef, bytes]) -> bool:
        from memory.replay.read_logs import read_given

        reading = read_given(self.home, list(logs), logs.values())
        return view.advance(view.commit, name, reading.refs, reading.entries, reading.findings)

    def _copy(self, committed: Cache, name: str, logs: dict[LogRef, bytes]) -> Cache:
        """Make the cache of the view anew, in memory where the disk takes none.

        It is whole before others see it: whoever asks the file at this moment is answered with all of it.
        """
        from memory.cache.rebuild import copy

        made = copy(committed, "")
        self._add(made, name, logs)
        if self._cache is None or not self._cache.kept:
            self._cache = copy(made, self._path)
        else:
            try:
                self._cache.take_over(made)
            except CacheDamaged:  # a read-only or full disk
                self._cache = made
        return self._cache

    def discard(self) -> Cache:
        """Make what was asked last anew: it was found damaged."""
        if self._joined is None:
            return self._committed.discard()
        from memory.cache.rebuild import take_away

        self._let_go()
        try:
            take_away(self._path)
        except (OSError, CacheDamaged):
            pass  # it is replaced by the next one
        self.tell_unused()
        return self.cache()

    def settle(self) -> None:
        """Clean up after redactions, once more where something was in the way a moment ago."""
        self._committed.settle()

    def rebuilt(self) -> Cache:
        """Build the cache anew: objects that could not be read before can be read now."""
        self._committed.rebuilt()
        return self.cache()

    def close(self) -> None:
        """Close both files."""
        if self._cache is not None:
            self._cache.close()
        self._let_go()
        self._committed.close()


def _alike(view: Cache, committed: Cache) -> bool:
    """Tell whether a view was made of what a tip's cache says by now beside its logs."""
    made, now = (
        (one.policy, one.policy_problem, one.head.unread, one.head.redacted)
        for one in (view, committed)
    )
    return made == now


def _sum(cache: Cache, refs: Iterable[LogRef]) -> str:
    """Return the digest of the logs of a cache and some more."""
    terms = [log_digest(ref.key, ref.blob) for ref in refs]
    return set_digest([int(cache.summary.digest, 16), *terms])
