"""Find the files of the agent-memory layout; the one place that reads them from disk.

Read from the work tree, one system call sequence a file and nothing else: ten thousand logs are read in
the time in which git reads them. A link is followed only while it stays inside the folder that was
given; what is no ordinary file is reported and not opened.
"""

from __future__ import annotations

import os
import stat

from ledger.errors import DiurnaError, NotFound
from ledger.model.findings import Finding
from ledger.model.order import is_stem
from ledger.model.record import Record

FOLDER = "memory"
CONTINUITY = "continuity.md"
POLICY = "decay-policy.md"
VISION = "vision.md"
SESSIONS = "sessions"
ARCHIVE = "archive"
ARCHIVE_INDEX = "archive/INDEX.md"
THREADS = "open-threads"
QUESTIONS = "smoke-test.md"
#: What an agent of that layout reads beside the memory; Diurna does not.
BESIDE = ("PROTOCOL.md", "instructions.md")
FILE_LIMIT_BYTES = 16 << 20
_CHUNK_BYTES = 1 << 16
_OUTSIDE = "a link that leads out of the memory folder; not followed"

_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_OPEN |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class TooLarge(DiurnaError):
    """A file of the ledger is too large to be one that a person or an agent wrote."""

    def __init__(self, path: str, size_bytes: int) -> None:
        super().__init__(
            f"{size_bytes} bytes are more than the {FILE_LIMIT_BYTES} that Diurna reads of one file",
            where=path,
            hint="nothing was changed; move the file elsewhere if it is no part of the memory",
        )


class AgentMemory(Record):
    """The bytes of a ledger in the agent-memory layout; a file that is not there is empty.

    `root` is the real path of the folder that holds `continuity.md`; all names are relative to it,
    with forward slashes. `logs` are (stem, bytes) of every `sessions/*.md` in the order of the
    stems, whatever their names; `archive` and `threads` are (file, bytes) in the order of names;
    `beside` names files of the layout that are not read.
    """

    root: str
    logs: tuple[tuple[str, bytes], ...]
    continuity: bytes
    policy: bytes
    vision: bytes
    archive: tuple[tuple[str, bytes], ...]
    threads: tuple[tuple[str, bytes], ...]
    findings: tuple[Finding, ...] = ()
    questions: bytes = b""
    beside: tuple[str, ...] = ()


def text_of(data: bytes) -> str:
    """Decode a file of the layout; what is not UTF-8 becomes U+FFFD."""
    return data.decode("utf-8-sig", "replace")


def find(directory: str) -> str:
    """Find the memory folder: `directory` itself or the `memory` in it; return its real path.

    Raises:
        NotFound: neither holds a `continuity.md` or a session log.
    """
    given = os.path.realpath(directory)
    for candidate in (os.path.join(given, FOLDER), given):
        root = os.path.realpath(candidate)
        if _inside(given, root) and _is_layout(root):
            return root
    raise NotFound(
        f"{directory} is no ledger in the agent-memory layout",
        hint=f"name the folder that holds {CONTINUITY} and {SESSIONS}/, or the one that holds "
        f"{FOLDER}/; for a new ledger run `diurna init`",
    )


def read(directory: str) -> AgentMemory:
    """Read a whole ledger in the agent-memory layout: in a folder that holds `memory/`, or in that itself.

    Raises:
        NotFound: it is no such layout.
        TooLarge: one of its files is over `FILE_LIMIT_BYTES`.
        DiurnaError: one of its files can not be read.
    """
    root = find(directory)
    findings: list[Finding] = []

    def single(name: str) -> bytes:
        return _file(root, f"{root}/{name}", name, findings) or b""

    def folder(name: str) -> tuple[tuple[str, bytes], ...]:
        return tuple(sorted(_folder(root, name, findings)))

    logs = [(name[len(SESSIONS) + 1 : -3], data) for name, data in folder(SESSIONS)]
    return AgentMemory(
        root, tuple(sorted(logs)), single(CONTINUITY), single(POLICY), single(VISION),
        folder(ARCHIVE), folder(THREADS), questions=single(QUESTIONS),
        beside=tuple([name for name in BESIDE if os.path.isfile(f"{root}/{name}")]),
        findings=tuple(sorted(findings)),
    )  # fmt: skip


def _is_layout(root: str) -> bool:
    if os.path.isfile(os.path.join(root, CONTINUITY)):
        return True
    try:
        with os.scandir(os.path.join(root, SESSIONS)) as entries:
            return any(e.name.endswith(".md") and is_stem(e.name[:-3]) for e in entries)
    except OSError:
        return False


def _inside(root: str, path: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _folder(root: str, name: str, findings: list[Finding]) -> list[tuple[str, bytes]]:
    """Read every `*.md` that stands in a folder (not below it), in no order."""
    folder = os.path.join(root, name)
    if not _inside(root, os.path.realpath(folder)):
        findings.append(_not_read(name, _OUTSIDE))
        return []
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(".md"):
                    continue
                shown = entry.name.encode("utf-8", "replace").decode()  # a name may be no text
                file = f"{name}/{shown}"
                plain = entry.is_file(follow_symlinks=False)
                read = (
                    _bytes(entry.path, file) if plain else _file(root, entry.path, file, findings)
                )
                if read is not None:
                    found.append((file, read))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unreadable(name, error) from error
    return found


def _file(root: str, path: str, name: str, findings: list[Finding]) -> bytes | None:
    """Read a file that may be a link, or none at all; report what is not read."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(name, error) from error
    target = os.path.realpath(path) if stat.S_ISLNK(mode) else path
    if not _inside(root, target):
        findings.append(_not_read(name, _OUTSIDE))
    elif not (os.path.isfile(target) if target != path else stat.S_ISREG(mode)):
        findings.append(_not_read(name, "not an ordinary file; not read"))
    else:
        return _bytes(target, name)
    return None


def _bytes(path: str, name: str) -> bytes:
    """Read one ordinary file, never more of it than the limit."""
    try:
        with open(os.open(path, _OPEN), "rb", buffering=0) as file:
            data = file.read(_CHUNK_BYTES) or b""
            size = len(data)
            if size == _CHUNK_BYTES:  # an ordinary file is read short only at its end
                size = os.fstat(file.fileno()).st_size
                if size <= FILE_LIMIT_BYTES:
                    data += file.read(FILE_LIMIT_BYTES) or b""
                    size = len(data)
    except OSError as error:
        raise _unreadable(name, error) from error
    if size > FILE_LIMIT_BYTES:
        raise TooLarge(name, size)
    return data


def _unreadable(name: str, error: OSError) -> DiurnaError:
    return DiurnaError(
        f"can not be read: {error.strerror or error}",
        where=name,
        hint="nothing was changed; make the file readable and run the command again",
    )


def _not_read(name: str, why: str) -> Finding:
    return Finding("not-a-file", why, name)
