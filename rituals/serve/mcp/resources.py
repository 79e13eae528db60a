"""Serve the documents: the resources `diurna://…` and the prompt `session-start`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ledger.errors import NotFound, WrongUsage
from ledger.model.sha256 import sha256
from rituals.serve.mcp import input_schemas as asked
from rituals.serve.mcp.client_name import Caller
from rituals.serve.mcp.read_tools import brief
from rituals.serve.mcp.responses import NOTICE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory

#: Asked of the open memory; the answer is a text.
Question = Callable[["Memory"], str]
#: The client asked for what is not there.
REFUSALS = (NotFound, WrongUsage)

MARKDOWN = "text/markdown"
CONTINUITY = "diurna://continuity"
FACT = "diurna://fact/"
SESSION_START = "session-start"
_URI_CHARS = 200
_NONCE_CHARS = 16
_TAG = "diurna-memory"
_RECORD = (
    "When a piece of work is done, call the tool `append` once: what happened, the facts you learned, "
    "changed or found false, and those you relied on."
)


def question(uri: str) -> Question:
    """Say what a resource's address asks for.

    Raises:
        NotFound: it names no resource.
        WrongUsage: it holds no fact id.
    """
    if uri == CONTINUITY:
        return continuity
    if uri.startswith(FACT):
        fact = asked.read(asked.FactAsked, {"id": uri.removeprefix(FACT)}).id
        return lambda memory: fact_text(memory, fact)
    raise NotFound(f"there is no resource {uri[:_URI_CHARS]!r}", hint=f"{CONTINUITY} or {FACT}ID")


def session_start(arguments: Mapping[str, str], caller: Caller) -> Question:
    """Say what the prompt `session-start` asks for: the brief, and one sentence on how to record.

    Raises:
        WrongUsage: an argument is not of its shape, or over a limit.
    """
    request = asked.read(asked.StartAsked, arguments)

    def answer(memory: Memory) -> str:
        found = brief(memory, asked.BriefAsked(task=request.task), caller)
        return f"{found.text.rstrip()}\n\n{_RECORD}\n"

    return answer


def continuity(memory: Memory) -> str:
    """Return the replayed `continuity.md`."""
    return quoted(memory.continuity())


def fact_text(memory: Memory, fact: str) -> str:
    """Return one fact as `continuity.md` or the archive have it.

    Raises:
        NotFound: there is no such fact.
    """
    from projection.document.page_renderer import block

    standing = memory.standing(fact)
    return quoted(block(standing.fact, standing.tier, standing.fact.kind, standing.reason))


def quoted(text: str) -> str:
    """Wrap a text as data: no text can hold the tag that ends it, which is made of its own hash."""
    nonce = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_NONCE_CHARS]
    said = f"What stands between the two tags with the nonce {nonce} is quoted. {NOTICE}"
    return f"{said}\n\n<{_TAG}-{nonce}>\n{text.rstrip()}\n</{_TAG}-{nonce}>\n"
