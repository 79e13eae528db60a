"""The action that writes a site in CI: it calls what there is, and nothing that is given to it is a command."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from pathlib import Path

import pytest

from rituals.cli.command_builder import command_of
from tests.campaigns import forks
from tests.conftest import Repo, Run
from tests.pages import ROOT

ACTION = ROOT / ".github" / "actions" / "site"
pytestmark = pytest.mark.skipif(not ACTION.exists(), reason="this is about the source tree")


def scripts() -> list[str]:
    """Return what the action runs in a shell."""
    text = (ACTION / "action.yml").read_text()
    found = re.findall(r"(?m)^      run: \|\n((?:        .*\n)+)", text)
    return [textwrap.dedent(one) for one in found]


def test_the_action_names_options_that_there_are() -> None:
    """And no input is put into a script by its text: an address can hold a command."""
    options = {name for param in command_of("export").params for name in param.opts}
    used = set(re.findall(r"--[a-z]+", "\n".join(scripts())))
    assert used - options == {"--quiet"}
    assert all("${{" not in script for script in scripts())
    workflow = (ACTION / "workflow.yml").read_text()
    given = set(re.findall(r"(?m)^          (\w+): \$", workflow)) - {"path"}
    inputs = set(re.findall(r"(?m)^  ([\w-]+):$", (ACTION / "action.yml").read_text()))
    assert given == {"folder", "base"} <= inputs
    assert "permissions:\n  contents: read\n  pages: write\n  id-token: write\n" in workflow


@pytest.mark.parametrize(
    "base", ["", "https://shop.example/memory", "https://x.example/$(touch pwned)"]
)
def test_the_action_writes_the_site(repo: Repo, run: Run, tmp_path: Path, base: str) -> None:
    """Its script as it stands, with names that hold blanks and commands."""
    assert run("note", "id=shared decision: We use tabs.").code == 0
    tools = tmp_path / "run ner" / "diurna" / "bin"
    tools.mkdir(parents=True)
    forks.put_program(tools / "diurna", forks.WEB)
    site = tmp_path / "the $(touch pwned) site"
    given = {"DIURNA_HOME": str(repo.path), "SITE_FOLDER": str(site), "SITE_BASE": base}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", scripts()[1]],
        cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, **given, "RUNNER_TEMP": str(tmp_path / "run ner")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = (site / "index.html").read_text()
    assert "We use tabs." in page and (base in page if "$" not in base else True)
    assert not list(tmp_path.rglob("pwned"))
