"""Whatever becomes of workers, servers and ledgers, nothing is lost or doubled, and what was purged is nowhere."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
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
from ledger.model.layout import log_path
from ledger.model.seal import seal
from ledger.model.session import SessionLog
from rituals.org import org_mirror, org_reading, org_registry
from rituals.org.org_database import WORKER, DatabaseFailed, connect, initialise, migrations
from rituals.org.org_jobs import KILLED, Fenced, claim
from rituals.org.org_reading import TABLES, carry_out
from rituals.org.org_rows import Stems
from rituals.org.org_worker import do
from tests.conftest import Run, examples, holders
from tests.org_cluster import Cluster, Remote, ask, cluster, database, needs_postgres
from tests.test_org_reading import files_of, local, objects, place, work

__all__ = ["cluster", "database"]
pytestmark = needs_postgres
KILLS = examples(16)  #: of workers, and of the server a fifth as often


def log(
    number: int, *events: object, title: str = "Work", prose: str = "It went."
) -> tuple[str, bytes]:
    """Make a sealed log, as path and bytes."""
    stamp = f"2026-03-{1 + number // 60:02d}-10{number % 60:02d}00000"
    data = encode(SessionLog((("agent", "ada"),), title, prose, events))  # type: ignore[arg-type]
    return log_path(seal(stamp, data)), data


def add(where: str, *urls: str, readers: tuple[str, ...] = ("*",)) -> None:
    """Register ledgers."""
    with connect(where, WORKER) as base:
        org_registry.add(base, list(urls), "", readers)


def due(where: str) -> None:
    """Let everything be due, whatever failed before."""
    ask(where, "UPDATE org.job SET due = now(), tries = 0, leased_until = NULL RETURNING 1")


def problems(where: str) -> dict[str, str]:
    """Return what is wrong with ledgers, by name."""
    asked = "SELECT name, problem FROM org.ledger JOIN org.job ON ledger = id WHERE problem <> ''"
    return {str(name): str(problem) for name, problem in ask(where, asked)}


def test_kills_lose_and_double_nothing(cluster: Cluster, database: str, tmp_path: Path) -> None:
    """Workers and the server are killed at any time; the rows are those of every ledger, once."""
    rng = random.Random(31)
    remotes = [Remote(tmp_path / f"r{number}.git") for number in range(12)]
    for number, remote in enumerate(remotes):
        remote.push(files_of(number))
    add(database, *[str(one.folder) for one in remotes])
    command = f"{sys.executable} -m rituals org work --jobs 2 --mirrors {tmp_path}/m".split()
    worker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(KILLS):
            while not ask(database, "SELECT 1 FROM org.job WHERE leased_until > now() LIMIT 1"):
                ask(
                    database,
                    "UPDATE org.job SET due = now(), tries = 0, wish = 'rebuild' RETURNING 1",
                )
                time.sleep(0.02)
            time.sleep(rng.uniform(0.0, 0.1))  # so that it is in the middle of something
            chance = rng.random()
            if chance < 0.1:
                cluster.stop("immediate")
                cluster.start()
            elif chance < 0.2:
                worker.kill()
                worker.wait()
                worker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            else:
                children = (
                    Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
                )
                with suppress(ProcessLookupError, IndexError):
                    os.kill(int(rng.choice(children)), signal.SIGKILL)
            ask(database, "UPDATE org.job SET leased_until = NULL WHERE random() < 0.5 RETURNING 1")
    finally:
        worker.kill()
        worker.wait()
    _until_alone(str(tmp_path / "m"))
    due(database)
    work(database, tmp_path / "m")
    assert problems(database) == {}
    for remote in remotes:
        facts, digest, logs = local(place(remote))
        assert objects(database, str(remote.folder)) == facts
        ((ledger, said),) = ask(
            database, "SELECT id, digest FROM org.ledger WHERE url = %s", str(remote.folder)
        )
        assert said == digest
        asked = "SELECT stem, blob FROM org.log WHERE ledger = %s ORDER BY stem"
        assert ask(database, asked, ledger) == logs


def _until_alone(folder: str) -> None:
    """Wait until nobody works with these mirrors: who lost its parent ends by itself."""
    for _ in range(200):
        if subprocess.run(["pgrep", "-f", folder], stdout=subprocess.DEVNULL).returncode:
            return
        time.sleep(0.1)
    raise AssertionError("a worker outlived its parent")


def test_who_was_overtaken_writes_nothing(database: str, tmp_path: Path) -> None:
    """A worker that slept through its lease finds another one's, and leaves the rows alone."""
    remote = Remote(tmp_path / "r.git")
    remote.push(files_of(1))
    add(database, str(remote.folder))
    with connect(database, WORKER) as base:
        slow = claim(base, "slow")
        assert slow is not None
        assert claim(base, "early") is None
        due(database)
        work(database, tmp_path / "m")
        before = [
            ask(database, f"SELECT xmin, * FROM org.{table}")
            for table in (*TABLES, "job", "ledger")
        ]
        with pytest.raises(Fenced):
            carry_out(base, slow, str(tmp_path / "m2"), Stems())
        assert do(base, slow, str(tmp_path / "m2"), Stems()) is None
    assert before == [
        ask(database, f"SELECT xmin, * FROM org.{table}") for table in (*TABLES, "job", "ledger")
    ]


def test_a_wish_during_the_work_is_not_lost(database: str, tmp_path: Path, run: Run) -> None:
    """A push that comes while its ledger is read is read next."""
    remote = Remote(tmp_path / "r.git")
    remote.push(dict([log(1, FactCreated("a", "One."))]))
    add(database, str(remote.folder))
    with connect(database, WORKER) as base:
        job = claim(base, "w")
        assert job is not None
        assert run("org", "read", "r").code == 0
        carry_out(base, job, str(tmp_path / "m"), Stems())
        again = claim(base, "w")
        assert again is not None
        carry_out(base, again, str(tmp_path / "m"), Stems())
        assert claim(base, "w") is None


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


def test_poisoned_ledgers_hold_nobody_up(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is told by a code and tried again later; the others are read, and nothing of it is kept."""
    monkeypatch.setattr(org_mirror, "LIMIT_SECONDS", 2.0)
    monkeypatch.setattr(org_mirror, "LIMIT_MB", 1)
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
    assert ask(database, "SELECT count(*) FROM org.job WHERE due < now() + interval '30 s'") == [
        (0,)
    ]


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
        asked = [ask(database, f"SELECT * FROM org.{table}") for table in (*TABLES, "word")]
        return repr(asked)

    assert WORD in rows()
    with connect(database, WORKER) as base:  # what it leaves behind on its shelf is erased, too
        org_registry.set_readers(base, org_registry.ledger_named(base, "r"), ["ada"])
    stem = before[0][0].rpartition("/")[2].removesuffix(".md")
    gone = log(4, FactRedacted("vault"), FactRedacted(stem))
    remote.push(dict([*before, gone]))
    due(database)
    work(database, tmp_path / "m")
    with connect(database, WORKER) as base:
        base.execute("SELECT org.count_words(shelf) FROM org.ledger")
    assert WORD not in rows()
    assert ask(database, "SELECT text FROM org.fact WHERE id = 'vault'") == [("(redacted)",)]
    remote.push(dict([log(1, FactCreated("plain", "A plain one.")), gone]), onto=False)
    due(database)
    work(database, tmp_path / "m")
    subprocess.run(
        ["grep", "-rqaiF", WORD, cluster.data], check=True
    )  # what is gone stands there yet
    done = run("org", "vacuum", "r", "--mirrors", str(tmp_path / "m"))
    assert done.code == 0, done.err
    assert "not reached: replicas, base backups, archived WAL" in done.out
    assert holders(tmp_path / "m", WORD) == []
    found = subprocess.run(
        ["grep", "-rlaiF", WORD, cluster.data], capture_output=True, text=True
    ).stdout
    assert found == ""


def test_schemas(cluster: Cluster, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two may make it at once; a newer one is refused in words; a password is no part of an address."""
    where = cluster.database()
    many = [
        subprocess.Popen(
            [sys.executable, "-m", "rituals", "org", "init", where], stdout=subprocess.PIPE
        )
        for _ in range(3)
    ]
    said = [one.communicate()[0].decode() for one in many]
    assert [one.returncode for one in many] == [0, 0, 0]
    assert all(f"the schema is of number {len(migrations())}" in one for one in said)
    assert initialise(where) == (len(migrations()),) * 2
    ask(where, "INSERT INTO org.migration(number) VALUES (99) RETURNING 1")
    with pytest.raises(DatabaseFailed, match="of number 99, and this library knows"):
        connect(where, WORKER)
    with pytest.raises(DatabaseFailed, match="of number 99"):
        initialise(where)
    told = run("org", "init", "postgresql://me:hunter2@db.example/org")
    assert told.code == 2
    assert "hunter2" not in told.out + told.err
    monkeypatch.delenv("DIURNA_ORG", raising=False)
    assert "it is not said where" in run("org", "status").err
    assert "can not be reached" in run("org", "init", "postgresql://ada@127.0.0.1:1/x").err


def test_a_ledger_that_kills_or_holds_its_worker(database: str, tmp_path: Path) -> None:
    """Who takes too long, or too much memory, is replaced; after three deaths it is tried once a day, the others at once."""
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
            stderr=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        ask(database, "UPDATE org.job SET leased_until = now() WHERE lease IS NOT NULL RETURNING 1")
    assert problems(database) == {"killer": KILLED}
    assert ask(database, "SELECT count(*) FROM org.fact") == [(3,)]
    later = "SELECT due > now() + interval '23 h' FROM org.job WHERE problem <> ''"
    assert ask(database, later) == [(True,)]
