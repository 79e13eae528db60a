"""ORG.md does what it shows, from an empty database on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.org_cluster import Cluster, cluster, needs_postgres
from tests.pages import GUIDE
from tests.test_readme import agrees, console, shell

__all__ = ["cluster", "shell"]
pytestmark = needs_postgres
PAGE = GUIDE / "ORG.md"


@pytest.mark.deep(reason="two_readers_ask_three_repositories is the small one")
def test_the_page_does_what_it_shows(
    cluster: Cluster, tmp_path: Path, shell: dict[str, str]
) -> None:
    """Each command ends with 0 and says what stands below it; what is exported holds for those behind it."""
    where = {**shell, "DIURNA_ORG": cluster.database()}
    for command, shown in console(PAGE):
        done = subprocess.run(
            ["sh", "-c", f"{command}\nsaid=$?; echo $DIURNA_ORG > {tmp_path}/where; exit $said"],
            cwd=tmp_path, env=where, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"$ {command}\n{done.stdout}"
        if shown:
            assert agrees(shown, done.stdout.splitlines()), f"$ {command}\n{done.stdout}"
        where["DIURNA_ORG"] = (tmp_path / "where").read_text().strip()
