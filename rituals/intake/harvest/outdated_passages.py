"""Find passages that no longer stand: facts came from them, and the document says something else now.

A passage stands as long as the file has the same sentence at all, on whatever line; a decision, as long as
its record is accepted and decides the same. A file that was moved as it is still has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.git.code_history import Code
from ledger.model.record import Record
from rituals.intake.harvest.decision_records import ACCEPTED, Decision
from rituals.intake.harvest.document_choice import LIMIT_BYTES, RECORD, RECORDS, kind_of
from rituals.intake.harvest.document_reader import Found, read_document, read_found
from rituals.intake.harvest.document_statements import Sentence, sentences, words
from rituals.intake.harvest.harvested_document import ROW, Document
from rituals.intake.harvest.origin import Origin

#: The part of all their words that two sentences share when one is the other, reworded.
_REWORDED = 0.4


class Sourced(Record):
    """A fact that came from a passage: its id, its text, and the place."""

    id: str
    text: str
    origin: Origin


class Changed(Record):
    """A passage that no longer stands."""

    fact: Sourced  #: that came from it
    was: str  #: what stood there, "" where that commit is gone
    path: str = ""  #: of the document now, "" where there is none
    line: int = 0  #: of what stands there in its place, 0 for nothing
    now: str = ""  #: what stands there in its place, as a fact would say it; "" for nothing
    why: str = ""  #: a decision is no longer accepted, in the words of its record; "" otherwise


class _Page(Record):
    """A document that was read: its sentences, and what a harvest takes from it."""

    document: Document
    sentences: tuple[Sentence, ...]
    found: Found


def changed_passages(facts: Iterable[Sourced], code: Code) -> list[Changed]:
    """Return what no longer stands, at the commit of `code`, of the passages that facts came from."""
    facts = list(facts)
    if not facts:
        return []
    files = code.files()
    before = code.blobs_at({(one.origin.commit, one.origin.path) for one in facts})
    moved: dict[str, str] = {}
    for path in sorted(files, reverse=True):
        moved[files[path]] = path
    now_at: dict[Origin, str] = {}
    doubted = []
    for fact in facts:
        blob = before.get((fact.origin.commit, fact.origin.path), "")
        if blob and blob in moved:
            continue  # the file is as it was, there or elsewhere
        now_at[fact.origin] = _path_now(fact.origin.path, files)
        doubted.append((fact, blob))
    wanted = {blob for _, blob in doubted if blob}
    wanted |= {files[path] for path in now_at.values() if path}
    data = code.contents(sorted(wanted))
    pages: dict[tuple[str, str], _Page | None] = {}

    def page(path: str, blob: str) -> _Page | None:
        if (path, blob) not in pages:
            pages[path, blob] = _page(path, data.get(blob), code.commit)
        return pages[path, blob]

    found = []
    for fact, blob in doubted:
        path = now_at[fact.origin]
        old = page(fact.origin.path, blob) if blob else None
        new = page(path, files[path]) if path else None
        changed = _compared(fact, old, new)
        if changed is not None:
            found.append(changed)
    return found


def _path_now(path: str, files: Mapping[str, str]) -> str:
    """Return where a file is: there, or the only place with a file of its name; "" for nowhere."""
    if path in files:
        return path
    name = "/" + path.rpartition("/")[2]
    there = [one for one in files if one.endswith(name)]
    return there[0] if len(there) == 1 and len(name) > len("/index.md") else ""


def _page(path: str, data: bytes | None, commit: str) -> _Page | None:
    if data is None or len(data) > LIMIT_BYTES:
        return None
    document = read_document(path, data.decode("utf-8", "replace"))
    said = [
        one
        for passage in document.passages
        if passage.kind != ROW
        for one in sentences(document, passage)
    ]
    return _Page(document, tuple(said), read_found(path, kind_of(path), data, commit))


def _compared(fact: Sourced, old: _Page | None, new: _Page | None) -> Changed | None:
    decided = _decision_at(fact, old)
    if new is None:
        was = decided.text if decided else _sentence_at(fact, old)
        return Changed(fact, was)
    if decided is not None:
        return _decision_changed(fact, decided, new)
    was = _sentence_at(fact, old)
    if old is None:
        taken = {_same(item.text) for item in new.found.items}
        if _same(fact.text) in taken or _stands(fact.text, new):
            return None
    elif was and _stands(was, new):
        return None
    line, now = _instead(was or fact.text, new)
    if _same(now) == _same(fact.text):
        return None  # memory followed it
    return Changed(fact, was, new.document.path, line, now)


def _decision_at(fact: Sourced, old: _Page | None) -> Decision | None:
    if old is None or kind_of(fact.origin.path) not in (RECORD, RECORDS):
        return None
    there = [one for one in old.found.decisions if one.line == fact.origin.line and one.text]
    return there[0] if there else None


def _decision_changed(fact: Sourced, decided: Decision, new: _Page) -> Changed | None:
    path = new.document.path
    there = [one for one in new.found.decisions if one.name == decided.name]
    if not there:
        return Changed(fact, decided.text, path)
    now = there[0]
    if now.state != ACCEPTED and decided.state == ACCEPTED:
        return Changed(fact, decided.text, path, now.line, why=now.status or now.state)
    if _same(now.text) in (_same(decided.text), _same(fact.text)):
        return None
    return Changed(fact, decided.text, path, now.line, now.text)


def _sentence_at(fact: Sourced, old: _Page | None) -> str:
    """Return the sentence that a fact came from: of those at its line the one most like it."""
    if old is None:
        return ""
    line = fact.origin.line
    there = [one for one in old.sentences if one.line == line]
    if not there:
        there = [one for one in old.sentences if one.line <= line][-1:]
    about = words(fact.text)
    return max((one.text for one in there), key=lambda text: len(words(text) & about), default="")


def _stands(was: str, new: _Page) -> bool:
    wanted = _same(was)
    return any(_same(one.text) == wanted for one in new.sentences)


def _instead(was: str, new: _Page) -> tuple[int, str]:
    """Return the line and the text of what stands in the place of a sentence; (0, "") for nothing."""
    about = words(was)
    best, place = 0.0, (0, "")
    taken = [
        (said, int(item.place.rpartition("@")[0].rpartition(":")[2]), item.text)
        for item, said in zip(new.found.items, new.found.said, strict=True)
    ]
    for text, line, fact in [*taken, *[(one.text, one.line, one.text) for one in new.sentences]]:
        here = words(text)
        alike = len(about & here) / max(len(about | here), 1)
        if alike > best:
            best, place = alike, (line, fact)
    return place if best >= _REWORDED else (0, "")


def _same(text: str) -> str:
    """Return a text as two are compared: without case, space and the marks at its end."""
    return " ".join(text.lower().split()).rstrip(".!;, ")
