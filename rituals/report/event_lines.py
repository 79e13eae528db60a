"""Export every event of a ledger: a first line about the whole, then a line for each log, in ledger order.

As a `git clone` or `diurna sync` does, it carries the logs whole: also the words of what was redacted,
together with the log that says so, until the logs themselves are taken out of the history.

A line holds where the log stands, and its bytes: they alone are read by an import, and the blob id beside
them tells of any that changed. For other programs there are its header, title and prose, and its events
with all of their fields.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from typing import Any

from ledger.codec.log import decode
from ledger.model.event import VERB_OF
from ledger.model.ids import blob_id
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.log_names import breaks_seal, is_sealed, is_stem, log_path
from ledger.model.record import Record
from ledger.model.session import LOG_LIMIT_BYTES
from memory import Memory, read_bytes

#: How many logs are read from git at once.
_PART = 500
#: Of the form of these lines.
VERSION = 1
#: What the first line calls itself.
KIND = "diurna-events"
#: No line is longer: a log of the largest size, each byte of it escaped, twice.
LINE_LIMIT_BYTES = 13 * LOG_LIMIT_BYTES


class Carried(Record):
    """A log on its way: where it stands, and its bytes."""

    path: str
    data: bytes

    @property
    def stem(self) -> str:
        """Its name."""
        return stem_of(self.path)

    @property
    def blob(self) -> str:
        """The id of its bytes in git."""
        return blob_id(self.data)


def event_lines(memory: Memory, progress: Callable[[int, int], None]) -> Iterator[str]:
    """Yield the lines of what is committed, each with its line end.

    Progress is told how many of how many logs are written.
    """
    snapshot = memory.snapshot.tip
    policy, summary, refs, redacted = snapshot.ask(
        lambda cache: (cache.policy, cache.summary, cache.log_refs(), len(cache.redacted))
    )
    head = {
        "kind": KIND,
        "version": VERSION,
        "project": policy.project,
        "logs": len(refs),
        "newest": summary.newest,
        "digest": summary.digest,
        "redacted": redacted,
    }
    yield json.dumps(head) + "\n"
    done = 0
    for start in range(0, len(refs), _PART):
        part = refs[start : start + _PART]
        found = dict(read_bytes(memory.home, part))
        for ref in part:
            if ref in found:
                yield log_line(ref.path, found[ref]) + "\n"
        done += len(part)
        progress(done, len(refs))


def log_line(path: str, data: bytes) -> str:
    """Write a log as a line, in ASCII and without its line end."""
    stem = stem_of(path)
    log, _ = decode(data, sealed=is_sealed(stem))
    said: dict[str, Any] = {
        "path": path,
        "stem": stem,
        "blob": blob_id(data),
        "header": dict(log.header),
        "title": log.title,
        "prose": log.prose,
        "events": [
            {"verb": VERB_OF[type(one)], **dict(zip(one._fields, one, strict=True))}
            for one in log.events
        ],
    }
    try:
        said["text"] = data.decode("utf-8")
    except UnicodeDecodeError:
        said["base64"] = base64.b64encode(data).decode("ascii")
    return json.dumps(said)


def read_line(line: bytes) -> Carried:
    """Read a line that tells of a log.

    Raises:
        ValueError: it is none, or not the log that it names; says why.
    """
    said = read_object(line)
    path, blob = said.get("path"), said.get("blob")
    if not isinstance(path, str) or not isinstance(blob, str):
        raise ValueError("it names no path and no blob id")
    stem = stem_of(path)
    parts = path.split("/")
    if parts[0] != SESSIONS_DIR or not is_stem(stem) or "" in parts or {".", ".."} & set(parts):
        raise ValueError(f"{path[:80]!r} is no place of a session log")
    if any(char < " " or char in "\\\x7f" for char in path):
        raise ValueError("its path holds a control character or a backslash")
    if is_sealed(stem) and "twins" not in parts and path != log_path(stem):
        raise ValueError(f"{path[:80]!r} is not where a log of that name belongs")
    data = _bytes(said)
    if len(data) > LOG_LIMIT_BYTES:
        raise ValueError(f"its log has {len(data)} bytes; the limit is {LOG_LIMIT_BYTES}")
    if blob_id(data) != blob:
        raise ValueError("what it says is not the log that its blob id names")
    if breaks_seal(stem, data):
        raise ValueError(f"its log is not the one that the name {stem} was sealed with")
    return Carried(path, data)


def read_object(line: bytes) -> dict[str, Any]:
    """Read a line as a JSON object.

    Raises:
        ValueError: it is none.
    """
    if len(line) > LINE_LIMIT_BYTES:
        raise ValueError(f"it is longer than {LINE_LIMIT_BYTES} bytes")
    try:
        said = json.loads(line.decode("utf-8"))
    except (UnicodeDecodeError, RecursionError, ValueError):
        raise ValueError("it is no JSON object") from None
    if not isinstance(said, dict):
        raise ValueError("it is no JSON object")
    return said


def _bytes(said: dict[str, Any]) -> bytes:
    if isinstance(said.get("text"), str):
        return str(said["text"]).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(said["base64"], validate=True)
    except (KeyError, TypeError, binascii.Error, ValueError):
        raise ValueError("it holds no bytes of a log") from None
