"""Sessions of a host to capture: observations in a spool, a transcript, and what the ledger tells of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from ledger.codec.log import decode
from ledger.environment import now_ms
from ledger.model.session_headers import span_of
from ledger.wal.spool import Spool as LogSpool
from memory.api import Memory
from memory.replay.log_bytes import read_bytes
from rituals.hosts.capture.boundary import Asked, Outcome, boundary
from rituals.hosts.observed.observation_spool import Observation, spool_of
from tests.campaigns.homes import git

SESSION = "87bdddb9-cbd9-45fd-89ce-c0173229aac5"
AT = now_ms()
TALK = "We looked at the retry queue, and at how it behaves when the broker is slow to answer. " * 6


def observe(
    home: Path, count: int, *, session: str = SESSION, host: str = "claude", first: int = 0, at: int = AT,
    mark: Callable[[int], str] | None = None,
) -> None:  # fmt: skip
    """Let a session do things, each once; `mark` tells them apart from those of other sessions."""
    spool = spool_of(str(home / ".git"), host, session)
    for number in range(first, first + count):
        once = f"mark-{mark(number)}" if mark else f"toolu-{number}"
        path = f"src/{once}.py"
        seen = Observation(at + number, "edit", "Write", f"wrote {path}", (path,), once, once)
        spool.add(seen, str(home))


def say(path: Path, *said: str, role: str = "assistant") -> None:
    """Let a transcript of Claude grow."""
    with open(path, "a", encoding="utf-8") as file:
        for text in said:
            message = {"role": role, "content": [{"type": "text", "text": text}]}
            file.write(json.dumps({"type": role, "message": message}) + "\n")


def tell(
    memory: Memory, transcript: Path | str = "", *, session: str = SESSION, host: str = "claude",
    dry_run: bool = False, environment: dict[str, str] | None = None,
) -> Outcome:  # fmt: skip
    """Tell what a session left."""
    asked = Asked(host, session, str(transcript), "stop", dry_run)
    return boundary(memory, asked, environment or {})


def captured_texts(memory: Memory) -> list[str]:
    """The captured logs of all branches and of the spool, each log once."""
    found: dict[str, str] = {}
    spool = LogSpool(memory.home.spool_folder)
    for stem in (*spool.waiting(), *spool.held()):
        found[stem] = (spool.read(stem) or b"").decode()
    with memory.snapshot.cache() as cache:
        refs = [ref for _, ref, entry in cache.entries() if entry.reach]
    for ref, data in read_bytes(memory.home, refs):
        found[ref.stem] = data.decode()
    return [text for _, text in sorted(found.items())]


def told_of(memory: Memory) -> list[str]:
    """The marks of all observations that captured logs tell of, as often as they do."""
    return sorted(marks_in("\n".join(captured_texts(memory))))


def marks_in(text: str) -> list[str]:
    """The marks that logs tell of, as often as they do."""
    found = re.findall(r"\bsrc/((?:toolu|mark)-[\w-]+)\.py(?: \((?:new, )?(\d+) times)?", text)
    return [mark for mark, times in found for _ in range(int(times or 1))]


def spans_of(memory: Memory, key: str) -> list[tuple[str, int, int]]:
    """The spans of all captured logs."""
    found = []
    for text in captured_texts(memory):
        span = span_of(decode(text.encode(), sealed=True)[0].get(key))
        if span is not None:
            found.append((span.name, span.start, span.end))
    return found


def commit(home: Path, name: str) -> None:
    """Commit something, as a person does."""
    (home / name).write_text(name)
    git(home, "add", name)
    git(home, "commit", "-q", "-m", name)
