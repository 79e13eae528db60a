"""What `diurna check` tries of agents' programs: a hook and the server of MCP, as hosts call them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rituals.check.doctor import host_programs
from rituals.check.doctor.host_programs import hook_fails, on_path, server_fails


def program(folder: Path, said: str) -> str:
    """A `diurna` that says something."""
    path = folder / "diurna"
    path.write_text(f"#!/bin/sh\n{said}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("echo '{}'", ""),
        ('test "$DIURNA_HOOKS $*" = "off hook codex SessionStart" && echo "{}"', ""),
        ("echo '{}'; exit 3", "ends with 3"),
        ("echo hello", "answers no JSON object"),
        ("echo '[]'", "answers no JSON object"),
        ("exec sleep 60", "does not answer within"),
    ],
)
def test_a_hook_has_to_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, why: str
) -> None:
    """With 0 and one object, in time; it is called so that nothing is told."""
    monkeypatch.setattr(host_programs, "_HOOK_SECONDS", 1 if "sleep" in said else 20)
    found = hook_fails(program(tmp_path, said), "codex", "SessionStart")
    assert found.startswith(why) and bool(found) == bool(why)


def test_the_server_has_to_answer_the_handshake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result, whatever else it says; an error, or nothing, is none."""
    answer = """read line; echo "starting"; echo '{"jsonrpc": "2.0", "id": 1, "result": {}}'"""
    assert server_fails(program(tmp_path, answer), str(tmp_path)) == ""
    refused = """echo '{"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}'"""
    assert "does not answer" in server_fails(program(tmp_path, refused), str(tmp_path))
    assert "extra" in server_fails(program(tmp_path, "exit 1"), str(tmp_path))
    monkeypatch.setattr(host_programs, "_SERVER_SECONDS", 1)
    assert "within 1" in server_fails(program(tmp_path, "exec sleep 60"), str(tmp_path))
    assert "can not be run" in server_fails(str(tmp_path / "none"), str(tmp_path))


def test_the_first_on_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell does it, by absolute folders alone."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    found = program(tmp_path / "two", "true")
    (tmp_path / "one/diurna").write_text("no program")
    monkeypatch.chdir(tmp_path)
    assert on_path(("two", str(tmp_path / "one"), str(tmp_path / "two"))) == found
    assert on_path(("two", "")) == ""
