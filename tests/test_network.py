"""The network while a sync runs (faults of group I; more in `test_remote_transport` and `test_sync`)."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import ClassVar

import pytest

from ledger.errors import AuthenticationFailed, RemoteMoved, RemoteRefused, SyncRefused, Unreachable
from ledger.git.cli import Git
from ledger.model.layout import log_path
from ledger.remote import transport as network
from ledger.remote.remote import choose_remote
from ledger.remote.transport import fetch
from rituals.sync.backoff import Push, Timer, courtesy, last_push, note_push, pause
from rituals.sync.sync_rounds import sync
from tests.bench.ledgers import logs
from tests.campaigns.homes import START_MS, git, hermetic, logs_in, user_repository
from tests.teams import Clone, MakeTeam, SyncedTeam, make_team, pair, settled

__all__ = ["hermetic", "make_team", "pair"]
Pair = tuple[SyncedTeam, Clone, Clone]


@pytest.fixture
def here(tmp_path: Path) -> Git:
    """A repository with a commit."""
    return Git(str(user_repository(tmp_path / "here")))


# ---- fault:I1: races ------------------------------------------------------------------------------


def test_i1_a_clone_killed_between_push_and_move_loses_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The remote has the join and this branch has not: the next sync finds it there."""
    team, one, two = pair
    two.create("beta")
    two.sync()
    one.create("alpha")
    before = one.tip()

    def killed(self: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("rituals.sync.sync_rounds._Sync._follow", killed)
        with pytest.raises(KeyboardInterrupt):
            one.sync()
    assert one.tip() == before != team.there()
    report = one.sync()
    assert (report.relation, len(report.came), report.tries) == ("behind", 1, 0)
    two.sync()
    settled(one, two)


def test_i1_what_is_appended_while_a_join_is_pushed_stays(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fault:B13: the branch moved between the plan and its end: it is joined with what was pushed."""
    _, one, two = pair
    two.create("beta")
    two.sync()
    one.create("alpha")

    def late(*arguments: object, **options: object) -> None:
        monkeypatch.setattr("rituals.sync.sync_rounds.push", network.push)
        one.create("late")
        network.push(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("rituals.sync.sync_rounds.push", late)
    one.sync()
    assert one.facts() == {"alpha", "beta", "late"}
    one.sync()
    two.sync()
    settled(one, two)


def test_i1_who_pushed_a_moment_ago_gives_way() -> None:
    """A turn is some rounds long, longer the more others push, bounded, and nothing for who comes rarely."""
    last = Push(100.0, 0.1)
    assert courtesy(None, 100.0, 5) == 0
    assert courtesy(last, 99.0, 5) == 0  # another boot's clock
    assert courtesy(last, 101.0, 0) == 0
    assert 0 < courtesy(last, 100.0, 0) <= 1.0
    assert courtesy(last, 100.1, 3) > 1.0
    assert courtesy(Push(100.0, 30.0, 4.0), 100.0, 99) <= 15.0
    assert courtesy(Push(100.0, 0.1, 0.01), 4000.0, 20) == 0
    for tried in range(1, 8):
        assert 0 <= pause(tried, 0.1) <= min(0.1 * 2**tried, 3.2)


def test_i1_the_last_push_is_remembered_for_its_remote_alone(pair: Pair) -> None:
    _, one, _ = pair
    home = one.memory.home
    origin = choose_remote(one.memory.home.repository.git(), "main")
    other = origin._replace(tracking="refs/remotes/other/main")
    note_push(home, origin, 50.0, 0.5, 0)
    note_push(home, origin, 60.0, 0.25, 5)
    assert last_push(home, origin) == Push(60.0, 0.25, 0.5)
    assert last_push(home, other) is None
    (Path(home.repository.commondir) / "diurna" / "pushed").write_text("x y\n")
    assert last_push(home, origin) is None


# ---- fault:I4, fault:I8: ssh and proxies ----------------------------------------------------------


def test_i4_the_host_key_is_opensshs_affair(
    here: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No option of ours weakens the check; a refusal says to compare the key."""
    said, ssh = tmp_path / "arguments", tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(
        f'#!/bin/sh\necho "$@" >>{said}\necho "Host key verification failed." >&2\nexit 255\n'
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:/usr/bin:/bin")
    remote = choose_remote(here, "main", "ssh://host.invalid/x.git")
    with pytest.raises(AuthenticationFailed) as caught:
        fetch(Git(here.where), remote)
    assert "compare the host's key" in caught.value.hint
    arguments = said.read_text()
    assert "BatchMode=yes" in arguments
    assert "StrictHostKeyChecking" not in arguments
    assert "UserKnownHostsFile" not in arguments


class _Answers(http.server.BaseHTTPRequestHandler):
    status = 503
    asked: ClassVar[list[str]]

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        self.send_response(self.status)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[tuple[str, type[_Answers]]]:
    """A web server on this machine that refuses everything, and what it was asked."""

    class Answers(_Answers):
        asked: ClassVar[list[str]] = []

    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}", Answers
    served.shutdown()
    served.server_close()
    thread.join()


def test_i8_proxies_and_certificates_are_gits_own_affair(
    here: Git, server: tuple[str, type[_Answers]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configured proxy is asked, and variables that name certificates reach git."""
    url, answers = server
    git(here.where, "config", "http.proxy", url)
    for key in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(key, raising=False)
    remote = choose_remote(here, "main", "http://far.invalid/x.git")
    with pytest.raises(Unreachable):
        fetch(here, remote)
    assert answers.asked[0].startswith("http://far.invalid/x.git/info/refs")
    monkeypatch.setenv("GIT_SSL_CAINFO", "/certificates")
    assert network._environment(remote)["GIT_SSL_CAINFO"] == "/certificates"


def test_i3_a_password_is_not_asked_for_by_any_program(
    here: Git, server: tuple[str, type[_Answers]], tmp_path: Path
) -> None:
    """A server that wants one: the answer comes at once, and no helper with a window was started."""
    url, answers = server
    answers.status = 401
    git(here.where, "config", "core.askPass", f"touch {tmp_path}/asked")
    with pytest.raises(AuthenticationFailed) as caught:
        fetch(here, choose_remote(here, "main", url.replace("//", "//ada:secret@") + "/x.git"))
    assert not (tmp_path / "asked").exists()
    assert "secret" not in str(caught.value) + caught.value.hint


# ---- fault:I5: not there --------------------------------------------------------------------------


def test_i5_a_path_that_is_not_there_is_told_as_such(pair: Pair) -> None:
    """Configured: a disk that is away, work goes on. Named on the command line: a slip."""
    from ledger.errors import NoRemote

    team, one, _ = pair
    team.hub.rename(team.hub.with_name("away.git"))
    assert one.sync().offline == f"origin is not there: nothing is at {team.hub}"
    one.git("remote", "set-url", "origin", f"file://{team.hub}")
    assert "is not there" in one.sync().offline
    with pytest.raises(NoRemote, match="there is nothing at"):
        one.sync(str(team.hub))


# ---- fault:I12: many ------------------------------------------------------------------------------


@pytest.mark.deep(reason="test_sync::i1_a_rejected_push_is_joined_and_tried_again is the small one")
def test_i12_a_remote_that_is_far_ahead(pair: Pair) -> None:
    """More logs than are joined twice: each is read once, with progress, and every one is there."""
    team, one, two = pair
    rows = list(logs(700))
    stream = [b"commit refs/heads/main\ncommitter B <b@example.invalid> 1790000000 +0000\n"]
    stream.append(b"data 4\nmany\nfrom refs/heads/main^0\n")
    for stem, data in rows:
        stream.append(f"M 100644 inline {log_path(stem)}\ndata {len(data)}\n".encode())
        stream.append(data + b"\n")
    git(team.hub, "fast-import", "--quiet", data=b"".join(stream))
    stem = one.create("alpha")
    told: list[tuple[int, int]] = []
    memory = one.memory
    memory._progress = lambda done, total: told.append((done, total))
    report = sync(memory, timer=Timer(sleep=lambda seconds: None))
    assert (len(report.came), report.went, report.tries) == (700, 1, 1)
    assert told and max(total for _, total in told) == 700
    assert set(logs_in(one.memory.home)) == {stem, *(stem for stem, _ in rows)}
    two.sync()
    settled(one, two)


# ---- fault:I13: large files -----------------------------------------------------------------------


def test_i13_logs_are_plain_blobs_whatever_filters_are_set(pair: Pair) -> None:
    """A filter that makes pointers of files touches no log; a remote that wants them says so."""
    team, one, two = pair
    one.git("config", "filter.lfs.clean", "echo pointer")
    one.git("config", "filter.lfs.required", "true")
    (one.folder / ".git" / "info" / "attributes").write_text("*.md filter=lfs\n")
    stem = one.create("alpha")
    one.sync()
    two.sync()
    assert logs_in(two.memory.home)[stem].startswith(b"---\nagent: one\n")
    hook = team.hub / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'this server takes large files by LFS only' >&2\nexit 1\n")
    hook.chmod(0o755)
    two.create("beta")
    with pytest.raises(RemoteRefused, match="this server takes large files by LFS only"):
        two.sync()


# ---- fault:I14: cut histories ---------------------------------------------------------------------


def test_i14_a_shallow_clone_syncs(make_team: MakeTeam) -> None:
    """What both sides have in common is the point of the cut: that is enough."""
    team = make_team(url="file://{}")
    team.one.create("old")
    team.one.sync()
    git(team.folder, "clone", "-q", "--depth", "1", team.url, str(team.folder / "cut"))
    cut = Clone(team.folder / "cut", ticks=count(START_MS, 1000))
    cut.git("config", "user.name", "cut")
    cut.git("config", "user.email", "cut@example.invalid")
    team.one.create("alpha")
    team.one.sync()
    cut.create("beta")
    cut.sync()
    team.one.sync()
    assert cut.facts() == team.one.facts() == {"old", "alpha", "beta"}
    assert cut.tip() == team.one.tip()


def test_i14_a_cut_before_the_common_point_says_how_to_mend_it(make_team: MakeTeam) -> None:
    team = make_team(url="file://{}")
    git(team.folder, "clone", "-q", "--depth", "1", team.url, str(team.folder / "cut"))
    cut = Clone(team.folder / "cut", ticks=count(START_MS, 1000))
    cut.create("beta")
    for number in range(2):
        team.one.create(f"fact-{number}")
    team.one.sync()
    cut.git("fetch", "-q", "--depth", "1")
    before = cut.tip()
    with pytest.raises(SyncRefused) as caught:
        cut.sync()
    assert caught.value.hint == "git fetch --unshallow"
    assert cut.tip() == before
    cut.git("fetch", "-q", "--unshallow")
    cut.sync()
    assert cut.facts() == {"beta", "fact-0", "fact-1"}


# ---- fault:I15: a clock that jumps ----------------------------------------------------------------


def test_i15_a_sleeping_laptop_stops_nothing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour passes between two looks at the clock: a sync lands; one that lost a race ends, and says so."""
    _, one, two = pair
    hours = iter(range(0, 1_000_000, 3600))
    one.create("alpha")
    slept: list[float] = []
    sync(one.memory, timer=Timer(lambda: float(next(hours)), slept.append))
    two.sync()
    note_push(one.memory.home, choose_remote(Git(str(one.folder)), "main"), 1e9, 0.1, 0)
    one.create("gamma")
    assert sync(one.memory, timer=Timer(lambda: 5.0, slept.append)).tries == 1
    assert slept == []

    def lost(*arguments: object, **options: object) -> None:
        raise RemoteMoved("somebody was faster")

    two.create("beta")
    monkeypatch.setattr("rituals.sync.sync_rounds.push", lost)
    with pytest.raises(RemoteMoved, match=r"kept moving; this clone is ahead by 2 commits"):
        sync(two.memory, timer=Timer(lambda: float(next(hours)), slept.append))
    assert "gamma" in two.facts()  # what came is joined here already
