"""The same journeys over what carries git: `file://`, smart HTTP by git's own `http-backend`, and ssh.

Each transport is tried with plain `git pull` and `git push`, and with `diurna sync`.
"""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import threading
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ledger.errors import AuthenticationFailed, RemoteRefused
from tests.campaigns.homes import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, hermetic
from tests.teams import Clone, Team, level

__all__ = ["hermetic"]
_SYSTEM_PATH = os.pathsep.join(
    (os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin")
)
SSHD = shutil.which("sshd", path=_SYSTEM_PATH)


def exchange(team: Team) -> None:
    """Let two clones share a memory: by plain git first, then by `diurna sync`, then by both."""
    one, two = team.one, team.clone("two")
    if team.kind != OWN_BRANCH:
        one.create("one-plain")
        two.create("two-plain")
        one.git("push", "-q")
        two.git("pull", "-q", "--no-rebase", "--no-edit")
        two.git("push", "-q")
        one.create("one-rebased")
        one.git("pull", "-q", "--rebase")
        one.git("push", "-q")
        two.git("pull", "-q", "--no-rebase", "--no-edit")
        assert one.clean()
        assert two.clean()
        assert one.facts() == two.facts() == {"one-plain", "two-plain", "one-rebased"}
        level(one, two)
        one.git("push", "-q")
        # both published the same, in commits of their own
        two.git("pull", "-q", "--no-rebase", "--no-edit")
    two.create("two-synced")
    one.create("one-synced")
    assert two.sync().went == 1
    report = one.sync()
    assert (len(report.came), report.went, report.offline) == (1, 1, "")
    two.sync()
    assert one.facts() == two.facts() >= {"one-synced", "two-synced"}
    assert one.published() == two.published()
    for clone in (one, two):
        assert clone.clean()
    there = subprocess.run(
        ["git", "-C", str(team.hub), "rev-parse", team.branch], capture_output=True, check=True
    ).stdout.decode()
    assert one.memory.home.tip() == two.memory.home.tip() == there.strip()


# ---- file ---------------------------------------------------------------------------------------


@pytest.mark.deep(only=("own-reposito", "in-tree"))
@pytest.mark.parametrize("kind", [OWN_REPOSITORY, IN_TREE, OWN_BRANCH])
def test_over_file_urls(tmp_path: Path, kind: str) -> None:
    exchange(Team(tmp_path, kind, url="file://{}"))


# ---- smart HTTP ---------------------------------------------------------------------------------


class _Backend(BaseHTTPRequestHandler):
    """Runs `git http-backend` as a web server does (RFC 3875)."""

    protocol_version = "HTTP/1.1"
    folder = ""
    password = ""
    url = ""

    def do_GET(self) -> None:
        self._run(b"")

    def do_POST(self) -> None:
        self._run(self._body())

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _run(self, body: bytes) -> None:
        if self.password and self.headers.get("Authorization") is None:
            self._answer("401 Unauthorized", [("WWW-Authenticate", 'Basic realm="memory"')], b"")
            return
        if self.headers.get("Content-Encoding") == "gzip":
            body = zlib.decompress(body, 16 + zlib.MAX_WBITS)
        path, _, query = self.path.partition("?")
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": self.folder,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(
            ["git", "http-backend"], input=body, capture_output=True, env=environment
        )
        head, _, data = done.stdout.partition(b"\r\n\r\n")
        status, headers = "200 OK", []
        for line in head.decode("latin-1").split("\r\n"):
            name, _, value = line.partition(": ")
            if name == "Status":
                status = value
            elif name:
                headers.append((name, value))
        self._answer(status, headers, data)

    def _answer(self, status: str, headers: list[tuple[str, str]], data: bytes) -> None:
        code, _, reason = status.partition(" ")
        self.send_response(int(code), reason)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing on the test's stderr."""


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Backend]]:
    """A web server for the repositories of a folder."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)

    class Backend(_Backend):
        folder = str(tmp_path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    Backend.url = f"http://127.0.0.1:{server.server_address[1]}/hub.git"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Backend
    server.shutdown()
    server.server_close()
    thread.join()


def over_http(team: Team, web: type[_Backend]) -> Team:
    """Let a team's remote be the web server."""
    subprocess.run(["git", "-C", str(team.hub), "config", "http.receivepack", "true"], check=True)
    team.url = web.url
    team.one.git("remote", "set-url", "origin", team.url)
    return team


@pytest.mark.deep(only=("in-tree", "own-reposito"))
@pytest.mark.parametrize("kind", [OWN_REPOSITORY, IN_TREE, OWN_BRANCH])
def test_over_smart_http(tmp_path: Path, web: type[_Backend], kind: str) -> None:
    exchange(over_http(Team(tmp_path, kind), web))


def test_over_http_that_lets_nobody_push(tmp_path: Path, web: type[_Backend]) -> None:
    """fault:I2: a server that only gives refuses the push; what came is here, and what is here is safe."""
    team = over_http(Team(tmp_path), web)
    two = team.clone("two")
    team.one.create("alpha")
    team.one.sync()
    subprocess.run(["git", "-C", str(team.hub), "config", "http.receivepack", "false"], check=True)
    stem = two.create("beta")
    with pytest.raises((RemoteRefused, AuthenticationFailed), match="ahead by"):
        two.sync()
    assert two.facts() == {"alpha", "beta"}
    assert stem in {line.stem for line in two.memory.log()}


def test_i3_over_http_that_asks_who_we_are(tmp_path: Path, web: type[_Backend]) -> None:
    """Nobody is prompted and nothing hangs: the failure says what to see to, and shows no password."""
    team = over_http(Team(tmp_path), web)
    team.one.create("alpha")
    web.password = "secret"
    with pytest.raises(AuthenticationFailed) as caught:
        team.one.sync()
    assert "see that `git fetch origin` works without asking" in caught.value.hint
    named = team.url.replace("http://", "http://ada:hush@")
    team.one.git("remote", "set-url", "origin", named)
    assert team.one.sync().went == 1
    assert team.one.facts() == {"alpha"}


# ---- ssh ----------------------------------------------------------------------------------------


@pytest.mark.deep(reason="over_ssh is the small one, where there is a server")
def test_over_an_ssh_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git says to ssh and gets back, with a script in the place of ssh that runs the command here."""
    script = tmp_path / "stand-in"
    log = tmp_path / "asked"
    script.write_text(
        "#!/bin/sh\n"
        'while [ $# -gt 1 ]; do case $1 in -o|-p) shift;; esac; [ "$1" = host ] && break; shift; done\n'
        f'shift; echo "$1" >>{log}\n'
        'exec sh -c "$1"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(script))
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")
    team = Team(tmp_path, IN_TREE)
    team.url = f"host:{team.hub}"
    team.one.git("remote", "set-url", "origin", team.url)
    team.one.git("config", "core.sshCommand", str(script))
    _through(team, script)
    asked = log.read_text()
    assert f"git-upload-pack '{team.hub}'" in asked
    assert f"git-receive-pack '{team.hub}'" in asked


def _through(team: Team, ssh: Path | str) -> None:
    """Exchange with `core.sshCommand` set in each clone: plain git gets no `GIT_*` from these tests."""
    made = team.clone

    def clone(name: str) -> Clone:
        url, team.url = team.url, str(team.hub)
        found = made(name)
        team.url = url
        found.git("config", "core.sshCommand", str(ssh))
        found.git("remote", "set-url", "origin", url)
        return found

    team.clone = clone  # type: ignore[method-assign]
    exchange(team)


@pytest.mark.skipif(SSHD is None, reason="this machine has no ssh server")
@pytest.mark.parametrize("kind", [OWN_REPOSITORY, OWN_BRANCH])
def test_over_ssh(tmp_path: Path, kind: str) -> None:
    """A real server on 127.0.0.1 with keys made for this test."""
    assert SSHD is not None
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)], check=True
        )
    shutil.copy(tmp_path / "user.pub", tmp_path / "authorized")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "sshd.conf").write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {tmp_path}/host\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {tmp_path}/authorized\nStrictModes no\nPasswordAuthentication no\n"
        "PermitRootLogin prohibit-password\n"
    )
    (tmp_path / "known").write_text(f"[127.0.0.1]:{port} {(tmp_path / 'host.pub').read_text()}")
    server = subprocess.Popen(
        [SSHD, "-D", "-e", "-f", str(tmp_path / "sshd.conf")], stderr=subprocess.PIPE
    )
    try:
        assert server.stderr is not None
        for line in server.stderr:
            if b"listening on" in line:
                break
        else:
            pytest.skip("the ssh server of this machine does not start for this user")
        threading.Thread(target=server.stderr.read, daemon=True).start()
        ssh = f"ssh -F none -i {tmp_path}/user -o IdentitiesOnly=yes -o UserKnownHostsFile={tmp_path}/known"
        team = Team(tmp_path, kind)
        team.url = f"ssh://{getpass.getuser()}@127.0.0.1:{port}{team.hub}"
        team.one.git("remote", "set-url", "origin", team.url)
        team.one.git("config", "core.sshCommand", ssh)
        _through(team, ssh)
    finally:
        server.terminate()
        server.wait()
