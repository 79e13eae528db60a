"""Read logs as readers may see them, and tell of what facts each one is."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.codec.log import decode
from ledger.codec.plain_text import text_of
from ledger.model.event import facts_in
from ledger.model.logset import LogRef
from ledger.model.order import is_sealed
from ledger.model.session import Entry, SessionLog
from memory.redaction.withheld_texts import ids_in, redacted_logs, shown, without_words
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.log_bytes import read_bytes
from projection.fold.fact_history import REDACTED_TEXT
from projection.fold.withholding import withheld_events


def taking_part(entry: Entry) -> set[str]:
    """Return the ids that a log names, and those that its events are about."""
    return {*entry.named, *[name for event in entry.acts for name in facts_in(event)]}


def logs_of(snapshot: Snapshot, refs: list[LogRef]) -> Iterable[tuple[LogRef, SessionLog]]:
    """Read logs, without the words of redacted ones and what any says of redacted facts."""
    if not refs:
        return
    redacted = snapshot.cache().redacted
    withheld = redacted_logs(snapshot.cache())
    contents = dict(read_bytes(snapshot.home, refs))
    for ref in refs:
        data = contents.get(ref)
        if data is not None:
            log, _ = decode(data, sealed=is_sealed(ref.stem), file=ref.path)
            if redacted and (named := ids_in(log.events)) & redacted:
                # a title may be the text of a fact, or a sentence of the prose
                kept = shown(snapshot.home, snapshot.cache(), text_of(data), named)
                said, _ = decode(kept.encode("utf-8", "surrogatepass"), sealed=False)
                log = log._replace(title=said.title or (REDACTED_TEXT if log.title else ""))
                if not is_sealed(ref.stem):
                    log = log._replace(header=said.header)
            log = log._replace(events=withheld_events(log.events, redacted))
            yield ref, without_words(log) if ref.stem in withheld else log
