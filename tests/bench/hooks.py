"""What an agent waits for: a hook as a process, against starting Python for nothing, in turn.

`python -m tests.bench.hooks HOME` prints the rows of one generated home alone.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from ledger.environment import now_ms
from ledger.home import discover
from rituals.cli.app import main as command
from rituals.hosts import hook_answer as answering
from rituals.hosts.capture.stamps import Told, note_told
from rituals.hosts.observed.observation_spool import Observation, spool_of
from tests.bench.__main__ import DIURNA, ENVIRONMENT, Row, count, in_turn, nothing, spawn
from tests.captured_sessions import say
from tests.host_day import PROMPTS, Day

SPOOLS = 100
WORDS = "queue retry broker worker payment order invoice webhook timeout cache index deploy review".split()
SESSION = "bench-session"
#: What a host says, by event: each of these has nothing to say.
SAID: dict[str, dict[str, object]] = {
    "UserPromptSubmit": {"prompt": "Look at the queue, please, and tell what you see there."},
    "PostToolUse": {
        "tool_name": "Bash",
        "tool_input": {"command": "ls -la src && head -50 src/app.py"},
        "tool_response": {"stdout": "a\n" * 200, "stderr": ""},
        "tool_use_id": "toolu_1",
    },
    "Stop": {"stop_hook_active": False, "last_assistant_message": "That is all I see."},
    "SessionStart": {"source": "startup"},
}


def hooks(home: Path, runs: int) -> list[Row]:
    """Call the hooks that have nothing to say, and the start of a session with and without new logs.

    The home is a generated one; other sessions' spools are put into it. The runs are pairs.
    """
    _spools(home)
    size = f"{count(home):,} logs, {SPOOLS} spools / `python -c pass`"
    rows = []
    payloads = {event: _payload(home, event) for event in SAID}
    hook(home, "SessionStart", payloads)
    for event in ("UserPromptSubmit", "PostToolUse", "Stop"):
        for _ in range(2):
            hook(home, event, payloads)
        row = Row(f"hook `{event}` with nothing to say, {size}", "≤ 1.8 × (aim 1.6)", 1.8)
        rows.append(_measured(row, home, runs, lambda _, event=event: hook(home, event, payloads)))  # type: ignore[misc]
    row = Row(f"hook `SessionStart` with a cached brief, {size}", "≤ 2.5 × (aim 1.8)", 2.5)
    rows.append(_measured(row, home, runs, lambda _: hook(home, "SessionStart", payloads)))

    from tests.bench.running import Writer

    writer = Writer(home)

    def after_ten(_: int) -> float:
        for _ in range(10):
            writer.add(late=False)
        return hook(home, "SessionStart", payloads)

    row = Row(f"hook `SessionStart`, 10 new logs since, {size}", "≤ 5 × (aim 4)", 5.0)
    rows.append(_measured(row, home, runs, after_ten))
    return rows


def boundary(home: Path, runs: int) -> Row:
    """Tell a session with 57 observations and a transcript of a mebibyte, without a model, in a process of its own.

    The home is a generated one; each run is another session.
    """
    rng = random.Random(7)
    transcript = home.parent / "talk.jsonl"
    transcript.unlink(missing_ok=True)
    while not transcript.exists() or transcript.stat().st_size < (1 << 20) - 4000:
        said = ". ".join([" ".join(rng.choices(WORDS, k=12)).capitalize() for _ in range(8)])
        role = rng.choice(("assistant", "assistant", "user"))
        say(transcript, f"{said}. We decided to use the {rng.choice(WORDS)}.", role=role)
    commondir = discover(str(home)).repository.commondir
    took = []
    for run in range(runs):
        session = f"told-{os.getpid()}-{run}"
        spool = spool_of(commondir, "claude", session)
        for line in range(57):
            paths = (f"src/{run}/{line}.py",)
            spool.add(
                Observation(now_ms(), "edit", "Write", f"wrote {paths[0]}", paths, "", f"c{line}")
            )
        named = ["--host=claude", f"--session={session}", f"--transcript={transcript}", "--why=end"]
        took.append(spawn([sys.executable, "-P", "-m", "rituals", "capture", *named], home))
    row = Row(
        f"boundary without a model, 1 MiB of transcript, whole, {count(home):,} logs",
        "≤ 1.5 s (aim 0.7)",
        0.0,
    )
    median = statistics.median(took)
    row.absolute = f"{median:.2f} s" + ("" if median <= 1.5 else " **miss**")
    return row


def day(folder: Path) -> Row:
    """Count what a session of 60 prompts is told beside two others, with a memory that fills its brief."""
    top = folder / "day"
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()):
        patch.chdir(top)
        for key, value in ENVIRONMENT.items():
            patch.setenv(key, value)
        patch.delenv("DIURNA_AGENT", raising=False)
        for limit in ("START_SECONDS", "OTHER_SECONDS"):
            patch.setattr(answering, limit, 60)
        subprocess.run(["git", "init", "-q", "-b", "main"], check=True)
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "code"], check=True)
        texts = [f"decision: Rule {number} " + "is long and plain. " * 9 for number in range(60)]
        for arguments in (["init"], ["note", *texts]):
            assert command(arguments) == 0
        played = Day(top, patch, 1_795_249_812_417)
        played.play()
    first, *rest = [len(one.text) for one in played.told]
    row = Row(f"told in a day of {PROMPTS} prompts beside two sessions", "≤ 9,000 (aim 6,000)", 0)
    row.absolute = f"{first:,} + {sum(rest):,} characters" + (
        "" if first + sum(rest) <= 9_000 else " **miss**"
    )
    return row


def hook(home: Path, event: str, payloads: dict[str, Path]) -> float:
    """Time one call of a hook of Claude's."""
    return spawn([DIURNA, "hook", "claude", event], home, payloads[event])


def _measured(row: Row, home: Path, runs: int, ours: Callable[[int], float]) -> Row:
    return row.take(*in_turn(runs, ours, nothing(home)))


def _payload(home: Path, event: str) -> Path:
    said = {
        "session_id": SESSION,
        "transcript_path": f"{home}/none.jsonl",
        "cwd": str(home),
        "hook_event_name": event,
        **SAID[event],
    }
    path = home.parent / f"{event}.json"
    path.write_text(json.dumps(said))
    return path


def _spools(home: Path) -> None:
    """Put spools of other sessions into a home, told and older than anything that is news."""
    commondir = discover(str(home)).repository.commondir
    for number in range(SPOOLS):
        spool = spool_of(commondir, "codex", f"other-{number}")
        for line in range(5):
            paths = (f"src/{number}/{line}.py",)
            spool.add(Observation(1, "edit", "Write", f"wrote {paths[0]}", paths, "", f"c{line}"))
        os.utime(spool.path, (1, 1))
        told = Told(now_ms(), os.path.getsize(spool.path), {f"observed {spool.read().began}": 5})
        note_told(commondir, spool.host, spool.session, told)


def main() -> None:
    """Measure one home and print."""
    home = Path(sys.argv[1])
    subprocess.run([DIURNA, "show"], cwd=home, check=True, stdout=subprocess.DEVNULL)
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 31
    for row in (*hooks(home, runs), boundary(home, runs // 3), day(home.parent)):
        print(row, flush=True)


if __name__ == "__main__":
    main()
