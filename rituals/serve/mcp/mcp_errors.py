"""Write a failure as a client reads it: what, where, and on its own line what to do."""

from __future__ import annotations

from ledger.errors import DiurnaError, HomeNotFound
from rituals.answers.failure_values import Failure
from rituals.serve.mcp.responses import whole
from rituals.serve.mcp.tool_wording import hint_in_tools, message_in_tools

_FINDINGS_SAID = 10
#: Where a failure is said to be that has no place of its own; the client knows that.
_HERE = "mcp"


class NoMemory(DiurnaError):
    """There was no home yet since the server was started.

    The one failure that tells a client a command: no tool makes a home, for that commits to the user's
    repository, and a person has to want it. So its words are said to a client as they are.
    """

    def __init__(self, problem: HomeNotFound) -> None:
        if problem.because:
            said = f"no memory here: {problem.message}"
            hint = f"for the person you work for: {problem.hint}"
        else:
            said = f"no memory here; `diurna init` makes one ({problem.message})"
            hint = "ask the person you work for first; once it is made, the next call finds it"
        super().__init__(said, hint=hint)


def told(failure: Failure) -> str:
    """Write a failure in the words of the tools, without what could not be sent or should not be."""
    from ledger.secrets.scanner import without_secrets

    if failure.code == NoMemory.__name__:
        lines = [failure.message, f"hint: {failure.hint}"]
    else:
        lines = [_at(failure.where, failure.message), *_hint(failure.hint)]
    for finding in failure.findings[1:_FINDINGS_SAID]:
        lines += [f"also: {_at(finding.where, finding.message)}", *_hint(finding.hint)]
    more = len(failure.findings) - _FINDINGS_SAID
    if more > 0:
        lines.append(f"and {more} more")
    said: str = whole(without_secrets("\n".join(lines)))
    return said


def _at(where: str, message: str) -> str:
    said = message if where in ("", _HERE) or where in message else f"{where}: {message}"
    return message_in_tools(said)


def _hint(hint: str) -> list[str]:
    return [f"hint: {hint_in_tools(hint)}"] if hint else []
