"""List the checks: what each needs and costs, and which commands make it; and make them.

A row names its function by module, so that a command loads no more than it chooses. What a row yields is a
`Finding`, or one together with a remedy (`rituals.check.fix.Noticed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from ledger.model.findings import CODES, ERROR, INFO, WARNING, Finding
from ledger.model.record import Record
from memory.api import Memory
from rituals.check.survey import PARTS, Survey

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
    "supersession-cycle not-a-thread task-move no-evidence unknown-kind unknown-version"
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


Progress = Callable[[int, int], None]


def made(memory: Memory, command: str, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Make the checks of `verify`, `lint` or `review`; return what is wrong, errors first.

    Progress is told (done, total).
    """
    parts = PARTS if command == LINT else PARTS[:-1]
    now_ms = memory.occasion().now_ms
    survey = Survey(memory, now_ms, cold=True, progress=progress, parts=parts)
    return make(survey, chosen(command))
