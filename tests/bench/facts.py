"""What users ask: real questions about a real ledger, put to default `recall`.

`python -m tests.bench.facts LEDGER QUESTIONS --out FILE` adopts a copy of a ledger in the agent-memory layout and
asks each question of `QUESTIONS` (a line each: `id`, `question`). A line of the results has `id`, `facts` (ids best
first, null where a passage takes the rank), `any` (a fact was offered) and `hits` (how many facts).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from memory.api import Memory
from memory.recall.recall_values import SESSION_KIND
from rituals.cli.app import main as diurna

LIMIT = 10


def adopted(ledger: Path, folder: Path) -> Path:
    """Copy a ledger, commit it and take it over; return the copy."""
    copy = folder / "ledger"
    shutil.copytree(ledger, copy)
    for arguments in (
        ("init", "-q"), ("config", "user.name", "Bench"), ("config", "user.email", "bench@example.org"),
        ("add", "-A"), ("commit", "-qm", "as it was"),
    ):  # fmt: skip
        subprocess.run(["git", "-C", str(copy), *arguments], check=True)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = diurna(["adopt", str(copy)])
    if code:
        raise SystemExit(f"{ledger} could not be adopted")
    return copy


def main() -> None:
    """Adopt, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("ledger", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--vectors", action="store_true", help="weigh meaning, where the extra is installed"
    )
    asked = parser.parse_args()
    questions = [
        json.loads(line) for line in asked.questions.read_text("utf-8").splitlines() if line
    ]
    with tempfile.TemporaryDirectory() as folder, asked.out.open("w", encoding="utf-8") as out:
        memory = Memory.open(str(adopted(asked.ledger, Path(folder))))
        for one in questions:
            answer = memory.recall(one["question"], limit=LIMIT, vectors=asked.vectors)
            facts = [None if hit.kind == SESSION_KIND else hit.id for hit in answer.hits]
            row = {
                "id": one["id"],
                "facts": facts,
                "any": bool(answer.facts),
                "hits": len(answer.facts),
            }
            out.write(json.dumps(row) + "\n")
        memory.close()


if __name__ == "__main__":
    main()
