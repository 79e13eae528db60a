"""What a running process takes: `python -m tests.bench.running HOME RUNS` prints seconds as JSON."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

from ledger.git.commit_record import Commit, Identity
from ledger.git.fast_import import FastImport
from ledger.home import discover
from ledger.model.event import FactCreated, FactReferenced
from ledger.model.layout import log_path
from ledger.model.order import seal, stamp_of
from memory.api import Memory, SessionDraft
from projection.document.page_renderer import render
from tests.bench.ledgers import sentence

WHO = Identity("Bench", "bench@example.invalid")
PROSE = "The queue was measured again and the figures were written down. " * 40


class Writer:
    """Another writer, who adds logs behind Diurna's back.

    Args:
        home: the folder of a home.
    """

    def __init__(self, home: Path) -> None:
        self._home = discover(str(home))
        self._writer = FastImport(self._home.repository)
        self._random = random.Random(os.getpid())

    def add(self, late: bool) -> None:
        """Add one log: the newest one, or one that sorts into the middle."""
        now = time.time_ns() // 1_000_000
        if late:
            now -= self._random.randint(200, 600) * 86_400_000
        data = (
            f"---\nagent: other\nended: x\n---\n# Other\n\n{PROSE}\n\n## Memory References\n\n"
            f"- Created: other-fact-{time.time_ns()}\n\n## Facts\n\n- Another fact.\n"
            f"  <!-- id: other-fact-{time.time_ns()} -->\n"
        )
        name = data.split("- Created: ")[1].split("\n")[0]
        data = data.rsplit("<!-- id: ", 1)[0] + f"<!-- id: {name} -->\n"
        body = data.encode()
        tip = self._home.tip()
        self._writer.commit(
            Commit(
                self._home.reference, tip, tip,
                ((self._home.prefix + log_path(seal(stamp_of(now), body)), body),),
                "other", WHO, now // 1000,
            )
        )  # fmt: skip


def follow(memory: Memory, writer: Writer, late: bool) -> float:
    """Time the state, and the rendered continuity, after another writer's log."""
    writer.add(late)
    start = time.perf_counter()
    state = memory.state()
    text = memory.continuity()
    taken = time.perf_counter() - start
    if state.summary.digest not in text:
        raise SystemExit("the state and the text differ")
    return taken


def append(memory: Memory, ids: list[str], number: int) -> float:
    """Time one durable append."""
    draft = SessionDraft(
        f"Measure {number}", PROSE,
        (
            FactReferenced(ids[number % len(ids)]),
            FactReferenced(ids[(number + 1) % len(ids)]),
            FactReferenced(ids[(number + 2) % len(ids)]),
            FactCreated(f"bench-{time.time_ns()}", sentence(random.Random(time.time_ns()), 12) + "."),
        ),
        agent=f"bench-{number}",
    )  # fmt: skip
    start = time.perf_counter()
    memory.append(draft)
    return time.perf_counter() - start


def bare(folder: str, number: int) -> float:
    """Time one bare write and fsync of as many bytes on the same disk."""
    path = f"{folder}/bare-{number}"
    data = PROSE.encode() + b"x" * 400
    start = time.perf_counter()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    taken = time.perf_counter() - start
    os.unlink(path)
    return taken


def loose_bytes(folder: Path) -> int:
    """Add up the sizes of all loose objects."""
    return sum(path.stat().st_size for path in folder.glob("[0-9a-f][0-9a-f]/*") if path.is_file())


def main(path: str, runs: int) -> None:
    """Measure and print."""
    memory = Memory.open(path)
    writer = Writer(Path(path))
    render(memory.state().view())
    found: dict[str, object] = {}
    for key, late in (("newer", False), ("late", True)):
        follow(memory, writer, late)
        found[key] = [follow(memory, writer, late) for _ in range(runs)]
    ids = list(memory.state().histories)[:500]
    append(memory, ids, 0), bare(path, 0)
    pairs = [(append(memory, ids, n), bare(path, n)) for n in range(1, 3 * runs)]
    found["append"] = [a for a, _ in pairs]
    found["bare"] = [b for _, b in pairs]
    objects = Path(memory.home.repository.commondir) / "objects"
    before = loose_bytes(objects)
    for number in range(10):
        append(memory, ids, 10_000 + number)
    found["bytes"] = (loose_bytes(objects) - before) / 10
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
