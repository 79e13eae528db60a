"""Clones that append, edit and gossip at random through one bare remote; in the end all hold the same bytes.

`python -m tests.campaigns.convergence --seeds 50` = 5 clones × 100 acts for each seed. The seed chooses all: kind of
home, when the projection is committed, who does what, who syncs when, by `diurna sync` or by plain `git pull` and
`git push`. Clock and identity are fixed. Tasks are claimed and moved by whoever comes: two claims that do not know each
other have to stand, and no move is gone that no log answered. Prints one line for each seed; ends with 1 when clones
differ or a log is gone.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from ledger.errors import DraftRefused
from ledger.git.commit_record import Identity
from ledger.home import discover
from ledger.model.event import (
    Event,
    FactCreated,
    FactHelped,
    FactIgnored,
    FactInvalidated,
    FactMoved,
    FactPromoted,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.findings import severe
from ledger.model.layout import ARCHIVE_DIR, CONTINUITY_FILE, MIRROR_DIR, POLICY_FILE, log_path
from ledger.model.record import Record
from ledger.model.session import CLOSABLE
from ledger.model.task_states import IN_PROGRESS, may_follow
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.document.page_renderer import render
from projection.policy.model import TASK_KIND
from rituals.check.check_registry import verify
from rituals.sync.backoff import Timer
from rituals.sync.sync_rounds import sync
from tests.campaigns.homes import (
    KINDS,
    OWN_BRANCH,
    START_MS,
    fsck,
    git,
    logs_in,
    make_home,
    sealed_environment,
)

#: Among how many acts one is followed by gossip.
GOSSIP_EVERY = 10
#: In how many rounds of `diurna sync` at the end all clones must be in step.
MOST_ROUNDS = 5
#: How often git may ask in one pull: once for each commit that a rebase picks.
_QUESTIONS = 50
_BULLET = re.compile(r"^- (?:\[([ x])\] )?")
_FOOTER = re.compile(r"^  <!-- id: ([a-z0-9.-]+) \|")
_TASK = (("kind", "task"),)
_KIND_META = (
    (), (), (("kind", "thread"),), (("kind", "decision"),), (("kind", "invariant"),), _TASK, _TASK,
    (("kind", "pattern"), ("role", "builder")),
)  # fmt: skip


class Outcome(Record):
    """What came of one seed."""

    seed: int  #: the number everything follows from
    kind: str  #: of the homes
    publish: str  #: when the projection is committed
    acts: tuple[tuple[str, int], ...]  #: how often what was done
    acknowledged: int  #: logs
    rounds: int  #: of the last syncs
    contradictions: int  #: facts that stand contradicted in the end
    torn: int  #: tasks among them that several moved
    digest: str  #: of the set of logs and the tip they ended at
    faults: tuple[str, ...]  #: what is not as it should be
    seconds: float  #: it took


class Clone:
    """One clone, with a clock of its own that is wrong by some seconds."""

    def __init__(self, folder: Path, branch: str, rng: random.Random) -> None:
        self.folder, self.branch, self.rng = folder, branch, rng
        self.now_ms = START_MS + rng.randrange(-30_000, 30_000)
        self.memory = Memory(
            discover(str(folder)),
            agent=folder.name,
            clock=self._tick,
            identity=lambda: Identity(folder.name, f"{folder.name}@example.invalid"),
        )
        self.acts: Counter[str] = Counter()
        self.acknowledged: dict[str, bytes] = {}
        self.number = 0

    def _tick(self) -> int:
        self.now_ms += self.rng.randrange(1, 40_000)
        return self.now_ms

    def git(self, *arguments: str, where: Path | None = None) -> str:
        """Run git as this clone's user, at this clone's time; what it refuses is the next one's task."""
        at = f"{self._tick() // 1000} +0000"
        command = ["git", "-C", str(where or self.folder), *arguments]
        environment = {**os.environ, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        done = subprocess.run(command, capture_output=True, env=environment)
        if done.returncode and arguments[0] != "push":
            raise AssertionError(f"git {arguments}: {(done.stdout + done.stderr).decode()}")
        return done.stdout.decode()

    # ---- acts ---------------------------------------------------------------------------------------

    def act(self) -> None:
        """Append one log or edit what a person may edit."""
        self.number += 1
        names = sorted(self.memory.snapshot.ask(lambda cache: cache.ids()))
        done = self.rng.choices(
            (
                "create", "reference", "update", "supersede", "close", "invalidate", "verify", "edit", "move",
                "judge",
            ),
            (30, 10, 16, 7, 8, 4, 5, 6, 12, 4),
        )[0]  # fmt: skip
        if done == "edit" and self._edit():
            self.acts["edit"] += 1
            return
        events = self._events(done, names) if names else ()
        if not events:
            done, events = "create", (self._birth(),)
        title = f"{self.folder.name} does {self.number}"
        try:
            receipt = self.memory.append(SessionDraft(title, f"By {self.folder.name}.", events))
        except DraftRefused as refused:  # circles still come about, between clones
            if any(one.code != "supersession-cycle" for one in refused.findings):
                raise
            self.acts["refused circle"] += 1
            return
        self.acts[done] += 1
        self.acknowledged[receipt.stem] = receipt.data

    def _birth(self) -> Event:
        # some names are anybody's: two clones may create one fact with two texts
        name = f"{self.folder.name}-{self.number}"
        shared = f"shared-{self.rng.randrange(40)}"
        if self.rng.random() < 0.25 and shared not in self.memory.state():
            name = shared
        meta = self.rng.choice(_KIND_META)
        return FactCreated(name, f"What {self.folder.name} found in {self.number}.", meta=meta)

    def _events(self, done: str, names: list[str]) -> tuple[Event, ...]:
        fact = self.rng.choice(names)
        standing = self.memory.state()[fact].fact
        match done:
            case "reference":
                chosen = self.rng.sample(names, min(3, len(names)))
                return tuple(FactReferenced(one) for one in chosen)
            case "update" if not standing.false:
                return (FactUpdated(fact, f"{self.folder.name} says {self.number} of {fact}."),)
            case "supersede":
                old = self.rng.choice(names)
                return (FactSuperseded(old, fact),) if old != fact else ()
            case "close":
                threads = [
                    s.fact for s in self.memory.state().standings() if s.fact.kind in CLOSABLE
                ]
                if not threads:
                    return ()
                thread = self.rng.choice(threads)
                return (ThreadReopened(thread.id) if thread.closed else ThreadClosed(thread.id),)
            case "move":
                return self._move()
            case "judge":
                evidence = self.rng.choice(("pytest -q: exit 0", "it seemed so"))
                judged = self.rng.choice((FactHelped(fact, evidence), FactIgnored(fact, "judge")))
                return (judged,)
            case "invalidate":
                return (FactInvalidated(fact),)
            case "verify":
                return (FactVerified(fact), FactPromoted(fact))
        return ()

    def _move(self) -> tuple[Event, ...]:
        """Move a task to a state that may follow; a claim that nobody here knows of is made as often as not."""
        tasks = [s.fact for s in self.memory.state().standings() if s.fact.kind == TASK_KIND]
        may = [(task.id, state) for task in tasks for state in may_follow(task.states)]
        claims = [one for one in may if one[1] == IN_PROGRESS]
        chosen = claims if claims and self.rng.random() < 0.5 else may
        return (FactMoved(*self.rng.choice(chosen)),) if chosen else ()

    def _edit(self) -> bool:
        """Edit `continuity.md` as a person does, and let Diurna make a log of it; tell whether it did."""
        home = self.memory.home
        self.memory.publish()
        mirrored = home.kind == OWN_BRANCH
        path = Path(home.repository.top) / MIRROR_DIR if mirrored else Path(home.folder)
        path /= CONTINUITY_FILE
        if not path.exists():
            return False
        lines = path.read_text().split("\n")
        contested = {fact.id for fact in self.memory.view().contradicted}
        footers = [
            (number, found.group(1))
            for number, line in enumerate(lines)
            if (found := _FOOTER.match(line)) and found.group(1) not in contested
        ]
        places = [
            (number, fact) for number, fact in footers if _BULLET.match(lines[number - 1])
        ]  # a text of one line
        if not places:
            return False
        at, _ = self.rng.choice(places)
        bullet = lines[at - 1]
        match self.rng.randrange(5):
            case 0:
                lines[at - 1] = f"{bullet} Reworded in {self.number}."
            case 1 if bullet.startswith("- ["):
                lines[at - 1] = bullet.replace("- [ ]", "- [x]") if "[ ]" in bullet else (
                    bullet.replace("- [x]", "- [ ]")
                )  # fmt: skip
            case 2:
                lines[at + 1 : at + 1] = [f"- {self.folder.name} remarks {self.number}."]
            case 3:
                del lines[at - 1 : at + 1]
            case _:
                lines[at] = re.sub(r"tier: [a-z-]+", "tier: core", lines[at])
        path.write_text("\n".join(lines))
        absorbed = self.memory.absorb()
        self.memory.publish()  # else git would not pull over the file
        if absorbed.stem:
            at_tip = f"{home.tip()}:{home.prefix}{log_path(absorbed.stem)}"
            self.acknowledged[absorbed.stem] = home.repository.git().run("cat-file", "blob", at_tip)
        return bool(absorbed.stem)

    def change_policy(self) -> None:
        """Change a window of the policy, in the way that a kind of home allows."""
        home = self.memory.home
        git_ = home.repository.git()
        text = git_.run("cat-file", "blob", f"{home.tip()}:{home.prefix}{POLICY_FILE}")
        new = re.sub(rb"(?m)^active  = \d+", b"active  = 11", text)
        assert new != text
        self.acts["policy"] += 1
        if home.kind == OWN_BRANCH:
            self.memory.commit_files([(POLICY_FILE, new)], "a longer window")
            return
        (Path(home.folder) / POLICY_FILE).write_bytes(new)
        self.git("commit", "-q", "-m", "a longer window", "--", home.prefix + POLICY_FILE)

    # ---- gossip -------------------------------------------------------------------------------------

    def gossip(self) -> None:
        """Exchange logs with the remote: by Diurna, or as people without it do."""
        way = self.rng.choices(("sync", "pull", "rebase", "fetch"), (55, 25, 10, 10))[0]
        self.acts[way] += 1
        if way == "sync":
            sync(self.memory, timer=Timer(sleep=lambda seconds: None))
        elif way == "fetch":
            self.git("fetch", "-q", "origin")
            self.git("push", "-q", "origin", self.branch)  # refused where the remote has more
        elif self.memory.home.kind == OWN_BRANCH:
            self._pull_in_worktree(way)
        else:
            self._pull(way, self.folder)

    def _pull(self, way: str, where: Path) -> None:
        how = "--rebase" if way == "rebase" else "--no-rebase"
        own = self.memory.home.kind == OWN_BRANCH  # no driver there: whoever checks it out chooses
        favour = ("-X", "ours") if own else ()
        try:
            self.git("pull", "-q", how, "--no-edit", *favour, "origin", self.branch, where=where)
        except AssertionError as asked:
            if "modify/delete" not in str(asked):
                raise
            self._answer(way, where)
        self.git("push", "-q", "origin", self.branch, where=where)

    def _answer(self, way: str, where: Path) -> None:
        """Answer git's question about pages that one side no longer makes; either answer will do."""
        on = ("rebase", "--continue") if way == "rebase" else ("commit", "-q", "--no-edit")
        for _ in range(_QUESTIONS):
            unmerged = self.git("diff", "--name-only", "--diff-filter=U", "-z", where=where)
            pages = [page for page in unmerged.split("\0") if page]
            self.git(*self.rng.choice((("rm", "-q"), ("add",))), "--", *pages, where=where)
            try:
                self.git("-c", "core.editor=true", *on, where=where)
            except AssertionError as asked:
                if "modify/delete" not in str(asked):
                    raise
            else:
                return
        raise AssertionError(f"git asked more than {_QUESTIONS} times")

    def _pull_in_worktree(self, way: str) -> None:
        """Pull a branch that is never checked out, in a work tree made for it."""
        place = self.folder.parent / f"{self.folder.name}-worktree"
        self.git("worktree", "add", "-q", str(place), self.branch)
        try:
            self._pull(way, place)
        finally:
            self.git("worktree", "remove", "--force", str(place))


def converge(folder: Path, seed: int, clones: int, acts: int) -> Outcome:
    """Let clones act and gossip, then sync until quiet; compare everything."""
    begun = time.monotonic()
    kind, publish = KINDS[seed % 3], ("append", "review", "trunk")[seed // 3 % 3]
    rng = random.Random(seed)
    branch = "memory" if kind == OWN_BRANCH else "main"
    hub = folder / "hub.git"
    made = _make(folder, hub, kind, publish, clones)
    team = [Clone(place, branch, random.Random(rng.random())) for place in made]
    left = [acts] * clones
    changes_policy, at = rng.randrange(clones), rng.randrange(clones * acts)
    for turn in range(clones * acts):
        number = rng.choice([one for one, more in enumerate(left) if more])
        left[number] -= 1
        team[number].act()
        if turn == at:
            team[changes_policy].change_policy()
        if rng.randrange(GOSSIP_EVERY) == 0:
            rng.choice(team).gossip()
    rounds = 0
    faults: list[str] = []
    while rounds < MOST_ROUNDS:
        rounds += 1
        before = [clone.memory.home.tip() for clone in team]
        for clone in team:
            sync(clone.memory, timer=Timer(sleep=lambda seconds: None))
        tips = {clone.memory.home.tip() for clone in team}
        if len(tips) == 1 and before == [clone.memory.home.tip() for clone in team]:
            break
    else:
        faults.append(f"not quiet after {rounds} rounds")
    acknowledged = {stem: data for clone in team for stem, data in clone.acknowledged.items()}
    faults += differences(team, hub, branch, acknowledged)
    faults += lost_moves(team[0].memory)
    told = Counter[str]()
    for clone in team:
        told.update(clone.acts)
    view = team[0].memory.view()
    digest = f"{view.summary.digest[:16]} {team[0].memory.home.tip()[:12]}"
    for clone in team:
        clone.memory.close()
    return Outcome(
        seed, kind, publish, tuple(sorted(told.items())), len(acknowledged), rounds,
        len(view.contradicted), sum(fact.torn for fact in view.contradicted), digest, tuple(faults), time.monotonic() - begun,
    )  # fmt: skip


def _make(folder: Path, hub: Path, kind: str, publish: str, clones: int) -> list[Path]:
    """Make a bare remote and clones of it, with a home in them."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "--bare", "-b", "main", str(hub))
    places = [folder / f"clone-{number}" for number in range(clones)]
    make_home(places[0], kind)
    first = Memory(discover(str(places[0])), agent="first")
    home = first.home
    where = home.repository.git()
    text = where.run("cat-file", "blob", f"{home.tip()}:{home.prefix}{POLICY_FILE}")
    text = re.sub(rb'(?m)^publish = "\w+"', b'publish = "%s"' % publish.encode(), text)
    if (
        publish == "trunk" and b"\ntrunk " not in text
    ):  # as `init` writes it: the first clone has no `origin/HEAD`
        text = text.replace(b"\n\n[windows]", b'\ntrunk = "main"\n\n[windows]', 1)
    first.commit_files([(POLICY_FILE, text)], "when to publish")
    first.close()
    git(places[0], "remote", "add", "origin", str(hub))
    branches = ["main", "memory"] if kind == OWN_BRANCH else ["main"]
    git(places[0], "push", "-q", "-u", "origin", *branches)
    for place in places[1:]:
        git(folder, "clone", "-q", str(hub), str(place))
        if kind == OWN_BRANCH:
            git(place, "branch", "-q", "memory", "origin/memory")
    for place in places:
        git(place, "config", "user.name", place.name)
        git(place, "config", "user.email", f"{place.name}@example.invalid")
    return places


def differences(
    team: list[Clone], hub: Path, branch: str, acknowledged: dict[str, bytes]
) -> list[str]:
    """Return in what clones differ, and what is gone or damaged."""
    faults: list[str] = []
    there = git(hub, "rev-parse", branch).strip()
    shown: list[dict[str, str]] = []
    for clone in team:
        name, memory = clone.folder.name, clone.memory
        home = memory.home
        logs = logs_in(home)
        gone = [stem for stem in acknowledged if stem not in logs]
        other = [stem for stem, data in acknowledged.items() if logs.get(stem, data) != data]
        faults += [f"{name}: {len(gone)} logs are gone: {gone[:3]}"] if gone else []
        faults += [f"{name}: {stem} has other bytes" for stem in other]
        if home.tip() != there:
            faults.append(f"{name}: is at {home.tip()[:12]}, the remote at {there[:12]}")
        warm, cold = memory.state(), memory.cold_state()
        standings = repr(warm.standings())
        if standings != repr(cold.standings()):
            faults.append(f"{name}: the cache differs from a cold replay")
        shown.append(
            {
                "what is shown": memory.continuity(),
                "what is replayed": render(cold.view()),
                "the state": standings,
                "the tip": git(clone.folder, "ls-tree", "-r", home.tip()),
                **_files(clone),
            }
        )
        if memory.publishes() and memory.drift():
            faults.append(f"{name}: drift in {memory.drift()}")
        faults += [f"{name}: still waits: {stem}" for stem in memory.waiting()]
        faults += [f"{name}: edited: {path}" for path in memory.edited()]
        faults += [f"{name}: fsck: {line}" for line in fsck(home)]
        status = git(clone.folder, "status", "--porcelain", "-uall")
        faults += [f"{name}: status: {line}" for line in status.split("\n") if line]
    for clone, told in zip(team, shown, strict=True):
        names = sorted(set(told) | set(shown[0]))
        differ = [name for name in names if told.get(name) != shown[0].get(name)]
        if differ:
            faults.append(f"{clone.folder.name} differs from the first in {', '.join(differ)}")
    found = verify(team[0].memory)
    if severe(found):
        faults += [f"verify: {finding}" for finding in found]
    return faults


def lost_moves(memory: Memory) -> list[str]:
    """Return the moves of tasks that do not stand though no later log answered them."""
    found: list[str] = []
    state = memory.state()
    for standing in state.standings():
        fact = standing.fact
        stands = {(move.stem, move.state) for move in fact.moves}
        acts = [act for act in state.histories[fact.id].acts if act.event.id == fact.id]
        for number, act in enumerate(acts):
            if fact.kind != TASK_KIND or not isinstance(act.event, FactMoved):
                continue
            later = [one.event for one in acts[number + 1 :] if one.stem != act.stem]
            answered = any(
                isinstance(event, ThreadReopened)
                or (isinstance(event, FactMoved | ThreadClosed) and event.was is None)
                or (isinstance(event, FactMoved | ThreadClosed) and act.stem in (event.was or ()))
                for event in later
            )
            if answered == ((act.stem, act.event.state) in stands):
                found.append(
                    f"{fact.id}: {act.event.state} in {act.stem} is lost, or stands answered"
                )
    return found


def _files(clone: Clone) -> dict[str, str]:
    """Return what lies in the work tree, or in the mirror of a branch that is not checked out."""
    home = clone.memory.home
    top = Path(home.repository.top)
    if home.kind == OWN_BRANCH:
        mirror = top / MIRROR_DIR
        return {
            str(path.relative_to(mirror)): path.read_text()
            for path in (mirror / CONTINUITY_FILE, *sorted(mirror.glob(f"{ARCHIVE_DIR}/*")))
        }
    return {
        str(path.relative_to(top)): path.read_text()
        for path in sorted(top.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(top).parts
    }


def run_seed(seed: int, clones: int, acts: int) -> Outcome:
    """Converge in a folder that is gone afterwards; whatever goes wrong on the way is a fault."""
    with tempfile.TemporaryDirectory() as temporary:
        os.environ.update(sealed_environment(temporary))
        try:
            return converge(Path(temporary) / "team", seed, clones, acts)
        except Exception as problem:  # noqa: BLE001 - one seed's failure is one seed's outcome
            said = f"{type(problem).__name__}: {problem}"
            return Outcome(seed, "", "", (), 0, 0, 0, 0, "", (said, traceback.format_exc()), 0.0)


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.convergence", description=__doc__
    )
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--clones", type=int, default=5)
    parser.add_argument("--acts", type=int, default=100, help="of each clone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="seeds at once")
    chosen = parser.parse_args(arguments)
    begun = time.monotonic()
    failed = total = torn = 0
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    with ProcessPoolExecutor(chosen.jobs) as pool:
        runs = [pool.submit(run_seed, seed, chosen.clones, chosen.acts) for seed in seeds]
        for run in runs:
            found = run.result()
            failed += bool(found.faults)
            total += found.acknowledged
            torn += found.torn
            acts = ", ".join(f"{count} {name}" for name, count in found.acts)
            print(
                f"convergence: seed {found.seed}, {found.kind}, {found.publish}: "
                f"{found.acknowledged} logs ({acts}), {found.contradictions} contradictions, "
                f"{found.torn} of tasks, "
                f"quiet after {found.rounds} rounds, {found.digest}, {found.seconds:.1f} s"
                + "".join(f"\n  {fault[:4000]}" for fault in found.faults[:20]),
                flush=True,
            )
    print(
        f"convergence: {chosen.seeds} seeds, {total} logs acknowledged, {torn} tasks torn, {failed} seeds with faults, "
        f"{time.monotonic() - begun:.0f} s"
    )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
