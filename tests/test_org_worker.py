"""Whatever becomes of workers, servers and ledgers, nothing is lost or doubled, and what was purged is nowhere."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.codec.log import encode
from ledger.model.event import (
    FactCreated,
    FactRedacted,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
)
from ledger.model.log_names import log_path, seal
from ledger.model.session import LOG_LIMIT_BYTES, SessionLog
from rituals.org import org_reading
from rituals.org.org_database import DatabaseFailed, connect_owner, initialise
from rituals.org.org_ledgers import KILLED, Fenced, claim
from rituals.org.org_reading import TABLES, carry_out, do
from rituals.org.org_rows import Stems
from tests.conftest import Run, examples, holders
from tests.org_cluster import (
    OWNER,
    Cluster,
    Remote,
    ask,
    cluster,
    database,
    logged_in,
    needs_postgres,
)
from tests.test_org_reading import add, files_of, local, log, objects, place, rows_of, work

__all__ = ["cluster", "database"]
pytestmark = needs_postgres
KILLS = examples(16)  #: of workers, and of the server a fifth as often


def due(where: str) -> None:
    """Let everything be due, whatever failed before."""
    ask(where, "UPDATE org.ledger SET due = now(), tries = 0, leased_until = NULL RETURNING 1")


def problems(where: str) -> dict[str, str]:
    """Return what is wrong with ledgers, by name."""
    asked = "SELECT name, problem FROM org.ledger WHERE problem <> ''"
    return {str(name): str(problem) for name, problem in ask(where, asked)}


@pytest.mark.deep(reason="a_wish_during_the_work_is_not_lost is the small one")
def test_kills_lose_and_double_nothing(cluster: Cluster, database: str, tmp_path: Path) -> None:
    """Workers and the server are killed at any time; the rows are those of every ledger, once."""
    rng = random.Random(31)
    remotes = [Remote(tmp_path / f"r{number}.git") for number in range(12)]
    for number, remote in enumerate(remotes):
        remote.push(files_of(number))
    add(database, *[str(one.folder) for one in remotes])
    command = f"{sys.executable} -m rituals org work --mirrors {tmp_path}/m".split()
    workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(2)]
    try:
        for _ in range(KILLS):
            while not ask(database, "SELECT 1 FROM org.ledger WHERE leased_until > now() LIMIT 1"):
                again = "UPDATE org.ledger SET due = now(), tries = 0, wish = 'rebuild'"
                ask(database, again)
                for number, one in enumerate(workers):
                    if one.poll() is not None:
                        workers[number] = subprocess.Popen(command, stderr=subprocess.DEVNULL)
                time.sleep(0.02)
            time.sleep(rng.uniform(0.0, 0.1))  # so that it is in the middle of something
            if rng.random() < 0.1:
                cluster.stop("immediate")
                cluster.start()
            else:
                rng.choice(workers).kill()
            ask(database, "UPDATE org.ledger SET leased_until = NULL WHERE random() < 0.5")
    finally:
        for one in workers:
            one.kill()
            one.wait()
    due(database)
    work(database, tmp_path / "m")
    assert problems(database) == {}
    for remote in remotes:
        facts, logs = local(place(remote))
        assert objects(database, str(remote.folder)) == facts
        asked = (
            "SELECT stem FROM org.log JOIN org.ledger ON id = ledger WHERE url = %s ORDER BY stem"
        )
        assert ask(database, asked, str(remote.folder)) == logs
    rows_of(database)


def test_who_was_overtaken_writes_nothing(database: str, tmp_path: Path) -> None:
    """A worker that slept through its lease finds another one's, and leaves the rows alone."""
    remote = Remote(tmp_path / "r.git")
    remote.push(files_of(1))
    add(database, str(remote.folder))
    with connect_owner(database) as base:
        slow = claim(base)
        assert slow is not None
        assert claim(base) is None
        due(database)
        work(database, tmp_path / "m")
        tables = (*TABLES, "ledger", "schema")
        before = [ask(database, f"SELECT xmin, * FROM org.{table}") for table in tables]
        with pytest.raises(Fenced):
            carry_out(base, slow, str(tmp_path / "m2"), Stems())
        do(base, slow, str(tmp_path / "m2"), Stems())
    assert before == [ask(database, f"SELECT xmin, * FROM org.{table}") for table in tables]


def test_a_wish_during_the_work_is_not_lost(database: str, tmp_path: Path, run: Run) -> None:
    """A push that comes while its ledger is read is read next."""
    remote = Remote(tmp_path / "r.git")
    remote.push(dict([log(1, FactCreated("a", "One."))]))
    add(database, str(remote.folder))
    with connect_owner(database) as base:
        job = claim(base)
        assert job is not None
        assert run("org", "rebuild", "r").code == 0
        carry_out(base, job, str(tmp_path / "m"), Stems())
        again = claim(base)
        assert again is not None and again.wish == "rebuild"
        carry_out(base, again, str(tmp_path / "m"), Stems())
        assert claim(base) is None
    assert run("org", "work", "--once", "r", "--mirrors", str(tmp_path / "m")).code == 0


def _silent(folder: Path, patch: pytest.MonkeyPatch) -> str:
    patch.setenv("GIT_SSH_COMMAND", "sleep 60 #")
    return "ssh://host.invalid/silent.git"


def _huge(folder: Path, patch: pytest.MonkeyPatch) -> str:
    Remote(folder).push(dict([log(1)]) | {"data.bin": random.Random(1).randbytes(4 << 20)})
    return str(folder)


def _bare(folder: Path, patch: pytest.MonkeyPatch) -> str:
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    return str(folder)


def _policy(text: str) -> Callable[[Path, pytest.MonkeyPatch], str]:
    def make(folder: Path, patch: pytest.MonkeyPatch) -> str:
        Remote(folder, text).push(dict([log(1, FactCreated("a", "One."))]))
        return str(folder)

    return make


def _no_commit(folder: Path, patch: pytest.MonkeyPatch) -> str:
    remote = Remote(folder)
    remote.push({})
    tree = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "memory^{tree}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (folder / "refs/heads/memory").write_text(tree)
    (folder / "packed-refs").unlink(missing_ok=True)
    return str(folder)


def _many(folder: Path, patch: pytest.MonkeyPatch) -> str:
    Remote(folder).push(dict([log(number) for number in range(30)]))
    return str(folder)


POISON = {
    "silent": (_silent, "RemoteSilent"), "huge": (_huge, "RemoteRefused"), "bare": (_bare, "NoMemory"),
    "personal": (_policy("format = 1\npersonal = true\n"), "Personal"),
    "no-commit": (_no_commit, "RemoteRefused"), "many": (_many, "TooLarge"),
}  # fmt: skip


@pytest.mark.deep(reason="a_wish_during_the_work_is_not_lost is the small one")
def test_poisoned_ledgers_hold_nobody_up(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is told by a code and tried again later; the others are read, and nothing of it is kept."""
    monkeypatch.setattr(org_reading, "LIMIT_SECONDS", 2.0)
    monkeypatch.setattr(org_reading, "LIMIT_MB", 1)
    monkeypatch.setattr(org_reading, "LOGS_MOST", 20)
    for name, (make, _) in POISON.items():
        add(database, make(tmp_path / name, monkeypatch))
    for number in range(5):
        remote = Remote(tmp_path / f"good{number}")
        remote.push(dict([log(1, FactCreated("a", "One."))]))
        add(database, str(remote.folder))
    hook = tmp_path / "good0/hooks/post-upload-pack"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    with (tmp_path / "good0/config").open("a") as file:
        file.write(
            f"[core]\n\tfsmonitor = touch {tmp_path}/ran\n[uploadpack]\n\tpackObjectsHook = touch {tmp_path}/ran\n"
        )
    work(database, tmp_path / "m")
    found = problems(database)
    assert found == {name: code for name, (_, code) in POISON.items()}
    assert ask(database, "SELECT count(*) FROM org.fact") == [(5,)]
    assert not (tmp_path / "ran").exists()
    assert ask(database, "SELECT count(*) FROM org.ledger WHERE due < now() + interval '30 s'") == [
        (0,)
    ]


@pytest.mark.deep(reason="a_wish_during_the_work_is_not_lost is the small one")
def test_a_home_that_becomes_personal_is_taken_out(database: str, tmp_path: Path) -> None:
    """No row of it stays."""
    remote = Remote(tmp_path / "r.git")
    remote.push(dict([log(1, FactCreated("a", "One."))]))
    add(database, str(remote.folder))
    work(database, tmp_path / "m")
    assert ask(database, "SELECT count(*) FROM org.fact") == [(1,)]
    own = b"format = 1\npersonal = true\n"
    remote.push(dict([log(1, FactCreated("a", "One."))]) | {"diurna.toml": own})
    due(database)
    work(database, tmp_path / "m")
    assert problems(database) == {"r": "Personal"}
    assert all(ask(database, f"SELECT count(*) FROM org.{table}") == [(0,)] for table in TABLES)


WORD = "zanzibarquokka"


@pytest.mark.deep(reason="a_wish_during_the_work_is_not_lost is the small one")
def test_a_purged_text_is_nowhere(
    cluster: Cluster, database: str, tmp_path: Path, run: Run
) -> None:
    """It is withheld as soon as it is redacted, and after a purge and `org vacuum` in no file of server or mirror."""
    text = f"The code is {WORD}."
    before = [
        log(1, FactCreated("vault", text, "", (("tags", WORD),)), FactCreated("plain", "A plain one."),
            title=text, prose=f"We saw the {WORD} at noon."),
        log(2, FactUpdated("vault", f"Now it is {WORD} two."), FactReferenced("plain")),
        log(3, FactSuperseded("plain", "vault", f"for the {WORD}")),
    ]  # fmt: skip
    remote = Remote(tmp_path / "r.git")
    remote.push(dict(before))
    add(database, str(remote.folder))
    work(database, tmp_path / "m")

    def rows() -> str:
        asked = [ask(database, f"SELECT * FROM org.{table}") for table in TABLES]
        return repr(asked)

    assert WORD in rows()
    stem = before[0][0].rpartition("/")[2].removesuffix(".md")
    gone = log(4, FactRedacted("vault"), FactRedacted(stem))
    remote.push(dict([*before, gone]))
    due(database)
    work(database, tmp_path / "m")
    assert WORD not in rows()
    ((said,),) = ask(database, "SELECT said FROM org.fact WHERE id = 'vault'")
    assert isinstance(said, dict) and said["text"] == "(redacted)"
    ask(database, "CHECKPOINT")
    assert (
        holders(Path(cluster.data, "base"), WORD) == []
    )  # whom it was redacted for needs no command
    remote.push(dict([log(1, FactCreated("plain", "A plain one.")), gone]), onto=False)
    due(database)
    work(database, tmp_path / "m")
    assert holders(tmp_path / "m", WORD) == []
    assert run("org", "rebuild", "r", "--forget", "--mirrors", str(tmp_path / "m")).code == 0
    work(database, tmp_path / "m")
    ask(database, "CHECKPOINT")
    assert holders(Path(cluster.data, "base"), "A plain one.") == [] and not any(
        (tmp_path / "m").glob("*.git")
    )


@pytest.mark.deep(reason="a_wish_during_the_work_is_not_lost is the small one")
def test_schemas(cluster: Cluster, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two may make it at once; another one is refused and stays; what the server says is said."""
    where = cluster.database()
    command = [sys.executable, "-m", "rituals", "org", "init", where]
    many = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    said = [one.communicate()[0].decode() for one in many]
    assert [one.returncode for one in many] == [0, 0]
    assert sorted(said) == ["schema version 3\n", "schema version 3, unchanged\n"]
    ask(where, "UPDATE org.schema SET number = 99 RETURNING 1")
    for refused in (lambda: connect_owner(where), lambda: initialise(where)):
        with pytest.raises(DatabaseFailed, match="a schema `org` of another Diurna") as problem:
            refused()
        assert "`createdb` another one" in str(problem.value.hint)
    before = cluster.database()  # as it was made with shelves and tokens
    ask(
        before,
        f"CREATE SCHEMA org AUTHORIZATION {OWNER}; CREATE TABLE org.migration(number int)",
    )
    assert "of another Diurna" in run("org", "init", before).err
    assert ask(before, "SELECT to_regclass('org.migration') IS NOT NULL") == [(True,)]
    told = run("org", "init", "postgresql://me:hunter2@db.example/org")
    assert told.code == 2 and "hunter2" not in told.out + told.err
    monkeypatch.delenv("DIURNA_ORG", raising=False)
    assert "it is not said where" in run("org", "status").err
    assert "Connection refused" in run("org", "init", "postgresql://ada@127.0.0.1:1/x").err
    nobody = run("org", "init", logged_in(cluster.database(), "nobody"))
    assert 'role "nobody" does not exist' in nobody.err
    assert (
        "permission denied for database"
        in run("org", "init", logged_in(cluster.database(), "bob")).err
    )
    assert (
        "CREATE ROLE diurna LOGIN"
        in run("org", "init", logged_in(cluster.database(), "postgres")).err
    )
    monkeypatch.setenv("DIURNA_ORG", cluster.database())
    assert "`diurna org init` makes it" in run("org", "status").err


@pytest.mark.deep(reason="a_wish_during_the_work_is_not_lost is the small one")
def test_a_ledger_that_kills_or_holds_its_worker(database: str, tmp_path: Path) -> None:
    """After three deaths it is tried once a day; the others are read before it."""
    (tmp_path / "slow").write_text("#!/bin/sh\nkill -9 $(ps -o ppid= -p $PPID)\nsleep 60\n")
    (tmp_path / "slow").chmod(0o755)
    add(database, "ssh://host.invalid/killer.git")
    for number in range(3):
        remote = Remote(tmp_path / f"good{number}")
        remote.push(dict([log(1, FactCreated("a", "One."))]))
        add(database, str(remote.folder))
    command = [
        sys.executable,
        "-m",
        "rituals",
        "org",
        "work",
        "--once",
        "--mirrors",
        str(tmp_path / "m"),
    ]
    for _ in range(5):
        subprocess.run(
            command, env={**os.environ, "GIT_SSH_COMMAND": str(tmp_path / "slow")}, timeout=60,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        ask(
            database,
            "UPDATE org.ledger SET leased_until = now() WHERE lease IS NOT NULL RETURNING 1",
        )
    assert problems(database) == {"killer": KILLED}
    assert ask(database, "SELECT count(*) FROM org.fact") == [(3,)]
    later = "SELECT due > now() + interval '23 h' FROM org.ledger WHERE problem <> ''"
    assert ask(database, later) == [(True,)]


@pytest.mark.deep(reason="a_wish_during_the_work_is_not_lost is the small one")
def test_who_is_stopped_beyond_the_lease_writes_nothing(database: str, tmp_path: Path) -> None:
    """Stopped in its fetch and let go on when another one has read: no row, job or ledger is touched."""
    remote = Remote(tmp_path / "r.git")
    remote.push(files_of(1))
    script = tmp_path / "ssh"
    script.write_text(
        f"#!/bin/sh\n[ -p {tmp_path}/go ] && : > {tmp_path}/began && : < {tmp_path}/go\n"
        f"exec git-upload-pack {remote.folder}\n"
    )
    script.chmod(0o755)
    for name in ("began", "go"):  # whoever opens one waits for who opens it at its other end
        os.mkfifo(tmp_path / name)
    add(database, "ssh://host.invalid/r.git")
    environment = {**os.environ, "GIT_SSH_COMMAND": str(script), "DIURNA_ORG": database}
    words = ["-m", "rituals", "org", "work", "--once", "--mirrors"]
    slow = subprocess.Popen(
        [sys.executable, *words, str(tmp_path / "slow")], env=environment, stderr=subprocess.PIPE
    )
    (tmp_path / "began").read_bytes()
    os.kill(slow.pid, signal.SIGSTOP)
    (tmp_path / "go").write_bytes(b"")
    (tmp_path / "go").unlink()
    ask(database, "UPDATE org.ledger SET leased_until = now(), due = now() RETURNING 1")
    command = [sys.executable, *words, str(tmp_path / "m")]
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)
    tables = (*TABLES, "schema", "ledger")
    before = [ask(database, f"SELECT xmin, t.* FROM org.{table} t") for table in tables]
    assert before[-1] and ask(database, "SELECT count(*) > 0 FROM org.fact") == [(True,)]
    os.kill(slow.pid, signal.SIGCONT)
    said = slow.communicate(timeout=60)[1].decode()
    assert '"code": "Fenced"' in said
    assert before == [ask(database, f"SELECT xmin, t.* FROM org.{table} t") for table in tables]


_ENDLESS = """
import os, struct, sys, zlib
out, into = sys.stdout.buffer, sys.stdin.buffer
def line(data):
    out.write(b"%04x" % (len(data) + 4) + data)
line(b"1" * 40 + b" refs/heads/memory\\0side-band-64k\\n")
out.write(b"0000")
out.flush()
while not (size := int(into.read(4), 16)) or not into.read(size - 4).startswith(b"done"):
    pass
line(b"NAK\\n")
line(b"\\1PACK" + struct.pack(">II", 2, 100_000))
while True:
    data = zlib.compressobj(0)
    blob = bytes([0xB0 | 0, 0x80, 0x40]) + data.compress(os.urandom(1 << 17)) + data.flush()
    for at in range(0, len(blob), 65000):
        line(b"\\1" + blob[at : at + 65000])
    out.flush()
"""


@pytest.mark.deep(reason="a_wish_during_the_work_is_not_lost is the small one")
def test_what_never_ends_is_ended(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pack without an end, a folder of the machine, and a log that is too large; nothing of a pack stays."""
    monkeypatch.setattr(org_reading, "LIMIT_MB", 4)
    monkeypatch.setattr(org_reading, "LIMIT_SECONDS", 20.0)
    (tmp_path / "endless.py").write_text(_ENDLESS)
    monkeypatch.setenv("GIT_SSH_COMMAND", f"{sys.executable} {tmp_path}/endless.py")
    large = encode(
        SessionLog((), "Large", "x" * (LOG_LIMIT_BYTES + 1), (FactCreated("b", "Two."),))
    )
    huge = Remote(tmp_path / "huge")
    huge.push(
        dict([log(1, FactCreated("a", "One."))])
        | {log_path(seal("2026-03-01-110000000", large)): large}
    )
    add(database, "ssh://host.invalid/endless.git", "file:///etc", str(huge.folder))
    work(database, tmp_path / "m")
    assert problems(database) == {"endless": "RemoteRefused", "etc": "RemoteRefused"}
    assert ask(database, "SELECT id FROM org.fact") == [("a",)]
    due(database)
    work(database, tmp_path / "m")
    sizes = [one.stat().st_size for one in (tmp_path / "m").rglob("*") if one.is_file()]
    assert sum(sizes) < 20 << 20, sorted(sizes)[-3:]
