"""Define the policy of a home, with its defaults: windows, review, kinds, privacy, capture, views."""

from __future__ import annotations

from ledger.model.layout import VIEW_FILES
from ledger.model.record import Record
from ledger.model.session import CLOSABLE as CLOSABLE

#: When the projection is committed: with each log, with each log on the trunk, or only when asked for.
APPEND, TRUNK, REVIEW = "append", "trunk", "review"
#: The section of `continuity.md` that Diurna computes, whatever the policy says.
CONTRADICTIONS = "Contradictions"
#: What is wrong with a policy that holds the markers of a merge.
UNSETTLED = "a merge conflict is not resolved"


class Kind(Record):
    """A kind of fact: the section it stands in and whether unused facts of it fade."""

    name: str
    section: str
    decays: bool = True


class Windows(Record):
    """How long a fact lives unused: in work logs, and besides in work days, where 0 asks for none.

    `stretch_hours` is how long work that names no host session may rest and still be one session; 0
    lets each log be one of its own.
    """

    working: int = 3
    active: int = 8
    archive: int = 20
    working_days: int = 0
    active_days: int = 0
    archive_days: int = 0
    stretch_hours: int = 0

    def of(self, name: str) -> tuple[int, int]:
        """Return a window in work logs and in work days."""
        return getattr(self, name), getattr(self, f"{name}_days")

    @property
    def longest_days(self) -> int:
        """How many work days are looked at to tell where facts stand."""
        days = max(self.working_days, self.active_days, self.archive_days)
        return days + 1 if days else 0


#: What `diurna init` writes: an older policy counts sessions alone until somebody says otherwise.
PACED = Windows(working_days=2, active_days=10, archive_days=30, stretch_hours=4)


#: As many facts as a brief has room for, whatever their number comes to.
BY_BRIEF = -1


class Review(Record):
    """When a review is due, in work logs, facts and lines."""

    every: int = 10
    max_facts: int = BY_BRIEF
    max_lines: int = 600
    closed_thread_lines: int = 150
    verify_invariants_every: int = 40
    stale_thread_after: int = 40


class Privacy(Record):
    """What becomes of secrets and personal data in a log that is to be stored."""

    secrets: str = "redact"
    personal: str = "warn"


#: The languages whose inflections recall knows; the index itself takes those of English off.
ENGLISH = "en"
LANGUAGES = (ENGLISH, "de", "es", "fr")


class Recall(Record):
    """How recall reads questions, and what it looks through.

    Args:
        language: of the ledger.
        files: patterns of the documents that recall knows beside markdown and its like.
    """

    language: str = ENGLISH
    files: tuple[str, ...] = ()


class Upstream(Record):
    """A home of others that is read and never written: its name here, and the URL of its repository.

    A branch stands behind the URL: `https://example.org/memory.git#main`.
    """

    name: str
    url: str


#: What is kept of a session that was captured, and that nothing is; the last is what `TOLD` was called.
TOLD, DIGEST, OFF, FORMERLY = "told", "digest", "off", "facts"
#: The facts that capture makes without a model: what a person asks to be remembered.
SAID = "said"
#: What becomes of a captured fact that speaks against another one; and that facts wait for a person.
SUPERSEDE, ASK = "supersede", "ask"


class Capture(Record):
    """What Diurna records of hosts' sessions by itself.

    Args:
        keep: `TOLD`, `DIGEST`, `OFF` or `FORMERLY`; "" for the first in-tree and the second elsewhere.
        trust: `SUPERSEDE`, or "thread": a person decides.
        approve: `ASK`, or "none".
        decision_words: that tell of a decision, beside the built-in ones.
        facts: `SAID`, or `OFF`.
        ask: how often an agent is asked in a session at most what the next one has to know.
        characters: of what was said, that a log tells at most.
    """

    keep: str = ""
    trust: str = "thread"
    approve: str = "none"
    decision_words: tuple[str, ...] = ()
    facts: str = SAID
    ask: int = 4
    characters: int = 6000


#: What becomes of a command that breaks a rule: the rule is told, or the command is held once.
TELL, HOLD = "tell", "hold"


class Moments(Record):
    """What a session is told when it is needed.

    Args:
        prompt: facts that answer what somebody typed.
        command: `TELL`, `HOLD` or `OFF`: of a command that breaks a rule.
        file: what a rule says of a file that is read or changed.
        facts: at most so many at once.
        characters: at most so many at once, with their envelope.
    """

    prompt: bool = True
    command: str = TELL
    file: bool = True
    facts: int = 3
    characters: int = 600


#: The views that can be published: they show facts alone, each once, so that an edit of one can be read.
PUBLISHABLE = tuple(VIEW_FILES.values())


class Views(Record):
    """Which views stand beside `continuity.md`, as files."""

    publish: tuple[str, ...] = ()


class Briefs(Record):
    """What briefs show: a fact that was shown to `rest` sessions since its last use rests; 0 is never."""

    rest: int = 20


class Commits(Record):
    """Who commits logs in a home beside code: Diurna, or a person's own next commit (FORMAT.md, W20)."""

    own: bool = True


#: The roles that judge and attack what others made.
_JUDGING = ("auditor", "judge", "sentinel")


class Learning(Record):
    """How a learned pattern earns its place, and how much of what a role learned it is shown.

    Args:
        candidate: helps that make a pattern a candidate.
        verified: helps that verify it, in so many contexts (`verified_contexts`).
        verified_contexts: see `verified`.
        active: helps that make it active, in so many contexts (`active_contexts`).
        active_contexts: see `active`.
        deprecated_by: by how much weighted ignores exceed the helps of one that is deprecated.
        validator_weight: how much the word of a validator weighs against a pattern.
        validators: roles that validate.
        adversarial: roles that get `adversarial_tokens` for what they learned.
        adversarial_tokens: see `adversarial`.
        role_tokens: what any other role gets.
    """

    candidate: int = 2
    verified: int = 3
    verified_contexts: int = 2
    active: int = 5
    active_contexts: int = 3
    deprecated_by: int = 3
    validator_weight: int = 3
    validators: tuple[str, ...] = _JUDGING
    adversarial: tuple[str, ...] = _JUDGING
    adversarial_tokens: int = 800
    role_tokens: int = 500


DEFAULT_KIND = "fact"
VISION_KIND, STATE_KIND, PATTERN_KIND = "vision", "state", "pattern"
TASK_KIND, HANDOFF_KIND, THREAD_KIND = "task", "handoff", "thread"
ATTEMPT_KIND, FINDING_KIND, QUESTION_KIND = "attempt", "finding", "question"
#: The kinds that are given on purpose alone: neither capture nor adoption makes a fact one of them.
DELIBERATE = frozenset(
    (VISION_KIND, STATE_KIND, TASK_KIND, HANDOFF_KIND, ATTEMPT_KIND, FINDING_KIND, QUESTION_KIND)
)
#: Built-in kinds in rendering order.
BUILT_IN_KINDS = (
    Kind(VISION_KIND, "Vision", decays=False),
    Kind("invariant", "Architectural Invariants", decays=False),
    Kind("stack", "Stack & Tools"),
    Kind("decision", "Key Decisions"),
    Kind("convention", "Conventions"),
    Kind(DEFAULT_KIND, "Facts"),
    Kind(STATE_KIND, "State"),
    Kind(PATTERN_KIND, "Patterns"),
    Kind(TASK_KIND, "Tasks"),
    Kind(HANDOFF_KIND, "Handoffs"),
    Kind(THREAD_KIND, "Open Threads"),
    Kind(ATTEMPT_KIND, "Attempts"),
    Kind(FINDING_KIND, "Findings"),
    Kind(QUESTION_KIND, "Questions"),
    Kind("preference", "User Preferences"),
    Kind("reference", "References"),
)


class Policy(Record):
    """Everything `diurna.toml` says.

    Args:
        project: the project's name.
        publish: when the projection is committed: `APPEND`, `TRUNK` or `REVIEW`.
        windows: of decay.
        review: when one is due.
        kinds: of facts, in rendering order.
        format: of the ledger.
        privacy: what becomes of secrets and personal data.
        trunk: the branch that `TRUNK` means where no `origin/HEAD` names one, "" for none.
        recall: how it reads questions.
        capture: what is recorded of hosts' sessions.
        views: which of them are published.
        learning: how patterns earn their place, and what roles are shown.
        personal: facts that say `personal: true` belong here; true of a person's own home alone.
        push: a sync sends such a home too; others it always sends.
        upstream: homes of others that are read beside this one, nearest first.
        moment: what a session is told when it is needed.
        brief: what briefs show.
        commit: who commits logs in a home beside code.
    """

    project: str = "project"
    publish: str = APPEND
    windows: Windows = Windows()
    review: Review = Review()
    kinds: tuple[Kind, ...] = BUILT_IN_KINDS
    format: int = 1
    privacy: Privacy = Privacy()
    trunk: str = ""
    recall: Recall = Recall()
    capture: Capture = Capture()
    views: Views = Views()
    learning: Learning = Learning()
    personal: bool = False
    push: bool = False
    upstream: tuple[Upstream, ...] = ()
    moment: Moments = Moments()
    brief: Briefs = Briefs()
    commit: Commits = Commits()

    @property
    def view_files(self) -> tuple[str, ...]:
        """The files of the views that are published."""
        return tuple([path for path, name in VIEW_FILES.items() if name in self.views.publish])

    def kind(self, name: str) -> Kind:
        """Return the kind of this name; an unknown one decays and stands under its own name."""
        for kind in self.kinds:
            if kind.name == name:
                return kind
        return Kind(name, name[:1].upper() + name[1:])
