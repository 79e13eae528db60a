"""Say what of a tip takes long: what is read for it on the memory's thread, and what is then worked out.

A part is made in two steps. The first reads values from the memory and belongs to the thread that opened
it. It returns the second, which only computes, or asks git, or opens a memory of its own, and so may run
on any thread (`preparing`). A page that is asked with nothing prepared has both done in place.
"""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.origins import Origins
    from projection.lifecycle.lives import Lives
    from projection.lifecycle.past import Past
    from rituals.report.report import Report
    from rituals.review.learning.plan import Plan as LearnPlan
    from rituals.review.plan import Plan
    from rituals.serve.web.tip_view.tip_view import TipView


def read_lives(tip: TipView) -> Callable[[], Lives]:
    """Read what the lives of all facts are made of."""
    from projection.lifecycle.lives import lives_of

    entries, state = tip.entries, tip.state
    return lambda: lives_of(entries, state.policy, histories=state.histories)


def read_report(tip: TipView) -> Callable[[], Report]:
    """Read what the report of how facts lived is made of."""
    from rituals.report.report import captured, report_on, with_repeats

    lives, state, entries, home = tip.lives, tip.state, tip.entries, tip.memory.home
    logs = tip.memory.snapshot.ask(lambda cache: [(ref, one) for _, ref, one in cache.entries()])

    def made() -> Report:
        found = report_on(lives, state.histories, entries, state.policy)
        return with_repeats(found, entries, state.histories, captured(home, logs))

    return made


def read_past(tip: TipView) -> Callable[[], Past]:
    """Read what answers how it was at any session."""
    from projection.lifecycle.past import Past

    lives, entries = tip.lives, tip.entries
    withheld = tip.memory.snapshot.ask(lambda cache: cache.redacted)
    return lambda: Past(tip.state, lives, entries, withheld)


def read_plan(tip: TipView) -> Callable[[], Plan]:
    """Read what a review is planned from; it asks git about the code."""
    from rituals.intake.harvest.origin import code_of
    from rituals.review.plan import plan_of

    memory, committed = tip.memory, tip.memory.snapshot.tip
    logs = committed.ask(lambda cache: [(ref, entry) for _, ref, entry in cache.entries()])
    logs.sort(key=lambda log: log[0].key)
    state, at = memory.tip_state(), committed.ask(lambda cache: cache.commit)
    return lambda: plan_of(at, state, logs, code_of(memory.home))


def read_learn_plan(tip: TipView) -> Callable[[], LearnPlan]:
    """Begin to plan what could be learned; that reads logs, so it opens the home once more."""
    from memory.api import Memory
    from rituals.review.learning.plan import plan_learning

    home = tip.memory.home

    def plan() -> LearnPlan:
        memory = Memory(home)
        try:
            return plan_learning(memory)
        finally:
            memory.close()

    return plan


def read_origins(tip: TipView) -> Callable[[], Origins]:
    """Begin to walk the history: which commit brought each log, for all that is asked of the memory."""
    from memory.query.origins import all_origins

    memory, at, kept = tip.memory, tip.tip, tip.memory.origins
    refs = memory.snapshot.ask(lambda cache: list(cache.log_refs()))

    def walk() -> Origins:
        memory.origins = all_origins(memory.home, at, refs, kept)
        return memory.origins

    return walk


def read_recall(tip: TipView) -> Callable[[], bool]:
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


#: The parts, in the order in which they are prepared.
SLOW_PARTS: dict[str, Callable[[TipView], Callable[[], object]]] = {
    "lives": read_lives,
    "past": read_past,
    "report": read_report,
    "origins": read_origins,
    "plan": read_plan,
    "recall": read_recall,
    "learn_plan": read_learn_plan,
}
#: What a part is made of, where that is a slow one.
MADE_OF = {"past": ("lives",), "report": ("lives",)}
#: What is slow once: for the tips that follow it is brought forward by whoever asks.
ONCE = frozenset(("recall",))
