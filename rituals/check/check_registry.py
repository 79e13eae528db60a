"""List the checks: what each needs and costs, and which commands make it; and make them.

What they look at is a survey of one home: each part of it is read once, when a check first asks for it.

A row names its function by module, so that a command loads no more than it chooses. What a row yields is a
`Finding`, or one together with a remedy (`rituals.check.doctor_runner.Noticed`).
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
    def edit(self) -> Edit | None:
        """A person's edit of `continuity.md`, and what it says."""
        from memory.edits.detect import find_edit

        return find_edit(self.memory.snapshot.tip, lambda: self.state)

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


#: What a check looks at: the branch's tip, all its history, the work tree, the rest of the clone's state,
#: the machine. The policy at the tip counts as the tip.
TIP, PAST, CHECKOUT, CLONE, MACHINE = "tip", "past", "checkout", "clone", "machine"
#: What it costs: a look; a replay, which a cache spares; a walk through the history; all bytes again.
LOOK, REPLAY, WALK, BYTES = "look", "replay", "walk", "bytes"
VERIFY, LINT, DOCTOR, REVIEW = COMMANDS = "verify", "lint", "doctor", "review"
_ALL = COMMANDS

#: What names a commit and its author, and what would send people to that.
_TELLING = ("log-modified", "log-deleted", "duplicate-stem")
_TOLD = ("seal-broken", "seal-collision")
_RANK = {ERROR: 0, WARNING: 1, INFO: 2}


class Check(Record):
    """One check."""

    name: str  #: what is looked at, in words for a check that fails
    look: str  #: its function, `module:name`
    needs: str  #: what it looks at
    costs: str  #: what it costs
    by: tuple[str, ...]  #: the commands that make it
    codes: tuple[str, ...]  #: the codes that it may give
    content: bool  #: it reads what is at the tip, so it waits until that can be read
    deep: bool = False  #: only where every log is to be read

    def run(self, subject: Any) -> Iterator[Any]:
        """Yield what it finds."""
        module, _, name = self.look.partition(":")
        yield from getattr(import_module(module), name)(subject)


def _check(
    name: str, look: str, codes: str, by: tuple[str, ...] = (DOCTOR,), needs: str = CLONE,
    costs: str = LOOK, **more: bool,
) -> Check:  # fmt: skip
    """Make a row; what is only this clone's is no content."""
    said = {"content": needs not in (CLONE, MACHINE)} | more
    return Check(name, f"rituals.check.{look}", needs, costs, by, tuple(codes.split()), **said)


#: What the check of all that logs and facts say may find: it finds most in a ledger of another tool.
SAID = "what logs and facts say"
_OF_LOGS = (
    "not-utf8 nul-byte too-large line-too-long too-many-ids unclosed-fence unclosed-comment too-complex "
    "conflict-marker front-matter unknown-verb bad-id bad-event bad-footer bad-date fact-without-event "
    "event-without-fact duplicate-block repeated-section section-suffix bad-name date-only-name "
    "duplicate-stem seal-broken seal-collision stamp-moved not-a-file unreadable unknown-id contradiction "
    "supersession-cycle not-a-thread task-move no-evidence unknown-kind"
)
_OF_HISTORY = "log-modified log-deleted log-moved seal-collision history-cut unreadable"
_OF_POLICY = "policy-invalid policy-deprecated newer-format conflict-marker unreadable"

#: All checks, in the order in which they are made: name, function, codes, commands, subject, cost.
CHECKS = (
    _check("git", "machine:git_noticed", "git-unusable", needs=MACHINE),
    _check("agents' programs", "machine:hosts_noticed",
           "host-command host-files host-faults", needs=MACHINE),
    _check("lock files", "clone_checks:lock_noticed", "lock-left"),
    _check("the shape of the repository", "object_checks:shape_noticed",
           "history-cut unsupported-repository"),
    _check("recent commits", "object_checks:recent_noticed", "object-lost"),
    _check("the tip of the branch", "object_checks:tip_noticed", "unreadable"),
    _check("the spool", "ledger_checks:spool", "spool-waiting", _ALL),
    _check("where memory was before", "clone_checks:moved_noticed", "home-moved"),
    _check("spools beside it", "clone_checks:spool_noticed",
           "spool-leftover captured-waiting"),
    _check("captured sessions", "clone_checks:capture_noticed",
           "capture-failed capture-settings capture-waits"),
    _check("git's attributes", "object_checks:attributes_noticed",
           "attributes-missing merge-attribute"),
    _check("the bytes of logs", "object_checks:logs_noticed", "unreadable", content=True),
    _check(SAID, "ledger_checks:said", _OF_LOGS, _ALL, TIP, REPLAY),
    _check("what is only one person's", "ledger_checks:personal", "personal-item", _ALL, TIP, REPLAY),
    _check("names of logs", "object_checks:twins_noticed", "case-twins", _ALL, TIP),
    _check("the policy", "ledger_checks:policy", _OF_POLICY, _ALL, TIP),
    _check("keys of the policy", "ledger_checks:policy_keys", "policy-deprecated", _ALL, TIP),
    _check("the policy in the work tree", "ledger_checks:policy_here", "conflict-marker", _ALL,
           CHECKOUT),
    _check("clocks", "ledger_checks:clocks", "clock-ahead", _ALL, TIP),
    _check("evidence of helps", "linted_files:misplaced", "evidence-gone", (VERIFY, LINT), TIP, REPLAY),
    _check("landings", "linted_files:unproven", "landed-unproven", (VERIFY, LINT), costs=REPLAY,
           content=True),
    _check("short seals", "ledger_checks:seals", "weak-seal", _ALL, TIP),
    _check("the history of logs", "ledger_checks:history", _OF_HISTORY, _ALL, PAST, WALK),
    _check("the history of the branch", "ledger_checks:rewritten", "history-rewritten", _ALL, PAST,
           WALK),
    _check("the projection", "ledger_checks:projection",
           "drift conflict-in-projection newer-format unreadable", _ALL, TIP, REPLAY),
    _check("logs in the work tree", "ledger_checks:work_tree",
           "log-edited log-uncommitted bad-name date-only-name", _ALL, CHECKOUT),
    _check("edits by hand", "ledger_checks:edits", "undeclared-edit hand-edited conflict-in-projection",
           _ALL, CHECKOUT, REPLAY),
    _check("what is due", "ledger_checks:due", "review-due over-size", (LINT, REVIEW), TIP, REPLAY),
    _check("texts", "ledger_checks:texts", "secret-found secret-waived personal-data conflict-marker",
           (LINT,), TIP, BYTES),
    _check("the cache", "clone_checks:cache_noticed", "cache-differs", costs=BYTES, content=True,
           deep=True),
    _check("the index of recall", "clone_checks:index_noticed", "cache-differs", costs=BYTES,
           content=True, deep=True),
    _check("what the remote has", "clone_checks:unsent_noticed", "not-pushed", content=True),
    _check("mirrors", "clone_checks:mirrors_noticed", "mirrored", content=True),
    _check("homes of others", "clone_checks:upstreams_noticed", "upstream-stale", content=True),
)  # fmt: skip


def chosen(*commands: str) -> tuple[Check, ...]:
    """Return the checks that any of these commands makes, in their order, each once."""
    return tuple(check for check in CHECKS if not set(commands).isdisjoint(check.by))


def make(survey: Survey, checks: Iterable[Check]) -> tuple[Finding, ...]:
    """Make checks, and return what they find, errors first; what one raises stops all."""
    found = [one for check in checks for one in check.run(survey)]
    return in_order([one if isinstance(one, Finding) else one.finding for one in found])


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

    Progress is told (done, total).
    """
    parts = PARTS if command == LINT else PARTS[:-1]
    now_ms = memory.occasion().now_ms
    survey = Survey(memory, now_ms, cold=True, progress=progress, parts=parts)
    return make(survey, chosen(command))
