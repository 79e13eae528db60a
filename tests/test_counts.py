"""One ledger is counted alike wherever it is counted, by the same names: logs, work sessions, facts."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from ledger.home import discover
from ledger.model.event import FactCreated
from memory.api import Memory
from memory.write.draft import SessionDraft
from tests.conftest import NOW_MS, examples
from tests.world import OWN_REPOSITORY, World

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Repo, Run


def _numbers(text: str) -> dict[str, str]:
    """Return how many logs and work sessions a text tells of."""
    words = re.sub(r"<[^>]+>|,(?=\d)", "", text)
    found = {}
    for name in ("log", "work session"):
        told = set(re.findall(rf"(\d+) {name}s?\b", words))
        if told:
            (found[name],) = told
    return found


@pytest.mark.deep(reason="test_cli and test_web_pages count in one place each")
def test_every_answer_counts_the_same(repo: Repo, run: Run, tmp_path: Path) -> None:
    """With imports, a session of several logs, and logs of decisions: none of them is one more session."""
    memory = Memory(discover(str(repo.path)), clock=lambda: NOW_MS)
    for number in range(3):
        fact = FactCreated(f"pier-{number}", f"Pier {number} closes at {number + 7}.")
        memory.append(
            SessionDraft(f"Taken in {number}", events=(fact,), type="import", agent="Ada")
        )
    for number in range(4):  # one session of four logs, and two of one
        fact = FactCreated(f"tide-{number}", f"Tide {number} turns at {number + 3}.")
        header = (("session", "s-1"),)
        memory.append(SessionDraft(f"Work {number}", events=(fact,), header=header))
    memory.append(SessionDraft("Other work", "It went."))
    memory.append(SessionDraft("More work", "It went on."))
    memory.close()
    assert run("review", "--confirm", "tide-1").code == 0
    status = run("status", "--json").json
    logs, sessions = str(status["logs"]), str(status["sessions"])
    assert (int(logs), int(sessions)) == (10, 3)
    wanted = {"log": logs, "work session": sessions}
    assert _numbers(run("brief").out.split("\nState: ")[1].split(",")[0]) == {"log": logs}
    state = run("brief", "--json").json["state"]
    assert {"log": str(state["logs"]), "work session": str(state["sessions"])} == wanted
    assert _numbers(run("status").out.split("logs")[1].split("\n")[0])["work session"] == sessions
    assert f"Ledger: {sessions} work sessions in {logs} logs" in run("review", "--dry-run").out
    assert _numbers(run("check", "--replay").out.splitlines()[0]) == wanted
    assert f"{sessions} work sessions" in run("review", "--report").out
    site = tmp_path / "site"
    assert run("export", "site", str(site)).code == 0
    pages = {path.stem: path.read_text() for path in site.glob("*.html")}
    for name in ("index", "timeline", "health"):
        footer = re.search(r"(?s)<footer.*?</footer>", pages[name])
        assert footer is not None
        assert _numbers(footer[0]) == wanted, name
    assert "3 work sessions, 1 edit, 3 further logs, 3 imports</small>" in pages["timeline"]
    assert f"in {sessions} work sessions" in re.sub(r"<[^>]+>", "", pages["health"])
    assert not re.search(r"\d+ sessions?\b", re.sub(r"<[^>]+>", " ", pages["timeline"]))
    assert len(run("show", "--list", "--all", "--json").json["facts"]) == 7
    assert "shop: 7 facts, " in run("review", "--report").out
    health = " ".join(re.sub(r"<[^>]+>", " ", pages["health"]).split())
    assert re.search(rf"facts in {sessions} work sessions", health)


@pytest.mark.parametrize("seed", range(examples(1, 12)))
def test_status_measures_what_a_review_plans_and_the_page_shows(world: World, seed: int) -> None:
    """Whatever became of facts of all kinds: the same tiers, sizes, fading and contradicted facts."""
    rng, known = random.Random(seed), list[str]()
    windows = {"working": 0, "active": 1, "archive": rng.randrange(1, 4)}
    home = world.home(OWN_REPOSITORY, policy=windows)
    kinds = ("fact", "decision", "invariant", "thread", "task", "expect=f0 question")
    for number in range(12):
        what, more = kinds[number % 6], " And more words." * rng.randrange(20)
        known += ["--new", f"id=f{number} {what}: It is number {number}.{more}"]
    home.session("On", *known)
    for _ in range(rng.randrange(4)):
        name, other = f"f{rng.randrange(12)}", f"f{rng.randrange(12)}"
        home.run(*rng.choice((
            ("append", "--title", "On"), ("close", name), ("forget", name, "--false", "--reason", "r"),
            ("append", "--update", name, "One.\n\nTwo.", "--supersede", f"{name}={other}"),
            ("forget", name, "--archive", "--reason", "r"), ("redact", name, "--reason", "r"),
        )), code=None)  # fmt: skip
    status, plan = home.status(), home.run("review", "--dry-run").json
    assert status["review"]["lines"] == home.text("show").count("\n")
    assert {key: status["review"][key] for key in plan["size"]} == plan["size"]
    assert (status["tiers"], status["disputed"]) == (plan["tiers"], plan["disputed"])
    assert status["fading"] == [one["id"] for one in plan["fading"]]
