"""Small ledgers of the kind that is adopted, and the command that adopts them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory.api import Memory
from rituals.intake.adopt.adoption import apply_adoption, plan_adoption
from rituals.intake.adopt.adoption_plan import AdoptionPlan

if TYPE_CHECKING:
    from tests.conftest import Repo


ROOT = Path(__file__).resolve().parents[1]
MERCURY = ROOT.parent / "shared" / "ledgers" / "mercury"
NOW_MS = 1_795_249_812_417
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


def adopt(folder: Path) -> tuple[AdoptionPlan, Memory]:
    """Adopt a ledger as the command does."""
    plan = plan_adoption(str(folder))
    return plan, apply_adoption(plan, lambda: NOW_MS, "tester").memory


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


PAGE = """# Continuity — shop

> Shared ground truth.
> `<!-- id: kebab-id | created: YYYY-MM-DD | uses: N | tier: active -->`

---

## Project State

- **status:** alpha
- **repo:** here

> Seeded from a prototype.

## Stack & Tools

> Canonical live home for the current stack — and so on.

Python 3.11.

## Key Decisions

- A decision nobody gave a footer.
  It has a second line.

- One with a footer.
  <!-- id: dec-one | created: 2026-01-01 | uses: 1 | tier: active -->
- The id is wrong. <!-- id: Not An Id | created: 2026-01-01 | tier: active -->

## Open Threads

- [ ] An open thread without a footer.

## User Preferences

(none recorded yet — record ONLY what the user states)

<!-- a note to agents -->
"""


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


HAND_WRITTEN = """# What we know

Some words before everything.

## Key Decisions

- We use Postgres.
- Money is counted
  in cents.

A paragraph between.

## Lunch

- The canteen closes at two.
- [ ] Ask for a later hour.

1. first of all
"""
