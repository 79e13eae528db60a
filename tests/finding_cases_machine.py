"""Findings about this machine."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from pathlib import Path

from ledger.model.order import seal
from rituals.hosts.capture.capture_notes import Attempt, note_attempt
from rituals.hosts.install.install_plan import apply_plan, plan_install
from rituals.hosts.payloads import note_fault
from tests.campaigns.homes import as_left
from tests.captured_sessions import observe
from tests.conftest import NOW_MS, make_repository
from tests.finding_case import Arguments, Shop, case


def on_path(shop: Shop, *folders: str | Path) -> Arguments:
    """Let nothing be called but what is in some folders, and git; and run the doctor."""
    here = os.path.dirname(shutil.which("git") or "")
    shop.monkeypatch.setenv("PATH", os.pathsep.join([*map(str, folders), here]))
    return ("check",)


def script(path: Path, text: str) -> None:
    """Write a program."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@case(
    "git-unusable",
    "error: this is git version 2.20.1; Diurna needs git 2.30 or newer",
    "install a newer git; nothing in the repository has to change",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    tools = shop.path.parent / "tools"
    git = shutil.which("git")
    script(
        tools / "git",
        f'case "$*" in *" version") echo git version 2.20.1;; *) exec {git} "$@";; esac',
    )
    return on_path(shop, tools)


def installed(shop: Shop, host: str = "codex", *, answers: str = "echo '{}'") -> Arguments:
    """Let a host read this memory, by a `diurna` that says something to every call."""
    plan = plan_install(str(shop.path), (host,), user=False, servers=host == "claude")
    apply_plan(plan, user=False)
    tools = shop.path / ".." / "tools"
    script(tools / "diurna", answers)
    return on_path(shop, tools)


@case(
    "host-command",
    "warning: codex: the hook calls `diurna`, which is not on PATH",
    "install Diurna so that every shell finds it, for instance by `uv tool install`",
)
def _(shop: Shop) -> Arguments:
    installed(shop)
    return on_path(shop)


@case(
    "host-files",
    "warning: codex: what `diurna install codex` writes is not in TOP/AGENTS.md",
    "`diurna install codex` writes it",
)
def _(shop: Shop) -> Arguments:
    arguments = installed(shop)
    (shop.path / "AGENTS.md").unlink()
    return arguments


@case(
    "host-faults",
    "warning: 1 hook failed within 7 days; the last at 2026-11-21T08:30:12Z: hook codex Stop: OSError(28)",
    "agents went on without the answer; `DIURNA_HOOKS=off` silences the hooks of a shell",
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr("rituals.hosts.payloads.now_seconds", lambda: NOW_MS / 1000)
    shop.monkeypatch.setattr("rituals.check.doctor.machine.now_seconds", lambda: NOW_MS / 1000)
    note_fault(str(shop.path / ".git"), "hook codex Stop: OSError(28)")
    return installed(shop)


@case(
    "capture-failed",
    "warning: the session s1 of claude could not be recorded: its answer has no array: Sure!",
    "the next boundary tries again; `diurna capture` does it now",
)
def _(shop: Shop) -> Arguments:
    failed = Attempt(0, "claude", "s1", "stop", "failed", said="its answer has no array: Sure!")
    note_attempt(str(shop.path / ".git"), failed)
    return on_path(shop)


@case(
    "capture-settings",
    "warning: TOP/.config/diurna/config.toml: there is no program; known are use, url, model, key_variable",
    "until it is mended no model reads the sessions; it is your own file",
)
def _(shop: Shop) -> Arguments:
    file = shop.path / ".config/diurna/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[extraction]\nprogram = "sh"\n')
    shop.monkeypatch.setenv("XDG_CONFIG_HOME", str(shop.path / ".config"))
    return on_path(shop)


@case(
    "capture-waits",
    "warning: 26 observations wait that no boundary has tried to record",
    "hooks should have; `diurna install` writes them; `diurna capture` does it now",
)
def _(shop: Shop) -> Arguments:
    observe(shop.path, 26, at=NOW_MS - 700_000)
    return on_path(shop)


@case(
    "no-home",
    "warning: no Diurna home at or above TOP",
    "run `diurna init` here to make one, or name one with --home PATH",
)
def _(shop: Shop) -> Arguments:
    shutil.rmtree(shop.path)
    make_repository(shop.path)
    shop.monkeypatch.chdir(shop.path)
    return on_path(shop)


@case(
    "unsupported-repository",
    "error: objects are borrowed from /nowhere/objects, which is not there",
    "bring that repository back, or say in .git/objects/info/alternates where it is now",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    (shop.path / ".git/objects/info/alternates").write_text("/nowhere/objects\n")
    return on_path(shop)


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
    return on_path(shop)


@case(
    "object-lost",
    "error: git has lost what recent commits of Diurna's are made of: commit COMMIT",
    "`diurna check --fix` writes it again, byte for byte, from what is kept beside the spool",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    shop.object_file("HEAD").unlink()
    return on_path(shop)


@case(
    "case-twins",
    "warning: memory/sessions/Notes and memory/sessions/notes differ only in upper and lower case; "
    "on a case-blind file system one hides the other",
    "give one of them another name with git mv",
    also=("bad-name", "bad-name"),
)
def _(shop: Shop) -> Arguments:
    blob = shop.git("rev-parse", "HEAD:memory/diurna.toml").strip()
    for name in ("Notes", "notes"):  # as on another machine: this one's disk may hold one of them
        entry = f"100644,{blob},memory/sessions/{name}"
        shop.git("update-index", "--add", "--cacheinfo", entry)
    shop.git("commit", "-q", "-m", "twins")
    return on_path(shop)


@case(
    "home-moved",
    "info: 1 log stands where this memory was before it moved",
    "`diurna sync` joins them",
)
def _(shop: Shop) -> Arguments:
    shop.git("branch", "away")
    shop.run("init", "--move", "branch")
    shop.git("switch", "-q", "away")
    shop.git("config", "--unset", "diurna.moved")  # as in another clone
    shop.run("append", "--title", "Not told", "--home", str(shop.path))
    shop.git("switch", "-q", "main")
    return on_path(shop)


@case(
    "spool-leftover",
    "warning: 1 log waits in TOP/.git/diurna/spool@other for a home on the branch other, which is not "
    "there: STEM",
    "`diurna append TOP/.git/diurna/spool@other/STEM` says it again in this home; the copy stays",
)
def _(shop: Shop) -> Arguments:
    stem = Path(shop.log).stem
    left = shop.path / ".git/diurna/spool@other" / stem
    left.parent.mkdir()
    left.write_bytes((shop.home / shop.log).read_bytes())
    return on_path(shop)


@case(
    "captured-waiting",
    "info: 1 captured log waits for more than a week",
    "`diurna check --fix` commits it, and so does the next append",
)
def _(shop: Shop) -> Arguments:
    data = b"# As it was captured\n"
    held = shop.path / ".git/diurna/spool/held" / seal("2026-11-01-101500000", data)
    held.parent.mkdir(parents=True)
    held.write_bytes(data)
    return on_path(shop)


@case(
    "hook-missing",
    "info: logs wait for your own commits here, and no git hook lets them go with these",
    "`diurna init --hooks` puts it in; without it they go with `diurna sync`, or after a day",
)
def _(shop: Shop) -> Arguments:
    with open(shop.home / "diurna.toml", "a") as policy:
        policy.write("\n[commit]\nown = false\n")
    shop.git("commit", "-q", "-a", "-m", "logs go with my commits")
    return on_path(shop)


@case(
    "attributes-missing",
    "warning: this clone has no driver that keeps a plain `git pull` out of the projection",
    "`diurna check --fix` sets it",
)
def _(shop: Shop) -> Arguments:
    shop.git("config", "--unset", "merge.diurna-ours.driver")
    return on_path(shop)


@case(
    "cache-differs",
    "error: the cache disagrees with the ledger: continuity.md",
    "`diurna check --fix` rebuilds it from the ledger, which is right",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    (file,) = (shop.path / ".git/diurna/cache").glob("*.sqlite")
    with sqlite3.connect(file) as cache:
        cache.execute("DELETE FROM facts")
    cache.close()
    as_left(file)
    return (*on_path(shop), "--deep")


@case(
    "upstream-stale",
    "warning: org, which the policy names as upstream, was never fetched",
    "`diurna sync` fetches it",
)
def _(shop: Shop) -> Arguments:
    with open(shop.path / "memory/diurna.toml", "a") as file:
        file.write('[upstream]\norg = "https://example.invalid/memory.git"\n')
    shop.git("commit", "-q", "-m", "read org", "--", "memory/diurna.toml")
    return on_path(shop)


@case(
    "not-pushed",
    "warning: 1 log of more than a week ago is on no remote: main was never pushed; the oldest is STEM",
    "`diurna sync` shares them",
)
def _(shop: Shop) -> Arguments:
    shop.git("remote", "add", "origin", "/nowhere/shop.git")
    shop.monkeypatch.setenv("DIURNA_NOW", str(NOW_MS + 8 * 86_400_000))
    return on_path(shop)


@case(
    "check-failed",
    "warning: git's attributes could not be checked: RuntimeError: broken",
    "mend what else is told, and look again",
)
def _(shop: Shop) -> Arguments:
    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    shop.monkeypatch.setattr("rituals.check.doctor.clone_checks.plan_drivers", broken)
    return on_path(shop)
