"""Plan what `diurna install` and `diurna install --remove` do to the files of hosts, then do it.

A file that nothing can be added to is named and left as it is; the others go on. Here is listed where each
host reads its hooks, its MCP servers, its skills and what an agent is told.

A hook stays the same, because Codex trusts one by a hash of it. That of a tool names the tools that change
something or read a file, so that searching costs the agent nothing. The files are committed, so each
command also ends with 0 and without a word where `diurna` is not there, or does not know the hook: in
every shell that hosts run commands by (sh, bash, dash, zsh, fish; cmd).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from importlib import resources

from ledger.environment import user_folder
from ledger.errors import WriteRefused, storage_failure
from ledger.git.repository import find_repository
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, replace_file
from rituals.hosts.adapters import HOSTS, Form
from rituals.hosts.install.json_text import EACH, Entry, Keys, Unfit
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
    return resources.files("rituals.hosts.install").joinpath(name).read_text(encoding="utf-8")


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


class Change(Record):
    """One file: its path below the base, its bytes before and after; None where there is no file."""

    file: str
    before: bytes | None
    after: bytes | None


class Left(Record):
    """A file that is left as it is: why, and what a person can do instead."""

    file: str
    why: str
    hint: str


class Plan(Record):
    """What becomes of the files below a folder."""

    base: str  #: the work tree, or the user's folder
    changes: tuple[Change, ...]  #: in the order of the files
    left: tuple[Left, ...]  #: what nothing can be done to


class _NotOurs(Unfit):
    """A place that is never written to, so nothing of ours is there."""


def plan_install(base: str, hosts: Iterable[str], *, user: bool, servers: bool) -> Plan:
    """Plan to put what hosts need, with `servers` also their MCP server, into their files."""
    files = [file for host in hosts for file in _wanted(base, host, user=user)]
    return _planned(base, [one for one in files if servers or one.holds != "server"])


def plan_removal(base: str, hosts: Iterable[str], *, user: bool) -> Plan:
    """Plan to take out what was put into the files of hosts; what another host reads, too, stays."""
    going = tuple(hosts)
    others = [host for host in installed(base, user=user) if host not in going]
    files = [file for host in others for file in _wanted(base, host, user=user)]
    staying = {file.path for file in files if file.holds in ("rule", "skill")}
    files = [file for host in going for file in reversed(_wanted(base, host, user=user))]
    return _planned(base, [one for one in files if one.path not in staying], removes=True)


def _planned(base: str, files: Iterable[HostFile], *, removes: bool = False) -> Plan:
    """Plan to change files, one change on top of the other; name those where that can not be."""
    before, after = dict[str, bytes | None](), dict[str, bytes | None]()
    left: dict[str, Left] = {}
    for file in files:
        path = file.path
        try:
            if path not in before:
                before[path] = after[path] = read(base, path)
            data = after[path]
            if not removes:
                data = file.ours.put_into(data)
            elif data is not None and b"diurna" in data:  # else it need not be what it should be
                data = file.ours.taken_out_of(data)
            full = f"{base}/{path}"
            if data != after[path] and os.path.exists(full) and not os.stat(full).st_mode & 0o222:
                raise Unfit("is read-only")
            after[path] = data
        except Unfit as problem:
            if removes and isinstance(problem, _NotOurs):
                continue
            if isinstance(file.ours, Whole):
                hint = "once it has another name, `diurna install` writes its own"
            elif removes:
                hint = "what is Diurna's in it can be taken out by hand"
            else:
                hint = f"to be added by hand: {file.ours.by_hand}"
            left.setdefault(path, Left(path, str(problem), f"it is left as it is; {hint}"))
    changes = [Change(path, data, after[path]) for path, data in before.items()]
    changed = tuple([one for one in changes if one.before != one.after])
    return Plan(base, changed, tuple(left.values()))


def _wanted(base: str, host: str, *, user: bool) -> tuple[HostFile, ...]:
    """Return the files of a host with the rule, which is for projects: a user's would hold everywhere."""
    if user:
        return files_of(host, user=True)
    rule = HostFile(rule_file(base, host), Block(read_text("ground_rule.txt")), "rule")
    return (*files_of(host, user=False), rule)


def installed(base: str, *, user: bool) -> tuple[str, ...]:
    """Return the hosts whose files call Diurna.

    `base` is `base_folder`; `user` takes the user's files, not the project's.
    """
    found: dict[str, None] = {}
    for host in HOSTS:
        for file in [one for one in files_of(host, user=user) if one.holds == "hook"]:
            with suppress(Unfit):
                data = read(base, file.path)
                found |= {host: None} if data is not None and file.ours.is_in(data) else {}
    return tuple(found)


def apply_plan(plan: Plan, *, user: bool) -> None:
    """Write the files as planned.

    Raises:
        WriteRefused: one changed since it was read.
        StorageFailed: the disk refused.
    """
    kept = {host.home for host in HOSTS.values()} if user else set[str]()
    for change in plan.changes:
        path = os.path.realpath(f"{plan.base}/{change.file}")
        try:
            same = read(plan.base, change.file) == change.before
        except Unfit:
            same = False
        if not same:
            raise WriteRefused(f"{change.file} changed meanwhile", hint="run the command again")
        if change.after is None:
            _take_away(plan.base, change.file, kept)
            continue
        make_folder(os.path.dirname(path), 0o755)
        if change.before is None:
            replace_file(path, change.after, durable=True)
            continue
        mode = os.stat(path).st_mode & 0o7777
        replace_file(path, change.after, mode, durable=True)
        os.chmod(path, mode)  # whatever the umask took away


def base_folder(start: str, *, user: bool) -> str:
    """Return the folder that files are looked for in: the work tree, or the user's own.

    Raises:
        WriteRefused: there is no work tree.
    """
    if user:
        return user_folder()
    repository = find_repository(start, fit=False)
    if repository is None or not repository.top:
        raise WriteRefused(
            f"{start} lies in no work tree of git",
            hint="run it in a project, or with --user for all projects of yours",
        )
    return repository.top


def rule_file(base: str, host: str) -> str:
    """Return which file a host's agent reads in a project: AGENTS.md, unless it reads another one only."""
    name = HOSTS[host].rule
    if os.path.realpath(f"{base}/{name}") == os.path.realpath(f"{base}/AGENTS.md"):
        return "AGENTS.md"
    try:
        said = read(base, name)
        more = read(base, ".gemini/settings.json") if host == "gemini" else None
    except Unfit:
        return name
    if host == "claude":  # reads AGENTS.md where there is no file of its own, or this names it
        return "AGENTS.md" if said is None or b"@AGENTS.md" in said else name
    return "AGENTS.md" if b"AGENTS.md" in (more or b"") + (said or b"") else name


def read(base: str, path: str) -> bytes | None:
    """Return a file's bytes; None where there is none.

    Raises:
        Unfit: it is no file of this folder that can be read.
    """
    full, real = f"{base}/{path}", os.path.realpath(f"{base}/{path}")
    if not real.startswith(os.path.realpath(base) + "/"):
        raise _NotOurs("lies elsewhere, by a link")
    if os.path.islink(full) and not os.path.exists(full):
        raise _NotOurs("is a link to nothing")
    try:
        if os.path.lexists(real) and not os.path.isfile(real):
            raise _NotOurs("is no ordinary file")
        with open(real, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise Unfit(f"can not be read ({problem.strerror})") from None


def _take_away(base: str, path: str, kept: set[str]) -> None:
    """Take away a file that was made by us, and folders that are empty without it, below the base."""
    try:
        os.unlink(f"{base}/{path}")
    except OSError as problem:
        raise storage_failure(problem, path) from problem
    folder = os.path.dirname(path)
    while folder and folder not in kept:
        try:
            os.rmdir(f"{base}/{folder}")
        except OSError:
            return  # something else is in it
        folder = os.path.dirname(folder)
