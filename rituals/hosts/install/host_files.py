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
from rituals.hosts.install.json_text import EACH
from rituals.hosts.install.marked_text import Block, stamped

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

    @property
    def element(self) -> object:
        """What stands in the first list of the path."""
        value = self.value
        for key in reversed(self.path[self.path.index(EACH) + 1 :]):
            value = [value] if key == EACH else {**dict(self.beside), key: value}
        return value


def entries(host: str, before: tuple[str, ...] = ("hooks",)) -> tuple[Entry, ...]:
    """Return the hooks of a host; its events stand under the keys `before`."""
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
        matcher = form.tools if meaning in _OF_TOOLS else ""
        asked = {"matcher": matcher} if matcher else {}
        path = (*before, event, EACH)
        if form.grouped:
            path, value, beside = (*path, "hooks", EACH), handler, tuple(asked.items())
        else:
            value, beside = {**handler, **asked}, ()
        found.append(Entry(path, value, command, beside))
    return tuple(found)


def merged(found: tuple[Entry, ...]) -> dict[str, object]:
    """Return entries as the object of a file that has nothing else."""
    made: dict[str, object] = {}
    for entry in found:
        inner: dict[str, object] = made
        listed = EACH in entry.path
        *outer, last = entry.path[: entry.path.index(EACH)] if listed else entry.path
        for key in outer:
            member = inner.setdefault(key, {})
            assert isinstance(member, dict)
            inner = member
        inner[last] = [entry.element] if listed else entry.value
    return made


def _holds(value: object, command: str) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value == command or any(_holds(one, command) for one in inner)


def read_text(name: str) -> str:
    """Return what a file beside this one says."""
    return files("rituals.hosts.install").joinpath(name).read_text(encoding="utf-8")


#: Told to every agent that reads the file.
GROUND_RULE = Block("<!-- ", " -->", read_text("ground_rule.txt"))
#: Which opencode would write itself.
_OPENCODE = (("$schema", "https://opencode.ai/config.json"),)
_TOML_SERVER = Block("# ", "", '[mcp_servers.diurna]\ncommand = "diurna"\nargs = ["mcp"]\n')
SERVER = {"command": "diurna", "args": ["mcp"]}
_SERVER_ENTRY = Entry(("mcpServers", "diurna"), SERVER)
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
    block: Block | None = None  #: of a file of lines
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
    if host == "antigravity":  # which has hooks under a name; no file of servers is known
        return (HostFile(f"{folder}/hooks.json", entries(host, before=("diurna",))),)
    settings = HostFile(f"{folder}/settings.json", entries(host))
    hooks = settings._replace(path=f"{folder}/hooks.json")
    server = HostFile(f"{folder}/mcp.json", (_SERVER_ENTRY,), holds="server")
    match host:
        case "claude":
            # the user's servers stand in ~/.claude.json, which Claude writes all the time
            return (settings, *(() if user else (server._replace(path=".mcp.json"),)))
        case "codex":
            toml = HostFile(f"{folder}/config.toml", block=_TOML_SERVER, holds="server")
            return hooks, toml
        case "copilot":
            flat = hooks._replace(path=f"{folder}/diurna.json", empty=(("version", 1),))
            if not user:
                return (flat,)
            typed = (_SERVER_ENTRY._replace(value={"type": "local", **SERVER, "tools": ["*"]}),)
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


def by_hand(file: HostFile) -> str:
    """Return what a person would add to a file."""
    import json

    if file.block:
        return " / ".join(file.block.text.splitlines())
    return json.dumps(merged(file.entries))


def found_hosts(top: str, home: str, search_path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the hosts that this machine or this project has."""
    folders = [folder for folder in search_path if os.path.isabs(folder)]
    return tuple(
        name
        for name, host in HOSTS.items()
        if os.path.isdir(f"{home}/{host.home}")
        or (top and os.path.exists(f"{top}/{host.sign or host.settings}"))
        or any(
            os.access(f"{folder}/{program}", os.X_OK)
            for folder in folders
            for program in host.programs
        )
    )


NAME = "diurna"
#: The folder of the portable plugin.
PORTABLE = "agent-plugins/diurna"
#: The hosts that load the folder of Claude's format, with its hooks.
LOADING = ("claude", "codex", "copilot")
_SAID = "Memory for coding agents, kept in git: every session starts with what holds."
_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"


def plugin_files() -> tuple[HostFile, ...]:
    """Return the files of the plugin: in Claude's format, and by Agent Plugins 1.0.0.

    The portable format has skills and servers alone. It has a folder of its own: where both manifests
    stand in one, Copilot takes the portable one and runs no hook.
    """
    import json
    from importlib.metadata import version

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
    files = [(path, json.dumps(one, indent=2) + "\n") for path, one in found.items()]
    for top in ("", f"{PORTABLE}/"):
        files += [(f"{top}skills/{path}", text) for path, text in skill_files().items()]
    files.append(("README.md", read_text("plugin_readme.txt")))
    return tuple([HostFile(path, whole=text) for path, text in files])
