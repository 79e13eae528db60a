"""Write a page that stands alone: what a head that knows nothing has to know to give a second opinion.

It is printed and committed nowhere. What is withheld is withheld here, secrets of old logs and of commit
messages too, and all of it stands in the envelope that briefs use: evidence, not instructions.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.record import Record
from ledger.model.session import Entry
from ledger.secrets.scanner import without_secrets
from memory.api import Memory
from memory.brief.brief_maker import found_for
from memory.brief.brief_place import branch_of, changed_files
from memory.cache.cache_file import Cache
from projection.brief.brief_lines import shown
from projection.brief.envelope import enveloped, untagged
from projection.brief.single_line import plain, shortened
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.graph.fact_links import SERVES, footer, ids_in
from projection.lifecycle.pattern_standing import DEPRECATED, pattern_standing
from projection.policy import model
from projection.work.handoffs import open_handoffs
from projection.work.tracked_tasks import Task, tasks
from rituals.record.tasks.task_steps import found

#: Why one is made, and what is asked of whoever reads it then.
MILESTONE, STUCK = "milestone", "stuck"
_ASKED = {
    "": "Read it as somebody new: what is wrong, what is missing, what would you do next, and why?",
    MILESTONE: "Something is reached. Does it meet the objective? What was taken for granted that may not "
    "hold? What has to be shown before one builds on it?",
    STUCK: "The work is stuck. Which assumption is most likely wrong? What was not tried? Name the "
    "cheapest test that would tell.",
}  # fmt: skip
_LOGS, _LOOKED, _COMMITS, _FILES, _FACTS = 8, 200, 10, 30, 15
_TEXT_CHARS = 400
#: The kinds that work goes by, in the order in which they are told.
_ASSUMED = ("invariant", "stack", "decision", "convention", "preference", "fact")
_HOPS = 3
_TOLD_ELSEWHERE = (
    model.ATTEMPT_KIND, model.FINDING_KIND, model.TASK_KIND, model.HANDOFF_KIND, model.THREAD_KIND,
)  # fmt: skip


class Section(Record):
    """One part of a snapshot: its heading and its lines."""

    heading: str
    lines: tuple[str, ...]


class Snapshot(Record):
    """A page for a second opinion."""

    project: str  #: of the policy
    task: str  #: the id of the task that it is about, "" for all the work
    reason: str  #: `MILESTONE`, `STUCK`, or ""
    newest: str  #: the stem up to which it was made
    asked: str  #: what is asked of the reader
    sections: tuple[Section, ...]  #: each has at least one line
    text: str  #: the page


def snapshot(memory: Memory, task: str = "", reason: str = "") -> Snapshot:
    """Make a snapshot of the work as it stands now.

    The task is an id, "" for all the work; the reason is `MILESTONE`, `STUCK`, or "".

    Raises:
        NotFound: there is no such task.
    """
    if task:
        task = found(memory, task).id
    state = memory.state()
    view = state.view()
    page = _Page(memory, state, view.live, task)
    sections = tuple(
        [
            Section(heading, tuple([_line(said) for said in lines]))
            for heading, lines in (
                ("Objective", page.objective()),
                ("Recent acts", page.acts()),
                ("Changes", page.changes()),
                ("State", page.state()),
                ("Assumptions", page.assumptions()),
                ("Open questions", page.questions()),
                ("Evidence", page.evidence()),
            )
            if lines
        ]
    )
    project, newest, asked = state.policy.project, state.summary.newest, _ASKED[reason]
    about = f"task {task}" if task else "all of its work"
    title = f"Snapshot of {untagged(plain(project))}, {about}, up to {newest or 'no log'}"
    body = [
        line for section in sections for line in ("", f"## {section.heading}", "", *section.lines)
    ]
    text = f"{enveloped(title, body, newest + task)}\n\n{asked}\n"
    return Snapshot(project, task, reason, newest, asked, sections, text)


class _Page:
    """What the sections of one snapshot say, a list of lines each."""

    def __init__(self, memory: Memory, state: State, live: Iterable[Standing], task: str) -> None:
        self._memory, self._all = memory, state
        self._live = sorted(live, key=lambda one: (one.fact.last_used, one.fact.id), reverse=True)
        every = [state[id] for id in state]
        self._tasks = {one.id: one for one in tasks(every)}
        self._task = self._tasks.get(task)
        self._every = every

    def _of(self, kind: str) -> list[Standing]:
        return [one for one in self._live if one.fact.kind == kind]

    def _serving(self, id: str) -> list[Standing]:
        """Return what serves or is about a fact."""
        return [
            one
            for one in self._every
            if id in ids_in(footer(one.fact, SERVES)) or id in ids_in(footer(one.fact, "about"))
            if not one.fact.false
        ]

    def objective(self) -> list[str]:
        """Tell what it is all for."""
        if self._task is None:
            begun = [one for one in self._tasks.values() if one.open][:5]
            return [_said(one) for one in self._of(model.VISION_KIND)] + [
                _told(one) for one in begun
            ]
        lines = [_told(self._task)]
        if self._task.goal:
            goal = self._all.get(self._task.goal)
            lines.append(f"goal: {_text(goal) if goal else self._task.goal}")
        ahead, seen = list(ids_in(footer(self._task.standing.fact, SERVES))), {self._task.id}
        for _ in range(_HOPS):
            served = [self._all[id] for id in ahead if id in self._all and id not in seen]
            seen.update(ahead)
            lines += [f"for: {_said(one)}" for one in served]
            ahead = [id for one in served for id in ids_in(footer(one.fact, SERVES))]
        tagged = [
            one for one in self._serving(self._task.id) if footer(one.fact, "tags") == "criterion"
        ]
        return lines + [f"done when: {_text(one)}" for one in tagged]

    def acts(self) -> list[str]:
        """Tell what was done last: of a task by the logs that name it, or what serves it."""
        related = {one.fact.id for one in self._serving(self._task.id)} if self._task else set()
        if self._task:
            related.add(self._task.id)

        def chosen(cache: Cache) -> list[Entry]:
            newest = [one for one in cache.newest_entries("", _LOOKED) if one.uses]
            named = [
                one
                for one in newest
                if related.intersection((*one.named, *[event.id for event in one.acts]))
            ]
            return (named or newest)[:_LOGS]

        lines = []
        for entry in self._memory.ask(chosen):
            told = self._memory.digest(entry.stem)
            said = ". ".join(
                dict.fromkeys([one.rstrip(".") for one in (told.title, told.summary) if one])
            )
            lines.append(f"{entry.stem[:10]} {entry.agent}: {said}")
            lines += [f"decided then: {one.text}" for one in told.decisions[:3]]
        return lines

    def changes(self) -> list[str]:
        """Tell what git says of the code: the last commits, and what is not committed."""
        home = self._memory.home
        log = home.repository.git().run(
            "log", f"-{_COMMITS}", "--no-merges", "--invert-grep", "--grep=^diurna: ",
            "--format=%h %as %s", "HEAD", "--", ".", f":(exclude){home.prefix or 'sessions'}", check=False,
        )  # fmt: skip
        lines = [f"commit {one}" for one in log.decode("utf-8", "replace").split("\n") if one]
        files = changed_files(home)
        lines += [f"not committed: {one}" for one in files[:_FILES]]
        more = len(files) - _FILES
        return [*lines, f"not committed: {more} more"] if more > 0 else lines

    def state(self) -> list[str]:
        """Tell where the work stands."""
        lines = [_said(one) for one in self._of(model.STATE_KIND)]
        if self._task:
            task = self._task
            who = f", claimed by {task.claimant}" if task.claimant else ""
            torn = ", and that is contradicted" if task.contradicted else ""
            lines.append(f"{task.id} is {task.state} since {task.since[:10]}{who}{torn}")
            lines += [f"waits for {wait.id} ({wait.why})" for wait in self._task.waits]
        counts: dict[str, int] = {}
        for one in self._tasks.values():
            if one.open:
                counts[one.state] = counts.get(one.state, 0) + 1
        if counts:
            said = ", ".join([f"{count} {name}" for name, count in sorted(counts.items())])
            lines.append(f"open tasks: {said}")
        branch = branch_of(self._memory.home)
        if branch:
            lines.append(f"on branch {branch}")
        return lines + [
            f"handed over: {_said(one.standing)}"
            for one in open_handoffs(self._every)
            if self._task is None or self._task.id in one.tasks
        ]

    def assumptions(self) -> list[str]:
        """Tell what the work goes by: what has to do with the task, else what was used last."""
        known = [one for kind in _ASSUMED for one in self._of(kind)]
        if self._task:
            near = found_for(self._memory.recall, self._task.standing.fact.text)
            rank = {id: place for place, id in enumerate(near)}
            lasting = [one for one in known if one.fact.kind == _ASSUMED[0]]
            rest = sorted(
                [one for one in known if one.fact.id in rank and one not in lasting],
                key=lambda one: rank[one.fact.id],
            )
            known = [*lasting, *rest]
        return [_said(one) for one in known[:_FACTS]]

    def questions(self) -> list[str]:
        """Tell what is open, what stands against each other first."""
        lines = [f"contradicted: {_said(one)}" for one in self._live if one.fact.contradicted]
        own = {one.fact.id for one in self._serving(self._task.id)} if self._task else set()
        threads = [one for one in self._of(model.THREAD_KIND) if one.fact.open]
        threads.sort(key=lambda one: one.fact.id not in own)
        return lines + [_said(one) for one in threads[:_FACTS]]

    def evidence(self) -> list[str]:
        """Tell what was tried, what was found, and what helped."""
        own = self._serving(self._task.id) if self._task else self._live
        lines = [
            f"{footer(one.fact, 'outcome') or 'tried'}: {_said(one)}"
            for one in own
            if one.fact.kind == model.ATTEMPT_KIND
        ]
        lines += [
            f"{'fixed' if one.fact.closed else 'open'}: {_said(one)}"
            for one in (*own, *[one for one in self._of(model.FINDING_KIND) if one.fact.open])
            if one.fact.kind == model.FINDING_KIND
        ]
        lines += [
            f"{_text(one)}: {one.fact.id}"
            for one in own
            if one.fact.kind not in _TOLD_ELSEWHERE
            if self._task and footer(one.fact, "tags") != "criterion"
        ]
        learning = self._all.policy.learning
        helped = [
            one
            for one in self._live
            if one.fact.helps and pattern_standing(one.fact, learning) != DEPRECATED
        ]
        helped.sort(key=lambda one: (one.fact.helps[-1].stem, one.fact.id), reverse=True)
        return list(dict.fromkeys(lines))[:_FACTS] + [
            f"helped {len(one.fact.helps)} ×, shown by a "
            f"{' and a '.join(sorted({help.evidence for help in one.fact.helps}))}: {_said(one)}"
            for one in helped[:_FACTS]
        ]


def _said(one: Standing) -> str:
    return f"{one.fact.id} ({one.fact.kind}, {one.fact.created}): {_text(one)}"


def _text(one: Standing) -> str:
    return shortened(plain(shown(one.fact)), _TEXT_CHARS)


def _told(task: Task) -> str:
    return f"{task.id} (task, {task.state}, {task.priority}): {_text(task.standing)}"


def _line(said: str) -> str:
    return f"- {untagged(plain(without_secrets(said)))}"
