"""What the quiz takes: on the real ledger, on one of a thousand logs, and with a thousand questions."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from pathlib import Path

from ledger.home import discover
from ledger.model.event import FactCreated
from memory.api import Memory, SessionDraft
from tests.bench.__main__ import DIURNA, ENVIRONMENT, ROOT, Row, prepared
from tests.bench.facts import adopted
from tests.bench.tasks import processor_time

REAL = ROOT.parent / "shared" / "ledgers" / "mercury"
QUESTIONS, MANY = 20, 1_000


def quiz(folder: Path, runs: int) -> list[Row]:
    """Put the quiz, as a process; the real ledger is left out where it is not here."""
    small = prepared(folder, 1_000, "branch")
    rows = []
    _ask(small, QUESTIONS)
    rows.append(_row(small, f"`diurna quiz`, {QUESTIONS} questions, 1,000 logs", runs, 2.0))
    if REAL.is_dir():
        with tempfile.TemporaryDirectory() as place:
            real = adopted(REAL, Path(place))
            _ask(real, QUESTIONS)
            rows.append(
                _row(real, f"`diurna quiz`, {QUESTIONS} questions, the real ledger", runs, 2.0)
            )
    _ask(small, MANY)
    rows.append(_row(small, f"`diurna quiz`, {MANY:,} questions, 1,000 logs", 1, 20.0))
    return rows


def _ask(home: Path, number: int) -> None:
    """Record so many questions about facts of a home, and bring the index of recall up to date."""
    memory = Memory(discover(str(home)), agent="bench")
    facts = [one.fact for one in memory.state().standings() if one.live]
    asked = [facts[place % len(facts)] for place in range(number)]
    texts = [" ".join(fact.text.split()[:8]) for fact in asked]
    events = tuple(
        FactCreated(
            f"q-{number}-{place}",
            f"What of {text}?",
            "",
            (("kind", "question"), ("expect", fact.id)),
        )
        for place, (text, fact) in enumerate(zip(texts, asked, strict=True))
    )
    memory.append(SessionDraft(f"{number} questions", "", events))
    memory.close()
    subprocess.run([DIURNA, "quiz"], cwd=home, env=ENVIRONMENT, check=True, capture_output=True)


def _row(home: Path, what: str, runs: int, limit: float) -> Row:
    """Measure it; the limit is in seconds."""
    taken = statistics.median([processor_time(["quiz"], home) for _ in range(runs)])
    row = Row(f"{what}, warm, processor time", f"≤ {limit:g} s", 0.0)
    row.absolute = f"{taken:.2f} s" + ("" if taken <= limit else " **miss**")
    return row
