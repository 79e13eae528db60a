"""`diurna mcp --http`: several clients at once on the loopback address, and nobody else."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client

from rituals.mcp.wire import LIMIT_BYTES
from tests.conftest import Repo, Run

SECONDS = 120
ROOT = str(Path(__file__).parent.parent)
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


class Listening:
    """A server process that listens on a free port."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "rituals", "mcp", "--http", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": ROOT},
        )  # fmt: skip
        assert self.process.stderr is not None
        said = self.process.stderr.readline().decode().strip()
        assert said.startswith("diurna mcp: listening on http://127.0.0.1:"), said
        self.url = said.rpartition(" ")[2]
        self.port = int(self.url.removeprefix("http://127.0.0.1:").removesuffix("/mcp"))

    def post(self, body: str | bytes, **headers: str) -> tuple[int, str]:
        """Send a request by hand; return status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request("POST", "/mcp", body, {**ACCEPT, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def end(self, stop: signal.Signals) -> tuple[int, str, str]:
        """Stop it; return the exit code and the rest of both outputs."""
        self.process.send_signal(stop)
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out.decode(), err.decode()


@pytest.fixture
def listening(repo: Repo) -> Iterator[Listening]:
    """A server of the home in `repo`."""
    one = Listening()
    yield one
    if one.process.poll() is None:
        one.process.kill()
        one.process.communicate()


def test_clients_of_two_eras_share_a_memory(listening: Listening, spawn: Run) -> None:
    """Clients with and without handshake write at once; each sees the others' logs; a stop loses nothing."""
    count = 4

    async def work(mode: str) -> None:
        async with Client(listening.url, mode=mode) as client:
            for number in range(count):
                done = await client.call_tool("append", {"title": f"{mode} {number}"})
                assert not done.is_error

    async def story() -> None:
        with anyio.fail_after(SECONDS):
            async with anyio.create_task_group() as tasks:
                for mode in ("auto", "legacy"):
                    tasks.start_soon(work, mode)
            async with Client(listening.url, mode="legacy") as client:
                status = (await client.call_tool("status", {})).structured_content
                assert status["logs"] == 2 * count
                # it ends with a client connected
                ended = await anyio.to_thread.run_sync(listening.end, signal.SIGTERM)
                assert ended == (0, "", "")

    anyio.run(story)
    logs = json.loads(spawn("log", "--json").out)["sessions"]
    assert len(logs) == 2 * count
    assert spawn("verify").code == 0


def test_only_programs_of_this_machine_are_answered(listening: Listening) -> None:
    """Another host's name, a web page, another path and too much at once are refused, and the server lives on."""
    assert listening.post(PING, Host="evil.example")[0] == 421
    assert listening.post(PING, Host=f"evil.example:{listening.port}")[0] == 421
    assert listening.post(PING, Host=f"127.0.0.1.evil.example:{listening.port}")[0] == 421
    assert listening.post(PING, Origin="http://evil.example")[0] == 403
    assert listening.post(PING, Origin=f"http://127.0.0.1:{listening.port}")[0] == 403
    assert listening.post(PING, **{"Content-Type": "text/plain"})[0] == 400
    assert listening.post(b"x" * 10, **{"Content-Length": str(LIMIT_BYTES + 1)})[0] == 413
    assert listening.post("{")[0] == 400
    with socket.socket() as other:
        # the socket is bound to one address, not to all of this machine
        assert other.connect_ex(("127.0.0.2", listening.port)) != 0
    taken = subprocess.run(
        [sys.executable, "-P", "-m", "rituals", "mcp", "--http", str(listening.port)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ROOT}, check=False,
    )  # fmt: skip
    assert (taken.returncode, taken.stdout) == (1, "")
    assert f"127.0.0.1:{listening.port}: Address already in use\nhint: " in taken.stderr

    async def story() -> None:
        with anyio.fail_after(SECONDS):
            async with Client(listening.url) as client:
                assert not (await client.call_tool("status", {})).is_error

    anyio.run(story)
    assert listening.end(signal.SIGINT) == (130, "", "diurna: interrupted\n")
