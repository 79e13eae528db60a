"""What servers say of an organisation's ledgers: MCP, as the command line does, and the pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client

from ledger.errors import NotFound
from memory.recall.recall_values import Filters
from rituals.org.org_search import filters_of
from rituals.serve.mcp import org_tool
from tests.conftest import Run
from tests.mcp_clients import Tell, ask, refused, tell
from tests.org_cluster import Cluster, cluster, database, needs_postgres
from tests.org_cluster import ask as sql
from tests.test_org_access import QUESTIONS, WORD, fill, token

__all__ = ["cluster", "database", "tell"]
pytestmark = needs_postgres


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    """End the connection that the tool keeps."""
    yield
    org_tool._READER.close()


def asked_of(question: str) -> dict[str, object]:
    """Read a question of `QUESTIONS` as arguments of the tool."""
    words, *options = question.split(" --")
    given: dict[str, object] = {"query": words, "org": True}
    for option in options:
        name, _, value = option.partition(" ")
        given |= {name: value or True} if name else {}
    return given


def test_the_tool_says_what_the_command_does(
    cluster: Cluster, tmp_path: Path, run: Run, tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hits, their order, their links and notes; and a hidden ledger changes no byte of an answer."""
    from rituals.org.org_database import initialise

    told = []
    for hidden in (False, True):
        where = cluster.database()
        initialise(where)
        fill(where, tmp_path, hidden=hidden)
        monkeypatch.setenv("DIURNA_ORG", where)
        monkeypatch.setenv("DIURNA_ORG_TOKEN", token(where, "bob"))
        answers: list[object] = []

        async def story(client: Client, answers: list[object] = answers) -> None:
            for question in QUESTIONS:
                given = asked_of(question)
                found = await ask(client, "recall", **given)
                answers.append(found)
                options = [f"--{name}" if value is True else f"--{name}={value}"
                           for name, value in given.items() if name != "query"]  # fmt: skip
                words = str(given["query"]).split()
                said = json.loads(run("recall", "--json", *options, "--", *words).out)
                assert [one["id"] for one in found["hits"]] == [one["id"] for one in said["hits"]]
                assert found.get("notes", []) == said["notes"]
                for mine, other in zip(found["hits"], said["hits"], strict=True):
                    line, _, link = mine["text"].partition("\n")
                    assert line == other["line"] and other["text"].endswith(link)
                    for key in ("kind", "date", "tier", "agent", "known", "known_by"):
                        assert mine.get(key, "") == other.get(key, ""), key

        tell(story)
        told.append(answers)
    assert told[0] == told[1] and "shop/queue" in str(told[0])


def test_a_connection_that_broke_is_made_anew_and_a_grant_ends_at_once(
    database: str, tmp_path: Path, run: Run, tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool keeps one connection; its answers are of who may read now."""
    fill(database, tmp_path, hidden=True)
    monkeypatch.setenv("DIURNA_ORG_TOKEN", token(database, "ada"))
    connections = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

    async def story(client: Client) -> None:
        assert WORD in str(await ask(client, "recall", query=WORD, org=True))
        first = sql(database, connections)
        await ask(client, "recall", query="postgres", org=True)
        assert sql(database, connections) == first and len(first) == 1
        sql(database, "SELECT pg_terminate_backend(%s)", first[0][0])
        assert WORD in str(await ask(client, "recall", query=WORD, org=True))
        assert sql(database, connections) != first
        assert run("org", "readers", "vault", "guards").code == 0
        assert (await ask(client, "recall", query=WORD, org=True))["hits"] == []

    tell(story)


def test_what_can_not_be_asked_is_said(
    run: Run, tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the words of the command line, and with its hint; the memory itself is asked as before."""

    async def story(client: Client) -> None:
        for name, value in (
            ("", ""), ("DIURNA_ORG_TOKEN", "a"), ("DIURNA_ORG", "postgresql:///none?host=/nowhere"),
        ):  # fmt: skip
            if name:
                monkeypatch.setenv(name, value)
            message = (
                run("recall", "--org", "x").err.strip().split("\n")[0].partition("recall: ")[2]
            )
            said = await refused(client, "recall", query="x", org=True)
            assert message and message in said, (message, said)
        assert "all ledgers" in await refused(
            client, "recall", query="x", org=True, as_of="2026-01-01"
        )
        assert "within" in await refused(client, "recall", query="x", org=True, within="facts")
        assert "org" in await refused(client, "recall", query="x", team="sales")
        assert (await ask(client, "recall", query="x"))["hits"] == []

    tell(story)


def test_points_of_time_are_read_as_elsewhere() -> None:
    """`--since 7d` is a day of the calendar also over all ledgers; what is none is refused."""
    wanted = filters_of(Filters(since="2026-11-21", until="2026-11"), "", "")
    assert wanted["since"].startswith("2026-11-21") and wanted["until"].startswith("2026-11-30")
    assert filters_of(Filters(since="7d"), "", "")["since"].startswith("20")
    with pytest.raises(NotFound):
        filters_of(Filters(since="soonish"), "", "")
