"""Read what people say about a fact in its footer, for the review and the report."""

from __future__ import annotations

from ledger.model.session import OBSOLETE_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fold.fact_history import Fact

#: When a fact will be obsolete, why it does not fit, and whatever else is to be remembered of it.
MISFIT_KEY, NOTE_KEY = "misfit", "note"
REMARKS = (OBSOLETE_KEY, MISFIT_KEY, NOTE_KEY)


def remarks(fact: Fact) -> dict[str, str]:
    """Return the remarks in the footer of a fact, by key; none of a withheld one."""
    if fact.redacted:
        return {}
    return {key: value for key, value in fact.meta if key in REMARKS and value.strip()}
