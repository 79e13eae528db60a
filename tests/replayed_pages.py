"""Make the git history of a ledger in the agent-memory layout: its pages, as they may have grown.

One commit at the time of each session log, with the logs so far and with those facts that its day knew.
What is given as `drafts` reads otherwise up to some commit.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ledger.model.order import milliseconds_of
from rituals.intake.adopt.read_facts import FactPage

AUTHOR = "Ann Author"
PAGES = ("continuity.md", "archive/")


def replay_pages(
    memory: Path, into: Path, drafts: Mapping[str, Sequence[str]] | None = None, *, late: int = 7
) -> list[str]:
    """Write the history of the ledger `memory` into a new repository, and return its commits.

    `memory` holds `continuity.md`; `into` is an empty folder, which becomes the repository, with the
    ledger in its `memory/`. `drafts` has words that the first line of a fact has in it at first, one each
    for `late` commits.
    """
    files = {
        path.relative_to(memory).as_posix(): path.read_bytes()
        for path in sorted(memory.rglob("*")) if path.is_file()
    }  # fmt: skip
    logs = sorted(name for name in files if name.startswith("sessions/"))
    pages = {name: files[name] for name in files if name.startswith(PAGES)}
    stream: list[bytes] = []
    begun: dict[str, int] = {}
    for number, log in enumerate(logs):
        seconds = milliseconds_of(Path(log).stem) // 1000 + 60
        last = number == len(logs) - 1
        who = f"{AUTHOR} <ann@example.invalid> {seconds} +0000"
        stream.append(f"commit refs/heads/main\nauthor {who}\ncommitter {who}\n".encode())
        stream.append(_data(f"Session {number}".encode()))
        rows = [(log, files[log])]
        for name, data in pages.items():
            now = (
                data
                if last
                else _as_of(name, data, Path(log).stem[:10], drafts or {}, begun, (number, late))
            )
            rows.append((name, now))
        if last:
            rows += [(name, files[name]) for name in files if name not in (*logs, *pages)]
        for name, data in rows:
            stream.append(f"M 100644 inline memory/{name}\n".encode() + _data(data))
    run = ["git", "-C", str(into)]
    subprocess.run([*run, "init", "-q", "-b", "main"], check=True)
    subprocess.run(
        [*run, "fast-import", "--quiet", "--date-format=raw"], input=b"".join(stream), check=True
    )
    subprocess.run([*run, "reset", "-q", "--hard"], check=True)
    said = subprocess.run([*run, "rev-list", "--reverse", "main"], check=True, capture_output=True)
    return said.stdout.decode().split()


def _data(data: bytes) -> bytes:
    return f"data {len(data)}\n".encode() + data + b"\n"


def _as_of(
    name: str, data: bytes, day: str, drafts: Mapping[str, Sequence[str]], begun: dict[str, int],
    at: tuple[int, int],
) -> bytes:  # fmt: skip
    """Return a page without the facts that a day did not know, and with their drafts."""
    page = FactPage(name, data, [])
    lines = list(page.lines)
    facts = {fact.line - 1: fact for fact in page.facts()}
    for item in page.tops:
        fact = facts.get(item.start)
        if fact is None:
            continue
        if fact.created > day:
            lines[item.start : item.end + 1] = ["\0"] * (item.end + 1 - item.start)
            continue
        place = (at[0] - begun.setdefault(fact.id, at[0])) // at[1]
        words = drafts.get(fact.id, ())
        if place < len(words):
            lines[item.start] += f" {words[place]}"
    return "\n".join([line for line in lines if line != "\0"]).encode()
