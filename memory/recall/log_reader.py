"""Read logs from git, cut them into the passages that recall finds, and make of them what the index takes.

A passage is one turn of a dialogue, or neighbouring paragraphs of one section up to 600 characters. The
sections that name and hold facts are left out: facts are found as facts.

FTS5 writes into one file from one process; reading, proving and cutting the logs takes longer than that,
and is shared. What is indexed are bytes that the log's name proves (for an unsealed one its blob's id): of
a log that was changed afterwards those that the cache found in history, or nothing.
"""

from __future__ import annotations

import marshal
import re
from functools import partial

from ledger.home import Home
from ledger.model.event import FactCreated, FactReferenced, FactUpdated
from ledger.model.ids import WITHHELD, blob_id
from ledger.model.log_names import LogRef, breaks_seal, is_date, is_sealed
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import ASKED_KEY, LOG_LIMIT_BYTES, Entry, text_of
from memory.cache.schema import entry_in
from memory.cache.stamp import CacheDamaged
from memory.recall.fts_tables import FACTS_APART, FACTS_FROM, QUESTIONS_BIT
from memory.recall.question import CAMEL, bare_words, pairs_in
from memory.replay.read_logs import read_bytes
from projection.text.clipping import last_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from memory.redaction.withheld_texts import Hidden

    #: What the index has of a log, but its number; and (place, text, words inside of others) of its texts.
    Indexed = tuple[tuple[Any, ...], list[tuple[int, str, str]]]
    #: A log as the cache has it: its key, path, blob and entry, b"" to read that from the bytes, too.
    Row = tuple[str, str, str, bytes, bytes]

#: Neighbouring paragraphs are one passage up to so many characters, and a paragraph over twice as many
#: is cut.
PASSAGE_CHARS = 600
#: The sections of a captured log in which nobody speaks, whatever a paragraph begins with.
TOLD_HEADINGS = frozenset(("## Answered", "## Commits", "## Texts", "## Turns", "## Observed"))
_OF_FACTS = frozenset(("## Memory References", "## Facts"))
#: A log is cut into no more passages than this; beyond, they are made larger.
PASSAGES_LIMIT = 8000

_HEADER = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*$\n?", re.M | re.S)
# patterns begin with what is rare: that is ten times as fast as a search that has to try every place
_BREAK = re.compile(r"\n(?:[ \t]*\n)+|\n(?=#{1,6} )")
_NAME = r"(?:\*\*|__)?[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}(?:\*\*|__)?:(?:\*\*|__)?"
_SPEAKER, _TURNS = rf"(?:[-*] )?{_NAME}\s", rf"\n(?={_NAME} )"  # made by the first log that has one
#: What `camelCase` is told by: small letters and digits become "a", capitals "A", all else a blank.
_SHAPES = bytes(
    97 if 48 <= code <= 57 or 97 <= code <= 122 else 65 if 65 <= code <= 90 else 32
    for code in range(256)
)
_CAMEL_WORD = r"\b[A-Za-z][A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[A-Za-z0-9]*\b"
_ITEM = r"\n(?=[ \t]*(?:(?:[-*+]|[0-9]{1,3}[.)]) |\|))"
#: What one line ends with that announces the next ones.
_COLONS = (":", "\uff1a", ":**", "\uff1a**")


class Passage(Record):
    """One piece of a log."""

    line: int  #: of the log that it begins on, from 1
    text: str  #: of it, as it stands there
    skip: int = 0  #: how many characters of its line stand before it


#: Where something begins and ends.
_Stretch = tuple[int, int]


def passages_of(text: str, *, is_log: bool = True) -> list[Passage]:
    """Cut the whole of a log, its header too, or another document, into passages.

    `is_log`: sections of facts are left out, and turns of a talk are told apart.
    """
    cut = [*_stretches(text, len(header_of(text)), is_log)]
    step = -(-len(cut) // PASSAGES_LIMIT) or 1
    found, line, place = [], 1, 0
    for (start, _), (_, end) in zip(cut[::step], [*cut[step - 1 :: step], *cut[-1:]], strict=False):
        line += text.count("\n", place, start)
        place = start
        found.append(Passage(line, text[start:end], start - (text.rfind("\n", 0, start) + 1)))
    return found


def header_of(text: str) -> str:
    """Return the lines before the text of a log, "" where it has none."""
    found = _HEADER.match(text)
    return found.group() if found else ""


def split_words(text: str) -> str:
    """Return the words that are inside of others: of `camelCase`, and as other writings join them."""
    shape = text.encode("ascii", "replace").translate(_SHAPES)
    camel = re.findall(_CAMEL_WORD, text) if b"aA" in shape or b"AAa" in shape else ()
    words = [re.sub(CAMEL, " ", word) for word in camel]
    return " ".join(words if text.isascii() else [*words, pairs_in(text), *bare_words(text)])


def _stretches(text: str, begin: int, is_log: bool) -> Iterator[_Stretch]:
    """Yield where passages begin and end."""
    plain = _without_code(text)
    told = of_facts = False
    run: list[_Stretch] = []  # paragraphs of one turn, or of one section that nobody speaks
    for first, behind in _split(text, begin, len(text), _BREAK):
        heading = text[first] == "#"
        if plain[first : first + 3] == "## ":
            title = text[first:behind].partition("\n")[0].rstrip(" \t")
            told, of_facts = title in TOLD_HEADINGS, is_log and title in _OF_FACTS
        if of_facts:
            yield from _packed(text, run)
            run = []
            continue
        speaks = is_log and not (heading or told) and text.find(":", first, behind) >= 0
        turns = _split(text, first, behind, re.compile(_TURNS)) if speaks else ((first, behind),)
        for part in turns:
            if speaks and re.compile(_SPEAKER).match(text, *part):
                yield from _packed(text, run)
                run = []
            run.append(part)
    yield from _packed(text, run)


def _without_code(text: str) -> str:
    """Return a text with blanks in place of fenced code."""
    if "```" not in text and "~~~" not in text:
        return text
    from ledger.codec.outline_by_lines import code_ranges

    lines = text.split("\n")
    for first, behind in code_ranges(lines):
        lines[first:behind] = [" " * len(line) for line in lines[first:behind]]
    return "\n".join(lines)


def _split(text: str, begin: int, end: int, at: re.Pattern[str]) -> Iterator[_Stretch]:
    """Yield what stands between the places where a pattern is found, but what is blank."""
    for found in at.finditer(text, begin, end):
        yield from _bare(text, begin, found.start())
        begin = found.end()
    yield from _bare(text, begin, end)


def _bare(text: str, first: int, behind: int) -> Iterator[_Stretch]:
    """Yield where what is not blank of a stretch begins and ends."""
    bare = text[first:behind].lstrip()
    if bare:
        yield behind - len(bare), behind - len(bare) + len(bare.rstrip())


def _packed(text: str, blocks: Sequence[_Stretch]) -> Iterator[_Stretch]:
    """Put neighbouring paragraphs together; what announces others stays with what it announces."""
    open_: list[_Stretch] = []
    for first, behind in [part for one in blocks for part in _parts(text, *one)]:
        heads = bool(open_) and text[open_[-1][0]] == "#" and _announces(text, *open_[-1])
        ends = text[first] == "#" and not heads
        if open_ and (ends or behind - open_[0][0] > PASSAGE_CHARS):
            kept = len(open_)
            while not ends and kept and _announces(text, *open_[kept - 1]):
                kept -= 1
            if not kept and first - open_[0][0] > PASSAGE_CHARS // 2:
                kept = len(open_)  # nothing but what announces, and much of it
            if kept:
                yield open_[0][0], open_[kept - 1][1]
                open_ = open_[kept:]
        open_.append((first, behind))
    if open_:
        yield open_[0][0], open_[-1][1]


def _announces(text: str, first: int, behind: int) -> bool:
    """Tell whether a paragraph is a heading, or one line that ends with a colon or is all bold."""
    said = text[first:behind]
    announces = said[0] == "#" or said.endswith(_COLONS) or (said[:2] == "**" == said[-2:])
    return announces and "\n" not in said


def _parts(text: str, first: int, behind: int) -> Iterator[_Stretch]:
    """Cut a paragraph that is too long where items and rows begin, the longest between sentences."""
    if behind - first <= PASSAGE_CHARS:
        yield first, behind
        return
    for start, stop in _split(text, first, behind, re.compile(_ITEM)):
        room = PASSAGE_CHARS if stop - start > 2 * PASSAGE_CHARS else stop - start
        while start < stop:
            half, end = start + room // 2, start + room
            if end < stop:
                end = last_start(text, half, end) or text.rfind(" ", half, end) + 1 or end
            yield from _bare(text, start, min(end, stop))
            start = end


NOTHING_HIDDEN: Mapping[str, Hidden] = {}

#: By this version of the form equal values are packed into equal bytes.
_PACKED_ALIKE = 2
#: So much is taken of a question that a log by hand may have.
_QUESTION_CHARS = 120
#: The number of logs from which other processes pay for their start, and how many are started.
_FORK_FROM, _WORKERS = 3000, 2
#: How many logs are read and sent at once.
_BATCH = 500


def prepare(
    home: Home, rows: Sequence[Row], hidden: Mapping[str, Hidden] = NOTHING_HIDDEN
) -> Iterator[list[Indexed]]:
    """Yield logs ready for the index, in batches, in the order given.

    Those that can not be read, or are not what they were, are left out. `hidden` tells by key what of a
    log must not be in the index.
    """
    batches = [rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH)]
    prepared = partial(_prepared, home, hidden)
    if len(rows) < _FORK_FROM:
        yield from map(prepared, batches)
        return
    from ledger.heavy_work import Beside, may_fork

    workers = _WORKERS if may_fork() else 0
    team = [Beside(partial(map, prepared, batches[at::workers])) for at in range(workers)]
    try:
        for number, batch in enumerate(batches):
            made = team[number % workers].next() if team else None
            # a worker that died leaves its part to us
            yield prepared(batch) if made is None else made
    finally:
        for child in team:
            child.end()


def _prepared(home: Home, hidden: Mapping[str, Hidden], batch: Sequence[Row]) -> list[Indexed]:
    refs = [LogRef(*row[:3]) for row in batch]
    contents = dict(read_bytes(home, refs))
    found = []
    for ref, (key, _, _, *packed) in zip(refs, batch, strict=True):
        data, stem, without = contents.get(ref), ref.stem, hidden.get(key)
        if data is None or len(data) > LOG_LIMIT_BYTES or breaks_seal(stem, data):
            continue
        if not is_sealed(stem) and blob_id(data) != ref.blob:
            continue
        try:
            entry = entry_in(*packed)
        except CacheDamaged:  # there is none
            from ledger.codec.fast_read import read_entry

            entry = read_entry(stem, data)[0]
        text = text_of(data)
        if without is not None:
            text, entry = _without(stem, text, entry, without)
        found.append(indexed(ref, text, entry))
    return found


def _without(stem: str, text: str, entry: Entry, hidden: Hidden) -> tuple[str, Entry]:
    """Return what of a log may be in the index: no text but the header, where its words may not."""
    from memory.redaction.withheld_texts import without_beside, without_lines
    from projection.fold.withholding import withheld_entry

    if hidden.words:
        return header_of(text), withheld_entry(entry, hidden.facts | {stem})
    text = without_lines(without_beside(text, hidden.facts), hidden.texts)
    return text, withheld_entry(entry, hidden.facts)


def indexed(ref: LogRef, text: str, entry: Entry) -> Indexed:
    """Prepare a log for the index: a pure function of its bytes.

    `text` is the whole of it, as `ledger.codec.outline.text_of` reads it.
    """
    lines = [line.partition(":") for line in header_of(text).split("\n")]
    header = {key.strip(): value.strip() for key, _, value in reversed(lines)}
    prose = text
    if "<<<<<<< " in text:
        from ledger.codec.log import conflicted

        prose = "" if conflicted(text) else text
    ended = header.get("ended", "")[:10]
    day = ended if is_date(ended) else ref.key[:10]
    of = ref.key, ref.blob, day, entry.agent, header.get("role", ""), header.get("branch", "")
    return _indexed(of, prose, _facts(entry), _questions(ref, text, entry))


def indexed_document(path: str, blob: str, text: str) -> Indexed:
    """Prepare a document for an index: its path stands for the stem of a log, and it has no day."""
    return _indexed((path, blob, "", "", "", ""), text)


def _indexed(
    of: tuple[str, ...],
    prose: str,
    facts: Iterable[tuple[str, str]] = (),
    questions: Iterable[tuple[str, str]] = (),
) -> Indexed:
    """Give passages, facts and questions their places."""
    passages = passages_of(prose, is_log=bool(of[2]))
    seen = _observed(prose) if of[2] else range(0)
    texts = [(at, one.text, split_words(one.text)) for at, one in enumerate(passages)]
    lines = [(one.line, len(one.text), "", one.skip, one.line in seen) for one in passages]
    kept: tuple[list[list[Any]], ...] = ([[], []], [[], []])
    for some, bit, (ids, sizes) in ((facts, 0, kept[0]), (questions, QUESTIONS_BIT, kept[1])):
        for at, (names, said) in enumerate(some):
            place = FACTS_FROM + FACTS_APART * at | bit
            texts.append((place, said, f"{names} {split_words(said)}"))
            ids.append(names.partition(" ")[0])
            sizes.append(len(said))
    return (*of, marshal.dumps((lines, *kept), _PACKED_ALIKE)), texts


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the texts of facts that a log brought, each behind its id and what it is about."""
    for event in entry.acts:
        if not isinstance(event, FactCreated | FactUpdated) or not event.text:
            continue
        if event.text[0] != WITHHELD:
            meta = dict(event.meta)
            about = [meta.get(key, "") for key in ("entity", "tags", ASKED_KEY)]
            yield " ".join([event.id, *about]), event.text


def _questions(ref: LogRef, text: str, entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the facts that a log used, each with the question behind which it did."""
    if not entry.uses or "asked" not in text:
        return
    from ledger.codec.log import decode
    from ledger.model.evidence import proof_in

    for event in decode(text.encode(), sealed=is_sealed(ref.stem))[0].events:
        proof = proof_in(event.remark) if isinstance(event, FactReferenced) else None
        if proof and proof.asked:
            yield event.id, proof.asked[0][:_QUESTION_CHARS]


def _observed(text: str) -> range:
    """Return the lines that a machine listed."""
    start = text.find("\n## Observed\n") + 1
    end = text.find("\n## ", start) + 1 or len(text)
    return range(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2 if start else 0)
