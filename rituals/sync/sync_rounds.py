"""Sync with a remote: fetch, join, push; again when somebody was faster.

The network is used outside Diurna's lock, the branch moves inside it by compare-and-swap. Being offline is
no failure: what is recorded here stays, and the next sync takes it along. Nor are commits of code beside
an in-tree home: their logs explain them, and go with them when their author pushes (M10). Logs sent alone,
on a commit of their own, would leave the branch apart from its remote, where the next `git push` is
refused, and would show what is learned of code that nobody else has.
"""

from __future__ import annotations

import os
from time import sleep

from ledger.environment import monotonic
from ledger.errors import EditNotUnderstood, HandEdited, SyncRefused
from ledger.git.git_objects import Objects
from ledger.git.repository import read_reference
from ledger.model.finding_codes import Finding
from ledger.model.layout import CONTINUITY_FILE, SENT, kept_as, stem_of
from ledger.remote import transport
from ledger.remote.remote import NoRemote, Remote, choose_remote
from ledger.wal.git_locks import Transfer
from memory import (
    APART,
    BEHIND,
    Memory,
    SyncPlan,
    code_beside,
    followed,
    former_places,
    is_edited,
    is_published,
    note_checked,
    refuse_unwritable,
)
from rituals.sync.sync_report import Report, left

#: How often and how long a push that lost a race is tried again.
TRIES = 8
TRIES_SECONDS = 60.0
#: A join of more logs than that is kept here before it is offered: it would be slow to do again.
_MANY_LOGS = 500
#: What is waited behind a lost race is a chance in a window, which doubles up to so many rounds.
_WINDOW_ROUNDS, _WINDOW_SECONDS, _SHORTEST_ROUND_SECONDS = 32, 15.0, 0.05


def sync(
    memory: Memory,
    asked: str = "",
    *,
    dry_run: bool = False,
    adopt: bool = False,
    push: bool = False,
    progress: transport.Progress | None = None,
) -> Report:
    """Sync a home with its remote, then fetch the homes of others, without a remote too.

    Args:
        memory: the home, open.
        asked: a remote's name, URL or path; "" for the branch's own.
        dry_run: fetch from the remote, and say what would be; no branch moves.
        adopt: also join a history that shares nothing with ours.
        push: send what is here even where the policy does not (FORMAT.md, Y7).
        progress: told how far a transfer is.

    Raises:
        NoRemote: which remote is meant is not clear.
        NetworkFailed: the remote refused, was silent, or kept moving.
        SyncRefused: a person has to decide.
        WaitsInSpool: a log that waits can not be committed now.
    """
    home, policy = memory.home, memory.policy
    joined: tuple[Finding, ...] = ()
    ended: tuple[str, ...] = ()
    if not dry_run:
        memory.drain()
        if former_places(home):
            from rituals.setup.move import join_strays

            joined = join_strays(memory)
    if memory.ask(lambda cache: cache.may_end()):
        from rituals.decide.recorded_endings import ended_lines

        ended = ended_lines(memory, dry_run=dry_run)
    try:
        refuse_unwritable(home)
        remote = choose_remote(home.repository.git(), home.branch, asked, home.upstream)
        sends = push or policy.push or not policy.personal
        if not sends:
            from memory import is_own

            sends = not is_own(home, policy)
        report = _Sync(memory, remote, (dry_run, adopt, sends), progress).run()
    except NoRemote as problem:
        if asked or dry_run or not policy.upstream:
            raise
        report = Report("", home.branch, home.tip(), offline=problem.message)
    report = report._replace(findings=(*joined, *report.findings), ended=ended)
    if dry_run or not policy.upstream:
        return report
    from rituals.sync.upstream_fetch import fetch_upstreams

    brought, problems = fetch_upstreams(home, policy)
    return report._replace(upstreams=brought, findings=(*report.findings, *problems))


class _Sync:
    def __init__(
        self,
        memory: Memory,
        remote: Remote,
        how: tuple[bool, bool, bool],
        progress: transport.Progress | None,
    ) -> None:
        self._memory, self._remote = memory, remote
        self._progress = progress
        self._dry_run, self._adopt, self._sends = how
        self._git = memory.home.repository.git()
        self._plans: list[SyncPlan] = []
        self._planned: SyncPlan | None = None
        self._findings: list[Finding] = []

    def run(self) -> Report:
        if self._memory.publishes():
            self._absorb_edit()
        found = self._memory.absorb_committed(dry_run=self._dry_run)
        self._findings += found
        self._edited = bool(found)
        began = monotonic()
        for tried in range(1, TRIES + 1):
            started = monotonic()
            try:
                plan = self._plan()
                if not self._dry_run and plan.tip != plan.ours and self._absorb_edit(plan):
                    plan = self._plan()
                if self._absorb_committed(plan):
                    plan = self._plan()
            except transport.Unreachable as problem:
                self._follow()
                return self._report(tried - 1, problem)
            if self._dry_run:
                self._plans.append(plan)
                return self._report(0)
            tip = "" if plan.here or plan.there else self._settle(plan)
            if tip in ("", plan.theirs) or not self._sends:
                self._follow()
                return self._report(tried - 1)
            try:
                with Transfer(self._memory.home.repository, self._remote.tracking):
                    transport.push(self._git, self._remote, tip, progress=self._progress)
            except transport.RemoteMoved:
                now = monotonic()
                if now - began > TRIES_SECONDS or tried == TRIES:
                    self._follow()
                    break
                # a slow remote needs wider windows
                window = max(now - started, _SHORTEST_ROUND_SECONDS) * min(
                    1 << tried, _WINDOW_ROUNDS
                )
                sleep(
                    min(window, _WINDOW_SECONDS) * int.from_bytes(os.urandom(4), "big") / (1 << 32)
                )
            except transport.NetworkFailed as problem:
                self._follow()
                if isinstance(problem, transport.Unreachable):
                    return self._report(tried, problem)
                raise type(problem)(
                    f"{problem.message}; {self._ahead_said()}", hint=problem.hint
                ) from None
            else:
                self._note_pushed(tip)
                self._follow()
                return self._report(tried)
        hint = "what came is joined here already; `diurna sync` again takes the rest along"
        raise transport.RemoteMoved(
            f"{self._remote.shown} kept moving; {self._ahead_said()}", hint=hint
        )

    def _absorb_edit(self, plan: SyncPlan | None = None) -> bool:
        """Make a log of a person's edit before the file is written anew; tell if there was one.

        With a plan only where that brings another file.
        """
        if not is_edited(self._memory.home):
            return False
        if plan is not None:
            full = self._memory.home.prefix + CONTINUITY_FILE
            old, new = self._git.resolve(f"{plan.ours}:{full}", f"{plan.tip}:{full}")
            if old == new:
                return False
        found = self._memory.absorb_first(dry_run=self._dry_run)
        self._findings += found
        return bool(found)

    def _absorb_committed(self, plan: SyncPlan) -> bool:
        """Make logs of what people committed there into the file, before a join passes it over.

        They are durable before anything moves; tell whether there were any.
        """
        if plan.relation not in (APART, BEHIND) or plan.there:
            return False
        memory = self._memory
        found = memory.absorb_committed(plan.theirs, plan.base, dry_run=self._dry_run)
        self._findings += found
        self._edited = self._edited or bool(found)
        if self._dry_run or not memory.waiting():
            return False
        if plan.relation == BEHIND:
            self._follow()
        memory.drain()
        return True

    def _plan(self) -> SyncPlan:
        """Fetch, and say what both tips come to; nothing moves but the tracking reference."""
        before = self._tracked()
        with Transfer(self._memory.home.repository, self._remote.tracking) as transfer:
            there = transport.fetch(
                self._git, self._remote, progress=self._progress, free=transfer.free
            )
        theirs = self._tracked() if there else ""
        self._findings += transfer.findings
        if not theirs:  # the remote lost the branch, or has others below its name
            remote, branch = self._remote, self._memory.home.branch
            if before:
                raise SyncRefused(
                    f"{remote.shown} had a branch {remote.shown_branch} and has none now; "
                    "nothing was changed here",
                    hint=f"to bring it back there: git push {remote.shown} {branch}",
                )
            for below in transport.advertised(self._git, remote, [f"{remote.branch}/*"]):
                beside = f"{remote.shown_branch} beside {below.removeprefix('refs/heads/')}"
                told = f"`git push -u {remote.shown} {branch}:diurna-{branch}`"
                raise SyncRefused(
                    f"git can not have a branch {beside}, on {remote.shown}",
                    hint=f"{told} gives it another name there",
                )
        elif before not in ("", theirs):
            self._look_for_loss(before, theirs)
        plan = self._memory.join(theirs, adopt=self._adopt, dry_run=True)
        if not theirs:  # to make the branch there would send all that it holds
            plan = plan._replace(here=code_beside(self._memory.home, [], plan.ours))
        self._planned = plan
        return plan

    def _tracked(self) -> str:
        """Return where the remote's branch was when it was last asked, "" when it never was."""
        return read_reference(self._memory.home.repository, self._remote.tracking)

    def _settle(self, plan: SyncPlan) -> str:
        """Move the branch where nobody has to be told; return the tip that the remote is to have.

        What a plain `git merge` or `git pull` left behind, here or there, is published then.

        A join goes to the remote first: the sooner it is there, the less often somebody else is faster.
        Killed in between, the next sync finds it there. What took long to join stays joined.
        """
        if plan.relation == APART and len(plan.came) <= _MANY_LOGS:
            return plan.tip
        self._follow()
        if not plan.tip or plan.relation == APART:
            return plan.tip
        memory = self._memory
        cache = memory.snapshot.cache(plan.tip)
        if not memory.publishes() or cache.unread():
            return plan.tip
        if is_published(memory.home, plan.tip, cache.summary):
            return plan.tip
        try:
            return memory.publish()[1] or plan.tip
        except EditNotUnderstood as problem:
            self._findings += problem.findings
            return memory.home.tip()
        except HandEdited as problem:
            self._findings.append(
                Finding("hand-edited", problem.message, problem.where, hint=problem.hint)
            )
            return plan.tip

    def _follow(self) -> None:
        """Let the branch, the work tree and the mirror here have what was planned last."""
        plan, self._planned = self._planned, None
        if plan is None:
            return
        self._plans.append(plan)
        home = self._memory.home
        if plan.tip != plan.ours or not (home.checked_out or followed(home) == plan.tip):
            self._memory.join(plan.tip, adopt=self._adopt, planned=plan)
            if not self._edited:  # by people, on either side
                note_checked(home, plan.tip)

    def _look_for_loss(self, before: str, theirs: str) -> None:
        """Tell of logs that a rewritten remote lost, and keep those that are not here (fault:E9)."""
        remote, home = self._remote, self._memory.home
        ours = home.tip()
        with Objects(home.repository) as objects:
            if before in objects.bases(before, theirs):
                return
            bases = objects.bases(ours, theirs) if ours else []
        from memory import (
            held_logs,
            keep_lost,
            missing_logs,
            named_few,
            refuse_purged,
            went_finding,
        )

        held = self._memory.ask(held_logs, committed=True)
        less = missing_logs(home, theirs, before, held)
        if not less:
            return
        if ours:  # what was taken out on purpose is not kept, and not offered again
            refuse_purged(self._memory.snapshot.tip, ours, theirs, bases)
        name = f"{remote.shown}/{remote.shown_branch}"
        gone = less.keys() & missing_logs(home, ours, before, held).keys()
        if gone:
            self._findings.append(went_finding(map(stem_of, gone), f"taken off {name}"))
        if gone and not self._dry_run:
            keep_lost(home, {path: less[path] for path in gone}, held)
        if stays := less.keys() - gone:
            said = f"{name} was rewritten, without {named_few(map(stem_of, stays))}"
            hint = "the logs that are here stay, and are offered again; ask who rewrote it, and why"
            self._findings.append(Finding("history-rewritten", said, hint=hint))

    def _note_pushed(self, commit: str) -> None:
        """Let the tracking reference follow, where git had no reason to."""
        home = self._memory.home
        names = [self._remote.tracking] * (self._tracked() != commit)
        if home.seen:  # once it is there it moves with the branch
            sent = kept_as(SENT, home.reference)
            names += [sent] * (home.tip() == commit or not read_reference(home.repository, sent))
        rows = "".join(f"update {name} {commit}\n" for name in names).encode()
        if rows:
            self._git.run("update-ref", "--stdin", "-m", "diurna: push", data=rows, check=False)

    def _ahead(self) -> int:
        tip = self._memory.home.tip()
        known = [f"^{self._remote.tracking}"] if self._tracked() else []
        counted = self._git.run("rev-list", "--count", tip, *known, check=False) if tip else b""
        return int(counted.strip() or b"0")

    def _ahead_said(self) -> str:
        ahead = self._ahead()
        return f"this clone is ahead by {ahead} commit{'s' if ahead != 1 else ''}"

    def _report(self, tries: int, offline: transport.Unreachable | None = None) -> Report:
        """Add up what all rounds did."""
        plans, home = self._plans, self._memory.home
        last = next(reversed(plans), None)
        stopped = last if last and not offline and (last.here or last.there) else None
        went = last.went if last and not offline and not stopped else 0
        came = {ref.stem: None for plan in plans if not plan.there for ref in plan.came}
        named = dict.fromkeys([one for plan in plans for one in plan.learned])
        findings = [*self._findings, *(one for plan in plans for one in plan.findings)]
        return Report(
            self._remote.shown,
            self._remote.shown_branch,
            last.tip if last and self._dry_run else home.tip(),
            tuple(came),
            len({agent for plan in plans for agent in plan.agents}),
            went if self._sends else 0,
            tuple(named),
            tries,
            offline.message if offline else "",
            self._ahead() if offline else 0,
            tuple(dict.fromkeys(findings)),
            self._dry_run,
            kept=0 if self._sends else went,
            left=left(stopped, self._remote, home.branch) if stopped else "",
        )
