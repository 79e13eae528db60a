"""Choose facts for the file that every agent of a repository reads, and write one into it.

It is written in the work tree and never committed: what a person has not committed stays as it is. A file
that is a link, a folder or no text is not touched, and why is said instead.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Iterator, Sequence
from collections.abc import Set as AbstractSet

from ledger.codec.outline import document_text
from ledger.errors import WriteRefused
from ledger.escape import prose
from ledger.git.code_history import Code
from ledger.model.event import FactPromoted
from ledger.model.session import Entry
from ledger.wal.atomic_files import plain_bytes, replace_file
from projection.fold.full_replay import State
from projection.fold.live_view import Standing
from projection.lifecycle.promotion import (
    Worth,
    candidates,
    paragraphs_of,
    sessions_using,
    worth_promoting,
)
from projection.text.normalize import plain
from rituals.review.questions import PROMOTION, Question, question

#: Files that agents read at every start, best first.
READ_FIRST = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
#: Where promoted facts stand in the file.
HEADING = "## Learned"
#: No file for agents is longer.
_FILE_BYTES = 1 << 20
_DOCUMENTS = (".md", ".mdx", ".mdc", ".rst", ".txt", ".adoc")
#: The most documents that are read, nearest to the top first.
_MOST_DOCUMENTS = 400
Paragraphs = Callable[[], Sequence[frozenset[str]]]


def worth_a_place(
    state: State, standings: Sequence[Standing], entries: Sequence[Entry], said: Paragraphs
) -> tuple[Worth, ...]:
    """Return the facts that are worth promoting; documents are read only where some could be.

    `standings` are all facts of the ledger; `entries` are its logs, in any order; `said` gives what its
    documents say (`paragraphs_in`).
    """
    if not candidates(standings):
        return ()
    window = state.policy.windows.archive
    since = state.work[-window] if len(state.work) > window else ""
    users = sessions_using(entry for entry in entries if entry.stem >= since)
    return worth_promoting(standings, said(), users, sessions_using(entries))


def paragraphs_in(code: Code | None) -> list[frozenset[str]]:
    """Return the words of each paragraph of the code's documents; none where there is no code."""
    if code is None:
        return []
    files = code.files()
    paths = sorted((path.count("/"), path) for path in files if path.endswith(_DOCUMENTS))
    chosen = [path for _, path in paths[:_MOST_DOCUMENTS]]
    texts = code.contents([files[path] for path in chosen])
    return paragraphs_of(document_text(texts.get(files[path], b"")) or "" for path in chosen)


def promotion_questions(
    found: Sequence[Worth], state: State, doubted: AbstractSet[str], files: Container[str]
) -> Iterator[Question]:
    """Ask about the facts that are worth promoting.

    `doubted` has the ids that another question is about already; `files` has the paths of the code.
    """
    for one in found:
        fact = state.fact(one.id)
        if fact is not None and fact.id not in doubted:
            where, who = (
                target_file(files),
                f"{one.agents} agents" if one.agents > 1 else "one agent",
            )
            yield question(
                PROMOTION, fact.id, said=f"{fact.id} is worth promoting to {where}.",
                evidence=(f"used by {who} in {one.sessions} sessions lately, and no document has it",),
                proposal=f"write it into {where}, and keep it as core",
                accept=(FactPromoted(fact.id),),
            )  # fmt: skip


def target_file(files: Container[str]) -> str:
    """Return the file in which agents would read a fact: the first that is there, else `AGENTS.md`."""
    return next((name for name in READ_FIRST if name in files), READ_FIRST[0])


def read_file(file: str) -> tuple[bytes | None, str]:
    """Read the file that a fact goes into.

    Returns:
        Its bytes, None where there is none; and why it can not be written, "" where it can.
    """
    try:
        there = os.lstat(file)
    except FileNotFoundError:
        return None, ""
    if not stat.S_ISREG(there.st_mode):
        return None, "it is a link" if stat.S_ISLNK(there.st_mode) else "it is no ordinary file"
    data = plain_bytes(file) if there.st_size <= _FILE_BYTES else b"\0"
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


def write_file(file: str, before: bytes | None, facts: Sequence[str]) -> bytes | None:
    """Write facts into a file that is as it was read; return the bytes that it has now.

    Raises:
        WriteRefused: the file can not be written, or is another one than it was; nothing changed.
        StorageFailed: the disk refused; nothing changed.
    """
    (data, refused), name = read_file(file), os.path.basename(file)
    if refused:
        hint = "put an ordinary file there, or write the line yourself"
        raise WriteRefused(f"{name}: {refused}", hint=hint)
    if data != before:
        hint = "run `diurna review --learn` again"
        raise WriteRefused(f"{name} was changed meanwhile", hint=hint)
    after = data
    for fact in facts:
        after = with_fact(after, fact)
    if after is not None and after != data:
        mode = stat.S_IMODE(os.lstat(file).st_mode) if data is not None else 0o644
        replace_file(file, after, mode, durable=True)
    return after
