"""What is withheld of logs: the words of those that were redacted, whoever asks (FORMAT.md, F9)."""

from __future__ import annotations

from ledger.event import FactRedacted
from ledger.order import is_stem
from projection.render import REDACTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.session import SessionLog
    from memory.cache import Cache


def redacted_logs(cache: Cache) -> frozenset[str]:
    """Return the stems of the logs whose words are withheld."""
    return frozenset(
        stem
        for stem, history in cache.pending_histories("0", ":")  # a stem starts with a digit
        if is_stem(stem) and any(isinstance(act.event, FactRedacted) for act in history.acts)
    )


def without_words(log: SessionLog) -> SessionLog:
    """Return a log without its own words: its title, its prose and its remarks."""
    events = tuple([event._replace(remark="") for event in log.events])
    return log._replace(title=REDACTED, prose="", events=events)
