"""Read what the slow parts of a tip are made of: each gives the second step, which any thread may do."""

from __future__ import annotations

from typing import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.model.session import Entry
    from memory.api import Memory
    from memory.query.origins import Origins
    from projection.fold.full_replay import State
    from projection.lifecycle.lives import Lives
    from projection.lifecycle.past_states import Past
    from rituals.report.lifecycle_report import Report
    from rituals.review.learning.learning_plan import Plan as LearnPlan
    from rituals.review.review_plan import Plan
    from rituals.serve.web.tip_view.known_logs import KnownLogs


class Known(Protocol):
    """What they ask of a tip."""

    memory: Memory
    state: State
    tip: str

    @property
    def entries(self) -> tuple[Entry, ...]: ...  # noqa: D102

    @property
    def known_logs(self) -> KnownLogs: ...  # noqa: D102

    @property
    def lives(self) -> Lives: ...  # noqa: D102


def read_lives(tip: Known) -> Callable[[], Lives]:
    """Read what the lives of all facts are made of."""
    from projection.lifecycle.lives import lives_of

    entries, state = tip.entries, tip.state
    return lambda: lives_of(entries, state.policy, histories=state.histories)


def read_report(tip: Known) -> Callable[[], Report]:
    """Read what the report of how facts lived is made of."""
    from rituals.report.lifecycle_report import report_on

    lives, policy, entries = tip.lives, tip.state.policy, tip.entries
    return lambda: report_on(lives, entries, policy)


def read_past(tip: Known) -> Callable[[], Past]:
    """Read what answers how it was at any session."""
    from projection.lifecycle.past_states import Past

    lives, entries = tip.lives, tip.entries
    withheld = tip.memory.ask(lambda cache: cache.redacted)
    return lambda: Past(tip.state, lives, entries, withheld)


def read_plan(tip: Known) -> Callable[[], Plan]:
    """Read what a review is planned from; it asks git about the code."""
    from ledger.home import code_of
    from rituals.review.clone_questions import clone_questions
    from rituals.review.review_plan import plan_of

    memory = tip.memory
    state, at = memory.tip_state(), memory.ask(lambda cache: cache.commit, committed=True)
    gone = memory.ask(lambda cache: clone_questions(memory.home, cache), committed=True)
    logs = list(tip.known_logs.logs)
    if state.summary.digest != tip.state.summary.digest:  # some wait
        logs = sorted(memory.logs(committed=True), key=lambda log: log[0].key)
    return lambda: plan_of(at, state, logs, code_of(memory.home), more=gone)


def read_learn_plan(tip: Known) -> Callable[[], LearnPlan]:
    """Begin to plan what could be learned; that reads logs, so it opens the home once more."""
    from memory.api import Memory
    from rituals.review.learning.learning_plan import plan_learning

    home = tip.memory.home

    def plan() -> LearnPlan:
        memory = Memory(home)
        try:
            return plan_learning(memory)
        finally:
            memory.close()

    return plan


def read_origins(tip: Known) -> Callable[[], Origins]:
    """Begin to walk the history: which commit brought each log, for all that is asked of the memory."""
    from memory.query.origins import all_origins

    memory, at, kept = tip.memory, tip.tip, tip.memory.origins
    refs = memory.ask(lambda cache: list(cache.log_refs()))

    def walk() -> Origins:
        memory.origins = all_origins(memory.home, at, refs, kept)
        return memory.origins

    return walk


def read_recall(tip: Known) -> Callable[[], bool]:
    """Begin to bring the index of recall here, which takes long where there is none yet."""
    from memory.api import Memory

    home, asked = tip.memory.home, tip.state.policy.project or "memory"

    def ask() -> bool:
        memory = Memory(home)
        try:
            return bool(memory.recall(asked, limit=1).hits)
        finally:
            memory.close()

    return ask
