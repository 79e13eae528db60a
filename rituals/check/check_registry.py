"""List the checks: what each needs and costs, and which commands make it.

A row names its function by module, so that a command loads no more than it chooses. What a row yields is a
`Finding`, or one together with a remedy (`rituals.check.doctor.doctor_values.Noticed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from ledger.model.findings import CODES, ERROR, INFO, WARNING, Finding
from ledger.model.record import Record
from rituals.check.baseline import Acceptance
from rituals.check.survey import Survey

#: What a check looks at: the branch's tip, all its history, the work tree, the rest of the clone's state,
#: the machine. The policy at the tip counts as the tip.
TIP, PAST, CHECKOUT, CLONE, MACHINE = "tip", "past", "checkout", "clone", "machine"
#: What it costs: a look; a replay, which a cache spares; a walk through the history; all bytes again.
LOOK, REPLAY, WALK, BYTES = "look", "replay", "walk", "bytes"
VERIFY, LINT, DOCTOR, STATUS, REVIEW, QUIZ = COMMANDS = (
    "verify", "lint", "doctor", "status", "review", "lint --quiz",
)  # fmt: skip
_WHOLE = (VERIFY, LINT, DOCTOR, REVIEW)
_ALL = (*_WHOLE, STATUS)

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
    content: bool = True  #: it reads what is at the tip, so it waits until that can be read
    #: its findings are of the ledger, alike in every clone, so a log can accept them
    lasting: bool = False
    deep: bool = False  #: only where every log is to be read

    def run(self, subject: Any) -> Iterator[Any]:
        """Yield what it finds."""
        module, _, name = self.look.partition(":")
        found: Iterable[Any] = getattr(import_module(module), name)(subject)
        yield from found


_OF_LOGS = tuple(
    "not-utf8 nul-byte too-large line-too-long too-many-ids unclosed-fence unclosed-comment too-complex "
    "conflict-marker front-matter unknown-verb bad-id bad-event bad-footer bad-date fact-without-event "
    "event-without-fact duplicate-block repeated-section section-suffix bad-name date-only-name "
    "duplicate-stem seal-broken seal-collision stamp-moved not-a-file unreadable".split()
)
_OF_FACTS = tuple(
    "unknown-id contradiction supersession-cycle not-a-thread task-move no-evidence unknown-kind "
    "unknown-version".split()
)
_LEDGER = "rituals.check.ledger_checks:"
#: The name of the check of all that logs say, which finds most in a ledger of another tool.
SAID = "what logs and facts say"


def _clone(name: str, look: str, *codes: str, content: bool = False) -> Check:
    return Check(name, f"rituals.check.doctor.{look}", CLONE, LOOK, (DOCTOR,), codes, content)


def _machine(name: str, look: str, *codes: str) -> Check:
    return Check(
        name, f"rituals.check.doctor.machine:{look}", MACHINE, LOOK, (DOCTOR,), codes, False
    )


#: All checks, in the order in which they are made.
CHECKS: tuple[Check, ...] = (
    _machine("git", "git_noticed", "git-unusable"),
    _machine("pygit2", "library_noticed", "library-unusable"),
    _machine("installed commands", "installed_noticed", "several-installed"),
    Check(
        "agents' programs", "rituals.check.doctor.host_checks:hosts_noticed", MACHINE, LOOK, (DOCTOR,),
        (
            "host-command", "host-files", "host-folder", "host-server", "host-unreviewed", "host-untried",
            "host-faults",
        ),
        content=False,
    ),
    _clone("the disk", "machine:disk_noticed", "disk-nearly-full", "shared-disk"),
    _clone("lock files", "lock_checks:lock_noticed", "lock-left", "lock-held"),
    _clone(
        "the shape of the repository", "object_checks:shape_noticed", "history-cut",
        "unsupported-repository",
    ),
    _clone("recent commits", "object_checks:recent_noticed", "object-lost"),
    _clone("the tip of the branch", "object_checks:tip_noticed", "unreadable"),
    Check(
        "the spool", _LEDGER + "spool", CLONE, LOOK, _ALL, ("spool-waiting",), content=False
    ),
    _clone("where memory was before", "moved_memory:moved_noticed", "home-moved"),
    _clone(
        "spools beside it", "spools:spool_noticed", "spool-leftover", "spool-part",
        "captured-waiting", "hook-missing",
    ),
    _clone(
        "captured sessions", "captures:capture_noticed", "capture-failed", "capture-settings",
        "capture-waits",
    ),
    _clone("git's settings", "git_settings:settings_noticed", "git-setting"),
    _clone(
        "git's attributes", "attribute_checks:attributes_noticed", "attributes-missing",
        "merge-attribute",
    ),
    _clone("permissions", "permissions:privacy_noticed", "open-to-others"),
    _clone("the bytes of logs", "object_checks:logs_noticed", "unreadable", content=True),
    Check(
        SAID, _LEDGER + "said", TIP, REPLAY, _ALL, _OF_LOGS + _OF_FACTS,
        lasting=True,
    ),
    Check(
        "what is only one person's", _LEDGER + "personal", TIP, REPLAY, _WHOLE, ("personal-item",),
        lasting=True,
    ),
    Check(
        "what is about a person", _LEDGER + "statements_about_people", TIP, REPLAY, (LINT,),
        ("personal-statement",), lasting=True,
    ),
    Check(
        "names of logs", "rituals.check.doctor.object_checks:twins_noticed", TIP, LOOK, _WHOLE,
        ("case-twins",), lasting=True,
    ),
    Check(
        "the policy", _LEDGER + "policy", TIP, LOOK, _ALL,
        ("policy-invalid", "policy-deprecated", "newer-format", "conflict-marker", "unreadable"),
        lasting=True,
    ),
    Check(
        "the policy in the work tree", _LEDGER + "policy_here", CHECKOUT, LOOK, _WHOLE,
        ("conflict-marker",),
    ),
    Check("clocks", _LEDGER + "clocks", TIP, LOOK, _WHOLE, ("clock-ahead",), lasting=True),
    Check(
        "evidence of helps", "rituals.check.help_evidence:misplaced", TIP, REPLAY, (VERIFY, LINT),
        ("evidence-gone",),
    ),
    Check(
        "landings", "rituals.check.landing_claims:unproven", CLONE, REPLAY, (VERIFY, LINT),
        ("landed-unproven",),
    ),
    Check("short seals", _LEDGER + "seals", TIP, LOOK, _WHOLE, ("weak-seal",), lasting=True),
    Check(
        "the history of logs", _LEDGER + "history", PAST, WALK, _WHOLE,
        ("log-modified", "log-deleted", "log-moved", "seal-collision", "history-cut", "unreadable"),
        lasting=True,
    ),
    Check(
        "the history of the branch", _LEDGER + "rewritten", PAST, WALK, _WHOLE,
        ("history-rewritten",), lasting=True,
    ),
    Check(
        "the projection", _LEDGER + "projection", TIP, REPLAY, _ALL,
        ("drift", "conflict-in-projection", "newer-format", "unreadable"), lasting=True,
    ),
    Check(
        "logs in the work tree", _LEDGER + "work_tree", CHECKOUT, LOOK, _WHOLE,
        ("log-edited", "log-uncommitted", "bad-name", "date-only-name"),
    ),
    Check(
        "edits by hand", _LEDGER + "edits", CHECKOUT, REPLAY, _ALL,
        ("undeclared-edit", "hand-edited", "conflict-in-projection"),
    ),
    Check("what is due", _LEDGER + "due", TIP, REPLAY, (LINT, STATUS, REVIEW),
          ("review-due", "over-size")),
    Check(
        "the quiz", "rituals.check.lint.quiz_checks:unanswered", TIP, REPLAY, (QUIZ,),
        ("quiz-missed", "quiz-general"),
    ),
    Check(
        "texts", _LEDGER + "texts", TIP, BYTES, (LINT,),
        ("secret-found", "secret-waived", "personal-data", "conflict-marker"), lasting=True,
    ),
    Check(
        "the cache", "rituals.check.doctor.caches:cache_noticed", CLONE, BYTES, (DOCTOR,),
        ("cache-differs",), deep=True,
    ),
    Check(
        "the index of recall", "rituals.check.doctor.caches:index_noticed", CLONE, BYTES, (DOCTOR,),
        ("cache-differs",), deep=True,
    ),
    _clone("what the remote has", "remotes:unsent_noticed", "not-pushed", content=True),
    _clone("homes of others", "remotes:upstreams_noticed", "upstream-stale", content=True),
    _clone("the clock of the remote", "remotes:clock_noticed", "clock-ahead", content=True),
)  # fmt: skip


def chosen(*commands: str) -> tuple[Check, ...]:
    """Return the checks that any of these commands makes, in their order, each once."""
    return tuple(check for check in CHECKS if not set(commands).isdisjoint(check.by))


class Made(Record):
    """What checks found."""

    findings: tuple[Finding, ...]  #: what stands open, errors first
    keys: Mapping[Finding, str]  #: the key of each of them that a log can accept
    #: what a log accepted, each with who did and why
    accepted: tuple[tuple[Finding, Acceptance], ...]


def make(survey: Survey, checks: Iterable[Check]) -> Made:
    """Make checks; what one raises stops all."""
    found: list[Finding] = []
    keys: dict[Finding, str] = {}
    accepted: dict[Finding, Acceptance] = {}
    for check in checks:
        some = [one if isinstance(one, Finding) else one.finding for one in check.run(survey)]
        if not check.lasting or not some:
            found += some
            continue
        for key, one in survey.keyed(some):
            if key in survey.accepted:
                accepted[one] = survey.accepted[key]
            else:
                found.append(one)
                keys[one] = key
    listed = in_order(found)
    known = {bare(one): key for one, key in keys.items()}  # `in_order` may take hints
    keys = {one: known[bare(one)] for one in listed if bare(one) in known}
    settled = {bare(one): acceptance for one, acceptance in accepted.items()}
    return Made(listed, keys, tuple((one, settled[bare(one)]) for one in in_order(accepted)))


def bare(finding: Finding) -> Finding:
    """Return a finding without its hint, by which it is no other."""
    return finding._replace(hint="")


def in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put findings in order, errors first, then by place; each once."""
    listed = list(found)  # below, nobody is sent to `verify` for what the next line says
    told = {one.file for one in listed if one.code in _TELLING}
    once = {bare(one) if one.code in _TOLD and one.file in told else one for one in listed}
    return tuple(sorted(once, key=order))


def order(finding: Finding) -> tuple[int, str, int, str, str]:
    """Sort errors first, then by place."""
    severity = CODES[finding.code][0]
    return (_RANK[severity], finding.file, finding.line, finding.code, finding.message)
