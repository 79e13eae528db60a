"""A worker that sleeps through its lease, what never ends, plans as data grows, times that tell nothing, and schemas from before."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ledger.codec.log import encode
from ledger.model.event import FactCreated
from ledger.model.layout import log_path
from ledger.model.seal import seal
from ledger.model.session import LOG_LIMIT_BYTES, SessionLog
from rituals.org import org_database, org_mirror, org_registry
from rituals.org.org_database import WORKER, connect, initialise, migrations
from rituals.org.org_reading import TABLES
from rituals.org.org_search import Asker
from tests.org_cluster import Cluster, Remote, ask, cluster, database, needs_postgres, psycopg
from tests.test_org_access import fill, token
from tests.test_org_reading import files_of, objects, work
from tests.test_org_worker import add, due, log, problems

__all__ = ["cluster", "database"]
pytestmark = needs_postgres


def _until(path: Path) -> None:
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_who_is_stopped_beyond_the_lease_writes_nothing(database: str, tmp_path: Path) -> None:
    """Stopped in its fetch and let go on when another one has read: no row, job or ledger is touched."""
    remote = Remote(tmp_path / "r.git")
    remote.push(files_of(1))
    script = tmp_path / "ssh"
    script.write_text(
        f"#!/bin/sh\ntouch {tmp_path}/began\nwhile [ -e {tmp_path}/wait ]; do sleep 0.05; done\n"
        f"exec git-upload-pack {remote.folder}\n"
    )
    script.chmod(0o755)
    (tmp_path / "wait").touch()
    add(database, "ssh://host.invalid/r.git")
    environment = {**os.environ, "GIT_SSH_COMMAND": str(script), "DIURNA_ORG": database}
    words = ["-m", "rituals", "org", "work", "--once", "--mirrors"]
    slow = subprocess.Popen(
        [sys.executable, *words, str(tmp_path / "slow")], env=environment, stderr=subprocess.PIPE
    )
    _until(tmp_path / "began")
    (child,) = Path(f"/proc/{slow.pid}/task/{slow.pid}/children").read_text().split()
    os.kill(int(child), signal.SIGSTOP)
    (tmp_path / "wait").unlink()
    ask(database, "UPDATE org.job SET leased_until = now(), due = now() RETURNING 1")
    command = [sys.executable, *words, str(tmp_path / "m")]
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)
    tables = (*TABLES, "job", "ledger", "shelf")
    before = [ask(database, f"SELECT xmin, t.* FROM org.{table} t") for table in tables]
    assert before[-2] and ask(database, "SELECT count(*) > 0 FROM org.fact") == [(True,)]
    os.kill(int(child), signal.SIGCONT)
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


def test_what_never_ends_is_ended(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pack without an end, a folder of the machine, and a log that is too large; nothing of a pack stays."""
    monkeypatch.setattr(org_mirror, "LIMIT_MB", 4)
    monkeypatch.setattr(org_mirror, "LIMIT_SECONDS", 20.0)
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
    began = time.monotonic()
    work(database, tmp_path / "m")
    assert time.monotonic() - began < 15
    assert problems(database) == {"endless": "RemoteRefused", "etc": "RemoteRefused"}
    assert ask(database, "SELECT id FROM org.fact") == [("a",)]
    due(database)
    work(database, tmp_path / "m")
    sizes = [one.stat().st_size for one in (tmp_path / "m").rglob("*") if one.is_file()]
    assert sum(sizes) < 20 << 20, sorted(sizes)[-3:]


def _grow(where: str, shelf: int, ledger: int, count: int, words: str) -> None:
    """Add facts to a ledger, without statistics of them."""
    ask(
        where,
        "INSERT INTO org.fact SELECT %s, %s, %s || n, 'fact', 'working', '', 'Text', '2026-03-01', '', 0,"
        " '2026-03-01', '', '', '', '', '{}', false, false, false, false, '', '', NULL, '\\x00',"
        " (%s || ' w' || n || ':2')::tsvector FROM generate_series(1, %s::int) n RETURNING 1",
        shelf, ledger, f"of-{count}-", words, count,
    )  # fmt: skip


def test_searches_go_by_index_as_data_grows(database: str, tmp_path: Path) -> None:
    """From no row and no statistics to many: as the function itself is planned, for a reader."""
    fill(database, tmp_path, hidden=False)
    ((ledger, shelf),) = ask(database, "SELECT id, shelf FROM org.ledger")
    made = token(database, "bob")
    ask(database, f"DELETE FROM org.fact_{shelf} RETURNING 1")
    assert isinstance(shelf, int) and isinstance(ledger, int)
    plans: list[str] = []
    with psycopg.connect(database, autocommit=True) as base:
        base.execute("LOAD 'auto_explain'")
        for key, value in (("log_min_duration", "0"), ("log_nested_statements", "on")):
            base.execute(f"SET auto_explain.{key} = {value}".encode())
        base.add_notice_handler(lambda said: plans.append(str(said.message_primary)))
        base.execute("SET ROLE org_server")
        base.execute("SET client_min_messages = log")
        asker = Asker(base, made)
        for count in (0, 3000, 27000):
            if count:
                _grow(database, shelf, ledger, count, f"common{count}:1 rare{count}:3")
            for analyzed in (False, True):
                if analyzed:
                    with psycopg.connect(database, autocommit=True) as other:
                        other.execute(f"ANALYZE org.fact_{shelf}".encode())
                plans.clear()
                asker.rows("find", ["w17"], ["w17"], [1.0], "{}", 300)
                asker.rows("counts", ["w17"])
                asker.rows("find_logs", "queue", "{}", 10)
                lines = [
                    line for one in plans for line in one.split("\n") if "Scan on fact_" in line
                ]
                if count:
                    assert not [line for line in lines if "Seq Scan" in line], (
                        count,
                        analyzed,
                        lines,
                    )
                    assert (
                        len([one for one in lines if f"Index Scan on fact_words_{shelf}" in one])
                        == 2
                    )


def test_times_tell_nothing_of_what_is_hidden(database: str, tmp_path: Path) -> None:
    """The median time of 200 questions for a common hidden word is that of a word which nobody has."""
    fill(database, tmp_path, hidden=True)
    ((ledger, shelf),) = ask(database, "SELECT id, shelf FROM org.ledger WHERE name = 'vault'")
    assert isinstance(shelf, int) and isinstance(ledger, int)
    _grow(database, shelf, ledger, 20_000, "zorbhidden:1")
    made = token(database, "bob")
    with connect(database, WORKER) as base:
        base.execute("SELECT org.count_words(%s)", (shelf,))
    with connect(database, org_database.SERVER) as base:
        asker = Asker(base, made)
        asked = ("counts", ["{}"]), ("beginning", "{}", 64), ("find", ["{}"], ["{}"], [1.0], "{{}}", 300), (
            "find_logs", "{}", "{{}}", 50)  # fmt: skip
        for _ in range(4):  # others work on this machine, too
            times: dict[str, list[float]] = {"zorbhidden": [], "zorbnobody": []}
            for number in range(400):
                word = sorted(times)[number % 2]
                questions = json.loads(
                    json.dumps(asked).replace("{}", word).replace(f"{{{word}}}", "{}")
                )
                began = time.perf_counter()
                for function, *values in questions:
                    found = asker.rows(function, *values)
                    assert not found or function == "counts"
                times[word].append(time.perf_counter() - began)
            one, other = (statistics.median(some) for some in times.values())
            if abs(one - other) < 0.2 * min(one, other):
                break
        else:
            raise AssertionError((one, other))
    with connect(database, org_database.SERVER) as base:
        ada = Asker(base, token(database, "ada"))
        assert ada.rows("counts", ["zorbhidden"])[0]["facts"] == 20_000  # it is there


def test_a_schema_from_before_is_brought_here_with_its_rows(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read by the first one is there, may be asked, and is what a new reading gives; an older worker is told."""
    where = cluster.database()
    monkeypatch.setattr(org_database, "migrations", lambda: migrations()[:1])
    assert initialise(where) == (0, 1)
    remote = Remote(tmp_path / "shop.git")
    remote.push(files_of(3))
    url = str(remote.folder)
    asked = "SELECT org.shelf_for('{bob}'), org.index_shelf(1)"
    with psycopg.connect(where, options="-c role=org_worker", autocommit=True) as base:
        base.execute(asked.encode())
    ask(where, "INSERT INTO org.ledger(id, url, name, shelf, tip, library, logs, facts) VALUES (7, %s, 'shop', 1, 'x',"
        " 'old.1', 1, 1) RETURNING 1", url)  # fmt: skip
    ask(where, "INSERT INTO org.job(ledger) VALUES (7) RETURNING 1")
    ask(where, "INSERT INTO org.log SELECT 1, 7, '2026-03-01', 'b', 'sessions/x.md', '', 'ada', '', '', '',"
        " '2026-03-01', 'Title', '{}', 'Body', '\\x00' RETURNING 1")  # fmt: skip
    ask(where, "INSERT INTO org.fact SELECT 1, 7, 'old', 'fact', 'working', '', 'Webhooks wait.', '2026-03-01', '', 0,"
        " '2026-03-01', '', '', '', '', '{}', false, false, false, false, '', '', NULL, '\\x00', '''webhook'':1'"
        " RETURNING 1")  # fmt: skip
    monkeypatch.setattr(org_database, "migrations", migrations)
    with pytest.raises(org_database.DatabaseFailed, match="of number 1, this library's of 2"):
        connect(where, WORKER)
    assert initialise(where) == (1, len(migrations()))
    with connect(where, org_database.SERVER) as base:
        asker = Asker(base, token(where, "bob"))
        (row,) = asker.rows("find", ["webhook"], ["webhook"], [1.0], "{}", 10)
    assert (row["id"], row["path"], row["commit"], row["author"]) == (
        "old",
        "sessions/x.md",
        "",
        "",
    )
    work(where, tmp_path / "m")
    assert ask(where, "SELECT count(*) FROM org.fact WHERE id = 'old'") == [(0,)]
    other = cluster.database()
    initialise(other)
    add(other, url)
    work(other, tmp_path / "m2")
    assert objects(where, url) == objects(other, url)
    with connect(where, WORKER) as base:  # and shelves made now are as those from before
        org_registry.set_readers(base, 7, ["eve"])
    assert objects(where, url) == objects(other, url)
    monkeypatch.setattr(org_database, "migrations", lambda: migrations()[:1])
    with pytest.raises(org_database.DatabaseFailed, match="of number 2, and this library knows 1"):
        connect(where, WORKER)
