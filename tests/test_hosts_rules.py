"""Extraction by rules, measured on scripted sessions; and quotes that nobody said, of which none is kept."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.hosts.extraction.check import checked
from rituals.hosts.extraction.items import MOST_ITEMS, Item
from rituals.hosts.extraction.rules import by_rules
from rituals.hosts.transcripts.slices import SLICE_BYTES, Slice, Turn
from tests.scripted_sessions import FOLDER, Score, Script, scripts, written

SCRIPTS = scripts()
NOBODY = Score(0, 0, 0, (), ())


def said(*turns: str) -> tuple[Item, ...]:
    """What is found in turns: `U: …` of a person, `A: …` of an agent."""
    roles = {"U": "user", "A": "assistant"}
    return by_rules([Turn(roles[turn[0]], turn[3:], at) for at, turn in enumerate(turns)])


def test_half_of_the_sessions_are_held_out() -> None:
    """Twenty, with each category, and five hosts' transcripts among all of them."""
    held = [script for script in SCRIPTS if script.is_held_out]
    assert len(held) == 20 and len(SCRIPTS) >= 40 and len({one.host for one in SCRIPTS}) == 5
    for half in (held, [script for script in SCRIPTS if not script.is_held_out]):
        assert {plant.category for script in half for plant in script.plants} == set("DCPO")


def test_items_of_rules_are_quotes(tmp_path: Path) -> None:
    """Each stands word for word in its turn: what checks the items of a model drops none of them."""
    for script in SCRIPTS:
        part, _ = written(script, tmp_path)
        for item in by_rules(part.turns):
            turns = [turn for turn in part.turns if turn.at == item.at]
            assert any(item.quote in " ".join(turn.text.split()) for turn in turns), item
            assert item.text and item.text[1:] in item.quote and 1 <= item.salience <= 10


def planted_lies(script: Script, part: Slice, other: Script, chance: random.Random) -> list[str]:
    """Quotes that nobody said in a session, each near to one that somebody did."""
    whole = [" ".join(turn.text.split()) for turn in part.turns]
    lies: list[str] = []
    for plant in script.plants:
        words = plant.text.split()
        place = chance.randrange(1, max(2, len(words) - 1))
        strange = chance.choice(chance.choice(other.plants).text.split())
        lies += [
            " ".join([*words[:place], strange, *words[place + 1 :]]),
            " ".join(words[:place] + words[place + 1 :]),
            " ".join([*words[:place], "not", *words[place:]]),
            f"{plant.text} {strange}",
            plant.text.swapcase(),
            f"{' '.join(words[:place])} … {words[-1]}",
            f"{whole[plant.turn]} {whole[plant.turn - 1]}",
            plant.text[1:-2],
            chance.choice(other.plants).text,
            words[place],
            "",
        ]
    return [
        lie
        for lie in lies
        if not any(f" {lie.strip()} " in f" {text} " for text in whole) or len(lie) < 8
    ]


def test_planted_hallucinations(tmp_path: Path) -> None:
    """Of 200 quotes that nobody said none is kept; of those that somebody did, all that are no question."""
    chance = random.Random(12)
    lies: list[tuple[Slice, str]] = []
    for script, other in zip(SCRIPTS, SCRIPTS[1:] + SCRIPTS[:1], strict=True):
        part, _ = written(script, tmp_path)
        if script.plants and other.plants:
            lies += [(part, lie) for lie in planted_lies(script, part, other, chance)]
        for plant in script.plants:
            items, dropped = checked([lie_of(plant.text)], part.turns, [])
            assert len(items) == 1 and not dropped, plant
    chance.shuffle(lies)
    assert len(lies) > 600
    for part, lie in lies:
        assert checked([lie_of(lie)], part.turns, []) == ((), 1), lie


def lie_of(quote: str) -> dict[str, object]:
    """An item with a quote."""
    return {"kind": "thread", "text": "This is what they said.", "quote": quote, "salience": 10}


@pytest.mark.parametrize(
    ("turns", "kind", "quote"),
    [
        (["U: Let's use SQLite for the cache."], "decision", "Let's use SQLite for the cache."),
        (["U: We decided to ship without it"], "decision", "We decided to ship without it"),
        (["U: I prefer tabs over spaces."], "preference", "I prefer tabs over spaces."),
        (["U: never commit to main, please"], "preference", "never commit to main, please"),
        (["A: Port 8000.", "U: No, it's 8081, not 8000."], "fact", "No, it's 8081, not 8000."),
        (
            ["A: Done.", "U: Wrong! The keys are sorted by age."],
            "fact",
            "The keys are sorted by age.",
        ),
        (["A: Redis or Postgres?", "U: Postgres, we know it"], "decision", "Postgres, we know it"),
        (
            ["A: I chose Redis, because it is there."],
            "decision",
            "I chose Redis, because it is there.",
        ),
        (["A: **Decision:** `x` over `y` here."], "decision", "**Decision:** `x` over `y` here."),
        (["A: Done.\n\nStill open:\n- the docs for it"], "thread", "the docs for it"),
        (["A: Done.", "U: the docs are still missing"], "thread", "the docs are still missing"),
    ],
)
def test_what_is_found(turns: list[str], kind: str, quote: str) -> None:
    """One item, with its quote."""
    assert [(item.kind, item.quote) for item in said(*turns)] == [(kind, quote)]


@pytest.mark.parametrize(
    "turn",
    [
        "U: Should we use SQLite for the cache?",
        "U: Maybe let's use Redis, I don't know.",
        "U: What if we always used UTC here",
        'U: He wrote "let\'s use Redis for all of it" in the ticket.',
        "U: The docs say:\n\n> Always use UTC. Never use local time.",
        "U: From the guide:\n\nAlways use UTC. We decided on it in May.",
        "U: ```\n# we always use UTC, never local time\n```",
        "U: 2026-01-01 10:00:00 WARN we decided to never retry",
        "U: have a look at the failing test please",
        "A: I suggest that we use Redis. We could also keep SQLite.",
        "A: I'll use Redis for the cache and then remove SQLite.",
        "A: My plan: first the table, then the worker.",
        "A: As you said, we use Postgres.",
        "A: All 41 tests pass now.",
    ],
)
def test_noise(turn: str) -> None:
    """Questions, thoughts, quotations, code, logs, work; proposals, plans and reports of an agent."""
    assert said("A: Shall I go on?", turn) == ()
    assert said(turn) == ()


ALONE = [
    line.split("\t", 1) for line in (FOLDER / "single_turns.tsv").read_text().splitlines() if line
]


@pytest.mark.parametrize(("kind", "turn"), ALONE)
def test_a_turn_alone(kind: str, turn: str) -> None:
    """What people and agents say all day, behind a turn of the agent; `-` where it is nothing to keep."""
    found = said("A: I changed the handler and ran the tests. Is there anything else?", turn)
    assert [item.kind for item in found][:1] == ([] if kind == "-" else [kind])


def test_what_an_agent_decided_goes_with_a_denial() -> None:
    """What the person says instead stays; and what comes next is told at the end of a session alone."""
    agent = "A: I chose Redis for the cache, because it is there already."
    assert [item.quote for item in said(agent, "U: No, use SQLite, Redis goes away.")] == [
        "No, use SQLite, Redis goes away."
    ]
    (item,) = said(agent, "U: No, use SQLite, Redis goes away.")
    assert item.tags == ("correction",) and item.text == "No, use SQLite, Redis goes away."
    assert len(said(agent, "U: thanks")) == 1
    plan = "A: Next steps:\n- the page for invoices gets a filter"
    assert [item.kind for item in said(plan)] == ["thread"] and said(
        plan, "U: ok", "A: Done."
    ) == ()


@given(st.lists(st.tuples(st.sampled_from(["U: ", "A: "]), st.text()).map("".join), max_size=4))
def test_any_turns_give_items(turns: list[str]) -> None:
    """Whatever is said, and what is found was said."""
    for item in said(*turns):
        assert item.quote in " ".join(turns[item.at][3:].split())


@pytest.mark.parametrize(
    "piece",
    [
        "We decided to keep SQLite, because it must be 8081 in src/app.py, not 8080. ", "- we use x, not y\n",
        "no ", '"', "`a", ",", ". ", "a", "```\n", "ü“", "«", "at x", "A_", "it's ab ", "let's not just ", "a: ",
        "(is are not ", "Error", "2026-03-02 ", "we only ",
    ],
)  # fmt: skip
def test_rules_are_linear(piece: str) -> None:
    """A mebibyte of anything, by a person or an agent, in one turn."""
    text = (piece * (SLICE_BYTES // len(piece) + 1))[:SLICE_BYTES]
    started = time.process_time()
    said("A: Shall I?", f"U: {text}", f"A: {text}")
    assert time.process_time() - started < 1


def test_a_full_slice_takes_little_time(tmp_path: Path) -> None:
    """A transcript of a mebibyte."""
    turns = [turn for script in SCRIPTS for turn in script.turns]
    script = SCRIPTS[0]._replace(turns=tuple(turns * 6))
    part, _ = written(script, tmp_path)
    started = time.process_time()
    assert len(by_rules(part.turns)) == MOST_ITEMS
    seconds = (time.process_time() - started) * SLICE_BYTES / part.end
    assert seconds < 1.0, seconds
