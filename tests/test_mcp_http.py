"""`diurna mcp --http`: several clients at once on the loopback address, and nobody else."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.campaigns import forks
from tests.conftest import Repo, Run
from tests.mcp_clients import LOADED

SECONDS = 120
ROOT = str(Path(__file__).parent.parent)
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


#: The same server with other limits: of seconds, and of connections that wait for their client.
SHORT, LONG, WAITING, LIMIT_BYTES = 1.0, 600.0, 16, 8 << 20
LIMITED = """
import sys
from rituals.cli.entry import main
from rituals.serve import loopback as limits
limits.HEAD_SECONDS = limits.BODY_SECONDS = {}
limits.WAITING = {}
from rituals.serve import loopback
loopback._GRACE_SECONDS = 1
sys.exit(main())
"""


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Load once what each server finds loaded."""
    forks.run(["-c", "pass"], ROOT, os.environ, loaded=LOADED)


class Listening:
    """A server process that listens on a free port, and waits so long for its clients."""

    def __init__(self, seconds: float = LONG) -> None:
        script = LIMITED.format(seconds, WAITING)
        self.process = forks.Forked(
            ["-c", script, "mcp", "--http", "0"], os.getcwd(), os.environ, loaded=LOADED
        )
        said, header = (self.process.stderr.readline().decode().strip() for _ in range(2))
        assert said.startswith("diurna mcp: listening on http://127.0.0.1:"), said
        self.url = said.rpartition(" ")[2]
        self.kept = Path(header.rpartition("$(cat ")[2].removesuffix(')"'))
        self.header = {"Authorization": f"Bearer {self.kept.read_text()}"}
        self.port = int(self.url.removeprefix("http://127.0.0.1:").removesuffix("/mcp"))

    def client(self, mode: str = "auto") -> Client:
        """Connect the SDK's client, which bears the token."""
        http = create_mcp_http_client(headers=self.header)
        return Client(streamable_http_client(self.url, http_client=http), mode=mode)

    def post(self, body: str | bytes, **headers: str) -> tuple[int, str]:
        """Send a request by hand; return status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request("POST", "/mcp", body, {**ACCEPT, **self.header, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def end(self, stop: signal.Signals) -> tuple[int, str, str]:
        """Stop it; return the exit code and the rest of both outputs."""
        self.process.send_signal(stop)
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.wait(), out.decode(), err.decode()


@pytest.fixture
def listening(repo: Repo) -> Iterator[Listening]:
    """A server of the home in `repo`."""
    one = Listening()
    yield one
    if one.process.returncode is None:
        one.process.kill()
        one.process.communicate()


@pytest.mark.deep(reason="only_programs_of_this_machine_are_answered is the small one")
def test_clients_of_two_eras_share_a_memory(listening: Listening, spawn: Run) -> None:
    """Clients with and without handshake write at once; each sees the others' logs; a stop loses nothing."""
    count = 4

    async def work(mode: str) -> None:
        async with listening.client(mode) as client:
            for number in range(count):
                done = await client.call_tool("append", {"title": f"{mode} {number}"})
                assert not done.is_error

    async def story() -> None:
        with anyio.fail_after(SECONDS):
            async with anyio.create_task_group() as tasks:
                for mode in ("auto", "legacy"):
                    tasks.start_soon(work, mode)
            async with listening.client("legacy") as client:
                status = (await client.call_tool("status", {})).structured_content
                assert status["logs"] == 2 * count
                # it ends with a client connected
                ended = await anyio.to_thread.run_sync(listening.end, signal.SIGTERM)
                assert ended == (0, "", "")

    anyio.run(story)
    again = Listening()
    assert again.header == listening.header, "its clients know the token"
    again.end(signal.SIGKILL)
    logs = json.loads(spawn("log", "--json").out)["sessions"]
    assert len(logs) == 2 * count
    # a connection is one session; who keeps none has a session a request
    types = [(log["title"].split()[0], log["type"]) for log in logs]
    assert sorted(types) == sorted(
        [("auto", "work")] * count + [("legacy", "continued")] * (count - 1) + [("legacy", "work")]
    )
    assert spawn("check", "--ci").code == 0


def test_only_programs_of_this_machine_are_answered(listening: Listening, spawn: Run) -> None:
    """Without the token, by another host's name, from a web page, with too much at once: refused, and it lives on."""
    token = listening.header["Authorization"]
    assert listening.kept.stat().st_mode & 0o777 == 0o600
    for said in (
        *[f"Bearer {number}" for number in range(30)],
        "",
        token[:-1],
        token[7:],
        f"{token}, {token}",
    ):
        assert listening.post(PING, Authorization=said)[0] == 401
    assert listening.post(PING, Authorization=token.replace("Bearer", "bearer"))[0] != 401
    for body, headers, status in (
        (PING, {"Host": "evil.example"}, 421), (PING, {"Host": f"evil.example:{listening.port}"}, 421),
        (PING, {"Host": f"127.0.0.1.evil.example:{listening.port}"}, 421), (PING, {"Origin": "http://evil.example"}, 403),
        (PING, {"Origin": f"http://127.0.0.1:{listening.port}"}, 403), (PING, {"Content-Type": "text/plain"}, 400),
        ("x" * 10, {"Content-Length": str(LIMIT_BYTES + 1)}, 413), ("{", {}, 400),
    ):  # fmt: skip
        assert listening.post(body, **headers)[0] == status, headers
    with socket.socket() as other:
        # the socket is bound to one address, not to all of this machine
        assert other.connect_ex(("127.0.0.2", listening.port)) != 0
    taken = spawn("mcp", "--http", str(listening.port))
    assert (taken.code, taken.out) == (1, "")
    assert f"127.0.0.1:{listening.port}: Address already in use\nhint: " in taken.err

    async def story() -> None:
        with anyio.fail_after(SECONDS):
            async with listening.client() as client:
                assert not (await client.call_tool("status", {})).is_error

    anyio.run(story)
    assert listening.end(signal.SIGINT) == (130, "", "diurna: interrupted\n")
    assert not listening.kept.exists()


def _half_sent(listening: Listening, sent: bytes) -> socket.socket:
    one = socket.create_connection(("127.0.0.1", listening.port), timeout=SECONDS)
    one.sendall(sent.replace(b"TOKEN", listening.header["Authorization"].encode()))
    return one


HALVES = {
    "nothing": b"",
    "half a head": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    "half a body": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Accept: application/json, text/event-stream\r\nAuthorization: TOKEN\r\nContent-Length: 1000\r\n\r\n{",
}


def test_half_sent_requests_hold_no_place(listening: Listening) -> None:
    """Beside as many as may wait a client is answered at once; one goes for each too many."""
    more = 8
    others: list[socket.socket] = []
    connection = http.client.HTTPConnection("127.0.0.1", listening.port, timeout=SECONDS)
    for _ in range((WAITING + more) // 6):  # no more at once than the system holds for the server
        others += [_half_sent(listening, half) for half in [*HALVES.values()] * 2]
        connection.request("POST", "/mcp", "{", {**ACCEPT, **listening.header})
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (400, True)
    assert sum(_is_closed(one, 0) for one in others) == more + 1
    connection.close()
    assert listening.end(signal.SIGTERM) == (0, "", "")
    assert all(_is_closed(one, SECONDS) for one in others)


def _is_closed(one: socket.socket, seconds: float) -> bool:
    """Tell whether the other end closes a connection within some time."""
    one.settimeout(seconds or 0.001)
    try:
        while one.recv(4096):
            pass
        return True
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def test_a_connection_is_let_go_when_it_rests(repo: Repo) -> None:
    """Half a request, one that is too long, a head drop by drop, and a rest behind an answer."""
    listening = Listening(SHORT)
    connection = http.client.HTTPConnection("127.0.0.1", listening.port, timeout=SECONDS)
    connection.request("POST", "/mcp", "{", {**ACCEPT, **listening.header})
    assert connection.getresponse().read() and (rests := connection.sock) is not None
    head = b"GET /mcp HTTP/1.1\r\nX: "
    halves = [_half_sent(listening, half) for half in (*HALVES.values(), head + b"x" * (1 << 16))]
    with _half_sent(listening, head) as slow:
        while not _is_closed(slow, 0.2):
            with contextlib.suppress(OSError):
                slow.sendall(b"x")
    assert all(_is_closed(one, SECONDS) for one in (rests, *halves))
    connection.close()
    assert listening.end(signal.SIGTERM) == (0, "", "")


def test_nothing_personal_goes_over_http(
    repo: Repo, run: Run, spawn: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No tool tells of the user's own home or writes there; started for that home the server refuses."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    word = "quokkapersonal"
    assert run("init", "--personal").code == 0
    assert run("note", "--home", "personal", f"id=pp fact: I like {word}.").code == 0
    assert word in run("brief").out
    listening = Listening()

    async def ask() -> str:
        async with listening.client() as client:
            asked: list[tuple[str, dict[str, object]]] = [
                ("brief", {}), ("recall", {"query": word}), ("get", {"ids": ["personal/pp"]}),
                ("recall", {"query": word, "where": "everywhere"}), ("status", {}),
                ("append", {"title": "T", "new": [{"text": f"I hate {word}.", "personal": True}]}),
                ("append", {"title": "T", "references": ["personal/pp"]}),
            ]  # fmt: skip
            said = [str(await client.call_tool(name, arguments)) for name, arguments in asked]
            said += [str(await client.read_resource("diurna://continuity"))]
            with contextlib.suppress(Exception):
                said += [str(await client.read_resource("diurna://fact/personal/pp"))]
            return "\n".join(said).replace(f"{word}'", "")

    try:
        assert f"I like {word}" not in anyio.run(ask)
    finally:
        listening.end(signal.SIGTERM)
    assert "hate" not in run("show", "--home", "personal").out
    ran = spawn("mcp", "--http", "0", "--home", "personal")
    assert ran.code == 1 and "not served over HTTP" in ran.err
    assert word in run("brief").out
