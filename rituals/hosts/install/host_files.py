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
from rituals.hosts.install.json_text import EACH, added, parse
from rituals.hosts.install.marked_text import stamped

#: How long a host waits: far above our own limits, for a machine that is slow to start a program.
_SECONDS = 5
#: At the end of a session less: Claude allows 1.5 seconds where nothing is said, Codex 3 at most.
_END_SECONDS = 3
_OF_TOOLS = frozenset({"tool", "failure"})


class Entry(Record):
    """What is put into a JSON file."""

    path: tuple[str, ...]  #: where (`rituals.hosts.install.json_text`)
    value: object  #: what
    #: the hook's, which it is known by wherever a person moved it; "" where it is known by what it
    #: runs
    command: str = ""
    beside: tuple[tuple[str, object], ...] = ()  #: what a list's new element holds beside the value

    def is_ours(self, found: object) -> bool:
        """Tell whether a value is this, or holds its command; a host may write more keys beside ours."""
        if self.command:
            return _holds(found, self.command)
        if not (isinstance(found, dict) and isinstance(self.value, dict)):
            return False
        return all(found.get(key) == self.value.get(key) for key in ("command", "args"))


def _hooks(host: str) -> tuple[Entry, ...]:
    """Return the hooks of a host."""
    form = HOSTS[host].form or Form()
    found: list[Entry] = []
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
            found.append(Entry(path, handler, command, tuple(asked.items())))
        else:
            found.append(Entry(("hooks", event, EACH), {**handler, **asked}, command))
    return tuple(found)


def _holds(value: object, command: str) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value == command or any(_holds(one, command) for one in inner)


def read_text(name: str) -> str:
    """Return what a file beside this one says."""
    return files("rituals.hosts.install").joinpath(name).read_text(encoding="utf-8")


#: Which opencode would write itself.
_OPENCODE = (("$schema", "https://opencode.ai/config.json"),)
_TOML_SERVER = '[mcp_servers.diurna]\ncommand = "diurna"\nargs = ["mcp"]\n'
_SERVER = {"command": "diurna", "args": ["mcp"]}
_SERVER_ENTRY = Entry(("mcpServers", "diurna"), _SERVER)
#: The skills, one for each ritual: their names, which are their folders', too.
SKILLS = tuple(
    f"diurna-{ritual}"
    for ritual in ("remember", "recall", "review", "handover", "harvest", "learn")
)


class HostFile(Record):
    """A file of a host, and what of it is ours: entries, a block, or all of it."""

    path: str  #: below the project or the user's folder
    entries: tuple[Entry, ...] = ()  #: of a JSON file
    empty: tuple[tuple[str, object], ...] = ()  #: what a new JSON file has beside them
    block: str = ""  #: lines between marks, told to every agent that reads the file
    table: str = ""  #: of a TOML file
    whole: str = ""  #: all that it says, where nobody else writes to it
    holds: str = "hook"  #: hook, server, skill or rule


def files_of(host: str, *, user: bool) -> tuple[HostFile, ...]:
    """Return the files that a host reads, the user's own or the project's, but for the ground rule."""
    program = HOSTS[host]
    folder = program.home if user else program.settings
    skill = HostFile(program.skills, holds="skill")
    return (
        *_settings(host, folder, user=user),
        *[
            skill._replace(path=f"{skill.path}/{path}", whole=text)
            for path, text in skill_files().items()
        ],
    )


def _settings(host: str, folder: str, *, user: bool) -> tuple[HostFile, ...]:
    if host == "opencode":
        local = {"type": "local", "command": ["diurna", "mcp"], "enabled": True}
        path = f"{folder}/opencode.json" if user else "opencode.json"
        plugin = stamped(read_text("opencode_plugin.js"), "// ")
        server = HostFile(path, (Entry(("mcp", "diurna"), local),), _OPENCODE, holds="server")
        return HostFile(f"{folder}/plugin/diurna.js", whole=plugin), server
    settings = HostFile(f"{folder}/settings.json", _hooks(host))
    hooks = settings._replace(path=f"{folder}/hooks.json")
    server = HostFile(f"{folder}/mcp.json", (_SERVER_ENTRY,), holds="server")
    match host:
        case "claude":
            # the user's servers stand in ~/.claude.json, which Claude writes all the time
            return (settings, *(() if user else (server._replace(path=".mcp.json"),)))
        case "codex":
            toml = HostFile(f"{folder}/config.toml", table=_TOML_SERVER, holds="server")
            return hooks, toml
        case "copilot":
            flat = hooks._replace(path=f"{folder}/diurna.json", empty=(("version", 1),))
            if not user:
                return (flat,)
            typed = (_SERVER_ENTRY._replace(value={"type": "local", **_SERVER, "tools": ["*"]}),)
            flat = flat._replace(path=f"{folder}/hooks/diurna.json")
            return flat, server._replace(path=f"{folder}/mcp-config.json", entries=typed)
        case "gemini" | "qwen":
            return settings, server._replace(path=settings.path)
        case _:
            return hooks._replace(empty=(("version", 1),)), server


def skill_files() -> dict[str, str]:
    """Return what the skills say, by their paths in a folder where hosts look for such."""
    paths = [f"{name}/SKILL.md" for name in SKILLS]
    return {path: stamped(read_text(f"skills/{path}"), "<!-- ", " -->") for path in paths}


def made_json(file: HostFile) -> dict[str, object]:
    """Return the object of a JSON file that says nothing else."""
    text = "{}"
    for entry in file.entries:
        text = added(text, entry.path, entry.value, entry.beside)
    return parse(text)


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
