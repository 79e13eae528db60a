"""Hold one tip of a ledger as pages see it: what takes long is worked out once, by whoever asks first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ledger.home import code_of
from ledger.model.event import FactCreated, facts_in
from ledger.model.ids import is_fact_id
from ledger.model.instants import as_of as stem_of
from ledger.model.log_names import LogRef, stamp_of, stem_in
from ledger.model.record import Record
from ledger.model.session import Entry
from ledger.remote.forge import Forge, forge_of
from memory import (
    REVISION,
    Memory,
    Origin,
    Origins,
    TimelineSession,
    all_origins,
    entities,
    logs_at,
    marked_fact,
    not_known,
    point_in_time,
    read_all,
    seen_at,
    sessions_of,
    state_at,
    status_of,
    writers,
)
from projection.document.fact_remarks import Mark
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.fold.live_view import Standing
from projection.fold.testimony import Testimony, testimony
from projection.graph.built_on import BuiltOn
from projection.graph.graph_neighbours import Graph
from projection.lifecycle.lives import lives_of
from projection.work.tracked_tasks import Task, tasks
from rituals.decide.open_contradictions import Dispute, disputes
from rituals.report.lifecycle_report import Report, report_on
from rituals.review.clone_questions import clone_questions
from rituals.review.learning_plan import Plan as LearningPlan
from rituals.review.learning_plan import plan_learning
from rituals.review.review_plan import Plan, plan_of

#: What stands in an address: its query, and the parts of its path that a pattern names.
Asked = Mapping[str, str]


class Page(Record):
    """What one address shows, before it is written as HTML."""

    template: str  #: its name, without the ending
    title: str  #: of the window, in front of the project's name
    values: Mapping[str, Any]  #: what the template is filled with: values of memory, never markup
    status: int = 200  #: of the answer: 200, or 404 where there is nothing of that name


def number_in(asked: Asked, name: str, usual: int = 0) -> int:
    """Return the number that stands in an address under a name; what is none is the usual one."""
    said = asked.get(name, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 8 else usual


#: So many releases are offered, the newest.
_RELEASES = 200
_TAG_FIELDS = "--format=%(refname:strip=2)%00%(creatordate:unix)%00%(objecttype) %(*objecttype)"


class TipView:
    """What pages ask of one tip; each part is worked out when the first page asks for it, and kept.

    Args:
        memory: the home, open; used on the thread that opened it.
        state: of the tip.
    """

    def __init__(self, memory: Memory, state: State) -> None:
        self.memory, self.state = memory, state
        self.tip = memory.home.tip()
        #: what changes whenever memory does: also when a log waits that no commit has yet
        self.mark = mark_of(self.tip, state)
        #: whether it is as of a point of the past
        self.past = False
        #: what it can not tell of that point
        self.notes: tuple[str, ...] = ()
        self._then: tuple[str, TipView] | None = None

    @cached_property
    def known_logs(self) -> tuple[tuple[LogRef, Entry], ...]:
        """All logs, in ledger order."""
        read = self.memory.logs()
        return tuple(sorted(read, key=lambda log: log[0].key))

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """What they say, in ledger order."""
        return tuple([entry for _, entry in self.known_logs])

    @cached_property
    def logs(self) -> dict[str, Entry]:
        """The logs by key."""
        return {entry.stem: entry for entry in self.entries}

    @cached_property
    def persons(self) -> dict[str, str]:
        """Which person wrote each log, by key; of one whose writer nobody can tell there is none."""
        found = self.writers([stem_in(key) for key in self.logs])
        return {key: one.author for key in self.logs if (one := found.get(stem_in(key)))}

    @cached_property
    def standings(self) -> dict[str, Standing]:
        """Every fact where it stands, by id."""
        now, found = self.memory.occasion().now_ms, self.state.standings()
        return {one.fact.id: one._replace(fact=one.fact.seen(now)) for one in found}

    @cached_property
    def facts(self) -> frozenset[str]:
        """The ids that have a page: all that logs name, also those that came without a text."""
        acted = {name for one in self.entries for event in one.acts for name in facts_in(event)}
        named = acted.union(*[entry.named for entry in self.entries])
        return frozenset([one for one in named if is_fact_id(one) or one in self.state])

    @cached_property
    def entities(self) -> tuple[str, ...]:
        """The names of all entities."""
        return tuple([one.name for one in self.memory.ask(entities)])

    @cached_property
    def graph(self) -> Graph:
        """What is linked with what."""
        return Graph(self.standings)

    @cached_property
    def built_on(self) -> BuiltOn:
        """What was built on facts that are false by now."""
        return BuiltOn([one.fact for one in self.standings.values()], self.entries)

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks, closed ones too, by priority and then by age."""
        return tasks(self.standings.values())

    @cached_property
    def disputes(self) -> tuple[Dispute, ...]:
        """What stands against what, by fact."""
        return disputes(self.memory)

    @cached_property
    def origins(self) -> Origins:
        """Which commit brought each log."""
        memory = self.memory
        refs = memory.ask(lambda cache: list(cache.log_refs()))
        memory.origins = found = all_origins(memory.home, self.tip, refs, memory.origins)
        return found

    @cached_property
    def report(self) -> Report:
        """How facts lived, in numbers."""
        entries, policy = self.entries, self.state.policy
        lives = lives_of(entries, policy, histories=self.state.histories)
        return report_on(lives, entries, policy)

    @cached_property
    def plan(self) -> Plan:
        """What a review would ask; of what is committed, as a review asks it."""
        memory, state = self.memory, self.memory.tip_state()
        at = memory.ask(lambda cache: cache.commit, committed=True)
        gone = memory.ask(lambda cache: clone_questions(memory.home, cache), committed=True)
        logs = list(self.known_logs)
        if state.summary.digest != self.state.summary.digest:  # some wait
            logs = sorted(memory.logs(committed=True), key=lambda log: log[0].key)
        return plan_of(at, state, logs, code_of(memory.home), more=gone)

    @cached_property
    def learned(self) -> LearningPlan:
        """What could be learned: of the work tree too, so that a site has none of it."""
        return plan_learning(self.memory)

    @cached_property
    def waiting(self) -> int:
        """How much hurts until somebody decides: contradictions, and invariants to confirm."""
        return len(self.disputes) + len(self.memory.ask(status_of).unconfirmed)

    @cached_property
    def releases(self) -> tuple[tuple[str, str], ...]:
        """The newest tags that name commits, oldest first, each with the stamp of when it was made."""
        git, found = self.memory.home.repository.git(), []
        order = "--sort=-refname", "--sort=-creatordate", f"--count={_RELEASES}"
        said = git.text("for-each-ref", *order, _TAG_FIELDS, "refs/tags", check=False)
        for line in said.split("\n")[:-1]:
            name, at, kinds = line.split("\0")
            if "commit" in kinds.split() and at.isdigit() and REVISION.fullmatch(name):
                found.append((name, stamp_of(int(at) * 1000 + 999)))
        return tuple(found[::-1])

    @cached_property
    def forge(self) -> Forge:
        """Where commits and files are shown to others, if anywhere."""
        home = self.memory.home
        return forge_of(home.repository, home.branch, self.tip)

    def then(self, as_of: str) -> TipView:
        """Return the view of how it was at a time, a log or a commit; the one asked for last is kept.

        Raises:
            NotFound: it is none of these.
        """
        if self._then is None or self._then[0] != as_of:
            snapshot = self.memory.snapshot
            point = point_in_time(snapshot, stem_of(as_of, self.memory.occasion().now_ms))
            refs, known = logs_at(snapshot, point), self.logs
            # of a branch that is not joined
            missing = [ref for ref in refs if ref.key not in known]
            read = read_all(snapshot.home, missing).entries
            entries = [*[known[ref.key] for ref in refs if ref.key in known], *read]
            view = TipView(self.memory, state_at(snapshot, point))
            view.past, view.notes = True, not_known(snapshot, point, view.state)
            view.__dict__["entries"] = tuple(sorted(entries, key=lambda entry: entry.stem))
            self._then = as_of, view
        return self._then[1]

    def of_fact(self, id: str) -> list[Dispute]:
        """Return what stands against what about one fact."""
        return [one for one in self.disputes if id in one.about]

    def marks(self, facts: Iterable[Fact]) -> dict[str, Mark]:
        """Mark facts with what a reader has to know before their texts, by id."""
        if self.past:
            return {one.id: marked_fact(self.state, one) for one in facts}
        return self.memory.marks(facts)

    def writers(self, stems: Iterable[str]) -> dict[str, Origin]:
        """Return who wrote each of some logs, and in which commit; none of a log that git has not yet."""
        return writers(self.memory.snapshot, stems, self.origins)

    def times(self, keys: Iterable[str]) -> dict[str, str]:
        """Return when each of some logs was written, a stamp or a stem, by key; "" if nobody knows."""
        now = self.memory.occasion().now_ms
        paths = {ref.key: ref.path for ref, _ in self.known_logs}
        commits, logs = self.origins.commits, self.logs

        def time(key: str) -> str:
            clock = logs[key].clock if key in logs else key
            return seen_at(clock, commits.get(paths.get(key, ""), Origin()), now)

        return {key: time(key) for key in keys}

    def known(self, facts: Iterable[Standing]) -> dict[str, Testimony]:
        """Tell by id how facts are known."""
        logs, histories = self.logs.get, self.state.some_histories
        return {one.fact.id: testimony(one.fact, logs, histories) for one in facts}

    def sessions(self, keys: Sequence[str]) -> dict[str, TimelineSession]:
        """Return sessions as a timeline tells them, by key; those of a page are asked for at once."""
        return sessions_of(self.memory.snapshot, keys)

    def sessions_since(self, stem: str) -> int:
        """Count the work sessions behind a log."""
        return max(len(self.state.work) - bisect_left(self.state.work, stem) - 1, 0)


#: So many states of memory are remembered: a page that is older is told that memory changed, not how.
_STATES = 16
#: So many agents are named.
_AGENTS = 2


class TipViews:
    """Gives the view of the tip where it stands now; it is made anew when memory changed."""

    def __init__(self) -> None:
        self._kept: TipView | None = None
        #: the logs of each state that was met, by its mark
        self._known: dict[str, frozenset[str]] = {}

    def of(self, memory: Memory) -> TipView:
        """Return what pages see of a home."""
        state, kept = memory.state(), self._kept
        mark = mark_of(memory.home.tip(), state)
        if kept is None or kept.memory is not memory or kept.mark != mark:
            kept = self._kept = TipView(memory, state)
            self._known[kept.mark] = frozenset(kept.logs)
            for old in [*self._known][:-_STATES]:
                del self._known[old]
        return kept

    def news(self, mark: str) -> str:
        """Say in a sentence what came after a state: codex recorded 2 facts, ada changed 1 fact."""
        entries, known = self._kept.entries if self._kept else (), self._known.get(mark)
        agents: dict[str, list[Entry]] = {}
        for entry in entries:
            if known is not None and entry.stem not in known:
                agents.setdefault(entry.agent or "somebody", []).append(entry)
        came = sum(map(len, agents.values()))
        if known is None or not came or len(known) + came != len(entries):
            return "Memory changed."
        said = [f"{name} {_deed(logs)}" for name, logs in agents.items()]
        more = [f"{len(said) - _AGENTS} more recorded something"] * (len(said) > _AGENTS)
        return f"{', '.join(said[:_AGENTS] + more)}."


def _deed(logs: Sequence[Entry]) -> str:
    acts = [event for entry in logs for event in entry.acts]
    new = {name for event in acts if type(event) is FactCreated for name in facts_in(event)}
    changed = {name for event in acts for name in facts_in(event)} - new
    verb = "recorded" if new or not changed else "changed"
    many, noun = len(new or changed or logs), "fact" if new or changed else "session"
    return f"{verb} {many} {noun}{'s' * (many != 1)}"


def mark_of(tip: str, state: State) -> str:
    """Name what memory holds at a tip, in 24 characters."""
    return f"{tip[:12]}{state.summary.digest[:12]}"
