"""Tell apart the programs that run agents: how each calls its hooks, and in what form it takes an answer.

What stands here was recorded from the released programs, but for Cursor and Antigravity, which are told
from their documents.
"""

from __future__ import annotations

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: The keys under which a host takes context, outermost first; () where it takes none from a hook.
_NESTED = ("hookSpecificOutput", "additionalContext")
_FLAT = ("additionalContext",)


class Host(Record):
    """One host.

    Args:
        agent: under which name its agent reads and writes, where nobody chose one.
        start: its own name of the event that begins a session, "" where no hook of it does.
        keys: under which it takes context.
        folder: the variable that names the project; an agent's `cd` does not change it.
        own: the files, in a project and in the user's folder, whose hooks are its own alone.
    """

    agent: str
    start: str
    keys: tuple[str, ...]
    folder: str = ""
    own: tuple[str, ...] = ()


HOSTS = {
    "claude": Host("claude-code", "SessionStart", _NESTED, "CLAUDE_PROJECT_DIR"),
    "codex": Host("codex", "SessionStart", _NESTED),
    "copilot": Host(
        "copilot",
        "sessionStart",
        _FLAT,
        "COPILOT_PROJECT_DIR",
        (".github/hooks/diurna.json", ".copilot/hooks/diurna.json"),
    ),
    "gemini": Host("gemini-cli", "SessionStart", _NESTED, "GEMINI_PROJECT_DIR"),
    "qwen": Host("qwen-code", "SessionStart", _NESTED, "QWEN_PROJECT_DIR"),
    "opencode": Host("opencode", "experimental.chat.system.transform", _FLAT),
    "cursor": Host("cursor", "sessionStart", ("additional_context",)),
    "antigravity": Host("antigravity", "", ()),
}


def caller(host: str, environment: Mapping[str, str], payload: Mapping[str, object]) -> Host:
    """Return the host that calls: Copilot and Codex run hooks that were installed for Claude, too.

    Args:
        host: the name that the hook was installed with.
        environment: of the process.
        payload: what the host says; Claude names the transcript there, and no mode of permissions.
    """
    if host == "claude" and environment.get("COPILOT_CLI") and "transcript_path" not in payload:
        return HOSTS["copilot"]
    if host == "claude" and (
        "turn_id" in payload or {"model", "permission_mode"} <= payload.keys()
    ):
        return HOSTS["codex"]
    return HOSTS[host]


def envelope(host: Host, event: str, text: str) -> dict[str, object]:
    """Put context into the object that a host takes; strict ones drop an object with any other key."""
    *outer, last = host.keys
    found: dict[str, object] = {last: text}
    for key in reversed(outer):
        found = {key: {"hookEventName": event, **found}}
    return found
