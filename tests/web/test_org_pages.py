"""The pages of an organisation in a browser: they fit, can be read by all, and what ledgers say stays text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("psycopg", reason="the extra `org` is not installed")

from ledger.model.event import FactCreated
from rituals.org import org_registry
from rituals.org.org_database import WORKER, connect
from tests.org_cluster import Remote, cluster, database, needs_postgres
from tests.org_cluster import ask as sql
from tests.test_org_access import token
from tests.test_org_reading import work
from tests.test_org_worker import log
from tests.web.homes import PAYLOADS
from tests.web.looking import active_in
from tests.web.test_pages import found_in, watching

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import Console

__all__ = ["cluster", "database"]
pytestmark = needs_postgres
_ADDRESSES = (
    "/search?q=moon+spacecraft+engines+of+the+cache&kind=decision&since=2020", "/contradictions", "/working",
    "/unconfirmed?since=today", "/ledgers", "/entity/cache", "/fact/mail/hostile-0",
)  # fmt: skip


@pytest.fixture
def served(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, str]]:
    """A server of two ledgers, one of them hostile: the address that logs in, and that of the pages."""
    cache = (("kind", "decision"), ("entity", "cache"))
    rule = (("kind", "invariant"), ("entity", "cache"), ("created", "2024-02-01"))
    for name, days in (("shop", "seven"), ("mail", "nine")):
        hostile = [
            log(number, FactCreated(f"hostile-{number}", f"Keys of the cache {payload}", "",
                (("kind", "thread"), ("entity", f"cache, {payload.replace(',', '')}"))), title=payload)
            for number, payload in enumerate(PAYLOADS) if name == "mail"
        ]  # fmt: skip
        said = FactCreated("days", f"Keys of the cache are kept {days} days.", "", cache)
        logs = [
            log(60, said, FactCreated("rule", f"Keys are `{PAYLOADS[1]}`.", "", rule)),
            *hostile,
        ]
        Remote(tmp_path / name).push(dict(logs))
        with connect(database, WORKER) as base:
            org_registry.add(base, [str(tmp_path / name)], PAYLOADS[0] if hostile else "web", ["*"])
    work(database, tmp_path / "mirrors")
    sql(database, "UPDATE org.ledger SET url = 'https://github.com/ada/' || name RETURNING 1")
    environment = {**os.environ, "DIURNA_ORG": database, "DIURNA_ORG_TOKEN": token(database, "ada")}
    command = [
        sys.executable,
        "-m",
        "rituals",
        "web",
        "--org",
        "--port",
        "0",
        "--json",
        "--no-open",
    ]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE) as process:  # fmt: skip
        assert process.stdout is not None
        said_by_server = json.loads(process.stdout.readline())
        yield said_by_server["address"], f"http://127.0.0.1:{said_by_server['port']}"
        process.terminate()


def test_pages_of_an_organisation(page: Page, console: Console, served: tuple[str, str]) -> None:
    """They fit at each width, axe and the console are content, payloads are text; keys lead from row to row."""
    login, address = served
    page.goto(login)
    page.locator("input[type=search]").first.wait_for()
    since = watching(page)
    visits = [(one, address + one) for one in _ADDRESSES]
    found = found_in(page, console, visits, look=lambda name: [*active_in(page), *since(name)])
    assert not found, "\n".join(found)
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto(f"{address}/working")
    page.locator("body[data-ready]").wait_for(state="attached")
    for key in ("j", "j", "Enter"):
        page.keyboard.press(key)
    page.wait_for_url("**/fact/mail/**")
    page.fill(".ask input", "cache")
    page.locator("#asked .row").first.wait_for()
