"""`entity` and `links`: what they print, and what they say where there is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.test_answers import linked as linked  # a fixture

if TYPE_CHECKING:
    from tests.conftest import Repo, Run


def test_entity(linked: Repo, run: Run) -> None:
    """All facts about an entity in any spelling, and what of it stands now."""
    found = run("show", "--about", "payments api", "--json").json
    assert (found["format"], found["name"]) == (1, "Payments API")
    assert found["kinds"] == {"decision": 2, "fact": 1}
    assert found["tiers"] == {"active": 1, "superseded": 1, "working": 1}
    assert found["summary"] == [
        "Calls time out after 10 s, see [[gone]].", "Webhooks retry, [[timeouts|see there]].",
    ]  # fmt: skip
    shown = {fact["id"]: fact for fact in run("show", "--json").json["facts"]}
    wanted = [shown[id] for id in ("webhook-retries", "timeouts", "webhook-once")]
    assert {(fact.pop("known"), fact.pop("known_by")) for fact in wanted} == {
        ("said", "claude-code"), ("said", "codex"),
    }  # fmt: skip
    assert found["facts"] == wanted


def test_links_as_json(linked: Repo, run: Run) -> None:
    """Every end of an edge with where it stands."""
    found = run("show", "--links", "timeouts", "--json").json
    assert (found["id"], found["exists"], found["crowds"]) == ("timeouts", True, [])
    assert [(one["edge"], one["direction"], one["id"], one["exists"]) for one in found["near"]] == [
        ("link", "out", "gone", False),
        ("link", "in", "webhook-retries", True),
        ("entity", "both", "webhook-once", True),
        ("entity", "both", "webhook-retries", True),
    ]
    assert found["near"][2]["instead"] == ["webhook-retries"]


def test_links_of_what_is_invalidated_or_leads_nowhere(linked: Repo, run: Run) -> None:
    """What was called false without a successor is said so; a chain that ends there has nothing left."""
    assert run("append", "--title", "Off", "--invalidate", "webhook-retries").code == 0
    said = run("show", "--links", "timeouts").out
    assert "linked from webhook-retries  invalidated — Webhooks retry" in said
    assert "webhook-once  superseded, nothing stands instead — A webhook" in said


def test_a_crowd(repo: Repo, run: Run) -> None:
    """An entity of more than a hundred facts is counted, with the command that lists them."""
    names = [f"f{number:03}" for number in range(101)]
    facts = "\n".join(f"- Fact {name}.\n  <!-- id: {name} | entity: All -->" for name in names)
    created = (
        f"# Many\n\n## Memory References\n\n- Created: {', '.join(names)}\n\n## Facts\n\n{facts}\n"
    )
    repo.write("log.md", created)
    assert run("append", "log.md").code == 0
    said = run("show", "--links", "f000").out
    assert said.endswith('\n\n101 facts share All: diurna show --about "All"\n')


def test_what_helped_informs(repo: Repo, run: Run) -> None:
    """What was born in a log in which patterns helped is informed by them; they helped together."""
    assert run("note", "id=p1 pattern: Read the log.", "id=p2 pattern: Ask first.",
               "id=p3 pattern: Guess.").code == 0  # fmt: skip
    assert run(
        "append", "--title", "Work", "--new", "id=d decision: Retry.", "--helped", "p1=`make` exit 0",
        "--helped", "p2=`make` exit 0", "--helped", "p3=it felt good",
    ).code == 0  # fmt: skip
    near = run("show", "--links", "d", "--json").json["near"]
    assert {one["id"] for one in near} == {"p1", "p2"}, "without evidence nothing is counted"
    said = run("show", "--links", "p1", "--json").json
    assert {(one["edge"], one["direction"], one["id"]) for one in said["near"]} == {
        ("informed-by", "both", "p2"), ("informed-by", "in", "d"),
    }  # fmt: skip


def test_purpose_leads_to_a_vision(repo: Repo, run: Run) -> None:
    """What a fact serves, and what that serves; a circle ends."""
    assert run("note", "id=north vision: Shops never lose an order.", "id=goal decision: Retry. → serves: north",
               "id=design decision: Three tries. → serves: goal").code == 0  # fmt: skip
    said = run("show", "--links", "design")
    assert "  purpose: north → goal → design\n" in said.out
    assert run("show", "--links", "goal", "--json").json["purpose"] == ["north"]
    assert run("show", "--links", "north", "--json").json["purpose"] == []
