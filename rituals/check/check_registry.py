"""List the checks, and which commands make them; and make them.

What they look at is a survey of one home: each part of it is read once, from git alone, when a check first
asks for it. A row names its function by module, so that a command loads no more than it chooses. What a
check yields is a `Finding`, or one together with a remedy (`Noticed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

from ledger.git.log_history import Damage
from ledger.model.findings import CODES, ERROR, INFO, WARNING, Finding
from ledger.model.layout import stem_of
from ledger.model.logset import LogRef, log_refs
from ledger.model.record import Record
from memory.api import Memory
from memory.replay.read_logs import Reading, read_all
from memory.replay.replayed_state import state_from
from projection.fold.full_replay import State
from projection.fold.withholding import held_in
from projection.policy.model import Policy
from rituals.check.history import damaged, without_purged
from rituals.check.sessions_listing import Listing, list_sessions

Progress = Callable[[int, int], None]

#: Kinds of remedies, in the order in which they are applied.
MOVE, REMAKE, FETCH, SET, COMMIT, REBUILD, PUBLISH = range(7)


class Remedy(Record):
    """One safe thing to do; two of the same words are one."""

    kind: int  #: one of `MOVE` to `PUBLISH`
    said: str  #: the step in words, beginning with a verb
    do: Callable[[], object]  #: does it; a DiurnaError says why it could not be


class Noticed(Record):
    """What a check noticed, and what mends it, where something safe does."""

    finding: Finding
    remedy: Remedy | None = None


def mended(finding: Finding, then: str, kind: int, step: str, do: Callable[[], object]) -> Noticed:
    """Return a finding with its remedy; `then` says for the hint what `--fix` does: "sets it"."""
    hint = f"`diurna check --fix` {then}"
    return Noticed(finding._replace(hint=hint), Remedy(kind, step, do))


class Survey:
    """What checks look at.

    Args:
        memory: the home, open.
        now_ms: the wall clock, milliseconds since 1970.
        progress: told how far each long part is: reading, the history, texts.
    """

    def __init__(self, memory: Memory, now_ms: int, progress: Progress | None) -> None:
        self.home, self.memory, self.now_ms = memory.home, memory, now_ms
        self.progress = progress
        self._listings: dict[str, Listing] = {}

    def fresh(self) -> Survey:
        """Return a survey of the same home that has read nothing yet."""
        return Survey(self.memory, self.now_ms, self.progress)

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
    def reading(self) -> Reading:
        """The logs as git has them."""
        return read_all(self.home, self.logs[0], self.progress)

    @cached_property
    def state(self) -> State:
        """The ledger as it stands."""
        reading = self.reading
        return state_from(reading.refs, reading.entries, self.policy[1], reading.findings)

    @cached_property
    def held(self) -> frozenset[tuple[str, str]]:
        """The logs, as (stem, blob id), that were redacted: they may be gone, or replaced (fault:E7)."""
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
        found, noticed = damaged(self.home, self.tip, standing, self.progress)
        return without_purged(found, self.held) if found else found, noticed


VERIFY, LINT, DOCTOR, REVIEW = _ALL = "verify", "lint", "doctor", "review"
#: What a check looks at: the machine; this clone; what is at the tip, so it waits until that can be read.
MACHINE, CLONE, CONTENT = "machine", "clone", "content"

#: What names a commit and its author, and what would send people to that.
_TELLING = ("log-modified", "log-deleted", "duplicate-stem")
_TOLD = ("seal-broken", "seal-collision")
_RANK = {ERROR: 0, WARNING: 1, INFO: 2}


class Check(Record):
    """One check."""

    name: str  #: what is looked at, in words for a check that fails
    look: str  #: its function, `module:name`
    by: tuple[str, ...] = _ALL  #: the commands that make it
    stage: str = CONTENT  #: `MACHINE`, `CLONE` or `CONTENT`
    deep: bool = False  #: only where caches are compared with the ledger

    def run(self, subject: Any) -> Iterator[Any]:
        """Yield what it finds."""
        module, _, name = self.look.partition(":")
        yield from getattr(import_module(f"rituals.check.{module}"), name)(subject)


_HERE, _LOGS = "clone_checks", "ledger_checks"
#: All checks, in the order in which they are made.
CHECKS = (
    Check("git", "machine:git_noticed", (DOCTOR,), MACHINE),
    Check("agents' programs", "machine:hosts_noticed", (DOCTOR,), MACHINE),
    Check("lock files", f"{_HERE}:lock_noticed", (DOCTOR,), CLONE),
    Check("recent commits", f"{_HERE}:recent_noticed", (DOCTOR,), CLONE),
    Check("the tip of the branch", f"{_HERE}:tip_noticed", (DOCTOR,), CLONE),
    Check("the spool", f"{_LOGS}:spool", stage=CLONE),
    Check("where memory was before", f"{_HERE}:moved_noticed", (DOCTOR,), CLONE),
    Check("spools beside it", f"{_HERE}:spool_noticed", (DOCTOR,), CLONE),
    Check("captured sessions", f"{_HERE}:capture_noticed", (DOCTOR,), CLONE),
    Check("git's attributes", f"{_HERE}:attributes_noticed", (DOCTOR,), CLONE),
    Check("the bytes of logs", f"{_HERE}:logs_noticed", (DOCTOR,)),
    Check("what logs and facts say", f"{_LOGS}:said"),
    Check("what is only one person's", f"{_LOGS}:personal"),
    Check("the policy", f"{_LOGS}:policy"),
    Check("clocks", f"{_LOGS}:clocks"),
    Check("the history of logs", f"{_LOGS}:history"),
    Check("the history of the branch", f"{_LOGS}:rewritten"),
    Check("the projection", f"{_LOGS}:projection"),
    Check("logs in the work tree", f"{_LOGS}:work_tree"),
    Check("edits by hand", f"{_LOGS}:edits"),
    Check("what is due", f"{_LOGS}:due", (LINT, REVIEW)),
    Check("texts", "linted_files:texts", (LINT,)),
    Check("the caches", f"{_HERE}:caches_noticed", (DOCTOR,), deep=True),
    Check("what the remote has", f"{_HERE}:unsent_noticed", (DOCTOR,)),
    Check("mirrors", f"{_HERE}:mirrors_noticed", (DOCTOR,)),
    Check("homes of others", f"{_HERE}:upstreams_noticed", (DOCTOR,)),
)


def chosen(*commands: str) -> tuple[Check, ...]:
    """Return the checks that any of these commands makes, in their order, each once."""
    return tuple(check for check in CHECKS if not set(commands).isdisjoint(check.by))


def bare(finding: Finding) -> Finding:
    """Return a finding without its hint, by which it is no other."""
    return finding._replace(hint="")


def in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put findings in order, errors first, then by place; each once."""
    listed = list(found)  # below, nobody is sent to `check` for what the next line says
    told = {one.file for one in listed if one.code in _TELLING}
    once = {bare(one) if one.code in _TOLD and one.file in told else one for one in listed}
    return tuple(sorted(once, key=order))


def order(finding: Finding) -> tuple[int, str, int, str, str]:
    """Sort errors first, then by place."""
    severity = CODES[finding.code][0]
    return (_RANK[severity], finding.file, finding.line, finding.code, finding.message)


def made(memory: Memory, command: str, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Make the checks of `verify`, `lint` or `review`; return what is wrong, errors first.

    What one raises stops all. Progress is told (done, total) of each long part.
    """
    survey = Survey(memory, memory.occasion().now_ms, progress)
    found = [one for check in chosen(command) for one in check.run(survey)]
    return in_order([one if isinstance(one, Finding) else one.finding for one in found])
