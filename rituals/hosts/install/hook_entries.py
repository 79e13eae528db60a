"""Write down the hooks of a host in its own form: one for each event that it is asked to call.

What stands here stays the same, because Codex trusts a hook by a hash of it. A hook of a tool names the
tools that change something or read a file, so that searching costs the agent nothing.

The files are committed, so each command also ends with 0 and without a word where `diurna` is not there,
or does not know the hook: in every shell that hosts run commands by (sh, bash, dash, zsh, fish; cmd).
"""

from __future__ import annotations

from ledger.model.record import Record
from rituals.hosts.adapters import HOSTS
from rituals.hosts.install.json_text import EACH

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
    older: str = ""  #: the command as releases of before wrote it: it is ours, too
    beside: tuple[tuple[str, object], ...] = ()  #: what a list's new element holds beside the value
    #: what releases of before put into the first list of the path: that may be replaced
    former: object = None

    def is_ours(self, found: object) -> bool:
        """Tell whether a value is this, or holds its command; a host may write more keys beside ours."""
        if self.command:
            return _holds(found, self.command) or self.is_older(found)
        if not (isinstance(found, dict) and isinstance(self.value, dict)):
            return False
        return all(found.get(key) == self.value.get(key) for key in ("command", "args"))

    def is_current(self, found: object) -> bool:
        """Tell whether a value holds the command as it is written now."""
        return bool(self.command) and _holds(found, self.command)

    def is_older(self, found: object) -> bool:
        """Tell whether a value holds the command as releases of before wrote it."""
        return bool(self.older) and _holds(found, self.older)

    def is_former(self, found: object) -> bool:
        """Tell whether a value is what a release of before put there, and nobody changed."""
        return self.former is not None and found == self.former

    @property
    def element(self) -> object:
        """What stands in the first list of the path."""
        value = self.value
        for key in reversed(self.path[self.path.index(EACH) + 1 :]):
            value = [value] if key == EACH else {**dict(self.beside), key: value}
        return value


class Form(Record):
    """How a host has its hooks."""

    #: a pattern of the tools that change something or read a file, by the host's names; "" where
    #: none is taken
    tools: str
    reads: str = ""  #: what of it releases of before did not have
    command: str = "command"  #: the key of the command
    timeout: str = "timeout"  #: the key of the limit; "" for none
    second: int = 1  #: what a second is in its unit
    kind: bool = True  #: each hook says its type
    grouped: bool = True  #: hooks stand in groups, each with a pattern, as in Claude's settings


#: Codex and Copilot run what was installed for Claude, too, so their tools stand beside Claude's.
_CLAUDE_TOOLS = (
    "Bash|Edit|MultiEdit|NotebookEdit|Write|TodoWrite|TaskCreate|TaskUpdate|apply_patch|Read"
)
FORMS = {
    "claude": Form(_CLAUDE_TOOLS, "|Read"),
    "codex": Form("Bash|apply_patch|Edit|Write|update_plan"),
    "copilot": Form(
        "bash|write_bash|create|edit|str_replace_editor|apply_patch|update_todo|view",
        "|view",
        "bash",
        "timeoutSec",
        grouped=False,
    ),
    "gemini": Form(
        "^(run_shell_command|write_file|replace|write_todos|read_file)$", "|read_file", second=1000
    ),
    "qwen": Form(
        "run_shell_command|write_file|edit|notebook_edit|todo_write|read_file", "|read_file"
    ),
    "cursor": Form("Shell|Write|Edit|Delete|Read", "|Read", kind=False, grouped=False),
    "antigravity": Form("", grouped=False),
}


def entries(host: str, before: tuple[str, ...] = ("hooks",)) -> tuple[Entry, ...]:
    """Return the hooks of a host, a key of `FORMS`; its events stand under the keys `before`."""
    form, starts = FORMS[host], HOSTS[host].start
    found: list[Entry] = []
    for event, meaning in HOSTS[host].events.items():
        older = f"diurna hook {host} {event}"
        command = f"command -v diurna >/dev/null 2>&1 && {older} 2>/dev/null || exit 0"
        bare = {**({"type": "command"} if form.kind else {}), form.command: command}
        matcher = form.tools if meaning in _OF_TOOLS else ""
        seconds = _END_SECONDS if meaning == "end" else _SECONDS
        handler = {**bare, form.timeout: seconds * form.second}
        asked = {"matcher": matcher} if matcher else {}
        path = (*before, event, EACH)
        # once there was a hook of the start alone, without a limit; and none for tools that read
        first = event == starts and host != "antigravity"
        then = {"matcher": matcher.replace(form.reads, "")} if matcher and form.reads else {}
        if form.grouped:
            group: object = {"hooks": [{**bare, form.command: older}]} if first else None
            group = {**then, "hooks": [handler]} if then else group
            beside = tuple(asked.items())
            found.append(Entry((*path, "hooks", EACH), handler, command, older, beside, group))
        else:
            listed: object = {**bare, form.command: older} if first else None
            listed = {**handler, **then} if then else listed
            found.append(Entry(path, {**handler, **asked}, command, older, former=listed))
    return tuple(found)


def merged(found: tuple[Entry, ...]) -> dict[str, object]:
    """Return entries as the object of a file that has nothing else."""
    made: dict[str, object] = {}
    for entry in found:
        _merge(made, entry)
    return made


def _merge(made: dict[str, object], entry: Entry) -> None:
    inner: dict[str, object] = made
    listed = EACH in entry.path
    *outer, last = entry.path[: entry.path.index(EACH)] if listed else entry.path
    for key in outer:
        there = inner.setdefault(key, {})
        assert isinstance(there, dict)
        inner = there
    inner[last] = [entry.element] if listed else entry.value


def _holds(value: object, command: str) -> bool:
    if isinstance(value, dict):
        return any(_holds(one, command) for one in value.values())
    if isinstance(value, list):
        return any(_holds(one, command) for one in value)
    return value == command
