"""The readers of `diurna import`: the layouts that tools document, and whatever else may lie there."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rituals.intake.intake_items import Item, Reading
from rituals.intake.markdown_sections import front_matter, sections
from rituals.intake.sources import SOURCES, Ground, read_source, source_named, time_of
from tests.conftest import Repo, Run, examples


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A project and a user's folder, both empty."""
    project, user = tmp_path / "shop", tmp_path / "user"
    project.mkdir()
    user.mkdir()
    return Ground(str(project), str(user), {})


def lay(folder: str, **files: str) -> str:
    """Write files, named with `__` for `/` and `_md` for `.md`."""
    for name, text in files.items():
        path = Path(folder, name.replace("__", "/").replace("_md", ".md").replace("_json", ".json"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def read(name: str, ground: Ground, *named: str) -> Reading:
    """Read a source, of what was named or of what lies there."""
    source = source_named(name)
    assert source is not None
    return read_source(source, named, ground)[0]


def by_text(reading: Reading) -> dict[str, Item]:
    """Items by the first line of their text."""
    return {item.text.split("\n")[0]: item for item in reading.items}


def memory_of(ground: Ground) -> str:
    """Where Claude Code keeps its memory of a project."""
    slug = "".join([char if char.isalnum() else "-" for char in ground.project])
    return f"{ground.user}/.claude/projects/{slug}/memory"


def test_claude_auto_memory(ground: Ground) -> None:
    """A memory is a fact; `user` is personal; the index only points; a page without a type is whole sections."""
    lay(
        memory_of(ground),
        MEMORY_md="- [Tests](feedback_tests.md) — real database\n- [Lost](lost.md) — gone\n- Staging is birch.\n",
        feedback_tests_md="---\nname: tests\ndescription: >-\n  Tests use\n  a database\n"
        "metadata:\n  node_type: memory\n  type: feedback\n  modified: 2026-04-05T06:07:08.999Z\n---\n\n"
        "Tests hit Postgres.\n\n**Why:** mocks lied.\n",
        user_role_md="---\nname: role\ndescription: who\ntype: user\n---\nTen years of Go.\n",
        debugging_md="# Debugging\n\n- Redis hangs.\n  Restart it.\n\n## Do NOT\n\n- Flush it.\n<!-- a\nnote -->\n",
    )
    os.utime(f"{memory_of(ground)}/user_role.md", (1_700_000_000, 1_700_000_000))
    found = read("claude", ground)
    items = by_text(found)
    assert items["Tests hit Postgres."].kind == "convention"
    assert items["Tests hit Postgres."].key == "memory/feedback_tests.md"
    assert items["Tests hit Postgres."].at == "2026-04-05T06:07:08Z"
    role = items["Ten years of Go."]
    assert role.personal and role.at == "2023-11-14T22:13:20Z" and role.author == "claude-code"
    assert items["Debugging:"].text == "Debugging:\n\n- Redis hangs.\n  Restart it."
    assert items["Debugging / Do NOT:"].text == "Debugging / Do NOT:\n\n- Flush it."
    assert items["Staging is birch."].place == "MEMORY.md:3"
    assert [one.why for one in found.left_out] == ["it points to lost.md, which is gone"]


@pytest.mark.parametrize("name", ("CLAUDE.md", "CLAUDE.local.md", ""))
def test_a_file_of_rules_is_no_memory(ground: Ground, name: str) -> None:
    """Agents read it by themselves, and its bullets mean little without what stands above them."""
    lay(
        ground.project,
        CLAUDE_md="# Rules\n\n**Do NOT:**\n- Store keys\n",
        CLAUDE__local_md="- x y z\n",
    )
    found = read("claude", ground, f"{ground.project}/{name}".rstrip("/"))
    assert found.items == () and "no auto memory" in found.left_out[0].why


def test_memory_of_the_mcp_server(ground: Ground, tmp_path: Path) -> None:
    """An observation is a fact about its entity; the relations of one are one fact more."""
    file = tmp_path / "memory.json"
    said = [
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
    file.write_text("\n".join(json.dumps(one) for one in said))
    found = read("mcp-memory", ground, str(file))
    assert [(one.text, one.entity, one.kind, one.tags) for one in found.items] == [
        ("It is Redis.", "Queue", "", ("service",)),
        ("Queue: is read by Mail; is filled by Shop.", "Queue", "reference", ()),
    ]
    assert found.items[0].key == "Queue: It is Redis." and found.left_out == ()


def test_claude_memory_of_another_project_is_not_read(ground: Ground) -> None:
    """Where two paths have one slug, the transcripts beside the memory say whose it is."""
    folder = memory_of(ground)
    lay(folder, MEMORY_md="- Theirs.\n")
    Path(folder, "..", "s.jsonl").write_text(
        json.dumps({"cwd": ground.project.replace("/shop", "-shop")}) + "\n"
    )
    mine = json.dumps({"cwd": ground.project})  # so far behind the beginning nobody looks
    Path(folder, "..", "r.jsonl").write_text("x" * 70_000 + f"\n{mine}\n")
    assert read("claude", ground).items == ()
    Path(folder, "..", "t.jsonl").write_text(
        "no json\n" + json.dumps({"cwd": ground.project + "/api"}) + "\n"
    )
    assert [item.text for item in read("claude", ground).items] == ["Theirs."]


def test_json_lines_with_whatever_names(ground: Ground, tmp_path: Path) -> None:
    """Text, kind, date, author, id and tags are found under the names that tools give them."""
    file = tmp_path / "facts.jsonl"
    said = [
        {"text": "One.", "kind": "decision", "created": "2026-01-02", "author": "Mara", "id": "a"},
        {"memory": "Two.", "type": "decision", "createdAt": 1767312000000, "by": "Jo", "uuid": "b"},
        {
            "content": "Three.",
            "metadata": {"author": "Ed", "tags": "x, y"},
            "timestamp": 1767312000,
        },
        "Four.",
        {"title": "no text"},
        {"text": "Five.", "personal": True, "supersedes": "a", "status": "done"},
    ]
    file.write_text("\n".join(json.dumps(one) for one in said) + "\n{broken\n\n")
    found = read("jsonl", ground, str(file))
    assert [(one.text, one.kind, one.at[:10], one.author) for one in found.items] == [
        ("One.", "decision", "2026-01-02", "Mara"), ("Two.", "decision", "2026-01-02", "Jo"),
        ("Three.", "", "2026-01-02", "Ed"), ("Four.", "", "", ""), ("Five.", "", "", ""),
    ]  # fmt: skip
    assert found.items[2].tags == ("x", "y") and found.items[0].key == "a"
    five = found.items[4]
    assert five.personal and five.closed and five.replaces == ("a",)
    assert [(one.place, one.why) for one in found.left_out] == [
        ("facts.jsonl:7", "it is no JSON"), ("facts.jsonl:5", "it has no text"),
    ]  # fmt: skip


def test_times() -> None:
    """Dates, instants with and without zones, and numbers of any unit; nonsense is no time."""
    for said, meant in (
        ("2026-01-02", "2026-01-02"), ("2026/01/02", "2026-01-02"), ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05Z"), ("2026-01-02T99:99", "2026-01-02"),
        (1767312000, "2026-01-02T00:00:00Z"), ("1767312000000", "2026-01-02T00:00:00Z"), (1767312000.5, "2026-01-02T00:00:00Z"),
        ("soon", ""), (None, ""), (True, ""), (-5, ""), (1e300, ""), ("2026-13-40", ""), ("9" * 400, ""), ([], ""),
        ("0001-01-01T00:00:00+14:00", "0001-01-01"),
    ):  # fmt: skip
        assert time_of(said) == meant, said


def test_front_matter_of_every_form() -> None:
    """Quotes, lists, blocks and nesting are read; what is never closed is text."""
    said, body, line = front_matter(
        "---\nname: \"a: b\"\ntags: [x, 'y']\nlist:\n  - p\n  - q\ndescription: |\n  two\n  lines\n"
        "metadata:\n  type: user # no\n---\nBody.\n"
    )
    assert said == {
        "name": "a: b", "tags": "x, y", "list": "p, q", "description": "two\nlines", "metadata.type": "user",
    }  # fmt: skip
    assert (body, line) == ("Body.\n", 13)
    assert front_matter("---\nnever: closed\n")[0] == {}


@settings(max_examples=examples(40), deadline=None)
@given(st.text(alphabet="-*# \n`~[]x@<!>ab:\t|=", max_size=200))
def test_any_page_is_read(text: str) -> None:
    """Whatever stands there, its sections come in order, and each begins on the line that it names."""
    said, body, first = front_matter(text)
    found = sections(body, first)
    assert [one.line for one in found] == sorted(one.line for one in found)
    lines = text.split("\n")
    for one in found:
        assert not one.text or one.text.split("\n")[0] in lines[one.line - 1]
        assert len(one.titles) >= bool(one.level)
    assert all(isinstance(value, str) for value in said.values())


@pytest.mark.parametrize("source", [source.name for source in SOURCES])
def test_nothing_there(source: str, ground: Ground) -> None:
    """Where a tool never was there is nothing to read, and a folder without its files brings nothing."""
    found = source_named(source)
    assert found is not None and found.reader().places(ground) == ()
    assert len(found.does) <= 60
    assert read(source, ground, ground.user).items == ()


def test_import_from_the_command_line(repo: Repo, run: Run) -> None:
    """Off a terminal it shows the plan; --write takes it in, once; --json says all of it."""
    lines = [{"text": "Use tabs."}, {"text": "Deploy on Mondays."}]
    repo.write("facts.jsonl", "\n".join(map(json.dumps, lines)))
    shown = run("import", "jsonl", "facts.jsonl")
    assert shown.code == 0 and "new (2)" in shown.out and "--write" in shown.err
    assert "new (2)" in (said := run("import", "jsonl", "facts.jsonl", "-v").out)
    assert " more " not in said and "type: import" not in repo.git("log", "-p")
    done = run("import", "jsonl", "facts.jsonl", "--write")
    assert done.code == 0 and "took in 2 facts from jsonl" in done.out
    again = run("import", "jsonl", "facts.jsonl", "--write", "--json").json
    assert (again["same"], again["new"], again["stems"], again["dry_run"]) == (2, [], [], True)
    assert again["places"] == [str(repo.path / "facts.jsonl")]
    refused = run("import", "claude-mem")
    assert refused.code == 1 and "~/.claude-mem/claude-mem.db" in refused.err
    assert run("import", "jsonl", "none.jsonl").code == 1
    assert run("import", "events").code == 2 and run("import", "nobody").code == 2


def test_json_lines_keep_the_ids_that_they_are_given(repo: Repo, run: Run) -> None:
    """An id that is free is the fact's; one that another fact has is refused, and no id is made of others."""
    assert run("note", "id=mine decision: It is mine.").code == 0
    lines = [
        {"text": "Deploy on Mondays."},
        {"id": "deploy-mondays", "text": "The day of deploys is a Monday, by tradition.", "kind": "decision",
         "source": "docs/adr/0003-days.md:9"},
        {"id": "mine", "text": "It is yours."},
        {"id": "No Id", "text": "Ids are lower case."},
    ]  # fmt: skip
    given = "\n".join(map(json.dumps, lines)).encode()
    told = run("import", "jsonl", "-", "--write", "--json", stdin=given).json
    new = {one["text"]: one for one in told["new"]}
    named = new["The day of deploys is a Monday, by tradition."]
    assert (named["id"], named["place"]) == ("deploy-mondays", "docs/adr/0003-days.md:9")
    assert len({one["id"] for one in new.values()}) == 3 and "It is yours." not in new
    assert [one["why"] for one in told["left_out"]] == [
        "`mine` is another fact: give it an id that is free"
    ]
    again = [{**lines[1], "text": "Deploys go out on Tuesdays."}]
    told = run(
        "import", "jsonl", "-", "--write", "--json", stdin=json.dumps(again[0]).encode()
    ).json
    assert [(one["id"], one["how"]) for one in told["changed"]] == [("deploy-mondays", "updated")]
    assert "Deploys go out on Tuesdays." in run("show", "deploy-mondays").out
    assert "It is mine." in run("show", "mine").out
