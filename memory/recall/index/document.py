"""Choose what the index takes of one log, from its text and its events alone, or of a document."""

from __future__ import annotations

import marshal

from ledger.codec.log import conflicted, decode
from ledger.model.event import FactCreated, FactReferenced, FactUpdated
from ledger.model.evidence import ASKED_MARK, proof_in
from ledger.model.ids import WITHHELD
from ledger.model.order import is_date, is_sealed
from ledger.model.record import Record
from ledger.model.session import ASKED_KEY
from memory.recall.index.passage_cutter import passages_of, split_words
from memory.recall.index.rows import FACTS_APART, FACTS_FROM, QUESTIONS_BIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.model.logset import LogRef
    from ledger.model.session import Entry
    from memory.recall.index.passage_cutter import Passage

#: So much is taken of a question that a log by hand may have.
_QUESTION_CHARS = 120


class Indexed(Record):
    """One log, ready for the index: its row, and the texts of its passages by place."""

    row: tuple[str, str, str, str, str, str, bytes]
    texts: tuple[tuple[int, str, str], ...]


def indexed(ref: LogRef, text: str, entry: Entry) -> Indexed:
    """Prepare a log for the index: a pure function of its bytes.

    `text` is the whole of it, as `ledger.codec.plain_text.text_of` reads it.
    """
    header = header_of(text)
    prose_text = "" if "<<<<<<< " in text and conflicted(text) else text
    day = header.get("ended", "")[:10]
    if not is_date(day):
        day = ref.key[:10]
    of = ref.key, ref.blob, day, entry.agent, header.get("role", ""), header.get("branch", "")
    seen = range(*_observed(prose_text))
    return _indexed(of, passages_of(prose_text), _facts(entry), _questions(ref, text, entry), seen)


def indexed_document(path: str, blob: str, text: str) -> Indexed:
    """Prepare a document for an index: its path stands for the stem of a log."""
    return _indexed((path, blob, "", "", "", ""), passages_of(text, is_log=False), (), ())


def _indexed(
    of: tuple[str, str, str, str, str, str],
    passages: list[Passage],
    facts: Iterable[tuple[str, str]],
    questions: Iterable[tuple[str, str]],
    seen: range = range(0),
) -> Indexed:
    """Give passages, facts and questions their places; `seen` are the lines that a machine listed."""
    texts = [(at, one.text, split_words(one.text)) for at, one in enumerate(passages)]
    packed = [[(one.line, len(one.text), "", one.skip, one.line in seen) for one in passages]]
    for some, bit in ((facts, 0), (questions, QUESTIONS_BIT)):
        packed.append([])
        for at, (names, said) in enumerate(some):
            place = FACTS_FROM + FACTS_APART * at | bit
            texts.append((place, said, f"{names} {split_words(said)}"))
            packed[-1].append((0, len(said), names.partition(" ")[0], 0, False))
    return Indexed((*of, marshal.dumps(packed)), tuple(texts))


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
    if not entry.uses or ASKED_MARK not in text:
        return
    for event in decode(text.encode(), sealed=is_sealed(ref.stem))[0].events:
        proof = proof_in(event.remark) if isinstance(event, FactReferenced) else None
        if proof and proof.asked:
            yield event.id, proof.asked[0][:_QUESTION_CHARS]


def _observed(text: str) -> tuple[int, int]:
    """Return the line on which what a machine saw begins, and the one behind it."""
    start = text.find("\n## Observed\n") + 1
    end = text.find("\n## ", start) + 1 or len(text)
    return (text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2) if start else (0, 0)


def header_of(text: str) -> dict[str, str]:
    """Return the header of a log, roughly: what is no `key: value` is passed over."""
    end = text.find("\n---", 3) if text[:3] == "---" else 0
    pairs = [line.partition(":") for line in text[4 : max(end, 0)].split("\n")]
    return {key.strip(): value.strip() for key, _, value in reversed(pairs)}
