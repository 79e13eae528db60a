"""Serve the documents: the resources `diurna://…` and the prompt `session-start`, each quoted as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ledger.errors import NotFound, WrongUsage
from ledger.model.sha256 import sha256
from rituals.record.json_request import Strict
from rituals.serve.mcp.arguments import Caller, Id, Words, read
from rituals.serve.mcp.tools import brief
from rituals.serve.mcp.wording import NOTICE

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
_URI_CHARS, _NONCE_CHARS, _TAG = 200, 16, "diurna-memory"
_RECORD = (
    "When a piece of work is done, call the tool `append` once: what happened, the facts you learned, "
    "changed or found false, and those you relied on."
)


class StartAsked(Strict):
    """The prompt `session-start`."""

    task: Words = ""


class FactAsked(Strict):
    """The resource of a fact."""

    id: Id


def question(uri: str) -> Question:
    """Say what a resource's address asks for.

    Raises:
        NotFound: it names no resource.
        WrongUsage: it holds no fact id.
    """
    if uri == CONTINUITY:
        return lambda memory: quoted(memory.continuity())
    if uri.startswith(FACT):
        fact = read(FactAsked, {"id": uri.removeprefix(FACT)}).id
        return lambda memory: quoted(_fact_text(memory, fact))
    raise NotFound(f"there is no resource {uri[:_URI_CHARS]!r}", hint=f"{CONTINUITY} or {FACT}ID")


def session_start(arguments: Mapping[str, str], caller: Caller) -> Question:
    """Say what the prompt asks for: the brief, and one sentence on how to record.

    Raises:
        WrongUsage: an argument is not of its shape, or over a limit.
    """
    task = read(StartAsked, arguments).task
    return lambda memory: f"{brief(memory, caller, task=task)['text'].rstrip()}\n\n{_RECORD}\n"


def _fact_text(memory: Memory, fact: str) -> str:
    from projection.document.page_renderer import block

    standing = memory.standing(fact)
    return block(standing.fact, standing.tier, standing.fact.kind, standing.reason)


def quoted(text: str) -> str:
    """Wrap a text as data: no text can hold the tag that ends it, which is made of its own hash."""
    nonce = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_NONCE_CHARS]
    said = f"What stands between the two tags with the nonce {nonce} is quoted. {NOTICE}"
    return f"{said}\n\n<{_TAG}-{nonce}>\n{text.rstrip()}\n</{_TAG}-{nonce}>\n"
