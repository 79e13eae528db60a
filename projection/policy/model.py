"""Define the policy of a home, with its defaults: windows, review, kinds, privacy, capture, views."""

from __future__ import annotations

from ledger.model.layout import VIEW_FILES
from ledger.model.record import Record
from ledger.model.session import CLOSABLE as CLOSABLE

#: When the projection is committed: by a sync and a session's end, so on the trunk alone, when asked for.
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

    def newly_due(self, since: int) -> str:
        """Say that so many sessions make one due, at each multiple of them alone; "" in between.

        So a brief says it once; `diurna status` says it until a review was held. `since` counts work
        sessions since the last review.
        """
        fits = since > 0 and self.every > 0 and since % self.every == 0
        return self.sessions(since) if fits else ""

    def sessions(self, since: int) -> str:
        """Say how many work sessions there were since the last one."""
        return f"{since:,} sessions since the last (every {self.every:,})"


class Privacy(Record):
    """What becomes of secrets and personal data in a log that is to be stored."""

    secrets: str = "redact"
    personal: str = "warn"


#: The languages whose inflections recall knows; the index itself takes those of English off.
ENGLISH = "en"
LANGUAGES = (ENGLISH, "de", "es", "fr")


class Recall(Record):
    """How recall reads questions, and what it looks through; no state goes by it (Y4)."""

    language: str = ENGLISH  #: of the ledger
    #: patterns of the documents that recall knows beside markdown and its like
    files: tuple[str, ...] = ()


class Upstream(Record):
    """A home of others that is read and never written: its name here, and the URL of its repository.

    A branch stands behind the URL: `https://example.org/memory.git#main`.
    """

    name: str
    url: str


#: What is kept of a session that was captured, and that nothing is; the last is what `TOLD` was called.
TOLD, OFF, FORMERLY = "told", "off", "facts"
#: The facts that capture makes without a model: what a person asks to be remembered.
SAID = "said"
#: What becomes of a captured fact that speaks against another one; and that facts wait for a person.
SUPERSEDE, ASK = "supersede", "ask"


class Capture(Record):
    """What Diurna records of hosts' sessions by itself; the user alone says by what (Y5)."""

    #: `TOLD`, `OFF` or `FORMERLY`; "" for the last in-tree and the first elsewhere; "digest" is `TOLD`
    keep: str = ""
    trust: str = "thread"  #: `SUPERSEDE`, or "thread": a person decides
    approve: str = "none"  #: `ASK`, or "none"
    decision_words: tuple[str, ...] = ()  #: of former times: says nothing
    facts: str = SAID  #: `SAID`, or `OFF`
    ask: int = 4  #: so many questions to the agent of a session may stay without an answer
    characters: int = 6000  #: of what was said, that a log tells at most
    asks: bool = False  #: what a person asked for is shared, a line each
    remember: tuple[str, ...] = ()  #: words that do with a colon as `remember:` does


#: What becomes of a command that breaks a rule: the rule is told. Formerly it was held, too.
TELL, HOLD = "tell", "hold"


class Moments(Record):
    """What a session is told when it is needed."""

    prompt: bool = True  #: facts that answer what somebody typed
    command: str = TELL  #: `TELL` (formerly `HOLD`) or `OFF`: of a command that breaks a rule
    file: bool = True  #: what a rule says of a file that is read or changed
    facts: int = 3  #: at most so many at once
    characters: int = 600  #: at most so many at once, with their envelope


#: The views that can be published: they show facts alone, each once, so that an edit of one can be read.
PUBLISHABLE = tuple(VIEW_FILES.values())


class Views(Record):
    """Which views stand beside `continuity.md`, as files."""

    publish: tuple[str, ...] = ()


class Briefs(Record):
    """What briefs show: what was shown to `rest` sessions since its last use rests (Y9); 0 is never."""

    rest: int = 20


#: How often what is due is done by itself.
DAILY = "daily"


class Background(Record):
    """What is done by itself, behind a session or a sync: `DAILY`, or `OFF`."""

    run: str = DAILY


class Branches(Record):
    """Whether what is told of a memory goes by what HEAD holds, where memory has a branch of its own."""

    follow: bool = True


#: The roles that judge and attack what others made.
_JUDGING = ("auditor", "judge", "sentinel")


class Learning(Record):
    """How a learned pattern earns its place, and how much of what a role learned it is shown."""

    candidate: int = 2  #: helps that make a pattern a candidate
    verified: int = 3  #: helps that verify it, in so many contexts (`verified_contexts`)
    verified_contexts: int = 2  #: see `verified`
    active: int = 5  #: helps that make it active, in so many contexts (`active_contexts`)
    active_contexts: int = 3  #: see `active`
    #: by how much weighted ignores exceed the helps of one that is deprecated
    deprecated_by: int = 3
    validator_weight: int = 3  #: how much the word of a validator weighs against a pattern
    validators: tuple[str, ...] = _JUDGING  #: roles that validate
    #: roles that get `adversarial_tokens` for what they learned
    adversarial: tuple[str, ...] = _JUDGING
    adversarial_tokens: int = 800  #: see `adversarial`
    role_tokens: int = 500  #: what any other role gets


DEFAULT_KIND = "fact"
VISION_KIND, STATE_KIND, PATTERN_KIND = "vision", "state", "pattern"
TASK_KIND, HANDOFF_KIND, THREAD_KIND = "task", "handoff", "thread"
ATTEMPT_KIND, FINDING_KIND, QUESTION_KIND = "attempt", "finding", "question"
#: The kinds of facts that say how work is done here.
DECIDED_KINDS = ("decision", "convention", "stack")
#: The kinds that are given on purpose alone: neither capture nor the heading of a page makes a fact one.
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
    """Everything `diurna.toml` says."""

    project: str = "project"  #: the project's name
    publish: str = APPEND  #: when the projection is committed: `APPEND`, `TRUNK` or `REVIEW`
    windows: Windows = Windows()  #: of decay
    review: Review = Review()  #: when one is due
    kinds: tuple[Kind, ...] = BUILT_IN_KINDS  #: of facts, in rendering order
    format: int = 1  #: of the ledger
    privacy: Privacy = Privacy()  #: what becomes of secrets and personal data
    trunk: str = ""  #: the branch that `TRUNK` means where no `origin/HEAD` names one, "" for none
    recall: Recall = Recall()  #: how it reads questions
    capture: Capture = Capture()  #: what is recorded of hosts' sessions
    views: Views = Views()  #: which of them are published
    learning: Learning = Learning()  #: how patterns earn their place, and what roles are shown
    #: facts that say `personal: true` belong here; true of a person's own home alone
    personal: bool = False
    push: bool = False  #: a sync sends such a home too; others it always sends
    #: homes of others that are read beside this one, nearest first
    upstream: tuple[Upstream, ...] = ()
    moment: Moments = Moments()  #: what a session is told when it is needed
    brief: Briefs = Briefs()  #: what briefs show
    background: Background = Background()  #: what is done by itself
    branches: Branches = Branches()  #: whether answers go by what HEAD holds

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
