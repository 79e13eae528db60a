"""Retrieval: other people's conversations put into ledgers, their questions asked through `Memory.recall`.

`python -m tests.bench.retrieval DIR --out results.jsonl` takes one set: a folder with `sessions.jsonl` and
`questions.jsonl`. Each conversation becomes a ledger of its own through `Memory.append`: a session is a log,
a turn is a paragraph `Speaker: text [what a picture shows]`, the clock stands at the session's time. Every
question is put to `Memory.recall`; a line of the results has `question_id`, `sessions` (20, those of
the best passages) and `turns` (50, those that the hits' lines belong to). The ledgers are kept
in `--folder`, so a second run starts at once. There is one configuration: that of the product.

`python -m tests.bench.retrieval --table SHARED` runs the sets `locomo`, `realtalk` and `beam` below a folder,
prints the table with its targets, and ends with 1 where a figure is more than `MARGIN` below its mark: what
was reached, rounded down. Tokens are what the 20 best hits cost as index lines, the best 3 of them again as
timeline and the best 2 in full, against all 20 in full: both ways name the same 20 hits, so they find the
same evidence.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory import Memory, SessionDraft

TURNS, SESSIONS, HITS = 50, 20, 120
SETS = ("locomo", "realtalk", "beam")
#: set -> (what, k, the plain baseline, the target, the mark), in the order of the table.
COLUMNS = {
    "locomo": (
        ("turns", "recall@5", 52, 68, 63.0), ("turns", "recall@10", 61, 77, 71.0),
        ("turns", "recall@20", 67, 82, 77.0), ("turns", "MRR", 46, 60, 55.0),
        ("sessions", "recall@1", 58, 68.5, 64.5), ("sessions", "recall@5", 83, 88, 84.5),
        ("sessions", "recall@10", 91, 93.5, 90.5),
    ),
    "realtalk": (("turns", "recall@10", 51, 58, 54.5), ("sessions", "recall@5", 80, 81.5, 74.0)),
    "beam": (("turns", "recall@10", 40, 57, 46.0), ("sessions", "recall@5", 44, 57, 54.0)),
}  # fmt: skip
MARGIN = 1.0

Rows = list[dict[str, Any]]


def read_lines(path: Path) -> Rows:
    """Read a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def paragraph(turn: dict[str, Any]) -> str:
    """Return a turn as one paragraph of a log."""
    seen = f" [{turn['image_caption']}]" if turn.get("image_caption") else ""
    return " ".join(f"{turn['speaker']}: {turn['text']}{seen}".split())


def milliseconds(stamp: str) -> int:
    """Return a session's time."""
    time_of = datetime.datetime.fromisoformat(stamp).replace(tzinfo=datetime.UTC)
    return int(time_of.timestamp() * 1000)


class Ledger:
    """One conversation as a ledger of its own.

    Args:
        directory: of the home, made when it is not there.
        sessions: of the conversation, in order.
    """

    def __init__(self, directory: Path, sessions: Rows) -> None:
        known = directory / "stems.json"
        if not known.exists():
            known.parent.mkdir(parents=True, exist_ok=True)
            known.write_text(json.dumps(_appended(directory, sessions)))
        self.memory = Memory.open(str(directory))
        self._sessions = dict(zip(json.loads(known.read_text()), sessions, strict=True))
        self._lines: dict[str, dict[int, str]] = {}

    def session(self, stem: str) -> str:
        """Return the id of the session that a log is."""
        return str(self._sessions[stem]["session_id"])

    def turn(self, hit: str) -> str | None:
        """Return the id of the turn that `STEM:LINE` is in, None for the title."""
        stem, _, line = hit.partition(":")
        if stem not in self._lines:
            text = self.memory.get([stem]).hits[0].text.split("\n")
            title = next(n for n, one in enumerate(text) if one.startswith("# "))
            said = [n for n, one in enumerate(text, 1) if n > title + 1 and one.strip()]
            turns = [turn["turn_id"] for turn in self._sessions[stem]["turns"]]
            self._lines[stem] = dict(zip(said, turns, strict=True))
        starts = [start for start in self._lines[stem] if start <= int(line)]
        return self._lines[stem][max(starts)] if starts else None

    def ask(self, question: str) -> tuple[list[str], list[str]]:
        """Return the sessions and the turns that answer, best first."""
        answer = self.memory.recall(question, limit=HITS)
        turns = dict.fromkeys(self.turn(hit.id) for hit in answer.hits)
        turns.pop(None, None)
        stems = dict.fromkeys(hit.stem for hit in answer.passages)
        sessions = [self.session(stem) for stem in stems][:SESSIONS]
        return sessions, [turn for turn in turns if turn][:TURNS]


def empty_home(folder: Path) -> Path:
    """Make an empty home; return where."""
    from tests.bench.__main__ import ENVIRONMENT, ROOT

    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    subprocess.run(
        [sys.executable, "-P", "-m", "rituals", "init", "."],
        cwd=folder, check=True, capture_output=True, env={**ENVIRONMENT, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return folder


def _appended(directory: Path, sessions: Rows) -> list[str]:
    """Append a conversation to a new home; return the stem of each session."""
    now = [0]
    home = Memory.open(str(empty_home(directory))).home
    memory = Memory(home, agent="bench", clock=lambda: now[0])
    stems = []
    for session in sessions:
        now[0] = milliseconds(session["time"])
        prose = "\n\n".join(paragraph(turn) for turn in session["turns"])
        receipt = memory.append(SessionDraft(session["session_id"], prose), again=True)
        stems.append(receipt.stem)
    memory.close()
    return stems


def conversations(directory: Path) -> dict[str, Rows]:
    """Return the sessions of a set by conversation."""
    found: dict[str, Rows] = defaultdict(list)
    for session in read_lines(directory / "sessions.jsonl"):
        found[session["conversation"]].append(session)
    return found


def ledgers_of(directory: Path, folder: Path) -> dict[str, Ledger]:
    """Return a ledger for each conversation of a set, as they are kept in a folder."""
    return {
        name: Ledger(folder / directory.name / name, sessions)
        for name, sessions in conversations(directory).items()
    }


def results(directory: Path, ledgers: dict[str, Ledger]) -> Iterator[dict[str, Any]]:
    """Ask all questions of a set."""
    for question in read_lines(directory / "questions.jsonl"):
        sessions, turns = ledgers[question["conversation"]].ask(question["question"])
        yield {"question_id": question["question_id"], "sessions": sessions, "turns": turns}


def judged(questions: Rows, found: dict[str, dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Return recall and mean reciprocal rank of turns and sessions, percent, as the benchmark has them."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(list)
    for question in questions:
        if not question["scorable"] or question["category"] == 5:
            continue
        for sort in ("turns", "sessions"):
            ranked = list(dict.fromkeys(found[question["question_id"]][sort]))
            right = set(question[f"evidence_{sort}"])
            for k in (1, 5, 10, 20):
                part = len(right.intersection(ranked[:k])) / len(right)
                sums[sort, f"recall@{k}"].append(part)
            first = next((n for n, one in enumerate(ranked, 1) if one in right), 0)
            sums[sort, "MRR"].append(1 / first if first else 0.0)
    return {key: 100 * statistics.fmean(values) for key, values in sums.items()}


def tokens(directory: Path, ledgers: dict[str, Ledger]) -> tuple[int, int]:
    """Return what the three levels cost over all questions, and what all hits in full cost."""
    steps = whole = 0
    for question in read_lines(directory / "questions.jsonl"):
        memory = ledgers[question["conversation"]].memory
        answer = memory.recall(question["question"], limit=20)
        ids = [hit.id for hit in answer.hits]
        steps += answer.tokens
        for level, count in (("timeline", 3), ("full", 2)):
            steps += memory.get(ids[:count], level=level).tokens
        whole += answer.whole
    return steps, whole


def table(shared: Path, folder: Path) -> int:
    """Run all sets and print the table; return how many figures are too low."""
    print("| what | baseline | must | ours |\n|---|---|---|---|")
    steps = whole = low = 0
    for name in SETS:
        directory = shared / name
        ledgers = ledgers_of(directory, folder)
        found = {one["question_id"]: one for one in results(directory, ledgers)}
        ours = judged(read_lines(directory / "questions.jsonl"), found)
        for sort, what, baseline, must, mark in COLUMNS[name]:
            value = ours[sort, what]
            low += value < mark - MARGIN
            missed = " **miss**" if value < must else ""
            print(
                f"| {name} {sort} {what} | {baseline} | {must} | {value:.1f}{missed} |", flush=True
            )
        some, every = tokens(directory, ledgers)
        steps, whole = steps + some, whole + every
    saved = 100 * (1 - steps / whole)
    print(f"| tokens saved against all 20 hits in full | | 77 | {saved:.1f} |", flush=True)
    return low


def main() -> int:
    """Run one set, or print the table of all."""
    kept = Path(tempfile.gettempdir()) / "diurna-retrieval"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("asked", type=Path, nargs="?", help="a set")
    parser.add_argument("--out", type=Path, help="where the results go")
    parser.add_argument("--table", type=Path, help="the folder of all sets")
    parser.add_argument("--folder", type=Path, default=kept, help="where the ledgers are kept")
    chosen = parser.parse_args()
    if chosen.table:
        return 1 if table(chosen.table, chosen.folder) else 0
    if not (chosen.asked and chosen.out):
        parser.error("a set and --out; or --table")
    rows = results(chosen.asked, ledgers_of(chosen.asked, chosen.folder))
    with chosen.out.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
