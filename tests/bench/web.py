"""What `diurna web` takes: a real server on a real socket, asked as a browser asks it."""

from __future__ import annotations

import http.client
import os
import re
import select
import signal
import subprocess
import threading
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from ledger.home import discover
from memory.api import Memory
from tests.bench import __main__ as bench

#: What each page may take, warm, in milliseconds.
_PAGES = {
    "Now": ("/", 40), "Fact": ("", 60), "Timeline": ("/timeline", 40),
    "Search": ("/search?q=which+queue+is+used+for+the+payment", 20), "Review": ("/review", 20),
    "Health": ("/health", 10), "As of": ("/facts?as_of=2024-06-01", 40),
}  # fmt: skip
_FIRST_SECONDS, _RSS_MIB = 0.5, 200
_START_SECONDS = 60.0
#: Until somebody has logged in, and seen the first page.
_LOOKS_ROUND_SECONDS = 4.0


class Server:
    """A server of a home, in a process of its own.

    Args:
        home: its folder.
    """

    def __init__(self, home: Path) -> None:
        self._process = subprocess.Popen(
            [bench.DIURNA, "web", "--port", "0", "--no-open", "--home", str(home)],
            cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**bench.ENVIRONMENT, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        self.pid = self._process.pid
        address, _, token = self._announced().partition("#")
        self._host = urlsplit(address).netloc
        self._connection = self.connect()
        self._headers = {"Sec-Fetch-Site": "same-origin", "Origin": f"http://{self._host}"}
        sent = {**self._headers, "Content-Type": "application/x-www-form-urlencoded"}
        self._connection.request("POST", "/login", urlencode({"t": token, "next": "/"}), sent)
        answer = self._connection.getresponse()
        answer.read()
        if answer.status != 303:
            raise SystemExit(f"the login answered {answer.status}")
        self._headers["Cookie"] = answer.headers["Set-Cookie"].partition(";")[0]

    def _announced(self) -> str:
        assert self._process.stdout is not None
        said, until = b"", time.monotonic() + _START_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            if not select.select([self._process.stdout], [], [], 1.0)[0]:
                continue
            said += self._process.stdout.readline()
            found = re.search(rb"http://\S+#\S+", said)
            if found:
                return found[0].decode()
        raise SystemExit(f"the server said {said!r}")

    def connect(self) -> http.client.HTTPConnection:
        """Open a connection of its own."""
        return http.client.HTTPConnection(self._host)

    def get(self, path: str, over: http.client.HTTPConnection | None = None) -> tuple[float, bytes]:
        """Ask for a page; return how long that took, in seconds, and the page."""
        connection = over or self._connection
        start = time.perf_counter()
        try:
            connection.request("GET", path, headers=self._headers)
            answer = connection.getresponse()
        except http.client.RemoteDisconnected:  # nobody asked for a while
            connection.close()
            connection.request("GET", path, headers=self._headers)
            answer = connection.getresponse()
        data = answer.read()
        taken = time.perf_counter() - start
        if answer.status != 200:
            raise SystemExit(f"{path} answered {answer.status}")
        return taken, data

    def stop(self) -> None:
        """End it as a terminal does."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(20)


def processor_seconds(pid: int) -> float:
    """Return how long a process has computed, with those that it waited for."""
    said = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, said[11:15])) / os.sysconf("SC_CLK_TCK")


def rss_mib(pid: int) -> float:
    """Return how much memory a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def web(home: Path, runs: int) -> list[str]:
    """Measure pages of a large home."""
    rows = []
    logs = f"{bench.count(home):,} logs"
    bench.spawn([bench.DIURNA, "recall", "queue"], home)  # what a day's work left beside git
    memory = Memory(discover(str(home)))
    fact = max(memory.view().live, key=lambda one: (one.fact.uses, one.fact.id)).fact.id
    memory.close()
    server = Server(home)
    try:
        time.sleep(_LOOKS_ROUND_SECONDS)
        first, _ = server.get("/health")
        what = f"web: first Health, {_LOOKS_ROUND_SECONDS:g} s behind the start, {logs}"
        rows.append(bench.figure(what, [first], _FIRST_SECONDS))
        for path, _ in _PAGES.values():
            server.get(path or f"/fact/{fact}")
        time.sleep(_LOOKS_ROUND_SECONDS)  # all is prepared by then
        for name, (path, limit) in _PAGES.items():
            begun = processor_seconds(server.pid)
            taken = [server.get(path or f"/fact/{fact}")[0] for _ in range(runs)]
            computed = (processor_seconds(server.pid) - begun) / runs
            more = f" ({computed * 1000:.0f} of processor time)"
            what = f"web: {name}, warm, {logs}"
            rows.append(bench.figure(what, taken, limit / 1000, more=more))
        title = f"One more {time.time_ns()}"  # the same again would not be recorded
        bench.spawn([bench.DIURNA, "append", "--title", title, "--agent", "bench"], home)
        worst, health = _meanwhile(server)
        what = f"web: Health after one more log, {logs}"
        rows.append(bench.figure(what, [health], _FIRST_SECONDS))
        what = f"web: slowest Now while all is prepared anew, {logs}"
        rows.append(bench.figure(what, [worst], 0))
        held = rss_mib(server.pid)
        missed = " **miss**" if held > _RSS_MIB else ""
        rows.append(
            bench.size("web: memory of that server", f"{held:.0f} MiB{missed}", f"≤ {_RSS_MIB} MiB")
        )
    finally:
        server.stop()
    return rows


def _meanwhile(server: Server) -> tuple[float, float]:
    """Ask for Health, and meanwhile for Now again and again; return the slowest, and Health."""
    taken: list[float] = []
    done = threading.Event()

    def look() -> None:
        connection = server.connect()
        while not done.is_set():
            taken.append(server.get("/", connection)[0])

    looking = threading.Thread(target=look)
    looking.start()
    health, _ = server.get("/health")
    time.sleep(3)
    done.set()
    looking.join()
    return max(taken), health
