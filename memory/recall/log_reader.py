"""Read logs from git and make of them what the index takes; of many in other processes.

FTS5 writes into one file from one process; reading, proving and cutting the logs takes longer than that,
and is shared. What is indexed are bytes that the log's name proves (for an unsealed one its blob's id): of
a log that was changed afterwards those that the cache found in history, or nothing.
"""

from __future__ import annotations

import marshal
from functools import partial

from ledger.home import Home
from ledger.model.event import FactCreated, FactReferenced, FactUpdated
from ledger.model.ids import WITHHELD, blob_id, sha256
from ledger.model.log_names import LogRef, is_date, is_sealed, proves
from ledger.model.session import ASKED_KEY, LOG_LIMIT_BYTES, Entry, text_of
from memory.cache.schema import entry_in
from memory.cache.stamp import CacheDamaged
from memory.recall.fts_tables import FACTS_APART, FACTS_FROM, QUESTIONS_BIT
from memory.recall.passage_cutter import header_of, passages_of, split_words
from memory.replay.read_logs import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from memory.redaction.withheld_texts import Hidden

    #: What the index has of a log, but its number; and (place, text, words inside of others) of its texts.
    Indexed = tuple[tuple[Any, ...], list[tuple[int, str, str]]]
    #: A log as the cache has it: its key, path, blob and entry, b"" to read that from the bytes, too.
    Row = tuple[str, str, str, bytes]

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
    for ref, (key, *_, packed) in zip(refs, batch, strict=True):
        data, stem, without = contents.get(ref), ref.stem, hidden.get(key)
        if data is None or len(data) > LOG_LIMIT_BYTES:
            continue
        if not (
            proves(stem, sha256(data).digest()) if is_sealed(stem) else blob_id(data) == ref.blob
        ):
            continue
        try:
            entry = entry_in(packed)
        except CacheDamaged:  # there is none
            from ledger.codec.log import read_entry

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
    packed = [[(one.line, len(one.text), "", one.skip, one.line in seen) for one in passages]]
    for some, bit in ((facts, 0), (questions, QUESTIONS_BIT)):
        packed.append([])
        for at, (names, said) in enumerate(some):
            place = FACTS_FROM + FACTS_APART * at | bit
            texts.append((place, said, f"{names} {split_words(said)}"))
            packed[-1].append((0, len(said), names.partition(" ")[0], 0, False))
    return (*of, marshal.dumps(packed, _PACKED_ALIKE)), texts


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
