"""Retrieval: other people's conversations put into ledgers, their questions asked through `Memory.recall`.

`python -m tests.bench.retrieval DIR --out results.jsonl` takes one set: a folder with `sessions.jsonl` and
`questions.jsonl`. Each conversation becomes a ledger of its own through `Memory.append`: a session is a log,
a turn is a paragraph `Speaker: text [what a picture shows]`, the clock stands at the session's time. Every
question is put to `Memory.recall`; a line of the results has `question_id`, `sessions` (20, as
`Answer.sessions` ranks them) and `turns` (50, those that the hits' lines belong to). The ledgers are kept
in `--folder`, so a second run starts at once. There is one configuration: that of the product.

`python -m tests.bench.retrieval --table SHARED` runs the sets `locomo`, `realtalk` and `beam` below a folder
and prints the table with its targets, and:

- tokens: what the 20 best hits cost as index lines, the best 3 of them again as timeline and the best 2 in
  full, against all 20 in full. Both ways name the same 20 hits, so they find the same evidence.
- latency: one ledger of 100,000 passages, all conversations again and again with a part of their words
  exchanged for others as common; every question once, each a new one for the process that runs.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ledger.codec.log import encode
from ledger.home import Home
from memory.api import Memory, SessionDraft
from memory.recall.index.index_catch_up import IndexFollower

TURNS, SESSIONS, HITS = 50, 20, 120
PASSAGES = 100_000
SETS = ("locomo", "realtalk", "beam")
#: set -> (what, k, the plain baseline, the target), in the order of the table.
COLUMNS = {
    "locomo": (
        ("turns", "recall@5", 52, 68), ("turns", "recall@10", 61, 77), ("turns", "recall@20", 67, 82),
        ("turns", "MRR", 46, 60), ("sessions", "recall@1", 58, 68.5),
        ("sessions", "recall@5", 83, 88), ("sessions", "recall@10", 91, 93.5),
    ),
    "realtalk": (("turns", "recall@10", 51, 58), ("sessions", "recall@5", 80, 81.5)),
    "beam": (("turns", "recall@10", 40, 57), ("sessions", "recall@5", 44, 57)),
}  # fmt: skip

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
        sessions = [self.session(stem) for stem in answer.sessions[:SESSIONS]]
        return sessions, [turn for turn in turns if turn][:TURNS]


def _appended(directory: Path, sessions: Rows) -> list[str]:
    """Append a conversation to a new home; return the stem of each session."""
    subprocess.run(["git", "init", "-q", str(directory)], check=True)
    root = Path(__file__).resolve().parents[2]
    subprocess.run(
        [sys.executable, "-P", "-m", "rituals", "init", "."],
        cwd=directory, check=True, capture_output=True, env={**_environment(), "PYTHONPATH": str(root)},
    )  # fmt: skip
    now = [0]
    home: Home = Memory.open(str(directory)).home
    memory = Memory(home, agent="bench", clock=lambda: now[0])
    stems = []
    for session in sessions:
        now[0] = milliseconds(session["time"])
        prose = "\n\n".join(paragraph(turn) for turn in session["turns"])
        receipt = memory.append(SessionDraft(session["session_id"], prose), again=True)
        stems.append(receipt.stem)
    memory.close()
    return stems


def _environment() -> dict[str, str]:
    from tests.bench.__main__ import ENVIRONMENT

    return ENVIRONMENT


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
    """Return recall and mean reciprocal rank of turns and sessions, percent, as the benchmark defines them."""
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


_A_WORD = re.compile(r"[A-Za-z]{4,}")


def changed(texts: list[str]) -> Callable[[str, int], str]:
    """Return what exchanges a third of the words of a text for words as common, another third each time."""
    counts = Counter(word.lower() for text in texts for word in _A_WORD.findall(text))
    ranked = [word for word, _ in counts.most_common()]
    place = {word: number for number, word in enumerate(ranked)}

    def change(text: str, turn: int) -> str:
        def other(found: re.Match[str]) -> str:
            word = str(found[0]).lower()
            mixed = hashlib.blake2s(f"{turn} {word}".encode(), digest_size=4).digest()
            if not turn or mixed[0] % 3 or word not in place:
                return str(found[0])
            at = place[word]
            further = int(at + 1 + mixed[1] * (at // 4 + 1) // 256)
            return str(ranked[min(len(ranked) - 1, further)])

        return _A_WORD.sub(other, text)

    return change


def large(shared: Path, folder: Path) -> Memory:
    """Return one ledger of `PASSAGES` passages made of all conversations."""
    from ledger.model.order import stamp_of
    from ledger.model.session import SessionLog
    from memory.recall.index.passage_cutter import passages_of
    from tests.bench import ledgers

    directory = folder / f"large-{PASSAGES}"
    if not (directory / "done").exists():
        sessions = [one for name in SETS for one in read_lines(shared / name / "sessions.jsonl")]
        change = changed([turn["text"] for one in sessions for turn in one["turns"]])

        def made() -> Iterator[tuple[str, bytes]]:
            passages = number = 0
            while passages < PASSAGES:
                session = sessions[number % len(sessions)]
                again = number // len(sessions)
                at = stamp_of(ledgers.START_MS + number * 3_600_000)
                number += 1
                prose = "\n\n".join(change(paragraph(turn), again) for turn in session["turns"])
                log = SessionLog(
                    (("agent", "bench"),), f"{session['session_id']} {again}", prose, ()
                )
                data = encode(log)
                passages += len(passages_of(data.decode()))
                yield f"{at}-{hashlib.sha256(data).hexdigest()[:12]}", data

        ledgers.generate(directory, 0, contents=made())
        (directory / "done").touch()
    return Memory.open(str(directory))


def latency(shared: Path, folder: Path) -> tuple[int, float, float, float]:
    """Return the passages of the large ledger, p50 and p95 of all questions, and the first one, in ms."""
    memory = large(shared, folder)
    following = IndexFollower(memory.snapshot)
    passages = following.ask(lambda cache, index: index.totals.passages)
    following.close()
    memory.close()
    memory = large(shared, folder)
    questions = [one for name in SETS for one in read_lines(shared / name / "questions.jsonl")]
    taken = []
    for question in questions:
        start = time.perf_counter()
        memory.recall(question["question"])
        taken.append((time.perf_counter() - start) * 1000)
    first, rest = taken[0], sorted(taken[1:])
    return passages, statistics.median(rest), rest[math.floor(len(rest) * 0.95)], first


def table(shared: Path, folder: Path) -> None:
    """Run all sets and print the table."""
    print("| what | baseline | must | ours |\n|---|---|---|---|")
    steps = whole = 0
    for name in SETS:
        directory = shared / name
        ledgers = ledgers_of(directory, folder)
        questions = read_lines(directory / "questions.jsonl")
        found = {one["question_id"]: one for one in results(directory, ledgers)}
        ours = judged(questions, found)
        for sort, what, baseline, must in COLUMNS[name]:
            value = ours[sort, what]
            mark = "" if value >= must else " **miss**"
            print(f"| {name} {sort} {what} | {baseline} | {must} | {value:.1f}{mark} |", flush=True)
        some, every = tokens(directory, ledgers)
        steps, whole = steps + some, whole + every
    saved = 100 * (1 - steps / whole)
    print(f"| tokens saved against all 20 hits in full | | 77 | {saved:.1f} |", flush=True)
    passages, half, most, first = latency(shared, folder)
    print(f"| recall, {passages:,} passages, p50 / p95 ms | | 5 / 25 | {half:.1f} / {most:.1f} |")
    print(f"| the first question of a process, index there, ms | | | {first:.0f} |")


def main() -> None:
    """Run one set, or print the table of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path, nargs="?", help="a set: sessions and questions")
    parser.add_argument("--out", type=Path, help="where the results of the set go")
    parser.add_argument("--table", type=Path, help="the folder of all sets")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "diurna-retrieval",
        help="where the ledgers are kept",
    )
    arguments = parser.parse_args()
    if arguments.table:
        table(arguments.table, arguments.folder)
        return
    if not (arguments.directory and arguments.out):
        parser.error("a set and --out, or --table")
    ledgers = ledgers_of(arguments.directory, arguments.folder)
    with arguments.out.open("w", encoding="utf-8") as out:
        for one in results(arguments.directory, ledgers):
            out.write(json.dumps(one) + "\n")


if __name__ == "__main__":
    main()
