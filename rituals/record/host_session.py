"""Find out which host session a process belongs to: by what the host sets in its environment."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Said by the user; else set by Claude Code, Qwen Code or Gemini CLI, as was seen of them. Codex, Copilot
#: and opencode set none.
VARIABLES = (
    "DIURNA_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "QWEN_CODE_SESSION_ID",
    "GEMINI_SESSION_ID",
)
_LONGEST = 200


def host_session(environment: Mapping[str, str]) -> str:
    """Return the host session of a process, "" where nothing in its environment can be one."""
    for name in VARIABLES:
        said = environment.get(name, "").strip()
        if said and said.isprintable() and len(said) <= _LONGEST:
            return said
    return ""
