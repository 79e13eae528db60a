"""Say of what ends a new fact that it is true already, or that nobody will see it (FORMAT.md, U2, U3)."""

from __future__ import annotations

from ledger.git.repository import is_shallow
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.findings import Finding
from ledger.model.session import CHECK_KEY, UNTIL_KEY
from memory.cache.broken_truth_file import has_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.home import Home
    from ledger.model.session import SessionLog
    from projection.text.until_conditions import Until


def ends_told(home: Home, log: SessionLog) -> Iterator[Finding]:
    """Yield what the writers of new facts do not expect of their ends."""
    for event in log.events:
        meta = event.meta if isinstance(event, FactCreated | FactUpdated) else ()
        said = dict(meta)
        if not (UNTIL_KEY in said or CHECK_KEY in said):
            continue
        from projection.text.until_conditions import DATE, check_of, until_in

        words = (said.get(UNTIL_KEY, ""), check_of(meta))
        for until in filter(None, map(until_in, filter(None, words))):
            if until.form != DATE:
                yield from _told(home, event.id, until)


def _told(home: Home, fact: str, until: Until) -> Iterator[Finding]:
    from memory.cache.ended_facts import is_true_now

    repository = home.repository
    if not has_code(home) or repository.promisor or is_shallow(repository):
        message = f"{fact}: this home knows too little of commits to see when {until.said}"
        yield Finding("until-unseen", message, hint="a day, `date YYYY-MM-DD`, is seen anywhere")
    elif is_true_now(until, repository.top):
        message = f"{fact}: {until.said} is {'not so' if until.checks else 'true already'}"
        yield Finding("until-unseen", message, hint="it is seen once that was otherwise in between")
