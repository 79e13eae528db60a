"""Homes that pages are looked at with: plain, contradicted, empty, hostile, and the real ledger where it is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import chdir, closing
from itertools import count, product
from pathlib import Path
from unittest.mock import patch

from ledger.home import discover
from ledger.model.event import (
    Event,
    FactArchived,
    FactCreated,
    FactInvalidated,
    FactMoved,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from ledger.model.ids import version_id
from memory import Memory, SessionDraft
from projection.work.reported_findings import BugFound
from rituals.review.finding_reports import report
from tests.world import EMAIL, NAME, OWN_REPOSITORY, ROOT, Place, World, git, lay, run

#: A ledger of another tool that is real.
MERCURY = ROOT.parent / "shared" / "ledgers" / "mercury"
_HOUR_MS = 3_600_000
#: The first log of a made home, and how far the next ones stand apart.
_START_MS, _STEP_MS = 1_788_000_000_000, 19 * _HOUR_MS
#: The first log of two clones.
_TWO_MS = 1_790_000_000_000
#: Of the plain home.
FORGE = "https://github.com/ada/shop"
#: What a page that lets any of it through would set, ask for, or load.
CANARY, ELSEWHERE = "__pwned", "http://elsewhere.invalid"
_SETS = f"window.{CANARY}=1"
#: Each is inert as text, and does something where it becomes markup.
PAYLOADS = (
    f"<script>{_SETS}</script>",
    f'<img src=x onerror="{_SETS}">',
    f"<svg onload={_SETS}></svg>",
    f'"><script>{_SETS}</script>',
    f"' onmouseover='{_SETS}' x='",
    f'" onfocus="{_SETS}" autofocus tabindex="0" x="',
    f"[a link](javascript:{_SETS})",
    f"[a link](data:text/html,<script>{_SETS}</script>)",
    f"![a picture]({ELSEWHERE}/pixel.png)",
    f'<iframe srcdoc="<script>parent.{CANARY}=1</script>"></iframe>',
    f"</title><script>{_SETS}</script>",
    f"</textarea></script><script>{_SETS}</script>",
    "{{ 7*7 }}{% include '/etc/passwd' %}${7*7}",
    f'<base href="{ELSEWHERE}/">',
    f'<meta http-equiv="refresh" content="0;url={ELSEWHERE}/">',
    f'<form action="{ELSEWHERE}/"><input autofocus onfocus={_SETS}></form>',
    f'<style>@import "{ELSEWHERE}/x.css";</style>',
    f'<link rel="stylesheet" href="{ELSEWHERE}/x.css">',
    f"<details open ontoggle={_SETS}>x</details>",
    f'<a hx-get="{ELSEWHERE}" hx-trigger="load" href="javascript:{_SETS}">x</a>',
    f"`</code><img src=x onerror={_SETS}>",
    "away\u202eereh ti si\u202c and\u200b\u2066 on\U000e0041",
    "x" * 400 + " \u2028 \u0301\u0301\u0301\u0301",
)
#: Bugs that came back, and of which nobody recorded what they teach.
BUGS = (
    BugFound("unpinned-settings", "a test changes the settings of others", "tests/a.py"),
    BugFound("no-lock", "the importer runs without a lock file", "src/importer.py"),
    BugFound("uncommitted-order", "a webhook is sent before its order is committed", "src/hook.py"),
)
#: Logs and files that somebody wrote by hand, under such names; the first is no log for its name.
HOSTILE_NAMES = (
    f"2026-09-30-120000-{PAYLOADS[1]}.md",
    "2026-09-30-120001-...md",
    f"2026-09-30-120002-{'long' * 50}.md",
)
#: Those of them that fire by themselves where they stand raw in a page.
FIRING = tuple(one for one in PAYLOADS if one.startswith(("<script", "<img", "<svg", "<details")))
#: Those that ask for something elsewhere as soon as they are markup.
LOADING = tuple(one for one in PAYLOADS if one.startswith(("<style", "<link")))


class _Teller:
    """Records in a home under a clock of its own.

    Args:
        folder: of the home.
        ticks: the clock, in milliseconds.
        agent: who writes.
    """

    def __init__(self, folder: Path, ticks: Iterator[int], agent: str = "tester") -> None:
        self.folder, self.ticks, self.agent = folder, ticks, agent

    def __call__(self, *arguments: str, agent: str = "claude-code") -> None:
        """Run a command."""
        told = {"DIURNA_NOW": str(next(self.ticks)), "DIURNA_AGENT": agent}
        with patch.dict(os.environ, told), chdir(self.folder):
            ran = run(*arguments)
        assert ran.code == 0, (arguments, ran.err)

    @property
    def memory(self) -> Memory:
        """Of the home, opened anew."""
        home = discover(str(self.folder))
        return Memory(home, agent=self.agent, clock=lambda: next(self.ticks))

    def say(self, *drafts: SessionDraft) -> None:
        """Append drafts."""
        with closing(self.memory) as memory:
            for one in drafts:
                memory.append(one)

    def append(self, title: str, *events: Event) -> None:
        """Append a draft."""
        self.say(SessionDraft(title, "It went.", events))


def _made(world: World, folder: Path) -> Place:
    """Make a home in which each log is a session."""
    place = Place(world, folder).init(OWN_REPOSITORY, "--project", "tried")
    place.set_policy(paced=False)
    return place


def empty(folder: Path) -> None:
    """Make a home in which nobody recorded anything."""
    with World(folder.parent) as world:
        _made(world, folder)


def _teller(folder: Path, first: int = _START_MS, step: int = _STEP_MS) -> _Teller:
    """Make a home to tell of something, a log each 19 hours."""
    empty(folder)
    return _Teller(folder, count(first, step))


def plain(folder: Path) -> None:
    """Make a home with facts of all kinds and tiers, tasks, handoffs, roles, entities and quiet times.

    It has releases, and a forge that has all of it.
    """
    tell = _teller(folder)
    tell(
        "append", "--title", "Ship the webhooks", "--role", "coder",
        "--new", 'id=webhook-once entity="Payments API" decision: A webhook is sent once; a lost one is lost.',
        "--new", "id=orders-stay invariant: Orders are never deleted, only cancelled; see [[webhook-once]].",
        "--new", "id=retry-storm thread: Can a retry storm starve the workers? → serves: webhook-once",
        "--new", "id=uv stack: We install with `uv`, from a lock file; [the guide](https://docs.astral.sh/uv/) says how.",
        "--new", "id=short-answers preference: Ada reads short answers first.",
        "--new", "id=left-over fact: The old importer writes to `/var/spool/import`.",
    )  # fmt: skip
    git(folder, "tag", "v1.0")
    tell(
        "append", "--title", "Webhooks were lost", "--ref", "orders-stay", "--role", "judge",
        "--new", 'id=webhook-retries entity="Payments API, Redis" decision: Webhooks retry three times, with jitter.',
        "--supersede", "webhook-once=webhook-retries", agent="codex",
    )  # fmt: skip
    tell("task", "add", "Wire the queue", "--id", "wire-queue", "--priority", "high", "--owner",
         "claude-code", "--criterion", "A dead shop blocks no other.", "--workstream", "Payments")  # fmt: skip
    tell("task", "add", "Measure it", "--id", "measure", "--depends", "wire-queue")
    tell("task", "start", "wire-queue")
    tell(
        "task", "handoff", "wire-queue", "--done", "A queue for each shop.", "--next", "Measure it."
    )
    tell(
        "append", "--title", "Find the limit", "--update", "webhook-retries", "Webhooks retry five times, with jitter.",
        "--close", "retry-storm", "--role", "coder",
    )  # fmt: skip
    git(folder, "tag", "v1.1")
    tell.say(
        *(
            SessionDraft(
                f"Work of day {day}",
                f"It went well on day {day}.\n\n- The tests are green.\n- The queue holds.",
                tuple(
                    FactReferenced(fact)
                    for fact, every in (("orders-stay", 2), ("webhook-retries", 3), ("uv", 4))
                    if day % every == 0
                ),
                agent=("claude-code", "codex", "gemini")[day % 3],
                header=(("role", ("coder", "judge")[day % 2]),),
            )
            for day in range(1, 25)
        )
    )
    tell(
        "append", "--title", "Two shops at once", "--role", "coder",
        "--new", 'id=shop-limit entity="Payments API" fact: A shop sends at most 40 orders a second.',
        "--new", "id=slow-import thread: Why is the import slow on Mondays?",
    )  # fmt: skip
    _push(folder)


def _push(folder: Path) -> None:
    """Do to a home what a push to a forge does here."""
    git(folder, "remote", "add", "origin", FORGE + ".git")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")


def contradicted(folder: Path) -> None:
    """Make a home with every kind of contradiction: two clones that did not know of each other, merged."""
    made = (
        FactCreated("limit", "A request may take ten seconds."),
        FactCreated("find", "Find the limit of the gateway.", " ", (("kind", "thread"),)),
        FactCreated("old", "Orders are kept in one table."),
        FactCreated("left", "Orders are kept in a table for each shop."),
        FactCreated("right", "Orders are kept in a table for each year."),
        FactCreated("calm", "Nobody contradicts this one."),
        FactCreated("north", "The northern warehouse ships first."),
        FactCreated("south", "The southern warehouse ships first."),
        FactCreated("table", "Prices stand in a table of their own."),
        FactCreated("wire", "Wire the queue.", " ", (("kind", "task"),)),
    )
    ours: tuple[tuple[str, Event], ...] = (
        ("Twenty", FactUpdated("limit", "A request may take twenty seconds, then it is cut.")),
        ("Shops", FactSuperseded("old", "left")),
        ("Found", ThreadClosed("find", "it is twenty")),
        ("New", FactCreated("deploy", "We deploy on Mondays.")),
        ("South", FactSuperseded("north", "south")),
        ("No table", FactInvalidated("table")),
        ("Begun", FactMoved("wire", "in-progress")),
    )
    theirs: tuple[tuple[str, Event], ...] = (
        ("Thirty", FactUpdated("limit", "A request may take thirty seconds, and is tried again.")),
        ("Years", FactSuperseded("old", "right")),
        ("Reworded", FactUpdated("find", "Find the limits of the gateway and of the queue.")),
        ("New too", FactCreated("deploy", "We deploy on Fridays.")),
        ("North", FactSuperseded("south", "north")),
        ("Which table", FactUpdated("table", "Prices stand in a table for each shop.")),
        ("Blocked", FactMoved("wire", "blocked")),
    )
    with World(folder.parent) as world:
        world.clock.now_ms = _TWO_MS
        one = _made(world, folder)
        one.join(world.hub())
        here = _Teller(folder, count(_TWO_MS, 1000), "one")
        here.append("The base", *made)
        one.sync()
        two = one.clone("two")
        there = _Teller(two.folder, count(_TWO_MS + 100, 1000), "two")
        for teller, events in ((here, ours), (there, theirs)):
            for title, event in events:
                teller.append(title, event)
        for place in (one, two, one):
            place.sync()


def people(folder: Path) -> None:
    """Make a home of two people and two agents over three weeks, with work that waits for both, and what is false.

    One wrote it that a price lives for a day, two built on it, and it was false.
    """
    tell = _teller(folder, 1_790_000_000_000, 4 * 24 * _HOUR_MS)  # a Wednesday
    for person, agent, *said in (
        ("Ada Park", "claude", "append", "--title", "One",
         "--new", 'id=once entity=Kafka decision: A webhook is sent once.', "--new", "id=port fact: The port is 8080."),
        ("Ben Okafor", "codex", "append", "--title", "Two", "--supersede", "once=retries",
         "--new", 'id=retries entity="kafka, Redis" decision: Webhooks retry thrice, because shops sleep at night.'),
        ("Ada Park", "codex", "append", "--title", "Three", "--ref", "port",
         "--new", "id=judge-it role=judge decision: Ask for figures."),
        ("Ada Park", "claude", "append", "--title", "Guess", "--new", "id=price-cache fact: Prices live for 24 hours."),
        ("Ada Park", "claude", "append", "--title", "Page", "--ref", "price-cache",
         "--new", "id=page fact: The page asks once a day, as [[price-cache]] says; [[nobody]] knows."),
        ("Ben Okafor", "codex", "append", "--title", "True", "--supersede", "price-cache=truth",
         "--new", "id=truth fact: It is one hour."),
        ("Ben Okafor", "codex", "append", "--title", "Named", "--ref", "price-cache", "--ref", "ghost", "--anyway"),
        ("Ada Park", "claude", "forget", "port", "--archive", "--reason", "nobody asks"),
        ("Ada Park", "claude", "task", "add", "Say it <b>aloud</b>", "--id", "say", "--priority", "low"),
        ("Ada Park", "claude", "task", "add", "Give it away", "--id", "give", "--risk", "It melts."),
        ("Ada Park", "claude", "task", "start", "give"),
        ("Ada Park", "claude", "task", "handoff", "give", "--to", "judge", "--done", "Half of it.", "--next", "The rest."),
        ("Ada Park", "claude", "task", "add", "Forget it", "--id", "forget"),
        ("Ada Park", "claude", "task", "move", "forget", "cancelled"),
        ("Ada Park", "claude", "note", "--rule", "flaky", "--path", "src/a.py", "finding: It is flaky."),
    ):  # fmt: skip
        git(folder, "config", "user.name", person)
        tell(*said, agent=agent)


def undecided(folder: Path) -> None:
    """Make a home with each kind of contradiction, and with all else that a page can decide."""
    laid("contradicted", folder)
    policy = folder / "diurna.toml"
    said = policy.read_text().split("[review]")[0]
    policy.write_text(f"{said}\n[review]\nevery = 3\nverify_invariants_every = 2\n")
    git(folder, "commit", "-qam", "policy")
    one = _Teller(folder, count(_TWO_MS + 10**7, 1000), "codex")
    invariants = [
        FactCreated(name, text, "", (("kind", "invariant"),))
        for name, text in (
            ("clocks", "Clocks are UTC."),
            ("doors", "Doors are shut."),
            ("keys", "Keys are kept."),
            ("money", "Money is an integer."),
            ("orders", "Orders stay."),
        )
    ]
    pair = [
        FactCreated(name, f"A shop sends at most {many} orders a second to the gateway.")
        for name, many in (("forty", "40"), ("sixty", "60"))
    ]
    one.append("More", *invariants, *pair, FactCreated("storm", "Can it storm?", " ", (("kind", "thread"),)),
               FactCreated("put-away", "Put away."), FactCreated("untrue", "Untrue."))  # fmt: skip
    one.append("Away", FactArchived("put-away", "not now"), FactInvalidated("untrue"))
    for title in ("Fixed", "Fixed again"):
        for bug in BUGS:
            report(one.memory, bug, SessionDraft("", type="edit"))
        closed = tuple([ThreadClosed(bug.id) for bug in BUGS])
        one.say(SessionDraft(title, "", closed, type="edit"))
    one.append("The last one")


def crowded(folder: Path) -> None:
    """Make that home again, with twelve invariants to confirm and 71 threads that stalled, one of them old."""
    laid("undecided", folder)
    with (folder / "diurna.toml").open("a") as policy:
        policy.write("stale_thread_after = 2\n")
    git(folder, "commit", "-qam", "policy")
    one = _Teller(folder, count(_TWO_MS + 3 * 10**7, 1000), "codex")
    parts = ["".join(pair) for pair in product("abcdefg", "hijklmnopq")]
    many = [
        FactCreated(f"idle-{part}", f"Who looks after {part}?", " ", (("kind", "thread"),))
        for part in parts
    ]
    more = [
        FactCreated(f"law-{part}", f"Whatever is {part} stays.", "", (("kind", "invariant"),))
        for part in parts[:7]
    ]
    one.append("Idle", *many, *more)
    for word in ("One", "Two", "Three"):
        one.append(f"{word} more", FactReferenced("calm"))


def hostile(folder: Path) -> None:
    """Make a home in which every name and text is a payload, and its work tree has files named so."""
    tell = _teller(folder)
    drafts = []
    for number, payload in enumerate(PAYLOADS):
        name = " ".join(payload.split())[:60]
        kind = ("decision", "thread", "invariant")[number % 3]
        made = FactCreated(
            f"hostile-{number}", payload, " " if kind == "thread" else "",
            (("kind", kind), ("entity", name), ("source", name)),
        )  # fmt: skip
        drafts.append(
            SessionDraft(
                payload.split("\u2028")[0], f"# {payload}\n\n{payload}\n\n- {payload}\n\n> {payload}",
                (made, FactReferenced("hostile-0", name)), agent=name, header=(("role", name),),
            )
        )  # fmt: skip
    tell.say(*drafts)
    was = (version_id(PAYLOADS[0]),)
    tell.say(
        SessionDraft(
            "After", "It went.", (FactUpdated("hostile-0", " and ".join(PAYLOADS[:2]), was),)
        )
    )
    for name in HOSTILE_NAMES:
        log = folder / "sessions" / name
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(
            f"# By hand\n\n{PAYLOADS[1]}\n\n## Memory References\n\n- Referenced: hostile-0\n"
        )
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", PAYLOADS[0])


def copy_memory(ledger: Path, folder: Path) -> Path:
    """Copy the memory of another tool, which may be read-only, into a folder that may hold more; return it there."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-r", "--no-preserve=mode", ledger / "memory", folder], check=True)
    return folder / "memory"


def bring_in(ledger: Path, folder: Path) -> None:
    """Commit a copy of the memory of another tool in a repository, and take it over."""
    copy_memory(ledger, folder)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", NAME)
    git(folder, "config", "user.email", EMAIL)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "memory")
    answer = run("import", "ledger", str(folder), "--write")
    assert answer.code == 0, answer


def real(folder: Path) -> None:
    """Bring in the real ledger."""
    bring_in(MERCURY, folder)


MAKERS: dict[str, Callable[[Path], None]] = {
    "plain": plain, "people": people, "contradicted": contradicted, "empty": empty, "hostile": hostile, "undecided": undecided, "crowded": crowded,
    "real": real,
}  # fmt: skip


def made(name: str) -> bool:
    """Tell whether a home can be made here."""
    return name != "real" or MERCURY.is_dir()


def laid(name: str, folder: Path) -> Path:
    """Lay a home in a folder: it is made once in a process, and copied from then on."""
    lay(f"pages of {name}", folder, MAKERS[name])
    return folder
