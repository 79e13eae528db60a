"""Ask git for the messages of commits, by the beginnings of their ids."""

from __future__ import annotations

from contextlib import contextmanager

from ledger.errors import DiurnaError
from ledger.git.git_objects import Objects
from ledger.git.repository import find_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.git.repository import Repository
    from rituals.hosts.capture.commit_texts import MessageOf

_BYTES = 64 << 10


@contextmanager
def commit_messages(folder: str, home: Repository) -> Iterator[MessageOf]:
    """Give what tells a commit's message, "" where git does not have it; only a question starts git.

    Git is asked where the session works, in `folder` ("" for unknown), else in `home`.
    """
    running: list[Objects] = []

    def message_of(oid: str) -> str:
        try:
            if not running:
                found = find_repository(folder) if folder else None
                running.append(Objects((found or home).git()))
            data = running[0].read(oid, _BYTES)
        except (DiurnaError, OSError):
            return ""
        head, _, message = data.partition(b"\n\n")
        return message.decode("utf-8", "replace") if head.startswith(b"tree ") else ""

    try:
        yield message_of
    finally:
        for one in running:
            one.__exit__(None, None, None)
