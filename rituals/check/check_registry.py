"""List the checks, make those of a level, and mend what they notice.

What they look at is a survey of one home: each part of it is read once, from git alone, when a check first
asks for it. A row names its function by module, so that a command loads no more than it chooses. What a
check yields is a `Finding`, or one together with a remedy (`Noticed`). In a visit each is guarded: one
that fails is told and hides no other, and a remedy that fails changes nothing and stops no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

from ledger.errors import DiurnaError, HomeNotFound
from ledger.git.log_history import Damage, Progress
from ledger.home import Home
from ledger.model.finding_codes import CODES, ERROR, INFO, WARNING, Finding
from ledger.model.layout import stem_of
from ledger.model.log_names import LogRef, log_refs
from ledger.model.record import Record
from memory import LogReading, Memory, read_all, state_from
from projection.fold.full_replay import State
from projection.fold.withholding import held_in
from projection.policy.model import Policy
from rituals.check.edited_logs import Listing, list_sessions
from rituals.check.history import damaged

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
    def reading(self) -> LogReading:
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
        return damaged(self.home, self.tip, self.listing().standing, self.held, self.progress)


#: How much is looked at, each with all before it: the ledger; what is due; all texts; this clone; caches,
#: compared with the ledger.
VERIFY, REVIEW, LINT, DOCTOR, DEEP = range(5)
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
    level: int = VERIFY  #: from which on it is made
    stage: str = CONTENT  #: `MACHINE`, `CLONE` or `CONTENT`

    def run(self, subject: Any) -> Iterator[Any]:
        """Yield what it finds."""
        module, _, name = self.look.partition(":")
        yield from getattr(import_module(f"rituals.check.{module}"), name)(subject)


_HERE, _LOGS = "clone_checks", "ledger_checks"
#: All checks, in the order in which they are made.
CHECKS = (
    Check("git", "machine:git_noticed", DOCTOR, MACHINE),
    Check("agents' programs", "machine:hosts_noticed", DOCTOR, MACHINE),
    Check("lock files", f"{_HERE}:lock_noticed", DOCTOR, CLONE),
    Check("recent commits", f"{_HERE}:recent_noticed", DOCTOR, CLONE),
    Check("the tip of the branch", f"{_HERE}:tip_noticed", DOCTOR, CLONE),
    Check("the spool", f"{_LOGS}:spool", stage=CLONE),
    Check("where memory was before", f"{_HERE}:moved_noticed", DOCTOR, CLONE),
    Check("spools beside it", f"{_HERE}:spool_noticed", DOCTOR, CLONE),
    Check("captured sessions", f"{_HERE}:capture_noticed", DOCTOR, CLONE),
    Check("git's attributes", f"{_HERE}:attributes_noticed", DOCTOR, CLONE),
    Check("the bytes of logs", f"{_HERE}:logs_noticed", DOCTOR),
    Check("what logs and facts say", f"{_LOGS}:said"),
    Check("what is only one person's", f"{_LOGS}:personal"),
    Check("the policy", f"{_LOGS}:policy"),
    Check("clocks", f"{_LOGS}:clocks"),
    Check("the history of logs", f"{_LOGS}:history"),
    Check("the history of the branch", f"{_LOGS}:rewritten"),
    Check("the projection", f"{_LOGS}:projection"),
    Check("logs in the work tree", f"{_LOGS}:work_tree"),
    Check("edits by hand", f"{_LOGS}:edits"),
    Check("what is due", f"{_LOGS}:due", REVIEW),
    Check("texts", "linted_files:texts", LINT),
    Check("the caches", f"{_HERE}:caches_noticed", DEEP),
    Check("what the remote has", f"{_HERE}:unsent_noticed", DOCTOR),
    Check("mirrors", f"{_HERE}:mirrors_noticed", DOCTOR),
    Check("homes of others", f"{_HERE}:upstreams_noticed", DOCTOR),
)


def bare(finding: Finding) -> Finding:
    """Return a finding without its hint, by which it is no other."""
    return finding._replace(hint="")


def in_order(found: Iterable[Finding | Noticed]) -> tuple[Finding, ...]:
    """Put findings in order, errors first, then by place; each once: of two that with a remedy."""
    listed = [Noticed(one) if isinstance(one, Finding) else one for one in found]
    # below, nobody is sent to `check` for what the next line says
    told = {one.finding.file for one in listed if one.finding.code in _TELLING}
    once: dict[Finding, Noticed] = {}
    for one in listed:
        key = bare(one.finding)
        if key.code in _TOLD and key.file in told:
            one = Noticed(key)
        if key not in once or (one.remedy and not once[key].remedy):
            once[key] = one
    return tuple(sorted([one.finding for one in once.values()], key=order))


def order(finding: Finding) -> tuple[int, str, int, str, str]:
    """Sort errors first, then by place."""
    severity = CODES[finding.code][0]
    return (_RANK[severity], finding.file, finding.line, finding.code, finding.message)


def made(memory: Memory, level: int, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Make the checks of a level below `DOCTOR`; return what is wrong, errors first.

    What one raises stops all. Progress is told (done, total) of each long part.
    """
    survey = Survey(memory, memory.occasion().now_ms, progress)
    return in_order([one for check in CHECKS if check.level <= level for one in check.run(survey)])


#: The ledger can not be read before these are mended: all else would be told of them again, and a
#: projection without them is not ours to publish.
_UNREADABLE = ("object-lost", "unreadable")
#: How often the checks are made again for what shows only after something else was mended.
_ROUNDS = 3


class Visit(Record):
    """What a visit found and did."""

    #: what is the matter, errors first; after treatment, what still is
    findings: tuple[Finding, ...]
    plan: tuple[Remedy, ...] = ()  #: what would mend it, or what was tried, in order
    #: what became of it: (the step, why it could not be done, "" where it was)
    treated: tuple[tuple[str, str], ...] = ()
    home: Home | None = None  #: that was looked at, None where there is none


def visit(
    open_survey: Callable[[], Survey],
    where: str,
    search_path: Iterable[str],
    *,
    fix: bool,
    deep: bool,
) -> Visit:
    """Make all checks, and apply what is safe if asked to; then check again.

    What `open_survey` raises is told like any other finding; `where` is the folder, and agents' commands
    are looked for in `search_path`; `deep` compares the caches, too.
    """
    checks = [one for one in CHECKS if deep or one.level != DEEP]
    from rituals.check.machine import Machine

    machine = Machine(where, tuple(search_path))
    found = _found([one for one in checks if one.stage == MACHINE], machine)
    checks = [one for one in checks if one.stage != MACHINE]
    try:
        survey = open_survey()
    except DiurnaError as problem:
        code = "no-home" if isinstance(problem, HomeNotFound) else "unsupported-repository"
        found.append(Noticed(Finding(code, problem.message, hint=problem.hint)))
        return Visit(in_order(found))
    try:
        noticed = _examined(survey, checks)
        remedies = _plan(noticed)
        treated: list[tuple[str, str]] = []
        fresh = remedies if fix else ()
        for _ in range(_ROUNDS):
            if not fresh:
                break
            treated += [(one.said, _problem(one)) for one in fresh]
            survey.memory.snapshot.notes.clear()  # of what was done, which is told as such
            noticed = _examined(survey, checks)
            tried = {step for step, _ in treated}
            fresh = tuple(one for one in _plan(noticed) if one.said not in tried)
            remedies += fresh
        treated += _meaning_made(survey) if fix else ()
        return Visit(in_order([*found, *noticed]), remedies, tuple(treated), survey.home)
    finally:
        survey.memory.close()


def _problem(remedy: Remedy) -> str:
    """Apply a remedy; return why it could not be applied."""
    try:
        remedy.do()
    except DiurnaError as failure:
        return str(failure)
    except OSError as failure:
        return f"{failure.filename or 'the disk'}: {failure.strerror or failure}"
    return ""


def _meaning_made(survey: Survey) -> list[tuple[str, str]]:
    """Make what vectors of facts are missing, where the user has a model; say so."""
    from memory import make_vectors

    try:
        made = make_vectors(survey.memory.snapshot)
    except DiurnaError as failure:
        return [("make the vectors of facts", str(failure))]
    return [(f"make {made} vectors of facts", "")] if made else []


def _examined(survey: Survey, checks: Iterable[Check]) -> list[Noticed]:
    """Return what is noticed; where the clone can not be read, nothing of what is in it."""
    survey = Survey(survey.memory, survey.now_ms, survey.progress)  # that has read nothing yet
    found = _found([one for one in checks if one.stage != CONTENT], survey)
    if not any(one.finding.code in _UNREADABLE for one in found):
        found += _found([one for one in checks if one.stage == CONTENT], survey)
    notes = survey.memory.snapshot.notes
    found += [Noticed(note) for note in notes]
    notes.clear()
    return found


def _found(checks: Iterable[Check], subject: object) -> list[Noticed]:
    """Return what checks notice, each guarded."""
    found: list[Noticed] = []
    for check in checks:
        hint = "mend what else is told, and look again"
        try:
            for one in check.run(subject):
                found.append(Noticed(one) if isinstance(one, Finding) else one)
            continue
        except DiurnaError as problem:
            said, hint = str(problem), problem.hint or hint
        except Exception as problem:  # noqa: BLE001 - a check that breaks must not hide the others
            said = f"{type(problem).__name__}: {problem}"
        failed = f"{check.name} could not be checked: {said}"
        found.append(Noticed(Finding("check-failed", failed, hint=hint)))
    return found


def _plan(noticed: Iterable[Noticed]) -> tuple[Remedy, ...]:
    """Return the remedies, in the order in which they have to be applied, each once."""
    found = {one.remedy.said: one.remedy for one in noticed if one.remedy}
    return tuple(sorted(found.values(), key=lambda one: (one.kind, one.said)))
