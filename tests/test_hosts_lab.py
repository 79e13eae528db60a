"""The lab's own parts: the model that plays a script, and the recorder of hooks (`tests.campaigns.hosts`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from tests.campaigns.hosts import recorder
from tests.campaigns.hosts.journey import CLAIMS
from tests.campaigns.hosts.model import Call, Model, Turn, offered, said
from tests.campaigns.hosts.packages import PACKAGES
from tests.campaigns.hosts.programs import PROGRAMS
from tests.conftest import Repo, each_row

#: The address of each form, and a tool as it is offered there.
FORMS: dict[str, tuple[str, dict[str, Any], str]] = {
    "messages": ("/v1/messages", {"name": "mcp__diurna__recall"}, "mcp__diurna__recall"),
    "responses": (
        "/v1/responses",
        {"type": "namespace", "name": "mcp__diurna", "tools": [{"name": "recall"}]},
        '"namespace": "mcp__diurna"',
    ),
    "chat": (
        "/v1/chat/completions",
        {"type": "function", "function": {"name": "diurna_recall"}},
        "diurna_recall",
    ),
    "gemini": (
        "/v1beta/models/x:generateContent",
        {"functionDeclarations": [{"name": "mcp_diurna_recall"}]},
        "mcp_diurna_recall",
    ),
}


@each_row("form", FORMS)
@each_row("stream", [False, True])
def test_the_model_plays_its_script_in_each_form(form: str, stream: bool) -> None:
    """It calls a tool by the name that it is offered, and then says that it is done; asides take no turn."""
    path, tool, called = FORMS[form]
    turn = Turn("I look.", (Call("recall", {"query": "moon"}),))

    def ask(url: str, body: dict[str, Any]) -> str:
        data = json.dumps({**body, "stream": stream}).encode()
        with urllib.request.urlopen(urllib.request.Request(url + path, data)) as answer:  # noqa: S310
            return str(answer.read().decode())

    with Model((turn,), aside="A shop") as model:
        body = {"messages": [{"role": "user", "content": "go"}], "tools": [tool]}
        assert "A shop" in ask(model.url, {"messages": []})
        first = ask(model.url, body)
        assert "I look." in first and called in first and "moon" in first
        assert "Done." in ask(model.url, body)
    assert len(offered(model.asked[1])) == 1 and said(model.asked[1]).startswith("user\ngo\n")


def test_the_recorder_is_the_hook(repo: Repo, tmp_path: Path) -> None:
    """It answers what Diurna answers, and writes down what came and went."""
    log = tmp_path / "log"
    command = [sys.executable, "-P", str(Path(recorder.__file__)), "hook", "claude", "SessionStart"]
    environment = {**os.environ, "DIURNA_LAB_LOG": str(log), "PYTHONPATH": os.getcwd()}
    given = json.dumps({"cwd": str(repo.path)}).encode()
    for words in (command, [sys.executable, "-P", "-m", "rituals", *command[3:]]):
        done = subprocess.run(
            words, input=given, capture_output=True, env=environment, cwd=repo.path, timeout=60
        )
        assert done.returncode == 0 and isinstance(json.loads(done.stdout), dict)
    line = json.loads(log.read_text())
    assert (line["host"], line["event"], line["code"]) == ("claude", "SessionStart", 0)
    assert line["given"] == given.decode() and isinstance(json.loads(line["answer"]), dict)


def test_every_program_has_its_package() -> None:
    """One table names versions; each program of the lab stands in it."""
    assert set(PROGRAMS) <= set(PACKAGES) and len(CLAIMS) >= 9
    assert all(one.version and one.program for one in PACKAGES.values())
