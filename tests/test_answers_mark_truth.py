"""What is done and what is false says so in every answer: text, JSON and to agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from tests.conftest import HELD, laid_once
from tests.mcp_clients import ask, connected, open_home

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

DONE = {"closed": True, "false": False, "instead": [], "marks": [], **HELD}
GONE = {"closed": False, "false": True, "instead": [], "marks": [], **HELD}
OLD = {"closed": False, "false": True, "instead": ["newest"], "marks": [], **HELD}
HOLDS = {"closed": False, "false": False, "instead": [], "marks": [], **HELD}
#: id -> how it is marked, and what its text looks like in a line.
MARKED = {
    "ask": (DONE, "closed: "),
    "gone": (GONE, "invalidated: "),
    "old": (OLD, "superseded by newer; newest stands instead (Newest in the walrus ledger.): "),
    "newer": (OLD, "superseded by newest (Newest in the walrus ledger.): "),
    "newest": (HOLDS, ""),
}
ABOUT = "the walrus ledger"


@laid_once
def told(repo: Repo, run: Run) -> None:
    """A thread that is done, a fact that is false, and one that was replaced twice; all of one entity."""
    new = [
        word
        for fact, kind in (("ask", "thread"), ("gone", "fact"), ("old", "fact"))
        for word in ("--new", f"id={fact} entity=Walrus {kind}: {fact.title()} in {ABOUT}.")
    ]
    assert run("append", "--title", "One", *new).code == 0
    for old, fact in (("old", "newer"), ("newer", "newest")):
        text = f"id={fact} entity=Walrus fact: {fact.title()} in {ABOUT}."
        assert (
            run("append", "--title", fact, "--new", text, "--supersede", f"{old}={fact}").code == 0
        )
    assert run("append", "--title", "Off", "--close", "ask", "--invalidate", "gone").code == 0


def marks(found: dict[str, Any]) -> dict[str, Any]:
    return {key: found[key] for key in HOLDS}


def test_recall_marks(told: Repo, run: Run) -> None:
    """Each hit, in a line, as a timeline and in full."""
    hits = run("recall", *ABOUT.split(), "--in", "facts", "--superseded", "--json").json["hits"]
    assert {hit["id"]: marks(hit) for hit in hits} == {
        fact: mark for fact, (mark, _) in MARKED.items()
    }
    for hit in hits:
        _, before = MARKED[hit["id"]]
        assert hit["line"].startswith(f"{before}{hit['id'].title()} in ")
        for level in ("timeline", "full"):
            text = run("recall", "--ids", hit["id"], "--level", level).out
            assert before.removesuffix(": ") in text
    assert "  closed: Ask in the walrus ledger." in run("recall", "walrus", "--in", "facts").out


def test_timeline_marks(told: Repo, run: Run) -> None:
    """What a session did is told with what became of it since, but where it says that itself."""
    ran = run("recall", "--level", "timeline", "ask")
    assert (
        "    created ask (closed), gone (invalidated), "
        "old (superseded by newer; newest stands instead)\n" in ran.out
    )
    assert "    created newest; superseded newer → newest\n" in ran.out
    assert (
        "    created newer (superseded by newest); superseded old → newer (superseded by newest)"
        in ran.out
    )
    assert "    invalidated gone; closed ask\n" in ran.out
    found = run("recall", "--level", "timeline", "ask", "--json").json["marks"]
    assert found == {fact: mark for fact, (mark, _) in MARKED.items() if mark != HOLDS}


def test_entity_and_links_mark(told: Repo, run: Run) -> None:
    """All about an entity, and a neighbourhood: the fact itself and both ends of each edge."""
    found = {one["id"]: one for one in run("show", "--about", "Walrus", "--json").json["facts"]}
    assert {fact: marks(one) for fact, one in found.items()} == {
        fact: mark for fact, (mark, _) in MARKED.items()
    }
    text = run("show", "--about", "Walrus").out
    assert "  ask  thread, active, closed, " in text
    assert "  old  fact, superseded by newer; newest stands instead, " in text
    assert "  gone  fact, invalidated, " in text
    for fact, (mark, _) in MARKED.items():
        links = run("show", "--links", fact, "--json").json
        assert marks(links) == mark
        for one in links["near"]:
            assert marks(one) == MARKED[one["id"]][0], one
    text = run("show", "--links", "newest").out
    assert "shares Walrus with ask  active, closed — Ask" in text
    assert "shares Walrus with gone  invalidated — Gone" in text
    assert run("show", "--links", "ask").out.startswith("ask  thread, active, closed\n")


def test_why_and_show_mark(told: Repo, run: Run) -> None:
    """In the first line of where a fact comes from, and in what scripts read."""
    shown = {one["id"]: marks(one) for one in run("show", "--json").json["facts"]}
    for fact, (mark, before) in MARKED.items():
        said = before.removesuffix(": ").partition(" (")[0]
        head = f"{fact}  {said}" if said else fact
        assert run("why", fact).out.split("\n")[0] == f"{head}  said by claude-code"
        assert marks(run("why", fact, "--json").json) == mark
        assert shown[fact] == mark


def test_the_brief_marks(told: Repo, run: Run) -> None:
    """To who comes back: what changed, with what stands now in its place; in every form."""
    who = ("brief", "--agent", "somebody")
    text = run(*who).out
    assert (
        "\n- old superseded by newer; newest stands instead, says claude-code: Newest in the"
        in text
    )
    facts = [
        one
        for part in run(*who, "--json").json["sections"]
        for one in part["facts"]
        if part["title"] != "Lately"
    ]
    for one in facts:
        mark = MARKED[one["id"]][0]
        assert {key: one.get(key, HOLDS[key]) for key in HOLDS} == mark, one
    # what stands is told by what it replaced
    assert {one["id"] for one in facts} == {"ask", "gone", "old", "newer"}


def test_agents_are_told(told: Repo) -> None:
    """The tools `recall` and `get` say it in fields of their own."""

    async def story() -> None:
        async with connected(told.path, open_home) as client:
            answer = await ask(client, "recall", query=ABOUT, within="facts", superseded=True)
            got = await ask(client, "get", ids=list(MARKED))
            for hits in (answer["hits"], got["hits"]):
                assert {
                    hit["id"]: {key: hit.get(key, HOLDS[key]) for key in HOLDS} for hit in hits
                } == {fact: mark for fact, (mark, _) in MARKED.items()}

    anyio.run(story)
