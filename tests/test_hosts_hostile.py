"""Hooks with hostile payloads, in hostile places: a sample of `tests.campaigns.hooks`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rituals.hosts.adapters import HOSTS
from rituals.hosts.moments import moment
from tests.campaigns.hooks import Outcome, campaign, wrong


@pytest.mark.deep(reason="test_hosts_hook and test_hosts_payloads have one place each")
def test_no_payload_and_no_place_makes_a_hook_fail(tmp_path: Path) -> None:
    """Exit 0, one object, in time; no secret on the disk, and nothing written elsewhere."""
    found = campaign(96, 7, tmp_path, processes=False)
    assert {what: number for what, number in found.items() if what.startswith("WRONG")} == {}
    assert found["answers with context"] > 1 and found["observations"] > 1
    assert all(found[f"calls of {host}"] == 12 for host in HOSTS)


@pytest.mark.parametrize(
    "said",
    [b"", b"x", b"[]\n", b"{}\n{}\n", b'{"additionalContext": ""}\n', b'{"additionalContext": "' + b"x" * 20_000 + b'"}\n'],
)  # fmt: skip
def test_the_campaign_knows_a_wrong_answer(said: bytes) -> None:
    """A campaign that finds nothing has to be able to find something."""
    assert wrong("copilot", "sessionStart", Outcome(0, said, 0.1), 0.3)
    good = json.dumps({"additionalContext": "x"}).encode() + b"\n"
    assert wrong("copilot", "sessionStart", Outcome(0, good, 0.1), 0.3) == ""
    assert wrong("copilot", "agentStop", Outcome(0, good, 0.1), 0.3) == "answered agentStop"
    assert wrong("copilot", "sessionStart", Outcome(1, good, 0.1), 0.3)
    assert wrong("copilot", "sessionStart", Outcome(0, good, 9.0), 0.3)


@pytest.mark.parametrize("value", ["\ud800", "a\udfffb"])
def test_half_of_a_character_is_none(value: str) -> None:
    """Whatever a host says can be written down."""
    said: dict[str, Any] = {"session_id": value, "prompt": value, "agent_type": value, "cwd": value}
    found = moment("claude", "UserPromptSubmit", said, {})
    for text in (found.session, found.prompt, found.role, found.cwd):
        assert "?" in text and text.encode()
