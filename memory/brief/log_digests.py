"""Digest session logs that git holds, without what is withheld (FORMAT.md, F9)."""

from __future__ import annotations

from ledger.codec.log import decode
from ledger.model.layout import stem_of
from ledger.model.order import is_stem
from ledger.model.session import LOG_LIMIT_BYTES
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import log_named, logs_of
from memory.redaction.withheld_texts import ids_in, named_in, redacted_logs, shown
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.read_logs import read_bytes
from memory.replay.reader_marks import Outdated, brought_by
from projection.document.page_renderer import REDACTED
from projection.text.session_digest import Digest, Quote, gist


def digest(snapshot: Snapshot, stem: str) -> Digest:
    """Return the digest of a session log.

    `stem` may be the start of it that no other log shares; `STEM:LINE` is read as well.

    Raises:
        NotFound: there is no such log, or several begin so.
    """

    def ask(cache: Cache) -> Digest:
        ref, entry = logs_of(cache, [log_named(cache, stem).key])[0]
        text = ""
        for _, data in read_bytes(snapshot.home, [ref]):
            text = readable(data)
        if ref.stem in redacted_logs(cache):
            return withheld(text)._replace(stem=ref.stem)
        kept = shown(snapshot.home, cache, text, named_in(entry))
        found = gist(kept)._replace(log_chars=len(text), stem=ref.stem)
        outdated, brought = Outdated(cache), [*brought_by(entry.acts), *entry.named]

        def now(said: str) -> str:
            return outdated.line(ref.key, said, brought)

        def quotes(some: tuple[Quote, ...]) -> tuple[Quote, ...]:
            return tuple([one._replace(text=now(one.text)) for one in some])

        return found._replace(
            title=now(found.title), summary=now(found.summary), points=quotes(found.points),
            actions=quotes(found.actions), decisions=quotes(found.decisions),
        )  # fmt: skip

    return snapshot.ask(ask)


def digest_text(snapshot: Snapshot, text: str, name: str = "") -> Digest:
    """Return the digest of a text that is not, or not yet, a log of the ledger.

    What the ledger withholds is withheld here too: the words of a log whose copy this is, going by its
    name, and the texts of redacted facts.
    """

    def ask(cache: Cache) -> Digest:
        stem = stem_of(name.replace("\\", "/"))
        if is_stem(stem) and stem in redacted_logs(cache):
            return withheld(text)
        log, _ = decode(text.encode("utf-8", "surrogatepass"), sealed=False)
        kept = shown(snapshot.home, cache, text, ids_in(log.events))
        return gist(kept)._replace(log_chars=len(text))

    return snapshot.ask(ask)


def readable(data: bytes) -> str:
    """Return the text of a log's bytes; one over the limit is not read (FORMAT.md, C5)."""
    return "" if len(data) > LOG_LIMIT_BYTES else data.decode("utf-8", "replace")


def withheld(text: str) -> Digest:
    """Return what there is to say of a log whose words are withheld."""
    return Digest("", REDACTED, 0, (), (), (), (), len(text))
