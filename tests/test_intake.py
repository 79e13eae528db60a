"""`diurna import` of what other tools keep: looked at first, once, dated, without secrets; stores are left alone."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rituals.intake.sources import SOURCES
from tests.conftest import examples
from tests.other_stores import WRITERS, write_basic_memory, write_claude_mem
from tests.pages import GUIDE
from tests.world import IN_TREE, OWN_REPOSITORY, Place, World

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
Line = dict[str, Any]


def line(key: str, text: str, **more: Any) -> Line:
    """A line of JSON as `import jsonl` takes it."""
    return {"key": key, "text": text, "source": f"{key}.md:1", **more}


def take(home: Place, *lines: Any, write: bool = True) -> Any:
    """Import lines; return what the command says of them."""
    given = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines)
    options = ("--write",) if write else ()
    return home.run(
        "import", "jsonl", "-", *options, stdin=given.encode("utf-8", "surrogatepass")
    ).json


def counts(plan: Any) -> dict[str, int]:
    """Return how many of each sort a plan has, of those that there are."""
    names = ("new", "changed", "closed", "left_out", "stems")
    found = {name: len(plan[name]) for name in names} | {
        "same": plan["same"],
        "personal": plan["personal"],
    }
    return {name: count for name, count in found.items() if count}


#: What is imported, and what comes of it; between imports commands of a person's stand.
Step = tuple[list[Any], dict[str, int]] | list[str]
TABS, BUILD = line("a", "Use tabs."), line("a", "The build takes 4 minutes.", id="build")
NINE = line("a", "The build takes 9 minutes.", id="build")
STORIES: dict[str, list[Step]] = {
    "twice is once": [
        ([TABS, line("b", "The queue is in Redis."), line("c", "Use tabs.")], {"new": 2, "same": 1, "stems": 1}),
        ([TABS, line("b", "The queue is in Redis."), line("c", "Use tabs.")], {"same": 3}),
    ],
    "what memory says, but for case and marks, is no news, and what is like it is": [
        ["append", "--title", "T", "--new", "id=retries decision: Webhooks retry three times with jitter on the queue."],
        ([line("a", "webhooks retry THREE times with jitter, on the queue")], {"same": 1}),
        ([line("b", "Webhooks retry five times with jitter on the queue."), line("c", "Never retry webhooks.")], {"new": 2, "stems": 1}),
    ],
    "what the source changed is an update, and back again": [
        ([BUILD], {"new": 1, "stems": 1}),
        ([NINE], {"changed": 1, "stems": 1}), ([NINE], {"same": 1}), ([BUILD], {"changed": 1, "stems": 1}),
    ],
    "what both changed is asked once, and nothing is written over": [
        ([BUILD], {"new": 1, "stems": 1}),
        ["append", "--title", "T", "--update", "build", "The build takes 5 minutes."],
        ([BUILD], {"same": 1}), ([NINE], {"changed": 1, "stems": 1}), ([NINE], {"same": 1}),
    ],
    "what was redacted does not come back, under another key either": [
        ([line("a", "Mara's desk is in room 4.", id="desk")], {"new": 1, "stems": 1}),
        ["redact", "desk", "--reason", "Private."],
        ([line("a", "Mara's desk is in room 4.", id="desk"), line("z", "Mara's desk is in room 4.")], {"left_out": 2}),
    ],
    "what is false here stays false": [
        ["append", "--title", "T", "--new", "id=old The queue is in Redis."],
        ["append", "--title", "U", "--new", "id=new The queue is in Postgres now.", "--supersede", "old=new"],
        ([line("a", "The queue is in Redis.")], {"left_out": 1}),
    ],
    "a settled thread is closed, and stays open where it was opened again": [
        ([line("t", "Decide on the cache.", id="cache", kind="thread")], {"new": 1, "stems": 1}),
        ([line("t", "Decide on the cache.", id="cache", kind="thread", status="done")], {"closed": 1, "stems": 1}),
        ["append", "--title", "T", "--reopen", "cache"],
        ([line("t", "Decide on the cache.", id="cache", kind="thread", status="done")], {"same": 1}),
    ],
    "what is personal stays out of a shared home": [
        ([line("me", "I like short answers.", personal=True)], {"personal": 1}),
    ],
    "a text that one item gives up and another takes is new there": [
        ([line("a", "Use spaces.", id="indent")], {"new": 1, "stems": 1}),
        ([line("a", "Use tabs.", id="indent"), line("b", "Use spaces.")], {"changed": 1, "new": 1, "stems": 1}),
    ],
    "ids are made of first lines, and differ where these do not": [
        ([line(f"k{n}", f"Mind the gap.\n\nReason {n}.") for n in range(4)], {"new": 4, "stems": 1}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
def test_what_comes_in_and_what_does_not(world: World, story: str) -> None:
    """Each step brings what the row counts; a plan says the same and writes nothing; the ledger is whole."""
    home = world.home(OWN_REPOSITORY)
    for step in STORIES[story]:
        if isinstance(step, list):
            home.run(*step)
            continue
        lines, expected = step
        before = home.shape()
        planned = counts(take(home, *lines, write=False))
        assert home.shape() == before
        assert planned == {name: count for name, count in expected.items() if name != "stems"}
        assert counts(take(home, *lines)) == expected
    assert home.check("--ci") == []
    home.warm_is_cold()


def test_what_comes_in_has_its_place_date_and_author(world: World) -> None:
    """A birth says where it stands in its source, when and by whom it was written; kinds on purpose become tags."""
    home = world.home(IN_TREE)
    take(home, line("x", "Deploys go out on Tuesdays.", id="tuesdays", created="2025-03-04T10:00:00Z", author="Mara",
                    kind="convention", tags=["ops", "release"], entity="deploy", source="a.md:1"),
         line("y", "Ship it.", id="ship", kind="task"), line("z", "Fast tests.", id="fast", kind="vision"))  # fmt: skip
    (fact,) = home.run("show", "tuesdays").json["facts"]
    assert (fact["created"], fact["kind"], fact["text"]) == (
        "2025-03-04",
        "convention",
        "Deploys go out on Tuesdays.",
    )
    footer = home.text("show", "tuesdays")
    for said in (
        "source: a.md:1",
        "by: Mara",
        "tags: ops, release",
        "entity: deploy",
        "key: jsonl ",
    ):
        assert said in footer
    (event,) = home.run("why", "tuesdays").json["events"]
    assert (event["source"], event["by"], event["created"]) == ("a.md:1", "Mara", "2025-03-04")
    (log,) = [one for one in home.run("log").json["sessions"] if one["type"] == "import"]
    assert b"source: jsonl" in home.logs()[log["stem"]]
    assert "tags: task" in home.text("show", "ship") and "tags: vision" in home.text("show", "fast")


def test_items_replace_each_other(world: World) -> None:
    """`supersedes` is a supersession, also of what came before; a circle is not closed."""
    home = world.home(OWN_REPOSITORY)
    one = {"id": "adr-1", "text": "Accepted: store events in Redis."}
    take(home, one)
    take(home, one, {"id": "adr-2", "text": "Accepted: events stand in Postgres.", "supersedes": ["adr-1", "adr-3"]},
         {"id": "adr-3", "text": "Accepted: a file per tenant.", "supersedes": "adr-2"})  # fmt: skip
    facts = {id: home.run("show", id).json["facts"][0] for id in ("adr-1", "adr-2", "adr-3")}
    assert facts["adr-1"]["superseded_by"] == ["adr-2"]
    assert sum(bool(facts[id]["superseded_by"]) for id in ("adr-2", "adr-3")) == 1


def test_ids_that_are_given_are_kept(world: World) -> None:
    """An id that is free is the fact's; one that another fact has is refused, and one that is none is made anew."""
    home = world.home(IN_TREE, facts={"mine": "decision: It is mine."})
    plan = take(home, {"id": "deploy-mondays", "text": "The day of deploys is a Monday."},
                {"id": "mine", "text": "It is yours."}, {"id": "No Id", "text": "Ids are lower case."})  # fmt: skip
    assert plan["new"][0]["id"] == "deploy-mondays" and len(plan["new"]) == 2
    assert [one["why"] for one in plan["left_out"]] == [
        "`mine` is another fact: give it an id that is free"
    ]
    assert home.texts()["mine"] == "It is mine."


def test_json_lines_with_whatever_names(world: World) -> None:
    """Text, kind, date, author, id and tags are found under the names that tools give them."""
    home = world.home(OWN_REPOSITORY)
    plan = take(
        home,
        {"text": "One thing.", "kind": "decision", "created": "2026-01-02", "author": "Mara", "id": "a"},
        {"memory": "Two things.", "type": "decision", "createdAt": 1767312000000, "by": "Jo", "uuid": "b"},
        {"content": "Three.", "metadata": {"author": "Ed", "tags": "x, y"}, "timestamp": "2026/01/02 03:04"},
        '"Four."', {"title": "no text"}, "{broken", "",
    )  # fmt: skip
    assert [(one["text"], one["kind"], one["created"], one["by"]) for one in plan["new"]] == [
        ("One thing.", "decision", "2026-01-02", "Mara"), ("Two things.", "decision", "2026-01-02", "Jo"),
        ("Three.", "fact", "2026-01-02", "Ed"), ("Four.", "fact", "", ""),
    ]  # fmt: skip
    assert sorted(one["why"] for one in plan["left_out"]) == ["it has no text", "it is no JSON"]
    assert "tags: x, y" in home.text("show", plan["new"][2]["id"])


def test_secrets_are_neither_stored_nor_shown(world: World) -> None:
    """In texts, kinds, authors, places and keys, on whatever way they are printed; a second run knows the item again."""
    home = world.home(IN_TREE)
    lines = [{"id": TOKEN, "text": f"A {TOKEN}", "kind": TOKEN, "author": TOKEN, "tags": [TOKEN]},
             {"text": "Other.", "supersedes": TOKEN, "entity": TOKEN, "author": f"mara {TOKEN}"}, {"id": 1}]  # fmt: skip
    home.write(f"{TOKEN}.jsonl", "\n".join(map(json.dumps, lines)))
    for more in ((), ("-v",), ("--json",), ("--write",)):
        ran = home.run("import", "jsonl", f"{TOKEN}.jsonl", *more, json=False)
        assert TOKEN not in ran.out + ran.err
        assert "--json" not in more or (ran.json["redacted"], len(ran.json["left_out"])) == (1, 2)
    assert TOKEN not in home.git("log", "-p", "--all", "--", "memory")
    assert home.run("import", "jsonl", f"{TOKEN}.jsonl").json["new"] == []


_TEXTS = st.sampled_from(
    ["Use tabs", "Use spaces", "Never deploy on Fridays", "Always deploy on Fridays", "Redis is the queue",
     "Postgres is the queue", "Retry three times", "Retry five times", f"The key is {TOKEN}", "```\nopen"]
)  # fmt: skip


@pytest.mark.deep(reason="what_comes_in_and_what_does_not is the small one")
@settings(max_examples=examples(6, 20), suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("abcdefg"), _TEXTS), max_size=7, unique_by=lambda one: one[0]),
        min_size=1, max_size=3,
    )
)  # fmt: skip
def test_any_reading_comes_once(
    tmp_path_factory: pytest.TempPathFactory, readings: list[Any]
) -> None:
    """Whatever a store says next, a second run brings nothing, no secret is in git, and warm is cold."""
    with World(tmp_path_factory.mktemp("intake")) as world:
        home = world.home(OWN_REPOSITORY)
        for reading in readings:
            lines = [line(key, text) for key, text in reading]
            if not lines:
                continue
            take(home, *lines)
            again = take(home, *lines)
            assert (again["new"], again["stems"]) == ([], [])
        assert TOKEN not in home.git("log", "-p", "--all")
        home.warm_is_cold()


# ---- stores of other tools ---------------------------------------------------------------------------------


def items(
    home: Place, source: str, *places: Path | str, env: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return what an import would bring, by the first lines of its texts, and as `""` the whole answer."""
    answer = home.run("import", source, *map(str, places), env=env).json
    return {one["text"].split("\n")[0]: one for one in answer["new"]} | {"": answer}


def memory_of(home: Place) -> Path:
    """Return where Claude Code keeps its memory of a project."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(home.folder))
    return home.world.user / ".claude/projects" / slug / "memory"


def test_claude_auto_memory(world: World) -> None:
    """A memory is a fact; `user` is personal; the index only points; a page without a type is whole sections."""
    home = world.home(IN_TREE)
    folder = memory_of(home)
    folder.mkdir(parents=True)
    for name, text in {
        "MEMORY.md": "- [Tests](feedback_tests.md) — real database\n- [Lost](lost.md) — gone\n- Staging is birch.\n",
        "feedback_tests.md": "---\nname: tests\ndescription: >-\n  Tests use\n  a database\nmetadata:\n  node_type: memory\n"
        "  type: feedback\n  modified: 2026-04-05T06:07:08.999Z\n---\n\nTests hit Postgres.\n\n**Why:** mocks lied.\n",
        "user_role.md": "---\nname: role\ndescription: who\ntype: user\n---\nTen years of Go.\n",
        "debugging.md": "# Debugging\n\n- Redis hangs.\n  Restart it.\n\n## Do NOT\n\n- Flush it.\n<!-- a\nnote -->\n",
    }.items():
        (folder / name).write_text(text)
    found = items(home, "claude")
    tests = found["Tests hit Postgres."]
    assert (tests["kind"], tests["created"], tests["place"]) == (
        "convention",
        "2026-04-05",
        "feedback_tests.md:11",
    )
    assert found["Debugging:"]["text"] == "Debugging:\n\n- Redis hangs.\n  Restart it."
    assert found["Debugging / Do NOT:"]["text"] == "Debugging / Do NOT:\n\n- Flush it."
    assert found["Staging is birch."]["place"] == "MEMORY.md:3"
    assert found[""]["personal"] == 1 and "Ten years of Go." not in found
    assert [one["why"] for one in found[""]["left_out"]] == ["it points to lost.md, which is gone"]
    for name in ("CLAUDE.md", "CLAUDE.local.md"):
        home.write(name, "# Rules\n\n**Do NOT:**\n- Store keys\n")
        answer = home.run("import", "claude", name, code=None).json
        assert not answer.get("new") and "no auto memory" in str(answer)


def test_claude_memory_of_another_project_is_not_read(world: World) -> None:
    """Where two paths have one slug, the transcripts beside the memory say whose it is."""
    home = world.home(IN_TREE)
    folder = memory_of(home)
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- Theirs.\n")
    (folder.parent / "s.jsonl").write_text(json.dumps({"cwd": str(home.folder) + "-x"}) + "\n")
    far = json.dumps({"cwd": str(home.folder)})  # so far behind the beginning nobody looks
    (folder.parent / "r.jsonl").write_text("x" * 70_000 + f"\n{far}\n")
    assert not home.run("import", "claude", code=None).json.get("new")
    (folder.parent / "t.jsonl").write_text(
        "no json\n" + json.dumps({"cwd": f"{home.folder}/api"}) + "\n"
    )
    assert "Theirs." in items(home, "claude")


def test_memory_of_the_mcp_server(world: World) -> None:
    """An observation is a fact about its entity; the relations of one are one fact more."""
    home = world.home(IN_TREE)
    said: list[Line] = [
        {
            "type": "entity",
            "name": "Queue",
            "entityType": "service",
            "observations": ["It is Redis.", ""],
        },
        {"type": "relation", "from": "Queue", "to": "Mail", "relationType": "is_read_by"},
        {"type": "relation", "from": "Queue", "to": "Shop", "relationType": "is_filled_by"},
        {"type": "entity", "name": "Empty", "entityType": "x", "observations": []},
    ]
    file = home.write("memory.json", "\n".join(map(json.dumps, said)))
    taken = home.run("import", "mcp-memory", str(file), "--write").json
    assert [(one["text"], one["kind"]) for one in taken["new"]] == [
        ("It is Redis.", "fact"), ("Queue: is read by Mail; is filled by Shop.", "reference"),
    ]  # fmt: skip
    about = home.text("show", taken["new"][0]["id"])
    assert "entity: Queue" in about and "tags: service" in about and not taken["left_out"]


def test_claude_mem_brings_what_holds_and_not_what_was_done(world: World) -> None:
    """Decisions, causes of bugs and next steps of this project, with dates; what is left out is counted and named."""
    home = world.home(IN_TREE, "shop")
    store = write_claude_mem(world.folder).place
    found = items(home, "claude-mem", f"{store}#shop")
    assert {text: (one["kind"], one["created"]) for text, one in found.items() if text} == {
        "Webhooks retry three times: then the event goes to the dead letters": ("decision", "2026-03-02"),
        "Timeouts came from a missing index: orders.created_at had none": ("fact", "2026-03-04"),
        "Next steps: Count the dead letters": ("thread", found["Next steps: Count the dead letters"]["created"]),
    }  # fmt: skip
    why = str(found[""]["left_out"])
    for said in ("1 of the type change", "1 of another project", "1 that sum up observations"):
        assert said in why
    assert next(iter(items(home, "claude-mem", f"{store}#other"))).startswith("Redis is shared")
    with closing(sqlite3.connect(store)) as db, db:
        db.execute("DELETE FROM observations")  # a summary is then the only word of its session
    assert "The partner drops more than three tries" in items(home, "claude-mem", f"{store}#shop")


def test_basic_memory_brings_observations_relations_and_short_notes(world: World) -> None:
    """A category is a kind, else a tag; the note is what a fact is about, and dates it; its key outlives edits."""
    home = world.home(IN_TREE)
    store = write_basic_memory(world.folder).place
    note = store / "design" / "Authentication Design.md"
    note.write_text(
        note.read_text("utf-8").replace("type: note\n", "date: 2026-03-02\nauthor: Mara\n")
    )
    taken = home.run("import", "basic-memory", str(store), "--write").json
    assert [(one["text"], one["kind"]) for one in taken["new"]] == [
        ("Sessions use signed cookies, not JWT (agreed with Mara)", "decision"),
        ("Tokens expire after 20 minutes", "fact"),
        ("Rotate the signing key before the launch", "thread"),
        ("Authentication Design: depends on User Database; implements API Security.", "reference"),
        ("Deploy notes: We deploy with blue/green since March; the switch is `make flip`.", "fact"),
    ]  # fmt: skip
    id = taken["new"][1]["id"]
    about = home.text("show", id)
    assert re.search("tags: [^|]*constraint", about) and "entity: Authentication Design" in about
    assert "  from design/Authentication Design.md:17, written 2026-03-02 by Mara\n" in home.text(
        "why", id
    )
    said = note.read_text("utf-8").replace("after 20 minutes", "after 35 minutes, or at logout")
    note.write_text(said.replace("## Observations\n", "## Observations\n- [fact] A new one\n"))
    again = home.run("import", "basic-memory", str(store), "--write").json
    assert [one["text"] for one in again["new"]] == ["A new one"]
    assert [(one["id"], one["how"]) for one in again["changed"]] == [(id, "updated")]


def test_where_a_store_lies_is_known_where_it_is_of_this_project(world: World) -> None:
    """claude-mem by its file, basic-memory by projects that lie in this one; nothing there is said, and is no fault."""
    home = world.home(IN_TREE)
    for source in SOURCES:
        if source.name != "jsonl":
            assert home.run("import", source.name, code=1).json["error"]
    inside = home.folder / "notes"
    write_basic_memory(inside.parent / "made").place.rename(inside)
    config = world.user / ".basic-memory" / "config.json"
    config.parent.mkdir()
    projects = {"a": {"path": str(inside)}, "b": {"path": str(world.folder / "elsewhere")}}
    config.write_text(json.dumps({"projects": projects}))
    assert items(home, "basic-memory")[""]["places"] == [str(inside)]
    (world.folder / "made").mkdir()
    made = write_claude_mem(world.folder / "made").place
    (world.user / ".claude-mem").mkdir()
    made.rename(world.user / ".claude-mem" / "claude-mem.db")
    answer = home.run("import", "claude-mem", code=None).json
    assert answer["places"] == [str(world.user / ".claude-mem/claude-mem.db")]


def _seen(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return bytes and times of all files; the shared memory of SQLite is its writer's own."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


@pytest.mark.parametrize("tool", WRITERS)
def test_a_store_is_neither_changed_nor_locked(world: World, tool: str) -> None:
    """Bytes and times stay, no file comes to be, and what a writer at work has in its log alone is read."""
    home, folder = world.home(IN_TREE), world.folder / "store"
    folder.mkdir()
    place = WRITERS[tool](folder).place
    named = f"{place}#shop" if tool == "claude-mem" else str(place)
    before = _seen(folder)
    whole = items(home, tool, named)[""]["new"]
    assert whole and _seen(folder) == before
    for path in sorted(folder.rglob("*.db")):
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("PRAGMA journal_mode = WAL")
            writer.execute("PRAGMA wal_autocheckpoint = 0")
            writer.execute(
                "UPDATE observations SET title = 'Read from the log' WHERE type = 'decision'"
            )
            writer.execute("BEGIN IMMEDIATE")
            before = _seen(folder)
            assert any(text.startswith("Read from the log") for text in items(home, tool, named))
            assert _seen(folder) == before
            writer.execute("ROLLBACK")


def test_the_page_names_every_source_and_no_other() -> None:
    """Who comes from a tool finds its line."""
    page = (GUIDE / "MOVING.md").read_text("utf-8")
    typed = re.findall(r"^\|[^|]*\| `diurna import ([a-z0-9-]+)", page, re.MULTILINE)
    assert sorted(typed) == sorted(
        [*(source.name for source in SOURCES), "docs", "events", "items", "ledger"]
    )


WRONG: list[tuple[list[str], int]] = [
    (["jsonl", "none.jsonl"], 1), (["events"], 2), (["nobody"], 2), (["claude-mem"], 1),
]  # fmt: skip


def test_import_from_the_command_line(world: World) -> None:
    """Off a terminal it shows the plan; `--write` takes it in, once; what is not there is an error."""
    home = world.home(IN_TREE)
    home.write("facts.jsonl", '{"text": "Use tabs."}\n{"text": "Deploy on Mondays."}\n')
    shown = home.run("import", "jsonl", "facts.jsonl", json=False)
    assert "new (2)" in shown.out and "--write" in shown.err
    assert " more " not in home.text("import", "jsonl", "facts.jsonl", "-v")
    assert "took in 2 facts from jsonl" in home.text("import", "jsonl", "facts.jsonl", "--write")
    for words, code in WRONG:
        home.run("import", *words, code=code)


def test_what_is_personal_comes_into_the_users_own_home_alone(world: World) -> None:
    """Named by an option or by the environment; what is not about the user stays out of it."""
    home = world.home(OWN_REPOSITORY)
    home.run("init", "--personal")
    lines = [line("me", "I like short answers.", personal=True), line("us", "CI has two cores.")]
    given = "\n".join(map(json.dumps, lines)).encode()
    asked = ("import", "jsonl", "-", "--write")
    assert home.run(*asked, stdin=given).json["personal"] == 1
    mine = home.run(*asked, "--home", "personal", stdin=given).json
    assert [one["text"] for one in mine["new"]] == ["I like short answers."]
    again = home.run(*asked, stdin=given, env={"DIURNA_HOME": "personal"}).json
    assert (again["new"], again["same"]) == ([], 1)
