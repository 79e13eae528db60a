"""Make hits of passages, from the lines of logs and documents that they stand in."""

from __future__ import annotations

from ledger.codec.plain_text import text_of
from ledger.environment import now_ms
from ledger.model.logset import LogRef
from ledger.model.order import NO_DAY, day_seen
from memory.recall.index.rows import LogRow, is_question
from memory.recall.lookups import Lookups
from memory.recall.question import as_indexed
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
from projection.text.clipping import LINE_CHARS, one_line, telling
from projection.text.normalize import plain, sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ledger.git.pygit2_store import Store
    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.index.fts_file import Index
    from memory.recall.search import Scored

#: The number of readings from which a library that reads packs pays for its start.
_LIBRARY_FROM = 3
_TEXTS_KEPT = 500
#: The most that a hit has that is shown whole: a passage, behind the title and the heading.
WHOLE_CHARS = 720
#: How much of a line the title and the heading may take.
_TITLE_CHARS = 60
#: The most that is shown of a section.
SECTION_CHARS = 6000
#: So many of the rarest words of a sentence are looked up among facts, but none that more passages have;
#: those tell that stand at no more places of facts; and so many facts are compared with a passage.
_WORDS, _TOLD_BY, _COMMON, _STATED = 4, 2000, 400, 12


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


def log_hit(log: LogRow, lines: list[str], level: str) -> Hit:
    """Return the hit of a whole log."""
    text, line = "\n".join(lines), one_line(title_of(lines))
    shown = text if level == FULL else f"{log.stem}  {log.agent}  {line}"
    return Hit(
        log.stem, SESSION_KIND, "", day_seen(log.day, now_ms()), log.stem, log.agent, 0.0, line,
        shown, tokens_of(shown), tokens_of(text),
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


def title_of(lines: list[str]) -> str:
    """Return the title of a log, "" where it has none."""
    for line in lines[:40]:
        if line[:2] == "# ":
            return line[2:].strip()
    return ""


def heading_of(lines: list[str], number: int) -> str:
    """Return the heading that a line (from 1) stands under, without its marks, "" for none."""
    for index in range(min(number, len(lines)) - 1, -1, -1):
        line = lines[index]
        if line[:2] == "##":
            return line.lstrip("#").strip()
    return ""


def titled(
    title: str, heading: str, text: str, words: Sequence[str], chars: int = LINE_CHARS
) -> str:
    """Return a passage on one line, behind the title of its log and the heading it stands under.

    `heading` is the nearest one above the passage; headings in `text` lose their marks. It is shown
    from where the `words` are that it was found by; `chars` is what all of it may take.
    """
    lines = text.split("\n")
    while lines and (lines[0][:1] == "#" or not lines[0].strip()):
        heading = lines.pop(0).lstrip("#").strip() or heading
    names = [one_line(name, _TITLE_CHARS) for name in dict.fromkeys((title, heading)) if name]
    said = "\n".join(lines).strip()
    if not said:
        return " / ".join(names)
    head = f"{' / '.join(names)}: " if names else ""
    room = chars - len(head)
    return head + one_line(telling(said, words, room), room)


def section_of(lines: list[str], number: int) -> tuple[int, str]:
    """Return the section that a line (from 1) stands in, and the line it begins on.

    A long one is cut around the line, at whole lines.
    """
    start = number - 1
    while start > 0 and lines[start][:1] != "#":
        start -= 1
    end = number
    while end < len(lines) and lines[end][:1] != "#":
        end += 1
    chars = sum([len(line) + 1 for line in lines[start:end]])
    while chars > SECTION_CHARS and end - start > 1:
        if number - 1 - start >= end - number:
            chars -= len(lines[start]) + 1
            start += 1
        else:
            end -= 1
            chars -= len(lines[end]) + 1
    return start + 1, "\n".join(lines[start:end]).strip("\n")[:SECTION_CHARS]


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


class Stated:
    """Finds the facts that a passage may state.

    Args:
        lookups: of the index.
        index: of the ledger.
    """

    def __init__(self, lookups: Lookups, index: Index) -> None:
        self._lookups, self._index = lookups, index

    def of(self, text: str) -> list[str]:
        """Return the facts that a text may state, those first that share most."""
        return self._lookups.stated(text, self._read) if self._index.totals.facts else []

    def _read(self, text: str) -> list[str]:
        lookups = self._lookups
        shared: dict[int, int] = {}
        parts = list(dict.fromkeys([plain(sentence) for sentence in sentences(text)]))
        # read at once; what is not ASCII has words that only the index can tell
        lookups.stems(_simple(" ".join(parts)))
        for part in parts:
            stems = {*lookups.stems(_simple(part) if part.isascii() else as_indexed(part))}
            found: dict[int, int] = {}
            for count, stem in sorted([(lookups.count(stem), stem) for stem in stems])[:_WORDS]:
                for row in self._saying(stem) if count <= _TOLD_BY else ():
                    found[row] = found.get(row, 0) + 1
            for row, count in found.items():
                shared[row] = max(shared.get(row, 0), count)
        ids: dict[str, None] = {}
        for row in sorted(shared, key=lambda row: (-shared[row], row)):
            there = self._index.at(row) if shared[row] > 1 else None
            if there is not None and len(ids) < _STATED:
                ids[there[1].fact] = None
        return list(ids)

    def _saying(self, stem: str) -> list[int]:
        """Return the facts that say a word, none where it stands at too many places."""
        rows = self._lookups.facts((stem,))
        said = [row for row in rows if not is_question(row)]
        return said if sum([len(rows[row]) for row in said]) <= _COMMON else []


def _simple(text: str) -> str:
    """Return those words that are each one for the index, too, which remembers them."""
    return " ".join([one for one in text.split() if one.isascii() and one.isalnum()])
