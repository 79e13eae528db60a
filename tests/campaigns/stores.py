"""Stores that the tools themselves wrote: `python -m tests.campaigns.stores [FOLDER]`.

Installs basic-memory from PyPI, claude-mem and the runtime that it needs from npm, has each write the
memories of `tests.other_stores`, and reads what it left on disk. Each must read as the store that our own
code makes for the suite: so the suite's stores stay true to the tools. A tool that a registry does not
give, or that does not run here, is skipped with a word. Exits with 1 where one reads otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.other_stores import NOTES, OBSERVATIONS, SUMMARY, WRITERS, Store, told

_SECONDS = 600
#: The newest that was read; a newer one is tried with `--newest`.
_BASIC, _CLAUDE = "basic-memory==0.19.2", "claude-mem@13.25.3"
_BUN = "1.4.5"
_MACHINE = f"{sys.platform}-{'aarch64' if os.uname().machine in ('arm64', 'aarch64') else 'x64'}"


class Skipped(Exception):
    """A tool can not be had here; its text says why."""


def main() -> int:
    """Run what can be had, and compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.stores", description=__doc__)
    parser.add_argument(
        "folder", type=Path, nargs="?", help="where the tools are kept for the next run"
    )
    parser.add_argument("--newest", action="store_true", help="take the newest of each tool")
    chosen = parser.parse_args()
    tools = chosen.folder or Path(tempfile.mkdtemp())
    tools.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for name, write in (
        ("basic-memory", _basic_memory),
        ("claude-mem", _claude_mem),
    ):
        with tempfile.TemporaryDirectory() as place:
            try:
                theirs = told(write(tools.resolve(), Path(place) / "theirs", chosen.newest).read())
            except Skipped as why:
                print(f"{name}: skipped, {why}")
                continue
            (Path(place) / "ours").mkdir()
            ours = told(WRITERS[name](Path(place) / "ours").read())
        wrong += theirs != ours
        print(f"{name}: {len(theirs)} memories, {'as ours' if theirs == ours else 'OTHERWISE'}")
        for text in sorted(theirs.keys() | ours.keys()):
            if theirs.get(text) != ours.get(text):
                print(f"  {text!r}\n    theirs {theirs.get(text)}\n    ours   {ours.get(text)}")
    return 1 if wrong else 0


def _basic_memory(tools: Path, place: Path, newest: bool) -> Store:
    """Have basic-memory write its notes, without the search by meaning that would load a model."""
    python = _python(tools / "basic-memory", _chosen(_BASIC, newest), _python_from(12))
    user, notes = place / "user", place / "notes"
    notes.mkdir(parents=True)
    user.mkdir()
    command = [str(python.parent / "basic-memory")]
    settings = {"HOME": str(user), "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"}
    _run([*command, "project", "add", "team", str(notes), "--default"], place, **settings)
    for (folder, title, tags), body in NOTES.items():
        listed = [part for tag in tags.split(",") if tag for part in ("--tags", tag)]
        where = ["--project", "team", "--folder", folder, "--title", title]
        _run(
            [*command, "tool", "write-note", *where, *listed, "--content", body], place, **settings
        )
    return Store("basic-memory", notes)


def _claude_mem(tools: Path, place: Path, newest: bool) -> Store:
    """Have claude-mem's own store write; it runs in bun, and a model would only have chosen the words."""
    package = _unpacked(tools / "claude-mem", _chosen(_CLAUDE, newest))
    bun = _unpacked(tools / "bun", f"@oven/bun-{_MACHINE}@{_BUN}") / "bin" / "bun"
    place.mkdir(parents=True)
    script, path = place / "write.cjs", place / "claude-mem.db"
    script.write_text(_CLAUDE_SCRIPT, encoding="utf-8")
    said = json.dumps({"observations": OBSERVATIONS, "summary": SUMMARY})
    store = package / "plugin" / "sqlite" / "SessionStore.js"
    _run([str(bun), str(script), str(store), str(path), said], place, HOME=str(place))
    return Store("claude-mem", path)


_CLAUDE_SCRIPT = """
const { SessionStore } = require(process.argv[2]);
const said = JSON.parse(process.argv[4]);
const store = new SessionStore(process.argv[3]);
const session = store.createSDKSession('content-1', 'shop', 'add retries');
store.saveUserPrompt('content-1', 1, 'add retries');
store.updateMemorySessionId(session, 'mem-1');
for (const [project, type, title, subtitle, facts, narrative, concepts, date] of said.observations) {
  const seen = { type, title, subtitle, facts, narrative, concepts, files_read: [], files_modified: [] };
  store.storeObservation('mem-1', project, seen, 1, 5, Date.parse(date + 'T10:00:00Z'));
}
const none = { request: '', investigated: '', completed: '', notes: null };
store.storeSummary('mem-1', 'shop', { ...none, ...said.summary }, 1, 5, Date.parse('2026-03-01T10:00:00Z'));
"""


def _python(folder: Path, package: str, made_by: str) -> Path:
    """Return the Python of an environment that has a package; both are made where they are not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        _have([made_by, "-m", "venv", str(folder)])
        try:
            _have([str(python), "-m", "pip", "install", "-q", package])
        except Skipped:
            shutil.rmtree(folder)
            raise
    return python


def _python_from(least: int) -> str:
    """Return a Python that runs, of at least a minor version."""
    named = [found for minor in (14, 13, 12) if (found := shutil.which(f"python3.{minor}"))]
    kept = sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python"))
    for name in [sys.executable, *named, *map(str, kept)]:
        asked = [name, "-c", f"import sys, venv; sys.exit(sys.version_info < (3, {least}))"]
        if subprocess.run(asked, capture_output=True, check=False).returncode == 0:
            return name
    raise Skipped(f"it needs Python 3.{least}, and there is none")


def _unpacked(folder: Path, package: str) -> Path:
    """Return the folder of a package of npm, fetched where it is not there; its scripts do not run."""
    if not (folder / "package").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _have(["npm", "pack", "--silent", "--pack-destination", str(folder), package])
        (packed,) = folder.glob("*.tgz")
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
    return folder / "package"


def _have(command: list[str]) -> None:
    """Run what fetches from a registry; what it can not is a reason to skip."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Skipped(str(error)) from None
    if ran.returncode:
        raise Skipped(f"`{' '.join(command[-4:])}` said: {ran.stderr.strip()[-300:]}")


def _run(command: list[str], place: Path, **settings: str) -> None:
    """Run a tool; it has no network to ask, and tells nobody that it ran."""
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    quiet = {"DO_NOT_TRACK": "1", **nowhere}
    env = {**os.environ, **quiet, **settings}
    ran = subprocess.run(
        command, cwd=place, env=env, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if ran.returncode:
        raise Skipped(f"it does not run here: {(ran.stderr or ran.stdout).strip()[-300:]}")


def _chosen(package: str, newest: bool) -> str:
    return package.split("==")[0].rsplit("@", 1)[0] if newest else package


if __name__ == "__main__":
    raise SystemExit(main())
