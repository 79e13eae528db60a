"""Lay out a plugin: in Claude's format, which Codex and Copilot load, too, and by Agent Plugins 1.0.0.

Both are made of the table that `diurna install` writes by. The portable format has skills and servers
alone (agentplugins/agent-plugins-spec). It has a folder of its own: where both manifests stand in one,
Copilot takes the portable one and runs no hook.
"""

from __future__ import annotations

import json
import os
from importlib.metadata import version

from rituals.hosts.install.host_files import SERVER, entries, merged, read_text, skill_files
from rituals.hosts.install.install_plan import Change, Left, Plan, read
from rituals.hosts.install.json_text import Unfit

NAME = "diurna"
#: The folder of the portable plugin.
PORTABLE = "agent-plugins/diurna"
#: The hosts that load the folder with its hooks.
LOADING = ("claude", "codex", "copilot")
_SAID = "Memory for coding agents, kept in git: every session starts with what holds."
_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"


def plugin_files() -> dict[str, bytes]:
    """Return the files of the plugin, by their paths in its folder."""
    author: dict[str, object] = {"author": {"name": "Diurna"}}
    about: dict[str, object] = {"name": NAME, "version": version("diurna"), "description": _SAID}
    about |= {**author, "license": "Apache-2.0"}
    entry = {"name": NAME, "source": "./", "description": _SAID}
    market = {"name": NAME, "description": _SAID, "owner": author["author"], "plugins": [entry]}
    found: dict[str, dict[str, object]] = {
        ".claude-plugin/plugin.json": about,
        ".claude-plugin/marketplace.json": market,
        "hooks/hooks.json": {"description": _SAID, **merged(entries("claude"))},
        ".mcp.json": {"mcpServers": {NAME: SERVER}},
        f"{PORTABLE}/plugin.json": {"$schema": f"{_SCHEMAS}/plugin.schema.json", **about},
        f"{PORTABLE}/mcp.json": {
            "$schema": f"{_SCHEMAS}/mcp.schema.json",
            "mcpServers": {NAME: {"type": "stdio", **SERVER}},
        },
    }
    made = {path: json.dumps(one, indent=2).encode() + b"\n" for path, one in found.items()}
    skills = {
        f"{top}skills/{path}": text.encode()
        for top in ("", f"{PORTABLE}/")
        for path, text in skill_files().items()
    }
    return {**made, **skills, "README.md": read_text("plugin_readme.txt").encode()}


def plan_export(folder: str) -> Plan:
    """Plan to write the plugin into a folder; a file that says something else is left as it is."""
    base = os.path.abspath(folder)
    changes: list[Change] = []
    left: list[Left] = []
    for path, data in plugin_files().items():
        try:
            before = read(base, path)
            if before not in (None, data):
                raise Unfit("says something else")
        except Unfit as problem:
            left.append(Left(path, str(problem), "it is left as it is; name a new folder"))
            continue
        if before is None:
            changes.append(Change(path, None, data))
    return Plan(base, tuple(changes), tuple(left))
