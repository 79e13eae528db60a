"""Know the programs that run agents, one row each: how they call hooks, take an answer, and keep files.

What stands here was recorded from the released programs, but for Cursor, which is told from its
documents. The lines of a host's transcript are read in `rituals.hosts.transcripts.formats`.
"""

from __future__ import annotations

from ledger.model.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What an event of a host means here; one that means nothing here is `other`.
START, PROMPT, TOOL, FAILURE = "start", "prompt", "tool", "failure"
PRECOMPACT, STOP, END = "precompact", "stop", "end"
SUBAGENT_START, SUBAGENT_STOP, TASK, OTHER = "subagent_start", "subagent_stop", "task", "other"

#: The keys under which a host takes context, outermost first.
_NESTED = ("hookSpecificOutput", "additionalContext")
_FLAT = ("additionalContext",)
#: Claude's names, which others took over.
_CLAUDE = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "PostToolUse": TOOL,
    "Stop": STOP,
    "SubagentStart": SUBAGENT_START,
    "SubagentStop": SUBAGENT_STOP,
    "PreCompact": PRECOMPACT,
    "SessionEnd": END,
}
_CAMEL = {
    "sessionStart": START,
    "postToolUse": TOOL,
    "postToolUseFailure": FAILURE,
    "preCompact": PRECOMPACT,
    "subagentStart": SUBAGENT_START,
    "subagentStop": SUBAGENT_STOP,
    "sessionEnd": END,
}
#: Claude's names that are understood of every host.
_UNDERSTOOD = {**_CLAUDE, "PostToolUseFailure": FAILURE}


class Form(Record):
    """How a host has its hooks in a file."""

    #: a pattern of the tools that change something or read a file, by the host's names; "" where
    #: none is taken
    tools: str = ""
    command: str = "command"  #: the key of the command
    timeout: str = "timeout"  #: the key of the limit; "" for none
    second: int = 1  #: what a second is in its unit
    kind: bool = True  #: each hook says its type
    grouped: bool = True  #: hooks stand in groups, each with a pattern, as in Claude's settings


class Kept(Record):
    """Where a host keeps transcripts, and what their first lines say."""

    variable: str  #: of the environment that names the host's folder
    folder: str  #: under the user's, where the variable names none
    #: a pattern below it; `{name}` stands for the folder that was worked in, in Claude's spelling
    files: str
    #: the keys on the way to the session's id; none where the file is called after it
    session: tuple[str, ...]
    #: the keys on the way to the folder that was worked in, or to its digest
    worked: tuple[str, ...]


class Host(Record):
    """One host."""

    name: str  #: its key in `HOSTS`
    agent: str  #: under which name its agent reads and writes, where nobody chose one
    keys: tuple[str, ...]  #: under which it takes context
    #: its own names of the events that it is asked to call, and what each means here; a start first
    events: Mapping[str, str]
    settings: str  #: the folder of its settings, in a project
    home: str  #: the same in the user's folder
    programs: tuple[str, ...]  #: what it is called on PATH
    variable: str = ""  #: that names the project; an agent's `cd` does not change it
    form: Form | None = None  #: None where a plugin calls its hooks
    kept: Kept | None = None  #: None where no transcripts are found
    rule: str = "AGENTS.md"  #: the file that its agent reads in a project, beside AGENTS.md
    #: the folder of its skills, in a project and in the user's folder
    skills: str = ".agents/skills"
    #: the files, in a project and in the user's folder, whose hooks are its own alone
    own: tuple[str, ...] = ()
    #: files, below a project and the user's folder: it runs the hooks of each
    beside: tuple[str, ...] = ()
    ahead: str = ""  #: the event that comes before a session's start
    #: the hooks of a project run also where it is started in a folder of the project
    below: bool = True
    asks: bool = False  #: a stop that is blocked with a reason goes on with that
    deaf: tuple[str, ...] = ()  #: events whose answer does not reach the model


_COPILOT_HOOKS = (".github/hooks/diurna.json", ".copilot/hooks/diurna.json")
HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude", "claude-code", _NESTED,
            {**_CLAUDE, "PostToolUseFailure": FAILURE, "TaskCompleted": TASK},
            ".claude", ".claude", ("claude",), "CLAUDE_PROJECT_DIR",
            # Codex and Copilot run what was installed for Claude, too, so their tools stand beside its own
            Form("Bash|Edit|MultiEdit|NotebookEdit|Write|TodoWrite|TaskCreate|TaskUpdate|apply_patch|Read"),
            Kept("CLAUDE_CONFIG_DIR", ".claude", "projects/{name}*/*.jsonl", (), ("cwd",)),
            rule="CLAUDE.md", skills=".claude/skills", below=False, asks=True,
        ),
        Host(
            "codex", "codex", _NESTED, _CLAUDE, ".codex", ".codex", ("codex",), "",
            Form("Bash|apply_patch|Edit|Write|update_plan"),
            Kept("CODEX_HOME", ".codex", "*sessions/**/rollout-*.jsonl", ("payload", "id"),
                 ("payload", "cwd")),
            beside=(".codex/hooks.json", ".claude/settings.json"), asks=True,
        ),
        Host(
            "copilot", "copilot", _FLAT,
            {**_CAMEL, "userPromptSubmitted": PROMPT, "agentStop": STOP},
            ".github/hooks", ".copilot", ("copilot",), "COPILOT_PROJECT_DIR",
            Form("bash|write_bash|create|edit|str_replace_editor|apply_patch|update_todo|view",
                 "bash", "timeoutSec", grouped=False),
            Kept("COPILOT_HOME", ".copilot", "session-state/*/events.jsonl", ("data", "sessionId"),
                 ("data", "context", "cwd")),
            own=_COPILOT_HOOKS, beside=_COPILOT_HOOKS, asks=True,
        ),
        Host(
            "gemini", "gemini-cli", _NESTED,
            {  # PreCompress comes before every call of the model, so it says nothing
                "SessionStart": START, "BeforeAgent": PROMPT, "AfterTool": TOOL, "AfterAgent": STOP,
                "SessionEnd": END,
            },
            ".gemini", ".gemini", ("gemini",), "GEMINI_PROJECT_DIR",
            Form("^(run_shell_command|write_file|replace|write_todos|read_file)$", second=1000),
            Kept("GEMINI_CLI_HOME", ".gemini", "tmp/*/chats/*.jsonl", ("sessionId",), ("projectHash",)),
            rule="GEMINI.md", below=False, asks=True,
        ),
        Host(
            "qwen", "qwen-code", _NESTED, {**_CLAUDE, "PostToolUseFailure": FAILURE},
            ".qwen", ".qwen", ("qwen",), "QWEN_PROJECT_DIR",
            Form("run_shell_command|write_file|edit|notebook_edit|todo_write|read_file"),
            Kept("QWEN_HOME", ".qwen", "projects/{name}*/chats/*.jsonl", (), ("cwd",)),
            below=False, asks=True,
        ),
        Host(
            "opencode", "opencode", _FLAT,
            {  # as its plugin calls them (`rituals.hosts.host_events`)
                "experimental.chat.system.transform": START,
                "chat.message": PROMPT, "tool.execute.after": TOOL,
                "experimental.session.compacting": PRECOMPACT, "session.idle": STOP,
            },
            ".opencode", ".config/opencode", ("opencode",), ahead=PROMPT,
        ),
        Host(
            "cursor", "cursor", ("additional_context",),
            {**_CAMEL, "beforeSubmitPrompt": PROMPT, "stop": STOP},
            ".cursor", ".cursor", ("cursor-agent", "cursor"), "",
            Form("Shell|Write|Edit|Delete|Read", kind=False, grouped=False), deaf=(PROMPT,),
        ),
    )
}  # fmt: skip


def meaning(host: str, event: str) -> str:
    """Return what a host's own name of an event means here.

    `host` is the name that the hook was installed with; Claude's events are understood of every host.
    """
    return HOSTS[host].events.get(event) or _UNDERSTOOD.get(event, OTHER)


def caller(host: str, environment: Mapping[str, str], payload: Mapping[str, object]) -> Host:
    """Return the host that calls: Copilot and Codex run hooks that were installed for Claude, too.

    `host` is the name that the hook was installed with. Copilot gives a time or no transcript, which
    Claude never does; Codex names the turn, or at the start of a session the mode of permissions, beside
    the model.
    """
    if host != "claude":
        return HOSTS[host]
    if environment.get("COPILOT_CLI"):
        if "timestamp" in payload or "transcript_path" not in payload:
            return HOSTS["copilot"]
    if "model" in payload and ("turn_id" in payload or "permission_mode" in payload):
        return HOSTS["codex"]
    path = payload.get("transcript_path")
    if isinstance(path, str) and path[path.rfind("/") + 1 :].startswith("rollout-"):
        return HOSTS["codex"]  # the end of a session names neither
    return HOSTS[host]


def envelope(host: Host, event: str, text: str) -> dict[str, object]:
    """Put context into the object that a host takes; strict ones drop an object with any other key."""
    *outer, last = host.keys
    return {outer[0]: {"hookEventName": event, last: text}} if outer else {last: text}
