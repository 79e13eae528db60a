"""What a clone answers is the tip and the logs that are not committed (W15, W21); the ledger is asked without them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.host_door import TALK, named, say
from tests.world import FOLDER, Place, World

SAID = "The banana queue drains only behind the lock."


def capture(home: Place, session: str = "s1", said: str = SAID) -> list[str]:
    """Let a session of Claude leave what a person asked to be remembered; return the stems of its logs."""
    file, day = home.world.folder / f"{session}.jsonl", "2026-11-21T08:31:00.000Z"
    file.unlink(missing_ok=True)
    say(file, f"remember: {said}", role="user", timestamp=day)
    say(file, f"{TALK} The {session} one drains now.", timestamp=day)
    told = home.run("capture", *named(file, session)).json
    return [log["stem"] for log in told["sessions"][0]["logs"]]


def work(home: Place, name: str = "work.py") -> None:
    """Commit code, and none of memory."""
    home.write(name, name)
    home.git("add", name)
    home.git("commit", "-q", "-m", name)


@pytest.fixture
def home(world: World) -> Place:
    """A home whose remote has all but the last commit of code, and a fact."""
    home = world.home(FOLDER, facts={"apple": "fact: All about apples."})
    home.join(world.hub())
    work(home)
    return home


def banana(home: Place) -> str:
    """The id of what was remembered, "" where nobody knows it."""
    return next((id for id, text in home.texts().items() if text == SAID), "")


def test_what_waits_is_in_every_answer_and_marked(home: Place) -> None:
    """Page, brief, recall, why, log, timeline, the past, another process; what is committed is not marked."""
    stems = capture(home)
    id = banana(home)
    assert id and home.waiting() == stems
    for command in (
        ("show",),
        ("show", id),
        ("brief",),
        ("recall", "banana queue"),
        ("why", id),
        ("show", "--list"),
    ):
        assert "banana queue drains" in home.text(*command), command
    assert SAID in home.text("show", id, "--as-of", stems[-1])
    assert stems[0][:18] in home.text("recall", "--level", "timeline")
    lines = home.run("log").json["sessions"]
    assert [(one["stem"], one["waiting"]) for one in lines][:2] == [
        (one, True) for one in stems[::-1]
    ]
    assert not lines[-1]["waiting"]
    assert "waiting to be committed" in home.text("why", id)
    assert [one["waiting"] for one in home.run("why", id).json["events"]] == [True]
    assert [one["waiting"] for one in home.run("why", "apple").json["events"]] == [False]
    assert home.process("show", id).json["facts"][0]["text"] == SAID
    status = home.status()
    assert (status["captured"]["because"], status["waiting"]) == ("not committed", [])


def test_the_ledger_is_asked_without_it(home: Place) -> None:
    """Verify, drift and replay go by the tip; nothing is written but the files, the spool and the cache."""
    home.show()
    before = home.shape()
    names = [f"?? memory/sessions/{stem[:7]}/{stem[8:10]}/{stem}.md" for stem in capture(home)]
    assert home.git("status", "--porcelain", "-uall").splitlines() == names
    home.git("clean", "-q", "-f", "-d", "-x")
    assert home.check("--ci") == []
    replay = home.run("check", "--replay").json
    assert (replay["facts"], replay["drift"]) == (1, [])
    home.run("check", "--publish", "--dry-run")
    assert banana(home) and home.status()["drift"] == []
    assert home.shape() == before and len(home.waiting()) == 2
    assert list(home.logs()) == [stem for stem in home.logs() if stem not in home.waiting()]


def test_looking_first_and_known_ids_see_it(home: Place) -> None:
    """What repeats it is told of; it can be changed, and all is a person's to commit."""
    stems = capture(home)
    alike = home.run("append", "--dry-run", "--title", "T", "--new", f"id=x {SAID[:-1]}, always.")
    assert [one["id"] for one in alike.json["near"]] == [banana(home)]
    home.run("append", "--title", "T", "--update", banana(home), "It drains by itself.")
    assert set(stems) < set(home.waiting())
    home.commit_all()
    assert home.show() and home.waiting() == [] and set(stems) < set(home.logs())
    fact = next(one for one in home.show().values() if one["text"] == "It drains by itself.")
    assert not fact["contradiction"]
    home.warm_is_cold()


@pytest.mark.parametrize(
    "command",
    [("check", "--publish"), ("review", "--yes"), ("note", "decision: So it is."), ("sync",), ("capture", "--land")],
)  # fmt: skip
def test_nothing_that_anybody_asks_for_commits_it(home: Place, command: tuple[str, ...]) -> None:
    """It is a person's to commit; the page that is published is that of what is committed."""
    stems = capture(home)
    home.run(*command)
    assert set(stems) <= set(home.waiting()) and not set(stems) & set(home.logs())
    assert SAID not in home.show_file("continuity.md").decode()
    home.commit_all()
    home.run(*command)
    home.holds(stems)


def test_what_is_committed_on_another_branch_leaves_the_view(home: Place) -> None:
    """Until then it is told where it is."""
    home.git("switch", "-q", "-c", "topic")
    capture(home)
    assert banana(home) and "not committed" not in home.text("recall", "banana queue")
    home.git("stash", "-q", "-u")
    home.git("switch", "-q", "main")
    assert f"{SAID} (branch topic, not committed)" in home.text("recall", "banana queue")
    home.git("switch", "-q", "topic")
    home.git("stash", "pop", "-q")
    home.commit_all()
    assert banana(home)
    home.git("switch", "-q", "main")
    assert not banana(home) and "apple" in home.texts()


def test_several_work_trees_see_it(home: Place, world: World) -> None:
    """Each says where it is, and none but that one has its file; without that tree the branch has it."""
    home.git("worktree", "add", "-q", "-b", "other", str(world.folder / "other"))
    other = world.place("other")
    (one, _) = capture(other)
    assert f"{SAID} (in ../other, branch other, not committed)" in home.text("show", "--list")
    assert banana(other) and "not committed" not in other.text("show", "--list")
    assert home.git("status", "--porcelain") == "" and home.status()["captured"]["taken_out"] == []
    assert "logs, not committed: in ../other, branch other\n" in home.text("status")
    home.git("worktree", "remove", "--force", str(other.folder))
    told = home.run("status", json=False)
    assert banana(home) and "logs, not committed: branch other\n" in told.out
    assert "git add" not in told.err
    home.run("check", "--restore", code=None)
    assert home.git("status", "--porcelain") == ""
    home.git("switch", "-q", "other")
    assert one in home.status()["captured"]["taken_out"]
    home.run("check", "--restore", code=None)
    assert len(home.git("status", "--porcelain", "-uall").splitlines()) == 2


@pytest.mark.parametrize("harm", ["prune", "view", "cache", "read-only"])
def test_it_is_seen_whatever_becomes_of_objects_and_caches(home: Place, harm: str) -> None:
    """The spool has the bytes, and a cache is made anew."""
    capture(home)
    assert banana(home)
    cache = home.common / "diurna" / "cache"
    if harm == "prune":
        home.git("gc", "-q", "--prune=now")
    elif harm == "cache":
        shutil.rmtree(cache)
    elif harm == "view":
        for file in cache.glob("*.view.sqlite"):
            data = file.read_bytes()
            file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    env = {"XDG_STATE_HOME": "/proc/nowhere"} if harm == "read-only" else {}
    found = [one["text"] for one in home.run("show", env=env).json["facts"]]
    assert SAID in found and "All about apples." in found


def test_a_shallow_clone_and_an_unborn_branch_see_it(home: Place, world: World) -> None:
    """Without history, and without a tip."""
    url = Path(home.git("config", "remote.origin.url")).as_uri()
    home.git("clone", "-q", "--depth", "1", url, str(world.folder / "cut"))
    cut = world.place("cut")
    cut.git("config", "user.email", "ada@example.invalid")
    cut.git("config", "user.name", "Ada")
    work(cut, "more.py")
    capture(cut)
    assert banana(cut) and "apple" in cut.texts()
    cut.git("checkout", "-q", "--orphan", "new")
    assert SAID in cut.texts().values()


def test_a_redaction_reaches_it(home: Place) -> None:
    """What waits says no word of a withheld fact, in no answer and no file of the cache."""
    capture(home)
    home.run("redact", banana(home), "--reason", "private", "--yes")
    for command in (
        ("show",),
        ("brief",),
        ("recall", "banana queue"),
        ("log",),
        ("recall", "--level", "timeline"),
    ):
        assert "banana queue drains" not in home.text(*command), command
    held = [
        file
        for file in (home.common / "diurna" / "cache").iterdir()
        if b"banana queue drains" in file.read_bytes()
    ]
    assert held == []


def test_what_waits_is_followed_as_it_is_built(home: Place) -> None:
    """A policy, a broken one, one more log that waits: the answer is that of no cache."""
    capture(home)
    policy = home.read("memory/diurna.toml")
    for change in (
        lambda: home.plant({"memory/diurna.toml": policy.replace('project = "', 'project = "new ')}),
        lambda: home.plant({"memory/diurna.toml": "format = 1\nkinds = 3\n"}),
        lambda: capture(home, "s2", "The pear queue drains, too."),
    ):  # fmt: skip
        change()
        followed = home.run("show").out
        shutil.rmtree(home.common / "diurna/cache")
        assert followed == home.run("show").out
