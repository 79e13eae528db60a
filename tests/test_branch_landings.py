"""By which commit the work of a branch came into the trunk: in whatever way it did, and never before."""

from __future__ import annotations

import shutil

import pytest

from tests.branch_histories import ENDS, LANDED, OPEN, PLACES, REVERTED, Asked, Story, X
from tests.conftest import examples
from tests.world import IN_TREE, Place, World

#: Each end with one place of the log and one seed in the gate, and with others in `tests.deep`.
TOLD_OF = [
    (end, PLACES[(number + more) % len(PLACES)], more)
    for number, end in enumerate(ENDS) for more in range(examples(1, 6))
]  # fmt: skip


def story_of(world: World, end: str, place: str, seed: int) -> tuple[Story, Asked]:
    """Script a history that has ended."""
    story = Story(world.place("author"), seed)
    return story, ENDS[end](story, place)


def look(story: Story, place: Place | None = None) -> None:
    """Have what became of branches looked for aside, and recorded."""
    story.at_its_time((place or story.place).aside)


def told(place: Place, fact: str) -> str:
    """What an answer says of the fact of a log, and of the one that it reworded; by which commit it was reverted."""
    shown = place.show()
    one, shared = shown[fact], shown["shared"]
    holds = shared["text_here"] or shared["text"]
    assert one["here"] == "yes" or holds != f"What {fact} says of all."
    if one["here"] == "yes":
        return LANDED
    said = " ".join(mark["subject"] for mark in one["marks"])
    return f"{REVERTED} {said.split('by ')[-1].strip(', ')}" if "reverted" in said else OPEN


def colleague(story: Story) -> Place:
    """Clone, or pull, what the author pushed: the trunk and the memory, and nothing of the branch."""
    world, other = story.place.world, story.place.world.place("colleague")
    if not (world.folder / "hub.git").exists():
        story.place.git("remote", "add", "hub", str(world.hub().folder))
    story.place.git("push", "-q", "hub", "main", "memory")
    if not other.folder.exists():
        story.place.git(
            "clone", "-q", "--no-local", str(world.folder / "hub.git"), str(other.folder)
        )
    other.git("pull", "-q", "--ff-only")
    return other


@pytest.mark.deep(only=("rebase and", "squash after", "landed again"))
@pytest.mark.parametrize(("end", "place", "seed"), TOLD_OF)
def test_each_end_of_a_branch_is_told(world: World, end: str, place: str, seed: int) -> None:
    """By the commit that brought it, and never before: to the author, and to a colleague by the record."""
    story, asked = story_of(world, end, place, seed)
    right = asked.becomes + f" {asked.commit[:7]}" * (asked.becomes == REVERTED)
    before = told(story.place, asked.fact)
    assert before in (right, OPEN) or asked.becomes == REVERTED
    look(story)
    assert told(story.place, asked.fact) == right
    if not seed:  # `tests.deep` asks more
        return
    tip = story.place.tip("memory")
    look(story)
    assert story.place.tip("memory") == tip, "nothing is said again"
    other = colleague(story)
    assert told(other, asked.fact) == right
    story.git("checkout", "-q", "--detach", "main~1")
    assert (
        story.place.run("show", "--everywhere").json["digest"] == other.run("show").json["digest"]
    )


@pytest.mark.parametrize("end", ["fast-forward", "fresh", "open"])
def test_who_never_had_the_branch_is_told_nothing_false(world: World, end: str) -> None:
    """A fresh branch and a fast-forward look alike to others, before the author recorded which it was."""
    story, asked = story_of(world, end, "middle", 0)
    other = colleague(story)
    if end == "open":
        look(story, other)
    assert told(other, asked.fact) in (asked.becomes, OPEN)


def test_a_log_lands_with_the_commit_that_took_it(world: World) -> None:
    """What was not committed when it was written: its point is the next commit of the branch."""
    story = Story(world.place("author"), 7)
    story.work(X, 1)
    story.change(X, 1, 6)
    fact = story.log()
    story.git("stash", "-q")
    story.git("switch", "-q", "main")
    story.git("merge", "-q", "--no-ff", "-m", "Half", X)
    look(story)
    assert told(story.place, fact) == OPEN
    story.git("switch", "-q", X)
    story.git("stash", "pop", "-q")
    story.commit("The other half")
    story.main()
    story.squash(X)
    look(story)
    assert told(story.place, fact) == LANDED


def test_nothing_is_said_in_tree(world: World) -> None:
    """There a log comes with its work."""
    home = world.home(IN_TREE)
    home.note("id=f decision: Webhooks retry.")
    before = home.tip()
    home.aside()
    assert home.tip() == before


def test_nothing_is_said_where_history_is_cut(world: World) -> None:
    """A shallow clone can not tell."""
    story, _ = story_of(world, "squash", "tip", 2)
    colleague(story)
    hub = f"file://{world.folder}/hub.git"
    story.git("clone", "-q", "--depth=1", "--no-single-branch", hub, str(world.folder / "cut"))
    cut = world.place("cut")
    before = cut.git("rev-parse", "origin/memory")
    look(story, cut)
    assert cut.git("for-each-ref", "--format=%(objectname)", "refs/heads/memory") in ("", before)


def questions(story: Story) -> list[str]:
    """The questions of a review about branches that are gone."""
    said: list[str] = []
    story.at_its_time(lambda: said.append(story.place.text("review", "--dry-run", code=None)))
    return [line for line in said[0].splitlines() if line.startswith(f"- {X} is gone")]


def test_a_dropped_branch_is_asked_two_weeks_and_a_fetch_later(world: World) -> None:
    """Not while it rests, nor before a fetch."""
    story, _ = story_of(world, "dropped", "tip", 2)
    assert questions(story) == []
    story.now += 15 * 86_400
    story.trunk_work(0)
    assert len(questions(story)) == 1
    story.git("update-ref", "refs/remotes/origin/main", "main")
    assert questions(story) == []
    (story.folder / ".git/FETCH_HEAD").write_text("")
    assert len(questions(story)) == 1


def test_a_dropped_branch_is_asked_of_once(world: World) -> None:
    """And not where it is there again."""
    story, _ = story_of(world, "dropped", "tip", 2)
    story.now += 15 * 86_400
    story.git("branch", X, "main")
    assert questions(story) == []
    story.git("branch", "-D", X)
    story.at_its_time(lambda: story.place.run("review", "--yes", code=None))
    assert questions(story) == [], "it is asked once"


@pytest.mark.deep(reason="each_end_of_a_branch_is_told is the small one")
def test_where_files_were_not_fetched_nobody_can_say(world: World) -> None:
    """A partial clone fetches nothing for a landing; once the files are there it is found."""
    story, asked = story_of(world, "squash", "tip", 2)
    colleague(story)
    hub = world.folder / "hub.git"
    story.git("-C", str(hub), "config", "uploadpack.allowFilter", "true")
    story.place.git("push", "-q", "hub", X)
    story.git("clone", "-q", "--filter=blob:none", f"file://{hub}", str(world.folder / "partial"))
    partial = world.place("partial")
    partial.git("branch", "-q", "memory", "origin/memory")
    assert told(partial, asked.fact) == OPEN
    shutil.move(hub, world.folder / "gone.git")
    look(story, partial)
    assert told(partial, asked.fact) == OPEN
    shutil.move(world.folder / "gone.git", hub)
    partial.git("log", "-p", "-m", "--all")  # which fetches them
    partial.git("diff", "origin/main...origin/feature/x")
    look(story, partial)
    assert told(partial, asked.fact) == LANDED
