"""Findings that come about where something of the machine or of Diurna's own is stood in for."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from ledger.model.log_names import log_path, seal
from rituals.hosts.capture.session_marks import note_failure
from rituals.hosts.session_files import note_fault
from tests.conftest import NOW_MS, as_left
from tests.finding_case import Arguments, Shop, case
from tests.host_door import Door


def _put(shop: Shop, path: str, text: str) -> None:
    file = shop.path / "memory" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@case(
    "seal-collision",
    "error: sessions/2026-11/20/STEM.md and sessions/STEM.md differ and fit one seal; all are read",
    exit_code=1,
    also=("duplicate-stem",),
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr("ledger.model.log_names.SEAL_CHARS", 3)
    made: dict[str, str] = {}
    for number in range(9999):
        text = f"---\nended: 2026-11-20T10:15:00.000Z\n---\n# Number {number}\n"
        stem = seal("2026-11-20-101500000", text.encode())
        if made.setdefault(stem, text) != text:
            break
    _put(shop, log_path(stem), made[stem])
    _put(shop, f"sessions/{stem}.md", text)
    shop.shell("commit")
    return ("check", "--ci")


@case(
    "index-busy",
    "warning: what was committed stands, and git's index could not follow: fatal: Unable to create "
    "'TOP-own/.git/index.lock': File exists.",
    "the next Diurna command tries again; until then `git status` shows the file as deleted",
)
def _(shop: Shop) -> Arguments:
    for module in ("index_entries", "tree_update"):
        shop.monkeypatch.setattr(f"memory.worktree.{module}.INDEX_TRIES", 1)
    own = shop.own()
    Path(own, ".git/index.lock").touch()
    return ("append", "--title", "Second", "--home", own)


@case(
    "host-faults",
    "warning: 1 hook failed within 7 days; the last at 2026-11-21T08:30:12Z: hook codex Stop: OSError(28)",
    "agents went on without the answer; `DIURNA_HOOKS=off` silences the hooks of a shell",
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr("rituals.hosts.session_files.now_seconds", lambda: NOW_MS / 1000)
    shop.monkeypatch.setattr("rituals.check.machine.now_seconds", lambda: NOW_MS / 1000)
    note_fault(str(shop.path / ".git"), "hook codex Stop: OSError(28)")
    shop.shell("program diurna \"echo '{}'\"")
    shop.run("install", "codex", "--no-mcp")
    shop.alone()
    return ("check",)


@case(
    "capture-failed",
    "warning: the session s1 of claude could not be recorded: its answer has no array: Sure!",
    "the next boundary tries again; `diurna capture` does it now",
)
def _(shop: Shop) -> Arguments:
    note_failure(str(shop.path / ".git"), "claude", "s1", "its answer has no array: Sure!")
    shop.alone()
    return ("check",)


@case(
    "capture-waits",
    "warning: no log tells of claude s-1",
    "the next start of any session records what others left; `diurna capture` does it now",
)
def _(shop: Shop) -> Arguments:
    door = Door(shop, shop.monkeypatch)
    door.at(-12)
    door.session().edits("f-1.py")
    door.at(0)
    shop.alone()
    return ("check",)


@case(
    "lock-left",
    "warning: TOP/.git/index.lock belongs to no running process",
    "`diurna check --fix` moves it aside",
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr("ledger.wal.git_locks._git_commands", lambda: iter(()))
    lock = shop.path / ".git/index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 3610,) * 2)
    shop.alone()
    return ("check",)


@case(
    "cache-differs",
    "error: the cache disagrees with the ledger: continuity.md",
    "`diurna check --fix` rebuilds it from the ledger, which is right",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    (file,) = (shop.path / ".git/diurna/cache").glob("*%2F.sqlite")
    with sqlite3.connect(file) as cache:
        cache.execute("DELETE FROM facts")
    cache.close()
    as_left(file)
    shop.alone()
    return ("check", "--deep")


@case(
    "check-failed",
    "warning: git's attributes could not be checked: RuntimeError: broken",
    "mend what else is told, and look again",
)
def _(shop: Shop) -> Arguments:
    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    shop.monkeypatch.setattr("rituals.check.clone_checks.plan_drivers", broken)
    shop.alone()
    return ("check",)
