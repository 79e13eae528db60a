"""ORG.md does what it shows, from an empty database to ten questions in DuckDB."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.org_cluster import Cluster, cluster, needs_postgres
from tests.pages import GUIDE, blocks
from tests.test_readme import agrees, console, shell

__all__ = ["cluster", "shell"]
pytestmark = needs_postgres
PAGE = GUIDE / "ORG.md"


def test_the_page_does_what_it_shows(
    cluster: Cluster, tmp_path: Path, shell: dict[str, str]
) -> None:
    """Each command ends with 0 and says what stands below it; each question has an answer, or none to give."""
    folder, where = tmp_path / "org", cluster.database()
    folder.mkdir()
    for command, shown in console(PAGE):
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env={**shell, "DIURNA_ORG": where},
            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"$ {command}\n{done.stdout}"
        if shown:
            assert agrees(shown, done.stdout.splitlines()), f"$ {command}\n{done.stdout}"
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    asked = blocks(PAGE.read_text(encoding="utf-8"), "sql")
    assert len(asked) == 10
    lake = duckdb.connect()
    lake.execute(f"SET file_search_path = '{folder}/lake'")
    rows = [lake.execute("\n".join(lines)).fetchall() for lines in asked]
    assert [one[0] for one in rows[0]] == ["mail", "shop"]
    assert [(one[0], one[1]) for one in rows[1]] == [("webhook", 2)]
    assert [len(one) for one in rows] == [2, 1, 2, 0, 2, 0, 0, 0, 0, 3]
