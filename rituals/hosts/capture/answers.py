"""Keep what an extractor answered until a log has it, beside the ledger.

An answer that was paid for is not asked for twice: a part of a session that could not be recorded is
recorded with the same answer the next time.
"""

from __future__ import annotations

import json
import os

from ledger.model.reach import Span
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, replace_file
from rituals.hosts.capture.stamps import CAPTURED_DIR
from rituals.hosts.extraction.items import Extraction, Item
from rituals.hosts.moments import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_FILE_BYTES = 4 << 20


class Answer(Record):
    """What an extractor found in a part of a transcript."""

    span: Span
    extraction: Extraction


def kept_answer(commondir: str, host: str, session: str, name: str, start: int) -> Answer | None:
    """Return the answer that is kept for the part of a transcript that begins there.

    Args:
        commondir: the common git directory.
        host: key of `HOSTS`.
        session: the host's id.
        name: of the transcript.
        start: the first byte of the part.
    """
    said = _read(_answer_path(commondir, host, session))
    try:
        span = Span(str(said["name"]), int(said["start"]), int(said["end"]))
        items = tuple([_item(one) for one in said["items"]])
        found = Extraction(items, str(said["extractor"]), int(said["dropped"]), "", int(said["ms"]))
    except (ValueError, KeyError, TypeError):
        return None
    return Answer(span, found) if (span.name, span.start) == (name, start) else None


def keep_answer(commondir: str, host: str, session: str, answer: Answer) -> None:
    """Keep an answer.

    Raises:
        StorageFailed: the disk refused.
    """
    span, found = answer
    said = {**_plain(span), "extractor": found.extractor, "dropped": found.dropped, "ms": found.ms}
    _write(_answer_path(commondir, host, session), {**said, "items": _plain_items(found.items)})


def drop_answer(commondir: str, host: str, session: str) -> None:
    """Let go of the answer that is kept: a log has it."""
    try:
        os.unlink(_answer_path(commondir, host, session))
    except OSError:
        pass


def _answer_path(commondir: str, host: str, session: str) -> str:
    return f"{commondir}/{CAPTURED_DIR}/{file_name(host, session)}.answer"


def _read(path: str) -> dict[str, Any]:
    """Return the object that a file holds; an empty one where it holds none."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            said: Any = json.loads(file.read(_FILE_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _write(path: str, said: dict[str, object]) -> None:
    make_folder(os.path.dirname(path))
    replace_file(path, json.dumps(said, ensure_ascii=False).encode(), 0o600, durable=True)


def _plain(record: Any) -> dict[str, object]:
    return dict(zip(record._fields, record, strict=True))


def _plain_items(items: Iterable[Item]) -> list[dict[str, object]]:
    return [_plain(item) for item in items]


def _item(said: dict[str, Any]) -> Item:
    """Read an item.

    Raises:
        (TypeError, AttributeError): it is none.
    """
    values: dict[str, Any] = {
        key: tuple(one) if isinstance(one, list) else one for key, one in said.items()
    }
    item = Item(**values)
    for value, usual in zip(item, _PLAIN_ITEM, strict=True):
        inner = value if isinstance(value, tuple) else ()
        if type(value) is not type(usual) or not all(isinstance(one, str) for one in inner):
            raise TypeError("no item")
    return item


#: What each field of an item is of the type of.
_PLAIN_ITEM = Item("", "", "")
