"""Nobody pays for the organisation who does not say `org`; pushes are heard of, and figures shown."""

from __future__ import annotations

import hmac
import json
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
from tests.conftest import Repo, Run, each_row
from tests.org_cluster import Remote, ask, cluster, database, needs_postgres
from tests.test_org_worker import add, log

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
