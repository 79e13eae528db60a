"""The loopback address that `diurna web` listens on: who has not asked whole holds no place there."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
from collections.abc import Iterator

import pytest

pytest.importorskip("uvicorn")

from tests.campaigns import forks
from tests.conftest import Repo, Run

SECONDS = 120
#: The same server with other limits: of seconds, and of connections that wait for their client.
SHORT, LONG, WAITING = 1.0, 600.0, 16
LIMITED = """
import sys
from rituals.cli.entry import main
from rituals.serve import loopback
loopback.HEAD_SECONDS = loopback.BODY_SECONDS = {}
loopback.WAITING = {}
loopback._GRACE_SECONDS = 1
sys.exit(main())
"""


class Listening:
    """A server process that listens on a free port, and waits so long for its clients."""

    def __init__(self, seconds: float = LONG) -> None:
        command = ["-c", LIMITED.format(seconds, WAITING), "web", "--port", "0", "--no-open"]
        self.process = forks.Forked(command, os.getcwd(), os.environ)
        said = self.process.stderr.readline().decode().strip()
        assert said.startswith("diurna web: http://127.0.0.1:"), said
        self.port = int(said.removeprefix("diurna web: http://127.0.0.1:").partition("/")[0])

    def end(self, stop: signal.Signals) -> int:
        """Stop it; return the exit code."""
        self.process.send_signal(stop)
        self.process.communicate(timeout=SECONDS)
        return self.process.wait()


@pytest.fixture
def listening(repo: Repo) -> Iterator[Listening]:
    """A server of the home in `repo`."""
    one = Listening()
    yield one
    if one.process.returncode is None:
        one.process.kill()
        one.process.communicate()


def test_a_port_that_is_taken_and_other_addresses(listening: Listening, spawn: Run) -> None:
    """The socket is bound to one address, not to all of this machine; a taken port is named."""
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.2", listening.port)) != 0
    taken = spawn("web", "--port", str(listening.port), "--no-open")
    assert (taken.code, taken.out) == (1, "")
    assert f"127.0.0.1:{listening.port}: Address already in use\nhint: " in taken.err
    assert listening.end(signal.SIGINT) == 130


def _half_sent(listening: Listening, sent: bytes) -> socket.socket:
    one = socket.create_connection(("127.0.0.1", listening.port), timeout=SECONDS)
    one.sendall(sent)
    return one


HALVES = {
    "nothing": b"",
    "half a head": b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    "half a body": b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n\r\n{",
}


def test_half_sent_requests_hold_no_place(listening: Listening) -> None:
    """Beside as many as may wait a client is answered at once; one goes for each too many."""
    more = 8
    others: list[socket.socket] = []
    connection = http.client.HTTPConnection("127.0.0.1", listening.port, timeout=SECONDS)
    for _ in range((WAITING + more) // 6):  # no more at once than the system holds for the server
        others += [_half_sent(listening, half) for half in [*HALVES.values()] * 2]
        connection.request("GET", "/login")
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (200, True)
    assert more <= sum(_is_closed(one, 0) for one in others) < len(others) - more
    connection.close()
    assert listening.end(signal.SIGTERM) == 0
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
    connection.request("GET", "/login")
    assert connection.getresponse().read() and (rests := connection.sock) is not None
    head = b"GET /login HTTP/1.1\r\nX: "
    halves = [_half_sent(listening, half) for half in (*HALVES.values(), head + b"x" * (1 << 16))]
    with _half_sent(listening, head) as slow:
        while not _is_closed(slow, 0.2):
            with contextlib.suppress(OSError):
                slow.sendall(b"x")
    assert all(_is_closed(one, SECONDS) for one in (rests, *halves))
    connection.close()
    assert listening.end(signal.SIGTERM) == 0
