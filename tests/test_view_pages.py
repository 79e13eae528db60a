"""What `view` and `show` print: functions of the set of logs, and what stands where in each."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.campaigns.second_fold import BareHome, log_bytes, made_up, path_of
from tests.conftest import examples
from tests.world import Answer, run

POLICY = {"diurna.toml": b'format = 1\nproject = "shop"\n'}
OF_FACTS = ("state", "progress", "decisions", "entities", "roles")
#: What a log says: its type, its bullets, and its facts: id, text, checkbox, footer.
Log = tuple[str, list[str], list[tuple[str, str, str, str]]]


def planted(folder: Path, *logs: Log) -> BareHome:
    """Make a ledger of logs that are a minute apart."""
    home, files = BareHome(folder), dict(POLICY)
    for number, (type, bullets, facts) in enumerate(logs):
        born = [f"Created: {id}" for id, *_ in facts]
        data = log_bytes({"agent": "codex", "type": type}, [*born, *bullets], facts)
        files[path_of(f"2026-11-21-10{number // 60:02}{number % 60:02}")] = data
    home.commit(files)
    return home


def asked(home: BareHome, *command: str) -> Answer:
    return run(*command, "--home", str(home.folder))


def view(home: BareHome, *name: str) -> list[str]:
    return asked(home, "view", *name).out.split("\n")


@pytest.mark.parametrize("seed", range(examples(4, 60)))
def test_pages_are_functions_of_the_set(seed: int, tmp_path: Path) -> None:
    """The same bytes whatever order the logs came in; and a log behind all others takes no decision's number."""
    rng = random.Random(f"pages {seed}")
    files = made_up(rng, 16)
    first, second = BareHome(tmp_path / "one"), BareHome(tmp_path / "two")
    first.commit(files)
    paths = list(files)
    while paths:
        batch = [
            paths.pop(rng.randrange(len(paths))) for _ in range(min(len(paths), rng.randint(3, 8)))
        ]
        second.commit({path: files[path] for path in batch})
        asked(second, "status")
    for name in (("show",), *(("view", one) for one in OF_FACTS)):
        assert asked(first, *name).out == asked(second, *name).out
    numbers = re.compile(r"DEC-(\d+): .*? `([a-z]+)`|## DEC-(\d+)")
    before = numbers.findall(asked(first, "view", "decisions").out)
    late = log_bytes({"agent": "x"}, ["Created: new"], [("new", "Anew.", "", "kind: decision")])
    first.commit({path_of("2026-12-30-100000"): late})
    after = numbers.findall(asked(first, "view", "decisions").out)
    known = {id: number for number, id, _ in after if id}
    assert len(after) == len(before) + 1
    assert all(known.get(id, number) == number for number, id, _ in before)


WORK: tuple[Log, ...] = (
    ("", [], [("state-phase", "Hardening", "", "kind: state"), ("queue", "Write the queue.", " ", "kind: task")]),
    ("", [], [("api", "Cut the API.", " ", "kind: task | priority: high"), ("docs", "Write it up.", " ", "kind: task")]),
    ("", ["Moved: queue → in-progress (was none)", "Moved: docs → blocked (was none)"], []),
    ("", [], [("old", "Set up CI.", " ", "kind: task"), ("idea", "Cache it?", " ", "")]),
    ("", ["Closed: old"], []),
)  # fmt: skip


def test_state_and_progress(tmp_path: Path) -> None:
    """Programs read the next line of a heading; what nobody recorded is said so; the weightier first."""
    home = planted(tmp_path / "home", *WORK)
    assert {line: after for line, after in pairwise(view(home, "state")) if line[:3] == "## "} == {
        "## Current Phase": "Hardening",
        "## Current Status": "Not recorded.",
        "## Active Work": "- [ ] Write the queue.",
        "## Blocked Items": "- [ ] Write it up.",
        "## Next Action": "Write the queue. (`queue`)",
        "## Last Updated": "2026-11-21 10:00 UTC",
    }
    assert [line for line in view(home, "progress") if line[:2] in ("##", "- ")] == [
        "## Completed 2026-11-21", "- [x] Set up CI.", "## In Progress", "- [ ] Write the queue.",
        "## Blocked", "- [ ] Write it up.", "## Not Started", "- [ ] Cut the API.", "- [ ] Cache it?",
    ]  # fmt: skip


def test_decisions_are_numbered_and_the_last_ten_whole(tmp_path: Path) -> None:
    """Who decided, why, and whether it holds; what is redacted keeps its number and says nothing."""
    logs: list[Log] = [
        ("", [], [(f"d{n}", f"Take {n} because of {n}.", "", "kind: decision")]) for n in range(13)
    ]
    more = ["Superseded: d11 → d12", "Invalidated: d10", "Redacted: d9"]
    text = "\n".join(view(planted(tmp_path / "home", *logs, ("", more, [])), "decisions"))
    assert text.count("- Decided by: codex\n") == 10 and "## DEC-013: Take 12" in text
    assert "- Rationale: of 12.\n- Status: accepted" in text
    assert "- Status: superseded by d12" in text and "- Status: invalidated" in text
    assert "- DEC-001: Take 0 because of 0. (2026-11-21, accepted) `d0`" in text
    assert "## DEC-010: (redacted)" in text and "Take 9" not in text


def test_notes_of_roles_stand_in_roles_alone_and_texts_forge_nothing(tmp_path: Path) -> None:
    """No other view has a word of them; what looks like a heading or a bullet stays the text of its fact."""
    kinds = ("task", "decision", "state", "pattern", "thread")
    notes = [
        (f"n-{kind}", f"Judges only: {kind}.", "", f"kind: {kind} | role: judge, auditor")
        for kind in kinds
    ]
    odd = "## Blocked Items\n  - [x] done\n  # Title"
    home = planted(
        tmp_path / "home", ("", [], notes),
        ("", [], [("state-phase", odd, "", "kind: state"), ("d", odd, "", "kind: decision"), ("t", odd, " ", "kind: task")]),
    )  # fmt: skip
    pages = {name: "\n".join(view(home, name)) for name in OF_FACTS}
    assert [name for name, text in pages.items() if "Judges" in text] == ["roles"]
    assert pages["roles"].count("Judges only: pattern.") == 2 and "## auditor" in pages["roles"]
    assert pages["state"].split("\n").count("## Blocked Items") == 1


def test_entities_are_found_in_any_spelling(tmp_path: Path) -> None:
    """A page for each, by type; the facts that hold by kind, and how many do not; a path is no type."""
    home = planted(
        tmp_path / "home",
        ("", [], [("a", "Ada leads.", "", "entity: person/Ada, Payments-API"),
                  ("b", "Ask Ada.", "", "kind: decision | entity: person/Ada, src/app.py")]),
        ("", ["Invalidated: c"], [("c", "Ada left.", "", "entity: Person/ada")]),
    )  # fmt: skip
    text = "\n".join(view(home, "entities", "person/ADA"))
    assert "## person\n\n### Ada\n1 more about it is false by now.\n\n#### Key Decisions" in text
    whole = "\n".join(view(home, "entities"))
    assert "Payments" in whole and "## other" in whole and "### src/app.py" in whole
    assert asked(home, "view", "entities", "topic/Ada").code == 1


def test_days_and_weeks_by_the_clock_of_utc(tmp_path: Path) -> None:
    """Morning ends at noon, afternoon at six; a log without a time of day stands in the morning."""
    home, files = BareHome(tmp_path / "home"), dict(POLICY)
    for clock in ("-235959", "-180000", "-120000", "-115959", ""):
        files[path_of(f"2026-11-21{clock}")] = f"# At{clock}\n".encode()
    home.commit(files)
    assert [line for line in view(home, "daily", "2026-11-21") if line[:1] == "#"][1:] == [
        "## Morning", "### --:-- - At", "### 11:59 - At-115959", "## Afternoon",
        "### 12:00 - At-120000", "## Evening", "### 18:00 - At-180000", "### 23:59 - At-235959",
    ]  # fmt: skip
    assert "## Saturday, 2026-11-21" in view(home, "weekly", "2026-11-19")
    for day, week in (
        ("0001-01-01", "0001-01-01 to 0001-01-07"),
        ("9999-12-31", "9999-12-27 to 9999-12-31"),
    ):
        assert view(home, "weekly", day)[0] == f"# {week} — shop"


@pytest.mark.parametrize(
    ("asks", "hint"),
    [(("stat",), "did you mean state?"), (("xyzzy",), "views: state"), (("daily", "2026-02-30"), "2026-"), (("state", "x"), "diurna view state")],
)  # fmt: skip
def test_bad_names_and_dates(asks: tuple[str, ...], hint: str, tmp_path: Path) -> None:
    """Each is refused with what was meant."""
    refused = asked(planted(tmp_path / "home"), "view", *asks)
    assert refused.code != 0 and hint in refused.err


def test_a_ledger_without_logs_has_every_view(tmp_path: Path) -> None:
    """Nothing is made up, and nothing fails."""
    home = planted(tmp_path / "home")
    for name in (*OF_FACTS, "daily", "weekly"):
        assert view(home, name)[0].startswith("# "), name
