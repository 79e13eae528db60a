"""A PostgreSQL server of the tests' own, where the machine has one, and a database of each test's own."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from glob import glob
from pathlib import Path

import pytest

psycopg = pytest.importorskip("psycopg", reason="the extra `org` is not installed")
#: Who may own the schema, who may ask, and a role of which anybody may be a member: `guards`.
OWNER, LOGINS = "diurna", ("ada", "bob", "eve")
PROGRAMS = next(iter(sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True)), "")
if not PROGRAMS and (found := shutil.which("initdb")):
    PROGRAMS = os.path.dirname(os.path.realpath(found))
needs_postgres = pytest.mark.skipif(not PROGRAMS, reason="there is no PostgreSQL on this machine")


class Cluster:
    """A server on a socket in a temporary folder.

    Args:
        folder: where its data is.
    """

    def __init__(self, folder: str) -> None:
        self.folder, self.data = folder, f"{folder}/data"
        self._user = "postgres" if getpass.getuser() == "root" else None
        if self._user:
            shutil.chown(folder, self._user)
        self.run(
            "initdb", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"
        )
        self.start()
        with psycopg.connect(self.url("postgres"), autocommit=True) as base:
            for name in (*LOGINS, OWNER):
                base.execute(f"CREATE ROLE {name} LOGIN".encode())
            base.execute("CREATE ROLE guards")

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of PostgreSQL's on the data."""
        command = [f"{PROGRAMS}/{program}", "-D", self.data, *arguments]
        subprocess.run(command, check=True, cwd="/", user=self._user, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)  # fmt: skip

    def start(self) -> None:
        """Start the server, and wait for it."""
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off"
        self.run("pg_ctl", "-w", "-o", options, "-l", f"{self.folder}/log", "start")

    def stop(self, how: str = "fast") -> None:
        """Stop it; `immediate` is what a power cut leaves."""
        self.run("pg_ctl", "-w", "-m", how, "stop")

    def url(self, name: str, user: str = "postgres") -> str:
        """Return where a database is."""
        return f"postgresql://{user}@/{name}?host={self.folder}"

    def database(self, collation: str = "") -> str:
        """Make a database, perhaps with the order of a language (ICU's); return where its owner finds it."""
        order = f" TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '{collation}'" * bool(
            collation
        )
        with psycopg.connect(self.url("postgres"), autocommit=True) as base:
            count = base.execute("SELECT count(*) FROM pg_database").fetchone()
            base.execute(f"CREATE DATABASE org{count[0]} OWNER {OWNER}{order}".encode())
        return self.url(f"org{count[0]}", OWNER)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A server for the whole session."""
    if not PROGRAMS:
        pytest.skip("there is no PostgreSQL on this machine")
    folder = tempfile.mkdtemp(
        prefix="diurna-org-", dir="/dev/shm" if os.path.isdir("/dev/shm") else "/tmp"
    )
    made = Cluster(folder)
    yield made
    made.stop("immediate")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database with the schema, which `DIURNA_ORG` names for its owner."""
    from rituals.org.org_database import initialise

    where = cluster.database()
    monkeypatch.setenv("DIURNA_ORG", where)
    initialise(where)
    return where


class Remote:
    """A bare repository whose memory is rewritten as one likes.

    Args:
        folder: where it is made.
        policy: its `diurna.toml`.
    """

    def __init__(self, folder: Path, policy: str = 'format = 1\nproject = "law"\n') -> None:
        self.folder, self._policy = folder, policy.encode()
        subprocess.run(["git", "init", "-q", "--bare", "-b", "memory", str(folder)], check=True)

    def push(self, files: dict[str, bytes], *, onto: bool = True) -> str:
        """Let the branch hold these files and no other; not `onto` the last commit it is a new history."""
        parent = f"from {self.tip()}\n".encode() if onto and self.tip() else b""
        body = b"reset refs/heads/memory\n" * (not parent) + b"commit refs/heads/memory\n"
        body += (
            b"committer L <l@example.invalid> 1800000000 +0000\ndata 9\ndiurna: x\n"
            + parent
            + b"deleteall\n"
        )
        for path, data in {"diurna.toml": self._policy, **files}.items():
            body += f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
        subprocess.run(
            ["git", "-C", str(self.folder), "-c", "core.fsync=none", "fast-import", "--quiet", "--force"],
            input=body, check=True,
        )  # fmt: skip
        return self.tip()

    def clone(self, folder: Path) -> None:
        """Clone it, as a user does."""
        subprocess.run(["git", "clone", "-q", str(self.folder), str(folder)], check=True)

    def tip(self) -> str:
        """Return where the branch is, "" before the first push."""
        done = subprocess.run(
            ["git", "-C", str(self.folder), "rev-parse", "-q", "--verify", "refs/heads/memory"],
            capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()


def logged_in(where: str, role: str) -> str:
    """Return where a role finds the database of its owner."""
    return where.replace(f"//{OWNER}@", f"//{role}@")


def ask(where: str, question: str, *values: object) -> list[tuple[object, ...]]:
    """Ask the database as its superuser."""
    with psycopg.connect(logged_in(where, "postgres"), autocommit=True) as base:
        done = base.execute(question.encode(), values or None)
        return done.fetchall() if done.description else []
