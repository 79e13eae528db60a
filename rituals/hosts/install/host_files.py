"""List where each host reads its hooks, its MCP servers, its skills and what an agent is told.

A hook stays the same, because Codex trusts one by a hash of it. That of a tool names the tools that change
something or read a file, so that searching costs the agent nothing. The files are committed, so each
command also ends with 0 and without a word where `diurna` is not there, or does not know the hook: in
every shell that hosts run commands by (sh, bash, dash, zsh, fish; cmd).
"""

from __future__ import annotations

import os
from importlib.resources import files

from ledger.model.record import Record
from rituals.hosts.adapters import HOSTS, Form
from rituals.hosts.install.json_text import EACH, Entry, Keys
from rituals.hosts.install.marked_text import Block, Table, Whole, stamped

#: How long a host waits: far above our own limits, for a machine that is slow to start a program.
_SECONDS = 5
#: At the end of a session less: Claude allows 1.5 seconds where nothing is said, Codex 3 at most.
_END_SECONDS = 3
_OF_TOOLS = frozenset({"tool", "failure"})


def _hooks(host: str) -> tuple[Entry, ...]:
    """Return the hooks of a host."""
    form = HOSTS[host].form or Form()
    hooks: list[Entry] = []
    for event, meaning in HOSTS[host].events.items():
        call = f"diurna hook {host} {event}"
        command = f"command -v diurna >/dev/null 2>&1 && {call} 2>/dev/null || exit 0"
        seconds = _END_SECONDS if meaning == "end" else _SECONDS
        handler = {
            **({"type": "command"} if form.kind else {}),
            form.command: command,
            form.timeout: seconds * form.second,
        }
        asked = {"matcher": form.tools} if form.tools and meaning in _OF_TOOLS else {}
        if form.grouped:
            path = ("hooks", event, EACH, "hooks", EACH)
            hooks.append(Entry(path, handler, command, tuple(asked.items())))
        else:
            hooks.append(Entry(("hooks", event, EACH), {**handler, **asked}, command))
    return tuple(hooks)


def read_text(name: str) -> str:
    """Return what a file beside this one says."""
    return files("rituals.hosts.install").joinpath(name).read_text(encoding="utf-8")


#: Which opencode would write itself.
_OPENCODE = (("$schema", "https://opencode.ai/config.json"),)
_TOML_SERVER = '[mcp_servers.diurna]\ncommand = "diurna"\nargs = ["mcp"]\n'
_SERVER = {"command": "diurna", "args": ["mcp"]}
#: The skills, one for each ritual: their names, which are their folders', too.
SKILLS = tuple(
    f"diurna-{ritual}"
    for ritual in ("remember", "recall", "review", "handover", "harvest", "learn")
)


class HostFile(Record):
    """A file of a host, and what of it is ours."""

    path: str  #: below the project or the user's folder
    ours: Block | Keys | Table | Whole
    holds: str = "hook"  #: hook, server, skill or rule


def files_of(host: str, *, user: bool) -> tuple[HostFile, ...]:
    """Return the files that a host reads, the user's own or the project's, but for the ground rule."""
    program = HOSTS[host]
    folder = program.home if user else program.settings
    skills = []
    for name in SKILLS:
        path = f"skills/{name}/SKILL.md"
        text = stamped(read_text(path), "<!-- ", " -->")
        skills.append(HostFile(f"{program.skills}/{name}/SKILL.md", text, "skill"))
    return (*_settings(host, folder, user=user), *skills)


def _settings(host: str, folder: str, *, user: bool) -> tuple[HostFile, ...]:
    servers = Keys((Entry(("mcpServers", "diurna"), _SERVER),))
    if host == "opencode":
        local = {"type": "local", "command": ["diurna", "mcp"], "enabled": True}
        path = f"{folder}/opencode.json" if user else "opencode.json"
        plugin = stamped(read_text("opencode_plugin.js"), "// ")
        server = HostFile(path, Keys((Entry(("mcp", "diurna"), local),), _OPENCODE), "server")
        return HostFile(f"{folder}/plugin/diurna.js", plugin), server
    hooks, version = _hooks(host), (("version", 1),)
    match host:
        case "claude" | "gemini" | "qwen":
            path = f"{folder}/settings.json"
            settings = HostFile(path, Keys(hooks))
            if host != "claude":
                return settings, HostFile(path, servers, "server")
            # the user's servers stand in ~/.claude.json, which Claude writes all the time
            return (settings, *(() if user else (HostFile(".mcp.json", servers, "server"),)))
        case "codex":
            toml = HostFile(f"{folder}/config.toml", Table(_TOML_SERVER), "server")
            return HostFile(f"{folder}/hooks.json", Keys(hooks)), toml
        case "copilot":
            flat = Keys(hooks, version)
            if not user:
                return (HostFile(f"{folder}/diurna.json", flat),)
            typed = Entry(("mcpServers", "diurna"), {"type": "local", **_SERVER, "tools": ["*"]})
            server = HostFile(f"{folder}/mcp-config.json", Keys((typed,)), "server")
            return HostFile(f"{folder}/hooks/diurna.json", flat), server
        case _:
            server = HostFile(f"{folder}/mcp.json", servers, "server")
            return HostFile(f"{folder}/hooks.json", Keys(hooks, version)), server


def found_hosts(top: str, home: str, search_path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the hosts that this machine or this project has."""
    folders = [folder for folder in search_path if os.path.isabs(folder)]
    return tuple(
        name
        for name, host in HOSTS.items()
        if os.path.isdir(f"{home}/{host.home}")
        or (top and os.path.exists(f"{top}/{host.settings}"))
        or any(
            os.access(f"{folder}/{program}", os.X_OK)
            for folder in folders
            for program in host.programs
        )
    )
