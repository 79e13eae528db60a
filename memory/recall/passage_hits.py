"""Make hits of passages, from the lines of logs and documents that they stand in."""

from __future__ import annotations

from ledger.environment import now_ms
from ledger.errors import NotFound
from ledger.model.log_names import NO_DAY, LogRef, day_seen, key_of, stem_in
from ledger.model.record import TYPE_CHECKING, tally
from ledger.model.session import text_of
from memory.recall.fts_tables import PLACES, LogRow
from memory.recall.question import as_indexed
from memory.recall.recall_values import (
    DOCUMENT_KIND,
    FULL,
    NOBODY,
    SESSION_KIND,
    TIMELINE,
    Hit,
    holding_first,
    tokens_of,
)
from projection.document.fact_remarks import PLAIN, Mark
from projection.text.clipping import LINE_CHARS, one_line, telling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.fts_tables import Index
    from memory.recall.rules import Scored
    from memory.recall.word_lookups import Lookups
    from memory.replay.reader_marks import Outdated

_TEXTS_KEPT = 500
#: How many passages are shown whole, and the most that such a hit has behind the title and the heading.
_WHOLE, WHOLE_CHARS = 3, 720
#: How much of a line the title and the heading may take.
_TITLE_CHARS = 60
#: The most that is shown of a section.
SECTION_CHARS = 6000
#: So many of the rarest words of a sentence are looked up among facts, but none that more texts have; and
#: so many facts are compared with a passage.
_WORDS, _TOLD_BY, _STATED = 4, 1000, 12


def _text(log: LogRow, lines: list[str], place: int) -> str:
    """Return a passage from the lines that it stands in."""
    line, chars, _, skip, _ = log.prose[place]
    end = next((one[0] for one in log.prose[place + 1 :] if one[0] > line), len(lines))
    return "\n".join(lines[line - 1 : end])[skip : skip + chars].strip()


def _parted(text: str) -> tuple[list[str], str]:
    """Return the lines of a passage up to the last of the headings that it begins with, and the rest."""
    lines, heads = text.split("\n"), 0
    for number, line in enumerate(lines, 1):
        if line[:1] == "#":
            heads = number
        elif line.strip():
            break
    return lines[:heads], "\n".join(lines[heads:]).strip()


def title_of(lines: list[str]) -> str:
    """Return the title of a log, "" where it has none."""
    return next((line[2:].strip() for line in lines[:40] if line[:2] == "# "), "")


def heading_above(lines: list[str], number: int) -> str:
    """Return the heading that a line (from 1) stands under, "" for none."""
    return next((_bare(line) for line in reversed(lines[:number]) if line[:2] == "##"), "")


def _bare(heading: str) -> str:
    return heading.lstrip("#").strip()


def titled(
    title: str, heading: str, said: str, words: Sequence[str], chars: int = LINE_CHARS
) -> str:
    """Return a passage on one line, behind the title of its log and the heading it stands under.

    It is shown from where the `words` are that it was found by; `chars` is what all of it may take.
    """
    names = [one_line(name, _TITLE_CHARS) for name in dict.fromkeys((title, heading)) if name]
    head = f"{' / '.join(names)}: " if names and said else " / ".join(names)
    room = chars - len(head)
    return head + one_line(telling(said, words, room), room)


def _section(lines: list[str], number: int) -> str:
    """Return the section that a line (from 1) stands in; of a long one what stands from there on."""
    start = end = number - 1
    while start > 0 and lines[start][:1] != "#":
        start -= 1
    while end + 1 < len(lines) and lines[end + 1][:1] != "#":
        end += 1
    section = "\n".join(lines[start : end + 1]).strip("\n")
    if len(section) > SECTION_CHARS:
        section = "\n".join(lines[number - 1 : end + 1]).strip("\n")[:SECTION_CHARS]
    return section


class Passages:
    """The passages of the logs, or documents, of one index.

    Args:
        index: that is read.
        read: yields (blob, text) of those that can be shown.
    """

    def __init__(
        self, index: Index, read: Callable[[Sequence[LogRow]], Iterable[tuple[str, str]]]
    ) -> None:
        self._index, self._read = index, read
        #: of each text as far as it was read, by blob
        self._lines: dict[str, list[str]] = {}

    def _mark(self, log: LogRow, text: str) -> Mark:
        """Tell what of a text of a log that is shown does not hold any more."""
        return PLAIN

    def behind(
        self, facts: list[Hit], ranked: Sequence[Scored], level: str, limit: int, explain: bool
    ) -> list[Hit]:
        """Return facts and behind them passages, half of the places each, or all where the other has less.

        The first passages are whole. The best of the log that a fact comes from is named with the fact,
        not told once more. Of each what holds stands before what ended or is false.
        """
        self._fetch([there[0] for one in ranked[:limit] if (there := self._index.at(one.row))])
        found, of_log = dict[str, Hit](), dict[str, str]()
        left, named = _WHOLE, {hit.stem for hit in facts}
        for scored in ranked:
            if len(found) == limit:
                break
            chars = WHOLE_CHARS if left else LINE_CHARS
            hit = self.hit(scored.row, level, scored.words, chars)
            if hit is not None and hit.id not in found:
                found[hit.id] = hit.scored(scored, explain)
                left -= bool(left) and not (hit.stem in named and hit.stem not in of_log)
                of_log.setdefault(hit.stem, hit.id)
        shown = facts[: max(limit - len(found), (limit + 1) // 2)]
        shown = [hit._replace(passage=of_log.get(hit.stem, "")) for hit in shown]
        told = {hit.passage for hit in shown}
        rest = [hit for hit in found.values() if hit.id not in told]
        return holding_first([*shown, *rest[: limit - len(shown)]])

    def hit(
        self, row: int, level: str, words: Sequence[str] = (), chars: int = LINE_CHARS
    ) -> Hit | None:
        """Return a passage; None for one that is not to be shown, or whose bytes were lost since.

        `words` are those that it was found by; `chars` is what its line may take.
        """
        there, place = self._index.at(row), row & PLACES
        if there is None:
            return None
        log, number = there[0], there[1].line
        lines = self._fetch([log]).get(log.blob, [])
        if number > len(lines):
            return None
        kind = SESSION_KIND if log.day else DOCUMENT_KIND
        day = day_seen(log.day, now_ms())
        text = _text(log, lines, place)
        heads, body = _parted(text)
        below = number + max(0, len(heads) - 1)
        heading = _bare(heads[-1]) if heads else heading_above(lines, number)
        title = title_of(lines)
        id = f"{log.stem}:{number if kind == SESSION_KIND else below}"
        about = [one for one in (id, day, log.agent, heading) if one]
        said = section = _section(lines, below)
        if level == TIMELINE:
            near = range(max(0, place - 2), min(len(log.prose), place + 3))
            each = [(" >"[at == place], one_line(_text(log, lines, at), 200)) for at in near]
            said = "\n".join([f"{sign} {line}" for sign, line in each])
        elif level != FULL:
            said = text
        mark = self._mark(log, f"{title}\n\n{said}")
        # other tools' titles are the time, which the hit says already
        title = "" if day and day in title else title
        line = titled(title, heading, body, words, chars)
        if mark.said:
            line, about = one_line(f"{mark.whole}: {line}", chars), [*about, mark.whole]
        if level == FULL:
            shown = f"{mark.whole}:\n{section}" if mark.said else section
        elif level == TIMELINE:
            shown = f"{'  '.join(about)}\n{said}"
        elif kind == SESSION_KIND:
            shown = f"{id}  {kind}  {day or NO_DAY}  {line}  ({log.agent or NOBODY})"
        else:
            shown = f"{id}  {kind}  {line}"
        stem = log.stem if kind == SESSION_KIND else ""
        return Hit(
            id, kind, "", day, stem, log.agent, 0.0, line, shown,
            tokens_of(shown), tokens_of(f"{mark.whole}{section}"), mark=mark, title=title,
        )  # fmt: skip

    def _fetch(self, logs: Sequence[LogRow]) -> dict[str, list[str]]:
        """Return the lines of texts; what was not read yet is read at once."""
        if len(self._lines) > _TEXTS_KEPT:
            self._lines.clear()
        new = {log.blob: log for log in logs if log.blob not in self._lines}
        for blob, text in self._read([*new.values()]) if new else ():
            self._lines[blob] = text.split("\n")
        return self._lines


class LogPassages(Passages):
    """The passages of the session logs of one reading.

    Args:
        home: where the logs are.
        cache: of the commit.
        lookups: of an index of the commit.
        outdated: tells what logs say that is not true any more.
    """

    def __init__(self, home: Home, cache: Cache, lookups: Lookups, outdated: Outdated) -> None:
        super().__init__(lookups.index, self._shown)
        self._home, self._cache, self._lookups, self._outdated = home, cache, lookups, outdated
        self._followed = cache.some_followed()
        self._withheld: frozenset[str] = frozenset()
        if cache.redacted:
            from memory.redaction.withheld_texts import redacted_logs

            self._withheld = redacted_logs(cache)

    def named(self, one: str, level: str) -> Hit:
        """Return a log by its stem, perhaps the start of one, or a passage of it by `STEM:LINE`.

        Raises:
            NotFound: there is none, or it is withheld.
        """
        stem, colon, line = one.partition(":")
        number = self._index.number_of(key_of(stem))
        if not number:
            from memory.cache.name_lookup import log_named

            number = self._index.number_of(log_named(self._cache, stem).key)
        log = self._index.log(number)
        lines = self._fetch([log]).get(log.blob) if log is not None else None
        if log is None or lines is None:
            said = "its words are withheld" if log is not None else "there is none"
            raise NotFound(f"{one} names no session log that can be shown: {said}",
                           hint="`diurna log` lists the session logs")  # fmt: skip
        if colon:
            wanted = int(line) if line.isdigit() and len(line) < 8 else 0
            hit = self.hit(self._index.row_at(log.stem, wanted), level)
            if hit is None:
                said = f"{stem} has no passage at line {line}"
                raise NotFound(said, hint=f"`diurna recall --ids {stem}`")
            return hit
        text, title = "\n".join(lines), one_line(title_of(lines))
        shown = text if level == FULL else f"{log.stem}  {log.agent}  {title}"
        return Hit(
            log.stem, SESSION_KIND, "", day_seen(log.day, now_ms()), log.stem, log.agent, 0.0, title,
            shown, tokens_of(shown), tokens_of(text),
        )  # fmt: skip

    def _shown(self, logs: Sequence[LogRow]) -> Iterable[tuple[str, str]]:
        from memory.replay.read_logs import read_bytes

        refs = [LogRef(log.stem, "", log.blob) for log in logs]
        refs = [ref for ref in refs if stem_in(ref.key) not in self._withheld]
        for ref, data in read_bytes(self._home, refs):
            text = text_of(data)
            if self._cache.redacted and (entry := self._cache.entry(ref.key)) is not None:
                from memory.redaction.withheld_texts import named_in, visible_text

                text = visible_text(self._home, self._cache, text, named_in(entry))
            yield ref.blob, text

    def _mark(self, log: LogRow, text: str) -> Mark:
        near = (lambda: self._stated(text)) if self._followed else None
        return self._outdated.mark(log.stem, text, log.facts[0], near)

    def _stated(self, text: str) -> list[str]:
        """Return the facts that a text may state: they have two of the rarest words of a sentence."""
        from projection.text.normalize import plain, sentences

        lookups, each = self._lookups, [as_indexed(plain(one)) for one in sentences(text)]
        shared: dict[int, int] = {}
        known = self._index.counts({*lookups.stems(" ".join(each))})
        for sentence in each:
            stems = known.keys() & lookups.stems(sentence)
            rare = sorted([(known[stem], stem) for stem in stems])[:_WORDS]
            few = [stem for count, stem in rare if count <= _TOLD_BY]
            here = tally([row for stem in few for row in lookups.posted(True, (stem,)).rows])
            shared |= {row: max(times, shared.get(row, 0)) for row, times in here.items()}
        best = sorted(
            [row for row in shared if shared[row] > 1], key=lambda row: (-shared[row], row)
        )
        found = [there[1].fact for row in best if (there := self._index.at(row))]
        return list(dict.fromkeys(found))[:_STATED]
