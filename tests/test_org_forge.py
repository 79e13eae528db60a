"""A forge says which repositories there are and who reads them; what it sends is not trusted, and its token goes nowhere else."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import DiurnaError, WrongUsage
from ledger.model.event import FactCreated
from rituals.org import org_forge, org_registry, org_watch
from rituals.org.org_database import WORKER, connect
from rituals.org.org_forge import ForgeApi, ForgeBusy, ForgeRefused, ForgeSilent
from tests.conftest import Run, each_row
from tests.org_cluster import Remote, ask, cluster, database, needs_postgres
from tests.test_org_reading import work
from tests.test_org_worker import add, due, log, problems

__all__ = ["cluster", "database"]
TOKEN = "ghp_hunter2"


class Server:
    """A forge of the tests' own: what it answers by path, and what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, dict[str, str], Any]] = {}
        self.asked: list[tuple[str, str]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            """Answers by path, a page at a time."""

            def do_GET(self) -> None:
                key = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""
                server.asked.append((self.path, key))
                status, headers, body = server.answers.get(
                    self.path, server.answers.get(self.path.partition("?")[0], (404, {}, {}))
                )
                if callable(body):
                    body(self)
                    return
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Be silent."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.host = f"127.0.0.1:{self._http.server_address[1]}"
        self.url = f"http://{self.host}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def end(self) -> None:
        """Let the port go."""
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def forge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A forge for which there is a token."""
    made = Server()
    monkeypatch.setenv(org_forge.TOKENS, f"other.example=x {made.host}={TOKEN}")
    yield made
    made.end()


LISTS = {
    "github": ("/api/v3/orgs/acme/repos", "clone_url", "fork", f"Bearer {TOKEN}"),
    "gitlab": ("/api/v4/groups/acme/projects", "http_url_to_repo", "forked_from_project", TOKEN),
    "gitea": ("/api/v1/orgs/acme/repos", "clone_url", "fork", f"token {TOKEN}"),
}


@each_row("kind", list(LISTS))
def test_an_organisation_is_listed(forge: Server, kind: str) -> None:
    """Over pages; a fork comes last; an address that is not the forge's own is none."""
    path, url, fork, key = LISTS[kind]
    forge.asked.clear()
    hostile = ("file:///etc", "ext::sh -c true", f"{forge.url}/a/../../b", "https://evil.example/a/b", None, 7,
               f"{forge.url}@evil.example/a/b", f"{forge.url}/a/b\n", f"{forge.url}/a/b#memory")  # fmt: skip
    first: list[Any] = [{url: f"{forge.url}/acme/fork.git", fork: {"id": 1}}]
    first += [{url: one} for one in hostile] + [[], None, "x"]
    further = {
        "Link": f'<{forge.url}{path}?page=9>; rel="prev", <{forge.url}{path}?page=2>; rel="next"'
    }
    forge.answers = {
        path: (200, further, first),
        f"{path}?page=2": (
            200,
            {},
            [{url: f"{forge.url}/acme/shop.git", fork: False, "archived": True}] * 2,
        ),
    }
    found = ForgeApi(kind, f"{forge.url}/acme").repositories()
    assert [(one.url.rpartition("/")[2], one.fork) for one in found] == [
        ("shop.git", False),
        ("fork.git", True),
    ]
    assert {told for _, told in forge.asked} == {key}
    assert len(forge.asked) == 2


def test_how_addresses_are_read() -> None:
    """The API is at its own host for github.com; nothing but https leaves the machine."""
    assert ForgeApi("", "https://github.com/acme")._api == "https://api.github.com/"
    assert (
        ForgeApi("", "https://gitlab.example.com/acme/sub")._api
        == "https://gitlab.example.com/api/v4/"
    )
    assert ForgeApi("", "https://codeberg.org/acme").kind == "gitea"
    assert org_forge.is_organisation("https://github.com/acme/")
    for word in (
        "https://github.com/acme/shop",
        "https://example.com/acme",
        "shop",
        "git@github.com:acme",
    ):
        assert not org_forge.is_organisation(word)
    for address in ("http://github.com/acme", "https://github.com", "https://u:hunter2@github.com/acme", "x",
                    "https://github.com/../acme", "https://github.com/acme?x", "file:///etc"):  # fmt: skip
        with pytest.raises(WrongUsage) as told:
            ForgeApi("github", address)
        assert "hunter2" not in str(told.value)


def _endless(handler: Any) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(4000):
        handler.wfile.write(b" " * 4096)


def _slow(handler: Any) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


FAILING: dict[str, tuple[tuple[int, dict[str, str], Any], type[DiurnaError]]] = {
    "not let in": ((401, {}, {}), ForgeRefused), "not there": ((404, {}, {}), ForgeRefused),
    "asked too often": ((403, {"Retry-After": "77"}, {}), ForgeBusy),
    "no more of the hour": ((403, {"X-RateLimit-Remaining": "0"}, {}), ForgeBusy),
    "too many": ((429, {"Retry-After": "9" * 400}, {}), ForgeBusy), "forbidden": ((403, {}, {}), ForgeRefused),
    "broken": ((500, {}, {}), ForgeSilent), "no JSON": ((200, {}, b"<html>"), ForgeSilent),
    "no list": ((200, {}, {"a": 1}), ForgeSilent), "deep": ((200, {}, b"[" * 100_000), ForgeSilent),
    "elsewhere": ((200, {"Link": '<https://evil.example/api/v3/x>; rel="next"'}, []), ForgeRefused),
    "no address": ((200, {"Link": '<http://[x>; rel="next"'}, []), ForgeRefused),
    "no way": ((302, {"Location": "http://[x"}, {}), ForgeSilent),
    "a file": ((302, {"Location": "file:///etc/passwd"}, {}), ForgeRefused),
    "endless": ((200, {}, _endless), ForgeSilent), "slow": ((200, {}, _slow), ForgeSilent),
    "in a circle": ((200, {"Link": '</api/v3/repos/acme/shop/collaborators>; rel="next"'}, []), ForgeSilent),
}  # fmt: skip


@each_row("case", list(FAILING))
def test_what_a_forge_answers_is_limited(
    forge: Server, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each failure has a kind, and none says the token."""
    answer, kind = FAILING[case]
    monkeypatch.setattr(org_forge, "_BYTES", 1 << 20)
    monkeypatch.setattr(org_forge, "_SECONDS", 1.0)
    monkeypatch.setattr(org_forge, "_PAGES_MOST", 20)
    forge.answers = {"/api/v3/repos/acme/shop/collaborators": answer}
    with pytest.raises(DiurnaError) as told:
        ForgeApi("github", f"{forge.url}/acme/shop.git").readers()
    assert type(told.value) is kind, told.value
    assert TOKEN not in repr(told.value) + str(told.value.hint)
    if isinstance(told.value, ForgeSilent):
        assert told.value.wait == (
            77.0 if "often" in case else 900.0 if "many" in case else told.value.wait
        )


def test_a_token_goes_to_its_own_host_alone(forge: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not over a redirect, nor to an address that somebody else registered; within the host a way is followed."""
    other = Server()
    path = "/api/v3/repos/acme/shop/collaborators"
    other.answers = {path: (200, {}, [{"login": "eve", "permissions": {"pull": True}}])}
    forge.answers = {path: (301, {"Location": other.url + path}, {})}
    with pytest.raises(ForgeRefused, match="leads to another host"):
        ForgeApi("github", f"{forge.url}/acme/shop").readers()
    with pytest.raises(ForgeRefused, match="there is no token for"):
        ForgeApi("github", f"{other.url}/acme/shop").readers()
    assert other.asked == []
    forge.answers = {
        path: (301, {"Location": "/api/v3/there"}, {}),
        "/api/v3/there": (200, {}, [{"login": "Ada"}]),
    }
    assert ForgeApi("github", f"{forge.url}/acme/shop").readers() == [f"ada@{forge.host}"]
    monkeypatch.setenv(org_forge.TOKENS, f"{forge.host}=hunter\x7f2")
    with pytest.raises(ForgeRefused) as told:
        ForgeApi("github", f"{forge.url}/acme/shop").readers()
    assert "hunter" not in str(told.value)
    other.end()


READERS: dict[str, dict[str, list[dict[str, Any]]]] = {
    "github": {"/api/v3/repos/acme/shop/collaborators": [
        {"login": "Ada", "permissions": {"pull": True}}, {"login": "bob", "permissions": {"pull": False}},
        {"login": "*"}, {"login": "a\nb"}, {"login": "x" * 200}, {"login": None}, {}, {"login": "build[bot]"}]},
    "gitlab": {"/api/v4/projects/acme%2Fshop/members/all": [
        {"username": "ada", "access_level": 20, "state": "active"},
        {"username": "guest", "access_level": 10, "state": "active"},
        {"username": "gone", "access_level": 50, "state": "blocked"}, {"username": "odd", "access_level": "50"}]},
    "gitea": {"/api/v1/repos/acme/shop/collaborators": [], "/api/v1/repos/acme/shop/teams": [
        {"id": 7, "permission": "read"}, {"id": 8, "permission": "read", "units_map": {"repo.issues": "read"}},
        {"id": "../../x"}], "/api/v1/teams/7/members": [{"login": "ada"}],
        "/api/v1/teams/8/members": [{"login": "eve"}]},
}  # fmt: skip


@each_row("kind", list(READERS))
def test_who_reads_is_whom_the_forge_lets_read_code(forge: Server, kind: str) -> None:
    """By login and host; guests, blocked people, and names that are none are nobody."""
    forge.answers = {path: (200, {}, rows) for path, rows in READERS[kind].items()}
    assert ForgeApi(kind, f"{forge.url}/acme/shop.git").readers() == [f"ada@{forge.host}"]


def watched(where: str, forge: Server, tmp_path: Path, *names: str) -> None:
    """Register and read ledgers that are at the forge, then let it say who reads them."""
    for name in names:
        remote = Remote(tmp_path / name)
        remote.push(dict([log(1, FactCreated("a", f"Webhooks of {name} wait."))]))
        add(where, str(remote.folder), readers=())
        work(where, tmp_path / "m")
        ask(
            where,
            "UPDATE org.ledger SET url = %s WHERE name = %s RETURNING 1",
            f"{forge.url}/acme/{name}",
            name,
        )
    with connect(where, WORKER) as base:
        org_registry.watch(
            base, [f"{forge.url}/acme/{name}" for name in names], "github", forge.host
        )


def looked(where: str) -> list[str]:
    """Ask the forge for all, as they are due now; return the codes."""
    ask(where, "UPDATE org.watch SET due = now() RETURNING 1")
    codes = []
    with connect(where, WORKER) as base:
        while heard := org_watch.look(base):
            codes.append(heard.code)
    return codes


@needs_postgres
def test_readers_are_the_forges(
    forge: Server, database: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is taken out there reads no more; an answer holds a day where there is no other; a hand wins."""
    monkeypatch.chdir(tmp_path)
    watched(database, forge, tmp_path, "shop")
    path = "/api/v3/repos/acme/shop/collaborators"
    assert run("org", "team", f"ada@{forge.host}", "ada").code == 0  # who that is

    def sees(person: str) -> bool:
        monkeypatch.setenv("DIURNA_ORG_TOKEN", run("org", "token", person).out.strip())
        return "shop/a" in run("recall", "--org", "webhooks").out

    assert not sees("ada")
    forge.answers = {path: (200, {}, [{"login": "ada"}, {"login": "eve"}])}
    assert looked(database) == [""]
    assert (sees("ada"), sees(f"eve@{forge.host}"), sees("eve")) == (True, True, False)
    assert looked(database) == [""]  # nothing changed
    forge.answers = {path: (200, {}, [{"login": "eve"}])}
    assert looked(database) == [""]
    assert (sees("ada"), sees(f"eve@{forge.host}")) == (False, True)
    forge.answers = {path: (500, {}, {})}
    assert looked(database) == ["ForgeSilent"]
    assert sees(f"eve@{forge.host}")
    assert "ForgeSilent when asked who reads it; as of" in run("org", "status").out
    ask(database, "UPDATE org.watch SET heard_at = now() - interval '25 h' RETURNING 1")
    assert looked(database) == ["ForgeSilent"]
    assert not sees(f"eve@{forge.host}")
    assert "; nobody (" in run("org", "status").out
    forge.answers = {path: (200, {}, [{"login": "eve"}])}
    assert looked(database) == [""] and sees(f"eve@{forge.host}")
    assert "its forge is not asked any more" in run("org", "readers", "shop", "ada").out
    assert looked(database) == []
    assert (sees("ada"), sees(f"eve@{forge.host}")) == (True, False)
    assert run("org", "readers", "shop", "--forge", "github").code == 0
    assert not sees("ada")
    assert looked(database) == [""] and sees(f"eve@{forge.host}")


@needs_postgres
def test_a_busy_forge_is_left_alone_and_its_answers_age(
    forge: Server, database: str, tmp_path: Path
) -> None:
    """One answer that it is asked too often stands for all of its ledgers, whose readers end after a day."""
    watched(database, forge, tmp_path, "shop", "mail", "bank")
    for name in ("shop", "mail", "bank"):
        forge.answers[f"/api/v3/repos/acme/{name}/collaborators"] = (200, {}, [{"login": "ada"}])
    assert looked(database) == ["", "", ""]
    ask(database, "UPDATE org.watch SET heard_at = now() - interval '25 h' RETURNING 1")
    for name in forge.answers:
        forge.answers[name] = (403, {"Retry-After": "1800"}, {})
    forge.asked.clear()
    assert looked(database) == ["ForgeBusy"]
    assert len(forge.asked) == 1
    assert ask(
        database, "SELECT count(*) FROM org.watch WHERE due > now() + interval '29 min'"
    ) == [(3,)]
    asked = "SELECT count(*) FROM org.ledger l JOIN org.shelf s ON s.id = l.shelf WHERE s.readers = '{}'"
    assert ask(database, asked) == [(3,)]


@needs_postgres
def test_more_sets_of_readers_than_there_are_shelves(
    forge: Server, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Nobody reads what no shelf is left for, and it is said; a shelf that nothing lies on is taken for others."""
    watched(database, forge, tmp_path, "shop", "mail")
    full = (
        "WITH made AS (INSERT INTO org.shelf(readers) SELECT ARRAY['s' || n] FROM generate_series(1, 198) n"
        " RETURNING id) INSERT INTO org.ledger(id, url, name, shelf) SELECT -id, 'x' || id, 'x', id FROM made"
        " RETURNING 1"
    )
    ask(database, full)
    for name in ("shop", "mail"):
        forge.answers[f"/api/v3/repos/acme/{name}/collaborators"] = (200, {}, [{"login": name}])
    assert looked(database) == ["", ""]
    assert "there are 200 sets of readers already" in run("org", "readers", "mail", "a", "b").err
    forge.answers["/api/v3/repos/acme/shop/collaborators"] = (200, {}, [{"login": "ada"}])
    assert sorted(looked(database)) == ["", "TooManyReaders"]
    asked = "SELECT s.id, s.readers FROM org.ledger l JOIN org.shelf s ON s.id = l.shelf WHERE l.name = 'shop'"
    assert ask(database, asked)[0][1] == []
    left = ask(database, "SELECT id FROM org.shelf WHERE readers = ARRAY[%s]", f"shop@{forge.host}")
    assert sorted(looked(database)) == ["", ""]  # the one that it left is free
    assert ask(database, asked) == [(left[0][0], [f"ada@{forge.host}"])]
    assert ask(database, f"SELECT count(*) FROM org.fact_{left[0][0]}") == [(1,)]


@needs_postgres
def test_a_fork_is_not_read_twice(database: str, tmp_path: Path, run: Run) -> None:
    """It names the ledger that it is of, also where it was read before; one without a memory is quiet."""
    files = dict([log(1, FactCreated("a", "One.")), log(2, FactCreated("b", "Two."))])
    for name in ("fork", "other", "shop"):
        Remote(tmp_path / name).push({**files, **dict([log(3, FactCreated(name, "Three."))])})
    add(database, str(tmp_path / "fork"))
    ask(database, "UPDATE org.ledger SET fork = true RETURNING 1")
    work(database, tmp_path / "m")
    assert ask(database, "SELECT DISTINCT ledger FROM org.fact") != []
    add(database, str(tmp_path / "shop"))
    work(database, tmp_path / "m")
    assert problems(database) == {"fork": "Copy"}
    assert ask(
        database, "SELECT DISTINCT l.name FROM org.fact f JOIN org.ledger l ON l.id = f.ledger"
    ) == [("shop",)]
    add(database, str(tmp_path / "other"))
    ask(database, "UPDATE org.ledger SET fork = true WHERE name = 'other' RETURNING 1")
    work(database, tmp_path / "m")
    assert problems(database) == {"fork": "Copy", "other": "Copy"}
    told = run("org", "status").out
    assert f"other: a fork of {tmp_path}/shop, and not read twice" in told
    assert told.startswith("3 ledgers, 0 not read yet; 3 logs, 3 facts\n")
    assert run("org", "forget", "shop").code == 0
    due(database)
    work(database, tmp_path / "m")
    due(database)
    work(database, tmp_path / "m")
    assert sorted(problems(database).values()) == ["Copy"]  # one of the two is read in its place


@needs_postgres
def test_an_organisation_is_added_by_its_api(forge: Server, database: str, run: Run) -> None:
    """New ones alone; the forge says who reads them unless somebody does; without a token it says how to give it."""
    path = "/api/v3/orgs/acme/repos"
    rows = [{"clone_url": f"{forge.url}/acme/{name}.git", "fork": name == "b"} for name in "ab"]
    forge.answers = {path: (200, {}, rows)}
    done = run("org", "add", f"{forge.url}/acme", "--forge", "github", "--team", "web")
    assert done.out == "2 ledgers will be read; by whom, their forge says\n", done.err
    assert ask(database, "SELECT name, team, fork FROM org.ledger ORDER BY 1") == [
        ("a", "web", False),
        ("b", "web", True),
    ]
    assert ask(database, "SELECT count(*) FROM org.watch WHERE forge = 'github'") == [(2,)]
    forge.answers = {path: (200, {}, [*rows, {"clone_url": f"{forge.url}/acme/c.git"}])}
    done = run("org", "add", f"{forge.url}/acme", "--forge", "github", "--reader", "*")
    assert done.out == "1 ledger will be read\n"
    assert ask(database, "SELECT count(*) FROM org.watch") == [(2,)]
    refused = run("org", "add", "https://gitlab.example.com/acme", "--forge", "gitlab")
    assert (refused.code, TOKEN in refused.err) == (1, False)
    assert "there is no token for gitlab.example.com" in refused.err
