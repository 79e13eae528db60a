"""Read documents that list decisions: a record below each heading, dated items, rows of a table."""

from __future__ import annotations

import re

from ledger.model.order import is_date
from rituals.intake.harvest.decision_records import (
    ACCEPTED,
    FEWEST_WORDS,
    Decision,
    clean_title,
    date_of,
    decision_of,
    state_in,
)
from rituals.intake.harvest.document_statements import LIMIT_CHARS, bare_title, sentences, words
from rituals.intake.harvest.harvested_document import ITEM, ROW, Document
from rituals.intake.harvest.record_parts import RecordPart, at_labels
from rituals.intake.intake_cues import cue

#: A page of decisions without headings has so many items.
_A_LIST = 3
#: In so many sections of one document records are looked for.
_MOST_SECTIONS = 300


def decisions_of(document: Document, *, listed: bool = True) -> list[Decision]:
    """Read a document that lists records: each below a heading of its own, or in a row of a table.

    `listed`: it is a list by its name; otherwise only headings with a number or date begin a record.
    """
    found = []
    inside: set[int] = set()  # sections of a record that was read
    for index, section in enumerate(document.sections[:_MOST_SECTIONS]):
        if section.above in inside:
            inside.add(index)
        elif index and _begins_record(document, index, listed):
            decision = decision_of(document, index)
            if decision is not None:
                found.append(decision)
                inside.add(index)
        elif listed and index and not clean_title(section.title):  # nothing but a date
            found += _items(document, index)
    if not listed:
        return found
    entries = _entries(document, inside) or ([] if found else _bullets(document))
    return [*found, *entries, *([] if found and _repeats(document) else _rows(document))]


def _begins_record(document: Document, index: int, listed: bool) -> bool:
    """Tell whether a heading is that of a record among others."""
    section = document.sections[index]
    if not clean_title(section.title):
        return False
    if cue.NUMBERED.search(section.title) or (listed and cue.LISTED.match(section.title)):
        inner = [one.title for one in document.sections if one.above == index]
        if not cue.BY_NUMBER.match(section.title) and any(
            cue.BY_NUMBER.match(title) for title in inner
        ):
            return False  # a phase of the project, and the records of it
        return section.level > 1 or not any(one.above == index for one in document.sections)
    inner = [one.title for one in document.sections if one.above == index]
    title = bare_title(section.title)
    if (section.level < 2 and inner) or cue.PART.match(title) or cue.DECISION.match(title):
        return False
    part = RecordPart(document, index)
    marked = part.labelled(cue.DECISION)[1] or part.below(cue.DECISION)
    return bool(marked) and (
        not inner or any(cue.DECISION.match(bare_title(title)) for title in inner)
    )


def _items(document: Document, index: int) -> list[Decision]:
    """Read what stands below a date alone: each item of a list, else the first paragraph."""
    date = date_of(RecordPart(document, index))
    inside = [one for one in document.passages if one.section == index and one.kind != ROW]
    tops = [one for one in inside if one.kind == ITEM and not one.indent] or inside[:1]
    found = []
    for passage in tops:
        read = sentences(document, passage)
        label = cue.LABEL.match(read[0].text) if read else None
        text = label[2] if label and cue.DECISION.match(label[1]) else read[0].text if read else ""
        if len(text.split()) >= FEWEST_WORDS and len(text) <= LIMIT_CHARS and text[-1:] not in ":?":
            found.append(_listed_as(text, passage.line, date))
    return found


def _entries(document: Document, inside: set[int]) -> list[Decision]:
    """Read entries that begin with a day: what labels below one decide, else what it says itself."""
    entries: list[tuple[str, list[Decision], list[Decision]]] = []
    section = -1
    for passage in [piece for one in document.passages for piece in at_labels(one)]:
        read = sentences(document, passage) if passage.kind != ROW else []
        if passage.section in inside or not read:
            continue
        entry, label = cue.ENTRY.match(read[0].text), cue.LABEL.match(read[0].text)
        title = document.sections[passage.section].title
        below = passage.section != section and bool(cue.DECISION.match(bare_title(title)))
        section = passage.section
        if entry:
            entries.append((entry[1], [], []))
        elif not (entries and (below or (label and cue.DECISION.match(label[1])))):
            continue
        text = entry[2] if entry else read[0].text if below or not label else label[2]
        if entry and not cue.CHOOSES.search(text):
            continue
        if len(text.split()) >= FEWEST_WORDS and len(text) <= LIMIT_CHARS:
            date, said, decided = entries[-1]
            (said if entry else decided).append(_listed_as(text, passage.line, date))
    return [one for _, said, decided in entries for one in decided or said]


def _bullets(document: Document) -> list[Decision]:
    """Read a page that has nothing but a list below its title: each item is a decision."""
    items = [one for one in document.passages if one.kind == ITEM and not one.indent]
    if len(document.sections) > 2 or len(items) < _A_LIST:
        return []
    found = []
    for passage in items:
        text = " ".join([one.text for one in sentences(document, passage)])
        if len(text.split()) > FEWEST_WORDS and len(text) <= LIMIT_CHARS and text[-1:] not in ":?":
            found.append(_listed_as(text, passage.line, ""))
    return found


def _repeats(document: Document) -> bool:
    """Tell whether a table sums up the records of its document: a column numbers them."""
    rows = [one for one in document.passages if one.kind == ROW]
    heads = [{text.strip("*` ").lower() for _, text in one.rows} for one in rows]
    return any("decision" in head and head & {"adr", "record", "no", "no.", "#"} for head in heads)


def _rows(document: Document) -> list[Decision]:
    """Read tables: a column says what was decided, another one may say of which state it is."""
    found = []
    names: list[str] = []
    for passage in document.passages:
        cells = [text.strip("*` ") for _, text in passage.rows]
        if passage.kind != ROW:
            names = []
        elif not names:
            names = [cell.lower() for cell in cells]
        elif "decision" in names and len(cells) == len(names):
            said = dict(zip(names, cells, strict=True))
            text, status = said["decision"], said.get("status", "")
            state = state_in(status) if status else ACCEPTED
            date = re.search(r"\d{4}-\d{2}-\d{2}", said.get("date", ""))
            if len(text.split()) < FEWEST_WORDS or cue.PLACEHOLDER.search(" ".join(cells)):
                continue
            why = next((said[one] for one in ("rationale", "reason", "why") if one in said), "")
            whole = (
                f"{text.rstrip('.')}. {why}" if why and len(text) + len(why) < LIMIT_CHARS else text
            )
            found.append(_listed_as(whole, passage.line, date[0] if date else "", state))
    return found


def _listed_as(text: str, line: int, at: str, state: str = ACCEPTED) -> Decision:
    """Return a decision that is said in one sentence among others; its words are its name."""
    name = " ".join(sorted(words(text)))[:80]
    return Decision(text, state, state, line, text, at if is_date(at) else "", name=name)
