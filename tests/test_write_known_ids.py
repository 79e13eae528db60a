"""Ids that memory does not know, and circles: refused before anything is written, whichever verb names them."""

from __future__ import annotations

import pytest

from tests.world import Answer, Place, World

FACTS = {
    "api-timeouts": "All calls time out.",
    "retry-queue": "Queued.",
    "a": "A.",
    "b": "B.",
    "c": "C.",
}
SLIP = "api-timeots"
#: Each line by which a log changes a fact.
LINES = (
    "Updated: {}", "Superseded: {} → retry-queue", "Superseded: retry-queue → {}", "Invalidated: {}",
    "Reactivated: {}", "Closed: {}", "Reopened: {}", "Verified: {}", "Promoted: {}", "Demoted: {}",
    "Redacted: {}", "Reinstated: {}", "Archived: {}", "Moved: {} → done", "Helped: {} — code.py:1",
)  # fmt: skip


@pytest.fixture
def home(world: World) -> Place:
    return world.home(facts=FACTS)


def say(home: Place, *lines: str, code: int | None = 0, anyway: bool = False) -> Answer:
    """Append a log with such lines of references."""
    said = "".join(f"- {line}\n" for line in lines)
    blocks = [line.split()[1] for line in lines if line.startswith(("Updated", "Created"))]
    facts = "".join(f"- [ ] New {id}.\n  <!-- id: {id} | kind: thread -->\n" for id in blocks)
    text = f"# Next\n\n## Memory References\n\n{said}\n## Facts\n\n{facts}"
    return home.run("append", "-", "--again", *["--anyway"] * anyway, stdin=text, code=code)


@pytest.mark.parametrize("part", range(3))
def test_what_would_change_an_unknown_fact_is_refused(home: Place, part: int) -> None:
    """With the id that was meant, and nothing written; meant as it is, it is told and written."""
    before = home.shape(), home.waiting()
    for line in LINES[part::3]:
        error = say(home, line.format(SLIP), code=1).json["error"]
        assert error["message"] == f"there is no fact {SLIP}"
        assert error["hint"].startswith("did you mean api-timeouts? ")
    assert (home.shape(), home.waiting()) == before
    for number, line in enumerate(LINES[part::3]):
        assert "unknown-id" in say(home, line.format(f"zzz-{number}"), anyway=True).codes(), line


def test_a_reference_to_nothing_costs_no_log(home: Place) -> None:
    """It is left out and told, so that nothing dangles; the start of one id alone is that one; all slips are named."""
    answer = say(home, f"Referenced: {SLIP}, re")
    (found,) = answer.json["findings"]
    assert found["code"] == "unknown-id" and found["hint"].startswith("did you mean api-timeouts? ")
    log = home.logs()[answer.json["stem"]]
    assert b"retry-queue" in log and b"timeots" not in log
    refused = say(home, "Invalidated: zzz", "Updated: retry-qeue", "Referenced: yyy", code=1)
    messages = [one["message"] for one in refused.json["error"]["findings"]]
    assert messages == ["there is no fact retry-qeue", "there is no fact zzz"]
    assert say(home, f"Referenced: {SLIP}", anyway=True).codes() == ["unknown-id"]
    hint = say(home, "Invalidated: api-timeot", code=1).json["error"]["hint"]
    assert "did you mean api-timeouts?" in hint, "what was only named is never proposed"


def test_a_circle_is_refused(home: Place) -> None:
    """A fact never replaces itself, over two steps or over four, in one log or in several, also anyway."""
    for line in ("Superseded: a → b", "Superseded: b → c"):
        say(home, line)
    for anyway in (False, True):
        refused = say(home, "Superseded: c → a", code=1, anyway=anyway)
        assert "a can not supersede c" in refused.err and "c → a → b → c" in refused.err
    for lines in (
        ("Superseded: c → api-timeouts", "Superseded: api-timeouts → a"),
        ("Created: x", "Created: y", "Superseded: x → y", "Superseded: y → x"),
    ):
        assert "circle" in say(home, *lines, code=1).err
    assert say(home, "Superseded: c → api-timeouts").codes() == []
    # what was taken back closes none, in an earlier log or the same one
    say(home, "Reinstated: a", "Superseded: b → a", code=None)
    say(home, "Created: d", "Created: e", "Superseded: d → e")
    assert say(home, "Reinstated: d", "Superseded: e → d").codes() == []
    assert (
        home.show("e")["e"]["superseded_by"] == ["d"]
        and home.show("d")["d"]["tier"] != "superseded"
    )
    say(home, "Reinstated: e")
    assert say(home, "Superseded: d → e").codes() == [] and "supersession-cycle" not in home.check(
        "--ci"
    )
