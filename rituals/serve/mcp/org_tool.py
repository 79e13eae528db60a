"""Answer a recall over all ledgers of an organisation; what that needs is loaded by the first one."""

from __future__ import annotations

from ledger.errors import DiurnaError, WrongUsage
from ledger.home import WithoutPersonal
from memory.recall.recall_values import FULL, INDEX
from rituals.org.org_search import Asker, Scope, recall
from rituals.serve.mcp.responses import RecallAnswered, answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from memory.recall.recall_values import Filters
    from rituals.serve.mcp.input_schemas import RecallAsked

#: Asked by the memory's thread alone.
_ASKER = Asker()


def recall_of_org(memory: Memory, asked: RecallAsked, filters: Filters) -> RecallAnswered:
    """Search the ledgers that whom $DIURNA_ORG lets in may read, as `diurna recall --org` does.

    A hit is the line of the command's, or all of its text, and where it is found below.
    """
    if WithoutPersonal.depth:
        raise DiurnaError(
            "an organisation is not asked over HTTP: every program of this machine could",
            hint="a client that starts the server itself gets it",
        )
    if filters.within:
        raise WrongUsage("within is of one memory", hint="leave org or within out")
    scope = Scope(asked.repo, asked.team, memory.home.repository.where)
    full = asked.level == FULL
    found = recall(asked.query, filters, scope, asked.limit, asker=_ASKER, full=full)
    hits = []
    for hit in found.hits:
        link = hit.text.rpartition("\n")[2].strip()
        hits.append(hit._replace(line=f"{hit.line}\n{link}"))
    return answered(found._replace(hits=tuple(hits)), INDEX)
