"""What `diurna sync` leaves to a person: policies that differ, histories rewritten, edits not understood, locks in the way."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.remote.transport import RemoteMoved
from memory import Memory
from rituals.sync import sync_rounds
from tests.campaigns.second_fold import log_bytes, path_of, sealed
from tests.conftest import diagonal
from tests.world import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, Place, World, lay


@pytest.fixture
def pair(world: World) -> tuple[Place, Place]:
    """Two clones of a repository of its own."""
    one, two = world.team(OWN_REPOSITORY, "two")
    return one, two


Pair = tuple[Place, Place]


def codes(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    return [one["code"] for one in answer["findings"]]


def hub(place: Place) -> Place:
    return place.world.place("hub.git")


def alike(*places: Place) -> bool:
    """Tell whether clones hold the same, in step with what is published, and nothing is amiss."""
    for place in places:
        assert place.tip() == places[0].tip() and place.fsck() == []
        assert place.git("status", "--porcelain") == ""
        assert place.read("continuity.md") == place.page()
        place.run("check", "--ci")
    return True


# ---- what a sync meets ---------------------------------------------------------------------------


class State(NamedTuple):
    """What a sync meets that has a log to send and one to fetch."""

    does: str  #: what a shell does
    at: str = ""  #: at the first git with these words, "" before all of them
    said: str = ""  #: how it ends: the code of an error, "offline", or as ever
    words: str = ""  #: of what is said then
    asked: tuple[int, int] = (1, 1)  #: how often the remote was asked to give, and to take
    came: str = "beta"  #: the facts of others that are here then
    mend: str = "true"  #: what a shell does for the next sync to go through


AWAY = "origin is not there: nothing is at ../hub.git"
ONCE = "[ -e once ] || { touch once; "
STATES = {
    "nothing is in the way": State("true"),
    "I5: it is away": State("mv hub.git x", "", "offline", AWAY, (1, 0), "", "mv x hub.git"),
    "I5: it goes away behind the fetch": State("mv hub.git x", "push --p", "offline", AWAY, mend="mv x hub.git"),
    "I1, I5: somebody is faster, and then it is away": State(
        'case "$words" in *--porcelain*) [ -e p ] || { touch p; cd two; git push -q; };; *) [ ! -e p ] || mv hub.git x; esac',
        "--no-", "offline", AWAY, (2, 1), mend="mv x hub.git"
    ),
    "I2: it refuses": State(
        "printf '#!/bin/sh\\necho main is protected >&2; exit 1' >hub.git/hooks/pre-receive; chmod +x hub.git/hooks/*",
        "", "RemoteRefused", "origin refused: main is protected; this clone is ahead by 2 commits", mend="rm hub.git/hooks/*"
    ),
    "I1: somebody is faster": State(ONCE + "cd two; git push -q; }", "push --p", "", "", (2, 2), "beta gamma"),
    "B13: the branch moves meanwhile": State(ONCE + "cd a; git commit -q --allow-empty -m mine; }", "push --p"),
    "I10: it lost the branch": State(
        "git -C hub.git update-ref -d refs/heads/main", "", "SyncRefused", "git push origin main", (1, 0), "",
        "git -C a push -q origin main"
    ),
    "J4: a log too large came": State(
        ONCE + "cd two; head -c 67108865 /dev/zero >sessions/2026-01-01-x.md; git add .; git commit -qmx; git push -q; }",
        "", "SyncRefused", "is no session log", (1, 0), "", "cd two; git rm -q sessions/*-x.md; git commit -qm y; git push -q"
    ),
}  # fmt: skip


def about_to_sync(world: World) -> Place:
    """Lay a clone that has a log to send and one to fetch, and `two`, which has another one to send."""

    def make(at: Path) -> None:
        with World(at) as apart:
            one, two = apart.team(OWN_REPOSITORY, "two")
            two.note("id=beta fact: Queues drain.")
            two.sync()
            two.note("id=gamma fact: Orders ship.")
            one.note("id=alpha fact: Webhooks retry.")
            for place in (one, two):
                place.git("remote", "set-url", "origin", "../hub.git")

    lay("about to sync", world.folder / "met", make)
    world.clock.go(hours=1)
    return world.place("met/a")


@pytest.mark.deep(only="J4")
@pytest.mark.parametrize("state", STATES)
def test_b13_i1_i2_i5_i10_what_a_sync_meets(world: World, state: str) -> None:
    """What came is here, what was recorded is safe, the remote is asked no more than it has to be."""
    one, meets = about_to_sync(world), STATES[state]
    before, hub = one.tip(), world.place("met/hub.git")
    does, mend = (f"cd {hub.folder.parent}; {text}" for text in (meets.does, meets.mend))
    if not meets.at:
        subprocess.run(["sh", "-c", does], check=True)
    with world.git_does(f'PATH="${{PATH#*:}}" && ({does})', only=meets.at or "-") as told:
        answer = one.run("sync", code=int(meets.said[:1].isupper()))
        asked = [told.read_text().count(f" {what} --") for what in ("fetch", "push")]
    assert tuple(asked) == meets.asked
    if answer.code:
        assert answer.said == meets.said and meets.words in answer.err
    else:
        assert meets.words in answer.json["offline"]
        assert (
            bool(answer.json["offline"]) == (not answer.json["went"]) == (meets.said == "offline")
        )
    assert one.texts().keys() == {"alpha", *meets.came.split()}
    assert one.git("merge-base", before, "main") == before
    if meets.said:
        ahead = one.git("rev-list", "--count", "main", "^origin/main")
        assert answer.code or answer.json["ahead"] == int(ahead)
        subprocess.run(["sh", "-c", mend], check=True)
        one.sync()
    assert "Webhooks retry" in hub.git("show", "main:continuity.md")


class Ticks:
    """A clock that goes on by seconds with each look, and by what is waited; `waits` are those."""

    def __init__(self) -> None:
        self.now, self.step, self.waits = 0.0, 1.0, list[float]()

    def look(self) -> float:
        self.now += self.step
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)

    def sync(self, place: Place, remote: str = "") -> list[float]:
        """Sync; return what it waited."""
        self.waits = []
        memory = Memory.open(str(place.folder))
        try:
            sync_rounds.sync(memory, remote)
        finally:
            memory.close()
        return self.waits


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    """Where chance decides how long is waited, it is the longest."""
    ticks = Ticks()
    monkeypatch.setattr(os, "urandom", lambda size: b"\xff" * size)
    monkeypatch.setattr(sync_rounds, "monotonic", ticks.look)
    monkeypatch.setattr(sync_rounds, "sleep", ticks.wait)
    return ticks


@pytest.mark.deep(only="0.1")
@pytest.mark.parametrize(
    ("step", "waits"), [(0.1, [0.2, 0.4, 0.8, 1.6, 3.2, 3.2, 3.2]), (3.0, [6.0, 12.0, 15.0, 15.0])]
)
def test_i1_a_remote_that_keeps_moving_is_tried_again_and_then_told(
    world: World, ticks: Ticks, step: float, waits: list[float]
) -> None:
    """After windows that double, up to 32 rounds or 15 seconds; not once that has taken a minute, or slept one (fault:I15)."""
    one = about_to_sync(world)
    world.place("met/hub.git").write("refs/heads/main.lock", "")
    ticks.step = step
    with pytest.raises(RemoteMoved, match="kept moving; this clone is ahead by 2 commits"):
        ticks.sync(one)
    assert [round(one, 3) for one in ticks.waits] == waits
    assert one.texts().keys() == {"alpha", "beta"}


# ---- what a person has to decide ----------------------------------------------------------------


def test_a_dry_run_moves_no_branch(world: World) -> None:
    """It says what the sync then does."""
    one = about_to_sync(world)
    before = one.tip(), one.files(), one.git("status", "--porcelain")
    told = one.sync("--dry-run")
    assert (len(told["came"]), told["went"], told["facts"]["new"]) == (1, 1, 1)
    assert (one.tip(), one.files(), one.git("status", "--porcelain")) == before
    done = one.sync()
    for key in ("came", "went", "facts", "commit"):
        assert done[key] == told[key]
    assert b"beta" in one.logs()[told["came"][0]]
    one.git("checkout", "-q", "--detach")
    one.run("note", "It waits.", code=1)
    one.git("checkout", "-q", "main")
    one.sync("--dry-run")
    assert len(one.waiting()) == 1
    assert one.sync()["went"] == 1 and not one.waiting()


#: What either side makes of the policy, and what of it is refused; "" where both hold.
POLICIES: dict[str, tuple[dict[str, object], dict[str, object], str]] = {
    "on one side alone": ({}, {"active": 5}, ""),
    "different lines": ({"archive": 30}, {"project": "renamed"}, ""),
    "one line": ({"archive": 30}, {"archive": 40}, "in different ways"),
}


@pytest.mark.parametrize("case", POLICIES)
def test_the_policy_merges_line_by_line(pair: Pair, case: str) -> None:
    """Where one line differs nothing moves until a person has agreed."""
    one, two = pair
    ours, theirs, refused = POLICIES[case]
    for place, values in ((one, ours), (two, theirs)):
        if values:
            place.set_policy(**values)
    two.git("push", "-q")
    if refused:
        before = one.shape()["files"], one.tip()
        answer = one.run("sync", code=1)
        assert refused in answer.err and "agree on one version" in answer.err
        assert (one.shape()["files"], one.tip()) == before
        one.set_policy(**theirs)
    one.sync()
    text = one.read("diurna.toml")
    for key, value in {**ours, **theirs}.items():
        assert f"{value}" in next(row for row in text.splitlines() if row.startswith(key))
    if not refused:
        two.sync()
        assert alike(one, two)
    assert ("renamed" in one.read("continuity.md")) == ("project" in theirs)


def test_lines_that_make_no_policy_together_go_to_the_human(pair: Pair) -> None:
    """Each side is a policy by itself, and git merges them cleanly: the same table stands there twice."""
    one, two = pair
    table = '[kinds.lesson]\nsection = "Lessons"\n'
    for place, at in ((one, "[windows]"), (two, "[review]")):
        text = place.read("diurna.toml")
        place.write("diurna.toml", text.replace(at, f"{table}\n{at}", 1))
        place.git("commit", "-q", "-a", "-m", "a kind")
    two.sync()
    before = one.tip()
    assert "both together are no policy" in one.run("sync", code=1).err
    assert one.tip() == before


def test_h7_unrelated_histories_are_refused_and_adopted(world: World) -> None:
    """Two ledgers that began apart: refused with a reason; `--adopt` keeps all logs of both."""
    (one,) = world.team(OWN_REPOSITORY, facts={"of-a": "Webhooks retry."})
    two = world.home(OWN_REPOSITORY, "b", policy={"every": 7}, facts={"of-b": "Queues drain."})
    two.git("remote", "add", "origin", str(hub(one).folder))
    before = two.tip()
    assert "share no history" in two.run("sync", code=1).err
    assert "diurna.toml was changed" in two.run("sync", "--adopt", code=1).err
    assert two.tip() == before
    two.set_policy(every=10)
    two.sync("--adopt")
    one.sync()
    assert one.texts().keys() == {"of-a", "of-b"} and one.tip() == two.tip()


@pytest.mark.deep(only="True", reason="a remote is named by its path in other tests, too")
@pytest.mark.parametrize("by_path", [False, True])
def test_e9_a_force_pushed_remote_gets_its_logs_back(pair: Pair, by_path: bool) -> None:
    """The remote lost our logs: an alarm, and they are offered again; nothing goes here."""
    one, two = pair
    stem = one.note("id=old fact: Stock is counted.")
    one.note("id=alpha fact: Webhooks retry.")
    named = [str(hub(one).folder)] * by_path
    one.sync(*named)
    before = one.tip()
    hub(one).git("update-ref", "refs/heads/main", f"{before}~3")
    two.note("id=beta fact: Queues drain.")
    two.sync()
    answer = one.sync(*named)
    said = answer["findings"][0]["message"]
    assert codes(answer) == ["history-rewritten"] and f"without 2 logs: {stem}, " in said
    two.sync()
    assert two.texts().keys() == {"old", "alpha", "beta"} and one.tip() == two.tip()


def test_e9_what_was_only_fetched_and_is_lost_there_is_named(pair: Pair) -> None:
    """Somebody may have meant it to go: it comes back where somebody asks for it, whatever git threw away."""
    one, two = pair
    old = hub(one).git("rev-parse", "main")
    stem = two.note("id=beta fact: Queues drain.")
    two.sync()
    one.git("fetch", "-q")
    hub(one).git("update-ref", "refs/heads/main", old)
    (found,) = one.sync()["findings"]
    assert (
        found["code"] == "history-rewritten"
        and f"taken off origin/main: {stem}" in found["message"]
    )
    assert one.texts() == {} and hub(one).git("rev-parse", "main") == old
    one.git("gc", "-q", "--prune=now")
    assert one.run("check", "--restore").json["restored"] and one.texts().keys() == {"beta"}


@pytest.mark.parametrize(("how", "apart"), diagonal(["deleted", "modified"], [False, True]))
def test_e1_a_log_changed_upstream_stays_as_it_is_here(world: World, how: str, apart: bool) -> None:
    """Named with commit, path and author; the log as it is here is offered again."""
    one, two = world.team(OWN_REPOSITORY, "two", facts={"alpha": "fact: Webhooks retry."})
    (path,) = [path for path in two.tree() if "sessions/" in path]
    if how == "deleted":
        two.git("rm", "-q", path)
    else:
        two.write(path, "rewritten\n")
    two.git("commit", "-q", "-a", "-m", "tamper", "--author", "Eve <eve@example.invalid>")
    tampered, kept = two.tip(), one.tree()[path]
    two.git("push", "-q", "origin", "main")
    if apart:
        one.note("id=gamma fact: Carts expire.")
    alarm = one.sync()["findings"][0]
    assert alarm["code"] == f"log-{how}"
    assert all(word in alarm["message"] for word in (tampered[:12], "Eve", path))
    assert one.tree()[path] == kept
    two.sync()
    assert two.tree() == one.tree() and (two.folder / path).exists()


@pytest.mark.parametrize("proven", [False, True])
def test_one_path_with_other_bytes_on_the_remote_is_told(pair: Pair, proven: bool) -> None:
    """A name that proves nothing leaves both, and says where; a seal says which of them is not the log."""
    one, two = pair
    if proven:
        path = one.run("note", "id=alpha fact: Webhooks retry.").json["path"]
    else:
        path = "sessions/2026-09-20-101500.md"
        one.plant({path: "# Mine\n"})
    two.plant({path: "# Theirs\n"})
    theirs = two.tree()[path]
    two.git("push", "-q", "origin", "main")
    (told,) = [
        row for row in one.sync()["findings"]
        if row["file"] == path and "on the remote" in row["message"]
    ]  # fmt: skip
    assert told["code"] == ("seal-broken" if proven else "duplicate-stem")
    assert told["hint"] == "`diurna check` tells who committed which"
    if proven:
        assert f"{theirs[:12]} does not match its name" in told["message"]
        assert theirs not in one.tree().values()
    else:
        (twin,) = [name for name in one.tree() if "/twins/" in name]
        assert f"both are kept, the second as {twin}" in told["message"]
        assert {one.show_file(name) for name in (path, twin)} == {b"# Mine\n", b"# Theirs\n"}
    two.sync()
    assert two.tree() == one.tree()


# ---- a person's edit -----------------------------------------------------------------------------


def test_an_edit_that_is_not_understood_stops_before_anything_moves(pair: Pair) -> None:
    """File and line are named; the branch, the file and the remote stay as they are."""
    one, two = pair
    two.note("id=beta fact: Queues drain.")
    two.sync()
    one.note("id=alpha fact: Webhooks retry.")
    lines = one.read("continuity.md").split("\n")
    one.write("continuity.md", "\n".join([*lines[:4], "A sentence of mine.", *lines[4:]]))
    before, there = one.shape(), hub(one).git("rev-parse", "main")
    answer = one.run("sync", code=1)
    assert answer.said == "EditNotUnderstood"
    assert answer.json["error"]["where"] == "continuity.md:5"
    assert (one.shape(), hub(one).git("rev-parse", "main")) == (before, there)


def test_an_edit_waits_for_a_review_until_a_page_would_be_written_over_it(world: World) -> None:
    """Where only a review publishes: what comes with another page makes it a log first."""

    def make(apart: World) -> None:
        facts, policy = {"alpha": "The first text."}, {"publish": "review"}
        (one,) = apart.team(IN_TREE, facts=facts, policy=policy)
        one.run("check", "--publish")
        one.git("push", "-q")
        two = one.clone("two")
        two.note("id=beta fact: Queues drain.")
        two.sync()

    world.laid("published by a review", make)
    one, two = world.place("a"), world.place("two", "two")
    page = one.read("memory/continuity.md")
    one.write("memory/continuity.md", page.replace("The first text.", "A person's text."))
    answer = one.sync()
    assert "absorbed" not in codes(answer) and one.texts()["alpha"] == "The first text."
    assert "A person's text." in one.read("memory/continuity.md")
    two.run("check", "--publish")
    two.git("push", "-q")
    assert "absorbed" in codes(one.sync()) and one.texts()["alpha"] == "A person's text."


def test_a_mirror_that_is_behind_follows(world: World) -> None:
    """Plain git moved the branch of memory, and wrote nothing of it."""
    one, two = world.team(OWN_BRANCH, "two")
    two.note("id=beta fact: Queues drain.")
    two.sync()
    one.git("fetch", "-q", "origin", "memory:memory")
    assert "Queues drain" not in one.read(".memory/continuity.md")
    assert one.sync()["came"] == [] and "Queues drain" in one.read(".memory/continuity.md")


@pytest.mark.parametrize("where", ["continuity.md", "archive/INDEX.md"])
def test_an_edit_that_is_not_read_back_is_told_and_holds_nothing_up(
    world: World, where: str
) -> None:
    """A sentence that somebody committed there, and a page here, where what came has to be published."""

    def make(apart: World) -> None:
        one, two = apart.team(OWN_REPOSITORY, "two")
        two.note("id=old fact: Stock is counted.")
        two.run("forget", "--archive", "old", "--reason", "It was sold.")
        two.sync()
        one.sync()

    world.laid("two with an archive", make)
    one, two = world.place("a"), world.place("two", "two")
    body = log_bytes({"agent": "pat"}, ["Created: beta"], [("beta", "Queues drain.", "", "")])
    two.plant({path_of(sealed("2026-11-22-090000000", body)): body})
    editor = two if where[0] == "c" else one
    editor.write(where, f"A sentence of mine.\n{editor.read(where)}")
    if editor is two:
        two.git("commit", "-q", "-a", "-m", "by hand")
    two.git("push", "-q", "origin", "main")
    answer = one.sync()
    assert "hand-edited" in codes(answer) and len(answer["came"]) == 1
    assert "beta" in one.texts() and "A sentence of mine." in one.read(where)


# ---- what a killed fetch leaves behind -------------------------------------------------------------


def tracking_lock(place: Place, age_seconds: float) -> Path:
    """Leave the lock of the tracking reference behind, as a git that is killed in a fetch does."""
    lock = place.common / "refs/remotes/origin/main.lock"
    lock.touch()
    os.utime(lock, (time.time() - age_seconds,) * 2)
    return lock


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests run git beside us; and a lock is waited for no longer than it has to be."""
    monkeypatch.setattr("ledger.remote.transport._LOCK_SECONDS", 0.1)
    monkeypatch.setattr("ledger.wal.git_locks._git_commands", lambda: iter(()))


def note_transfer(place: Place, process: int) -> None:
    note = place.common / "diurna/transfer"
    note.write_text(f"{process} refs/remotes/origin/main\n")
    os.utime(note, (time.time() - 6.0,) * 2)


@pytest.mark.parametrize(("noted", "age"), [(True, 5.0), (False, 3600.0)])
def test_a_lock_of_a_killed_fetch_is_moved_aside(
    pair: Pair, alone: None, noted: bool, age: float
) -> None:
    """Noted by the sync that died, it need not be old; otherwise it has to be; nothing is deleted."""
    one, two = pair
    with subprocess.Popen(["true"]) as dead:
        pass
    two.note("id=beta fact: Queues drain.")
    two.sync()
    lock = tracking_lock(one, age)
    if noted:
        note_transfer(one, dead.pid)
    assert codes(one.sync()) == ["stale-lock"]
    assert "beta" in one.texts() and not lock.exists()
    assert [file for file in (one.common / "diurna/stale").iterdir() if "main.lock" in file.name]
    assert not (one.common / "diurna/transfer").exists()


@pytest.mark.parametrize("why", ["young", "open", "noted by a living process"])
def test_a_lock_that_may_have_an_owner_stays(pair: Pair, alone: None, why: str) -> None:
    """A fetch of somebody else may be at it: the sync says what is in the way and changes nothing."""
    one, two = pair
    two.note("id=alpha fact: Webhooks retry.")
    two.sync()
    lock = tracking_lock(one, 3600.0 if why == "open" else 5.0)
    if why == "noted by a living process":
        note_transfer(one, os.getpid())
    with lock.open() if why == "open" else nullcontext():
        one.run("sync", code=1)
    assert lock.exists() and one.texts() == {}
