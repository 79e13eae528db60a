"""What facts are linked with, entities, and which commit brought a log: with a cache, without one, and as git says it."""

from __future__ import annotations

import random

import pytest

from tests.conftest import examples
from tests.world import IN_TREE, OWN_REPOSITORY, Place, World

IDS = "abcdefg"
TEXTS = (
    "Plain.",
    "See [[a]] and [[z]].",
    "`[[b]]` [[c|it]]",
    "[[d]] [[e]] [[f]]",
    "So. → serves: c, d",
)
FOOTERS = (
    "", " | entity: Payments API, Redis", " | entity: payments-api", " | serves: a", " | entity: redis | conflicts: b c",
    " | kind: decision | entity:  ,REDIS,",
)  # fmt: skip


def made_up(chance: random.Random) -> str:
    """Make up a log that brings, rewords, replaces, denies, helps or withholds some facts."""
    bullets, facts = [], []
    for id in chance.sample(IDS, chance.randrange(1, 4)):
        verb = chance.choice(
            "Created Created Created Updated Superseded Invalidated Helped Redacted".split()
        )
        other = chance.choice([one for one in (*IDS, "y") if one != id])
        said = {"Superseded": f"{id} → {other}", "Helped": f"{id} (src/a.py:7)"}.get(verb, id)
        bullets.append(f"- {verb}: {said}\n")
        if verb in ("Created", "Updated"):
            facts.append(f"- {chance.choice(TEXTS)}\n  <!-- id: {id}{chance.choice(FOOTERS)} -->\n")
    return f"# T\n\n## Memory References\n\n{''.join(bullets)}" + (
        f"\n## Facts\n\n{''.join(facts)}" if facts else ""
    )


def asked(home: Place) -> list[object]:
    """Return what is answered of links and entities."""
    told: list[object] = []
    known = home.show()
    for id in sorted(known)[:3]:
        told.append(home.run("show", id, "--links", code=None).out)
    names = [home.run("show", "--about", name, code=None).out for name in ("payments_api", "Redis")]
    return [*told, *names, home.run("show", "--about").out]


@pytest.mark.deep(but="0")
@pytest.mark.parametrize("seed", range(examples(5, 60)))
def test_the_cache_answers_as_a_replay(world: World, seed: int) -> None:
    """Read cold, or log by log in any order: neighbours and entities are those of all facts together."""
    chance, home = random.Random(seed), world.home(OWN_REPOSITORY)
    logs = {f"sessions/2026-03-{number:02}.md": made_up(chance) for number in range(1, 7)}
    paths = chance.sample(sorted(logs), len(logs))
    split = chance.randrange(1, len(paths))
    for some in (paths[:split], *[[path] for path in paths[split:]]):
        home.plant({path: logs[path] for path in some})
        warm = asked(home)
    cold = home.fork("cold")
    for kept in (cold.common / "diurna" / "cache").glob("*"):
        kept.unlink()
    assert asked(cold) == warm
    assert '"near"' in str(warm) or "NotFound" in str(warm)


def test_an_entity_has_the_facts_that_name_it(world: World) -> None:
    """However its name is written; what is false is counted apart, and a name that nothing has is none."""
    home = world.home(OWN_REPOSITORY)
    home.session("One", "--new", "id=a entity=\"Payments API\" It pays.", "--new", "id=b entity=payments-api It pays twice.",
                 "--new", "id=c serves=a It serves.")  # fmt: skip
    home.session("Two", "--supersede", "b=a")
    found = home.run("show", "--about", "payments_api").json
    assert "It pays." in str(found) and "It serves." not in str(found)
    near = home.run("show", "c", "--links").json["near"]
    assert [one["id"] for one in near] == ["a"]
    assert home.run("show", "--about", "nobody", code=1).said == "NotFound"


# ---- which commit brought each log ------------------------------------------------------------------------


def commits(home: Place) -> dict[str, str]:
    """Return path -> the commit that added it, as git tells it for each."""
    listed = home.git("ls-tree", "-r", "--name-only", "HEAD", "--", "memory/sessions").split("\n")
    told = {}
    for path in listed:
        added = home.git(
            "log", "--format=%H", "--diff-filter=A", "-m", "--first-parent", "--", path
        )
        whole = home.git("log", "--format=%H", "--diff-filter=A", "--", path) or added
        told[path.removeprefix("memory/")] = whole.split("\n")[-1]
    return told


def check(home: Place) -> None:
    """Hold what `why` says of each fact to git."""
    expected = commits(home)
    seen: set[str] = set()
    for id in home.show():
        for event in home.run("why", id).json["events"]:
            assert event["commit"] and expected[event["path"]].startswith(event["commit"]), id
            seen.add(event["path"])
    assert seen == set(expected)


def two_sided(world: World) -> Place:
    """A home with three logs, and another one on a branch beside the last."""

    def make(apart: World) -> None:
        home = apart.home(IN_TREE)
        home.session("One", "--new", "id=a fact: A holds.")
        new = ("--new", "id=b fact: B holds.", "--new", "id=a-b fact: C holds.")
        home.session("Two", "--ref", "a", *new)
        home.git("branch", "side")
        home.session("Three", "--supersede", "a=b")
        home.git("checkout", "-q", "side")
        home.session("Beside", "--ref", "b", "--new", "id=10 fact: D.")
        home.git("checkout", "-q", "main")

    world.laid("two-sided", make)
    return world.place("a")


def test_one_walk_says_what_git_says_of_each_log(world: World) -> None:
    """Also on from a tip that was asked before, and on the branch beside it."""
    home = two_sided(world)
    check(home)
    home.git("checkout", "-q", "side")
    check(home)


def test_the_walk_follows_a_merge_and_a_history_that_was_rewritten(world: World) -> None:
    home = two_sided(world)
    home.run("why", "a")
    home.git("merge", "-q", "-X", "ours", "-m", "merge", "side")
    home.session("Four", "--ref", "a-b")
    check(home)
    home.git("commit", "-q", "--amend", "-m", "said otherwise")
    check(home)


def test_a_log_that_waits_has_no_commit(world: World) -> None:
    """None is named where that can not be known."""
    home = world.home("folder")
    home.note("id=a fact: A holds.")
    (event,) = home.run("why", "a").json["events"]
    assert (event["commit"], event["waiting"]) == ("", True)
