"""What the product says of a ledger is what a second reader says that was written from FORMAT.md alone."""

from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.codec.fast_read import read_entry
from ledger.codec.log import decode, entry_of
from ledger.model import log_names
from ledger.model.event import OF_LOGS, VERB_OF
from ledger.model.evidence import COMMAND, HOWS, PLACE, Proof, form_of, proof_in
from tests.campaigns.second_fold import THEMES, BareHome, cold_differences, differences, made_up
from tests.conftest import examples
from tests.pages import ROOT
from tests.second_fold import (
    Event,
    SecondFold,
    answer,
    evidence,
    is_date,
    is_stem,
    keyed,
    lasting_of,
    policy_of,
    read_log,
    windows_of,
)
from tests.world import run

TIERS = ("core", "working", "active", "archive-candidate", "archived", "superseded")


@pytest.mark.parametrize("seed", range(examples(7, 400)))
def test_two_readers_say_the_same(seed: int, tmp_path: Path) -> None:
    """Texts, use, birth, truth, tiers, pages, who said it: cold, warm after late logs, and as of a log."""
    rng = random.Random(seed)
    assert differences(made_up(rng), rng, tmp_path / "home") == []


@pytest.mark.parametrize("seed", range(examples(2, 100)))
@pytest.mark.parametrize("theme", THEMES)
def test_two_readers_say_the_same_of_one_matter(theme: str, seed: int, tmp_path: Path) -> None:
    """Many logs about a few facts: what was reworded, closed, denied, moved, aged, judged by whoever did not see it all."""
    for number in range(5):
        files = made_up(random.Random(f"{theme} {seed} {number}"), 20, theme=theme)
        assert cold_differences(files, tmp_path / str(number)) == []


# ---- C1 to S12: a log -----------------------------------------------------------------------------------

#: Of which logs are made, below the names of what they may be: a piece a line, `\n` a line's end within one.
PIECES = (ROOT / "tests/format/pieces.txt").read_text("utf-8")
HEADS, LINES, SAID, FACTS = (
    [piece.replace("\\n", "\n") for piece in part.split("\n")[1:-1]]
    for part in PIECES.split("@ ")[1:]
)


def said_by(verb: str, event: Any) -> str:
    """Return what an event says, in either reader's form."""
    told = [getattr(event, name, None) for name in ("id", "text", "was", "said")]
    to = getattr(event, "state", "") or getattr(event, "new", "")
    why = event.remark if verb in ("Helped", "Ignored") else ""
    return repr(
        [verb, *told, to, getattr(event, "mark", ""), sorted(getattr(event, "meta", ())), why]
    )


@pytest.mark.parametrize("key", ["2026-11-21-083012417-000000000000", "2026-11-21-083012"])
@pytest.mark.parametrize("seed", range(examples(1, 50)))
def test_two_readers_read_the_same_log(seed: int, key: str) -> None:
    """Its header, events and texts, however a person or another tool wrote them down."""
    rng = random.Random(seed)

    def some(most: int, *pieces: str) -> list[str]:
        return ["", *rng.choices(pieces, k=rng.randrange(most))]

    for _ in range(250):
        lines = some(3, *LINES) + some(2, LINES[0]) + some(6, *SAID, *SAID, *LINES)
        lines += some(2, "## Facts") + some(5, *FACTS, *FACTS, *FACTS, *LINES)
        data = "\n".join([f"{rng.choice(HEADS)}# T", *lines, ""]).encode()
        (log, found), again = decode(data, sealed=log_names.is_sealed(key)), read_log(key, data)
        ours = [said_by(VERB_OF[type(one)], one) for one in log.events if type(one) not in OF_LOGS]
        assert sorted(ours) == sorted(said_by(one.verb, one) for one in again.events), data.decode()
        assert dict(log.header) == {name: value for name, value in again.header.items() if value}
        assert read_entry(key, data) == (entry_of(key, log), found)


def test_a_day_is_one_of_the_calendar() -> None:
    """Of any year that has four digits, and a name begins with one."""
    for year, month, day in product((0, 1, 1900, 2000, 2023, 2024, 9999), range(14), range(33)):
        text = f"{year:04d}-{month:02d}-{day:02d}"
        assert log_names.is_date(text) == log_names.is_stem(text) == is_date(text), text
    for text in "2026-5-01 2026-05-1 2026-05-011 20260501 2026_05-01 2026-05_01 ２026-05".split():
        assert not log_names.is_date(text) and not is_date(text), text


# ---- P2: the page ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["age", "anything"])
@pytest.mark.parametrize("seed", range(examples(2, 60)))
def test_the_page_counts_all_and_shows_what_lives(theme: str, seed: int, tmp_path: Path) -> None:
    """Whatever was passed over unread since it has surely faded."""
    for number in range(3):
        files = made_up(random.Random(f"page {theme} {seed} {number}"), 20, theme=theme)
        home = BareHome(tmp_path / str(number))
        home.commit(files)
        page = run("show", "--home", str(home.folder)).out
        facts = answer(files)["facts"]
        live = {fact["id"] for fact in facts if not fact["reason"]}
        assert set(re.findall(r"<!-- id: (\S+)", page)) == live
        logs = sorted(read_log(key, data) for key, data in keyed(files).items())
        work = [log for log in logs if log.type == "work"]
        reviews = [log.key for log in logs if log.type == "review"]
        checks = [log.key for log in logs if "Verified" in [one.verb for one in log.events]]
        counts = [f"{sum(one['tier'] == tier for one in facts)} {tier}" for tier in TIERS]
        lines = [
            f"As of: {logs[-1].key if logs else 'none'}",
            f"Sessions: {len(work)}",
            f"Last session: {f'{work[-1].key} ({work[-1].agent})' if work else 'none'}",
            f"Last review: {max(reviews, default='none')}",
            f"Last invariant check: {max(checks, default='none')}",
            f"Facts: {', '.join(counts)}",
        ]
        home.commit({"continuity.md": page.encode()})
        told = home.ask("check", "--replay")
        assert told["cache_differs"] == [] and "continuity.md" not in told["drift"]
        assert re.findall(r"(?m)^- ((?:As of|Sessions|Last|Facts).*)$", page) == lines


# ---- T5: a life ---------------------------------------------------------------------------------------


def counts_from(key: str, event: Event) -> str:
    """When an event counts: a birth from where its import says that it was."""
    footer = dict(event.meta) if event.verb == "Created" else {}
    if is_stem(footer.get("origin", "")):
        return min(key, footer["origin"])
    return min(key, footer["created"] + "~") if is_date(footer.get("created", "")) else key


def lives(files: dict[str, bytes]) -> tuple[dict[str, list[tuple[str, str]]], dict[int, list[int]]]:
    """Fold up to every place anew: what changed of each fact at which log, and the tiers by work sessions."""
    policy = policy_of(files)
    logs = sorted(
        (read_log(key, data) for key, data in keyed(files).items()), key=lambda log: log.key
    )
    points = {counts_from(log.key, event) for log in logs for event in log.events}
    hidden = {event.id for log in logs for event in log.events if event.verb == "Redacted"}
    before: dict[str, tuple[str, bool]] = {}
    told: dict[str, list[tuple[str, str]]] = {}
    sessions: dict[int, list[int]] = {}
    for point in sorted(points | {log.key for log in logs}):
        upto = []
        for log in logs:
            early = tuple(one for one in log.events if counts_from(log.key, one) <= point)
            if log.key <= point or early:
                upto.append(log if log.key <= point else log._replace(events=early))
        fold = SecondFold(upto, windows_of(policy), lasting_of(policy), hidden)
        facts: list[dict[str, Any]] = [fold.told(id, {}) for id in fold.facts()]
        for fact in facts:
            tier, found = fact["tier"], told.setdefault(fact["id"], [])
            was, was_closed = before.get(fact["id"], ("", True))
            before[fact["id"]] = tier, fact["closed"]
            if tier == "archived" != was:
                found.append(("faded", point))
            elif tier == "superseded" != was:
                found.append(("superseded" if fact["superseded_by"] else "invalidated", point))
            elif tier != was == "archived":
                found.append(("returned", point))
            elif tier != was == "superseded":
                found.append(("reinstated", point))
            if fact["closed"] and not was_closed:
                found.append(("closed", point))
        sessions[len(fold.work)] = [sum(one["tier"] == name for one in facts) for name in TIERS]
    return told, sessions


@pytest.mark.parametrize("seed", range(examples(4, 200)))
def test_lives_are_what_a_fold_up_to_each_log_says(seed: int, tmp_path: Path) -> None:
    """When facts faded, came back, became false, were closed, as `review --report` tells; and how many stood where."""
    for number in range(3):
        files = made_up(random.Random(f"life {seed} {number}"), 12)
        home = BareHome(tmp_path / str(number))
        home.commit(files)
        report = home.ask("review", "--report")
        told, sessions = lives(files)
        found = {
            fact["id"]: [(one["what"], one["stem"]) for one in fact["moments"]]
            for fact in report["facts"]
        }
        assert found == told
        course = report["course"]
        for at, count in enumerate(course["sessions"]):
            assert [course["tiers"][name][at] for name in TIERS] == sessions[count], count


# ---- F12: evidence ------------------------------------------------------------------------------------

EVIDENCE = {
    COMMAND: (
        "pytest -q: exit 0", "`pytest -q` (exit 1)", "exit 0: make", "pytest -q, exit code 0",
        "cargo test → exit status 101", "ruff check exited with 2", "npm; rc=0", "make exit_code=255",
    ),
    PLACE: (
        "src/api.py:42", "see `./a/b.rs:1:7`, there", "api.go:10-12", "(docs/x.md#L3)", "Makefile.in:999999999",
        "größe/ü.py:3",
    ),
    "": (
        "", "exit 0", "exit", "exit 256 pytest", "no exit from here", "it helped", "src/api.py", "src/api.py:0", "a:3",
        "src/:3", "10.0.0.1:80", "12:30", "http://x.y:80/a.py:3", "a.py:12345678901", "a.py:x", "a.py:\u0661", "pytest exit ²",
    ),
}  # fmt: skip


def test_what_is_evidence() -> None:
    """A command with its exit code, or a path with a line; nothing else, whatever it sounds like."""
    for form, remarks in EVIDENCE.items():
        assert [one for one in remarks if form_of(one) != form or evidence(one) != form] == []


_WORDS = st.sampled_from(
    ("pytest", "exit", "exited", "with", "code", "rc", "0", "1", "256", "a.py", "src/a.py:3", "x:1", ":", "=", "→", "`",
     "(", ")", ",", "./b/c:9-10", "#L4", "d.e#L4", "…", "exit_code=2", "http://x.y:80")
)  # fmt: skip


@given(st.builds(
    Proof, st.sampled_from(HOWS), st.integers(-1, 99), st.sampled_from(["", "person", "agent"]), st.text("a: ,"),
    st.lists(st.text("a b", min_size=1), max_size=2).map(tuple),
))  # fmt: skip
def test_the_evidence_of_a_use_reads_back(proof: Proof) -> None:
    """Whatever was said, asked and run."""
    assert proof_in(proof.remark) == proof and proof_in(f"{proof.how} x1") is None


@given(st.lists(_WORDS | st.text(max_size=5), max_size=8).map(" ".join))
@example("exit code 7")
def test_any_remark_is_judged_alike(remark: str) -> None:
    """By both readers."""
    assert form_of(remark) == evidence(remark)
