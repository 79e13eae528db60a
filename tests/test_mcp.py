"""The MCP server, asked by the SDK's own client in this process: tools, limits, sessions, what goes wrong."""

from __future__ import annotations

import json
import random
import re
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client
from mcp.shared.exceptions import MCPError

from memory.api import Memory
from tests.conftest import Repo, Run
from tests.mcp_clients import (
    LIST_CHARS,
    NAMES,
    SECONDS,
    Tell,
    ask,
    by_hand,
    open_home,
    refused,
    tell,
)

__all__ = ["tell"]


#: Keyword -> whether both providers take it.
TAKEN = {
    line.split("`")[1]: " - " not in line.split("|")[2:]
    for line in Path(__file__)
    .with_name("schema_subsets.md")
    .read_text(encoding="utf-8")
    .split("\n")
    if line.startswith("| `")
}


def odd(schema: dict[str, Any]) -> list[str]:
    """Name what of a schema some provider refuses, for the whole request."""
    parts = {"object": schema.get("properties", {}), "array": {"": schema.get("items")}}
    inner = parts.get(schema["type"], {"": None}).values()
    found = [key for key in schema if not TAKEN[key]] + ["no properties"] * (not inner)
    found += [f"enum {one!r}" for one in schema.get("enum", ()) if not one]
    return found + [one for part in inner if part is not None for one in odd(part)]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_are_described(tell: Tell, mode: str) -> None:
    """None of the tools destroys or reaches out, most only read, and every provider takes the schemas."""

    async def story(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert tuple(tool.name for tool in tools) == NAMES
        for tool in tools:
            notes = tool.annotations
            assert notes is not None and tool.output_schema is None
            reads = tool.name not in ("note", "append", "resolve", "task")
            assert (notes.read_only_hint, notes.open_world_hint) == (reads or None, False)
            assert reads or (notes.destructive_hint, notes.idempotent_hint) == (False, True)
            assert odd(tool.input_schema) == ["no properties"] * (tool.name == "status"), tool.name
            names = set(tool.input_schema["properties"])
            assert not names & {"path", "file", "folder", "dir", "home", "repository", "url"}
        listed = [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
            for tool in tools
        ]
        assert len(json.dumps(listed)) <= LIST_CHARS

    tell(story, mode=mode)


#: What a client means by a call, in the types of the schema.
MEANT: dict[str, dict[str, Any]] = {
    "append": {
        "title": "Wire the queue", "body": "[1, 2]", "refs": "limit", "anyway": True, "new": [
            {"text": "5", "id": "queue", "tags": "api", "footers": [{"key": "source", "value": "a.py"}]}
        ],
    },
    "recall": {"query": "5", "limit": 5, "superseded": False, "level": "index"}, "get": {"ids": ["limit"]},
    "note": {"text": "Queues have a limit.", "kind": "fact"}, "task": {"action": "list"}, "status": {},
}  # fmt: skip


def sent(said: Any, schema: dict[str, Any], chance: random.Random) -> Any:
    """Return what some client sends for a value: it may know no types, and can leave no argument out."""
    if isinstance(said, dict):
        known = schema["properties"]
        said = {name: sent(one, known[name], chance) for name, one in said.items()}
        for name in set(known) - set(said) - set(schema.get("required", ())):
            empty = known[name]["type"] != "string" or "enum" in known[name]
            said |= chance.choice([{}, {name: None}, {name: "" if empty else None}])
    if isinstance(said, list):
        said = [sent(one, schema["items"], chance) for one in said]
        said = chance.choice([said, [*said, None], *(said if len(said) == 1 else [])])
    if isinstance(said, str):
        return chance.choice([said, json.loads(said)]) if said.isdigit() else said
    other: dict[type, list[object]] = (
        {bool: [str(said)], int: [float(said)]} if isinstance(said, int) else {}
    )
    return chance.choice([said, json.dumps(said), *other.get(type(said), [])])


def test_whatever_form_a_client_sends_means_the_same(tell: Tell) -> None:
    """Null and an empty text for what is not given, JSON in a text, a number, one value for a list of one."""

    async def story(client: Client) -> None:
        schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        await ask(client, "note", text="id=limit fact: A limit.")
        for tool, meant in MEANT.items():
            first = await ask(client, tool, **meant)
            for seed in range(4):
                said = sent(meant, schemas[tool], random.Random(seed))
                said = json.loads(said) if isinstance(said, str) else said
                again = await ask(client, tool, **said)
                kept = ("stem",) if "stem" in first else first
                assert {key: again[key] for key in kept} == {key: first[key] for key in kept}, said

    tell(story)


@pytest.mark.parametrize(
    ("draft", "options", "said"),
    [
        (
            {"close": ["Not An Id"]},
            ("--close", "Not An Id"),
            "not a fact id: 'Not An Id'\nhint: ids are ",
        ),
        ({"new": [{"text": ""}]}, ("--new", ""), "'' gives the fact no text\nhint: for example: "),
        ({"update": [{"id": "a", "text": ""}]}, ("--update", "a", ""), "a has no text"),
        ({"close": ["nobody"]}, ("--close", "nobody"), "there is no fact nobody"),
    ],
)
def test_a_slip_is_told_in_the_same_words_whichever_way_it_came(
    draft: dict[str, object], options: tuple[str, ...], said: str, tell: Tell, run: Run
) -> None:
    """Options, JSON and a tool's arguments: only the place is named as it was written."""
    draft = {"title": "t", **draft}
    assert said in run("append", "--title", "t", *options).err
    assert said in run("append", "--from-json", "-", stdin=json.dumps(draft).encode()).err

    async def story(client: Client) -> None:
        assert said in await refused(client, "append", **draft)

    tell(story)


def test_a_session_of_work(tell: Tell, run: Run) -> None:
    """An agent reads the status, records, finds it again, reads it whole; the same again is one log."""

    async def story(client: Client) -> None:
        await client.list_tools()  # so that the client checks answers against the schemas
        assert (await ask(client, "status"))["logs"] == 0
        draft = {
            "title": "Wire the queue",
            "body": "The dead letter table grows; nobody reads it.",
            "new": [
                {"text": "Webhooks retry three times.", "kind": "decision", "id": "webhook-retries"},
                {"text": "Who reads the dead letter table?", "kind": "thread", "tags": ["api"]},
            ],
        }  # fmt: skip
        first = await ask(client, "append", **draft)
        assert first["facts"][0] == "webhook-retries"
        assert first["waits"] == "not committed" and "already" not in first
        again = await ask(client, "append", **draft)
        assert (again["stem"], again["already"]) == (first["stem"], True)

        found = await ask(client, "recall", query="how often do webhooks retry", limit=3)
        hit = found["hits"][0]
        assert (hit["id"], hit["kind"], hit["stem"]) == (
            "webhook-retries", "decision", first["stem"],
        )  # fmt: skip
        assert found["tokens"] > 0 and found["whole"] > 0
        whole = await ask(client, "get", ids=[hit["id"]])
        assert "Webhooks retry three times." in whole["hits"][0]["text"]
        passage = await ask(client, "recall", query="dead letter grows", within="sessions")
        assert passage["hits"][0]["id"].startswith(first["stem"] + ":")
        assert "stem" not in passage["hits"][0]  # the id says it
        section = await ask(client, "get", ids=[passage["hits"][0]["id"], first["stem"]])
        assert len(section["hits"]) == 2
        assert (await ask(client, "recall", query="zyzzyva"))["hits"] == []
        status = await ask(client, "status")
        assert (status["logs"], status["facts"]) == (1, 2)

    tell(story)
    shown = run("log", "--json").json["sessions"]
    assert [(one["agent"], one["title"]) for one in shown] == [("a-client", "Wire the queue")]


#: Filters of a recall of buttons -> the facts that it leaves.
FILTERS: tuple[tuple[dict[str, object], str], ...] = (
    ({}, "green red"), ({"superseded": True}, "blue green red"), ({"tag": "ui, other"}, "green"),
    ({"kind": "decision,stack", "superseded": True}, "blue"), ({"agent": "somebody-else"}, ""),
    ({"agent": "a-client", "since": "2026-01-01", "until": "2027-01-01"}, "green red"),
    ({"until": "2020-01-01"}, ""), ({"until": "400 days ago"}, ""), ({"tag": ["ui", "other"]}, "green"),
    ({"since": "3 days ago", "as_of": "2099-12-31T10:00+02:00"}, "green red"),
)  # fmt: skip


def test_filters_reach_the_search(tell: Tell) -> None:
    """Each filter takes names with commas between, and leaves out what is something else."""

    async def story(client: Client) -> None:
        green = {"text": "The button is green.", "id": "green", "tags": ["ui"]}
        blue = {"text": "The button was blue.", "id": "blue", "kind": "decision"}
        await ask(client, "append", title="Colours", new=[green, blue])
        red, instead = {"text": "The button is red.", "id": "red"}, {"old": "blue", "new": "red"}
        await ask(client, "append", title="Red", new=[red], supersede=[instead])
        for filters, left in FILTERS:
            found = await ask(client, "recall", query="button", within="facts", **filters)
            assert sorted(hit["id"] for hit in found["hits"]) == left.split(), filters

    tell(story)


def test_what_can_not_be_is_refused_and_nothing_changes(tell: Tell, repo: Repo) -> None:
    """Each bad request is answered by a message that names the place; the server lives on."""
    before = repo.shape()

    async def story(client: Client) -> None:
        text = (
            Path(__file__)
            .with_name("mcp_refused.txt")
            .read_text(encoding="utf-8")
            .partition("\n\n")[2]
        )
        for row in text.strip().replace("\n    ", "\t").split("\n"):
            call, _, message = row.partition("\t")
            call = re.sub(r'"(.)\*(\d+)"', lambda many: f'"{many[1] * int(many[2])}"', call)
            call = re.sub(
                r'\[(.*), "\*(\d+)"', lambda many: "[" + ", ".join([many[1]] * int(many[2])), call
            )
            tool, _, arguments = call.partition(" ")
            said = await refused(client, tool, **json.loads(arguments))
            assert message in said and "hint: " in said, (row, said)
        for _ in range(2):
            with pytest.raises(MCPError, match="there is no tool 'no'\nhint: one of brief"):
                await client.call_tool("no", {})
        assert (await ask(client, "status"))["logs"] == 0

    tell(story)
    assert repo.shape() == before


def test_a_kind_that_is_none_costs_no_log(tell: Tell) -> None:
    """The word stays in the text of a fact, and the answer says so."""

    async def story(client: Client) -> None:
        told = await ask(client, "append", title="t", new=[{"kind": "tread", "text": "It is."}])
        (found,) = told["findings"]
        assert ": there is no kind tread; the word is kept" in found["message"]
        assert "tread: It is." in str(await ask(client, "recall", query="tread"))

    tell(story)


def test_a_contradiction_is_listed_and_resolved(tell: Tell, run: Run) -> None:
    """`resolve` without a choice lists the sides as data, with one it appends a log, then it is settled."""
    for hour, text in ((10, "Ten seconds."), (20, "Twenty seconds.")):
        by_hand(
            f"2026-11-20-{hour}1500",
            f"---\nagent: by-hand\n---\n\n# {text}\n\n## Memory References\n\n- Created: limit\n\n"
            f"## Facts\n\n- {text}\n  <!-- id: limit -->\n".encode(),
        )

    async def story(client: Client) -> None:
        assert (await ask(client, "status"))["contradictions"] == ["limit"]
        sides = (listed := await ask(client, "resolve", id="limit"))["sides"]
        assert {side["text"] for side in sides} == {"Ten seconds.", "Twenty seconds."}
        assert "not instructions" in listed["notice"] and "stem" not in listed
        said = await refused(client, "resolve", id="limit", choose="ffffffff")
        assert "is none of what stands" in said
        chosen = next(side["id"] for side in sides if side["text"] == "Twenty seconds.")
        done = await ask(client, "resolve", id="limit", choose=chosen)
        assert done["waits"] == "not committed"
        assert (await ask(client, "resolve", id="limit", choose=chosen))["already"]
        assert (await ask(client, "status"))["contradictions"] == []

    tell(story)
    assert "Twenty seconds." in run("show").out


def test_a_task_goes_its_way_by_the_tool(tell: Tell, run: Run) -> None:
    """Added, picked, handed over and received, each as on the command line; refusals speak of the tool."""

    async def story(client: Client) -> None:
        added = await ask(
            client, "task", action="add", text="Wire the queue.", id="wire", priority="high",
            criteria="It runs.\nIt is fast.",
        )  # fmt: skip
        assert added["facts"] == ["wire", "pizive", "lubivu"]
        await ask(client, "task", action="add", text="Measure it.", id="measure", depends="wire")
        listed = await ask(client, "task")
        assert [one["id"] for one in listed["tasks"]] == ["wire", "measure"]
        assert listed["tasks"][1]["waits"] == [{"id": "wire", "why": "todo"}]
        assert "not instructions" in listed["notice"]
        assert run("task", "start", "wire", "--agent", "ada").code == 0
        said = await refused(client, "task", action="start", id="wire")
        assert "ada has wire" in said
        assert "`task` with the action `pick`" in said and "`take_over`" in said
        done = await ask(client, "task", action="start", id="wire", take_over=True)
        assert done["did"] == {"moved": ["wire → in-progress"]}
        left = await ask(
            client, "task", action="handoff", id="wire", done="All.", next="Rest.\nEat.", to="judge"
        )
        assert left["did"]["created"] == ["handoff-wire"]
        assert "- Next: Eat." in run("show", "handoff-wire").out
        assert (await ask(client, "task", action="pick"))["already"].startswith("no task is free")
        got = await ask(client, "task", action="pick", start=True, role="Judge")
        assert got["did"] == {"moved": ["wire → in-progress"], "closed": ["handoff-wire"]}
        assert (await ask(client, "task", action="done", id="wire"))["waits"] == "not committed"
        again = await ask(client, "task", action="done", id="wire")
        assert again["already"].startswith("wire is done")
        assert "move needs state" in await refused(client, "task", action="move", id="measure")
        assert "there is no " in await refused(client, "task", action="start")
        assert "add needs text" in await refused(client, "task", action="add")

    tell(story)


def test_a_slow_question_blocks_nobody_and_can_be_taken_back(
    tell: Tell, repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one takes its time others are answered; a reading taken back is not done, a writing is."""
    recalled: list[str] = []
    monkeypatch.setattr(Memory, "recall", lambda self, query, **_: recalled.append(query))
    going, opened = threading.Event(), threading.Event()

    def slowly(home: Any) -> Memory:
        opened.set()
        assert going.wait(SECONDS)
        return open_home(home)

    async def story(client: Client) -> None:
        answers: list[dict[str, Any]] = []

        async def status() -> None:
            answers.append(await ask(client, "status"))

        async def take_back(tool: str, **arguments: object) -> None:
            """Ask, and give up once the question waits for its turn."""
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as asking:
                    asking.start_soon(client.call_tool, tool, dict(arguments))
                    await anyio.wait_all_tasks_blocked()
                    scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(status)
            await anyio.to_thread.run_sync(opened.wait, SECONDS)
            await client.list_tools()
            await take_back("recall", query="anything")
            await take_back("append", title="Taken back too late")
            assert answers == []
            going.set()
        assert answers[0]["logs"] == 0
        assert (await ask(client, "status"))["logs"] == 1

    tell(story, open_memory=slowly)
    assert recalled == []
    (log,) = run("log", "--json").json["sessions"]
    assert log["title"] == "Taken back too late"


def test_too_many_requests_are_told_to_wait(
    tell: Tell, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the limit of what may wait, a request is refused at once and the others are answered."""
    monkeypatch.setattr("rituals.serve.open_memory.LIMIT_CALLS", 3)
    going, opened = threading.Event(), threading.Event()

    def slowly(home: Any) -> Memory:
        opened.set()
        assert going.wait(SECONDS)
        return open_home(home)

    async def story(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, client, "status")
            await anyio.to_thread.run_sync(opened.wait, SECONDS)
            for _ in range(3):
                tasks.start_soon(ask, client, "status")
            await anyio.wait_all_tasks_blocked()
            assert "3 requests wait already\nhint: ask again" in await refused(client, "status")
            going.set()

    tell(story, open_memory=slowly)


def test_a_bug_is_no_traceback_and_no_end(
    tell: Tell, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody foresaw is said in one line with a file for its details, and the next question works."""
    broken = [True]

    def recall(self: Memory, query: str, **_: object) -> object:
        if broken.pop():
            raise RuntimeError("secret innards")
        raise AssertionError

    monkeypatch.setattr(Memory, "recall", recall)

    async def story(client: Client) -> None:
        said = await refused(client, "recall", query="anything")
        assert said.startswith("a bug in Diurna (RuntimeError); the details are in ")
        assert "innards" not in said
        log = Path(said.split("\n")[0].rpartition(" in ")[2])
        assert "secret innards" in log.read_text(encoding="utf-8")
        assert (await ask(client, "status"))["logs"] == 0

    tell(story)


def test_the_branch_that_is_checked_out_is_followed(tell: Tell, repo: Repo, run: Run) -> None:
    """A home in the work tree is read and written on the branch of the moment, never on that of the start."""

    def commit() -> None:
        repo.git("add", "memory")
        repo.git("commit", "-q", "-m", "by hand")

    async def story(client: Client) -> None:
        await ask(client, "append", title="On main", new=[{"text": "Known.", "id": "known"}])
        commit()
        main = repo.git("rev-parse", "main")
        repo.git("switch", "-q", "-c", "feature")
        await ask(client, "append", title="On the feature", new=[{"text": "New.", "id": "new"}])
        commit()
        assert repo.git("rev-parse", "main") == main
        assert (await ask(client, "status"))["home"]["branch"] == "feature"
        repo.git("switch", "-q", "main")
        assert (await ask(client, "status"))["logs"] == 1
        await refused(client, "get", ids=["new"])
        repo.git("switch", "-q", "--orphan", "empty")
        assert "no Diurna home" in await refused(client, "append", title="Where to?")
        another = repo.write("diurna.toml", "format = 1\n")
        assert "is not there" in await refused(client, "append", title="Where to?")
        another.unlink()
        repo.git("switch", "-q", "feature")
        assert (await ask(client, "status"))["logs"] == 2

    tell(story)
    assert repo.git("status", "--porcelain") == ""


def test_the_status_says_what_a_terminal_would(tell: Tell, repo: Repo, run: Run) -> None:
    """A policy that can not be read is told by `status`: no agent sees standard error."""
    path = Path("memory/diurna.toml")
    path.write_text("windows = 3\n", encoding="utf-8")
    repo.git("commit", "-q", "-am", "a slip")

    async def story(client: Client) -> None:
        (finding,) = (await ask(client, "status"))["findings"]
        assert (finding["code"], finding["severity"]) == ("policy-invalid", "warning")
        assert finding["message"] in run("status").err

    tell(story)


def test_tools_say_what_commands_say(tell: Tell, run: Run) -> None:
    """Each reading tool has its twin command: the same facts, in the same order; to get one is a use."""
    assert run("note", "id=retries decision: Webhooks retry three times.", "id=wire task: Wire the queue.",
               "id=limit convention: Webhooks have a limit of ten seconds.").code == 0  # fmt: skip
    ids = ("retries", "limit")
    wanted: dict[str, Any] = {
        "recalled": [one["id"] for one in run("recall", "webhooks", "--json").json["hits"]],
        "shown": [run("show", one, "--json").json["facts"][0]["text"] for one in ids],
        "tasks": [one["id"] for one in run("task", "--json").json["tasks"]], "status": run("status", "--json").json["logs"],
        "why": [one["text"] for one in run("why", "wire", "--json").json["events"]],
        "brief": [line for line in run("brief", "--agent", "a-client").out.split("\n") if line.startswith("- ")],
    }  # fmt: skip

    async def story(client: Client) -> None:
        brief = (await ask(client, "brief"))["text"]
        hits = (await ask(client, "recall", query="webhooks"))["hits"]
        got = (await ask(client, "get", ids=list(ids)))["hits"]
        assert wanted == {
            "recalled": [one["id"] for one in hits],
            "shown": [
                text for text, hit in zip(wanted["shown"], got, strict=True) if text in hit["text"]
            ],
            "tasks": [one["id"] for one in (await ask(client, "task"))["tasks"]],
            "status": (await ask(client, "status"))["logs"],
            "why": [one["text"] for one in (await ask(client, "why", id="wire"))["events"]],
            "brief": [line for line in brief.split("\n") if line.startswith("- ")],
        }
        await ask(client, "append", title="Read")

    tell(story, session="s-1")
    for fact in ("limit", "wire"):
        events = run("why", fact, "--json").json["events"]
        assert [event["remark"] for event in events] == ["", "opened"]
