"""Tell apart the programs that run agents: how each calls its hooks, and in what form it takes an answer.

What stands here was recorded from the released programs, but for Cursor and Antigravity, which are told
from their documents.
"""

from __future__ import annotations

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: What an event of a host means here; one that means nothing here is `other`.
START, PROMPT, TOOL, FAILURE, BATCH = "start", "prompt", "tool", "failure", "batch"
PRECOMPACT, STOP, END = "precompact", "stop", "end"
BEFORE_TOOL = "before_tool"
SUBAGENT_START, SUBAGENT_STOP, TASK, OTHER = "subagent_start", "subagent_stop", "task", "other"

#: The keys under which a host takes context, outermost first; () where it takes none from a hook.
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
#: Names that are understood, and not entered anywhere: each tool of a batch has a call of its own, and
#: whether a command is held is for the person to say.
_UNDERSTOOD = {
    **_CLAUDE,
    "PostToolUseFailure": FAILURE,
    "PostToolBatch": BATCH,
    "PreToolUse": BEFORE_TOOL,
}


class Host(Record):
    """One host."""

    name: str  #: its key in `HOSTS`
    agent: str  #: under which name its agent reads and writes, where nobody chose one
    start: str  #: its own name of the event that begins a session
    keys: tuple[str, ...]  #: under which it takes context
    #: its own names of the events that it is asked to call, and what each means here
    events: Mapping[str, str]
    folder: str = ""  #: the variable that names the project; an agent's `cd` does not change it
    #: the files, in a project and in the user's folder, whose hooks are its own alone
    own: tuple[str, ...] = ()
    #: files, below a project and the user's folder: it runs the hooks of each
    beside: tuple[str, ...] = ()
    #: a start follows a compaction, which gives back what that took; else the next prompt does
    restarts: bool = True
    #: the hooks of a project run also where it is started in a folder of the project
    below: bool = True
    asks: bool = False  #: a stop that is blocked with a reason goes on with that
    #: a tool that is denied before it runs does not, and the agent reads the reason
    holds: bool = False


HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude",
            "claude-code",
            "SessionStart",
            _NESTED,
            {**_CLAUDE, "PostToolUseFailure": FAILURE, "TaskCompleted": TASK},
            "CLAUDE_PROJECT_DIR",
            below=False,
            asks=True,
            holds=True,
        ),
        Host(
            "codex",
            "codex",
            "SessionStart",
            _NESTED,
            _CLAUDE,
            beside=(".codex/hooks.json", ".claude/settings.json"),
            asks=True,
            holds=True,
        ),
        Host(
            "copilot",
            "copilot",
            "sessionStart",
            _FLAT,
            {**_CAMEL, "userPromptSubmitted": PROMPT, "agentStop": STOP},
            "COPILOT_PROJECT_DIR",
            (".github/hooks/diurna.json", ".copilot/hooks/diurna.json"),
            (".github/hooks/diurna.json", ".copilot/hooks/diurna.json"),
            restarts=False,
            asks=True,
        ),
        Host(
            "gemini",
            "gemini-cli",
            "SessionStart",
            _NESTED,
            {  # PreCompress comes before every call of the model, so it says nothing
                "SessionStart": START,
                "BeforeAgent": PROMPT,
                "AfterTool": TOOL,
                "AfterAgent": STOP,
                "SessionEnd": END,
            },
            "GEMINI_PROJECT_DIR",
            below=False,
            asks=True,
        ),
        Host(
            "qwen",
            "qwen-code",
            "SessionStart",
            _NESTED,
            {**_CLAUDE, "PostToolUseFailure": FAILURE},
            "QWEN_PROJECT_DIR",
            below=False,
            asks=True,
        ),
        Host(
            "opencode",
            "opencode",
            "experimental.chat.system.transform",
            _FLAT,
            {  # as its plugin calls them (`rituals.hosts.moments`)
                "experimental.chat.system.transform": START,
                "chat.message": PROMPT,
                "tool.execute.after": TOOL,
                "experimental.session.compacting": PRECOMPACT,
                "session.idle": STOP,
            },
        ),
        Host(
            "cursor",
            "cursor",
            "sessionStart",
            ("additional_context",),
            {**_CAMEL, "beforeSubmitPrompt": PROMPT, "stop": STOP},
        ),
        Host(
            "antigravity", "antigravity", "SessionStart", (), {"SessionStart": START, "Stop": STOP}
        ),
    )
}


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
    found: dict[str, object] = {last: text}
    for key in reversed(outer):
        found = {key: {"hookEventName": event, **found}}
    return found
