"""The rows of an organisation's ledgers are what the library says of each: after any history, by any worker."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from ledger.codec.log import encode
from ledger.git.repository import Repository
from ledger.home import OWN_BRANCH, Home
from ledger.model.event import FactCreated
from ledger.model.layout import log_path
from ledger.model.seal import seal
from ledger.model.session import SessionLog
from memory.query.origins import all_origins
from memory.query.reader import Reader
from memory.replay.reader_marks import NOTHING_MARKED
from rituals.answers.json_objects import described
from rituals.org import org_registry
from rituals.org.org_database import WORKER, connect
from rituals.org.org_reading import TABLES
from rituals.org.org_rows import fact_object_of
from rituals.org.org_worker import Setting, run
from tests.campaigns.second_fold import made_up
from tests.conftest import Repo, Run, examples, holders
from tests.org_cluster import Remote, ask, cluster, database, needs_postgres
from tests.org_cluster import psycopg as psycopg

__all__ = ["cluster", "database"]
pytestmark = needs_postgres
LEDGERS = examples(6)
MIRROR = "SELECT id, url FROM org.ledger"


def objects(where: str, url: str) -> dict[str, Any]:
    """Make the objects of all facts of a ledger from its columns."""
    from psycopg.rows import dict_row

    with psycopg.connect(where, autocommit=True, row_factory=dict_row) as base:
        ledger = base.execute("SELECT * FROM org.ledger WHERE url = %s", (url,)).fetchone()
        rows = base.execute("SELECT * FROM org.fact WHERE ledger = %s ORDER BY id", (ledger["id"],))
        asked = "SELECT * FROM org.version WHERE ledger = %s ORDER BY fact, place"
        versions: dict[str, list[Any]] = {}
        for one in base.execute(asked, (ledger["id"],)):
            versions.setdefault(one["fact"], []).append(one)
        return {row["id"]: fact_object_of(row, versions.get(row["id"], [])) for row in rows}


def local(home: Home) -> tuple[dict[str, Any], str, list[tuple[str, str]]]:
    """Return what the library says of a home: facts by id, the digest, and its logs with their blobs."""
    reader = Reader(home)
    try:
        state, cache = reader.state(), reader.cache()
        found = described(cache, state, state.standings(), NOTHING_MARKED)
        logs = sorted([(ref.key, ref.blob) for ref in cache.log_refs()])
        return {one["id"]: one for one in json.loads(json.dumps(found))}, state.summary.digest, logs
    finally:
        reader.close()


def brought(home: Home) -> list[tuple[str, str, str, str]]:
    """Return by which commit each log came, by whom, and where it has it: by a walk over all of history."""
    reader = Reader(home)
    try:
        refs = list(reader.cache().log_refs())
        found = all_origins(home, home.tip(), refs).commits
        rows = [(ref.key, found[ref.path], ref.path) for ref in refs]
        return sorted([(key, one.commit, one.author, one.path or path) for key, one, path in rows])
    finally:
        reader.close()


def place(remote: Remote) -> Home:
    """Return the home that a remote is, read where it is."""
    folder = str(remote.folder)
    return Home(OWN_BRANCH, Repository("", folder, folder), "refs/heads/memory", "")


def work(where: str, mirrors: Path) -> None:
    """Read all that is due, in this process."""
    run(Setting(where, str(mirrors), before="infinity"))


def files_of(seed: int) -> dict[str, bytes]:
    """Make the logs of a ledger up, by path, in an order of arrival that is not the ledger's."""
    case = made_up(random.Random(seed))
    return {ref.path: data for ref, data in zip(case.refs, case.data, strict=True) if data}


@pytest.mark.parametrize("seed", range(3))
def test_rows_equal_what_the_library_says(
    database: str, tmp_path: Path, run: Run, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every step of random histories, forwards, backwards and elsewhere, all of it is rebuilt from columns."""
    rng = random.Random(seed)
    remotes = [Remote(tmp_path / f"r{number}.git") for number in range(LEDGERS)]
    logs = [files_of(100 * seed + number) for number in range(len(remotes))]
    with connect("", WORKER) as base:
        org_registry.add(
            base, org_registry.listed([str(one.folder) for one in remotes], "/"), "", ["*"]
        )
    for step in range(5):
        for remote, files in zip(remotes, logs, strict=True):
            some = rng.sample(sorted(files), rng.randint(0, len(files)))
            if step == 4:
                some = sorted(files)
            if step == 0 or rng.random() < 0.8:
                remote.push({path: files[path] for path in some}, onto=rng.random() < 0.7)
        ask(database, "UPDATE org.job SET due = now(), tries = 0 RETURNING 1")
        work(database, tmp_path / "mirrors")
        assert ask(database, "SELECT problem FROM org.job WHERE problem <> ''") == []
        for remote in remotes:
            facts, digest, kept = local(place(remote))
            url = str(remote.folder)
            assert objects(database, url) == facts
            ((ledger, said, tip),) = ask(
                database, "SELECT id, digest, tip FROM org.ledger WHERE url = %s", url
            )
            assert (said, tip) == (digest, remote.tip())
            rows = ask(
                database, "SELECT stem, blob FROM org.log WHERE ledger = %s ORDER BY stem", ledger
            )
            assert rows == kept
            asked = "SELECT stem, commit, author, path FROM org.log WHERE ledger = %s ORDER BY stem"
            assert ask(database, asked, ledger) == brought(place(remote))
    clone = tmp_path / "clone"
    remotes[0].clone(clone)
    monkeypatch.chdir(clone)
    shown = run("show", "--json").json["facts"]
    assert objects(database, str(remotes[0].folder)) == {one["id"]: one for one in shown}
    before = ask(database, "SELECT f.* FROM org.fact f ORDER BY ledger, id")
    assert run("org", "rebuild", *[str(one.folder) for one in remotes]).code == 0
    work(database, tmp_path / "mirrors")
    assert ask(database, "SELECT f.* FROM org.fact f ORDER BY ledger, id") == before
    sizes = {table: ask(database, f"SELECT count(*) FROM org.{table}")[0][0] for table in TABLES}
    assert all(sizes.values()), sizes  # links and versions of contradictions, too


def test_of_a_repository_with_code_only_the_memory_comes(
    database: str, tmp_path: Path, repo: Repo, run: Run
) -> None:
    """A memory beside code is fetched without the code's files, where the server lets us, and whole elsewhere."""
    repo.write("big.bin", "zanzibarquokka\n" * 1000)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "code")
    assert run("note", "decision: id=retry Webhooks are retried three times.").code == 0
    run("check", "--publish")
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        repo.git("config", key, "true")
    whole = tmp_path / "whole"
    repo.git("clone", "-q", str(repo.path), str(whole))
    with connect("", WORKER) as base:
        org_registry.add(base, org_registry.listed([str(repo.path), str(whole)], "/"), "", ["*"])
    work(database, tmp_path / "m")
    assert ask(database, "SELECT problem FROM org.job") == [("",), ("",)]
    assert (
        ask(database, "SELECT id, text FROM org.fact")
        == [("retry", "Webhooks are retried three times.")] * 2
    )
    mirrors = {
        str(url): f"{tmp_path}/m/{ledger}.git"
        for ledger, url in ask(database, "SELECT id, url FROM org.ledger")
    }
    said = repo.git("log", "-1", "--format=%H%n%an", "--", "*/sessions/*").splitlines()
    assert ask(database, "SELECT DISTINCT commit, author FROM org.log") == [tuple(said)]
    assert holders(Path(mirrors[str(repo.path)]), "zanzibarquokka") == []
    assert holders(Path(mirrors[str(whole)]), "zanzibarquokka") != []


def test_a_log_that_names_nobody_is_told_with_its_commit(
    database: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its author is who git says; the link leads to the commit's own file, also after later ones."""
    stamp = "2026-03-01-100000000"
    data = encode(SessionLog((), "Work", "It went.", (FactCreated("retry", "Webhooks wait."),)))
    remote = Remote(tmp_path / "shop.git")
    files = {log_path(seal(stamp, data)): data}
    first = remote.push(files)
    remote.push({**files, "README.md": b"more"})
    with connect("", WORKER) as base:
        org_registry.add(base, [str(remote.folder)], "", ["*"])
        monkeypatch.setenv("DIURNA_ORG_TOKEN", org_registry.make_token(base, "ada"))
    work(database, tmp_path / "m")
    (path,) = files
    told = run("recall", "--org", "webhooks").out
    assert f"\n    {remote.folder} {first[:12]}:{path}\n" in told
    assert "Webhooks wait.  (said, committed by L)  " in told
    ask(database, "UPDATE org.ledger SET url = 'git@gitlab.example.com:team/shop' RETURNING 1")
    there = f"https://gitlab.example.com/team/shop/-/blob/{first}/{path}"
    assert there in run("recall", "--org", "webhooks").out
    ask(database, "UPDATE org.ledger SET url = 'git@code.example.com:team/shop' RETURNING 1")
    assert (
        f"https://code.example.com/team/shop/blob/{first}/"
        in run("recall", "--org", "webhooks").out
    )
