"""Read logs as readers may see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ledger.codec.log import decode
from ledger.codec.plain_text import text_of
from ledger.home import Home
from ledger.model.logset import LogRef
from ledger.model.order import is_sealed
from ledger.model.record import Record
from ledger.model.session import Entry, SessionLog
from memory.cache.cache_file import Cache
from memory.redaction.withheld_texts import ids_in, named_in, redacted_logs, shown, without_words
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.log_bytes import read_bytes
from projection.fold.fact_history import REDACTED_TEXT
from projection.fold.withholding import withheld_events


class Visible(Record):
    """A log as readers may see it."""

    ref: LogRef
    entry: Entry  #: what it says
    whole: str  #: its text
    text: str  #: the same without what it says of redacted facts
    withheld: bool  #: its words are not to be shown at all

    @property
    def log(self) -> SessionLog:
        """The same, read."""
        return decode(self.text.encode("utf-8", "surrogatepass"), sealed=is_sealed(self.ref.stem))[
            0
        ]


def visible_texts(
    home: Home, cache: Cache, logs: Sequence[tuple[LogRef, Entry]]
) -> Iterator[Visible]:
    """Yield logs with their texts, line for line as git has them; "" for one that is not there."""
    from memory.brief.log_digests import readable  # with all that digests: `why` does without

    texts = {ref: readable(data) for ref, data in read_bytes(home, [ref for ref, _ in logs])}
    redacted = redacted_logs(cache)
    for ref, entry in logs:
        whole = texts.get(ref, "")
        text = shown(home, cache, whole, named_in(entry))
        yield Visible(ref, entry, whole, text, ref.stem in redacted)


def logs_of(snapshot: Snapshot, refs: list[LogRef]) -> Iterable[tuple[LogRef, SessionLog]]:
    """Read logs, without the words of redacted ones and what any says of redacted facts."""
    if not refs:
        return
    cache = snapshot.cache()
    redacted, withheld = cache.redacted, redacted_logs(cache)
    contents = dict(read_bytes(snapshot.home, refs))
    for ref in filter(contents.__contains__, refs):
        data, sealed = contents[ref], is_sealed(ref.stem)
        log, _ = decode(data, sealed=sealed, file=ref.path)
        if redacted and (named := ids_in(log.events)) & redacted:
            # a title may be the text of a fact, or a sentence of the prose
            kept = shown(snapshot.home, cache, text_of(data), named)
            told, _ = decode(kept.encode("utf-8", "surrogatepass"), sealed=False)
            title = told.title or (REDACTED_TEXT if log.title else "")
            log = log._replace(title=title, header=log.header if sealed else told.header)
        log = log._replace(events=withheld_events(log.events, redacted))
        yield ref, without_words(log) if ref.stem in withheld else log
