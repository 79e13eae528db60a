"""Serve the documents: the resources `diurna://…` and the prompt `session-start`, each quoted as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ledger.errors import NotFound, WrongUsage
from rituals.serve.mcp.arguments import Caller, read
from rituals.serve.mcp.tools import BY_NAME
from rituals.serve.mcp.wording import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory

#: Asked of the open memory; the answer is a text.
Question = Callable[["Memory"], str]
#: The client asked for what is not there.
REFUSALS = (NotFound, WrongUsage)
MARKDOWN, CONTINUITY, FACT, SESSION_START = (
    "text/markdown", "diurna://continuity", "diurna://fact/", "session-start",
)  # fmt: skip
_URI_CHARS = 200
_RECORD = (
    "When a piece of work is done, call the tool `append` once: what happened, the facts you learned, "
    "changed or found false, and those you relied on."
)


def question(uri: str) -> Question:
    """Say what a resource's address asks for.

    Raises:
        NotFound: it names no resource.
    """
    if uri == CONTINUITY:
        return lambda memory: quoted(memory.continuity())
    if uri.startswith(FACT):
        return lambda memory: quoted(_fact_text(memory, uri.removeprefix(FACT)))
    raise NotFound(f"there is no resource {uri[:_URI_CHARS]!r}", hint=f"{CONTINUITY} or {FACT}ID")


def session_start(arguments: Mapping[str, str], caller: Caller) -> Question:
    """Say what the prompt asks for: the brief, and one sentence on how to record.

    Raises:
        WrongUsage: an argument is not of its shape, or over a limit.
    """
    tool = BY_NAME["brief"]
    asked = read(tool.takes, arguments)
    return lambda memory: f"{tool.run(memory, asked, caller)['text'].rstrip()}\n\n{_RECORD}\n"


def _fact_text(memory: Memory, fact: str) -> str:
    from projection.document.page_renderer import block

    standing = memory.standing(fact)
    return block(standing.fact, standing.tier, standing.fact.kind, standing.reason)
