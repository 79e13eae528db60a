"""Small ledgers of another implementation of the format, and the command that brings them in."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rituals.cli.app import main as diurna

if TYPE_CHECKING:
    from tests.conftest import Repo


ROOT = Path(__file__).resolve().parents[1]
MERCURY = ROOT.parent / "shared" / "ledgers" / "mercury"
needs_mercury = pytest.mark.skipif(not MERCURY.is_dir(), reason="the shared ledgers are not here")


def place_mercury(folder: Path) -> Path:
    """Put a copy of the real ledger into a folder that may hold more."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(MERCURY / "memory", folder / "memory")
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def write_ledger(folder: Path, files: dict[str, str]) -> Path:
    """Write a small ledger into `folder/memory`."""
    for name, text in files.items():
        path = folder / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def footer(id: str, more: str = "uses: 1 | tier: active", created: str = "2026-01-01") -> str:
    """Write a footer as the reference tool does."""
    return f"  <!-- id: {id} | created: {created} | last_used: {created} | {more} -->\n"


def log(*references: str) -> str:
    """Write a session log with some bullets."""
    return "# Session\n\n## Memory References\n\n" + "".join(f"- {line}\n" for line in references)


def bring_in(folder: Path) -> None:
    """Commit a folder as it is, and let the command bring in the ledger that lies in it."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.invalid")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "memory")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert diurna(["import", "ledger", str(folder), "--write"]) == 0


def git(folder: Path, *arguments: str) -> str:
    """Run git."""
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=True)
    return done.stdout.decode()


def tree_of(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder outside of `.git`."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def small(repo: Repo) -> None:
    """Commit a small ledger."""
    write_ledger(
        repo.path,
        {
            "continuity.md": "## Key Decisions\n\n- a\n" + footer("a-b"),
            "sessions/2026-01-01-000000.md": log("Referenced: a-b"),
        },
    )
    repo.git("add", "memory")
    repo.git("commit", "-q", "-m", "memory")
