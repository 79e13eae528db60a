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
from memory.recall.index.rows import FACTS_APART, FACTS_FROM, LATE_BIT, QUESTIONS_BIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.model.logset import LogRef
    from ledger.model.session import Entry
    from memory.recall.index.passage_cutter import Passage

#: So much is taken of a question that a log by hand may have.
_QUESTION_CHARS = 120


class Indexed(Record):
    """One log, ready for the index: its row, and the texts of its passages by place."""

    row: tuple[str, str, str, str, str, str, int, bytes]
    texts: tuple[tuple[int, str, str], ...]
    chars: int
    speakers: tuple[str, ...]


def indexed(ref: LogRef, text: str, entry: Entry) -> Indexed:
    """Prepare a log for the index: a pure function of its bytes.

    `text` is the whole of it, as `ledger.codec.plain_text.text_of` reads it.
    """
    header = header_of(text)
    prose_text = "" if "<<<<<<< " in text and conflicted(text) else text
    texts, pieces, prose = _prose(passages_of(prose_text))
    facts: list[tuple[int, int, str, bool, str]] = []
    chars = prose
    for event in entry.acts:
        if (
            isinstance(event, FactCreated | FactUpdated)
            and event.text
            and not _withheld(event.text)
        ):
            names = dict(event.meta)
            about = [names.get(key, "") for key in ("entity", "kind", "tags", ASKED_KEY)]
            said = " ".join([event.id, *about])
            texts.append(
                (
                    FACTS_FROM + FACTS_APART * len(facts),
                    event.text,
                    f"{said} {split_words(event.text)}",
                )
            )
            facts.append((0, len(event.text), "", False, event.id))
            chars += len(event.text)
    questions: list[tuple[int, int, str, bool, str]] = []
    for fact, said in _questions(ref, text) if entry.uses and ASKED_MARK in text else ():
        at = FACTS_FROM + FACTS_APART * len(questions) | QUESTIONS_BIT
        texts.append((at, said, f"{fact} {split_words(said)}"))
        questions.append((0, len(said), "", False, fact))
        chars += len(said)
    packed = marshal.dumps((pieces, facts, questions))
    day = header.get("ended", "")[:10]
    if not is_date(day):
        day = ref.key[:10]
    row = (
        ref.key, ref.blob, day, entry.agent, header.get("role", ""), header.get("branch", ""),
        prose, packed,
    )  # fmt: skip
    speakers = tuple(sorted({piece[2] for piece in pieces if piece[2]}))
    return Indexed(row, tuple(texts), chars, speakers)


def indexed_document(path: str, blob: str, text: str) -> Indexed:
    """Prepare a document for an index: its path stands for the stem of a log."""
    texts, pieces, chars = _prose(passages_of(text, is_log=False))
    row = (path, blob, "", "", "", "", chars, marshal.dumps((pieces, [], [])))
    return Indexed(row, tuple(texts), chars, ())


def _questions(ref: LogRef, text: str) -> Iterator[tuple[str, str]]:
    """Yield the facts that a log used, each with the question behind which it did."""
    for event in decode(text.encode(), sealed=is_sealed(ref.stem))[0].events:
        proof = proof_in(event.remark) if isinstance(event, FactReferenced) else None
        if proof and proof.asked:
            yield event.id, proof.asked[0][:_QUESTION_CHARS]


def _prose(
    passages: list[Passage],
) -> tuple[list[tuple[int, str, str]], list[tuple[int, int, str, bool, str, int, int]], int]:
    """Return the texts of passages by place, the passages as the index keeps them, and all characters."""
    texts: list[tuple[int, str, str]] = []
    pieces: list[tuple[int, int, str, bool, str, int, int]] = []
    for place, passage in enumerate(passages):
        one = passage
        pieces.append((one.line, len(one.text), one.who, one.late, "", one.marks, one.skip))
        at = place | LATE_BIT if passage.late else place
        texts.append((at, passage.text, split_words(passage.text)))
    return texts, pieces, sum([len(passage.text) for passage in passages])


def _withheld(text: str) -> bool:
    return text[:1] == WITHHELD


def header_of(text: str) -> dict[str, str]:
    """Return the header of a log, roughly: what is no `key: value` is passed over."""
    if text[:3] != "---":
        return {}
    end = text.find("\n---", 3)
    pairs: dict[str, str] = {}
    for line in text[4 : max(end, 0)].split("\n"):
        key, colon, value = line.partition(":")
        if colon:
            pairs.setdefault(key.strip(), value.strip())
    return pairs
