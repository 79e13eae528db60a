"""Kill a command at a system call that changes something, then let a person commit; no log may leave the tip.

`python -m tests.campaigns.deaths --runs 400` traces each command once to learn its calls, then lets one of them be its last:
its own but for those on caches, or one of a git that it started, with which it dies. From each death several days go on: a person commits in some
way, at once or behind a command or hook of Diurna's. No log that the tip had may be gone from it then, no word that a
recorded redaction withholds may show, and no lock may be in the person's way once anything of Diurna's has run.
Where two deaths of a command leave the same, but for what is drawn anew in every run, no day goes on from the second.
`--runs 0` takes every call: each command runs once, is stopped before each call, and a copy made there is what a death
of all of it leaves. It needs strace. Prints a table; ends with 1 on any fault.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

from ledger.errors import HomeNotFound
from ledger.home import discover
from ledger.model.event import FactCreated, FactRedacted
from ledger.model.layout import LOCK_FILE
from ledger.model.order import is_sealed
from ledger.model.record import Record
from ledger.wal.spool import Spool
from memory.api import Memory, SessionDraft
from memory.write.spool_commits import Committer
from tests.campaigns import forks
from tests.campaigns.calls import (
    KILL,
    Site,
    campaign,
    environment,
    evenly,
    injected,
    make_template,
    sites_of,
)
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    draft,
    git,
    logs_in,
    user_repository,
)
from tests.campaigns.kills import clear_servers_locks
from tests.campaigns.stops import stop_at_each
from tests.small_ledgers import log, write_ledger

#: Words of facts: one that was redacted before, and one that the death may come into the redaction of.
GONE, GOING = "zqheron", "zqtrout"
_MUTATING = ("write", "pwrite64", "rename", "link", "unlink", "mkdir", "ftruncate", "fsync")
#: Where a call changes nothing that git or a person sees: each of these is made anew.
_BESIDE = ("/diurna/cache/", "/.local/state/")
#: What a person does next, as a shell says it.
PERSONS = {
    "commit": "git commit -q -m theirs",
    "commit -a": "git commit -q -a -m theirs",
    "add -A": "git add -A && git commit -q -m theirs",
    "amend": "git commit -q --amend -m theirs",
    "stash": "git stash -q && git stash pop -q && git commit -q -a -m theirs",
    "other files": "git commit -q -m theirs -o code.py",
}
#: What of Diurna's comes before that.
BETWEEN = {
    "": (),
    "status": ("status",),
    "show": ("show",),
    "hook": ("hook", "claude", "SessionStart"),
    "append": ("note", "id=between fact: Something else is told."),
}
#: In what a death leaves: files that nobody reads; what names an object; names, of which it counts which are the same; what tells nothing.
_UNREAD = re.compile(r"/diurna/(cache/|\.[^/]*\.tmp$)|/objects/")
_HASH = re.compile(r"\b[0-9a-f]{40}\b")
_NAMED = re.compile(r"\d{4}-\d\d-\d\d-\d{7,9}(?:-[a-z0-9]{1,26})?|\b[0-9a-f]{40,64}\b")
_DRAWN = re.compile(r"(?<=tmp_)\w+|\d+|\b[0-9a-f]{7,12}\b")
_HOOK = {"session_id": "s-1", "hook_event_name": "SessionStart", "source": "startup"}


def _redactable(home: Path) -> None:
    memory = Memory(discover(str(home)), agent="tester", in_process=False)
    facts = [FactCreated(f"word-{word}", f"The word {word} is told.") for word in (GONE, GOING)]
    memory.append(SessionDraft("Two words", "They are told.", tuple(facts)))
    memory.append(SessionDraft("Redact", "", (FactRedacted(f"word-{GONE}"),), type="edit"))
    memory.close()


def _edited(home: Path) -> None:
    page = next(iter(sorted(home.rglob("continuity.md"))))
    page.write_text(
        page.read_text().replace("The text of here-1.", "The text of here-1, reworded.")
    )


def _held(home: Path) -> None:
    memory = Memory(discover(str(home)), agent="tester", in_process=False)
    # as after a push: the branch has nothing that the remote lacks
    git(home, "update-ref", "refs/remotes/origin/main", "refs/heads/main")
    with patch.object(Committer, "land_held"):  # something is in the way
        for name in ("held-1", "held-2"):
            memory.hold(draft(name))
    memory.close()


def _drifted(home: Path) -> None:
    policy = next(iter(sorted(home.rglob("diurna.toml"))), None)
    if policy is not None:
        said = policy.read_text()
        for when in ("trunk", "append"):
            said = said.replace(f'publish = "{when}"', 'publish = "review"')
        memory = Memory(discover(str(home)), agent="tester", in_process=False)
        memory.commit_files([("diurna.toml", said.encode())], "policy")
        memory.append(draft("unpublished"))
        memory.close()


def _last(home: Path) -> None:
    memory = Memory(discover(str(home)), agent="tester", in_process=False)
    memory.append(draft("taken-back"))
    memory.close()


def _items(home: Path) -> None:
    (home.parent / "items.jsonl").write_text('{"text": "Orders are never deleted."}\n')


def _aged(home: Path) -> None:
    memory = Memory(discover(str(home)), agent="tester", in_process=False)
    memory.append(
        SessionDraft("Ask", "", (FactCreated("ask-it", "Is it used?", meta=(("kind", "thread"),)),))
    )
    memory.close()


def _landed(home: Path) -> None:
    """Let a log be of a branch that was squashed into the trunk, and a fact name a file that is gone."""
    for branch, way in (("feature/x", "-b"), ("main", "")):
        git(home, "checkout", "-q", *([way] if way else []), branch)
        (home / "new.py").write_text("def new():\n    return 1\n")
        git(home, "add", "new.py")
        git(home, "commit", "-q", "-m", "New (#1)", "-o", "new.py")
        if way:
            memory = Memory(discover(str(home)), agent="tester", in_process=False)
            memory.append(draft("of-a-branch"))
            memory.close()


class Deed(Record):
    """A command that is killed: its words, the kinds of home, and what is done before."""

    name: str
    words: tuple[str, ...]
    kind: str
    before: Callable[[Path], None] = lambda home: None

    def command(self, _: str) -> list[str]:
        """Return the command line."""
        module = () if self.words[0] == "-m" else ("-m", "rituals")
        return [sys.executable, "-P", *module, *self.words]

    def __str__(self) -> str:
        return f"{self.name} {self.kind}"


_DEEDS: tuple[tuple[str, tuple[str, ...], Callable[[Path], None], tuple[str, ...]], ...] = (
    ("append", ("append", "../mine.md"), lambda home: None, KINDS),
    ("note", ("note", "id=told fact: A thing is told."), lambda home: None, (IN_TREE, OWN_BRANCH)),
    ("redact", ("redact", f"word-{GOING}", "--reason", "a slip"), lambda home: None, KINDS),
    ("capture", ("capture", "--land"), _held, (IN_TREE, OWN_BRANCH)),
    ("sync", ("sync",), lambda home: None, KINDS),
    ("absorb", ("check", "--absorb"), _edited, (IN_TREE, OWN_REPOSITORY)),
    ("publish", ("check", "--publish"), _drifted, (IN_TREE, OWN_BRANCH)),
    ("undo", ("undo", "--agent", "tester"), _last, (IN_TREE, OWN_BRANCH)),
    ("review", ("review", "--yes"), _aged, (IN_TREE, OWN_BRANCH)),
    ("import", ("import", "jsonl", "../items.jsonl", "--write"), _items, (IN_TREE, OWN_BRANCH)),
    ("by itself", ("-m", "rituals.review.background_steps"), _landed, (OWN_BRANCH, IN_TREE)),
    ("ledger", ("import", "ledger", ".", "--write"), lambda home: None, (IN_TREE,)),
)  # fmt: skip
DEEDS = tuple(
    Deed(name, words, kind, before) for name, words, before, kinds in _DEEDS for kind in kinds
)


class Death(Record):
    """What came of one death, on one of the days behind it."""

    site: Site  #: where it was
    between: str = ""  #: of Diurna's, before the person
    #: what the person did; "" where another death had left the same, and no day went on
    person: str = ""
    blocked: bool = False  #: the person had to wait for a command of Diurna's
    faults: tuple[str, ...] = ()  #: whatever is not as it should be


def make_ground(folder: Path, deed: Deed) -> None:
    """Make a home for a deed, beside a remote, with what a person is at."""
    if deed.name == "ledger":
        home = folder / "home"
        home.mkdir(parents=True)
        user_repository(home)
        pages = {f"sessions/2026-01-0{day}-000000.md": log() for day in (1, 2, 3)}
        write_ledger(home, pages)
        git(home, "add", "-A")
        git(home, "commit", "-q", "-m", "of another tool")
        (home / "staged.txt").write_text("staged\n")
        git(home, "add", "staged.txt")
        (home / "code.py").write_text("print('changed')\n")
        return
    make_template(folder, deed.kind)
    home = folder / "home"
    if deed.kind == OWN_REPOSITORY:
        (home / "code.py").write_text("print('here')\n")
        git(home, "add", "code.py")
        git(home, "commit", "-q", "-m", "code", "--", "code.py")
        (home / "code.py").write_text("print('changed')\n")
    _redactable(home)
    deed.before(home)


def kill(site: Site, template: Path, folder: Path) -> bool:
    """Run a deed in a copy of its ground up to one call; tell whether it came to that."""
    _copy(template, folder)
    command, shim = injected(site, folder, to_all=True)
    subprocess.run(
        command, cwd=folder / "home", env=environment(folder, shim), stdin=subprocess.DEVNULL,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    log = folder / "log"
    return log.exists() and f"killed by {KILL}" in log.read_text(errors="replace")


def stops(deed: Deed, template: Path, scratch: Path) -> Iterator[tuple[Site, Path]]:
    """Run a deed once; yield each call that changes something, with a copy of what a death there leaves.

    A copy is there for the caller to take away. Of copies that are as another one only the first stays.
    """
    folder, seen, found = scratch / f"run-{deed}", set[str](), list[tuple[Site, Path]]()
    _copy(template, folder)
    counts: Counter[str] = Counter()

    def look(call: str, path: str) -> None:
        counts[call] += 1
        if not path.startswith(f"{folder}/") or any(at in path for at in (*_BESIDE, "/objects/")):
            return
        dead = scratch / f"stop-{deed}-{len(found)}"
        _copy(folder, dead)
        left = digest(dead)
        if left in seen:
            shutil.rmtree(dead)
        seen.add(left)
        found.append((Site(deed, 0, call, counts[call], "", path[len(str(folder)) :]), dead))

    code = stop_at_each(deed.command(""), folder / "home", environment(folder), look)
    shutil.rmtree(folder)
    if code:
        raise AssertionError(f"{deed} fails though it is only looked at: {code}")
    yield from found


def _copy(source: Path, target: Path) -> None:
    """Copy with hard links and times: both tell what a lock is."""
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def live_on(site: Site, between: str, person: str, dead: Path, folder: Path) -> Death:
    """Let a day go on from a death; say what is not as it should be.

    In a copy of what it left, whose caches are built anew, or where it was, with the caches as they are.
    """
    if folder != dead:
        _copy(dead, folder)
    where = folder / "home"
    seen = _Seen(where, site.act.kind)
    faults: list[str] = []
    before = seen.logs()
    if not seen.is_home():  # it is none yet
        between = ""
    if between:
        faults += seen.diurna(*BETWEEN[between])
        faults += seen.gone(before, f"behind {between}")
        before |= seen.logs()
    done = _shell(where, PERSONS[person])
    blocked = done.returncode != 0
    if blocked:
        if between:
            faults.append(f"the person is stopped: {done.stderr.strip()}")
        faults += seen.diurna(*(("status",) if seen.is_home() else site.act.words))
        before |= seen.logs()
        done = _shell(where, PERSONS[person])
        if done.returncode and "nothing to commit" not in done.stdout:
            faults.append(f"the person is stopped for good: {done.stderr.strip()}{done.stdout}")
    faults += seen.gone(before, "behind the person's commit")
    if site.act.kind != OWN_BRANCH and person != "other files":
        if git(where, "show", "HEAD:staged.txt", check=False) != "staged\n":
            faults.append("what the person staged is not committed")
    if site.act.name == "ledger":
        seen.diurna("status")  # what it showed may be taken back, and with it the home
    if not seen.is_home():
        faults += seen.diurna(*site.act.words)
    faults += seen.shown("behind the person's commit", (("show",), ("brief",), ("recall", "word")))
    recorded = seen.recorded()
    faults += seen.diurna("note", "id=later fact: The day goes on.")
    if site.act.name == "sync":  # the lock of the tracking reference waits for the next one (W7)
        clear_servers_locks(folder / "hub.git")
        seen.diurna("sync")  # it may have to wait for the person's own push
    faults += seen.gone(before | recorded, "behind the next command")
    faults += seen.shown("behind the next command", ())
    faults += seen.left()
    shutil.rmtree(folder, ignore_errors=True)
    return Death(site, between, person, blocked, tuple(faults))


def _shell(where: Path, said: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", said], cwd=where, env=environment(where.parent), capture_output=True, text=True,
        check=False,
    )  # fmt: skip


class _Seen:
    """A home as git and Diurna show it."""

    def __init__(self, where: Path, kind: str) -> None:
        self._where = where
        self._branch = "memory" if kind == OWN_BRANCH else "main"
        self._kind = kind

    def is_home(self) -> bool:
        """Tell whether Diurna finds a home."""
        try:
            return bool(discover(str(self._where)))
        except HomeNotFound:
            return False

    def logs(self) -> set[str]:
        """Return the names of the logs at the tip."""
        listed = git(self._where, "ls-tree", "-r", "--name-only", self._branch, check=False)
        return {line.rsplit("/", 1)[1][:-3] for line in listed.split("\n") if "sessions/" in line}

    def recorded(self) -> set[str]:
        """Return the logs that the spool has whole."""
        spool = Spool(discover(str(self._where)).spool_folder)
        return {*spool.waiting(), *spool.held()}

    def words(self, *, committed: bool) -> set[str]:
        """Return the words that a redaction withholds which is committed, or which is recorded at least."""
        redaction = f"Redacted: word-{GOING}".encode()
        texts = list(logs_in(discover(str(self._where))).values())
        if not committed:
            kept = (self._where / ".git/diurna").rglob("*")
            texts += [one.read_bytes() for one in kept if is_sealed(one.name)]
        return {GONE, GOING} if any(redaction in text for text in texts) else {GONE}

    def gone(self, before: set[str], when: str) -> list[str]:
        """Return the logs that the tip has no more."""
        return [f"{stem} is gone {when}" for stem in sorted(before - self.logs())]

    def shown(self, when: str, commands: tuple[tuple[str, ...], ...]) -> list[str]:
        """Return where words show: in answers, in pages of the tip, in those of the work tree or mirror."""
        recorded = self.words(committed=False)
        found = []
        for asked in commands:
            found += self._holding(f"`{' '.join(asked)}`", self._ran(*asked)[1], recorded, when)
        committed = self.words(committed=True)
        listed = git(self._where, "ls-tree", "-r", "--name-only", self._branch, check=False)
        for path in listed.split("\n"):
            if path.endswith(("continuity.md", "archive/INDEX.md")):
                text = git(self._where, "show", f"{self._branch}:{path}")
                found += self._holding(f"the tip's {path}", text, committed, when)
        for page in self._where.rglob("continuity.md"):
            found += self._holding(
                str(page.relative_to(self._where)), page.read_text(), committed, when
            )
        return found

    @staticmethod
    def _holding(name: str, text: str, words: set[str], when: str) -> list[str]:
        for word in (GONE, GOING):
            text = text.replace(f"word-{word}", "")
        return [f"{name} shows {word} {when}" for word in sorted(words) if word in text]

    def diurna(self, *words: str) -> list[str]:
        """Run a command of Diurna's; return what went wrong."""
        code, out, err = self._ran(*words)
        return [f"`diurna {words[0]}` ended with {code}: {err.strip()}{out}"] if code else []

    def _ran(self, *words: str) -> tuple[int, str, str]:
        if words[0] == "hook":
            said = json.dumps({**_HOOK, "cwd": str(self._where)}).encode()
            done = subprocess.run(
                [sys.executable, "-P", "-m", "rituals", *words], input=said, cwd=self._where,
                env={**environment(self._where.parent), "DIURNA_CAPTURE": "off"}, capture_output=True, check=False,
            )  # fmt: skip
            lock, until = self._where / ".git" / LOCK_FILE, time.monotonic() + 30
            while lock.exists() and lock.stat().st_size and time.monotonic() < until:
                time.sleep(0.02)  # a process of its own finishes what died
            return done.returncode, done.stdout.decode(), done.stderr.decode()
        forked = forks.run(["-m", "rituals", *words], self._where, environment(self._where.parent))
        return forked.returncode, forked.stdout, forked.stderr

    def left(self) -> list[str]:
        """Return what stands in git's status of ours, and which locks are left."""
        ours = "." if self._kind == OWN_REPOSITORY else "memory"
        status = git(self._where, "status", "--porcelain", "--", ours).split("\n")
        users = ("code.py", "loose.txt", "staged.txt")
        found = [f"status: {line}" for line in status if line and not line.endswith(users)]
        locks = [
            path for path in (self._where / ".git").rglob("*.lock") if "stale" not in path.parts
        ]
        return found + [f"left behind: {path.relative_to(self._where)}" for path in locks]


def digest(dead: Path) -> str:
    """Return what a death left, but for what is another in every run: names and times that are drawn, git's bytes, caches."""
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"<{len(numbers)}>")

    home, said = dead / "home", []
    # in one order in every run: stems sort by time
    for path in sorted([*home.rglob("*"), *(dead / "hub.git").rglob("*")]):
        name = str(path.relative_to(dead))
        if not path.is_file() or _UNREAD.search(name):
            continue
        if b"\0" in (data := path.read_bytes()):
            said.append(f"{name} True")
        else:
            said.append(f"{name}\n{data.decode(errors='replace')}")
    said.append(git(home, "ls-files", "-s", check=False))
    named = dict.fromkeys(_HASH.findall("\n".join(said)))
    said += _there(home, named)
    text = _NAMED.sub(number, "\n".join(said))
    return hashlib.sha256(_DRAWN.sub("", text).encode()).hexdigest()


def _there(home: Path, named: Iterable[str]) -> list[str]:
    """Return of each object that something names whether git has it."""
    asked = "".join(f"{one}\n" for one in named).encode()
    return git(home, "cat-file", "--batch-check", data=asked, check=False).split("\n")


def choose(sites: list[Site], runs: int, seed: int) -> list[Site]:
    """Choose calls evenly, by deed, process and call."""
    rng = random.Random(seed)
    strata: defaultdict[tuple[str, bool, str], list[Site]] = defaultdict(list)
    for site in sites:
        strata[str(site.act), bool(site.child), site.call].append(site)
    return evenly(strata, runs, rng)


def days(number: int, count: int) -> list[tuple[str, str]]:
    """Return which days go on from the n-th death: each way of a person's, each thing between, in turns."""
    every = [(between, person) for person in PERSONS for between in BETWEEN]
    direct = [(between, person) for between, person in every if not between]
    behind = [(between, person) for between, person in every if between]
    found = [direct[number % len(direct)], behind[number % len(behind)]]
    return (found + [direct[(number + 1) % len(direct)], behind[(number * 7 + 3) % len(behind)]])[
        :count
    ]


def die_all(
    deeds: tuple[Deed, ...], chosen: argparse.Namespace, scratch: Path, told: bool = False
) -> list[Death]:
    """Let deeds die at calls, evenly, and days go on from each; return what came of it."""
    until = time.monotonic() + 60 * chosen.minutes
    dying = _killed if chosen.runs else _stopped
    left: dict[tuple[str, str], int] = {}

    def one(site: Site, dead: Path) -> list[Death]:
        if time.monotonic() > until:
            return []
        many = len(left)
        if not dead.exists() or left.setdefault((str(site.act), digest(dead)), many) != many:
            shutil.rmtree(dead, ignore_errors=True)
            return [Death(site)]  # as another one left it
        following = days(many, chosen.days)
        found = []
        for day, (between, person) in enumerate(following):
            there = dead if day == len(following) - 1 else scratch / f"{dead.name}-{day}"
            try:
                found.append(live_on(site, between, person, dead, there))
            except Exception as problem:  # noqa: BLE001 - the others go on
                found.append(Death(site, between, person, faults=(f"{problem!r}",)))
        shutil.rmtree(dead, ignore_errors=True)
        if told and many % 50 == 49:
            print(f"  behind {many} kinds of death", flush=True)
        for death in found:
            if told and death.faults:
                said = "".join(f"\n    {fault}" for fault in death.faults)
                print(f"  {site}; {death.between or 'at once'}, {death.person}{said}", flush=True)
        return found

    with ThreadPoolExecutor(chosen.jobs) as pool:
        dead = dying(deeds, chosen, scratch, until)
        return [death for found in pool.map(lambda at: one(*at), dead) for death in found]


def _killed(
    deeds: tuple[Deed, ...], chosen: argparse.Namespace, scratch: Path, until: float
) -> Iterator[tuple[Site, Path]]:
    sites = []
    for deed in deeds:
        make_ground(scratch / str(deed), deed)
        sites += [
            one
            for one in sites_of(deed, scratch / str(deed), scratch)
            if one.call in _MUTATING and not any(at in one.what for at in _BESIDE)
        ]
    for number, site in enumerate(choose(sites, chosen.runs, chosen.seed)):
        dead = scratch / f"dead-{number}"
        if time.monotonic() < until and kill(site, scratch / str(site.act), dead):
            yield site, dead


def _stopped(
    deeds: tuple[Deed, ...], _: argparse.Namespace, scratch: Path, until: float
) -> Iterator[tuple[Site, Path]]:
    for deed in deeds:
        make_ground(scratch / str(deed), deed)
        yield from stops(deed, scratch / str(deed), scratch)


def table(deaths: list[Death]) -> str:
    """Say by deed: deaths, how many left what no other did, days behind these, how often the person had to wait, faults."""
    rows: defaultdict[str, list[Death]] = defaultdict(list)
    for death in deaths:
        rows[str(death.site.act)].append(death)
    lines = [f"{'deed':<26}{'deaths':>7}{'kinds':>7}{'days':>6}{'waited':>8}{'faults':>8}"]
    for name, found in [*sorted(rows.items()), ("all", deaths)]:
        sites = {str(death.site) for death in found}
        lived = [death for death in found if death.person]
        kinds = {str(death.site) for death in lived}
        counts = Counter(
            blocked=sum(one.blocked for one in found), faults=sum(bool(one.faults) for one in found)
        )
        lines.append(
            f"{name:<26}{len(sites):>7}{len(kinds):>7}{len(lived):>6}{counts['blocked']:>8}{counts['faults']:>8}"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Run the campaign."""

    def run(chosen: argparse.Namespace, scratch: Path) -> tuple[str, bool]:
        deeds = tuple(deed for deed in DEEDS if re.search(chosen.only, str(deed)))
        found = die_all(deeds, chosen, scratch, told=True)
        return table(found), not any(death.faults for death in found)

    return campaign(
        "tests.campaigns.deaths", __doc__, arguments, run, runs=400, days=2, minutes=math.inf
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
