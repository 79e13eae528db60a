"""`append` and `note` look first: what is near, what says just that, and what was said a moment ago."""

from __future__ import annotations

import pytest

from tests.world import Place, World

LIMIT = "Outbound calls time out after 10 s."
ALIKE = "id=http Outbound HTTP calls time out after ten seconds."
FACTS = {
    "api-timeouts": f"decision: {LIMIT}",
    "inv-loop": "invariant: Handlers must not block the event loop.",
}


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


@pytest.mark.parametrize("new", [ALIKE, "id=b Outbound calls time out after 60 s."])
def test_a_near_fact_is_a_field_and_a_line(home: Place, new: str) -> None:
    """The same or the opposite: it is told as it stands, with what says that it is replaced, and no word of which is right."""
    text = home.text("append", "--title", "Two", "--new", new, "--dry-run")
    id = new[3:].split()[0]
    line = f"near     api-timeouts  {LIMIT} If yours replaces it: `--supersede api-timeouts={id}`"
    assert text.splitlines()[-1] == line
    answer = home.run("append", "--title", "Two", "--new", new)
    (near,) = answer.json["near"]
    assert near == {"fact": id, "id": "api-timeouts", "kind": "decision", "text": LIMIT}
    assert answer.err == "" and id in home.show()


def test_a_note_is_given_again_with_what_it_replaces(home: Place) -> None:
    """The hint works before and after it is recorded: the fact that is there takes the place, and no second one is made."""
    new = "decision: Outbound calls time out after 60 s."
    for option in ("--dry-run", "--agent=codex"):
        assert home.text("note", new, option).endswith("replaces it: `--replace api-timeouts`\n")
    (made,) = home.show().keys() - FACTS.keys()
    home.run("note", new, "--replace", "api-timeouts")
    assert home.show().keys() == FACTS.keys() | {made}
    assert home.show("api-timeouts")["api-timeouts"]["superseded_by"] == [made]


def test_an_archived_fact_is_not_doubled(faded: Place) -> None:
    """What faded is no candidate, and not forgotten: its very text brings it back; what is false may be said again."""
    assert faded.run("append", "--title", "Two", "--new", ALIKE).json["near"] == []
    (found,) = faded.run("append", "--title", "Two", "--new", LIMIT).json["findings"]
    assert found["message"].startswith("`api-timeouts` in the archive says just that")
    assert faded.show("api-timeouts")["api-timeouts"]["tier"] != "archived"
    faded.session("Off", "--invalidate", "api-timeouts", "--invalidate", "http")
    assert faded.run("append", "--title", "Three", "--strict", "--new", LIMIT).codes() == []


def test_an_id_made_from_a_text_never_doubles_a_fact(home: Place) -> None:
    """The same text under an id that nobody chose is a use, with `--strict` it is refused; a chosen id is near."""
    same, before = "outbound calls time out after **10 s**", home.shape()
    for new in (same, f"id=mine {same}"):
        refused = home.run("append", "--title", "Two", "--new", new, "--strict", code=1)
        assert refused.json["error"]["message"] == f"`api-timeouts` says just that: {LIMIT}"
    assert home.shape() == before
    used = home.run("append", "--title", "Two", "--new", same)
    assert (used.json["facts"], used.codes()) == ([], ["similar-fact"])
    answer = home.run("append", "--title", "Two", "--new", f"id=mine {same}")
    assert [one["id"] for one in answer.json["near"]] == ["api-timeouts"]


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
