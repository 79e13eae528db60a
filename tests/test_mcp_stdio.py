"""`diurna mcp` as a process: what is on its standard output, how it ends, and what a dead client leaves behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client, StdioServerParameters

from tests.campaigns import forks
from tests.conftest import Repo, Run, make_repository
from tests.mcp_clients import LOADED

ROOT = str(Path(__file__).parent.parent)
SECONDS = 120


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": ROOT}


class Served:
    """A server process, spoken to in lines: forked from one that has loaded it, unless it has to be a fresh one.

    Args:
        arguments: of the interpreter.
        fresh: whether nothing is loaded before.
    """

    def __init__(
        self, arguments: Sequence[str] = ("-m", "rituals", "mcp"), *, fresh: bool = False
    ) -> None:
        self.said = tempfile.NamedTemporaryFile() if fresh else None  # noqa: SIM115 - a pipe would fill
        self.process: subprocess.Popen[bytes] | forks.Forked
        if fresh:
            self.process = subprocess.Popen(
                [sys.executable, "-P", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=self.said, env=environment(),
            )  # fmt: skip
        else:
            self.process = forks.Forked(
                arguments, os.getcwd(), os.environ, loaded=LOADED, spoken_to=True
            )
        self.lines: list[dict[str, Any]] = []

    def send(self, *messages: dict[str, Any]) -> None:
        """Send messages, each on a line."""
        self.send_raw(b"".join(json.dumps(one).encode() + b"\n" for one in messages))

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def next(self) -> dict[str, Any]:
        """Wait for the next message."""
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        self.lines.append(message)
        return message

    def begin(self) -> dict[str, Any]:
        """Shake hands as clients do; return what the server says of itself."""
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
        self.send({**request(0, "initialize"), "params": about})
        answer = self.next()
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        found: dict[str, Any] = answer["result"]
        return found

    def call(self, number: int, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool and return its result."""
        self.send(calling(number, tool, **arguments))
        answer = self.next()
        assert answer["id"] == number
        found: dict[str, Any] = answer["result"]
        return found

    def end(self) -> tuple[int, str, str]:
        """Close its input; return the exit code, and the rest of both outputs."""
        out, said = self.process.communicate(timeout=SECONDS)
        if self.said is not None:
            with self.said as file:
                file.seek(0)
                said = file.read()
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), said.decode()


#: Of one message.
LIMIT_BYTES = 8 << 20
CLIENT = {"name": "by-hand", "version": "1"}


def request(number: int, method: str, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def calling(number: int, tool: str, **arguments: object) -> dict[str, Any]:
    return request(number, "tools/call", name=tool, arguments=arguments)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """`diurna`, for clients that start it themselves."""
    path = tmp_path_factory.mktemp("program") / "diurna"
    forks.put_program(path, LOADED)
    return str(path)


@pytest.fixture
def serve(repo: Repo) -> Iterator[Callable[..., Served]]:
    """Start servers in `repo`; none is left behind."""
    started: list[Served] = []

    def serve(*arguments: str, fresh: bool = False) -> Served:
        started.append(Served(arguments or ("-m", "rituals", "mcp"), fresh=fresh))
        return started[-1]

    yield serve
    for one in started:
        if one.process.returncode is None:
            one.process.kill()
            one.process.communicate()


Serve = Callable[..., Served]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_talks_to_a_process(repo: Repo, spawn: Run, program: str, mode: str) -> None:
    """The SDK's own client starts the command, records, and sees what the command line appends meanwhile."""

    async def story() -> None:
        server = StdioServerParameters(
            command=program, args=["mcp", "--agent", "codex"], env={**os.environ}, cwd="."
        )
        with anyio.fail_after(SECONDS):
            async with Client(server, mode=mode) as client:
                assert client.instructions is not None and "`brief`" in client.instructions
                done = await client.call_tool("append", {"title": "Over a pipe"})
                assert not done.is_error
                ran = await anyio.to_thread.run_sync(
                    lambda: spawn("append", "--title", "Meanwhile", "--agent", "other")
                )
                assert ran.code == 0, ran.err
                status = (await client.call_tool("status", {})).structured_content
                assert status["logs"] == 2

    anyio.run(story)
    logs = json.loads(spawn("log", "--json").out)["sessions"]
    assert [log["agent"] for log in logs] == ["other", "codex"]
    assert spawn("check", "--ci").code == 0


@pytest.mark.deep(reason="test_mcp::a_session_of_work is the small one")
def test_a_connection_is_one_work_session(
    serve: Serve, spawn: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it appends; of the host session in its environment, with what the command line appends there."""
    for name in ("", "", "host-session"):
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", name)
        server = serve()
        server.begin()
        for number in (1, 2, 3):
            server.call(number, "append", title=f"Number {number}")
        assert server.end()[0] == 0
    assert spawn("append", "--title", "Beside it").code == 0
    logs = json.loads(spawn("log", "--json").out)["sessions"]
    assert [log["type"] for log in logs][::-1] == [
        *["work", "continued", "continued"] * 3,
        "continued",
    ]
    shown = spawn("append", "--title", "T", "--dry-run", DIURNA_SESSION="").out
    assert "session: host-session" in shown


EVERY_CALL: dict[str, dict[str, object]] = {
    "brief": {}, "recall": {"query": "anything"}, "get": {"ids": ["some-id"]}, "why": {"id": "some-id"},
    "note": {"text": "It is too early."}, "append": {"title": "Too early"}, "resolve": {"id": "some-id"},
    "task": {}, "status": {},
}  # fmt: skip


def refusals(server: Served) -> set[str]:
    """Call every tool of a server that can answer none of them; return what they say."""
    server.send(request(1, "tools/list"))
    names = [tool["name"] for tool in server.next()["result"]["tools"]]
    assert names == list(EVERY_CALL)
    said = set()
    for number, name in enumerate(names, 2):
        answer = server.call(number, name, **EVERY_CALL[name])
        assert answer["isError"], answer
        said.add(answer["content"][0]["text"])
    return said


@pytest.mark.parametrize("where", ["a folder", "a repository"])
def test_where_there_is_no_memory_each_tool_says_so_until_one_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spawn: Run, where: str
) -> None:
    """The handshake and the list are as usual; a home that is made meanwhile is found by the next call."""
    path = (
        make_repository(tmp_path / "bare").path if where == "a repository" else tmp_path / "folder"
    )
    path.mkdir(exist_ok=True)
    monkeypatch.chdir(path)
    server = Served()
    assert server.begin()["serverInfo"]["name"] == "diurna"
    assert refusals(server) == {
        f"no memory here; `diurna init` makes one (no Diurna home at or above {path})\n"
        "hint: ask the person you work for first; once it is made, the next call finds it"
    }
    server.send(request(10, "resources/read", uri="diurna://continuity"))
    assert "`diurna init` makes one" in server.next()["error"]["message"]
    assert spawn("init", *["."] * (where == "a folder")).code == 0
    assert server.call(11, "append", title="The first")["structuredContent"]["stem"]
    assert server.call(12, "status")["structuredContent"]["logs"] == 1
    code, rest, said = server.end()
    assert (code, rest, said) == (0, "", "")


def test_a_memory_of_another_tool_is_said_to_the_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where something else stands, the answer names it and how a person takes it over, not `diurna init`."""
    repo = make_repository(tmp_path / "other")
    repo.write("memory/continuity.md", "# Continuity\n")
    monkeypatch.chdir(repo.path)
    server = Served()
    server.begin()
    (said,) = refusals(server)
    assert said.startswith("no memory here: no Diurna home at or above ")
    assert "is of another tool, or written by hand\nhint: for the person you work for: " in said
    assert "`diurna import ledger " in said and "diurna init" not in said
    assert server.end()[0] == 0


def test_a_repository_that_can_not_be_used_is_told_by_each_tool(serve: Serve, repo: Repo) -> None:
    """An unsupported or damaged repository: the handshake, the list and the reason; mended, it answers."""
    config = repo.path / ".git/config"
    was = config.read_text()
    repo.git("config", "core.repositoryformatversion", "1")
    repo.git("config", "extensions.objectformat", "sha256")
    server = serve()
    assert server.begin()["serverInfo"]["name"] == "diurna"
    (said,) = refusals(server)
    assert "sha256" in said.lower() and "Traceback" not in said
    config.write_text(was)
    assert server.call(20, "status")["structuredContent"]["logs"] == 0
    head = repo.path / ".git/HEAD"
    tip = head.read_bytes()
    head.write_bytes(b"\xff\x00 nothing")
    answer = server.call(21, "status")
    assert answer["isError"] and answer["content"][0]["text"]
    head.write_bytes(tip)
    assert server.call(22, "status")["structuredContent"]["logs"] == 0
    assert server.end()[:2] == (0, "")


def test_nothing_but_messages_is_on_standard_output(serve: Serve) -> None:
    """Prints, writes to the descriptor and child processes go to standard error while messages go through."""
    noisy = (
        "import os, subprocess, sys, warnings\n"
        "from rituals.serve.mcp import tools\n"
        "def noisy(memory, who, was=tools.status):\n"
        "    print('a print'); sys.stdout.flush(); os.write(1, b'a write\\n')\n"
        "    subprocess.run(['echo', 'a child']); warnings.warn('a warning')\n"
        "    assert sys.stdin.read() == ''\n"
        "    return was(memory, who)\n"
        "tools.take.BY_NAME['status'] = tools.take.BY_NAME['status']._replace(does=noisy)\n"
        "from rituals.cli.app import main\n"
        "sys.exit(main(['mcp']))\n"
    )
    server = serve("-c", noisy)
    assert server.begin()["serverInfo"]["name"] == "diurna"
    for number in range(1, 4):
        assert server.call(number, "status")["structuredContent"]["logs"] == 0
    code, rest, said = server.end()
    assert (code, rest) == (0, "")
    for word in ("a print", "a write", "a child", "a warning"):
        assert word in said
    assert {line["jsonrpc"] for line in server.lines} == {"2.0"}


def test_what_is_no_message_ends_nothing(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Garbage, half messages, unknown methods and a message without end are survived; the next one is answered."""
    server = serve()
    server.begin()
    server.send_raw(b'\n{"jsonrpc": "2.0", "id": 1\n\xff\xfe\x00\n[]\n"x"\n{"jsonrpc":"1.0"}\n')
    server.send(request(2, "no/such/method"))
    assert server.next()["error"]["code"] == -32601
    server.send_raw(b'{"x": "' + b"y" * (LIMIT_BYTES + 10) + b'"}\n')
    refusal = server.next()
    assert refusal["id"] is None and "bytes" in refusal["error"]["message"]
    big = server.call(3, "append", title="Big", body="b" * 2_000_000)
    assert big["isError"] and "body: String should have at most 100000" in big["content"][0]["text"]
    assert server.call(4, "status")["structuredContent"]["logs"] == 0
    server.send(request(5, "ping"))
    assert server.next()["result"] == {}
    code, rest, said = server.end()
    assert (code, rest) == (0, "") and "Traceback" not in said


def test_a_version_is_agreed_on(serve: Serve) -> None:
    """A handshake gets the version that it asks for, else the newest; each request may name one of its own."""
    server = serve()
    for asked, given in (("2025-03-26", "2025-03-26"), ("1999-01-01", "2025-11-25")):
        server.send(request(0, "initialize", protocolVersion=asked))
        assert server.next()["result"]["protocolVersion"] == given
    for number, version in enumerate(("2026-07-28", "2099-01-01"), 1):
        meta = {"io.modelcontextprotocol/protocolVersion": version}
        server.send(request(number, "tools/call", name="get", arguments=["a"], _meta=meta))
    refusal, error = server.next(), server.next()["error"]
    assert refusal["result"]["resultType"] == "complete"
    assert refusal["result"]["content"][0]["text"].startswith(
        "arguments: Input should be a valid dictionary"
    )
    assert (error["code"], error["data"]["requested"]) == (-32022, "2099-01-01")
    assert "2026-07-28" in error["data"]["supported"]


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_good_order(serve: Serve, stop: signal.Signals) -> None:
    """Told to stop while its input is open, it ends with 0, and says nothing."""
    server = serve()
    server.begin()
    server.call(1, "append", title="Before the end")
    server.process.send_signal(stop)
    assert server.process.wait(SECONDS) == 0
    assert server.end()[1:] == ("", "")


def test_an_interrupt_is_an_interrupt(serve: Serve) -> None:
    """Ctrl-C ends it as it ends every command: 130."""
    server = serve()
    server.begin()
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(SECONDS) == 130
    assert server.end()[2] == "diurna: interrupted\n"


def test_a_client_that_reads_no_more_ends_it(serve: Serve) -> None:
    """Where nobody reads the answers, the server ends, also with its input open."""
    server = serve()
    server.begin()
    assert server.process.stdout is not None
    server.process.stdout.close()
    server.send(calling(1, "status"))
    assert server.process.wait(SECONDS) == 0


def test_a_client_that_never_reads_blocks_no_end(serve: Serve) -> None:
    """With its output full to the brim, the server still ends when it is told to."""
    server = serve()
    server.begin()

    def flood() -> None:
        with contextlib.suppress(OSError):
            for number in range(1, 400):
                server.send(request(number, "tools/list"))

    thread = threading.Thread(target=flood, daemon=True)
    thread.start()
    thread.join(1)  # one of both is stuck by then, or not yet: either way it has to end
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(SECONDS) == 0
    thread.join(SECONDS)


CLIENT_SCRIPT = """
import json, subprocess, sys
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(message):
    server.stdin.write(json.dumps(message).encode() + b"\\n"); server.stdin.flush()
for message in json.loads(sys.argv[1])[:2]:
    send(message)
    if "id" in message: server.stdout.readline()
for message in json.loads(sys.argv[1])[2:]:
    send(message)
print("sent", flush=True)
server.stdout.readline(); server.stdout.readline(); server.stdout.readline()
sys.stdin.read()
"""


def test_a_client_that_is_killed_loses_no_log(repo: Repo, spawn: Run, program: str) -> None:
    """A client that is killed while its appends are under way leaves whole logs, all of them, and no server."""
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
    count = 3
    messages = [
        {**request(0, "initialize"), "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(
            calling(n, "append", title=f"Log {n}", body=f"Round {round}.")
            for n in range(1, count + 1)
        ),
    ]
    alive, held = os.pipe()  # the client and the server hold its end, as long as they live
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT_SCRIPT, json.dumps(messages), program, "mcp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=held, env=environment(),
    )  # fmt: skip
    os.close(held)
    assert client.stdout is not None
    assert client.stdout.readline() == b"sent\n"
    client.kill()
    client.communicate()
    with open(alive, "rb") as said:
        assert b"Traceback" not in said.read()  # ends when the server has ended
    titles = {one["title"] for one in json.loads(spawn("log", "--json").out)["sessions"]}
    assert titles == {f"Log {n}" for n in range(1, count + 1)}
    verified = spawn("check", "--ci")
    assert (verified.code, verified.out) == (0, "all in order\n")
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("fsck", "--strict", "--no-dangling") == ""


def test_without_a_client_it_says_so(spawn: Run, repo: Repo) -> None:
    """Started without input or output it explains itself; with an empty input it ends at once."""
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-P", "-m", "rituals", "mcp"],
        capture_output=True, env=environment(), text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "diurna: mcp: there is no standard input or output to speak on\n"
        "hint: a client starts this command\n"
    )
    ended = spawn("mcp")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
