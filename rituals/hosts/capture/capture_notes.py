"""Keep the last attempts to capture a session, and what an extractor answered until a log has it.

An answer that was paid for is not asked for twice: a part of a session that could not be recorded is
recorded with the same answer the next time.
"""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.model.record import Record
from ledger.model.session import Span
from ledger.wal.atomic_files import Lock, make_folder, replace_file, try_unlink
from rituals.hosts.extraction import Extraction
from rituals.hosts.moments import CAPTURED_DIR, captured_file
from rituals.hosts.payloads import (
    fields_of,
    read_file,
    read_object,
    read_start,
    record_of,
    write_object,
)
from rituals.hosts.quoted_items import Item

KEPT = 50
#: What became of an attempt: a log, or a fault.
WRITTEN, FAILED = "written", "failed"
_PATIENCE_SECONDS = 2.0
_SAID_CHARS, _BYTES = 300, 1 << 20


class Attempt(Record):
    """One attempt to tell a part of a session."""

    at: int  #: milliseconds since 1970
    host: str  #: key of `HOSTS`
    session: str  #: the host's id
    why: str  #: the event that made it due, "asked" for a person
    outcome: str  #: `WRITTEN` or `FAILED`
    extractor: str = ""  #: that was asked, "" for none
    ms: int = 0  #: that it took
    observed: int = 0  #: how many observations it had
    facts: int = 0  #: how many facts were recorded, or wait for a person
    known: int = 0  #: how many memory had already
    used: int = 0  #: how many facts it used
    personal: int = 0  #: how many facts a model called personal: no log has them that others read
    owned: int = 0  #: how many facts of it are in the user's own home
    dropped: int = 0  #: how many nobody had said
    quoted: int = 0  #: how many sentences repeat what the person typed, and are in no log
    withheld: int = 0  #: how many secrets there were; the lines that had them are in no log
    said: str = ""  #: why it failed


_SAMPLE = Attempt(0, "", "", "", "")


def note_attempt(commondir: str, attempt: Attempt) -> None:
    """Keep an attempt; a disk that refuses is no reason to fail."""
    folder = f"{commondir}/{CAPTURED_DIR}"
    try:
        make_folder(folder)
        with Lock(f"{folder}/attempts.lock", _PATIENCE_SECONDS):
            kept = (*attempts(commondir), attempt._replace(said=attempt.said[:_SAID_CHARS]))
            lines = [write_object(fields_of(one)) for one in kept]
            text = "".join([f"{line}\n" for line in lines[-KEPT:]])
            replace_file(f"{folder}/attempts.jsonl", text.encode(), 0o600)
    except (DiurnaError, OSError):
        pass


def attempts(commondir: str) -> tuple[Attempt, ...]:
    """Return the attempts that are kept, oldest first; a line that can not be read is none."""
    lines = read_start(f"{commondir}/{CAPTURED_DIR}/attempts.jsonl", _BYTES).splitlines()
    found = [record_of(_SAMPLE, read_object(line)) for line in lines]
    return tuple([one for one in found if one is not None])


#: Of whose types the fields are.
_SPAN, _FOUND, _ITEM = Span("", 0, 0), Extraction((), ""), Item("", "", "")


class Answer(Record):
    """What an extractor found in a part of a transcript."""

    span: Span
    extraction: Extraction


def kept_answer(commondir: str, host: str, session: str, name: str, start: int) -> Answer | None:
    """Return the answer that is kept for the part of the transcript `name` that begins at byte `start`."""
    said = read_file(captured_file(commondir, host, session, ".answer"))
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
    path = captured_file(commondir, host, session, ".answer")
    said = fields_of(answer.span) | fields_of(answer.extraction)
    said["items"] = [fields_of(item) for item in answer.extraction.items]
    replace_file(path, write_object(said).encode(), 0o600)


def drop_answer(commondir: str, host: str, session: str) -> None:
    """Let go of the answer that is kept: a log has it."""
    try_unlink(captured_file(commondir, host, session, ".answer"))
