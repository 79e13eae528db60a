"""Make hits of passages, from the lines of logs and documents that they stand in."""

from __future__ import annotations

from collections import Counter

from ledger.codec.plain_text import text_of
from ledger.environment import now_ms
from ledger.errors import NotFound
from ledger.model.logset import LogRef
from ledger.model.order import NO_DAY, day_seen, key_of, stem_in
from memory.cache.name_lookup import log_named
from memory.recall.index.rows import PLACES, LogRow
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
    from collections.abc import Callable, Iterable, Sequence

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.lookups import Lookups
    from memory.recall.search import Scored
    from memory.replay.outdated_lines import Outdated

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


def passage_hit(
    log: LogRow,
    lines: list[str],
    place: int,
    level: str,
    words: Sequence[str],
    chars: int = LINE_CHARS,
    marked: Callable[[str], Mark] = lambda text: PLAIN,
) -> Hit | None:
    """Return the hit of a passage, None where the lines are too few: they were lost since it was indexed.

    `log` may be a document; `words` are those that it was found by; `chars` is what its line may take;
    `marked` tells what of a text that is shown does not hold any more.
    """
    kind = SESSION_KIND if log.day else DOCUMENT_KIND
    day = day_seen(log.day, now_ms())
    number = log.pieces[place].line
    if number > len(lines):
        return None
    text = passage_text(log, lines, place)
    below = number + _headings_before(text)
    heading, title = heading_of(lines, number), title_of(lines)
    id = f"{log.stem}:{number if kind == SESSION_KIND else below}"
    about = [one for one in (id, day, log.agent, heading) if one]
    section = section_of(lines, below)
    around = "\n".join(
        ("> " if other == place else "  ") + one_line(passage_text(log, lines, other), 200)
        for other in range(max(0, place - 2), min(len(log.pieces), place + 3))
    )
    said = {FULL: section, TIMELINE: around}.get(level, text)
    mark = marked(f"{title}\n\n{said}")
    # other tools' titles are the time, which the hit says already
    title = "" if day and day in title else title
    line = titled(title, heading, text, words, chars)
    if mark.said:
        line, about = one_line(f"{mark.whole}: {line}", chars), [*about, mark.whole]
    if level == FULL:
        shown = f"{mark.whole}:\n{section}" if mark.said else section
    elif level == TIMELINE:
        shown = f"{'  '.join(about)}\n{around}"
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


def title_of(lines: list[str]) -> str:
    """Return the title of a log, "" where it has none."""
    return next((line[2:].strip() for line in lines[:40] if line[:2] == "# "), "")


def heading_of(lines: list[str], number: int) -> str:
    """Return the heading that a line (from 1) stands under, without its marks, "" for none."""
    above = reversed(lines[:number])
    return next((line.lstrip("#").strip() for line in above if line[:2] == "##"), "")


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


def section_of(lines: list[str], number: int) -> str:
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


class LogTexts:
    """The lines of the logs of one home; what is withheld of them is left out.

    Args:
        home: where the logs are.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lines: dict[str, list[str]] = {}
        self._redacted: frozenset[str] = frozenset()

    def lines(self, log: LogRow, cache: Cache) -> list[str]:
        """Return the lines of a log as it was written."""
        self.fetch([log], cache)
        return self._lines[log.blob]

    def fetch(self, logs: Iterable[LogRow], cache: Cache) -> None:
        """Read logs, as far as they were not read yet, all at once."""
        if len(self._lines) >= _TEXTS_KEPT or cache.redacted != self._redacted:
            self._lines, self._redacted = {}, cache.redacted
        new = {LogRef(log.stem, "", log.blob) for log in logs if log.blob not in self._lines}
        if not new:
            return
        from memory.replay.log_bytes import read_bytes

        for ref, data in read_bytes(self._home, sorted(new)):
            text = text_of(data)
            if cache.redacted and (entry := cache.entry(ref.key)) is not None:
                from memory.redaction.withheld_texts import named_in, shown

                text = shown(self._home, cache, text, named_in(entry))
            self._lines[ref.blob] = text.split("\n")
        for ref in new:
            self._lines.setdefault(ref.blob, [""])


class Passages:
    """The passages of logs of one reading.

    Args:
        texts: of the home.
        cache: of the commit.
        lookups: of an index of the commit.
        outdated: tells what logs say that is not true any more.
    """

    def __init__(self, texts: LogTexts, cache: Cache, lookups: Lookups, outdated: Outdated) -> None:
        self._texts, self._cache, self._lookups = texts, cache, lookups
        self._index, self._outdated = lookups.index, outdated
        self._withheld: frozenset[str] = frozenset()
        if cache.redacted:
            from memory.redaction.withheld_texts import redacted_logs

            self._withheld = redacted_logs(cache)

    def found(
        self, ranked: Sequence[Scored], level: str, limit: int, explain: bool, facts: Sequence[Hit]
    ) -> list[Hit]:
        """Return the hits of the best passages that may be shown, the first ones whole.

        The best of the log that a fact comes from is named with the fact alone.
        """
        logs = [there[0] for one in ranked[:limit] if (there := self._index.at(one.row))]
        self._texts.fetch([log for log in logs if not self._is_withheld(log)], self._cache)
        found: dict[str, Hit] = {}
        left, named = _WHOLE, {hit.stem for hit in facts}
        for scored in ranked:
            if len(found) == limit:
                break
            chars = WHOLE_CHARS if left else LINE_CHARS
            hit = self._hit(scored.row, level, scored.words, chars)
            if hit is not None and hit.id not in found:
                found[hit.id] = with_score(hit, scored, explain)
                left -= bool(left) and hit.stem not in named
                named.discard(hit.stem)
        return list(found.values())

    def named(self, one: str, level: str) -> Hit:
        """Return a log by its stem, perhaps the start of one, or a passage of it by `STEM:LINE`.

        Raises:
            NotFound: there is none, or it is withheld.
        """
        stem, colon, line = one.partition(":")
        number = self._index.number_of(key_of(stem))
        number = number or self._index.number_of(log_named(self._cache, stem).key)
        log = self._index.log(number)
        if log is None or self._is_withheld(log):
            said = "its words are withheld" if log is not None else "there is none"
            raise NotFound(f"{one} names no session log that can be shown: {said}",
                           hint="`diurna log` lists the session logs")  # fmt: skip
        if not colon:
            return self._whole(log, level)
        wanted = int(line) if line.isdigit() and len(line) < 8 else 0
        hit = self._hit(self._index.row_at(log.stem, wanted), level, ())
        if hit is None:
            raise NotFound(
                f"{stem} has no passage at line {line}", hint=f"`diurna recall --ids {stem}`"
            )
        return hit

    def _whole(self, log: LogRow, level: str) -> Hit:
        lines = self._texts.lines(log, self._cache)
        text, line = "\n".join(lines), one_line(title_of(lines))
        shown = text if level == FULL else f"{log.stem}  {log.agent}  {line}"
        return Hit(
            log.stem, SESSION_KIND, "", day_seen(log.day, now_ms()), log.stem, log.agent, 0.0, line,
            shown, tokens_of(shown), tokens_of(text),
        )  # fmt: skip

    def _is_withheld(self, log: LogRow) -> bool:
        return stem_in(log.stem) in self._withheld

    def _hit(
        self, row: int, level: str, words: Sequence[str], chars: int = LINE_CHARS
    ) -> Hit | None:
        """Return a passage; None for one that is not to be shown, or whose bytes were lost since."""
        there = self._index.at(row)
        if there is None or self._is_withheld(there[0]):
            return None
        log, lines = there[0], self._texts.lines(there[0], self._cache)

        def marked(text: str) -> Mark:
            brought = [piece.fact for piece in log.facts]
            return self._outdated.mark(log.stem, text, brought, lambda: self._stated(text))

        return passage_hit(log, lines, row & PLACES, level, words, chars, marked)

    def _stated(self, text: str) -> list[str]:
        """Return the facts that a text may state: they have two of the rarest words of a sentence."""
        lookups = self._lookups
        shared = Counter[int]()
        lookups.stems(plain(text))  # all at once
        for sentence in sentences(text) if self._index.totals.facts else ():
            stems = {*lookups.stems(as_indexed(plain(sentence)))}
            rare = sorted([(lookups.count(stem), stem) for stem in stems])[:_WORDS]
            few = [stem for count, stem in rare if count <= _TOLD_BY]
            shared |= Counter([row for stem in few for row in lookups.rows(True, (stem,))])
        best = sorted(
            [row for row in shared if shared[row] > 1], key=lambda row: (-shared[row], row)
        )
        found = [there[1].fact for row in best if (there := self._index.at(row))]
        return list(dict.fromkeys(found))[:_STATED]
