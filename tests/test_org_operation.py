"""Nobody pays for the organisation who does not say `org`; pushes are heard of, and figures shown."""

from __future__ import annotations

import hmac
import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from ledger.model.event import FactCreated
from rituals.org import org_listener
from rituals.org.org_database import WORKER, connect
from rituals.org.org_status import figures
from tests.conftest import Repo, Run, each_row
from tests.org_cluster import Remote, ask, cluster, database, needs_postgres
from tests.test_org_reading import work
from tests.test_org_worker import add, due, log

__all__ = ["cluster", "database"]


def test_nobody_pays_who_does_not_say_org(repo: Repo) -> None:
    """No other command loads a module of the room, psycopg or pyarrow."""
    for words in ("show", "recall queue", "status", "export events", "org --help", "check"):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "rituals", *words.split()],
            capture_output=True, text=True, cwd=repo.path,
        )  # fmt: skip
        loaded = {
            line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line
        }
        assert "rituals.cli" in loaded
        assert not {
            one
            for one in loaded
            if one.split(".")[0] in ("psycopg", "pyarrow") or "rituals.org" in one
        }


def test_without_the_extra(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every command that needs it says how to get it."""
    for name in ("psycopg", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setenv("DIURNA_ORG", "service=org")
    monkeypatch.setenv("DIURNA_ORG_TOKEN", "x")
    for words in (
        "org init",
        "org",
        "org add .",
        "recall --org x",
        f"export parquet {tmp_path}/p",
        "org work --once",
    ):
        ran = run(*words.split())
        assert (ran.code, "pip install '.[org]'" in ran.err) == (1, True), (words, ran.err)


@each_row(
    "url",
    ["https://git.example/Team/shop.git", "ssh://git@git.example/team/shop", "git@git.example:team/shop.git",
     "https://me:pw@git.example/team/shop/"],
)  # fmt: skip
def test_one_repository_has_many_addresses(url: str) -> None:
    """They are the same without scheme, user and ending."""
    assert org_listener.plain(url) == "git.example/team/shop"


def test_webhooks_are_signed() -> None:
    """By the key, over the whole body; without a key none is."""
    body = b'{"repository": {}}'
    good = hmac.new(b"key", body, "sha256").hexdigest()
    assert org_listener.is_signed(b"key", body, {"X-Hub-Signature-256": f"sha256={good}"})
    assert org_listener.is_signed(b"key", body, {"X-Gitea-Signature": good})
    assert org_listener.is_signed(b"key", body, {"X-Gitlab-Token": "key"})
    for key, headers in (
        (b"key", {}), (b"key", {"X-Gitlab-Token": "other"}), (b"key", {"X-Hub-Signature-256": "sha256=00"}),
        (b"key", {"X-Hub-Signature-256": "é"}), (b"", {"X-Gitlab-Token": ""}), (b"", {}),
        (b"", {"X-Gitea-Signature": hmac.new(b"", body, "sha256").hexdigest()}),
    ):  # fmt: skip
        assert not org_listener.is_signed(key, body, headers)


@needs_postgres
def test_a_push_is_found_by_its_webhook(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a second or two after the forge has told of it; figures name no ledger."""
    remote = Remote(tmp_path / "shop.git")
    remote.push(dict([log(1, FactCreated("a", "One."))]))
    add(database, str(remote.folder))
    ask(database, "UPDATE org.ledger SET url = 'file://' || url RETURNING 1")
    monkeypatch.setenv(org_listener.SECRET, "key")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "rituals", "org", "work", "--mirrors", str(tmp_path / "m")]
    worker = subprocess.Popen(
        [*command, "--listen", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL
    )
    try:
        count = "SELECT count(*) FROM org.fact"
        _until(lambda: ask(database, count) == [(1,)])
        remote.push(dict([log(1, FactCreated("a", "One.")), log(2, FactCreated("b", "Two."))]))
        body = json.dumps({"repository": {"clone_url": f"file://{remote.folder}"}}).encode()
        assert _send(port, body, "wrong") == 403
        began = time.monotonic()
        assert _send(port, body, "key") == 204
        assert _send(port, b"[", "key") == 204
        assert (
            _send(port, b'{"repository": {"clone_url": "https://git.example/none"}}', "key") == 204
        )
        _until(lambda: ask(database, count) == [(2,)])
        assert time.monotonic() - began < 10
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            said = answer.read().decode()
        assert "diurna_org_facts 2\n" in said
        assert 'diurna_org_reads_total{code="ok"} ' in said
        assert "diurna_org_kills_total 0\n" in said
        assert "shop" not in said
    finally:
        worker.terminate()
        assert worker.wait(10) == 0


def _send(port: int, body: bytes, key: str) -> int:
    """Send what a forge sends."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/push", body, {"X-Gitlab-Token": key})
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as problem:
        return problem.code


def _until(holds: object, seconds: float = 30.0) -> None:
    assert callable(holds)
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@needs_postgres
def test_figures_say_how_reading_goes(database: str, tmp_path: Path, run: Run) -> None:
    """Reads by code, seconds by part, bytes, lost workers, and how long what was due had to wait."""
    Remote(tmp_path / "shop").push(dict([log(1, FactCreated("a", "One."))]))
    add(database, str(tmp_path / "shop"), str(tmp_path / "gone"))
    ask(database, "UPDATE org.job SET due = now() - interval '100 s' RETURNING 1")
    ask(
        database,
        "UPDATE org.job SET lease = gen_random_uuid(), leased_until = now() - interval '1 s' FROM org.ledger l"
        " WHERE l.id = ledger AND l.name = 'shop' RETURNING 1",
    )
    work(database, tmp_path / "m")
    found = run("org", "status", "--json").json
    assert found["reads"] == {"Unreachable": 1, "ok": 1}
    assert found["kills"] == 1
    assert all(found["seconds"][part] > 0 for part in ("fetch", "fold", "rows", "write"))
    assert 100 <= found["lag_p50_seconds"] == found["lag_p95_seconds"] < 130
    assert found["written_bytes"] > 100 and found["bytes"] > 1 << 20
    with connect(database, WORKER) as base:
        lines = figures(base).splitlines()
    names = [line.partition(" ")[0] for line in lines]
    assert len(set(names)) == len(names)
    for line in lines:
        name, _, value = line.rpartition(" ")
        assert float(value) >= 0
        assert re.fullmatch(r'diurna_org_[a-z0-9_]+({(code|part)="[A-Za-z ]+"})?', name), line
    assert not any(name in line for line in lines for name in ("/shop", "gone"))
    assert "half were read 10" in run("org", "status").out


@needs_postgres
def test_an_export_says_what_it_has_not(
    database: str, tmp_path: Path, run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What moved on is stale; what was rewritten, or is gone, may have been purged."""
    pytest.importorskip("pyarrow")
    lake = str(tmp_path / "lake")
    first, second = (
        dict([log(1, FactCreated("a", "One."))]),
        dict([log(2, FactCreated("b", "Two."))]),
    )
    remotes = {name: Remote(tmp_path / f"{name}.git") for name in ("bank", "mail", "shop", "soap")}
    for remote in remotes.values():
        remote.push(first)
    add(database, *[str(one.folder) for one in remotes.values()])
    work(database, tmp_path / "m")
    assert run("export", "parquet", lake, "--check", "--org").code == 1
    assert run("export", "parquet", lake, "--org").code == 0
    assert run("export", "parquet", lake, "--check", "--org").out == "0 of 4 ledgers differ\n"
    remotes["mail"].push({**first, **second})
    remotes["shop"].push(second, onto=False)
    assert run("org", "forget", "bank").code == 0
    Remote(tmp_path / "tea.git").push(first)
    add(database, str(tmp_path / "tea.git"))
    due(database)
    work(database, tmp_path / "m")
    remotes["shop"].push({**first, **second})  # it moves on behind that
    due(database)
    work(database, tmp_path / "m")
    done = run("export", "parquet", lake, "--check", "--org", "--json")
    said = {Path(url).stem: what for url, what in done.json["ledgers"].items()}
    assert said == {"bank": "gone", "mail": "stale", "shop": "rewritten", "soap": "", "tea": "new"}
    assert done.code == 1
    assert "rewritten: " in run("export", "parquet", lake, "--check", "--org").out
    own = str(tmp_path / "own")
    run("note", "decision: id=retry Webhooks are retried.")
    assert run("export", "parquet", own).code == 0
    assert run("export", "parquet", own, "--check").code == 0
    run("note", "decision: id=wait Webhooks wait.")
    assert run("export", "parquet", own, "--check").out.startswith("stale: ")
    assert run("export", "events", "--check").code == 2
