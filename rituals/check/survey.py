"""Read one home for the checks, each part of it once, when a check first asks for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ledger.git.log_history import Damage
from ledger.model.findings import Finding
from ledger.model.layout import stem_of
from ledger.model.logset import LogRef, log_refs
from memory.api import Memory
from memory.edits.detect import Edit
from memory.redaction.withheld_texts import held_logs
from memory.replay.read_logs import Reading, read_all
from memory.replay.replayed_state import state_from
from projection.fold.full_replay import State
from projection.fold.withholding import held_in
from projection.policy.model import Policy
from rituals.check.history import damaged, without_purged
from rituals.check.worktree import Listing, list_sessions

Progress = Callable[[int, int], None]

#: The long parts of a survey, in the order in which they come.
READING, HISTORY, TEXTS = PARTS = ("reading", "history", "texts")


class Survey:
    """What checks look at.

    Args:
        memory: the home, open.
        now_ms: the wall clock, milliseconds since 1970.
        cold: read every log from git and ask no cache.
        deep: compare the cache with a cold replay, too.
        progress: told how far a long part is.
        parts: which long parts there will be, so that together they fill one bar.
    """

    def __init__(
        self,
        memory: Memory,
        now_ms: int,
        *,
        cold: bool = False,
        deep: bool = False,
        progress: Progress | None = None,
        parts: tuple[str, ...] = (),
    ) -> None:
        self.home, self.memory, self.now_ms = memory.home, memory, now_ms
        self.cold, self.deep, self.progress = cold, deep, progress
        self._parts = parts
        self._listings: dict[str, Listing] = {}

    def fresh(self) -> Survey:
        """Return a survey of the same home that has read nothing yet."""
        return Survey(
            self.memory, self.now_ms, cold=self.cold, deep=self.deep,
            progress=self.progress, parts=self._parts,
        )  # fmt: skip

    def part(self, name: str) -> Progress | None:
        """Return what is told how far one long part is."""
        progress = self.progress
        if progress is None or name not in self._parts:
            return progress
        first, many = self._parts.index(name) * 1000, len(self._parts)

        def told(done: int, total: int) -> None:
            progress((first + done * 1000 // max(total, 1)) // many, 1000)

        return told

    @cached_property
    def tip(self) -> str:
        """The commit that is looked at, "" for none."""
        return self.home.tip()

    def listing(self, tip: str | None = None) -> Listing:
        """List what is below `sessions/` at the tip or another commit, once for all checks."""
        wanted = self.tip if tip is None else tip
        if wanted not in self._listings:
            self._listings[wanted] = list_sessions(self.home, wanted)
        return self._listings[wanted]

    @cached_property
    def logs(self) -> tuple[list[LogRef], tuple[Finding, ...]]:
        """The logs at the tip in ledger order, and what else lies beside them."""
        return log_refs(self.listing().rows, self.home.prefix)

    @cached_property
    def policy(self) -> tuple[str, Policy, str]:
        """The policy at the tip: its blob id, what it says, and what is wrong with it."""
        return self.memory.snapshot.policy_at(self.tip)

    @cached_property
    def state(self) -> State:
        """The ledger as it stands; read from git alone where the survey is cold."""
        if not self.cold:
            return self.memory.tip_state()
        reading = self._reading
        return state_from(reading.refs, reading.entries, self.policy[1], reading.findings)

    @cached_property
    def _reading(self) -> Reading:
        return read_all(self.home, self.logs[0], self.part(READING))

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """People's edits of `continuity.md` and of views, and what they say."""
        from memory.edits.detect import find_edits

        return find_edits(self.memory.snapshot.tip, lambda: self.state)

    @cached_property
    def held(self) -> frozenset[tuple[str, str]]:
        """The logs, as (stem, blob id), that were redacted: they may be gone, or replaced (fault:E7)."""
        if not self.cold:
            return self.memory.ask(held_logs, committed=True)
        return held_in(self.state.histories.values())

    def purged(self, path: str) -> bool:
        """Tell whether other bytes stand for a redacted log whose own the history has no longer."""
        standing = self.listing().standing.get(path, "")
        named = {blob for stem, blob in self.held if stem == stem_of(path)}
        known = {damage.path for damage in self.damages[0]}
        return bool(standing and named) and standing not in named and path not in known

    @cached_property
    def damages(self) -> tuple[tuple[Damage, ...], tuple[Finding, ...]]:
        """The logs that history altered and that are not whole now, and where it could not be read."""
        standing = self.listing().standing
        found, noticed = damaged(self.home, self.tip, standing, self.part(HISTORY))
        return without_purged(found, self.held) if found else found, noticed
