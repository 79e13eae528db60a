"""Say of what ends a new fact that it is true already, or that nobody will see it (FORMAT.md, U2, U3)."""

from __future__ import annotations

from ledger.git.repository import is_shallow
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.findings import Finding
from ledger.model.session import UNTIL_KEY
from memory.cache.truth_file import has_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.home import Home
    from ledger.model.session import SessionLog


def ends_told(home: Home, log: SessionLog) -> Iterator[Finding]:
    """Yield what the writers of new facts do not expect of their ends."""
    for event in log.events:
        said = dict(event.meta) if isinstance(event, FactCreated | FactUpdated) else {}
        if UNTIL_KEY not in said:
            continue
        from memory.cache.ended import is_true_now
        from projection.text.until import DATE, until_in

        until = until_in(said[UNTIL_KEY])
        if until is None or until.form == DATE:
            continue
        repository = home.repository
        if not has_code(home) or repository.promisor or is_shallow(repository):
            message = f"{event.id}: this home knows too little of commits to see when {until.said}"
            yield Finding(
                "until-unseen", message, hint="a day, `date YYYY-MM-DD`, is seen anywhere"
            )
        elif is_true_now(until, home.repository.top):
            message = f"{event.id}: {until.said} is true already"
            yield Finding(
                "until-unseen", message, hint="the fact ends once that was false in between"
            )
