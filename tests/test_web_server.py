"""`diurna web` as a process: what comes over the socket, how it begins, and how it ends."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("starlette")
pytest.importorskip("jinja2")

from ledger.home import Home, discover
from memory.api import Memory
from rituals.serve.request_limits import BODY_SECONDS, HEAD_SECONDS, WAITING, Line, RequestLimits
from rituals.serve.web.server.access import Access, session_key
from rituals.serve.web.server.guard import FORM_BYTES
from tests.campaigns import forks
from tests.campaigns.homes import lay
from tests.conftest import Repo, Run
from tests.web.homes import undecided
from tests.web_client import client_of

SECONDS = 60
#: The same server with shorter limits, and a form that says when it has begun to record, which takes a second.
HURRIED = f"""
import pathlib, sys, time
from rituals.cli.entry import main
from rituals.serve import request_limits as limits
from rituals.serve.web.actions.form_table import ACTIONS
limits.HEAD_SECONDS, limits.BODY_SECONDS = {HEAD_SECONDS * 0.15}, {BODY_SECONDS * 0.1}
archive = ACTIONS["archive"]
def slowly(memory, fields):
    if fields.one("slowly"):
        pathlib.Path(fields.one("slowly")).touch()
        time.sleep(1)
    return archive(memory, fields)
ACTIONS["archive"] = slowly
sys.exit(main())
"""


class Listening:
    """A server process on a free port."""

    def __init__(self, *more: str) -> None:
        self.process = forks.Forked(
            ["-c", HURRIED, "web", "--port", "0", "--json", *more], os.getcwd(),
            {**os.environ, "DISPLAY": ":0", "BROWSER": "/nowhere/at/all"}, loaded=forks.WEB,
        )  # fmt: skip
        self.said = json.loads(self.process.stdout.readline())
        self.port: int = self.said["port"]
        self.host = f"127.0.0.1:{self.port}"
        token, key = self.said["address"].partition("#")[2], session_key(discover(os.getcwd()))
        self.access = Access(self.port, token, "--write" in more, key)
        self.cookie = ""

    def ask(self, method: str, address: str, body: str = "") -> tuple[int, dict[str, str], str]:
        """Send a request as a page of the server would."""
        headers = {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin"}
        if method == "POST":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Origin"] = f"http://{self.host}"
        connection = http.client.HTTPConnection(self.host, timeout=SECONDS)
        try:
            connection.request(method, address, body or None, headers)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read().decode()
        finally:
            connection.close()

    def login(self) -> Listening:
        """Exchange the token for the cookie."""
        _, headers, _ = self.ask("POST", "/login", f"t={self.access.token}")
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    def send(self, sent: str, *, host: bool = True) -> str:
        """Send bytes as they are; return the first line of what comes."""
        named = f"Host: {self.host}\r\nCookie: {self.cookie}\r\n" if host else ""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as one:
            one.sendall(sent.replace("HOST", named).encode("latin-1"))
            found = b""
            while b"\r\n" not in found and (more := one.recv(4096)):
                found += more
        return found.partition(b"\r\n")[0].decode()

    def end(self, stop: signal.Signals) -> tuple[int, str, str]:
        """Stop it; return the exit code and the rest of both outputs."""
        self.process.send_signal(stop)
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.wait(), out.decode(), err.decode()

    def kill(self) -> None:
        """End it whatever happens."""
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()


@pytest.fixture
def listening(repo: Repo, run: Run) -> Iterator[Listening]:
    """A server of a home with a fact, with forms."""
    assert run("append", "--title", "One", "--new", "id=one fact: A fact.").code == 0
    server = Listening("--write")
    yield server.login()
    server.kill()


@pytest.mark.deep(reason="the other tests here have a server in this process")
def test_a_server_from_its_first_word_to_its_last(listening: Listening, spawn: Run) -> None:
    """One line of JSON says where it is; what no browser sends is refused at the socket.

    Halves of requests hold nothing; a form is recorded; Ctrl-C ends it.
    """
    assert listening.said == {
        "format": 1, "port": listening.port, "writes": True,
        "address": f"http://{listening.host}/login#{listening.access.token}",
    }  # fmt: skip
    assert len(listening.access.token) >= 43  # 32 bytes
    with socket.socket() as other:
        # the socket is bound to one address, not to all of this machine
        assert other.connect_ex(("127.0.0.2", listening.port)) != 0
    status, headers, page = listening.ask("GET", "/")
    assert (status, "A fact." in page) == (200, True)
    assert "server" not in headers and headers["x-content-type-options"] == "nosniff"

    refused = {
        "GET http://evil.example/ HTTP/1.1\r\nHOST\r\n": 400,
        "GET / HTTP/1.1\r\nHOSTHost: evil.example\r\n\r\n": 400,
        "GET / HTTP/1.1\r\n\r\n": 400,
        "GET / HTTP/1.0\r\n\r\n": 421,
        "GET / HTTP/1.1\r\nHost : evil.example\r\nHOST\r\n": 400,
        "GET / HTTP/1.1\r\nHOSTSec-Fetch-Site:\r\n cross-site\r\n\r\n": 403,
        "GET /tip HTTP/1.1\r\nHOSTConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n": 400,
        "GET / HTTP/1.1\r\nHOSTContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde": 400,
        "POST /act/archive HTTP/1.1\r\nHOSTContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": 400,
        f"POST /login HTTP/1.1\r\nHOSTOrigin: http://{listening.host}\r\nContent-Length: {FORM_BYTES + 1}\r\n\r\n": 413,
        "TRACE / HTTP/1.1\r\nHOST\r\n": 405,
        "nonsense\r\n\r\n": 400,
    }  # fmt: skip
    found = {sent: listening.send(sent) for sent in refused}
    assert {sent: int(line.split()[1]) for sent, line in found.items()} == refused
    assert listening.send("GET /tip HTTP/1.1\r\nHOST\r\n").split()[1] == "200"

    _hold_nothing(listening)
    token = listening.access.form_token(listening.cookie.partition("=")[2])
    form = f"token={token}&id=one&reason=It+is+over&next=%2F"
    status, headers, _ = listening.ask("POST", "/act/archive", form)
    assert status == 303
    stem = headers["location"].partition("?done=")[2]
    assert json.loads(spawn("log", "--json").out)["sessions"][0]["stem"] == stem
    assert listening.ask("GET", headers["location"])[0] == 200
    assert listening.end(signal.SIGINT) == (130, "", "diurna: interrupted\n")


def _hold_nothing(listening: Listening) -> None:
    """Send halves of requests, many at once: a browser is answered beside them, and they are let go."""
    half_form = (
        f"POST /login HTTP/1.1\r\nHost: {listening.host}\r\nOrigin: http://{listening.host}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nt="
    )
    halves = ["", "GET / HTTP/1.1\r\nHost: ", half_form]
    others = []
    for sent in halves * 30:
        other = socket.create_connection(("127.0.0.1", listening.port), timeout=SECONDS)
        other.sendall(sent.encode())
        others.append(other)
    try:
        begun = time.monotonic()
        assert [listening.ask("GET", "/")[0] for _ in range(3)] == [200] * 3
        assert not select.select(others, [], [], 0)[0], "they wait meanwhile"
        limit = begun + SECONDS
        for one in others:
            one.settimeout(max(0.1, limit - time.monotonic()))
            try:
                assert one.recv(1) == b""
            except ConnectionError:
                pass
    finally:
        for one in others:
            one.close()
    assert listening.ask("GET", "/")[0] == 200


def test_a_stop_waits_for_what_is_being_written(
    listening: Listening, tmp_path: Path, spawn: Run
) -> None:
    """A form has begun to be recorded: the log is there, the browser is told, and the end is a good one."""
    begun = tmp_path / "begun"
    token = listening.access.form_token(listening.cookie.partition("=")[2])
    form = f"token={token}&id=one&reason=It+is+over&slowly={begun}"
    with socket.create_connection(("127.0.0.1", listening.port), timeout=SECONDS) as one:
        one.sendall(
            f"POST /act/archive HTTP/1.1\r\nHost: {listening.host}\r\nOrigin: http://{listening.host}\r\n"
            f"Cookie: {listening.cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(form)}\r\n\r\n{form}".encode()
        )
        limit = time.monotonic() + SECONDS
        while not begun.exists():
            assert time.monotonic() < limit
            time.sleep(0.01)
        assert listening.end(signal.SIGTERM) == (0, "", "")
        assert one.recv(4096).startswith(b"HTTP/1.1 303")
    assert json.loads(spawn("show", "one", "--json").out)["facts"][0]["tier"] == "archived"
    assert spawn("check", "--ci").code == 0


# ---- what becomes of the home ---------------------------------------------------------------------


def test_a_page_says_what_became_of_the_home(repo: Repo, run: Run) -> None:
    """On a branch without it, away, back again: a page each time, and what to do; the terminal is not bothered."""
    faults: list[Exception] = []
    client = client_of(repo.path, tell=faults.append).login()
    assert client.get("/").status == 200
    repo.git("checkout", "-q", "--orphan", "empty")
    repo.git("rm", "-rfq", "--cached", ".")
    (repo.path / "memory").rename(repo.path.parent / "away")
    gone = client.get("/")
    assert gone.status == 503
    assert "started for is not there" in gone.text and "Check out a branch that has it" in gone.text
    assert client.get("/tip").status == 503
    (repo.path.parent / "away").rename(repo.path / "memory")
    repo.git("symbolic-ref", "HEAD", "refs/heads/main")
    repo.git("reset", "-q")
    assert client.get("/").status == 200
    repo.path.rename(repo.path.parent / "elsewhere")
    assert client.get("/").status == 503
    (repo.path.parent / "elsewhere").rename(repo.path)
    assert client.get("/").status == 200
    assert faults == []


def test_where_there_is_no_home_the_page_says_how_to_make_one(bare_repo: Repo, run: Run) -> None:
    """In words for a person at a terminal; once it is there, the next page shows it."""
    client = client_of(bare_repo.path).login()
    answer = client.get("/")
    assert answer.status == 503
    assert "diurna init" in answer.text
    assert "the person you work for" not in answer.text
    assert run("init").code == 0
    assert client.get("/").status == 200


def test_a_fault_is_a_page_and_the_next_one_is_shown(repo: Repo) -> None:
    """The terminal is told once; the memory is opened anew."""
    faults: list[Exception] = []
    fails = [True]

    def open_memory(home: Home) -> Memory:
        if fails:
            raise RuntimeError("broken")
        return Memory(home)

    client = client_of(repo.path, open_memory=open_memory, tell=faults.append).login()
    assert client.get("/").status == 500
    fails.clear()
    assert client.get("/").status == 200
    assert [str(one) for one in faults] == ["broken"]


def test_the_tip_changes_when_memory_does(repo: Repo, run: Run) -> None:
    """Also by a commit from elsewhere: a page that polls learns of it, and the next one shows it."""
    client = client_of(repo.path).login()
    before = json.loads(client.get("/tip").text)["tip"]
    assert f'data-mark="{before}"' in client.get("/").text
    assert json.loads(client.get("/tip").text) == {"tip": before}
    run("append", "--title", "One", "--new", "fact: Something new.")
    after = json.loads(client.get("/tip").text)["tip"]
    assert after != before
    page = client.get("/").text
    assert f'data-mark="{after}"' in page and "Something new." in page


def test_the_tip_tells_what_came_since_a_page_was_made(repo: Repo, run: Run) -> None:
    """By whom, and how much: of several steps, too. Whoever names no state of this server hears less."""
    client = client_of(repo.path).login()

    def news(since: str) -> object:
        return json.loads(client.get(f"/tip?since={since}").text).get("news")

    first = json.loads(client.get("/tip").text)["tip"]
    assert news(first) is None
    run(
        "append",
        "--agent",
        "codex",
        "--title",
        "One",
        "--new",
        "id=a fact: A.",
        "--new",
        "id=b fact: B.",
    )
    assert news(first) == "codex recorded 2 facts."
    second = json.loads(client.get("/tip").text)["tip"]
    run("append", "--agent", "ada", "--title", "Two", "--update", "a", "A, reworded.")
    assert news(second) == "ada changed 1 fact."
    run("append", "--agent", "eve", "--title", "Three", "--body", "Nothing came of it.")
    assert news(first) == "codex recorded 2 facts, ada changed 1 fact, 1 more recorded something."
    assert news("0" * 24) == news("<script>") == "Memory changed."
    third = json.loads(client.get("/tip").text)["tip"]
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert news(third) == "Memory changed."


def test_how_many_questions_wait_stands_on_the_first_page(tmp_path: Path) -> None:
    """Beside the name of the page that has them."""
    lay("what pages decide", tmp_path / "one", undecided)
    first = client_of(tmp_path / "one").login().get("/").text
    assert 'Review <span class="badge">13</span>' in first


@pytest.mark.parametrize(
    ("address", "goal"),
    [
        ("/then?at=v1.0", "/?as_of=v1.0"),
        ("/roles", "/facts"),
        ("/findings", "/facts?kind=finding"),
        ("/entities", "/facts"),
        ("/entities/a%2Fb%20c", "/facts?list=all&entity=a%2Fb%20c"),
    ],
)
def test_a_page_that_went_leads_to_the_list_that_has_it(
    repo: Repo, address: str, goal: str
) -> None:
    """Whoever kept its address finds what it had."""
    answer = client_of(repo.path).login().get(address)
    assert (answer.status, answer.headers["location"]) == (303, goal)


def test_who_waits_longest_is_let_go() -> None:
    """That is counted from the last request: a connection that asks again goes behind the others."""

    class Client:
        def __init__(self, number: int) -> None:
            self.number = number

        def set_alarm(self, seconds: float) -> None:
            pass

        def let_go(self) -> None:
            gone.append(self.number)

    gone: list[int] = []
    limits = RequestLimits(cast(Any, None), 1)
    clients = [cast(Line, Client(number)) for number in range(WAITING + 1)]
    for client in (*clients[:-1], clients[0], clients[-1]):
        limits.wait_for(client, HEAD_SECONDS)
    assert gone == [1]
