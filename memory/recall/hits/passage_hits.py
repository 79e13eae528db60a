"""Make hits of passages, from the lines of logs and documents that they stand in."""

from __future__ import annotations

from ledger.codec.plain_text import text_of
from ledger.environment import now_ms
from ledger.model.logset import LogRef
from ledger.model.order import NO_DAY, day_seen
from memory.recall.hits.snippets import (
    LINE_CHARS,
    heading_of,
    one_line,
    section_of,
    title_of,
    titled,
)
from memory.recall.index.rows import LogRow
from memory.recall.recall_values import (
    DOCUMENT_KIND,
    FULL,
    SESSION_KIND,
    TIMELINE,
    Hit,
    Part,
    tokens_of,
)
from projection.document.fact_remarks import PLAIN, Mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ledger.git.pygit2_store import Store
    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.search import Scored

#: The number of readings from which a library that reads packs pays for its start.
_LIBRARY_FROM = 3
_TEXTS_KEPT = 500


def passage_hit(
    log: LogRow,
    lines: list[str],
    place: int,
    level: str,
    words: Sequence[str],
    mark: Mark = PLAIN,
    chars: int = LINE_CHARS,
) -> Hit | None:
    """Return the hit of a passage, None where the lines are too few: they were lost since it was indexed.

    `log` may be a document; `words` are those that it was found by; `mark` is what of it does not hold
    any more; `chars` is what its line may take.
    """
    kind = SESSION_KIND if log.day else DOCUMENT_KIND
    day = day_seen(log.day, now_ms())
    number = log.pieces[place].line
    if number > len(lines):
        return None
    text = passage_text(log, lines, place)
    below = number + _headings_before(text)
    if kind != SESSION_KIND:
        number = below
    heading = heading_of(lines, number)
    title = title_of(lines)
    if day and day in title:  # other tools' titles are the time, which the hit says already
        title = ""
    line = titled(title, heading, text, words, chars)
    if mark.said:
        line = one_line(f"{mark.whole}: {line}", chars)
    id = f"{log.stem}:{number}"
    _, section = section_of(lines, below)
    about = "  ".join([one for one in (day, log.agent) if one])
    if level == FULL:
        shown = f"{mark.whole}:\n{section}" if mark.said else section
    elif level == TIMELINE:
        around = [
            ("> " if other == place else "  ") + one_line(passage_text(log, lines, other), 200)
            for other in range(max(0, place - 2), min(len(log.pieces), place + 3))
        ]
        shown = "\n".join(
            ["  ".join([one for one in (id, about, heading, mark.whole) if one]), *around]
        )
    elif kind == SESSION_KIND:
        shown = f"{id}  {kind}  {day or NO_DAY}  {line}  ({log.agent or 'nobody named'})"
    else:
        shown = f"{id}  {kind}  {line}"
    stem = log.stem if kind == SESSION_KIND else ""
    return Hit(
        id, kind, "", day, stem, log.agent, 0.0, line, shown,
        tokens_of(shown), tokens_of(f"{mark.whole}{section}"), mark=mark, title=title,
    )  # fmt: skip


def _headings_before(text: str) -> int:
    """Return how many lines of a passage stand before the last of the headings that it begins with."""
    found = 0
    for number, line in enumerate(text.split("\n")):
        if line[:1] == "#":
            found = number
        elif line.strip():
            break
    return found


def passage_text(log: LogRow, lines: list[str], place: int) -> str:
    """Return a passage from the lines that it stands in."""
    piece = log.pieces[place]
    end = next((one.line for one in log.pieces[place + 1 :] if one.line > piece.line), len(lines))
    text = "\n".join(lines[piece.line - 1 : end])
    return text[piece.skip : piece.skip + piece.chars].strip()


def with_score(hit: Hit, scored: Scored, explain: bool, weight: float = 1.0) -> Hit:
    """Return a hit with its score and, where an explanation is asked for, the parts of it."""
    parts = [
        Part(name, round(value, 4), ", ".join(scored.words) if name == "words" else "")
        for name, value in (scored.parts if explain else ())
    ]
    return hit._replace(score=round(scored.score * weight, 4), parts=tuple(parts))


class LogTexts:
    """The lines of the logs of one home; what is withheld of them is left out.

    Args:
        home: where the logs are.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lines: dict[str, list[str]] = {}
        self._redacted: frozenset[str] = frozenset()
        self._store: Store | None = None
        self._readings = 0

    def lines(self, log: LogRow, cache: Cache) -> list[str]:
        """Return the lines of a log as it was written."""
        if log.blob not in self._lines or cache.redacted != self._redacted:
            self.fetch([log], cache)
        return self._lines[log.blob]

    def fetch(self, logs: Iterable[LogRow], cache: Cache) -> None:
        """Read logs, as far as they were not read yet, all at once."""
        if len(self._lines) >= _TEXTS_KEPT or cache.redacted != self._redacted:
            self._lines.clear()
            self._redacted = cache.redacted
        missing = {log.blob: LogRef(log.stem, "", log.blob) for log in logs}
        missing = {blob: ref for blob, ref in missing.items() if blob not in self._lines}
        for ref, data in self._bytes(missing) if missing else ():
            text = text_of(data)
            if cache.redacted and (entry := cache.entry(ref.key)) is not None:
                from memory.redaction.withheld_texts import named_in, shown

                text = shown(self._home, cache, text, named_in(entry))
            self._lines[ref.blob] = text.split("\n")
        for blob in missing:
            self._lines.setdefault(blob, [""])

    def _bytes(self, refs: dict[str, LogRef]) -> Iterator[tuple[LogRef, bytes]]:
        from memory.replay.log_bytes import read_bytes

        self._readings += 1
        if self._readings < _LIBRARY_FROM:
            return read_bytes(self._home, list(refs.values()))
        if self._store is None:
            from ledger.git.pygit2_store import Store

            self._store = Store(self._home.repository)
        found = {ref: self._store.blob(blob) for blob, ref in refs.items()}
        there = [(ref, data) for ref, data in found.items() if data is not None]
        lost = [ref for ref, data in found.items() if data is None]
        return iter([*there, *read_bytes(self._home, lost)])
