"""Remotes: which one is meant, what is never used, what is never printed, and how failures are told apart."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from ledger.git.cli import Git
from ledger.remote import transport as network
from ledger.remote.remote import NoRemote, Remote, choose_remote, without_credentials
from ledger.remote.transport import failure, fetch, push
from tests.conftest import each_row, make_repository
from tests.world import git

ORIGIN = Remote(
    "origin", "refs/heads/main", "refs/remotes/origin/main", "https://example.invalid/x"
)


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A bare remote with one commit on main."""
    make_repository(tmp_path / "source")
    git(tmp_path, "clone", "-q", "--bare", str(tmp_path / "source"), str(tmp_path / "hub.git"))
    return tmp_path / "hub.git"


@pytest.fixture
def here(tmp_path: Path, hub: Path) -> Git:
    """A clone of it."""
    git(tmp_path, "clone", "-q", str(hub), str(tmp_path / "here"))
    git(tmp_path / "here", "config", "user.name", "Ada")
    git(tmp_path / "here", "config", "user.email", "ada@example.invalid")
    return Git(str(tmp_path / "here"))


def commit(where: Git) -> str:
    git(where.where, "commit", "-q", "--allow-empty", "-m", f"more in {where.where}")
    return git(where.where, "rev-parse", "HEAD").strip()


def fetched(here: Git, remote: Remote, **how: Any) -> str:
    """Fetch; return where the tracking reference leads then."""
    assert fetch(here, remote, **how)
    return here.resolve(remote.tracking)[0]


# ---- which remote -------------------------------------------------------------------------------


def test_i11_the_upstream_then_origin_then_the_only_one(here: Git) -> None:
    assert choose_remote(here, "main").name == "origin"
    git(here.where, "remote", "add", "other", "/nowhere")
    assert choose_remote(here, "topic").name == "origin"
    git(here.where, "config", "branch.topic.remote", "other")
    git(here.where, "config", "branch.topic.merge", "refs/heads/theirs")
    chosen = choose_remote(here, "topic")
    assert chosen == Remote(
        "other", "refs/heads/theirs", "refs/remotes/other/theirs", "/nowhere", False
    )
    assert choose_remote(here, "topic", "origin").branch == "refs/heads/topic"


def test_a_path_or_url_is_remembered_outside_the_named_remotes(here: Git, hub: Path) -> None:
    chosen = choose_remote(here, "main", str(hub))
    assert chosen.tracking.startswith("refs/diurna/remotes/")
    assert fetched(here, chosen) == git(hub, "rev-parse", "main").strip()


def test_j8_a_configured_helper_is_refused_too(here: Git, tmp_path: Path) -> None:
    """Whoever wrote it into the configuration: it is not run."""
    git(here.where, "config", "remote.origin.url", f"ext::touch {tmp_path}/ran")
    with pytest.raises(NoRemote, match="could run a command"):
        choose_remote(here, "main")
    git(here.where, "config", "remote.origin.url", "harmless:x")
    git(here.where, "config", f"url.ext::touch {tmp_path}/ran .insteadOf", "harmless:")
    with pytest.raises(network.NetworkFailed):
        fetch(here, choose_remote(here, "main"))
    assert not (tmp_path / "ran").exists()


@each_row(
    "text, shown",
    [
        ("https://ada:secret@example.org/x.git", "https://example.org/x.git"),
        ("https://token@example.org", "https://example.org"),
        ("https://a:p@ss@example.org/x@y z", "https://example.org/x@y z"),
        ("fatal: 'https://u:p@h/r' and http://t@h2/r", "fatal: 'https://h/r' and http://h2/r"),
        ("ada@example.org:x.git", "ada@example.org:x.git"),
        ("/srv/a@b/x.git", "/srv/a@b/x.git"),
    ],
)
def test_i3_credentials_are_never_printed(text: str, shown: str) -> None:
    assert without_credentials(text) == shown


# ---- fetch and push -----------------------------------------------------------------------------


def test_fetch_moves_the_tracking_reference_alone(here: Git, hub: Path, tmp_path: Path) -> None:
    """No tags, no FETCH_HEAD, no other branch, and nothing is pruned, whatever the settings say."""
    source = Git(str(tmp_path / "source"))
    git(source.where, "push", "-q", str(hub), "main:refs/heads/other", "main:refs/tags/v1")
    made = commit(source)
    git(source.where, "push", "-q", str(hub), "main")
    git(here.where, "config", "fetch.prune", "true")
    git(here.where, "update-ref", "refs/remotes/origin/gone", "HEAD")
    before = git(here.where, "show-ref")
    assert fetched(here, choose_remote(here, "main")) == made
    changed = set(git(here.where, "show-ref").split("\n")) ^ set(before.split("\n"))
    assert {line.split(" ")[1] for line in changed} == {
        "refs/remotes/origin/main", "refs/remotes/origin/HEAD",  # which is a link to it
    }  # fmt: skip
    assert not Path(here.where, ".git", "FETCH_HEAD").exists()


def test_i1_a_lock_on_the_remote_is_a_race(here: Git, hub: Path) -> None:
    (hub / "refs" / "heads" / "main.lock").touch()
    with pytest.raises(network.RemoteMoved):
        push(here, choose_remote(here, "main"), commit(here))


def _runs(pid: str) -> bool:
    """Say whether a process runs; one that is only waited for does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_i6_a_silent_remote_ends_at_the_limit(
    here: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole process group is gone, no lock is left, and nothing moved."""
    pids = tmp_path / "pids"
    git(
        here.where, "config", "remote.origin.uploadpack",
        f"sh -c 'echo $$ >>{pids}; sleep 300 & echo $! >>{pids}; wait'",
    )  # fmt: skip
    before = git(here.where, "show-ref")
    monkeypatch.setattr("ledger.remote.transport.LIMIT_SECONDS", 1.0)
    with pytest.raises(network.RemoteSilent, match="not done after 1 seconds"):
        fetch(here, choose_remote(here, "main"))
    for pid in pids.read_text().split():
        until = time.monotonic() + 10  # a killed process takes a moment to go
        while _runs(pid) and time.monotonic() < until:
            time.sleep(0.02)
        assert not _runs(pid)
    assert git(here.where, "show-ref") == before
    assert not list(Path(here.where, ".git").rglob("*.lock"))


def test_i3_nobody_is_asked_for_a_password(here: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither on the terminal nor by a window; a credential helper of the user's still answers."""
    helper = "!f() { echo username=ada; echo password=x; }; f"
    git(here.where, "config", "credential.helper", helper)
    monkeypatch.setenv("GIT_ASKPASS", "/bin/false")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    asked = b"protocol=https\nhost=example.invalid\n\n"
    status, out, _ = network.call(here, ORIGIN, 20.0, ("credential", "fill"), data=asked)
    assert (status, "password=x" in out) == (0, True)


@each_row(
    "said, kind",
    [
        ("fatal: unable to access 'https://h/x/': Could not resolve host: h", network.Unreachable),
        ("ssh: connect to host h port 22: Connection refused\nfatal: Could not read", network.Unreachable),
        ("fatal: unable to access 'https://h/': The requested URL returned error: 503", network.Unreachable),
        ("fatal: the remote end hung up unexpectedly\nfatal: early EOF", network.Unreachable),
        ("fatal: Authentication failed for 'https://u:p@h/x'", network.AuthenticationFailed),
        ("fatal: could not read Username for 'https://h'", network.AuthenticationFailed),
        ("git@h: Permission denied (publickey).\nfatal: Could not read", network.AuthenticationFailed),
        ("Host key verification failed.\nfatal: Could not read", network.AuthenticationFailed),
        ("remote: Repository not found.\nfatal: repository 'https://h/x/' not found", network.RemoteRefused),
        ("fatal: unable to access 'https://h/': The requested URL returned error: 403", network.RemoteRefused),
    ],
)  # fmt: skip
def test_i3_i5_failures_are_told_apart(said: str, kind: type[network.NetworkFailed]) -> None:
    found = failure(ORIGIN, "fetch", said)
    assert type(found) is kind
    assert "u:p@" not in str(found) and said.split("\n")[0][-4:] in str(found)
    assert ("with ssh" in found.hint) == ("Host key" in said)
    assert str(failure(ORIGIN, "fetch", f"hint: a\nwarning: b\nremote: \n{said}")) == str(found)


def test_j1_what_is_received_is_checked(here: Git, hub: Path, tmp_path: Path) -> None:
    """A tree with a `.git` in it does not get in, though the repository's settings would allow it."""
    evil = tmp_path / "evil"
    make_repository(evil)
    blob = git(evil, "hash-object", "-w", "--stdin", data=b"x\n").strip()
    raw = b"100644 .git\0" + bytes.fromhex(blob)
    tree = git(evil, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", data=raw).strip()
    made = git(evil, "commit-tree", "-p", "HEAD", "-m", "evil", tree).strip()
    git(evil, "update-ref", "refs/heads/main", made)
    for key in ("fetch.fsckObjects", "transfer.fsckObjects"):
        git(here.where, "config", key, "false")
    before = git(here.where, "show-ref")
    with pytest.raises(network.NetworkFailed, match=r"hasDotgit|\.git"):
        fetch(here, choose_remote(here, "main", f"file://{evil}"))
    assert git(here.where, "show-ref") == before


def test_i7_a_cut_connection_leaves_the_old_state(here: Git, hub: Path, tmp_path: Path) -> None:
    """The remote dies after its greeting; the next fetch works."""
    source = Git(str(tmp_path / "source"))
    made = commit(source)
    git(source.where, "push", "-q", str(hub), "main")
    before = git(here.where, "show-ref")
    cutter = tmp_path / "cut"
    cutter.write_text("#!/bin/sh\nprintf '000eversion 2\\n0010agent=git/2\\n'\n")
    cutter.chmod(0o755)
    git(here.where, "config", "remote.origin.uploadpack", str(cutter))
    with pytest.raises(network.Unreachable):
        fetch(here, choose_remote(here, "main"))
    assert git(here.where, "show-ref") == before
    git(here.where, "config", "--unset", "remote.origin.uploadpack")
    assert fetched(here, choose_remote(here, "main")) == made


def test_how_far_a_transfer_is_is_told(here: Git, tmp_path: Path) -> None:
    """Read off git's own lines; none of them ends up in a message."""
    source = Git(str(tmp_path / "source"))
    for number in range(30):
        (tmp_path / "source" / f"{number}.txt").write_text(f"{number}\n" * 50)
    git(source.where, "add", "-A")
    made = commit(source)
    told: list[tuple[str, int, int]] = []

    def hear(what: str, done: int, total: int) -> None:
        told.append((what, done, total))

    remote = choose_remote(here, "main", f"file://{source.where}")
    assert fetched(here, remote, progress=hear) == made
    assert {what for what, _, _ in told} & {"Receiving objects", "Unpacking objects"}
    assert all(0 <= done <= total for _, done, total in told)
    git(here.where, "reset", "-q", "--hard", made)
    with pytest.raises(network.RemoteRefused, match="checked out") as caught:
        push(here, remote, commit(here), progress=hear)
    assert "%" not in str(caught.value)


@each_row("size", (1, 7, 40, 1000))
def test_how_far_it_is_is_read_wherever_a_line_is_cut(size: int) -> None:
    """Under load a piece holds many lines and a half; what is no count is passed over."""
    said = (
        b"remote: Counting objects: 100% (3/3), done.\x1b[K\nFrom file:///there (a/b)\n"
        b"Receiving objects:  42% (14/33)\rReceiving objects: 100% (33/33), 1 KiB, done.\nfatal: (1/2"
    )
    told: list[tuple[str, int, int]] = []
    hear = network._hearing(lambda *step: told.append(step), 0)
    assert hear is not None
    for start in range(0, len(said), size):
        hear(said[start : start + size])
    assert told == [("Counting objects", 3, 3), *[("Receiving objects", n, 33) for n in (14, 33)]]


def test_a_lock_that_a_killed_git_left_a_moment_ago_is_waited_for(
    here: Git, tmp_path: Path, hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is known for dead after a second only; a fetch that comes before does not fail."""
    waits = [0.0]
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr("ledger.remote.transport.monotonic", lambda: sum(waits))
    source = Git(str(tmp_path / "source"))
    made = commit(source)
    git(source.where, "push", "-q", str(hub), "main")
    lock = Path(here.where, ".git/refs/remotes/origin/main.lock")
    lock.touch()

    def free() -> bool:
        dead = sum(waits) > 1.1
        if dead:
            lock.unlink()
        return dead

    assert fetched(here, choose_remote(here, "main"), free=free) == made
    assert len(waits) > 2
