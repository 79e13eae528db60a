"""What `diurna sync` leaves to a person: policies that differ, histories rewritten, edits not understood, locks in the way."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.world import IN_TREE, KINDS, OWN_BRANCH, OWN_REPOSITORY, Place, World


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


# ---- what a person has to decide ----------------------------------------------------------------


def test_a_dry_run_moves_no_branch(pair: Pair) -> None:
    """It says what the sync then does."""
    one, two = pair
    stem = two.note("id=beta fact: Queues drain.")
    two.sync()
    one.note("id=alpha fact: Webhooks retry.")
    before = one.tip(), one.files(), one.git("status", "--porcelain")
    told = one.sync("--dry-run")
    assert (told["came"], told["went"], told["facts"]["new"]) == ([stem], 1, 1)
    assert (one.tip(), one.files(), one.git("status", "--porcelain")) == before
    done = one.sync()
    for key in ("came", "went", "facts", "commit"):
        assert done[key] == told[key]


#: What either side makes of the policy, and what of it is refused; "" where both hold.
POLICIES: dict[str, tuple[dict[str, object], dict[str, object], str]] = {
    "on one side alone": ({}, {"active": 5}, ""),
    "different lines": ({"archive": 30}, {"project": "renamed"}, ""),
    "one line": ({"archive": 30}, {"archive": 40}, "here archive = 30, there archive = 40"),
}


@pytest.mark.parametrize("case", POLICIES)
def test_the_policy_merges_line_by_line(pair: Pair, case: str) -> None:
    """Where one line differs it is named, here and there, and nothing moves until a person has agreed."""
    one, two = pair
    ours, theirs, refused = POLICIES[case]
    for place, values in ((one, ours), (two, theirs)):
        if values:
            place.set_policy(**values)
    two.sync()
    if refused:
        before = one.shape()["files"], one.tip()
        answer = one.run("sync", code=1)
        assert refused in answer.err and "agree on one version" in answer.err
        assert (one.shape()["files"], one.tip()) == before
        one.set_policy(**theirs)
    one.sync()
    two.sync()
    text = one.read("diurna.toml")
    for key, value in {**ours, **theirs}.items():
        assert f"{value}" in next(row for row in text.splitlines() if row.startswith(key))
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
    (one,) = world.team(OWN_REPOSITORY)
    two = world.home(OWN_REPOSITORY, "b", policy={"every": 7})
    two.git("remote", "add", "origin", str(hub(one).folder))
    for place in (one, two):
        place.note(f"id=of-{place.folder.name} fact: Webhooks of {place.folder.name} retry.")
    one.sync()
    before = two.tip()
    assert "share no history" in two.run("sync", code=1).err
    assert "diurna.toml was changed" in two.run("sync", "--adopt", code=1).err
    assert two.tip() == before
    two.write("diurna.toml", one.read("diurna.toml"))
    two.git("commit", "-q", "-a", "-m", "the same")
    two.sync("--adopt")
    one.sync()
    assert one.texts().keys() == {"of-a", "of-b"} and alike(one, two)


def test_e9_a_force_pushed_remote_gets_its_logs_back(pair: Pair) -> None:
    """The remote lost our logs: an alarm, and they are offered again; nothing goes here."""
    one, two = pair
    stem = one.note("id=alpha fact: Webhooks retry.")
    one.sync()
    before = one.tip()
    hub(one).git("update-ref", "refs/heads/main", f"{before}~1")
    two.note("id=beta fact: Queues drain.")
    two.sync()
    answer = one.sync()
    assert codes(answer) == ["history-rewritten"] and stem in answer["findings"][0]["message"]
    assert one.git("rev-parse", f"refs/diurna/lost/{before}") == before
    two.sync()
    assert two.texts().keys() == {"alpha", "beta"} and alike(one, two)


def test_e9_a_lost_tip_that_was_only_fetched_is_joined_too(pair: Pair) -> None:
    """What this clone fetched and never joined is not lost with the remote's history."""
    one, two = pair
    old = hub(one).git("rev-parse", "main")
    two.note("id=beta fact: Queues drain.")
    two.sync()
    one.git("fetch", "-q")
    hub(one).git("update-ref", "refs/heads/main", old)
    one.sync()
    assert one.texts().keys() == {"beta"} and hub(one).git("rev-parse", "main") == one.tip()


def test_e8_a_history_rewritten_here_is_told_and_made_good_by_the_remote(pair: Pair) -> None:
    """The checkpoint of `check` had a log that is not here any more: named, and it comes back."""
    one, _ = pair
    stem = one.note("id=alpha fact: Webhooks retry.")
    one.sync()
    one.run("check", "--ci")
    one.git("reset", "-q", "--hard", "HEAD~1")
    one.note("id=beta fact: Queues drain.")
    found = [row for row in one.sync()["findings"] if row["code"] == "history-rewritten"]
    assert stem in found[0]["message"] and one.texts().keys() == {"alpha", "beta"}


@pytest.mark.parametrize("how", ["deleted", "modified"])
@pytest.mark.parametrize("apart", [False, True])
def test_e1_a_log_changed_upstream_stays_as_it_is_here(pair: Pair, how: str, apart: bool) -> None:
    """Named with commit, path and author; the log as it is here is offered again."""
    one, two = pair
    stem = one.note("id=alpha fact: Webhooks retry.")
    one.sync()
    two.sync()
    (path,) = [path for path in two.tree() if stem in path]
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


@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_becomes_a_log_before_the_page_is_written(world: World, kind: str) -> None:
    """What a person wrote goes to the team as a log of theirs; a dry run leaves it."""
    (one,) = world.team(kind, facts={"alpha": "The first text."})
    one.run("check", "--publish")
    path = {IN_TREE: "memory/", OWN_BRANCH: ".memory/", OWN_REPOSITORY: ""}[kind] + "continuity.md"
    one.write(path, one.read(path).replace("The first text.", "A person's text."))
    one.sync("--dry-run")
    assert "A person's text." in one.read(path)
    answer = one.sync()
    assert codes(answer) == ["absorbed"] and answer["went"] == 1
    assert one.texts()["alpha"] == "A person's text."
    logs = hub(one).git("grep", "-h", "A person's text", one.branch, "--", f"{one.prefix}sessions")
    assert "A person's text." in logs


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


# ---- what a killed fetch leaves behind -------------------------------------------------------------


def tracking_lock(place: Place, age_seconds: float) -> Path:
    """Leave the lock of the tracking reference behind, as a git that is killed in a fetch does."""
    lock = place.common / "refs/remotes/origin/main.lock"
    lock.touch()
    os.utime(lock, (time.time() - age_seconds,) * 2)
    return lock


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests run git beside us."""
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
