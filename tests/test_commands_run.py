"""Every documented command is run: each example of COMMANDS.md, in a memory that has what the examples name.

An example does what it says and answers `--json` with one object; where it takes `--dry-run`, that changes
nothing first. What every command has in common is asked of each that there is, also of one that comes anew.
"""

from __future__ import annotations

import ctypes
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import each_row
from tests.pages import COMMANDS, blocks
from tests.world import OWN_BRANCH, OWN_REPOSITORY, Place, World, run

#: What needs a server, a database, a minute or another machine; other tests have them.
ELSEWHERE = (
    "diurna web", "diurna mcp", "claude mcp", "codex mcp", "diurna org", "gh repo", "diurna init --tour",
    "diurna export site", "diurna import claude",
    "diurna review --learn --accept",  # what a session taught, by a name that is made of that
)  # fmt: skip
#: Commands of which some forms change something, and only those take `--dry-run`.
ONLY_SOMETIMES = {"check", "conflicts", "export", "review"}


class Example(NamedTuple):
    """A command line of the page.

    Args:
        name: of the command.
        words: behind it.
        stdin: what it is given.
    """

    name: str
    words: list[str]
    stdin: str = ""


def sections() -> dict[str, list[str]]:
    """Return the lines of each command's block, of which the first says what it takes."""
    text = COMMANDS.read_text("utf-8")
    found = {}
    for part in re.split(r"^## (?=[a-z]+$)", text, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        lines = "\n".join(blocks(rest, "sh")[0])
        lines = re.sub(r"\|\n\s*", "| ", lines)
        found[name] = re.sub(r"\\\n *", "", lines).split("\n")
    return found


def examples() -> list[str]:
    return [
        line
        for lines in sections().values()
        for line in lines[1:]
        if not line.startswith(ELSEWHERE)
    ]


def read(line: str) -> Example:
    """Read an example: what is piped into it, and what comes from or goes to a file, stands in its place."""
    given, _, command = line.rpartition("| ") if "| diurna" in line else ("", "", line)
    command, _, file = command.strip().partition(" < ")
    words = shlex.split(command.partition(" > ")[0])
    stdin = shlex.split(given)[1] if given.startswith("echo") else ""
    return Example(words[1], words[2:], "- CI has two cores.\n" if file else stdin)


FACTS = {
    "webhook-once": "decision: A webhook is sent once.",
    "webhook-retries": "decision: Webhooks are tried again up to three times.",
    "webhook-retry-queue": 'entity="Payments API" decision: A queue holds what failed, in `src/queue.py`.',
    "api-timeouts": "Outbound calls time out after 20 s.",
    "find-retry-limit": "thread: How often is a call tried?",
    "staging-login": "The password of staging is in the vault.",
    "legacy-importer": "decision: The importer runs at night.",
    "inv-transport-agnostic": "invariant: No transport is named.",
    "inv-no-plain-text": "invariant: Nothing is sent in plain text.",
    "wire-retry-queue": "task: Wire the queue.",
    "alice": "entity=person/Alice Alice wrote the queue.",
}


def make(home: Place) -> None:
    """Record what the examples name, and some work around it."""
    home.write("src/queue.py", "".join(f"line {number}\n" for number in range(1, 20)))
    home.write("docs/adr/0001-orders.md", "# 1. Orders\n\nStatus: accepted\n\n## Decision\n\nThey go to PostgreSQL.\n")  # fmt: skip
    home.write("session.md", "# Tidied\n\nAll is tidy.\n")
    home.write("facts.jsonl", '{"text": "Invoices are numbered per country."}\n')
    home.write("RULES.md", "".join(f"Rule {number} holds.\n\n" for number in range(7)))
    item = '{{"quote": "Rule {} holds.", "source": "RULES.md:{}"}}\n'
    home.write("proposed.jsonl", "".join(item.format(n, 2 * n + 1) for n in range(7)))
    home.commit_all("code")
    home.note(*(f"id={fact} {text}" for fact, text in FACTS.items()))
    home.clock.now_ms += 32 * 60_000  # 09:02
    home.session("Ask", "--session", "0b6f2c1e", "--new", "id=asked fact: Shops ask.")
    home.clock.go(seconds=60)
    home.session("Codex", "--agent", "codex", "--new", "id=codex fact: Codex was here.")
    home.run("task", "start", "wire-retry-queue")
    home.session("Wrong", "--invalidate", "alice")
    home.git("branch", "feature")


def documented(world: World, line: str) -> Place:
    """Return a copy of the home that an example is run in."""
    if line.startswith("diurna init") and "--move" not in line:
        return world.repository("shop")
    if line.startswith("diurna conflicts"):
        world.laid("documented and torn", lambda apart: _tear(documented(apart, "")))
        return world.place("shop")
    world.laid("documented", lambda apart: make(apart.home(name="shop")))
    home = world.place("shop")
    if line.startswith("diurna sync"):
        for name in ("origin", "backup"):
            home.git("remote", "add", name, str(world.hub(f"{name}.git").folder))
    return home


def _tear(home: Place) -> None:
    """Let two sides say different things."""
    home.note(
        "id=retry-storm thread: Can a storm of retries starve us?",
        "id=wire-the-queue task: Wire it.",
        "id=friday-no decision: Never on Fridays.",
        "id=friday-ok conflicts=friday-no decision: On any day.",
    )
    other = home.fork("other")
    home.session("One", "--update", "api-timeouts", "Calls time out after 10 s.", "--close", "retry-storm",
                 "--move", "wire-the-queue=in-progress")  # fmt: skip
    other.session("Two", "--update", "api-timeouts", "Calls time out after 30 s.", "--update", "retry-storm",
                  "Can a storm starve the API?", "--move", "wire-the-queue=blocked", "--agent", "codex")  # fmt: skip
    home.git("pull", "-q", "--no-rebase", "--no-edit", str(other.folder), "main")


def known(home: Place, line: str, words: list[str]) -> list[str]:
    """Put the versions, logs and folders that there are in the place of those that the page names."""
    if "3fa9c1d2" in words:
        if "conflicts" in line:
            version = home.run("conflicts", "api-timeouts").json["contradictions"][0]["choices"][0][
                "id"
            ]
        else:
            home.session("Change", "--update", "api-timeouts", "Calls time out after 10 s.")
            version = home.run("why", "api-timeouts", "--versions").json["versions"][0]["version"]
        words = [version if one == "3fa9c1d2" else one for one in words]
    if "--restore" in words and "--reason" in words:
        home.session("Off", "--invalidate", "api-timeouts")
    if "--withhold" not in words and words[:1] and words[0].startswith("2026-11-21-083012417-"):
        words = [sorted(home.logs())[0], *words[1:]]
    if "--redo" in words:
        home.run("undo")
    if words[:1] == ["alice"] or "~/team-memory" in words:
        words = [str(home.world.user / "team-memory"), *words[1:]]
    if line.endswith("export events | diurna import events -"):
        words = ["events", str(home.write("events", home.text("export", "events")))]
    return words


#: Commands that change nothing: their examples are run in one home.
LOOKS = ("brief", "recall", "show", "why", "log", "status", "view", "completion", "export")


def groups() -> list[list[str]]:
    """Return the examples that are run in one home, of one command where it only looks."""
    found: dict[str, list[str]] = {}
    for line in examples():
        name = read(line).name
        found.setdefault(name if name in LOOKS else line, []).append(line)
    return list(found.values())


@pytest.mark.parametrize("lines", groups(), ids=lambda lines: lines[0])
def test_each_example_does_what_it_says(world: World, lines: list[str]) -> None:
    """With nothing changed where it is only asked what would be done, and one object for scripts."""
    home = documented(world, lines[0])
    world.clock.now_ms = max(world.clock.now_ms, 1_795_252_000_000)
    for line in lines:
        does_what_it_says(home, line)


def does_what_it_says(home: Place, line: str) -> None:
    """Run an example, and before that its plan, where there is one."""
    example = read(line)
    words = known(home, line, example.words)
    if "--dry-run" in run(example.name, "--help").out:
        before = home.shape()
        more = [] if "--dry-run" in words else ["--dry-run"]
        plan = home.run(example.name, *words, *more, stdin=example.stdin, code=None)
        assert plan.code == 0 or (plan.code == 2 and example.name in ONLY_SOMETIMES), plan
        assert home.shape() == before
    if {"--format", "events"} & set(words) or example.name == "hook":
        assert home.text(example.name, *words, stdin=example.stdin) is not None
    else:
        answer = home.run(example.name, "--json", *words, stdin=example.stdin)
        assert isinstance(answer.json, dict) and "error" not in answer.json


#: Also those where no host's session is.
HOOKS = ["hook claude SessionStart", "hook claude Stop", "hook codex SessionEnd"]


@pytest.mark.parametrize(
    "name", sorted({read(line).name for line in examples()} - {"hook"}) + HOOKS
)
def test_nothing_runs_on_behind_a_command(
    world: World, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its caller may remove the repository at once: what is done aside begins where a host's session is."""
    line = next((line for line in examples() if read(line).name == name), "")
    if name == "init":
        home = world.repository("shop")
    else:
        world.laid("documented branch", lambda apart: make(apart.home(OWN_BRANCH, name="shop")))
        home = world.place("shop")
    for variable in ("DIURNA_NOW", "CI"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(home.folder)
    adopts = ctypes.CDLL(None).prctl  # PR_SET_CHILD_SUBREAPER: what outlives its parent is ours
    assert adopts(36, 1) == 0
    before = _children()
    if line:
        words = known(home, line, read(line).words)
        assert run(name, *words, stdin=read(line).stdin).code != 3
    else:
        command = [sys.executable, "-m", "rituals", *name.split()]
        subprocess.run(command, input=b'{"cwd": "."}', stdout=subprocess.PIPE, check=True)
    assert _children() == before
    adopts(36, 0)
    shutil.rmtree(home.folder)


def _children() -> set[str]:
    tasks = Path("/proc/self/task").glob("*/children")
    return {one for file in tasks for one in file.read_text().split()}


@pytest.mark.deep(reason="nothing_runs_on_behind_a_command is the small one")
def test_what_git_packs_is_waited_for(world: World) -> None:
    """In a repository that only Diurna writes to; where a person works, git packs when they do."""
    for kind in (OWN_REPOSITORY, OWN_BRANCH):
        home = world.home(kind, name=kind)
        for key in ("gc.autoPackLimit", "maintenance.auto"):
            home.git("config", key, "1")
        for number in range(70):
            home.note(f"Fact number {number}.")
            if number < 3:
                home.git("repack", "-q")
            assert not (home.folder / ".git/gc.pid").exists()
        packs = list((home.folder / ".git/objects/pack").glob("*.pack"))
        assert (len(packs) == 1) == (kind == OWN_REPOSITORY), packs


# ---- what all of them have in common -------------------------------------------------------------------

NAMES = tuple(sections())
#: Commands that need no home, or make one.
HOMELESS = {"init", "completion", "hook", "private", "org", "mcp", "install", "capture", "web"}
#: What a command has to be told.
LEAST = {"why": ["x"], "view": ["state"], "edit": ["x", "y"], "close": ["x"], "forget": ["x", "--false"], "redact": ["x", "--reason", "r"],
         "recall": ["x"], "note": ["A fact."], "append": ["--title", "T"], "export": ["events"]}  # fmt: skip


@each_row("name", NAMES)
def test_every_command_explains_itself(name: str) -> None:
    """By its help, with an example and what all take; an option that there is not is refused, in JSON too."""
    told = run(name, "--help")
    assert (told.code, told.err, run("help", name).out) == (0, "", told.out)
    assert f"Usage: diurna {name}" in told.out
    assert re.search(rf"Examples?:\n\s+(echo .*\n\s+|gh .*)?diurna {name}", told.out)
    assert "--json" in told.out and "--home PATH" in told.out
    if name == "hook":  # which never fails
        return
    wrong = run(name, "--nonsense", "--json")
    assert (wrong.code, wrong.said) == (2, "WrongUsage") and "hint" in wrong.err


def test_without_a_home_every_command_says_so(world: World) -> None:
    """With the way to one, and nothing changes; who cloned a team's repository is not told to make a second one."""
    code = world.repository("code")
    before = code.shape()
    for name in set(NAMES) - HOMELESS:
        refused = code.run(name, *LEAST.get(name, []), code=None)
        if name != "check":
            assert (refused.code, refused.said) == (1, "HomeNotFound"), f"{name} {refused}"
            assert "`diurna init` brings" in refused.json["error"]["hint"]
        else:
            assert "no-home" in refused.codes()
    assert code.shape() == before


@pytest.mark.parametrize("kind", ["policy", OWN_BRANCH])
def test_a_policy_that_can_not_be_read_is_told_once(world: World, kind: str) -> None:
    """By every command that looks: the defaults are in force; no command that looks changes anything."""
    home = world.home(OWN_BRANCH if kind == OWN_BRANCH else "in-tree", facts={"uv": "We use uv."})
    if kind == "policy":
        home.plant({"diurna.toml": "bogus = 1\n" + home.show_file("diurna.toml").decode()})
    before = home.shape()
    for line in ("brief", "recall uv", "show", "show --list", "why uv", "status", "log", "view state", "conflicts",
                 "check --ci", "review --dry-run", "task", "export events"):  # fmt: skip
        told = home.run(*line.split(), json=False).err
        assert told.count("unknown key `bogus`") == (kind == "policy"), line
    assert home.shape() == before
