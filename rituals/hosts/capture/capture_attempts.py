"""Keep the last attempts to capture a session, for `diurna doctor` and whoever wonders."""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.model.record import Record
from ledger.wal.atomic_files import Lock, make_folder, replace_file
from rituals.hosts.moments import CAPTURED_DIR
from rituals.hosts.payloads import fields_of, read_object, read_start, record_of, write_object

KEPT = 50
#: What became of an attempt: a log, nothing to write, no log, or a fault.
WRITTEN, NOTHING, FAILED = "written", "nothing", "failed"
_PATIENCE_SECONDS = 2.0
_SAID_CHARS = 300


class Attempt(Record):
    """One attempt to tell a part of a session."""

    at: int  #: milliseconds since 1970
    host: str  #: key of `HOSTS`
    session: str  #: the host's id
    why: str  #: the event that made it due, "asked" for a person
    outcome: str  #: `WRITTEN`, `NOTHING` or `FAILED`
    extractor: str = ""  #: that was asked, "" for none
    ms: int = 0  #: that it took
    observed: int = 0  #: how many observations it had
    facts: int = 0  #: how many facts were recorded, or wait for a person
    known: int = 0  #: how many memory had already
    used: int = 0  #: how many facts it used
    personal: int = 0  #: how much was about a person, and stands in no log that others read
    owned: int = 0  #: how many facts of it are in the user's own home
    dropped: int = 0  #: how many nobody had said
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
    lines = read_start(f"{commondir}/{CAPTURED_DIR}/attempts.jsonl", 1 << 20).splitlines()
    found = [record_of(_SAMPLE, read_object(line)) for line in lines]
    return tuple([one for one in found if one is not None])
