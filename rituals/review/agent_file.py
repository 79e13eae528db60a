"""Write facts into the files that every agent of a repository reads.

Such a file is written in the work tree and never committed: what a person has not committed stays as it
is. A file that is a link, a folder or no text is not touched, and why is said instead.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Container

from ledger.errors import StorageFailed, WriteRefused
from ledger.escape import prose
from ledger.wal.atomic_files import make_folder, plain_bytes, replace_file
from projection.text.normalize import plain

#: Files that agents read at every start, best first.
READ_FIRST = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")
#: Where promoted facts stand in the file.
HEADING = "## Learned"
#: No file for agents is longer.
_FILE_BYTES = 1 << 20


def target_file(files: Container[str]) -> str:
    """Return the file in which agents would read a fact: the first that is there, else `AGENTS.md`."""
    return next((name for name in READ_FIRST if name in files), READ_FIRST[0])


def read_file(top: str, path: str) -> tuple[bytes | None, str]:
    """Read the file that a fact goes into.

    Returns:
        Its bytes, None where there is none; and why it can not be written, "" where it can.
    """
    at = top
    for part in path.split("/")[:-1]:
        at = f"{at}/{part}"
        if os.path.islink(at) or (os.path.lexists(at) and not os.path.isdir(at)):
            return None, f"{os.path.relpath(at, top)} is a link, or no folder"
    try:
        there = os.lstat(f"{top}/{path}")
    except FileNotFoundError:
        return None, ""
    except OSError as problem:
        return None, str(problem.strerror)
    if not stat.S_ISREG(there.st_mode):
        link = stat.S_ISLNK(there.st_mode)
        return None, "it is a link" if link else "it is no ordinary file"
    data = plain_bytes(f"{top}/{path}") if there.st_size <= _FILE_BYTES else b"\0"
    if data is None:
        return None, "it can not be read"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data, "it is not text in UTF-8"
    return data, "it is no text, or too long" if "\0" in text else ""


def with_fact(data: bytes | None, fact: str) -> bytes:
    """Return a file with a fact behind the others under our heading; as it is where it has that text.

    `data` is None where there is no file; `fact` is the text, which is made an item of nothing but text.
    """
    item = "- " + "\n  ".join([line for line in map(prose, fact.split("\n")) if line])
    text, said = (data or b"").decode("utf-8"), plain(item.removeprefix("- "))
    written = "\n" + text.replace("\r\n", "\n") + "\n"
    if (said and f" {said} " in f" {plain(text)} ") or f"\n{item}\n" in written:
        return data or b""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines, item = text.split("\n"), item.replace("\n", newline)
    at = next((number for number, line in enumerate(lines) if line.rstrip() == HEADING), -1)
    if at < 0:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return (text + gap + newline.join((HEADING, "", item, ""))).encode()
    end = at + 1
    while end < len(lines) and not lines[end].startswith(("# ", "## ", "<!--")):
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    bare = newline.removesuffix("\n")
    begun = [] if end > at + 1 else [bare]
    item += bare if end < len(lines) else ""
    return "\n".join([*lines[:end], *begun, item, *lines[end:]]).encode()


def write_file(top: str, path: str, before: bytes | None, fact: str) -> bytes:
    """Write a fact into a file that is as it was read; return the bytes that it has now.

    Raises:
        WriteRefused: the file can not be written, or is another one than it was; nothing changed.
        StorageFailed: the disk refused; nothing changed.
    """
    data, refused = read_file(top, path)
    if refused:
        hint = "put an ordinary file there, or write the line yourself"
        raise WriteRefused(f"{path}: {refused}", hint=hint)
    if data != before:
        hint = "run `diurna review --learn` again"
        raise WriteRefused(f"{path} was changed meanwhile", hint=hint)
    after, file = with_fact(data, fact), f"{top}/{path}"
    if after != data:
        mode = stat.S_IMODE(os.lstat(file).st_mode) if data is not None else 0o644
        if "/" in path:
            make_folder(os.path.dirname(file), 0o755)
        replace_file(file, after, mode, durable=True)
    return after


def put_back(top: str, path: str, before: bytes | None, written: bytes) -> None:
    """Put a file back as it was, unless somebody wrote into it since; a new one goes again."""
    file = f"{top}/{path}"
    try:
        if read_file(top, path) != (written, ""):
            return
        if before is None:
            os.unlink(file)
        elif before != written:
            replace_file(file, before, stat.S_IMODE(os.lstat(file).st_mode))
    except (OSError, StorageFailed, WriteRefused):
        pass  # what was in the way of the log is said; the file has one line more
