"""Several at one home: writers, a person's git, a collector of garbage, locks that live and locks that do nothing."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys

import pytest

from tests.campaigns import forks
from tests.campaigns.machine import race
from tests.conftest import diagonal
from tests.world import KINDS, OWN_BRANCH, OWN_REPOSITORY, Place, World

MINE = ("note", "id=mine fact: Webhooks retry.")


@pytest.mark.parametrize("kind", [OWN_REPOSITORY, OWN_BRANCH])
def test_b2_processes_at_once_lose_nothing(world: World, kind: str) -> None:
    """All are acknowledged, each is one log, and git is content; the campaign has eight with 200 appends each."""
    found = race(world.home(kind), processes=4, appends=1)
    assert found == {"logs acknowledged": 4, "logs in the ledger": 4}


#: What comes between a writer's look at the tip and its move, and the kind of home.
BETWEEN = [
    ("another writer", OWN_REPOSITORY), ("another writer", OWN_BRANCH), ("a commit", OWN_REPOSITORY),
]  # fmt: skip


@pytest.mark.parametrize(("who", "kind"), BETWEEN)
def test_b1_b13_who_lost_the_race_builds_on_what_came(world: World, who: str, kind: str) -> None:
    """The branch moved between the look and the move: both stand, in a row, and nobody overwrites anybody."""
    home = world.home(kind, facts={"first": "fact: Cards are charged."})
    before, branch = home.tip(), f"refs/heads/{home.branch}"
    # another that knows no lock of ours: only the branch can hold
    blob = "echo theirs | git hash-object -w --stdin"
    tree = f'$(git ls-tree "$1" > l; printf "100644 blob %s\\ttheirs.txt\\n" $({blob}) >> l; git mktree < l; rm l)'
    moves = f'set -- $(git rev-parse {branch}); git update-ref {branch} $(git commit-tree {tree} -p "$1" -m theirs) "$1"'
    script = world.folder / "theirs.sh"
    script.write_text(moves if who == "another writer" else "git commit -q --allow-empty -m theirs")
    stem = home.at_step(1, f"$ sh {script}", *MINE, on=".git/objects/").json["stem"]
    home.holds([stem])
    assert home.git("log", "--format=%s", f"{before}..{branch}").count("theirs") == 1
    assert home.git("rev-list", "--count", f"{before}..{branch}") == "2"
    assert set(home.texts()) == {"first", "mine"}


@pytest.mark.parametrize("kind", [OWN_REPOSITORY, OWN_BRANCH])
def test_b3_an_unborn_branch_gets_one_root(world: World, kind: str) -> None:
    """With everybody's logs above it."""
    home = world.home(kind)
    if kind == OWN_BRANCH:
        home.git("update-ref", "-d", "refs/heads/memory")
    else:
        home.git("checkout", "-q", "--orphan", "fresh")
    started = [
        home.spawn("note", "--json", f"id=f{number} fact: Number {number}.") for number in range(3)
    ]
    stems = [child.communicate()[0].decode().partition('"stem": "')[2][:47] for child in started]
    assert home.git("rev-list", "--max-parents=0", home.branch).count("\n") == 0
    home.holds(stems)


@pytest.mark.parametrize("kind", KINDS)
def test_b4_two_inits_make_one_home(world: World, kind: str) -> None:
    """One makes it, the other finds it made, at once or behind it; both say so, and the home works."""
    at = world.folder if kind == OWN_REPOSITORY else world.repository("a").folder
    given = {OWN_BRANCH: (), OWN_REPOSITORY: ("a",)}.get(kind, ("--folder", "memory"))
    place, home = Place(world, at), world.place("a")
    for child in [place.spawn("init", *given) for _ in range(2)]:
        _, err = child.communicate()
        assert child.returncode == 0, err
    if kind == OWN_REPOSITORY:
        home.git("config", "user.name", "Ada")
        home.git("config", "user.email", "ada@example.invalid")
    tip = home.tip()
    place.run("init", *given)
    assert home.tip() == tip
    made = home.git("log", "--format=%s", home.branch, "--", f"{home.prefix}diurna.toml")
    assert made.count("\n") == 0
    home.holds([home.note("id=a fact: Webhooks retry.")])
    assert (home.folder / ".git/info/exclude").read_text().count("/.memory/") == (
        kind == OWN_BRANCH
    )


@pytest.mark.parametrize("late", ["HEAD", "objects", "refs"])
def test_b4_what_git_is_making_yet_is_made_whole(world: World, late: str) -> None:
    """A git directory without one of its parts is no repository, and nothing that is there is lost."""
    place, home = Place(world, world.folder), world.place("a")
    place.git("init", "-q", "a")
    home.write(".git/info/mine", "mine\n")
    (home.folder / ".git" / late).rename(world.folder / "late")
    place.run("init", "a")
    assert home.run("status").json["home"]["kind"] == OWN_REPOSITORY
    assert (home.folder / ".git/info/mine").read_text() == "mine\n"


def test_b12_nobody_steals_from_a_holder_that_is_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others say busy and whose it is, and the log waits until it can be had."""
    home = world.home(OWN_REPOSITORY)
    script = (
        "import fcntl, os, sys\nfile = open(sys.argv[1], 'r+')\nfcntl.flock(file, fcntl.LOCK_EX)\n"
        "file.write(f'{os.getpid()} refs/heads/main tip\\n'); file.flush()\n"
        "print('held', flush=True)\nos.kill(os.getpid(), 19)\n"
    )
    lock = home.common / "diurna/lock"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(lock)], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout and holder.stdout.readline()
        os.waitpid(holder.pid, os.WUNTRACED)  # until it is stopped
        monkeypatch.setattr("ledger.wal.atomic_files.Lock.__init__.__defaults__", (0.05,))
        answer = home.run(*MINE, code=1)
        holder.kill()
    assert answer.said == "WaitsInSpool" and f"process ({holder.pid}) holds" in answer.err
    home.holds([home.note("id=next fact: Queues drain."), answer.json["error"]["stem"]])


@pytest.mark.deep(reason="who_lost_the_race_builds_on_what_came is the small one")
def test_b14_where_file_locks_do_nothing_the_branch_still_holds(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With locks that let everybody in, writers build on one tip, and none overwrites another."""
    home = world.home(OWN_REPOSITORY)
    theirs = f"{sys.executable} -P -m rituals note 'id=theirs fact: Queues drain.' >&2"
    once = f'[ -e "{world.folder}/once" ] || {{ touch "{world.folder}/once"; {theirs}; }}'
    monkeypatch.setenv("PYTHONPATH", str(forks.ROOT))
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    with world.git_does(once, only="update-ref"):
        stem = home.run(*MINE).json["stem"]
    home.holds([stem])
    assert set(home.texts()) == {"mine", "theirs"}


#: A lock of a git that lives; whether the log is committed all the same, and what is said.
LOCKS: dict[str, tuple[bool, dict[str, list[str]]]] = {
    "index.lock": (True, {OWN_REPOSITORY: ["index-busy"], OWN_BRANCH: []}),
    "packed-refs.lock": (True, {OWN_REPOSITORY: [], OWN_BRANCH: []}),
    "config.lock": (True, {OWN_REPOSITORY: [], OWN_BRANCH: []}),
    "refs/heads/{}.lock": (False, {}),
}


@pytest.mark.parametrize(("name", "kind"), diagonal(LOCKS, [OWN_REPOSITORY, OWN_BRANCH]))
def test_b5_b6_b7_a_live_gits_lock_is_left_to_it(
    world: World, name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that no append needs is in nobody's way; for the branch's the log waits. It is never touched."""
    monkeypatch.setattr("memory.write.branch_lock.PATIENCE_SECONDS", 0.1)
    for module in ("index_entries", "tree_update"):
        monkeypatch.setattr(f"memory.worktree.{module}.INDEX_TRIES", 2)
    home = world.home(kind)
    home.git("pack-refs", "--all")
    lock, before = home.common / name.format(home.branch), home.tip()
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    done, codes = LOCKS[name]
    os.utime(lock, (0, 0))
    with lock.open():  # somebody is at work with it, for however long
        answer = home.run(*MINE, code=None)
    assert lock.exists() and (answer.code == 0) == done
    if done:
        assert answer.codes() == codes[kind]
    else:
        assert ".lock is there" in answer.err and home.tip() == before
    lock.unlink()
    home.note("id=next fact: Queues drain.")
    assert set(home.texts()) == {"mine", "next"} and home.waiting() == []
    assert home.git("status", "--porcelain") == ""


@pytest.mark.parametrize(("does", "said"), [
    ("commit -qm more --allow-empty", ""), ("update-ref refs/heads/main HEAD~1", "WaitsInSpool"),
])  # fmt: skip
def test_what_became_of_a_commit_is_looked_at(world: World, does: str, said: str) -> None:
    """A commit on top of it holds the log; on a branch that was set back it is not, and waits."""
    home = world.home(OWN_REPOSITORY)
    once = f'"$git" "$@" && cd "{home.folder}" && [ ! -e ../once ] && touch ../once && "$git" {does}; exit 0'
    with world.git_does(once, only="update-ref"):
        answer = home.run(*MINE, code=None)
    assert (answer.said if answer.code else "") == said
    home.note("id=next fact: Queues drain.")
    assert set(home.texts()) == {"mine", "next"}


# ---- objects that are packed, and objects that a prune took ------------------------------------------


#: What a person's git, or a timer, does with objects and references, and before which step of a writer.
PACKING = ("gc -q --prune=now", "gc -q", "pack-refs --all", "repack -adq")
MOMENTS = ("git update-ref", ".git/objects/", "rename .git/diurna/spool")


@pytest.mark.parametrize(
    ("command", "moment", "kind"), diagonal(PACKING, MOMENTS, [OWN_REPOSITORY, OWN_BRANCH])
)
def test_b8_packing_and_pruning_beside_a_writer_loses_nothing(
    world: World, command: str, moment: str, kind: str
) -> None:
    """What was known is elsewhere, or what was made is gone: the log waits, and is committed next."""
    home = world.home(kind)
    stems = [home.note("id=first fact: Cards are charged.")]
    answer = home.at_step(1, f"$ git -C {home.folder} {command}", *MINE, on=moment)
    taken = "--prune" in command and moment == "git update-ref"
    assert answer.code == taken and (not taken or answer.said == "WaitsInSpool")
    stems.append(answer.json["error"]["stem"] if taken else answer.json["stem"])
    assert home.waiting() == (stems[1:] if taken else [])
    home.holds([*stems, home.note("id=last fact: Carts expire.")])
    assert home.git("status", "--porcelain") == ""
