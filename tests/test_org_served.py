"""What servers say of an organisation's ledgers: MCP, as the command line does, and the page of `web --org`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client

from ledger.errors import NotFound
from ledger.model.event import FactCreated
from memory.recall.recall_values import Filters
from rituals.org import org_ledgers
from rituals.org.org_database import connect_owner, initialise
from rituals.org.org_search import Asker, filters_of
from rituals.serve.login_tokens import Access
from rituals.serve.mcp import tools
from rituals.serve.open_memory import Worker
from rituals.serve.web.server.web_app import org_app_of
from tests.conftest import Repo, Run
from tests.mcp_clients import Tell, ask, refused, tell
from tests.org_cluster import Cluster, Remote, cluster, database, logged_in, needs_postgres
from tests.org_cluster import ask as sql
from tests.test_org_access import QUESTIONS, WORD, fill
from tests.test_org_reading import add, log, work
from tests.web.homes import FIRING, PAYLOADS
from tests.web_client import PORT, TOKEN
from tests.web_client import Client as WebClient

__all__ = ["cluster", "database", "tell"]


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    """End the connection that the tool keeps."""
    yield
    [asker.close() for asker in tools._ORG]


def asked_of(question: str) -> dict[str, object]:
    """Read a question of `QUESTIONS` as arguments of the tool."""
    words, *options = question.split(" --")
    given: dict[str, object] = {"query": words, "org": True}
    for option in options:
        name, _, value = option.partition(" ")
        given |= {name: value or True} if name else {}
    return given


@pytest.mark.deep(
    reason="a_connection_that_broke_is_made_anew_and_a_grant_ends_at_once is the small one"
)
@needs_postgres
def test_the_tool_says_what_the_command_does(
    cluster: Cluster, tmp_path: Path, run: Run, tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hits, their order, their links and notes; and a hidden ledger changes no byte of an answer."""
    told = []
    for hidden in (False, True):
        where = cluster.database()
        initialise(where)
        fill(where, tmp_path, hidden=hidden)
        monkeypatch.setenv("DIURNA_ORG", logged_in(where, "bob"))
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
                    assert link
                    for key in ("kind", "date", "tier", "agent", "known", "known_by"):
                        assert mine.get(key, "") == other.get(key, ""), key

        tell(story)
        told.append(answers)
    assert told[0] == told[1] and "shop/queue" in str(told[0])


@needs_postgres
def test_a_connection_that_broke_is_made_anew_and_a_grant_ends_at_once(
    database: str, tmp_path: Path, tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool keeps one connection; its answers are of who may read now."""
    fill(database, tmp_path, hidden=True)
    monkeypatch.setenv("DIURNA_ORG", logged_in(database, "ada"))
    connections = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

    async def story(client: Client) -> None:
        assert WORD in str(await ask(client, "recall", query=WORD, org=True))
        first = sql(database, connections)
        await ask(client, "recall", query="postgres", org=True)
        assert sql(database, connections) == first and len(first) == 1
        sql(database, "SELECT pg_terminate_backend(%s)", first[0][0])
        assert WORD in str(await ask(client, "recall", query=WORD, org=True))
        assert sql(database, connections) != first
        with connect_owner(database) as base:
            org_ledgers.set_readers(base, org_ledgers.ledger_named(base, "vault"), [])
        assert (await ask(client, "recall", query=WORD, org=True))["hits"] == []

    tell(story)


def test_what_can_not_be_asked_is_said(
    run: Run, tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the words of the command line, and with its hint; the memory itself is asked as before."""

    async def story(client: Client) -> None:
        for value in ("", "postgresql:///none?host=/nowhere"):
            if value:
                monkeypatch.setenv("DIURNA_ORG", value)
            message = run("recall", "--org", "x").err.strip().split("\n")[0]
            said = await refused(client, "recall", query="x", org=True)
            assert message.partition("recall: ")[2] in said, (message, said)
            assert ("No such file or directory" in said) == bool(value)  # the server's own words
        with monkeypatch.context() as without:
            without.setitem(sys.modules, "psycopg", None)
            said = await refused(client, "recall", query="x", org=True)
            assert "needs a library that is not installed" in said and "install" in said
        assert "all ledgers" in await refused(
            client, "recall", query="x", org=True, as_of="2026-01-01"
        )
        assert "within" in await refused(client, "recall", query="x", org=True, within="facts")
        assert "org" in await refused(client, "recall", query="x", team="sales")
        assert (await ask(client, "recall", query="x"))["hits"] == []

    tell(story)


@pytest.mark.deep(
    reason="a_connection_that_broke_is_made_anew_and_a_grant_ends_at_once is the small one"
)
@needs_postgres
def test_all_of_a_text_is_read_at_the_level_full(
    database: str, tmp_path: Path, run: Run, tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a line cuts is whole there, by the command line and by the tool, with its link behind."""
    text = f"Keys of the pump are greased. {'They squeak otherwise, and people ask. ' * 20}So it is daily."
    Remote(tmp_path / "pump.git").push(dict([log(1, FactCreated("grease", text))]))
    add(database, str(tmp_path / "pump.git"))
    work(database, tmp_path / "mirrors")
    monkeypatch.setenv("DIURNA_ORG", logged_in(database, "bob"))
    assert "So it is daily." not in run("recall", "--org", "greased", "pump").out
    assert "So it is daily." in run("recall", "--org", "--level", "full", "greased", "pump").out

    async def story(client: Client) -> None:
        asked = {"query": "greased pump", "org": True}
        assert "daily" not in (await ask(client, "recall", **asked))["hits"][0]["text"]
        (whole, *_) = (await ask(client, "recall", level="full", **asked))["hits"]
        said, _, link = whole["text"].rpartition("\n")
        assert said == text and "pump.git" in link

    tell(story)


def test_points_of_time_are_read_as_elsewhere() -> None:
    """`--since 7d` is a day of the calendar also over all ledgers; what is none is refused."""
    wanted = filters_of(Filters(since="2026-11-21", until="2026-11"), "", "")
    assert wanted["since"].startswith("2026-11-21") and wanted["until"].startswith("2026-11-30")
    assert filters_of(Filters(since="7d"), "", "")["since"].startswith("20")
    with pytest.raises(NotFound):
        filters_of(Filters(since="soonish"), "", "")


@pytest.mark.deep(
    reason="a_connection_that_broke_is_made_anew_and_a_grant_ends_at_once is the small one"
)
@needs_postgres
def test_the_page_searches_as_whom_the_database_lets_in(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is hidden is what is not there, to the byte; a log has its link; what ledgers say stays text."""
    shown = []
    for hidden in (False, True):
        where = cluster.database()
        initialise(where)
        fill(where, tmp_path, hidden=hidden)
        sql(where, "UPDATE org.ledger SET url = 'https://github.com/ada/' || name RETURNING 1")
        faults: list[Exception] = []

        def page(
            words: str, role: str, where: str = where, faults: list[Exception] = faults
        ) -> str:
            monkeypatch.setenv("DIURNA_ORG", logged_in(where, role))
            asker, worker, access = Asker(), Worker("test-org"), Access(PORT, TOKEN)
            client = WebClient(org_app_of(asker, worker, access, faults.append), access)
            assert (
                client.get("/search?q=retried").status == 303
            )  # to the page that asks for the token
            found = client.login().get(f"/search?q={words}")
            assert (found.status, client.get("/none").status) == (200, 404) and not faults
            assert worker.end(asker.close)
            return found.text

        shown.append(
            [page(words, "bob") for words in ("", "retried", WORD, "queue+invoices", "%00")]
        )
    assert shown[0] == shown[1] and "shop/queue" in shown[1][3]
    tip = Remote(tmp_path / "shop.git").tip()
    assert f"https://github.com/ada/shop/blob/{tip}/sessions/" in shown[1][3]
    assert f"vault/{WORD}-retry" in page(WORD, "ada")
    hostile = [
        log(number, FactCreated(f"p{number}", f"Hostile {one}"), title=one)
        for number, one in enumerate(PAYLOADS)
    ]
    Remote(tmp_path / "mail.git").push(dict(hostile))
    with connect_owner(where) as base:
        org_ledgers.add(base, [str(tmp_path / "mail.git")], "", ["ada"])
    work(where, tmp_path / "mirrors-True")
    found = page("hostile", "ada")
    assert found.count("mail/p") >= len(PAYLOADS) and not any(one in found for one in FIRING)


@pytest.mark.deep(reason="three interpreters; without_the_extra is the small one")
def test_nobody_pays_who_does_not_say_org(repo: Repo) -> None:
    """No other command loads a module of the room, or psycopg."""
    for words in ("show", "recall queue", "org --help"):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "rituals", *words.split()],
            capture_output=True, text=True, cwd=repo.path, env=os.environ,
        )  # fmt: skip
        lines = done.stderr.splitlines()
        loaded = {line.rpartition("|")[2].strip() for line in lines if "|" in line}
        assert "rituals.cli" in loaded
        assert not {one for one in loaded if one.startswith(("psycopg", "rituals.org"))}


def test_without_the_extra(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that needs it says how to get it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setenv("DIURNA_ORG", "service=org")
    for words in ("org init", "org", "org add .", "recall --org x", "org work --once"):
        ran = run(*words.split())
        assert (ran.code, "pip install '.[org]'" in ran.err) == (1, True), (words, ran.err)
