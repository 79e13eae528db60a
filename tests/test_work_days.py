"""Work sessions are stretches of work, and windows are passed by sessions and by work days (T8, W12)."""

from __future__ import annotations

import re

import pytest

from tests.host_door import named, say
from tests.pages import README
from tests.world import OWN_REPOSITORY, Place, World

PACE = {"working_days": 2, "active_days": 10, "archive_days": 30, "stretch_hours": 4}


def types(home: Place) -> list[str]:
    """The types of the logs, the newest first."""
    return [one["type"] for one in home.run("log", "-n", "50").json["sessions"]]


def sessions(home: Place) -> int:
    return int(home.status()["sessions"])


@pytest.mark.parametrize("notes", [2, pytest.param(30, marks=pytest.mark.deep)])
def test_many_notes_are_one_session(world: World, notes: int) -> None:
    """Notes in a row are one stretch of their agent; five hours later another one begins."""
    home = world.home(OWN_REPOSITORY, policy=PACE, paced=True)
    for number in range(notes):
        home.note(f"id=n{number} Number {number} is taken.")
    assert types(home) == ["continued"] * (notes - 1) + ["work"]
    home.note("id=bob Bob was here.", "--agent", "bob")
    assert types(home)[0] == "work"
    for hours, kind in ((3, "continued"), (5, "work")):
        world.clock.go(hours=hours)
        home.note(f"id=h{hours} It is {hours} hours later.")
        assert types(home)[0] == kind
    assert sessions(home) == 3
    home.set_policy(stretch_hours=0)
    for name in ("x", "y"):
        home.note(f"id={name} The {name} axis.")
    assert types(home)[:2] == ["work", "work"], "without a stretch each log is a session"


@pytest.mark.parametrize("days", [3, pytest.param(29, marks=pytest.mark.deep)])
def test_many_sessions_a_day_fade_nothing_early(world: World, days: int) -> None:
    """A fact lives for as many work days, whatever the pace; two days later it has faded, warm and cold."""
    pace = {**PACE, "working": 1, "active": 1, "archive": 2, "working_days": 1, "active_days": 2, "archive_days": days + 1}  # fmt: skip
    home = world.home(OWN_REPOSITORY, policy=pace, paced=True)
    home.note("id=kept It is kept.", "id=stays invariant: It never fades.")
    for day in range(days):
        world.clock.go(days=1)
        for agent in ("ada", "bob"):
            home.session(f"Day {day}", "--agent", agent, "--new", f"id=d{day}-{agent} Done on {day} by {agent}.", "--anyway")  # fmt: skip
    assert sessions(home) == 2 * days + 1
    assert home.show("kept")["kept"]["tier"] == "archive-candidate"
    for _ in range(2):
        world.clock.go(days=1)
        home.session("On", "--title", "On")
    assert home.show("kept")["kept"]["tier"] == "archived"
    assert home.show("stays")["stays"]["tier"] == "core"
    assert [hit["id"] for hit in home.run("recall", "what is kept").json["facts"]][:1] == ["kept"]
    home.warm_is_cold()
    home.session("Used", "--ref", "kept")
    assert home.show("kept")["kept"]["tier"] == "active"


@pytest.mark.parametrize("chats", [1, pytest.param(10, marks=pytest.mark.deep)])
def test_talk_makes_no_fact_older(world: World, chats: int) -> None:
    """The same history with and without chats has the same tiers: a captured session that did nothing is no work."""
    pace = {**PACE, "working": 1, "active": 1, "archive": 2, "working_days": 1, "active_days": 1, "archive_days": 2}  # fmt: skip
    home = world.home(OWN_REPOSITORY, policy=pace, paced=True)
    home.note("id=kept It is kept.")
    tiers = [home.show("kept")["kept"]["tier"]]
    for step in range(4):
        for chat in range(chats):
            world.clock.go(days=1)
            path = say(
                home.write(f"{step}-{chat}.jsonl", ""), f"Why is queue {step} slow?", role="user"
            )
            say(path, f"Queue {step} waits for the disk.")
            home.run("capture", *named(path, path.stem), json=False)
            assert (types(home)[0], home.show("kept")["kept"]["tier"]) == ("continued", tiers[-1])
        world.clock.go(days=1)
        home.session("On", "--title", "On")
        tiers.append(home.show("kept")["kept"]["tier"])
    assert (tiers[0], tiers[-1]) == ("working", "archived")


def test_the_pace_is_what_the_readme_says(world: World) -> None:
    """A fact fades after more than so many work sessions and days, as `init` writes it; both are known by numbers."""
    policy = world.home(paced=True).show_file("diurna.toml").decode()
    numbers = [
        int(re.findall(rf"(?m)^{key} += (\d+)", policy)[0]) for key in ("archive", "archive_days")
    ]
    said = f"fades after more than {numbers[0]} work sessions and more than {numbers[1]} days"
    assert said in README.read_text("utf-8")


def test_what_fades_soon_is_said_by_status(world: World) -> None:
    """The soonest first."""
    pace = {
        "working": 0,
        "active": 0,
        "archive": 0,
        "working_days": 0,
        "active_days": 0,
        "archive_days": 2,
    }
    home = world.home(policy=pace, paced=True)
    home.note("id=kept It holds.")
    for day in range(2):
        world.clock.go(days=1)
        home.run("append", "--title", f"Work {day}")
    assert home.status()["fading"] == ["kept"] and "kept, soonest first" in home.text("status")
