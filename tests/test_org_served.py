"""What servers say of an organisation's ledgers: MCP, as the command line does, and the pages."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client

from ledger.errors import NotFound
from ledger.home import WithoutPersonal
from ledger.model.event import FactCreated
from memory.recall.recall_values import Filters
from rituals.org import org_registry
from rituals.org.org_database import WORKER, connect, initialise
from rituals.org.org_search import filters_of
from rituals.serve.mcp import org_tool
from rituals.serve.web.server.access import Access
from rituals.serve.web.server.org_app import Asking, org_app_of
from tests.conftest import Run
from tests.mcp_clients import Tell, ask, refused, tell
from tests.org_cluster import Cluster, Remote, cluster, database, needs_postgres
from tests.org_cluster import ask as sql
from tests.test_org_access import QUESTIONS, WORD, fill, token
from tests.test_org_reading import work
from tests.test_org_worker import log
from tests.web_client import PORT, TOKEN
from tests.web_client import Client as WebClient

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
                    assert link
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
        with WithoutPersonal():  # as over HTTP
            assert "every program" in await refused(client, "recall", query="x", org=True)
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


def test_all_of_a_text_is_read_at_the_level_full(
    database: str, tmp_path: Path, run: Run, tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a line cuts is whole there, by the command line and by the tool, with its link behind."""
    text = f"Keys of the pump are greased. {'They squeak otherwise, and people ask. ' * 20}So it is daily."
    Remote(tmp_path / "pump.git").push(dict([log(1, FactCreated("grease", text))]))
    with connect(database, WORKER) as base:
        org_registry.add(base, [str(tmp_path / "pump.git")], "", ["*"])
    work(database, tmp_path / "mirrors")
    monkeypatch.setenv("DIURNA_ORG_TOKEN", token(database, "bob"))
    assert "So it is daily." not in run("recall", "--org", "greased", "pump").out
    assert "So it is daily." in run("recall", "--org", "--level", "full", "greased", "pump").out

    async def story(client: Client) -> None:
        asked = {"query": "greased pump", "org": True}
        assert "daily" not in (await ask(client, "recall", **asked))["hits"][0]["text"]
        said, _, link = (await ask(client, "recall", level="full", **asked))["hits"][0][
            "text"
        ].rpartition("\n")
        assert said == text and "pump.git" in link

    tell(story)


def test_points_of_time_are_read_as_elsewhere() -> None:
    """`--since 7d` is a day of the calendar also over all ledgers; what is none is refused."""
    wanted = filters_of(Filters(since="2026-11-21", until="2026-11"), "", "")
    assert wanted["since"].startswith("2026-11-21") and wanted["until"].startswith("2026-11-30")
    assert filters_of(Filters(since="7d"), "", "")["since"].startswith("20")
    with pytest.raises(NotFound):
        filters_of(Filters(since="soonish"), "", "")


class Browser:
    """A browser of the pages of an organisation, logged in, and the server of it.

    Args:
        monkeypatch: says who asks, and where.
        where: the database.
        person: who asks.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, where: str, person: str) -> None:
        monkeypatch.setenv("DIURNA_ORG", where)
        monkeypatch.setenv("DIURNA_ORG_TOKEN", token(where, person))
        self.asking = Asking("test-org"), Asking("test-org-slow")
        self.faults: list[Exception] = []
        access = Access(PORT, TOKEN)
        app = org_app_of(*self.asking, access, self.faults.append)
        self.client = WebClient(app, access).login()

    def get(self, address: str) -> tuple[int, str]:
        """Return the status of a page, and what stands there; when a ledger was read is no part of it."""
        found = self.client.get(address)
        assert not self.faults, self.faults
        return found.status, re.sub(r"read [\d-]+ [\d:]+ UTC", "read", found.text)

    def close(self) -> None:
        """End the server."""
        assert all(one.end(5.0) for one in self.asking)


ADDRESSES = (
    "/", "/search?q=retried", f"/search?q={WORD}", "/search?q=queue+invoices&team=guards", "/search?q=queue&repo=vault",
    "/search?q=webhooks&false=1&kind=fact&tier=working", f"/search?q=retried&entity={WORD}", "/search?q=a&tier=x&since=y",
    "/search?q=%00&hits=999", "/contradictions",
    "/contradictions?differ=1&team=guards", f"/contradictions?entity={WORD}", "/working", "/working?repo=vault", "/working?after=9~9~9", "/working?after=x~y", "/unconfirmed",
    "/unconfirmed?since=2026-06-01", "/unconfirmed?since=never", "/unconfirmed?team=guards&since=today", "/ledgers",
    "/ledgers?q=vault", "/entity/WEBHOOK", "/entity/webhook?repo=vault", f"/entity/{WORD}", "/entity/a%2Fb%3F%23",
    "/fact/shop/cents", "/fact/shop/retry", f"/fact/vault/{WORD}-retry", f"/fact/shop/{WORD}-retry", "/fact/shop/none",
    "/fact/vault/cents?of=x", "/none", "/fact/%00/%00",
)  # fmt: skip


def test_nobody_waits_for_contradictions_that_are_being_compared(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All other pages are shown meanwhile; the list comes when it is there."""
    fill(database, tmp_path, hidden=False)
    begun, let = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> tuple[()]:
        begun.set()
        assert let.wait(60)
        return ()

    monkeypatch.setattr("rituals.serve.web.pages.org_pages.clashes", slow)
    browser = Browser(monkeypatch, database, "bob")
    with ThreadPoolExecutor() as pool:
        waits = pool.submit(browser.get, "/contradictions")
        assert begun.wait(60)
        assert browser.get("/search?q=retried")[0] == browser.get("/ledgers")[0] == 200
        assert not waits.done()
        let.set()
        assert waits.result(60)[0] == 200
    browser.close()


def test_pages_of_what_is_hidden_are_those_of_what_is_not_there(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the byte, of every page; whoever may read it has it there, until the grant is taken away."""
    shown = []
    for hidden in (False, True):
        where = cluster.database()
        initialise(where)
        fill(where, tmp_path, hidden=hidden)
        browser = Browser(monkeypatch, where, "bob")
        shown.append({address: browser.get(address) for address in ADDRESSES})
        browser.close()
    assert shown[0] == shown[1]
    pages = shown[1]
    assert not any(WORD in page for address, (_, page) in pages.items() if WORD not in address)
    missing = pages["/fact/shop/none"]
    for address in (f"/fact/vault/{WORD}-retry", "/fact/vault/cents?of=x"):
        name = address.removeprefix("/fact/").partition("?")[0]
        assert pages[address] == (404, missing[1].replace("shop/none", name))
    assert {status for status, _ in pages.values()} == {200, 404}
    browser = Browser(monkeypatch, where, "ada")
    of_ada = (
        "/contradictions",
        "/working",
        "/unconfirmed",
        "/ledgers",
        "/entity/webhook",
        f"/search?q={WORD}",
        f"/fact/vault/{WORD}-rule",
    )
    assert all("vault" in browser.get(address)[1] for address in of_ada)
    with connect(where, WORKER) as base:
        org_registry.set_readers(base, org_registry.ledger_named(base, "vault"), ["nobody"])
    assert not any("vault</a>" in browser.get(address)[1] or "vault/" in browser.get(address)[1]
                   for address in of_ada[:4])  # fmt: skip
    assert browser.get(of_ada[-1])[0] == 404
    browser.close()


def test_pages_tell_what_ledgers_hold(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each list has what it is of, in its order; a fact leads to its logs; another day asks otherwise."""
    fill(database, tmp_path, hidden=True)
    sql(database, "UPDATE org.ledger SET url = 'https://github.com/ada/' || name RETURNING 1")
    browser = Browser(monkeypatch, database, "ada")
    tip = Remote(tmp_path / "shop.git").tip()
    entity = browser.get("/entity/WEBHOOK")[1]
    assert re.findall(r'class="id whole" href="/fact/([^"]+)"', entity) == [
        f"vault/{WORD}-rule", "shop/cents", "shop/retry",
    ]  # fmt: skip
    assert f"https://github.com/ada/shop/blob/{tip}/sessions/" in entity
    assert "superseded or false" in entity.partition("shop/retry")[0].rpartition("<h2>")[2]
    assert "never confirmed" in browser.get("/unconfirmed?since=today")[1]
    assert "shop/cents" not in browser.get("/unconfirmed?since=2023-01-01")[1]
    working = browser.get("/working")[1]
    assert working.index(f"vault/{WORD}-ask") < working.index("shop/reader")
    fact = browser.get("/fact/shop/cents")[1]
    assert fact.index("Updated") < fact.index("Created") and "Reworded" in fact
    assert "Amounts of the shop are cents." in fact and fact.count("/blob/") >= 3
    assert 'href="/fact/shop/queue"' in browser.get("/fact/shop/retry")[1]
    found = browser.get("/search?q=how+often+are+webhooks+retried")[1]
    assert f"vault/{WORD}-retry" in found
    assert (
        "Nobody seems to know; nearest:"
        in browser.get("/search?q=queue+of+the+moon+landing+spacecraft+engines")[1]
    )
    assert browser.client.post("/search", {}).status in (404, 405)
    first, second = re.findall(
        r'<article class="card side".*?</article>',
        browser.get("/contradictions?entity=Cache")[1],
        re.S,
    )
    assert "vault" in first and "nine days" in first and "seven days" in second
    assert 'class="card side"' not in browser.get("/contradictions?repo=mail")[1]
    browser.close()


def test_two_ledgers_of_one_name_are_told_apart_by_who_may_read_both(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To whom one of them is hidden there is one; an address is shown without who logs in by it."""
    for folder, readers in (("a", ["ada", "bob"]), ("b", ["ada"])):
        (tmp_path / folder).mkdir()
        remote = Remote(tmp_path / folder / "shop.git")
        remote.push(dict([log(1, FactCreated("oil", f"Oil of {folder} is kept."))]))
        with connect(database, WORKER) as base:
            org_registry.add(base, [str(remote.folder)], "", readers)
    work(database, tmp_path / "mirrors")
    sql(
        database,
        "UPDATE org.ledger SET url = 'https://x-token@github.com/' || facts || right(md5(url), 3) RETURNING 1",
    )
    pages = {}
    for person in ("ada", "bob"):
        browser = Browser(monkeypatch, database, person)
        pages[person] = browser.get("/fact/shop/oil")[1]
        assert (
            "x-token" not in pages[person] + browser.get("/ledgers")[1] + browser.get("/working")[1]
        )
        if person == "ada":
            ways = re.findall(r'href="(/fact/shop/oil\?of=[^"]+)"', pages[person])
            each = [browser.get(unescape(one))[1] for one in ways]
            assert sorted(["Oil of a" in one for one in each]) == [False, True]
        browser.close()
    assert "2 ledgers are called so" in pages["ada"] and "Oil of b" in pages["ada"]
    assert "are called so" not in pages["bob"] and "Oil of b" not in pages["bob"]


def test_lists_go_on_where_they_ended(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page each row comes once, in order; what comes meanwhile moves nothing."""
    lots = Remote(tmp_path / "lots.git")
    rule = (("kind", "invariant"), ("created", "2024-02-01"))
    lots.push(dict([
        log(number, FactCreated(f"ask-{number}", f"What of {number}?", "", (("kind", "thread"),)),
            FactCreated(f"rule-{number}", f"Rule {number} holds.", "", rule)) for number in range(1, 121)
    ]))  # fmt: skip
    with connect(database, WORKER) as base:
        org_registry.add(base, [str(lots.folder)], "", ["*"])
    work(database, tmp_path / "mirrors")
    browser = Browser(monkeypatch, database, "ada")
    for address, names in (
        ("/working?", [f"ask-{number}" for number in range(120, 0, -1)]),
        ("/unconfirmed?since=2026-06-01", sorted([f"rule-{number}" for number in range(1, 121)])),
    ):
        listed: list[str] = []
        while address:
            page = browser.get(address)[1]
            listed += re.findall(r'class="id whole" href="/fact/lots/([^"]+)"', page)
            further = re.search(r'href="([^"]+)" rel="next"', page)
            address = unescape(further[1]) if further else ""
        assert listed == names
    browser.close()


def test_pages_say_why_they_can_not_be_made(
    database: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of them does not begin without a token; when the database is away, a page says so and lives on."""
    assert "it is not said who asks" in run("web", "--org", "--no-open").err
    assert run("web", "--org", "--write").code == 2
    browser = Browser(monkeypatch, database, "ada")
    assert browser.get("/working")[0] == 200
    monkeypatch.setenv("DIURNA_ORG", "postgresql:///none?host=/nowhere")
    browser.asking[0].reader.close()
    status, page = browser.get("/working")
    assert status == 503 and "can not be reached" in page
    monkeypatch.setenv("DIURNA_ORG", database)
    assert browser.get("/working")[0] == 200
    browser.close()
