"""Propose facts for the file that every agent of a repository reads, and write them into it.

It is written in the work tree and never committed: what a person has not committed stays as it is. A file
that is a link, a folder or no text is not touched, and why is said instead.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from ledger.codec.outline import document_text
from ledger.errors import StorageFailed, WriteRefused
from ledger.escape import prose
from ledger.git.code_history import Code
from ledger.model.event import Event, FactPromoted
from ledger.model.record import Record
from ledger.model.session import Entry
from ledger.wal.atomic_files import make_folder, plain_bytes, replace_file
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.lifecycle.promotion import (
    PROMOTE,
    Score,
    candidates,
    scores,
    sessions_using,
    undocumented,
    words,
)
from projection.lifecycle.review_due import key_of, raised_threads
from projection.text.normalize import plain
from rituals.review.code_questions import evidence_questions
from rituals.review.questions import LEARN, PROMOTION, Question, question

#: Files that agents read at every start, best first.
READ_FIRST = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")
#: Where promoted facts stand in the file.
HEADING = "## Learned"
#: No file for agents is longer.
_FILE_BYTES = 1 << 20
_DOCUMENTS = (".md", ".mdx", ".mdc", ".rst", ".txt", ".adoc")
_MARKS = ("undocumented", "reusable", "specific", "used", "unlike")
#: The most documents that are read, nearest to the top first; the most facts that are offered at once.
_MOST_DOCUMENTS, _MOST = 400, 3
_PROMOTED = "it was promoted, and no document has it"


def score_facts(
    state: State, standings: Sequence[Standing], entries: Sequence[Entry], code: Code | None
) -> tuple[Score, ...]:
    """Score the facts that could be promoted; documents are read only where there are some.

    `standings` are all facts of the ledger; `entries` are its logs, in any order.
    """
    if not candidates(standings):
        return ()
    documents = documents_of(code)
    window = state.policy.windows.archive
    since = state.work[-window] if len(state.work) > window else ""
    users = sessions_using(entry for entry in entries if entry.stem >= since)
    return scores(
        standings, None if documents is None else documents.values(), users, sessions_using(entries)
    )


def documents_of(code: Code | None) -> dict[str, str] | None:
    """Return the texts of the code's documents by path, nearest to the top first; None without code."""
    if code is None:
        return None
    files = code.files()
    paths = sorted((path.count("/"), path) for path in files if path.endswith(_DOCUMENTS))
    chosen = [path for _, path in paths[:_MOST_DOCUMENTS]]
    texts = code.contents([files[path] for path in chosen])
    return {path: text for path in chosen if (text := document_text(texts.get(files[path], b"")))}


def promotion_questions(
    scored: Sequence[Score], state: State, doubted: AbstractSet[str], files: Mapping[str, str]
) -> Iterator[Question]:
    """Ask about the facts that are worth promoting.

    `doubted` has the ids that another question is about already; `files` has the paths of the code.
    """
    for score in scored:
        fact = state.fact(score.id)
        if score.proposal == PROMOTE and fact is not None and fact.id not in doubted:
            marks = ", ".join([f"{name} {getattr(score, name)}" for name in _MARKS])
            where = target_file(files)
            yield question(
                PROMOTION, fact.id, said=f"{fact.id} is worth promoting to {where}.",
                evidence=(f"{score.total} of 10: {marks}",),
                proposal=f"write it into {where}, and keep it as core",
                accept=(FactPromoted(fact.id),),
            )  # fmt: skip


class Promotion(Record):
    """A fact that is worth a place in a file, and what would become of the file."""

    fact: str  #: its id
    text: str  #: of it
    path: str  #: of the file, from the top of the work tree
    before: bytes | None  #: its bytes; None where there is none
    question: Question  #: by which it is asked and remembered
    diff: tuple[str, ...]  #: of the file
    refused: str = ""  #: why it can not be written, "" where it can

    @property
    def key(self) -> str:
        """By which it is known for good."""
        return self.question.key


def promotions(
    top: str,
    state: State,
    entries: Sequence[Entry],
    code: Code,
    paragraphs: Sequence[frozenset[str]],
    answered: AbstractSet[str],
) -> list[Promotion]:
    """Offer the facts that a review found worth promoting, or that were, and that no document has.

    None that the code belies by now is offered. `top` is of the work tree, `entries` are the logs of the
    ledger, `paragraphs` the words of the documents of the code, `answered` the keys of what was answered.
    """
    standings = tuple(state.standings())
    scored = score_facts(state, standings, entries, code)
    likely = {one.id for one in scored if one.proposal == PROMOTE}
    looked_at = [one for one in standings if one.fact.id in likely or one.fact.promoted]
    if not looked_at:
        return []
    files, promoted = code.files(), {one.fact.id for one in standings if one.fact.promoted}
    out = {name for one in evidence_questions(looked_at, code) for name in one.facts}
    for thread in raised_threads(one.fact for one in standings):
        if thread.rule == PROMOTION and thread.closed:  # rejected, as none that was accepted is
            out.update(set(thread.about) - promoted)
    asked = promotion_questions(scored, state, out, files)
    worth = {one.facts[0]: one.evidence for one in asked}
    for standing in standings:
        if standing.live and standing.fact.promoted and standing.fact.id not in out:
            worth.setdefault(standing.fact.id, (_PROMOTED,))
    there = {**files, **{name: "" for name in READ_FIRST if os.path.lexists(f"{top}/{name}")}}
    offered: list[Promotion] = []
    for name, evidence in worth.items():
        fact = state.fact(name)
        if fact is None or fact.redacted or fact.false or len(fact.heads) != 1:
            continue
        if key_of(LEARN, PROMOTION, name) not in answered and undocumented(
            words(fact.text), paragraphs
        ):
            offered.append(_promotion(top, fact, target_file(there), evidence))
    return offered[:_MOST]


def _promotion(top: str, fact: Fact, path: str, evidence: tuple[str, ...]) -> Promotion:
    before, refused = read_file(top, path)
    after = before or b"" if refused else with_fact(before, fact.text)
    old, new = [
        [line.decode("utf-8", "replace") for line in data.splitlines()]
        for data in (before or b"", after)
    ]
    name = path if before is not None else "/dev/null"
    events: tuple[Event, ...] = () if fact.promoted else (FactPromoted(fact.id),)
    asked = question(
        LEARN, PROMOTION, fact.id, facts=(fact.id,), said=f"{fact.id} is worth a place in {path}.",
        evidence=evidence, proposal=f"write it into {path}, and keep it as core", accept=events,
    )  # fmt: skip
    diff = tuple(difflib.unified_diff(old, new, name, path, lineterm="", n=1))
    return Promotion(fact.id, fact.text, path, before, asked, diff, refused)


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
