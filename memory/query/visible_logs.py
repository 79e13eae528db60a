"""Read logs as readers may see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ledger.codec.log import decode
from ledger.home import Home
from ledger.model.log_names import LogRef, is_sealed
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import (
    LOG_LIMIT_BYTES,
    Entry,
    SessionLog,
    text_of,
)
from memory.cache.cache_file import Cache
from memory.redaction.withheld_texts import (
    ids_in,
    named_in,
    redacted_logs,
    visible_text,
    without_words,
)
from memory.replay.read_logs import read_bytes
from memory.replay.tip_snapshot import Snapshot
from projection.fold.fact_history import REDACTED_TEXT
from projection.fold.withholding import withheld_events

if TYPE_CHECKING:
    from projection.text.session_digest import Digest


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
        data = self.text.encode("utf-8", "surrogatepass")
        return decode(data, sealed=is_sealed(self.ref.stem))[0]


def visible_texts(
    home: Home, cache: Cache, logs: Sequence[tuple[LogRef, Entry]]
) -> Iterator[Visible]:
    """Yield logs with their texts, line for line as git has them; "" for one that is not there."""
    texts = {ref: readable(data) for ref, data in read_bytes(home, [ref for ref, _ in logs])}
    redacted = redacted_logs(cache)
    for ref, entry in logs:
        whole = texts.get(ref, "")
        text = visible_text(home, cache, whole, named_in(entry))
        yield Visible(ref, entry, whole, text, ref.stem in redacted)


def digest(snapshot: Snapshot, stem: str) -> Digest:
    """Return the digest of a session log, without what is withheld (FORMAT.md, F9).

    `stem` may be the start of it that no other log shares; `STEM:LINE` is read as well.

    Raises:
        NotFound: there is no such log, or several begin so.
    """
    from memory.cache.name_lookup import log_named, logs_of
    from memory.replay.reader_marks import Outdated, brought_by
    from projection.text.session_digest import Digest, Quote, gist

    def ask(cache: Cache) -> Digest:
        (visible,) = visible_texts(
            snapshot.home, cache, logs_of(cache, [log_named(cache, stem).key])
        )
        ref, entry = visible.ref, visible.entry
        if visible.withheld:
            return Digest("", REDACTED_TEXT, 0, stem=ref.stem)
        found = gist(visible.text)
        outdated, brought = Outdated(cache), [*brought_by(entry.acts), *entry.named]

        def now(said: str) -> str:
            return outdated.line(ref.key, said, brought)

        def quotes(some: tuple[Quote, ...]) -> tuple[Quote, ...]:
            return tuple([one._replace(text=now(one.text)) for one in some])

        return found._replace(
            title=now(found.title), summary=now(found.summary), points=quotes(found.points),
            actions=quotes(found.actions), decisions=quotes(found.decisions), stem=ref.stem,
        )  # fmt: skip

    return snapshot.ask(ask)


def readable(data: bytes) -> str:
    """Return the text of a log's bytes; one over the limit is not read (FORMAT.md, C5)."""
    return "" if len(data) > LOG_LIMIT_BYTES else data.decode("utf-8", "replace")


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
            kept = visible_text(snapshot.home, cache, text_of(data), named)
            told, _ = decode(kept.encode("utf-8", "surrogatepass"), sealed=False)
            title = told.title or (REDACTED_TEXT if log.title else "")
            log = log._replace(title=title, header=log.header if sealed else told.header)
        log = log._replace(events=withheld_events(log.events, redacted))
        yield ref, without_words(log) if ref.stem in withheld else log
