"""Answer a recall over all ledgers of an organisation; what that needs is loaded by the first one."""

from __future__ import annotations

from ledger.errors import WrongUsage
from rituals.org.org_recall import OrgReader, Scope, recall
from rituals.serve.mcp.responses import RecallAnswered, answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from memory.recall.recall_values import Filters
    from rituals.serve.mcp.input_schemas import RecallAsked

#: Asked by the memory's thread alone.
_READER = OrgReader()


def recall_of_org(memory: Memory, asked: RecallAsked, filters: Filters) -> RecallAnswered:
    """Search the ledgers that the person of $DIURNA_ORG_TOKEN may read, as `diurna recall --org` does.

    A hit is the line of the command's, and where it is found below.

    Raises:
        DiurnaError: the database can not be asked, or not for that.
    """
    if filters.within:
        raise WrongUsage("within is of one memory", hint="leave org or within out")
    scope = Scope(asked.repo, asked.team, memory.home.repository.where)
    found = recall(asked.query, filters, scope, asked.limit, reader=_READER)
    hits = []
    for hit in found.hits:
        _, below, link = hit.text.partition("\n")
        hits.append(hit._replace(line=f"{hit.line}{below}{link.strip()}"))
    return answered(found._replace(hits=tuple(hits)), "index")
