"""What HEAD has of a memory that lives on a branch of its own (B1 to B6)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.world import FOLDER, IN_TREE, OWN_BRANCH, Place, World


class Dated(Place):
    """A place whose commits by git have the time of the world, a minute later each."""

    def git(self, *arguments: str, data: bytes = b"", ok: bool = True) -> str:
        """Run git."""
        if arguments[0] in ("commit", "merge", "revert", "rebase", "cherry-pick"):
            self.clock.go(seconds=60)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GIT_COMMITTER_DATE", f"{self.clock.now_ms // 1000} +0000")
            return super().git(*arguments, data=data, ok=ok)


def begin(world: World) -> Place:
    """Make a repository whose memory has a branch of its own, with two decisions of `main`."""
    made = world.home(
        OWN_BRANCH,
        facts={
            "api-timeouts": "decision: All outbound calls time out after 10 s.",
            "queue-mem": "decision: The queue is kept in memory.",
        },
    )
    world.clock.now_ms = 1_798_761_600_000  # behind what made the repository
    return Dated(world, made.folder)


@pytest.fixture
def shop(world: World) -> Place:
    """It, as it is begun."""
    return begin(world)


def work(shop: Place, name: str = "more") -> str:
    """Commit something; return its id."""
    shop.write(f"{name}.py", f"{name}\n")
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", name)
    return shop.git("rev-parse", "HEAD")


@pytest.fixture
def branched(world: World) -> Place:
    """It with `feature/x` beside `main`."""
    world.laid("branched off", lambda apart: branch_off(begin(apart)))
    return Dated(world, world.folder / "a")


def branch_off(shop: Place) -> None:
    """Work on `feature/x`: a commit, another text, a successor, a fact; and go back to `main`."""
    shop.git("switch", "-qc", "feature/x")
    work(shop)
    shop.run("edit", "api-timeouts", "All outbound calls time out after 5 s.", "--reason", "r")
    shop.session(
        "Redis",
        "--new",
        "id=queue-redis decision: The queue is kept in Redis.",
        "--supersede",
        "queue-mem=queue-redis",
    )
    shop.git("switch", "-q", "main")
    shop.clock.go(seconds=60)


def said(shop: Place) -> dict[str, str]:
    """Return the marks by fact, as a list shows them."""
    marked = {fact: [mark["subject"] for mark in one["marks"]] for fact, one in shop.show().items()}
    return {fact: ", ".join(marks) for fact, marks in marked.items() if marks}


def told(shop: Place, *facts: str) -> list[str]:
    """Return what JSON says of where facts are."""
    shown = shop.show()
    return [shown[fact]["here"] for fact in facts]


def test_a_log_on_a_fresh_branch_is_of_that_branch(shop: Place) -> None:
    """What is recorded before the first commit has the trunk's for its own."""
    shop.git("switch", "-qc", "feature/x")
    shop.note("id=queue-redis decision: The queue is kept in Redis.")
    shop.git("switch", "-q", "main")
    assert said(shop) == {"queue-redis": "feature/x, not committed"}
    shop.git("switch", "-q", "feature/x")
    work(shop)
    for head in (
        ["--detach", "main"],
        ["main"],
    ):  # what is found out at one HEAD is told at another
        shop.git("switch", "-q", *head)
        assert said(shop) == {"queue-redis": "not here yet: feature/x"}


def test_every_answer_has_the_text_that_holds_here_first(branched: Place) -> None:
    """It says what the branch says; `--everywhere` tells it as all branches have it."""
    line = "All outbound calls time out after 10 s. (feature/x: after 5 s)"
    old = "The queue is kept in memory. (feature/x replaces it by queue-redis)"
    new = "The queue is kept in Redis. (not here yet: feature/x)"
    brief = branched.text("brief")
    assert line in brief and 0 < brief.index(old) < brief.index(new)
    assert line in branched.text("recall", "outbound calls time out") and line in branched.text(
        "show", "--list"
    )
    assert " | marks: feature/x: after 5 s -->" in branched.text("show", "api-timeouts")
    fact = branched.show("api-timeouts")["api-timeouts"]
    assert (fact["here"], fact["branch"], fact["point"]) == (
        "no",
        "feature/x",
        branched.git("rev-parse", "feature/x"),
    )
    hits = branched.run("recall", "queue", "kept").json["hits"]
    assert [(hit["id"], hit["false"], hit["here"]) for hit in hits[:2]] == [
        ("queue-mem", False, "no"),
        ("queue-redis", False, "no"),
    ]
    for command in (("show", "api-timeouts"), ("brief",), ("recall", "outbound calls time out")):
        assert "after 5 s." in branched.text(*command, "--everywhere")
    branched.git("merge", "-q", "feature/x")
    for command in (("show", "api-timeouts"), ("brief",), ("recall", "outbound calls time out")):
        answer = branched.text(*command)
        assert "after 5 s." in answer and "feature/x" not in answer


def test_the_answer_is_kept_by_head_and_asks_git_nothing(branched: Place) -> None:
    """Also behind logs that were written at this very HEAD, and beside another work tree's; dropped, it is found again."""
    marks = said(branched)
    branched.note("id=uv convention: Use uv, not pip.")
    said(branched)
    with branched.world.git_does("") as calls:
        assert said(branched) == marks
    assert not [
        line
        for line in calls.read_text().split("\n")
        if line.startswith(("rev-list", "merge-base", "log"))
    ]
    branched.git("worktree", "add", "-q", "../other", "feature/x")
    other = branched.world.place("other")
    assert (said(branched), said(other), said(branched)) == (marks, {}, marks)
    for head in ("feature/x", "main", "feature/x~1", "main"):
        branched.git("switch", "-q", "--detach", head)
        kept = said(branched)
        for file in (branched.common / "diurna").rglob("here*"):
            file.unlink()
        assert said(branched) == kept
        for file in (branched.common / "diurna").rglob("here*"):
            file.write_bytes(file.read_bytes() + b"x")
        assert said(branched) == kept, "whatever others wrote into it counts for nothing"


def test_where_head_is_behind_or_can_not_tell(shop: Place) -> None:
    """At an ancestor of the trunk one line says how far; behind the cut of a shallow clone nothing is said to be elsewhere."""
    for name in ("one", "two"):
        work(shop, name)
        shop.note(f"id=after-{name} decision: The {name} of the parts is done first.")
    shop.git("switch", "-q", "--detach", "HEAD~2")
    assert said(shop) == {}
    assert "HEAD is 2 commits behind main: 2 facts are newer" in shop.text("brief")
    shop.git("switch", "-q", "main")
    branch_off(shop)
    (shop.common / "shallow").write_text(shop.git("rev-parse", "main") + "\n")
    shop.git("branch", "-qD", "feature/x")
    shop.git("reflog", "expire", "--expire=now", "--all")
    shop.git("gc", "-q", "--prune=now")
    assert "queue-redis" not in said(shop)


def test_replay_bytes_are_the_same_at_every_head(branched: Place) -> None:
    """Replay, page and digest know nothing of HEAD (B1); nor does a policy that does not follow."""
    found = []
    for head in ("feature/x", "main"):
        branched.git("switch", "-q", "--detach", head)
        found.append((branched.text("show"), branched.run("check", "--replay").json))
    assert found[0] == found[1]
    branched.plant(
        {
            "diurna.toml": branched.show_file("diurna.toml").decode()
            + "\n[branches]\nfollow = false\n"
        }
    )
    assert said(branched) == {} and "after 5 s." in branched.text("brief")


@pytest.mark.deep(only=FOLDER)
@pytest.mark.parametrize("kind", [IN_TREE, FOLDER])
def test_b4_beside_the_code_a_log_of_heads_tree_is_here(world: World, kind: str) -> None:
    """Whatever commit its header names, also once it was squashed and its branch is gone."""
    shop = world.home(kind, kind)
    shop.git("switch", "-qc", "feature/x")
    shop.note("id=queue-redis decision: The queue is kept in Redis.")
    work(shop)
    shop.git("switch", "-q", "main")
    shop.git("merge", "-q", "--squash", "feature/x")
    shop.git("commit", "-qm", "squash")
    shop.git("branch", "-qD", "feature/x")
    for command in (("brief",), ("recall", "queue")):
        answer = shop.text(*command)
        assert "kept in Redis." in answer and "feature/x" not in answer
    assert told(shop, "queue-redis") == ["yes"]


def test_a_brief_marks_five_and_counts_the_rest(shop: Place) -> None:
    """What is elsewhere never crowds out what is here; over a quarter of it is one line; long gone it is left out."""
    words = "alder beech cedar fig hazel larch maple oak pine rowan sorrel willow yew".split()
    for some in (words[:12], words[12:]):
        shop.git("switch", "-q", *(["-c"] if some[0] == "alder" else []), "feature/x")
        if some[0] == "alder":
            work(shop)
        shop.note(*(f"id={one} decision: The {one} is for {one}ing." for one in some))
        shop.git("switch", "-q", "main")
        brief = shop.text("brief")
        if some[0] == "alder":
            assert (
                brief.count("(not here yet: feature/x)") == 5
                and "7 more facts are not here yet." in brief
            )
    assert "not here yet" not in brief and "13 facts are of work that HEAD does not hold." in brief


def test_who_writes_here_answers_what_holds_here(branched: Place) -> None:
    """An edit on `main` replaces both texts, and takes nothing back that a branch said against a fact."""
    work(branched, "beside")
    branched.run("edit", "api-timeouts", "All outbound calls time out after 8 s.", "--reason", "r")
    branched.run("edit", "queue-mem", "The queue is kept in shared memory.", "--reason", "r")
    shown = branched.text("show", "--list")
    assert (
        "time out after 8 s." in shown
        and "kept in shared memory. (feature/x" in shown
        and "contradicted" not in shown
    )
    branched.git("switch", "-q", "feature/x")
    listed = branched.text("show", "--list", "--all")
    assert (
        "All outbound calls time out after 5 s. (main: after 8 s" in listed
        and "superseded by queue-redis" in listed
    )


@pytest.mark.parametrize("amended", [False, True])
def test_a_head_that_only_went_on_asks_for_no_history(shop: Place, amended: bool) -> None:
    """A commit on top of what held all holds all; one that was amended is asked of git."""
    assert said(shop) == {}
    shop.write("code.py", "more\n")
    shop.git("commit", "-qam", "more", *(["--amend"] if amended else []))
    with shop.world.git_does("") as calls:
        assert said(shop) == {}
    asked = [
        line
        for line in calls.read_text().split("\n")
        if line.startswith(("rev-list", "merge-base"))
    ]
    assert bool(asked) == amended
    shutil.rmtree(Path(shop.common, "diurna/cache"))
    assert said(shop) == {}
