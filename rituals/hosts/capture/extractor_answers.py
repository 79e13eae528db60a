"""Keep what an extractor answered until a log has it, beside the ledger.

An answer that was paid for is not asked for twice: a part of a session that could not be recorded is
recorded with the same answer the next time.
"""

from __future__ import annotations

import os

from ledger.model.captured_reach import Span
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, replace_file
from rituals.hosts.extraction.extracted_items import Extraction, Item
from rituals.hosts.moments import CAPTURED_DIR, file_name
from rituals.hosts.payloads import fields_of, read_file, record_of, write_object

#: Of whose types the fields are.
_SPAN, _FOUND, _ITEM = Span("", 0, 0), Extraction((), ""), Item("", "", "")


class Answer(Record):
    """What an extractor found in a part of a transcript."""

    span: Span
    extraction: Extraction


def kept_answer(commondir: str, host: str, session: str, name: str, start: int) -> Answer | None:
    """Return the answer that is kept for the part of the transcript `name` that begins at byte `start`."""
    said = read_file(_answer_path(commondir, host, session))
    span, listed = record_of(_SPAN, said), said.get("items")
    found = record_of(_FOUND, {**said, "items": ()})
    items = [record_of(_ITEM, one) for one in listed] if isinstance(listed, list) else [None]
    whole = tuple([one for one in items if one is not None])
    if span is None or found is None or len(whole) < len(items):
        return None
    return Answer(span, found._replace(items=whole)) if span[:2] == (name, start) else None


def keep_answer(commondir: str, host: str, session: str, answer: Answer) -> None:
    """Keep an answer.

    Raises:
        StorageFailed: the disk refused.
    """
    path = _answer_path(commondir, host, session)
    said = fields_of(answer.span) | fields_of(answer.extraction)
    said["items"] = [fields_of(item) for item in answer.extraction.items]
    make_folder(os.path.dirname(path))
    replace_file(path, write_object(said).encode(), 0o600, durable=True)


def drop_answer(commondir: str, host: str, session: str) -> None:
    """Let go of the answer that is kept: a log has it."""
    try:
        os.unlink(_answer_path(commondir, host, session))
    except OSError:
        pass


def _answer_path(commondir: str, host: str, session: str) -> str:
    return f"{commondir}/{CAPTURED_DIR}/{file_name(host, session)}.answer"
