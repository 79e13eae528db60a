"""`diurna append` looks first: what is similar, what contradicts, and what was said a moment ago."""

from __future__ import annotations

import pytest

from tests.world import Answer, Place, World

LIMIT = "Outbound calls time out after 10 s."
ALIKE = "id=http Outbound HTTP calls time out after ten seconds."
FACTS = {
    "api-timeouts": f"decision: {LIMIT}",
    "inv-loop": "invariant: Handlers must not block the event loop.",
}
OPPOSITE = ("--title", "Two", "--new", "id=b Outbound calls time out after 60 s.")


@pytest.fixture
def home(world: World) -> Place:
    return world.home(facts=FACTS)


@pytest.fixture
def faded(world: World) -> Place:
    """A home in which these facts have faded."""
    home = world.home(facts=FACTS, policy={"working": 1, "active": 1, "archive": 1})
    for _ in range(3):
        home.session("On", "--ref", "inv-loop")
    assert home.show("api-timeouts")["api-timeouts"]["tier"] == "archived"
    return home


def told(answer: Answer) -> list[str]:
    return [one["message"] for one in answer.json["findings"]]


def test_a_similar_fact_is_named(home: Place, world: World) -> None:
    """The log is recorded; a warning names the fact, how similar it is, and what to say instead."""
    answer = home.run("append", "--title", "Two", "--new", ALIKE)
    assert told(answer) == ["http is similar to `api-timeouts` (92)"] and "http" in home.show()
    assert answer.json["findings"][0]["hint"].startswith(
        "say `--ref api-timeouts` or `--update api-timeouts TEXT`"
    )


def test_an_archived_fact_is_named_and_not_doubled(faded: Place) -> None:
    """What faded is not forgotten: the hint brings it back; what is false may be said again."""
    answer = faded.run("append", "--title", "Two", "--new", ALIKE)
    assert told(answer) == ["http is similar to `api-timeouts` (92), archived"]
    error = faded.run("append", "--title", "Two", "--new", LIMIT, code=1).json["error"]
    assert error["message"] == f"`api-timeouts` in the archive says just that: {LIMIT}"
    assert error["hint"].startswith("say `--reactivate api-timeouts`")
    faded.session("Off", "--invalidate", "api-timeouts", "--invalidate", "http")
    assert faded.run("append", "--title", "Three", "--strict", "--new", LIMIT).codes() == []


def test_a_contradicted_invariant_comes_first(home: Place) -> None:
    """Contradictions come before likenesses, and those of what never fades before all others."""
    answer = home.run(
        "append", "--title", "Two", "--new", "id=a Outbound HTTP calls time out after 10 s.",
        "--new", "id=b Outbound calls time out after one minute.",
        "--new", "id=c Handlers may block the event loop.",
    )  # fmt: skip
    assert told(answer) == [
        'c contradicts invariant `inv-loop`: "block" against "not block"',
        'b contradicts `a`: "one minute" against "10 s"',
        'b contradicts `api-timeouts`: "one minute" against "10 s"',
        "a is similar to `api-timeouts` (92)",
    ]
    assert "`diurna append --supersede inv-loop=c`" in answer.json["findings"][0]["hint"]


def test_strict_refuses_and_changes_nothing(home: Place) -> None:
    """With --strict it is an error; without, a warning, of a dry run too; what replaces it is none."""
    before = home.shape()
    for more, code in (("--dry-run", 0), ("--strict", 1)):
        found = home.run("append", *OPPOSITE, more, code=code).json
        (one,) = (found if code == 0 else found["error"])["findings"]
        assert (one["code"], one["message"]) == (
            "opposite-fact",
            'b contradicts `api-timeouts`: "60 s" against "10 s"',
        )
    assert home.shape() == before
    home.run("append", *OPPOSITE, "--strict", "--supersede", "api-timeouts=b")


def test_an_id_made_from_a_text_never_doubles_a_fact(home: Place) -> None:
    """The same text under an id that nobody chose is refused; a chosen id is told."""
    refused = home.run(
        "append", "--title", "Two", "--new", "outbound calls time out after **10 s**", code=1
    )
    assert refused.json["error"]["message"] == f"`api-timeouts` says just that: {LIMIT}"
    answer = home.run(
        "append", "--title", "Two", "--new", "id=mine outbound calls time out after 10 s"
    )
    assert told(answer) == ["mine is similar to `api-timeouts` (100)"]


def test_after_ten_minutes_it_is_no_retry(home: Place) -> None:
    """The same is one log up to that millisecond, whatever it repeats, and another log after it (W6)."""
    for command in (("--new", "Uploads are limited to 10 MB."), ("--ref", "inv-loop")):
        now = home.clock.now_ms + 1000
        stem = home.run("append", "--title", "Two", *command).json["stem"]
        for later_ms, already in ((600_000, True), (600_001, False)):
            home.clock.now_ms = now + later_ms - 1000
            if command[0] == "--new" and not already:
                continue
            again = home.run("append", "--title", "Two", *command).json
            assert (again["already"], again["stem"] == stem) == (already, already)
