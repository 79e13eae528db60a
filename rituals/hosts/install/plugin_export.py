"""Plan to write what a project of Claude gets as a plugin for marketplaces.

It is in Claude's format, which Codex and Copilot load, too, and by Agent Plugins 1.0.0, which has skills
and servers alone. That has a folder of its own: where both manifests stand in one, Copilot takes the
portable one and runs no hook.
"""

from __future__ import annotations

import json
import os

from ledger.environment import VERSION
from rituals.hosts.install.install_plan import Change, Left, Plan, files_of, read, read_text
from rituals.hosts.install.json_text import Unfit

#: The hosts that load the folder of Claude's format, with its hooks.
LOADING = ("claude", "codex", "copilot")
_PORTABLE, _NAME = "agent-plugins/diurna/", "diurna"
_SAID = "Memory for coding agents, kept in git: every session starts with what holds."
_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"


def plan_export(folder: str) -> Plan:
    """Plan to write the plugin into a folder; a file that says something else is left as it is."""
    base, changes, left = os.path.abspath(folder), list[Change](), list[Left]()
    for path, data in _files().items():
        try:
            before = read(base, path)
            if before not in (None, data):
                raise Unfit("says something else")
            changes += [Change(path, None, data)] * (before is None)
        except Unfit as problem:
            left.append(Left(path, str(problem), "it is left as it is; name a new folder"))
    return Plan(base, tuple(changes), tuple(left))


def _files() -> dict[str, bytes]:
    """Return the files of the plugin, by their paths."""
    author = {"name": "Diurna"}
    about = {"name": _NAME, "version": VERSION, "description": _SAID, "author": author}
    about["license"] = "Apache-2.0"
    market = {"name": _NAME, "source": "./", "description": _SAID}
    made: dict[str, object] = {
        ".claude-plugin/plugin.json": about,
        ".claude-plugin/marketplace.json": {
            "name": _NAME, "description": _SAID, "owner": author, "plugins": [market]},
        f"{_PORTABLE}plugin.json": {"$schema": f"{_SCHEMAS}/plugin.schema.json", **about},
    }  # fmt: skip
    found = {"README.md": read_text("plugin_readme.txt").encode()}
    for file in files_of("claude", user=False):
        data = file.ours.put_into(None)
        if file.holds == "skill":
            path = file.path[file.path.index("skills/") :]
            found |= {path: data, _PORTABLE + path: data}
        elif file.holds == "hook":
            made["hooks/hooks.json"] = {"description": _SAID, **json.loads(data)}
        else:
            found[file.path] = data
            server = {"type": "stdio", **json.loads(data)["mcpServers"][_NAME]}
            made[f"{_PORTABLE}mcp.json"] = {
                "$schema": f"{_SCHEMAS}/mcp.schema.json", "mcpServers": {_NAME: server}}  # fmt: skip
    return found | {path: json.dumps(one, indent=2).encode() + b"\n" for path, one in made.items()}
