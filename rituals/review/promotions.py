"""Propose facts for the files that every agent of a repository reads, and write them there.

Such a file is written in the work tree and never committed: what a person has not committed stays as it
is. A file that is a link, a folder or no text is not touched, and why is said instead.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from ledger.codec.plain_text import document_text
from ledger.errors import StorageFailed, WriteRefused
from ledger.escape import prose
from ledger.git.code_history import Code
from ledger.model.event import Event, FactPromoted
from ledger.model.record import Record
from ledger.model.session import Entry
from ledger.wal.atomic_files import make_folder, replace_file
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
from projection.lifecycle.review_threads import key_of, raised_threads
from projection.text.claims import FOLDER, PATH, claims
from projection.text.normalize import plain
from rituals.review.evidence.changed_files import evidence_questions
from rituals.review.review_question import LEARN, Question, question

_DOCUMENTS = (".md", ".mdx", ".mdc", ".rst", ".txt", ".adoc")
#: Files that agents read at every start, best first, and folders of rules.
READ_FIRST = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")
_RULE_FOLDERS = (".claude/rules/", ".cursor/rules/", ".github/instructions/")
_MARKS = ("undocumented", "reusable", "specific", "used", "unlike")
#: The most documents that are read, nearest to the top first.
_MOST_DOCUMENTS = 400
#: Where promoted facts stand in the file.
HEADING = "## Learned"
_PROMOTION = "promotion"
_PROMOTED = "it was promoted, and no document has it"
#: At most so many are offered at once; no file for agents is longer.
_MOST, _FILE_BYTES = 3, 1 << 20


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
    found: Sequence[Score], state: State, doubted: AbstractSet[str], files: Mapping[str, str]
) -> Iterator[Question]:
    """Ask about the facts that are worth promoting.

    `doubted` has the ids that another question is about already; `files` has the paths of the code.
    """
    for score in found:
        fact = state.fact(score.id)
        if score.proposal == PROMOTE and fact is not None and fact.id not in doubted:
            marks = ", ".join([f"{name} {getattr(score, name)}" for name in _MARKS])
            where = target_file(fact.text, files)
            yield question(
                "promotion", fact.id, said=f"{fact.id} is worth promoting to {where}.",
                evidence=(f"{score.total} of 10: {marks}",),
                proposal=f"write it into {where}, and keep it as core",
                accept=(FactPromoted(fact.id),),
            )  # fmt: skip


def target_file(text: str, files: Mapping[str, str]) -> str:
    """Return the file in which agents would read a fact.

    That is the nearest file for agents above the one folder that the text names; else a rules file of its
    own, where the repository keeps rules and the text names a folder; else the file at the top.
    """
    named = [one.subject for one in claims(text) if one.kind in (PATH, FOLDER)]
    folders = {_folder_of(one, files) for one in named} - {""}
    folder = next(iter(folders)) if len(folders) == 1 else ""
    if folder:
        parts = folder.split("/")
        for end in range(len(parts), 0, -1):
            for name in READ_FIRST[:2]:
                nearer = f"{'/'.join(parts[:end])}/{name}"
                if nearer in files:
                    return nearer
        for rules in _RULE_FOLDERS:
            if any(path.startswith(rules) for path in files):
                ending = ".mdc" if "cursor" in rules else ".md"
                return f"{rules}{parts[-1]}{ending}"
    return next((name for name in READ_FIRST if name in files), READ_FIRST[0])


def _folder_of(named: str, files: Mapping[str, str]) -> str:
    """Return the folder of a path that is there, "" where it is not or lies at the top."""
    if named in files:
        return named.rpartition("/")[0]
    return named if any(path.startswith(named + "/") for path in files) else ""


class Promotion(Record):
    """A fact that is worth a place in a file, and what would become of the file."""

    fact: str  #: its id
    text: str  #: of it
    path: str  #: of the file, from the top of the work tree
    before: bytes | None  #: its bytes; None where there is none
    after: bytes  #: what it would be
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
) -> list[Promotion]:
    """Offer the facts that a review found worth promoting, or that were, and that no document has.

    None that the code belies by now is offered. `top` is of the work tree, `entries` are the logs of the
    ledger, `paragraphs` the words of the documents of the code.
    """
    standings = tuple(state.standings())
    scored = score_facts(state, standings, entries, code)
    likely = {one.id for one in scored if one.proposal == PROMOTE}
    looked_at = [one for one in standings if one.fact.id in likely or one.fact.promoted]
    if not looked_at:
        return []
    doubted = {name for one in evidence_questions(looked_at, code) for name in one.facts}
    raised, files = raised_threads(one.fact for one in standings), code.files()
    rejected = {
        fact
        for one in raised
        if one.rule == _PROMOTION and one.closed
        for fact in one.about
        if (known := state.fact(fact)) is not None and not known.promoted
    }
    answered = {key for one in raised if one.rule == LEARN and one.closed for key in one.keys}
    out = rejected | doubted
    asked = promotion_questions(scored, state, out, files)
    worth = {one.facts[0]: one.evidence for one in asked}
    for standing in standings:
        if standing.live and standing.fact.promoted and standing.fact.id not in out:
            worth.setdefault(standing.fact.id, (_PROMOTED,))
    there = {**files, **{name: "" for name in READ_FIRST if os.path.lexists(f"{top}/{name}")}}
    found: list[Promotion] = []
    for name, evidence in worth.items():
        fact = state.fact(name)
        if (
            fact is None
            or fact.redacted
            or fact.false
            or key_of(LEARN, _PROMOTION, name) in answered
        ):
            continue
        if len(fact.heads) == 1 and undocumented(words(fact.text), paragraphs):
            found.append(_promotion(top, fact, target_file(fact.text, there), evidence))
    return found[:_MOST]


def _promotion(top: str, fact: Fact, path: str, evidence: tuple[str, ...]) -> Promotion:
    before, refused = read_file(top, path)
    after = before or b""
    if not refused:
        after = with_item(before, _item(fact.text))
    events: tuple[Event, ...] = () if fact.promoted else (FactPromoted(fact.id),)
    question = Question(
        LEARN,
        key_of(LEARN, _PROMOTION, fact.id),
        (fact.id,),
        f"{fact.id} is worth a place in {path}.",
        evidence,
        proposal=f"write it into {path}, and keep it as core",
        accept=events,
    )
    return Promotion(
        fact.id, fact.text, path, before, after, question, _diff(path, before, after), refused
    )


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
        fd = os.open(f"{top}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None, ""
    except OSError as problem:
        return None, "it is a link" if os.path.islink(f"{top}/{path}") else str(problem.strerror)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None, "it is no ordinary file"
        data = b""
        while len(data) <= _FILE_BYTES and (chunk := os.read(fd, _FILE_BYTES + 1)):
            data += chunk
    finally:
        os.close(fd)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data, "it is not text in UTF-8"
    if "\0" in text or len(data) > _FILE_BYTES:
        return data, "it is no text, or too long"
    return data, ""


def with_item(data: bytes | None, item: str) -> bytes:
    """Return a file with an item behind the others under our heading; as it is where it has that text.

    `data` is None where there is no file; `item` is lines of markdown, the last without its end.
    """
    text = (data or b"").decode("utf-8")
    said = plain(item.removeprefix("- "))
    written = "\n" + text.replace("\r\n", "\n") + "\n"
    if (said and f" {said} " in f" {plain(text)} ") or f"\n{item}\n" in written:
        return data or b""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")
    item = item.replace("\n", newline)
    for number, line in enumerate(lines):
        if line.rstrip() == HEADING:
            end = number + 1
            while end < len(lines) and not lines[end].startswith(("# ", "## ", "<!--")):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            begun = [] if end > number + 1 else [newline.removesuffix("\n")]
            ends = newline.removesuffix("\n") if end < len(lines) else ""
            return "\n".join([*lines[:end], *begun, item + ends, *lines[end:]]).encode()
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return (text + gap + newline.join((HEADING, "", item, ""))).encode()


def write(top: str, promotion: Promotion, text: str = "") -> bytes:
    """Write the file of a promotion; return the bytes that it has now.

    `text` is the fact in a person's words, "" for its own.

    Raises:
        WriteRefused: the file can not be written, or is another one than it was; nothing changed.
        StorageFailed: the disk refused; nothing changed.
    """
    data, refused = read_file(top, promotion.path)
    where = promotion.path
    if refused:
        hint = "put an ordinary file there, or write the line yourself"
        raise WriteRefused(f"{where}: {refused}", hint=hint)
    if data != promotion.before:
        hint = "run `diurna review --learn` again"
        raise WriteRefused(f"{where} was changed meanwhile", hint=hint)
    after = with_item(data, _item(text)) if text else promotion.after
    if after != data:
        path = f"{top}/{where}"
        mode = stat.S_IMODE(os.lstat(path).st_mode) if data is not None else 0o644
        if "/" in where:
            make_folder(os.path.dirname(path), 0o755)
        replace_file(path, after, mode, durable=True)
    return after


def after_others(promotion: Promotion, written: bytes) -> Promotion:
    """Return a promotion on top of what was written into its file for others."""
    return promotion._replace(before=written, after=with_item(written, _item(promotion.text)))


def put_back(top: str, promotion: Promotion, written: bytes) -> None:
    """Put the file back as it was, unless somebody wrote into it since; a new one goes again."""
    path = f"{top}/{promotion.path}"
    try:
        if read_file(top, promotion.path) != (written, ""):
            return
        if promotion.before is None:
            os.unlink(path)
        elif promotion.before != written:
            replace_file(path, promotion.before, stat.S_IMODE(os.lstat(path).st_mode))
    except (OSError, StorageFailed, WriteRefused):
        pass  # what was in the way of the log is said; the file has one line more


def _item(text: str) -> str:
    """Write a fact as an item of a list that is nothing but text."""
    lines = [prose(line) for line in text.split("\n")]
    return "- " + "\n  ".join([line for line in lines if line])


def _diff(path: str, before: bytes | None, after: bytes) -> tuple[str, ...]:
    old, new = [
        [line.decode("utf-8", "replace") for line in (data or b"").splitlines()]
        for data in (before, after)
    ]
    name = path if before is not None else "/dev/null"
    found = difflib.unified_diff(old, new, name, path, lineterm="", n=1)
    return tuple(found)
