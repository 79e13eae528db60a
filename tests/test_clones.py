"""Clones of every kind: `clones.md` says what works there, and which command makes it work."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import unicodedata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.host_door import Door
from tests.world import OWN_BRANCH, Place, World

_TEXT = (Path(__file__).parent / "clones.md").read_text()
_ROWS = [
    [cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"(?m)^\| .*", _TEXT)
]
MADE = dict(re.findall(r"(?m)^(\S.*)\n((?:    .*\n)+)", _TEXT))
KEPT, MINE = "The team keeps it.", "The oven is ours."


def _made(world: World, clone: str) -> Place:
    """Make a clone of a kind; return where one works in it."""
    world.team(OWN_BRANCH, paced=True, facts={"keep": f"decision: {KEPT}"})
    world.place("hub.git").git("config", "uploadpack.allowFilter", "true")
    world.place("a").git(
        "clone", "-q", "--bare", "--single-branch", "-b", "main", ".", "../fork.git"
    )
    for key, value in (("name", "Ada"), ("email", "ada@example.invalid")):
        world.place("a").git("config", "--global", f"user.{key}", value)
    script, url = f"{MADE[clone]}\npwd", f"file://{world.folder}"
    told = {**os.environ, "HUB": f"{url}/hub.git", "FORK": f"{url}/fork.git"}
    done = subprocess.run(["sh", "-ec", script], cwd=world.folder, env=told, capture_output=True)
    if "where git has it" in clone and b"ref-format" in done.stderr:
        pytest.skip("this git has no reftable")
    assert not done.returncode, done.stderr
    return Place(world, Path(os.fsdecode(done.stdout.splitlines()[-1])))


def _asked(
    place: Place, column: str, patch: pytest.MonkeyPatch, facts: list[str]
) -> tuple[bool, str]:
    """Ask for the command of a column; tell whether it works, and return what it said."""
    if column == "hook":
        where: Any = SimpleNamespace(path=place.folder)
        given = {
            "session_id": f"s{place.clock.tick()}",
            "cwd": str(place.folder),
            "source": "startup",
        }
        said = Door(where, patch).call("claude", "SessionStart", given).decode()
        bare = not (place.folder / ".git").exists()
        put = bare or place.run("install", "claude", "--dry-run", code=None).code == 0
        return put and all(fact in said for fact in facts), said
    words = {"note": ["note", f"id=oven fact: {MINE}"], "recall": ["recall", "team oven"]}
    if KEPT not in facts:
        words["init"] = ["init", "--branch", "memory"]
    answer = place.run(*words.get(column, [column]), code=None)
    said = answer.out + answer.err
    if column == "check":
        return not re.search('"severity": "error"|"no-home"', said), said
    return answer.code == 0 and (column != "recall" or all(fact in said for fact in facts)), said


def _follow(place: Place, line: str) -> None:
    """Run a command that was named, and the one that its own answer names."""
    if not line.startswith("diurna "):
        subprocess.run(["sh", "-ec", line], cwd=place.folder, check=True, capture_output=True)
        return
    answer = place.run(*shlex.split(line)[1:], json=False)
    for more in re.findall("`(git config diurna.home .*?)`", answer.err):
        _follow(place, more)


@pytest.mark.parametrize("row", _ROWS[1:], ids=lambda row: row[0])
def test_c12_c15_a_clone_of_each_kind(
    world: World, monkeypatch: pytest.MonkeyPatch, row: list[str]
) -> None:
    """What is refused names what makes it work; then all works, and the team's is the one ledger."""
    place = _made(world, row[0])
    clone = world.folder / "c" if place.folder.name == "lib" else place.folder
    cells: dict[str, str] = {}
    for column, cell in zip(_ROWS[0][1:], row[1:], strict=True):
        cells[column] = (
            [*cells.values()][-1] if cell == "same" else cell.replace("CLONE", str(clone))
        )
    team = "$HUB" in MADE[row[0]]
    facts = [MINE, KEPT] if team else [MINE]
    named = [column for column, cell in cells.items() if cell.startswith("`")]
    for column in named:
        worked, said = _asked(place, column, monkeypatch, facts)
        assert not worked, (column, said)
        hint = json.dumps(cells[column].strip("`"))[1:-1]
        silent = said == "{}\n" and not hint.startswith("git config diurna")
        assert hint in said or silent, (column, said)
    for line in dict.fromkeys(cells[column].strip("`") for column in named):
        _follow(place, line)
    for column, cell in cells.items():
        if column == "init" and cell.startswith("`diurna init"):
            continue  # it was just done
        worked, said = _asked(place, column, monkeypatch, facts)
        refused = cell.removeprefix("not here: ")
        assert worked if refused == cell else not worked and refused in said, (column, said)
    if row[0] == "SHA-256":
        hint = place.run("why", "x.py:1", code=1).json["error"]["hint"]
        assert hint == "its memory is kept elsewhere; of its commits nothing can be told"
    if team:
        hub = world.place("hub.git")
        assert hub.git("grep", "-l", MINE, "memory", "--", "sessions")
        assert hub.git("rev-list", "--count", "--max-parents=0", "memory") == "1"


def test_a_ledger_that_began_offline_joins_the_teams(world: World) -> None:
    """Nobody changed a policy: the elder's name stays, also where the code's history is cut."""
    place = _made(world, "of one commit")
    hub = world.place("hub.git").folder
    hub.rename(world.folder / "away")
    world.clock.go(days=1)
    steps = place.run("init", "--branch", "memory").json["steps"]
    assert steps[0].startswith("begin without the word of a remote: origin is not there")
    place.note(f"id=oven fact: {MINE}")
    (world.folder / "away").rename(hub)
    refused = place.run("sync", code=1).json["error"]
    assert "share no history" in refused["message"] and "`diurna sync --adopt`" in refused["hint"]
    place.sync("--adopt")
    assert place.texts() == {"keep": KEPT, "oven": MINE}
    assert 'project = "a"' in world.place("hub.git").git("show", "memory:diurna.toml")
    world.place("a").sync()
    assert place.tip("memory") == world.place("a").tip("memory")


@pytest.mark.parametrize(
    "command", ["init --branch other", "init --folder notes", "import ledger memory --write"]
)
def test_no_ledger_begins_beside_the_teams(world: World, command: str) -> None:
    """Whoever begins one is told of that of a remote, which is found from then on."""
    place = _made(world, "of one commit")
    place.write("memory/continuity.md", "# Continuity\n\n## Decisions\n\n- uv: We use uv.\n")
    place.git("add", "memory")
    place.git("commit", "-q", "-m", "theirs")
    refused = place.run(*command.split(), code=1).json["error"]["message"]
    assert refused.startswith("this repository has a home, on the branch memory")
    assert place.texts() == {"keep": KEPT}


def test_a_remote_that_has_a_branch_below_the_name(world: World) -> None:
    """The hint gives it another one there, and the next sync goes on with that."""
    place = _made(world, "of a fork")
    place.git("remote", "remove", "upstream")
    place.run("init", "--branch", "memory")
    place.note(f"id=oven fact: {MINE}")
    place.git("push", "-q", "origin", "main:memory/old")
    error = place.run("sync", code=1).json["error"]
    assert "can not have a branch memory beside memory/old" in error["message"]
    _follow(place, error["hint"].split("`")[1])
    place.note("id=kiln fact: The kiln is theirs.")
    place.sync()
    assert world.place("fork.git").git("rev-parse", "diurna-memory") == place.tip("memory")


def test_a_branch_that_is_older_than_memory(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told where memory is, no second ledger begins, and the command that is named brings it."""
    world.home(facts={"keep": f"decision: {KEPT}"})
    world.place("a").git("clone", "-q", ".", "../c")
    place = world.place("c")
    place.git("switch", "-q", "-c", "old", place.git("rev-list", "--max-parents=0", "HEAD"))
    for column in ("init", "note", "recall", "hook", "sync", "check"):
        worked, said = _asked(place, column, monkeypatch, [KEPT])
        assert not worked and "origin/main has" in said and "`git merge origin/HEAD`" in said
    place.git("merge", "-q", "origin/HEAD")
    assert place.texts() == {"keep": KEPT}


def test_paths_are_found_however_their_letters_are_composed(world: World) -> None:
    """A Mac has a mark apart from its letter in names of files, and git and people have both in one."""
    place = world.home()
    names = [unicodedata.normalize(form, "Prüfung") for form in ("NFC", "NFD")]
    place.write(f"{names[1]}/{names[1]}.py", "x = 1\n")
    place.commit_all()
    place.note(f"id=oven decision: {names[0]}.py holds the limits.")
    for name in names:
        assert [one["id"] for one in place.run("recall", f"{name}.py").json["facts"]] == ["oven"]
        assert place.run("why", f"{name}/{name}.py:1").json["text"] == "x = 1"
