"""Note what failed in a hook, where `diurna doctor` reads it: the agent never sees it."""

from __future__ import annotations

import os
import time

from ledger.environment import now_seconds
from ledger.model.layout import HOOK_FAULTS_FILE
from ledger.model.record import Record
from rituals.hosts.payloads import open_file, read_start

_LINE_CHARS = 300
#: A file of more bytes than that becomes the old one, and a new one is begun.
_FILE_BYTES = 1 << 16


class Fault(Record):
    """A hook that failed."""

    at: str  #: when, as `YYYY-MM-DDTHH:MM:SSZ`
    said: str  #: which one, and why


def note(commondir: str, said: str) -> None:
    """Note a fault in one line, secrets in it replaced; a disk that refuses is no reason to fail."""
    from ledger.secrets.scanner import without_secrets

    path = f"{commondir}/{HOOK_FAULTS_FILE}"
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_seconds()))
    line = f"{at} {without_secrets(' '.join(said.split())[:_LINE_CHARS])}\n"
    try:
        if os.path.exists(path) and os.path.getsize(path) > _FILE_BYTES:
            os.replace(path, path + ".old")
        fd = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(fd, line.encode("utf-8", "replace"))
        finally:
            os.close(fd)
    except OSError:
        pass


def faults(commondir: str) -> list[Fault]:
    """Return what failed, oldest first."""
    said = read_start(f"{commondir}/{HOOK_FAULTS_FILE}", 2 * _FILE_BYTES)
    pairs = [line.partition(" ") for line in said.decode("utf-8", "replace").splitlines()]
    return [Fault(at, why) for at, _, why in pairs if why]
