"""What `diurna check` tries of agents' programs: a hook, as hosts call it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rituals.check.doctor import machine
from rituals.check.doctor.machine import hook_fails, on_path


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
    monkeypatch.setattr(machine, "_HOOK_SECONDS", 1 if "sleep" in said else 20)
    found = hook_fails(program(tmp_path, said), "codex", "SessionStart")
    assert found.startswith(why) and bool(found) == bool(why)


def test_the_first_on_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell does it, by absolute folders alone."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    found = program(tmp_path / "two", "true")
    (tmp_path / "one/diurna").write_text("no program")
    monkeypatch.chdir(tmp_path)
    assert on_path(("two", str(tmp_path / "one"), str(tmp_path / "two"))) == found
    assert on_path(("two", "")) == ""
