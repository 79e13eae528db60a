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
from ledger.model.log_names import log_path, seal
from ledger.model.session import SessionLog
from memory.query.log_listing import all_origins
from memory.query.reader import Reader
from memory.replay.reader_marks import NOTHING_MARKED
from rituals.answers.fact_objects import described
from rituals.org import org_ledgers
from rituals.org.org_database import connect_owner
from rituals.org.org_reading import work as run_worker
from tests.campaigns.second_fold import made_up
from tests.conftest import Repo, Run, examples, holders
from tests.org_cluster import Remote, ask, cluster, database, logged_in, needs_postgres

__all__ = ["cluster", "database"]
pytestmark = needs_postgres
LEDGERS = examples(6)


def log(
    number: int, *events: object, title: str = "Work", prose: str = "It went."
) -> tuple[str, bytes]:
    """Make a sealed log, as path and bytes."""
    stamp = f"2026-03-{1 + number // 60:02d}-10{number % 60:02d}00000"
    data = encode(SessionLog((("agent", "ada"),), title, prose, events))  # type: ignore[arg-type]
    return log_path(seal(stamp, data)), data


def add(where: str, *urls: str, roles: tuple[str, ...] = ("public",)) -> None:
    """Register ledgers."""
    with connect_owner(where) as base:
        org_ledgers.add(base, org_ledgers.listed(urls, "/"), "", roles)


def objects(where: str, url: str) -> dict[str, Any]:
    """Return the objects of all facts of a ledger, as its rows say."""
    asked = "SELECT f.id, f.said, f.kind, f.tier, f.untrue FROM org.fact f"
    asked += " JOIN org.ledger l ON l.id = f.ledger WHERE l.url = %s"
    found = {}
    for id, said, *columns in ask(where, asked, url):
        assert isinstance(said, dict) and [id, *columns] == [
            said[key] for key in ("id", "kind", "tier", "false")
        ]
        found[str(id)] = said
    return found


def local(home: Home) -> tuple[dict[str, Any], list[tuple[str]]]:
    """Return what the library says of a home: facts by id, and its logs."""
    reader = Reader(home)
    try:
        state, cache = reader.state(), reader.cache()
        found = described(cache, state, state.standings(), NOTHING_MARKED)
        logs = sorted([(ref.key,) for ref in cache.log_refs()])
        return {one["id"]: one for one in json.loads(json.dumps(found))}, logs
    finally:
        reader.close()


def brought(home: Home) -> list[tuple[str, str, str, str]]:
    """Return by which commit each log came, by whom, and where it has it: by a walk over all of history."""
    reader = Reader(home)
    try:
        refs = list(reader.cache().log_refs())
        found = all_origins(home, home.tip(), refs).commits
        rows = [(ref.key, found[ref.path], ref.path) for ref in refs]
        return sorted([(key, one.commit, one.author, path) for key, one, path in rows])
    finally:
        reader.close()


def place(remote: Remote) -> Home:
    """Return the home that a remote is, read where it is."""
    folder = str(remote.folder)
    return Home(OWN_BRANCH, Repository("", folder, folder), "refs/heads/memory", "")


def work(where: str, mirrors: Path) -> None:
    """Read all that is due, in this process."""
    run_worker(where, str(mirrors), once=True)


def files_of(seed: int) -> dict[str, bytes]:
    """Make the logs of a ledger up, by path, in an order of arrival that is not the ledger's."""
    return {
        path: data for path, data in made_up(random.Random(seed)).items() if "sessions/" in path
    }


@pytest.mark.deep(reason="two_readers_ask_three_repositories is the small one")
@pytest.mark.parametrize("seed", range(3))
def test_rows_equal_what_the_library_says(
    database: str, tmp_path: Path, run: Run, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every step of random histories, forwards, backwards and elsewhere, all of it is rebuilt from columns."""
    rng = random.Random(seed)
    remotes = [Remote(tmp_path / f"r{number}.git") for number in range(LEDGERS)]
    logs = [files_of(100 * seed + number) for number in range(len(remotes))]
    add(database, *[str(one.folder) for one in remotes])
    for step in range(5):
        for remote, files in zip(remotes, logs, strict=True):
            some = rng.sample(sorted(files), rng.randint(0, len(files)))
            if step == 4:
                some = sorted(files)
            if step == 0 or rng.random() < 0.8:
                remote.push({path: files[path] for path in some}, onto=rng.random() < 0.7)
        ask(database, "UPDATE org.ledger SET due = now(), tries = 0 RETURNING 1")
        work(database, tmp_path / "mirrors")
        assert ask(database, "SELECT problem FROM org.ledger WHERE problem <> ''") == []
        for remote in remotes:
            facts, kept = local(place(remote))
            url = str(remote.folder)
            assert objects(database, url) == facts
            ((ledger, tip),) = ask(database, "SELECT id, tip FROM org.ledger WHERE url = %s", url)
            assert tip == remote.tip()
            rows = ask(database, "SELECT stem FROM org.log WHERE ledger = %s ORDER BY stem", ledger)
            assert rows == kept
            asked = "SELECT stem, commit, author, path FROM org.log WHERE ledger = %s ORDER BY stem"
            assert ask(database, asked, ledger) == brought(place(remote))
        rows_of(database)
    clone = tmp_path / "clone"
    remotes[0].clone(clone)
    monkeypatch.chdir(clone)
    shown = run("show", "--json").json["facts"]
    assert objects(database, str(remotes[0].folder)) == {one["id"]: one for one in shown}
    before = rows_of(database)
    assert run("org", "rebuild", *[str(one.folder) for one in remotes]).code == 0
    work(database, tmp_path / "mirrors")
    assert rows_of(database) == before and all(before[:3])


def rows_of(where: str) -> list[list[tuple[object, ...]]]:
    """Return all rows of ledgers, but for numbers, which are drawn anew; each word leads to what has it."""
    rows = "SELECT ledger, id, said, mark, words FROM org.fact ORDER BY 1, 2"
    logs = "SELECT ledger, stem, path, commit, author, title, body, mark FROM org.log ORDER BY 1, 2"
    found = []
    for held, there in (
        ("SELECT w.ledger, w.word, f.id FROM org.word w, unnest(w.facts) n JOIN org.fact f ON f.number = n",
         "SELECT ledger, lexeme, id FROM org.fact, unnest(words)"),
        ("SELECT w.ledger, w.word, g.stem FROM org.log_word w, unnest(w.logs) n JOIN org.log g ON g.number = n",
         "SELECT ledger, lexeme, stem FROM org.log, unnest(to_tsvector('english', title || ' ' || body))"),
    ):  # fmt: skip
        found.append(ask(where, held + " ORDER BY 1, 2, 3"))
        assert found[-1] == ask(where, there + " ORDER BY 1, 2, 3")
    return [ask(where, rows), ask(where, logs), *found]


@pytest.mark.deep(reason="two_readers_ask_three_repositories is the small one")
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
    add(database, str(repo.path), str(whole))
    work(database, tmp_path / "m")
    assert ask(database, "SELECT problem FROM org.ledger") == [("",), ("",)]
    assert (
        ask(database, "SELECT id, said->>'text' FROM org.fact")
        == [("retry", "Webhooks are retried three times.")] * 2
    )
    mirrors = {
        str(url): f"{tmp_path}/m/{ledger}.git"
        for ledger, url in ask(database, "SELECT id, url FROM org.ledger")
    }
    commit = repo.git("log", "-1", "--format=%H", "--", "*/sessions/*").strip()
    assert ask(database, "SELECT DISTINCT commit, author FROM org.log") == [(commit, "")]
    assert holders(Path(mirrors[str(repo.path)]), "zanzibarquokka") == []
    assert holders(Path(mirrors[str(whole)]), "zanzibarquokka") != []


@pytest.mark.deep(reason="two_readers_ask_three_repositories is the small one")
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
    add(database, str(remote.folder))
    monkeypatch.setenv("DIURNA_ORG", logged_in(database, "ada"))
    work(database, tmp_path / "m")
    (path,) = files
    told = run("recall", "--org", "webhooks").out
    assert f"\n    {remote.folder} {first[:12]}:{path}\n" in told
    assert "Webhooks wait.  (said, committed by L)  " in told
    ask(database, "UPDATE org.ledger SET url = 'git@gitlab.example.com:team/shop' RETURNING 1")
    there = f"https://gitlab.example.com/team/shop/-/blob/{first}/{path}"
    assert there in run("recall", "--org", "webhooks").out
