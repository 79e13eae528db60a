"""What users ask: real questions about a real ledger, put to default `recall`.

`python -m tests.bench.facts LEDGER QUESTIONS --out FILE` brings in a copy of a ledger of another tool, and
asks each question of `QUESTIONS` (a line each: `id`, `question`). A line of the results has `id`, `facts` (ids best
first, null where a passage takes the rank), `any` (a fact was offered) and `hits` (how many facts).
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

from memory.api import Memory
from memory.recall.recall_values import SESSION_KIND
from tests.small_ledgers import bring_in

LIMIT = 10


def brought_in(ledger: Path, folder: Path) -> Path:
    """Copy a ledger, commit it and take it over; return the copy."""
    copy = folder / "ledger"
    shutil.copytree(ledger, copy)
    for path in copy.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    bring_in(copy)
    return copy


def main() -> None:
    """Bring in, ask, write."""
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
        memory = Memory.open(str(brought_in(asked.ledger, Path(folder))))
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
