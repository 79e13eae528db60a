"""Entities and links, as `show --about` and `show --links` tell them: what a name is, what a link is, and the graph."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.second_fold import BareHome, log_bytes, path_of
from tests.conftest import examples

POLICY = {"diurna.toml": b'format = 1\nproject = "p"\n'}
Facts = list[tuple[str, str, str, str]]


def home_of(folder: Path, facts: Facts, more: tuple[str, ...] = ()) -> BareHome:
    """Make a ledger of one log that creates these facts: id, text, checkbox, footer."""
    home = BareHome(folder)
    bullets = [
        "Created: " + ", ".join(id for id, *_ in facts[at : at + 90])
        for at in range(0, len(facts), 90)
    ]
    said = log_bytes({"agent": "ada"}, [*bullets, *more], facts)
    home.commit({**POLICY, path_of("2026-05-01-100000"): said})
    return home


#: A text -> what it links to.
LINKS = {
    "See [[a]] and [[b.c-d|the other]], [[a]] again.": "a b.c-d",
    "No [a], no [[A]], no [[a b]], no [[]], no [[a\n  b]], no [[a--b]].": "",
    "A log is no fact: [[2026-11-21-090000000-0123456789ab]], nor is a day: [[2026-11-21]].": "",
    "Escaped \\[[a]], the words of a link [[b]](https://example.invalid), [[[c]]": "c",
    "`[[a]]` ``x ` [[b]]`` [[c]]": "c",
    "One back-tick ` hides nothing: [[a]].": "a",
    "Two `` and one ` are no pair: [[a]].": "a",
    "A span over `two\n  lines [[a]]` ends: [[b]].": "b",
    "A span ends `with\n\n  its paragraph: [[a]]`.": "a",
    "```\n  [[a]]\n  ```\n  [[b]]": "b",
    "Item\n\n  ```sh\n  [[ -f x ]]\n  [[a]]\n  ```\n  [[b]]": "b",
    "``` one line ``` [[a]]": "a",
    "]] [[ [[a]] ]]": "a",
    "[[": "",
}
#: A text -> what it serves.
SERVES = {
    "We cache. → serves: goal": "goal",
    "→ serves: a, b\n  More -> serves: d.": "a b d",
    "→ serves: [[a]]": "a",
    "It → serves: the people well": "",
    "This serves: goal": "",
    "→ serves: a; and more → serves: b": "b",
    "`→ serves: a`\n  ```\n  → serves: b\n  ```\n  → serves: c": "c",
    "→ serves:": "",
    "→ serves: a, b (faithful (port)).": "a b",
    "→ serves: a (it goes on": "",
    "→ serves: A b": "",
    "Done. → serves:\n  goal (it is a claim, not a fact)": "goal",
    "→ serves: goal (a fix must\n  reach those who\n  run it)\n  More.": "goal",
    "→ serves: `goal`, `b-c` (`d`)": "goal b-c",
    "A `span → serves: a` and → serves: `goal`": "goal",
    "→ serves:\n  The people.": "",
}


@pytest.mark.parametrize(("kind", "table"), [("link", LINKS), ("serves", SERVES)])
def test_what_a_text_names(kind: str, table: dict[str, str], tmp_path: Path) -> None:
    """Told by what is named, which has each text that names it and no other."""
    facts: Facts = [(f"row-{number:02d}", text, "", "") for number, text in enumerate(table)]
    targets = ("a", "b", "c", "d", "b.c-d", "b-c", "goal", "a-b")
    home = home_of(tmp_path / "home", [*facts, *((id, f"All of {id}.", "", "") for id in targets)])
    for target in targets:
        wanted = {
            id
            for (id, *_), said in zip(facts, table.values(), strict=True)
            if target in said.split()
        }
        near = home.ask("show", "--links", target)["near"]
        assert {one["id"] for one in near if one["edge"] == kind} == wanted, target


NAMES = (
    ("Payments API", "payments api, PAYMENTS_API, `Payments  API`, [[payments-api]], #payments api", "payments, API, Payments API Redis"),
    ("@ada", "ada, ADA", "a"), ("C#", "c#", "C"), ("C++", "c++", "c"), ("Straße", "STRASSE", "strase"),
    ("\uff21cme", "acme", "acm"),
)  # fmt: skip


def test_names_are_compared_without_what_says_nothing(tmp_path: Path) -> None:
    """Case, width, blanks, hyphens, underscores and a mark before it make no other name; parts do."""
    facts: Facts = [
        (f"f-{at}", f"Text {at}.", "", f"entity: x {at}, {name}")
        for at, (name, *_) in enumerate(NAMES)
    ]
    home = home_of(tmp_path / "home", facts)
    for at, (_, same, other) in enumerate(NAMES):
        for name in same.split(", "):
            assert [one["id"] for one in home.ask("show", "--about", name)["facts"]] == [
                f"f-{at}"
            ], name
        for name in other.split(", "):
            assert home.ask("show", "--about", name)["error"]["code"] == "NotFound", name


def test_entities_are_counted_over_all_spellings(tmp_path: Path) -> None:
    """One name however it is written, shown as most often, with what is false by now; most facts first."""
    about = (
        ["Payments API, Redis"] * 2
        + ["payments-api"] * 3
        + ["redis"] * 2
        + ["orders"] * 4
        + ["#tags"]
    )
    facts: Facts = [
        (f"f-{at:02d}", f"Text {at}.", "", f"entity: {name}") for at, name in enumerate(about)
    ]
    facts.append(("t", "Of a tag alone.", "", "tags: Redis"))
    home = home_of(
        tmp_path / "home",
        facts,
        ("Invalidated: f-00", *(f"Invalidated: f-{at:02d}" for at in range(7, 11))),
    )
    found = [
        (one["name"], one["facts"], one["false"]) for one in home.ask("show", "--about")["entities"]
    ]
    assert found == [("payments-api", 5, 1), ("orders", 4, 4), ("Redis", 4, 1), ("#tags", 1, 0)]


def made_up(rng: random.Random) -> tuple[Facts, tuple[str, ...]]:
    """Make facts up that name each other and what is not there, share entities and supersede one another."""
    ids = rng.sample("abcdefgh", rng.randint(3, 8))
    facts: Facts = []
    for id in ids:
        text = "Text" + "".join(f" [[{one}]]" for one in rng.sample("abcdefgh", rng.randint(0, 2)))
        entity = ", ".join(
            rng.sample(("Payments API", "payments_api", "Redis", "orders"), rng.randint(0, 2))
        )
        serves, conflicts = (", ".join(rng.sample("abcdefgh", rng.randint(0, 2))) for _ in range(2))
        pairs = (("entity", entity), ("serves", serves), ("conflicts", conflicts))
        facts.append(
            (id, text + ".", "", " | ".join(f"{key}: {value}" for key, value in pairs if value))
        )
    false = sorted(ids)[: rng.randint(0, 2)]
    return facts, tuple(f"Superseded: {one} → {max(ids)}" for one in false if one != max(ids))


def edges(found: list[dict[str, Any]]) -> set[tuple[str, str, str, str]]:
    """The edges of an answer: kind, direction, the entity however it is written, and where it leads."""
    spelt = str.maketrans("", "", " _-")
    return {
        (one["edge"], one["direction"], one["entity"].lower().translate(spelt), one["id"])
        for one in found
    }


@pytest.mark.parametrize("seed", range(examples(6, 100)))
def test_the_graph(seed: int, tmp_path: Path) -> None:
    """Each edge has two ends; what is superseded says by what."""
    facts, more = made_up(random.Random(seed))
    home = home_of(tmp_path / "home", facts, more)
    told = {id: home.ask("show", "--links", id) for id in "abcdefgh"}
    told = {id: answer for id, answer in told.items() if "near" in answer}
    near = {id: edges(answer["near"]) for id, answer in told.items()}
    back = {"out": "in", "in": "out", "both": "both"}
    shown = {one["id"]: one for one in home.ask("show")["facts"]}
    for id, found in near.items():
        assert all(other != id for *_, other in found)
        for kind, direction, entity, other in found:
            assert other not in near or (kind, back[direction], entity, id) in near[other]
        for one in told[id]["near"]:
            assert one["exists"] is (one["id"] in shown)
            assert one["instead"] == (shown[one["id"]]["instead"] if one["exists"] else [])


def test_a_crowd_is_counted_and_no_edge(tmp_path: Path) -> None:
    """An entity that a hundred facts share joins them; one that more share joins nobody."""
    crowd: Facts = [
        (f"f-{number:03d}", f"Number {number}.", "", "entity: All") for number in range(100)
    ]
    whole = home_of(tmp_path / "one", crowd).ask("show", "--links", "f-000")
    assert (len(whole["near"]), whole["crowds"]) == (99, [])
    more: Facts = [("g", "G.", "", "entity: all, Few"), ("h", "H.", "", "entity: few")]
    found = home_of(tmp_path / "two", [*crowd, *more]).ask("show", "--links", "g")
    assert edges(found["near"]) == {("entity", "both", "few", "h")}
    assert [(one["entity"], one["facts"]) for one in found["crowds"]] == [("all", 101)]
