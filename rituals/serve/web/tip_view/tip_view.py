"""Hold one tip of a ledger as pages see it, and say what of it takes long.

A slow part is made in two steps. The first reads values from the memory and belongs to the thread that
opened it. It returns the second, which only computes, asks git, or opens a memory of its own, and so may
run on any thread (`preparing`). A page that is asked with nothing prepared has both done in place.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import Any

from ledger.git.repository import head
from memory.query.session_timeline import Session, sessions_of
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.graph.graph_neighbours import Graph
from projection.work.tracked_tasks import Task, tasks
from rituals.serve.web.tip_view.arrivals import Arrivals
from rituals.serve.web.tip_view.known_logs import KnownLogs, known_logs
from rituals.serve.web.tip_view.log_writers import LogWriters
from rituals.serve.web.tip_view.slow_parts import (
    read_learn_plan,
    read_lives,
    read_origins,
    read_past,
    read_plan,
    read_recall,
    read_report,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ledger.model.session import Entry
    from ledger.remote.forge import Forge
    from memory.api import Memory
    from memory.query.origins import Origin
    from memory.query.reasons import Reasons
    from memory.query.resident import Resident
    from memory.replay.head_view import Here
    from projection.fold.testimony import Testimony
    from rituals.decide.open_contradictions import Dispute
    from rituals.review.learning.learning_plan import Plan as LearnPlan
    from rituals.review.review_plan import Plan
    from rituals.review.review_question import Question


#: For so many places of the code it is kept what is behind them.
_MOST_REASONS = 500


class TipView:
    """What pages ask of one tip; each part is worked out when the first page asks for it, and kept.

    The slow ones a server has prepared before that (`preparing`).

    Args:
        memory: the home, open; used on the thread that opened it.
        state: of the tip.
        before: what the view of another tip has read of the logs: only what came since is read then.
    """

    def __init__(self, memory: Memory, state: State, before: KnownLogs | None = None) -> None:
        self.memory, self.state = memory, state
        self._before = before
        self.tip = memory.home.tip()
        #: stems of all work logs, in ledger order
        self.work = state.work
        #: by part, what is left of one of another tip behind what was answered: it stands for that of
        #: this tip until it is made
        self.foreseen: dict[str, Any] = {}
        self._sessions: dict[str, Session] = {}
        #: by HEAD and place: what is behind a place of the code
        self._reasons: dict[tuple[str, str], Reasons | None] = {}
        self._forge: Forge | None = None
        self._sorted: Asks | None = None
        #: the commit of the past that was asked for last, and its state
        self.asked_state: tuple[str, State] | None = None

    @property
    def mark(self) -> str:
        """What changes whenever memory does: also when a log waits that no commit has yet."""
        return mark_of(self.tip, self.state)

    @cached_property
    def known_logs(self) -> KnownLogs:
        """All logs, with what the view before this one had read of them."""
        before, self._before = self._before, None
        return known_logs(self.memory, self.state, before)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All logs, in ledger order."""
        return tuple([entry for _, entry in self.known_logs.logs])

    #: the logs by key, and who wrote them
    log_writers = cached_property(lambda self: LogWriters(self.entries, self.writers))

    @cached_property
    def uses(self) -> dict[str, list[int]]:
        """Where each fact was used: the numbers of the work sessions that name it, from 0 on."""
        places = {stem: number for number, stem in enumerate(self.work)}
        found: dict[str, list[int]] = {}
        for entry in self.entries:
            number = places.get(entry.stem)
            if number is not None:
                for fact in entry.named:
                    found.setdefault(fact, []).append(number)
        return found

    @cached_property
    def standings(self) -> dict[str, Standing]:
        """Every fact where it stands, by id."""
        return {one.fact.id: one for one in self.state.standings()}

    @property
    def facts(self) -> frozenset[str]:
        """The ids that have a page: all that logs name, also those that came without a text."""
        return self.known_logs.facts

    @cached_property
    def graph(self) -> Graph:
        """What is linked with what."""
        return Graph(self.standings)

    @cached_property
    def resident(self) -> Resident:
        """All that is known of the facts, for whoever asks why of many of them."""
        from memory.query.resident import Resident

        return Resident(self.memory.snapshot, self.state, self.standings, self.entries)

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks, closed ones too, by priority and then by age."""
        return tasks(self.standings.values())

    @cached_property
    def disputes(self) -> tuple[Dispute, ...]:
        """What stands against what, by fact."""
        from rituals.decide.open_contradictions import disputes

        return disputes(self.memory)

    @cached_property
    def disputed(self) -> dict[str, list[Dispute]]:
        """What stands against what, for each fact that it is about."""
        found: dict[str, list[Dispute]] = {}
        for one in self.disputes:
            found.setdefault(one.fact, []).append(one)
        return found

    #: which commit brought each log: whoever shows many of them has it worked out first
    origins = cached_property(lambda self: read_origins(self)())
    #: whether the index of recall is here; asking for it brings it here
    recall = cached_property(lambda self: read_recall(self)())
    #: how each fact lived; slow, so a page that asks it names it among its `needs`
    lives = cached_property(lambda self: read_lives(self)())
    #: how facts lived, in numbers; slow, as `lives`
    report = cached_property(lambda self: read_report(self)())
    #: what held at the end of any session; slow, as `lives`
    past = cached_property(lambda self: read_past(self)())
    #: what a review would ask; slow, as `lives`
    plan = cached_property(lambda self: read_plan(self)())

    @property
    def asking(self) -> Plan:
        """The plan, or what stands for it by now."""
        plan: Plan = self._so_far("plan")
        return plan

    @property
    def learnable(self) -> LearnPlan:
        """What could be learned, or what stands for it by now."""
        plan: LearnPlan = self._so_far("learn_plan")
        return plan

    def _so_far(self, part: str) -> Any:
        known = self.has(part) or part not in self.foreseen
        return getattr(self, part) if known else self.foreseen[part]

    @property
    def questions(self) -> dict[str, list[Question]]:
        """What a review asks and nobody answered, by rule, in the order of the review."""
        return self._asks().questions

    @property
    def asked_in(self) -> dict[str, str]:
        """The thread that asks a question already, by the question's key."""
        return self._asks().asked_in

    def _asks(self) -> Asks:
        plan = self.asking
        if self._sorted is None or self._sorted.plan is not plan:
            self._sorted = Asks(plan)
        return self._sorted

    #: what could be learned; slow, as `lives`
    learn_plan = cached_property(lambda self: read_learn_plan(self)())

    def has(self, part: str) -> bool:
        """Tell whether a part was worked out by now."""
        return part in self.__dict__

    def serves(self, part: str) -> bool:
        """Tell whether a page need not wait for a part: it is there, or something stands for it."""
        return self.has(part) or part in self.foreseen

    def prepare(self, *parts: str) -> None:
        """Work out parts in place, for many pages that follow."""
        for part in parts:
            getattr(self, part)

    def foresee(self, part: str, left: object) -> None:
        """Let something stand for a part until that is made anew."""
        self.__dict__.pop(part, None)
        self.foreseen[part] = left

    def keep(self, part: str, value: object) -> None:
        """Hold a part that was worked out elsewhere."""
        self.__dict__.setdefault(part, value)

    def elsewhere(self, memory: Memory) -> TipView:
        """Return the same view for a memory that another process opened; nothing is worked out again."""
        other, memory.origins = TipView(memory, self.state), self.memory.origins
        for part, value in self.__dict__.items():
            if part not in ("resident", "log_writers"):  # they hold what is open
                other.keep(part, value)
        return other

    def writers(self, stems: Iterable[str]) -> dict[str, Origin]:
        """Return who wrote each of some logs, and in which commit; none of a log that git has not yet."""
        from memory.query.provenance import writers

        return writers(self.memory.snapshot, stems, self.memory.origins)

    def forge(self) -> Forge:
        """Return where commits and files are shown to others, if anywhere."""
        from ledger.remote.forge import forge_of

        home = self.memory.home
        self._forge = forge_of(home.repository, home.branch, self.tip, self._forge)
        return self._forge

    def here(self) -> Here:
        """Return what HEAD, as it is at this moment, has of the memory."""
        from memory.replay.head_view import here_of

        return self.memory.ask(lambda cache: here_of(self.memory.home, cache))

    def known(self, facts: Iterable[Standing]) -> dict[str, Testimony]:
        """Tell by id how facts are known."""
        from memory.query.fact_marks import known

        return self.memory.ask(lambda cache: known(cache, [one.fact for one in facts]))

    def sessions(self, keys: Sequence[str]) -> tuple[Session, ...]:
        """Return sessions as a timeline tells them, in ledger order; each log is read once.

        The keys are of their logs, those alone that a page shows.
        """
        fresh = [key for key in keys if key not in self._sessions]
        if fresh:
            self._sessions.update(sessions_of(self.memory.snapshot, fresh))
        return tuple([self._sessions[key] for key in keys if key in self._sessions])

    def reasons(self, place: str) -> Reasons | None:
        """Return what is behind a file of HEAD, or `FILE:LINE` of it; None where HEAD has none such."""
        from memory.query.code_question import code_asked
        from memory.query.reasons import reasons

        repository = self.memory.home.repository
        key = head(repository)[1], place
        if key not in self._reasons:
            if len(self._reasons) >= _MOST_REASONS:
                self._reasons.clear()
            asked = code_asked(repository, place, repository.top, committed=True)
            found = reasons(self.memory, asked) if asked and asked.path else None
            self._reasons[key] = found
        return self._reasons[key]

    def sessions_since(self, stem: str) -> int:
        """Count the work sessions behind a log."""
        return max(len(self.work) - bisect_left(self.work, stem) - 1, 0)


class Asks:
    """The questions of one plan, sorted once for all pages that show some of them.

    Args:
        plan: the plan.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.questions: dict[str, list[Question]] = {}
        for question in plan.unanswered:
            self.questions.setdefault(question.rule, []).append(question)
        threads = [thread for thread in reversed(plan.raised) if not thread.closed]
        self.asked_in = {key: thread.id for thread in threads for key in thread.keys}


class TipViews:
    """Gives the view of the tip where it stands now; it is made anew when memory changed."""

    def __init__(self) -> None:
        self._kept: TipView | None = None
        self.arrivals = Arrivals()

    def of(self, memory: Memory) -> TipView:
        """Return what pages see of a home."""
        state = memory.state()
        kept = self._kept
        if (
            kept is None
            or kept.memory is not memory
            or kept.mark != mark_of(memory.home.tip(), state)
        ):
            before = None
            if kept and kept.memory is memory and kept.has("known_logs"):
                before = kept.known_logs
            kept = self._kept = TipView(memory, state, before)
            self.arrivals.note(kept.mark, kept.entries)
        return kept


def mark_of(tip: str, state: State) -> str:
    """Name what memory holds at a tip, in 24 characters."""
    return f"{tip[:12]}{state.summary.digest[:12]}"


#: The parts, in the order in which they are prepared: who answers needs the next plan first.
SLOW_PARTS: dict[str, Callable[[TipView], Callable[[], object]]] = {
    "plan": read_plan,
    "lives": read_lives,
    "past": read_past,
    "report": read_report,
    "origins": read_origins,
    "recall": read_recall,
    "learn_plan": read_learn_plan,
}
#: What a part is made of, where that is a slow one.
MADE_OF = {"past": ("lives",), "report": ("lives",)}
#: What is slow once: for the tips that follow it is brought forward by whoever asks.
ONCE = frozenset(("recall",))
