"""Play a session of a host through the hook, in this process, and return what it is told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from rituals.hosts import hook_answer, session_start

#: The keys under which hosts take context.
_KEYS = ("hookSpecificOutput", "additionalContext")
Sessions = Callable[..., "ToldSession"]


class ToldSession:
    """A session of a host in a folder; what a hook leaves to another process is done before it ends.

    Args:
        folder: where it works.
        patch: of the hook.
        host: key of `HOSTS`.
        session: the host's id.
    """

    def __init__(
        self, folder: str, patch: pytest.MonkeyPatch, host: str = "claude", session: str = "told-1"
    ) -> None:
        self._folder, self._patch, self.host, self.session = folder, patch, host, session
        patch.setattr(session_start, "_apart", lambda doing: doing())
        for limit in ("START_SECONDS", "OTHER_SECONDS"):
            patch.setattr(hook_answer, limit, 60)

    def start(self, source: str = "startup") -> str:
        """Begin, or go on."""
        return self.call("SessionStart", source=source)

    def prompt(self, text: str) -> str:
        """Type a prompt."""
        return self.call("UserPromptSubmit", prompt=text)

    def run(self, command: str, *, event: str = "PostToolUse") -> str:
        """Run a line of shell."""
        return self.tool("Bash", event=event, command=command)

    def tool(self, name: str, *, event: str = "PostToolUse", **given: object) -> str:
        """Use a tool."""
        return self.call(event, tool_name=name, tool_input=given, tool_response={"stdout": ""})

    def call(self, event: str, **said: object) -> str:
        """Call a hook; return what the agent is told, "" for nothing."""
        return context_in(self.answer(event, **said))

    def answer(self, event: str, **said: object) -> dict[str, Any]:
        """Call a hook; return its answer."""
        payload = {
            "session_id": self.session,
            "cwd": self._folder,
            "hook_event_name": event,
            **said,
        }
        data = json.dumps(payload).encode("utf-8", "surrogatepass")
        self._patch.setattr(hook_answer, "_read", lambda: data)
        call = hook_answer.Call(self.host, event, {**os.environ})
        answer = call.answer()
        call.was_heard()
        call.follow_up()
        found: dict[str, Any] = json.loads(answer)
        return found


def unbriefed(folder: str, patch: pytest.MonkeyPatch) -> Sessions:
    """Return what makes sessions in a folder, whose brief shows them no fact."""
    patch.delenv("DIURNA_AGENT")
    patch.setattr(session_start, "_brief", lambda *_: "A brief of nothing.")

    def made(host: str = "claude", session: str = "told-1") -> ToldSession:
        return ToldSession(folder, patch, host, session)

    return made


def context_in(answer: Any) -> str:
    """Return the context that an answer hands over, "" for none."""
    for key in _KEYS:
        if isinstance(answer, dict) and key in answer:
            answer = answer[key]
    return answer if isinstance(answer, str) else ""
