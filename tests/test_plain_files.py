"""A folder home is plain files that a person commits: whatever git does, no log is lost or put where it does not belong (W21)."""

from __future__ import annotations

import json
import os

import pytest

from tests.campaigns import kills
from tests.conftest import sampled
from tests.host_door import TALK, named, say
from tests.world import COMMITTED, DIED, FOLDER, Place, World, sealed


@pytest.fixture
def home(world: World) -> Place:
    """Such a home that is pushed, with a branch `side` and one log that is not committed."""

    def make(apart: World) -> None:
        home = apart.home(FOLDER)
        home.join(apart.hub(), sync=False)
        for branch, switch in (("side", ("-c", "side")), ("main", ("main",))):
            home.git("switch", "-q", *switch)
            home.write(f"{branch}.py", branch)
            home.git("add", f"{branch}.py")
            home.git("commit", "-q", "-m", branch)
        record(home)

    world.laid("plain files", make)
    os.environ[COMMITTED] = ""
    return world.place("a")


def record(home: Place, fact: str = "retries") -> str:
    """Record something; return its stem."""
    told = home.run("note", f"id={fact} fact: Webhooks of {fact} are told.").json
    assert (told["commit"], told["waits"]) == ("", "not committed")
    return str(told["stem"])


def file_of(stem: str) -> str:
    """The path of a log."""
    return f"memory/sessions/{stem[:7]}/{stem[8:10]}/{stem}.md"


def edit(home: Place, *, add: bool = False) -> None:
    """Change the code."""
    home.write("code.py", home.read("code.py") + "more\n")
    if add:
        home.git("add", "code.py")


#: What a person does, and where the log is then: in HEAD, in the work tree, taken out of it, or set back
#: with a commit. `EDIT` changes the code, `ADD` stages that too, `RM` takes the file away.
GOES, STAYS, OUT, BACK = "HEAD", "file", "taken out", "set back"
ACTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "commit": (STAYS, ("ADD", "commit -q -m c")),
    "commit -a": (STAYS, ("EDIT", "commit -q -a -m c")),
    "commit PATH": (GOES, ("add memory", "commit -q -m c memory")),
    "commit, a branch of it": (GOES, ("add -A", "commit -q -m c", "switch -q -c third")),
    "commit PATH of code": (STAYS, ("EDIT", "commit -q -m c code.py")),
    "amend": (STAYS, ("ADD", "commit -q --amend --no-edit")),
    "add -A": (GOES, ("EDIT", "add -A", "commit -q -m c")),
    "add -A, amend": (GOES, ("add -A", "commit -q --amend --no-edit")),
    "add, fail, stash, pop": (STAYS, ("add -A", "FAILS commit -q -m=", "stash -q", "ASK", "stash pop -q --index")),
    "stash": (STAYS, ("EDIT", "stash -q", "stash pop -q")),
    "stash -u": (OUT, ("EDIT", "stash -q -u", "ASK")),
    "stash -u, pop": (STAYS, ("EDIT", "stash -q -u", "ASK", "stash pop -q")),
    "stash -u, drop": (OUT, ("EDIT", "stash -q -u", "stash drop -q", "ASK")),
    "reset --hard": (STAYS, ("ADD", "reset -q --hard")),
    "add, reset --hard": (OUT, ("add -A", "reset -q --hard", "ASK")),
    "add, reset": (STAYS, ("add -A", "reset -q")),
    "clean": (OUT, ("clean -q -f -d -x", "ASK")),
    "rm": (OUT, ("RM", "ASK")),
    "rm and rm": (OUT, ("RM", "ASK", "clean -q -f -d -x", "ASK")),
    "switch, switch back": (STAYS, ("switch -q side", "ASK", "switch -q main")),
    "stash, switch, pop there": (STAYS, ("stash -q -u", "switch -q side", "ASK", "switch -q main", "stash pop -q")),
    "merge": (STAYS, ("merge -q --no-edit side",)),
    "rebase": (STAYS, ("rebase -q side",)),
    "commit, rebase": (GOES, ("add -A", "commit -q -m c", "rebase -q side")),
    "pull --rebase": (STAYS, ("pull -q --rebase origin main",)),
    "cherry-pick": (STAYS, ("cherry-pick side",)),
    "commit, reset": (STAYS, ("add -A", "commit -q -m c", "ASK", "reset -q HEAD~1")),
    "commit, reset, commit": (GOES, ("add -A", "commit -q -m c", "ASK", "reset -q HEAD~1", "ASK", "add -A", "commit -q -m d")),
    "commit, reset --soft": (STAYS, ("add -A", "commit -q -m c", "ASK", "reset -q --soft HEAD~1")),
    "commit, reset --hard": (BACK, ("add -A", "commit -q -m c", "ASK", "reset -q --hard HEAD~1")),
    "commit, revert": (BACK, ("add -A", "commit -q -m c", "ASK", "revert --no-edit HEAD")),
    "commit unseen, reset --hard": (OUT, ("add -A", "commit -q -m c", "reset -q --hard HEAD~1")),
    "bisect": (STAYS, ("bisect start HEAD HEAD~1", "bisect reset")),
    "detached": (STAYS, ("checkout -q --detach", "ASK", "switch -q main")),
}  # fmt: skip


@pytest.mark.deep(only=("stash -u, drop", "commit, reset, commit", "commit, revert"))
@pytest.mark.parametrize("name", ACTS)
def test_whatever_a_person_does_it_is_there_or_named(home: Place, name: str) -> None:
    """Every answer has it, whoever took the file away is never given it back unasked, and asked for it is there."""
    where, steps = ACTS[name]
    (stem,) = home.waiting()
    for step in steps:
        if step in ("EDIT", "ADD"):
            edit(home, add=step == "ADD")
        elif step == "RM":
            (home.folder / file_of(stem)).unlink()
        elif step == "ASK":
            home.show()
        else:
            fails, words = step.startswith("FAILS"), step.removeprefix("FAILS ").split()
            given = ["-m" if one == "-m=" else one for one in words] + [""] * ("-m=" in words)
            assert bool(home.tries(*given)[0]) == fails, step
    assert where != GOES or "not committed" not in home.process("brief", json=False).out
    for _ in range(2):
        assert ("retries" in home.texts()) == (where != BACK)
        assert (stem in home.logs("HEAD"), (home.folder / file_of(stem)).exists()) == (
            where == GOES,
            where in (GOES, STAYS),
        )
        assert home.waiting() == [stem] * (where in (STAYS, OUT))
        assert home.status()["captured"]["taken_out"] == [stem] * (where == OUT)
    if where == OUT:
        assert f"{stem[:18]}: not committed, and no file" in home.text("status")
        home.run("check", "--restore", code=None)
        assert (home.folder / file_of(stem)).read_bytes()[-1:] == b"\n" and home.waiting() == [stem]
        assert home.status()["captured"]["taken_out"] == []


def test_what_was_taken_out_is_taken_back(home: Place) -> None:
    """Then nobody is told of it any more."""
    (stem,) = home.waiting()
    home.git("clean", "-q", "-f", "-d")
    assert stem in home.run("undo", stem, "--yes").out
    assert home.status()["captured"]["taken_out"] == []


def test_recording_writes_one_file_and_nothing_else(home: Place) -> None:
    """What is staged, edited and loose stays byte for byte; no page, no commit, no git that writes."""
    edit(home, add=True)
    edit(home)
    home.write("loose.txt", "mine")
    before, objects = home.shape(), home.git("count-objects", "-v")
    steps = home.fork("count").steps("note", "id=more fact: Carts expire.")
    writing = ("unpack-objects", "update-index", "hash-object", "update-ref", "commit", "add")
    assert not [one for one in steps if one.startswith("git ") and one.split()[1] in writing]
    stem = record(home, "more")
    path = home.folder / file_of(stem)
    assert path.name[21:-3] == sealed(path.read_bytes())
    path.unlink()
    assert home.shape() == before and home.git("count-objects", "-v") == objects
    assert len(home.waiting()) == 2
    again = home.run("note", "id=more fact: Webhooks of more are told.").json
    assert (again["stem"], again["already"], path.exists()) == (stem, True, False)


@pytest.mark.deep(only=("merge", "rebase"))
@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_two_branches_of_notes_never_conflict(world: World, how: str) -> None:
    """On a forge, which has none of this clone's configuration; the trunk published meanwhile."""
    home = world.home(FOLDER)
    home.join(world.hub(), sync=False)
    for branch in ("left", "right"):
        home.git("switch", "-q", "-c", branch, "main")
        for number in range(2):
            record(home, f"{branch}-{number}")
            edit(home) if branch == "left" else None
            home.commit_all(f"{branch} {number}")
        home.git("push", "-q", "origin", branch)
    home.git("switch", "-q", "main")
    record(home, "trunk")
    home.commit_all("trunk")
    home.run("check", "--publish")
    home.git("push", "-q", "origin", "main")
    forge = home.clone("forge")
    for branch in ("left", "right"):
        forge.git("branch", "-q", branch, f"origin/{branch}")
        if how == "rebase":
            forge.git("switch", "-q", branch)
            forge.git("rebase", "-q", "main")
            forge.git("switch", "-q", "main")
        forge.git("merge", "-q", *(["--squash"] if how == "squash" else ["--no-edit"]), branch)
        if how == "squash":
            forge.git("commit", "-q", "-m", branch)
    assert len(forge.logs()) == 5 and forge.check() == ["attributes-missing"]
    assert forge.git("status", "--porcelain") == "" and len(forge.texts()) == 5


@pytest.mark.parametrize("number", sampled(range(1, 60), 6))
def test_a_writer_that_dies_loses_and_doubles_nothing(home: Place, number: int) -> None:
    """Whenever; what it was told of is there, the same note again is the same log, and one file."""
    (first,) = home.waiting()
    died = home.at_step(number, "die", "note", "id=more fact: Webhooks of more are told.")
    if died.code != DIED:
        assert died.code == 0
        return
    known = home.texts()
    stem = record(home, "more")
    assert (
        home.waiting() == [first, stem]
        and home.texts().keys() == {"retries", "more"} >= known.keys()
    )
    names = home.git("status", "--porcelain", "-uall").splitlines()
    assert names == [f"?? {file_of(one)}" for one in (first, stem)]


@pytest.mark.deep(reason="a_writer_that_dies_loses_and_doubles_nothing is the small one")
def test_commands_that_are_killed_beside_a_persons_git_lose_and_double_nothing() -> None:
    """Notes, tasks, captures, redactions and pages: the campaign at its smallest."""
    came = kills.run(12, 1)
    assert (
        came["kills"] == 12 and came["LOST"] + came["DOUBLED"] + came["SHOWN"] + came["faults"] == 0
    )


def test_what_is_owed_is_written_where_it_belongs(home: Place) -> None:
    """Its writer died before: no other branch and no other work tree is given it."""
    other = home.world.place("other")
    home.git("worktree", "add", "-q", str(other.folder), "side")
    home.at_step(1, "die", "note", "id=more fact: Carts expire.", on="replace memory/sessions/2")
    (*_, stem) = home.waiting()
    other.show()
    home.git("switch", "-q", "-c", "third")
    home.show()
    for place in (home, other):
        assert not (place.folder / file_of(stem)).exists() and "more" in place.texts()
    home.git("switch", "-q", "main")
    home.show()
    assert (home.folder / file_of(stem)).exists()


def test_a_redaction_withholds_at_once_and_a_purge_asks_for_a_commit(home: Place) -> None:
    """It is the one log that Diurna commits; what else is in the same log stays a person's."""
    (stem,) = home.waiting()
    later = home.note("id=word fact: The zqotter swims.", "id=kept fact: Boats float.")
    home.run("redact", "word", "--reason", "a slip")
    assert home.waiting() == [stem, later] and len(home.logs()) == 1
    assert "zqotter" not in home.text("show") + home.text("recall", "zqotter", code=None)
    assert {"retries", "kept"} <= home.texts().keys()
    plan = home.run("redact", "word", "--reason", "a slip", "--purge", "--dry-run").json["purge"]
    assert plan["refused"] == [f"{file_of(later)} holds it and is not committed"]
    home.commit_all()
    home.run("redact", "word", "--reason", "a slip", "--purge", "--yes")
    assert b"zqotter" not in b"".join(home.logs().values()) and "kept" in home.texts()


@pytest.mark.parametrize("shared", [False, True])
def test_a_sessions_end_writes_the_page_where_no_pull_meets_it(home: Place, shared: bool) -> None:
    """Of what is committed, on the trunk; no note does, and a page that is only behind is no finding."""
    if not shared:
        home.git("remote", "remove", "origin")
    home.commit_all()
    record(home, "later")
    assert home.git("diff", "--stat") == "" and home.check() == []
    file = home.world.folder / "s.jsonl"
    say(file, TALK)
    home.run("capture", *named(file, "s"), "--why", "end")
    assert ("id: retries " in home.read("memory/continuity.md")) is not shared
    assert "id: later " not in home.read("memory/continuity.md") and home.check() == []
    assert home.git("diff", "--name-only").split() == ["memory/continuity.md"] * (not shared)
    home.git("switch", "-q", "-c", "topic")
    assert home.check() == []


@pytest.mark.parametrize("committed", [False, True])
def test_an_older_page_is_no_fault_and_an_edit_of_it_counts(home: Place, committed: bool) -> None:
    """It goes by the logs that the page was made of, whatever was recorded since."""
    home.commit_all()
    home.run("check", "--publish")
    record(home, "later")
    home.commit_all()
    page = home.read("memory/continuity.md")
    assert "id: later " not in page and home.check() == [] == home.check("--replay")
    home.write("memory/continuity.md", page.replace("Webhooks of retries are", "Every webhook is"))
    if committed:
        home.commit_all()
    home.run("check", "--absorb")
    assert home.texts() == {
        "retries": "Every webhook is told.",
        "later": "Webhooks of later are told.",
    }


def test_a_claim_counts_before_it_is_committed(home: Place) -> None:
    """Of two who claim a task one is refused; a review goes by what is not committed, too."""
    home.run("task", "add", "The index is built.", "--id", "index")
    home.run("task", "start", "index", "--agent", "one")
    home.run("task", "start", "index", "--agent", "two", code=1)
    tip = home.tip()
    home.run("review", "--yes", code=None)
    assert home.tip() == tip and home.status()["review"]["since"] == 0


def test_init_puts_no_hook_in(world: World) -> None:
    """It needs none."""
    home = world.repository()
    home.init()
    assert not (home.folder / ".git/hooks/pre-commit").exists()
    assert "[commit]" not in home.read("memory/diurna.toml")
    assert json.loads(home.run("status").out)["captured"] == {
        "waiting": [],
        "because": "",
        "taken_out": [],
    }
