"""Read the documents of a tree: decisions, rules and open items, each with where it stands."""

from __future__ import annotations

import re

from ledger.escape import prose, visible
from ledger.model.record import Record
from ledger.model.sha256 import sha256
from rituals.intake.harvest.asciidoc_reader import read_asciidoc
from rituals.intake.harvest.decision_lists import decisions_of
from rituals.intake.harvest.decision_records import ACCEPTED, Decision, decision_of
from rituals.intake.harvest.document_choice import PROPOSAL, RECORD, RECORDS, ROADMAP, RULES
from rituals.intake.harvest.harvested_document import Document
from rituals.intake.harvest.markdown_reader import read_markdown
from rituals.intake.harvest.origin import COMMIT_CHARS
from rituals.intake.harvest.rst_reader import read_rst
from rituals.intake.harvest.stated_rules import bullets_of, open_items_of, rules_of
from rituals.intake.intake_cues import cue
from rituals.intake.intake_items import Item, LeftOut

SOURCE = "harvest"
_DECISION, _THREAD = "decision", "thread"
_HEAD_CHARS = 600
#: So many facts one document gives at most, past its decisions.
_MOST_OF_ONE = 25


class Found(Record):
    """What one document says."""

    path: str  #: of it
    items: tuple[Item, ...] = ()  #: as they are taken in
    said: tuple[str, ...] = ()  #: of each item, the sentence as it stands there
    left_out: tuple[LeftOut, ...] = ()  #: what was passed over
    decisions: tuple[Decision, ...] = ()  #: of its records, whatever their state


def read_document(path: str, text: str) -> Document:
    """Read a document in the markup that its name ends in."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    ending = path.rpartition(".")[2].lower()
    if ending == "rst":
        return read_rst(path, text)
    if ending in ("adoc", "asciidoc"):
        return read_asciidoc(path, text)
    if ending == "txt" and re.search(r"^(?:\.\. \w|:[\w-]+:`)", text, re.MULTILINE):
        return read_rst(path, text)
    return read_markdown(path, text)


def read_found(path: str, kind: str, data: bytes, commit: str, *, named: bool = False) -> Found:
    """Read what a document says.

    `kind` is what it can be (`documents.kind_of`); one that a person `named` is read whoever wrote it.
    """
    text = data.decode("utf-8", "replace")
    if "\0" in text or not text.strip():
        return Found(path)
    if not named and cue.GENERATED.search(text[:_HEAD_CHARS]):
        return Found(path, left_out=(LeftOut(path, "a program wrote it"),))
    document = read_document(path, text)
    if kind in (RECORD, RECORDS, PROPOSAL):
        found = _decided(document, kind, commit)
        if found.items or found.left_out or kind == PROPOSAL:
            return found
    rows: list[tuple[Item, str]] = []
    for open_item in open_items_of(document, kind):
        rows.append(_row(document, _THREAD, open_item.line, open_item.text, open_item.said, commit))
    if kind not in (ROADMAP, RECORD, RECORDS, PROPOSAL):
        rules = bullets_of(document) if kind == RULES else rules_of(document, kind)
        for rule in rules:
            rows.append(_row(document, rule.kind, rule.line, rule.text, rule.said, commit))
    once = list({item.key: (item, said) for item, said in reversed(rows)}.values())[::-1]
    once = once[:_MOST_OF_ONE]
    return Found(path, tuple([item for item, _ in once]), tuple([said for _, said in once]))


def _decided(document: Document, kind: str, commit: str) -> Found:
    decisions = [] if kind == PROPOSAL else decisions_of(document, listed=kind == RECORDS)
    if kind != RECORDS and len(decisions) < 2:
        one = decision_of(document, proposal=kind == PROPOSAL)
        decisions = [one] if one else []
    items, said, left_out = [], [], []
    for decision in decisions:
        place = f"{document.path}:{decision.line}"
        if decision.state != ACCEPTED:
            left_out.append(LeftOut(place, f"a decision that is {decision.state}"))
        elif not decision.text:
            left_out.append(LeftOut(place, f"an accepted decision, but {decision.why_not}"))
        else:
            key, text = key_of(document.path, decision.name), visible(prose(decision.text))
            place = f"{place}@{commit[:COMMIT_CHARS]}"
            items.append(Item(key, text, _DECISION, at=decision.at, place=place))
            said.append(decision.text)
    return Found(document.path, tuple(items), tuple(said), tuple(left_out), tuple(decisions))


def _row(
    document: Document, kind: str, line: int, text: str, said: str, commit: str
) -> tuple[Item, str]:
    key = key_of(document.path, digest_of(said))
    return Item(
        key, visible(prose(text)), kind, place=f"{document.path}:{line}@{commit[:COMMIT_CHARS]}"
    ), said


def key_of(path: str, name: str) -> str:
    """Return what a passage is called: its document, and a name within it where that holds several."""
    return f"{path}#{name}" if name else path


def digest_of(said: str) -> str:
    """Return a short name of a sentence: the same while it says the same."""
    return sha256(" ".join(said.lower().split()).encode("utf-8", "surrogatepass")).hexdigest()[:10]
