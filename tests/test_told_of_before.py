"""What a session is told of earlier ones: threads that somebody still names, what was asked, what logs say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.api import Memory
from tests.conftest import Run
from tests.host_door import Door, Session, lines_of, say
from tests.host_door import door as door
from tests.world import OWN_BRANCH, World

# ---- threads ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sessions", "days", "footer", "named_at", "stays"),
    [
        (4, 4, {}, 0, True), (7, 6, {}, 0, True), (7, 7, {}, 0, False), (9, 8, {}, 0, False),
        (9, 8, {}, 4, True), (8, 8, {"owner": "Ada"}, 0, True), (8, 8, {"priority": "high"}, 0, True),
        (8, 8, {"until": "date 2027-01-31"}, 0, True),
    ],
)  # fmt: skip
def test_a_thread_that_nobody_names_leaves_the_brief(
    world: World, sessions: int, days: int, footer: dict[str, str], named_at: int, stays: bool
) -> None:
    """Five work sessions and seven work days after anybody did; its state is untouched, and the review names it."""
    home = world.home(OWN_BRANCH)
    new = {"id": "storm", "kind": "thread", "text": "Measure a retry storm."}
    draft = {"title": "Ship", "new": [new | ({"footers": footer} if footer else {})]}
    home.run("append", "--from-json", "-", stdin=json.dumps(draft))
    for number in range(1, sessions + 1):
        world.clock.go(days=1 if number <= days else 0, hours=0 if number <= days else 5)
        home.session(f"Day {number}", *(["--ref", "storm"] if number == named_at else []))
    brief, review = home.text("brief"), home.text("review", "--dry-run")
    assert ("\n- storm" in brief, "left open: storm" in brief) == (stays, stays and sessions < 5)
    assert (
        "In no brief: unnamed for 5 work sessions and 7 work days (1): storm" in review
    ) != stays
    assert "storm" in home.text("show", "--list") and "storm" in home.text("recall", "retry storm")


def test_few_threads_are_shown_those_named_last_and_those_that_somebody_has(world: World) -> None:
    """What is done is seldom said: the others are counted."""
    home = world.home(OWN_BRANCH)
    for number in range(6):
        owner = " owner=Ada" if number == 1 else ""
        world.clock.go(hours=5)
        home.session("Work", "--new", f"id=t-{number}{owner} thread: Look at part {number}.")
    section = home.text("brief").partition("## Open threads (4 of 6)\n\n")[2].partition("\n## ")[0]
    assert [line[2:5] for line in section.splitlines() if line] == ["t-5", "t-4", "t-3", "t-1"]
    task = home.text("brief", "--task", "t-0")
    assert "- t-0 (thread): Look at part 0." in task.partition("## For this task")[2]


# ---- what was asked -----------------------------------------------------------------------------------

SERVER = "I'll run the server myself, so tell me what to test"
REPORT = (
    "The webhook worker retries a parcel three times with jitter, and then hands it to the dead letter "
    "queue, because the warehouse broker drops what arrives twice."
)


def worked(door: Door, name: str, minute: float, *asked: str, report: str = REPORT) -> Session:
    """Let a session be asked and answered, and end."""
    path = door.repo.path.parent / f"{name}.jsonl"
    session = door.session(session=name, transcript_path=str(path))
    door.at(minute)
    session.start()
    for one in asked:
        session.prompt(one)
        say(path, one, role="user")
        session.edits(f"src/{name}.py")
        say(path, report)
        session.stop(report)
    session.hook("end", reason="other")
    return session


def test_lately_says_what_was_asked_and_what_came_of_it(door: Door, run: Run) -> None:
    """Each session once, by the agent's own line or how its last report begins, with the threads that it left open."""
    worked(door, "a", 0, "Make the webhooks retry", SERVER)
    worked(door, "b", 60, "Draw the page of parcels")
    open_ = ("--new", "id=blue thread: It is blue.")
    run("append", "--title", "parcels drawn twice", "--session", "b", *open_)
    door.at(120)
    lately = door.session(session="c").start().partition("## Lately\n\n")[2].split("\n</")[0]
    first, second = lately.splitlines()[:2]
    assert first.endswith("“Draw the page of parcels” → parcels drawn twice; left open: blue")
    assert "“Make the webhooks retry” → The webhook worker retries a parcel three times" in second
    assert len(lately.splitlines()) == 2 and (SERVER in first, SERVER in second) == (False, True)


def test_what_was_asked_is_told_in_this_clone_alone(door: Door, run: Run, tmp_path: Path) -> None:
    """To the hook and the command, until somebody takes it back; to no program that serves, to no other clone."""
    for minute, name in enumerate(("a", "b")):
        worked(door, name, 60 * minute, f"Look at {name}", f"{SERVER} in {name}.")
    door.at(300)
    words = SERVER.lower().replace(",", "")
    again = f"- “{words} in” (2 sessions)"
    assert again in door.session(session="c").start() and again in run("brief").out
    assert again in run("brief", "--task", "the server").out and "“Look at b”" in run("brief").out
    served = Memory.open(str(door.repo.path)).brief().text.lower()
    assert words not in served and "look at b" not in served
    door.repo.git("clone", "-q", str(door.repo.path), str(tmp_path / "other"))
    assert words not in run("-C", str(tmp_path / "other"), "brief").out.lower()
    run("install", "--remove")
    assert words not in (run("brief").out + door.session(session="d").start()).lower()


# ---- what logs say ------------------------------------------------------------------------------------

OTHERS = ("The invoice page shows the totals of each quarter, and a chart of them below it.",
          "The importer reads spreadsheets of suppliers, and skips rows without a number.",
          "The login form remembers the language that somebody chose on another device.")  # fmt: skip
ORDER = "why does the webhook worker hand a parcel to the dead letter queue when the warehouse broker drops jitter"


@pytest.fixture
def logged(door: Door) -> Door:
    """A clone whose logs say something, and no fact does."""
    for number, text in enumerate((REPORT, *OTHERS)):
        worked(door, f"w-{number}", number, f"Do part {number}", report=text)
    door.at(60)
    return door


def test_a_prompt_that_no_fact_answers_is_told_a_passage(logged: Door, run: Run) -> None:
    """Whole, with its session and turn, once; nothing at one that logs say nothing of, nothing where a fact does."""
    mine = logged.session(session="m")
    mine.start()
    told = mine.prompt(ORDER)
    (line,) = [one for one in lines_of(told) if " (2026-11-21, Turn 1 of 1 of “" in one]
    assert line.endswith(f": {REPORT}") and len(told) < 800
    place = line.split()[1]
    assert REPORT in run("recall", "--ids", place).out
    assert mine.prompt(ORDER) == "" and mine.prompt("Commit this and push it, please.") == ""
    other = logged.session(session="o")
    other.start()
    run("note", "id=dead decision: The webhook worker hands a parcel to the dead letter queue.")
    told = other.prompt("When does the webhook worker hand a parcel to the dead letter queue?")
    assert "- dead (decision" in told and REPORT not in told


def test_an_error_is_told_a_passage_and_a_policy_silences_both(logged: Door) -> None:
    """The words that the tool failed with are looked for, and no others."""
    failed = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "1"}
    mine = logged.session(session="m")
    mine.start()
    assert mine.hook("failure", **failed, error="make: *** no rule to make target 'all'") == b"{}\n"
    said = mine.hook("failure", **failed, error=f"Error: {ORDER}").decode()
    assert REPORT in said and "Said before, in sessions that are over" in said
    file = logged.repo.path / "memory/diurna.toml"
    file.write_text(f"{file.read_text()}\n[moment]\nprompt = false\n")
    logged.repo.git("commit", "-qam", "policy")
    other = logged.session(session="o")
    other.start()
    assert other.prompt(ORDER) == "" and other.hook("failure", **failed, error=ORDER) == b"{}\n"


def test_what_was_withheld_is_in_no_passage(logged: Door, run: Run) -> None:
    """Nor in the file in which they are looked up."""
    mine = logged.session(session="m")
    mine.start()
    kept = logged.repo.path / ".git/diurna/cache"
    assert any(b"dead letter" in file.read_bytes() for file in kept.glob("moment*"))
    (log,) = [
        one.stem
        for one in (logged.repo.path / "memory/sessions").rglob("*.md")
        if REPORT in one.read_text()
    ]
    assert run("redact", log, "--reason", "too much").code == 0
    assert not any(b"dead letter" in file.read_bytes() for file in kept.glob("moment*"))
    other = logged.session(session="o")
    other.start()
    assert REPORT not in mine.prompt(ORDER) + other.prompt(ORDER) + other.prompt(ORDER)


def test_a_task_that_no_fact_answers_brings_passages(logged: Door, run: Run) -> None:
    """And one that nothing answers brings none."""
    said = run("brief", "--task", "webhook worker warehouse broker").out
    assert REPORT in said.partition("## Said before on this task")[2].partition("\n## ")[0]
    assert "Said before" not in run("brief", "--task", "paint the gate purple").out
