"""Digests of session logs: the gist of what git holds, without what is withheld (FORMAT.md, F9)."""

from __future__ import annotations

from ledger.codec import decode
from ledger.event import Event, FactCreated, FactUpdated
from ledger.layout import stem_of
from ledger.order import is_stem
from ledger.session import LOG_LIMIT_BYTES
from memory.reading import read_bytes
from memory.withheld import redacted_logs
from memory.within import log_named, logs_of
from projection.gist import Digest, gist
from projection.render import REDACTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.cache import Cache
    from memory.snapshot import Snapshot

#: A line of a withheld text that has fewer characters is only withheld where it is a whole line.
_TELLING_CHARS = 12


def digest(snapshot: Snapshot, stem: str) -> Digest:
    """Return the digest of a session log.

    Args:
        snapshot: of the home.
        stem: of the log, or the start of it that no other log shares; `STEM:LINE` is read as well.

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
        kept = shown(cache, text, entry.acts)
        return gist(kept)._replace(log_chars=len(text), stem=ref.stem)

    return snapshot.ask(ask)


def digest_text(snapshot: Snapshot, text: str, name: str = "") -> Digest:
    """Return the digest of a text that is not, or not yet, a log of the ledger.

    What the ledger withholds is withheld here too: the words of a log whose copy this is, going by its
    name, and the texts of redacted facts.

    Args:
        snapshot: of the home.
        text: a log, or any other text.
        name: of the file that it stands in.
    """

    def ask(cache: Cache) -> Digest:
        stem = stem_of(name.replace("\\", "/"))
        if is_stem(stem) and stem in redacted_logs(cache):
            return withheld(text)
        log, _ = decode(text.encode("utf-8", "surrogatepass"), sealed=False)
        return gist(shown(cache, text, log.events))._replace(log_chars=len(text))

    return snapshot.ask(ask)


def readable(data: bytes) -> str:
    """Return the text of a log's bytes; one over the limit is not read (FORMAT.md, C5)."""
    return "" if len(data) > LOG_LIMIT_BYTES else data.decode("utf-8", "replace")


def withheld(text: str) -> Digest:
    """Return what there is to say of a log whose words are withheld."""
    return Digest("", REDACTED, 0, (), (), (), (), len(text))


def shown(cache: Cache, text: str, events: Iterable[Event]) -> str:
    """Return a log's text without the lines that are texts of redacted facts, wherever it repeats them.

    Args:
        cache: of the commit.
        text: of the log.
        events: what it says of facts.
    """
    brought = {event.id for event in events if isinstance(event, FactCreated | FactUpdated)}
    gone = {fact for fact in brought if (known := cache.fact(fact)) is not None and known.redacted}
    if not gone:
        return text
    texts = [
        act.event.text
        for history in cache.some_histories(sorted(gone)).values()
        for act in history.acts
        if isinstance(act.event, FactCreated | FactUpdated) and act.event.text
    ]
    return without_lines(text, texts)


def without_lines(text: str, texts: Iterable[str]) -> str:
    """Return a text with every line emptied that holds a line of one of some texts."""
    lines = {line.strip() for one in texts for line in one.split("\n")} - {""}
    telling = [line for line in sorted(lines) if len(line) >= _TELLING_CHARS]
    kept: list[str] = []
    for line in text.split("\n"):
        bare = line.strip().removeprefix("- ")
        bare = bare[4:] if bare[:4] in ("[ ] ", "[x] ", "[X] ") else bare
        gone = bare in lines or any(one in line for one in telling)
        kept.append("" if gone else line)
    return "\n".join(kept)
