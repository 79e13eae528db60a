"""Find the sentences of a document that state a rule of the project, and what it lists as open.

Of rules precision goes first: how to install or use something, requests to readers, history and hedged
advice say "must" and "always" too, and are no rules. Nor does a specification or a design note rule the
system, but below a heading that says so. Open are unchecked boxes, and items below a heading that says
"planned".
"""

from __future__ import annotations

from ledger.model.record import Record
from rituals.intake.harvest.document_choice import DESIGN, ROADMAP, is_of_a_screen
from rituals.intake.harvest.document_statements import (
    LIMIT_CHARS,
    bare_title,
    leans,
    points,
    sentences,
    standing_alone,
    subject,
    without_lead,
)
from rituals.intake.harvest.harvested_document import ITEM, PARAGRAPH, ROW, Document, Passage
from rituals.intake.intake_cues import CONVENTION, cue, kind_of_bullet

INVARIANT = "invariant"
_FEWEST, _MOST = 5, 48

#: Each of them has one of these.
_WORDS = (
    "must", "never", "always", "shall", "do not", "don't", "not allowed", "are allowed", "is allowed",
    "may",
    "forbidden", "prohibited", "mandatory", "required to", "disallowed", "cannot be merged",
)  # fmt: skip
_FEWEST_OPEN = 3


class Rule(Record):
    """A rule that a document states: its line, as it stands there, as a fact, and its kind."""

    line: int
    said: str
    text: str
    kind: str


def rules_of(document: Document, kind: str) -> list[Rule]:
    """Return the rules that a document of a kind (`documents.kind_of`) states."""
    found = []
    for passage in document.passages:
        if passage.kind == ROW or passage.mark:
            continue
        titles = document.headings(passage.section)
        stated = _kind((*titles, document.path.rpartition("/")[2].partition(".")[0]))
        if stated == INVARIANT and is_of_a_screen(document.path):
            continue
        if kind == DESIGN and stated != INVARIANT:
            continue  # what a specification or a note demands, it demands of one part
        whole = " ".join([text for _, text in passage.rows]).lower()
        if stated != INVARIANT and not any(word in whole for word in _WORDS):
            continue  # most have none, and are not looked at closer
        if stated != INVARIANT and any(cue.NO_RULE_BELOW.search(one) for one in titles):
            continue
        if stated == INVARIANT and passage.kind == ITEM and not passage.indent:
            whole = " ".join([one.text for one in sentences(document, passage)])
            if _holds(whole):
                found.append(Rule(passage.line, whole, whole, INVARIANT))
                continue
        for one in sentences(document, passage):
            text = without_lead(one.text)
            if not _is_rule(text, kind):
                continue
            needs = points(text) or bool(cue.IMPERATIVE.match(text))
            fact = text
            if needs or text.startswith(("The ", "An ", "A ", "There ")):
                fact = standing_alone(text, titles, needs)
            if points(text) and (kind == DESIGN or fact == text or not text.startswith("It ")):
                continue
            if needs and fact == text and len(text.split()) < _FEWEST + 2:
                continue
            found.append(Rule(one.line, one.text, fact, stated))
    return found


def bullets_of(document: Document) -> list[Rule]:
    """Return the bullets of a file of rules, as they stand: each is a rule, unless it only describes."""
    found = []
    listed = False
    for passage in document.passages:
        text = " ".join([one.text for one in sentences(document, passage)])
        if passage.kind != ITEM:
            listed = text.endswith(":")
        few = len(text.split()) < (_FEWEST if listed else _FEWEST - 2)  # what is announced leans
        if (
            passage.kind != ITEM
            or passage.mark
            or few
            or text[-1:] in ":?"
            or len(text) > LIMIT_CHARS
        ):
            continue
        kind = _kind(document.headings(passage.section))
        if kind == CONVENTION:
            kind = kind_of_bullet(text)
        found.append(Rule(passage.line, text, text, kind))
    return found


def _holds(text: str) -> bool:
    """Tell whether an item of a list of invariants says by itself what holds."""
    plain = text[-1:] not in ":?" and len(text) <= LIMIT_CHARS and text.isprintable()
    return (
        plain and len(text.split()) >= _FEWEST and not (leans(text) or points(text) or "{" in text)
    )


def _is_rule(text: str, kind: str) -> bool:
    count = len(text.split())
    if not _FEWEST <= count <= _MOST or text[-1:] in "?:" or not cue.RULE.search(text):
        return False
    if text[:1] not in "`\"'“@#." and not (text[:1].isalnum() and not text[:1].islower()):
        return False  # in brackets, or the rest of something that was cut
    if cue.TELLS.match(text) or cue.DAY_LABEL.match(text):
        return False
    if cue.NO_RULE.search(text) or leans(text) or not text.isprintable():
        return False
    letters = [char for char in text if char.isalpha()]
    if sum(char.isascii() for char in letters) < 0.9 * len(letters):
        return False
    if kind == DESIGN:
        return not cue.SECOND_PERSON.search(text)
    return bool(cue.MODAL.search(text) or cue.ORDERS.search(text))


def _kind(titles: tuple[str, ...]) -> str:
    """Return the kind of a rule: an invariant is one where its document says so of the system."""
    return (
        INVARIANT
        if any(cue.OF_THE_SYSTEM.search(bare_title(one)) for one in titles)
        else CONVENTION
    )


class OpenItem(Record):
    """Something that is open: its line, as it stands there, and as a fact."""

    line: int
    said: str
    text: str


def open_items_of(document: Document, kind: str) -> list[OpenItem]:
    """Return what a document of a kind (`documents.kind_of`) lists as open."""
    roadmap = kind == ROADMAP
    found: list[OpenItem] = []
    group: Passage | None = None
    for passage in document.passages:
        titles = document.headings(passage.section)
        if passage.kind == PARAGRAPH:
            group = None
        if passage.kind != ITEM or any(cue.DONE_BELOW.search(one) for one in titles[:-1] or titles):
            continue
        box = passage.mark == " "
        inner = (
            group is not None and passage.section == group.section and passage.indent > group.indent
        )
        if inner and group is not None and not (box and not group.mark):
            continue  # what it is made of
        group = passage
        planned = (
            any(cue.PLANNED.search(one) for one in titles[:-1])
            if roadmap
            else any(cue.SURELY_PLANNED.search(bare_title(one)) for one in titles[:2])
        )
        if not (box and (roadmap or planned)) and (passage.mark or not planned or not roadmap):
            continue
        item = _item(document, passage, titles)
        if item is not None:
            found.append(item)
    return found


def _item(document: Document, passage: Passage, titles: tuple[str, ...]) -> OpenItem | None:
    read = sentences(document, passage)
    whole = " ".join([one.text for one in read])
    if not read or cue.TICKED.search(whole) or cue.CHECK_OF_FORM.search(whole) or "{" in whole:
        return None
    text = read[0].text
    if len(text.split()) < _FEWEST_OPEN and len(read) > 1:
        text = f"{text.rstrip('.')}: {read[1].text}"
    text = text.rstrip(":")
    if not _FEWEST_OPEN <= len(text.split()) or len(text) > LIMIT_CHARS or text.endswith("?"):
        return None
    about = subject(titles[:-1])
    if about and cue.VERSION.match(bare_title(titles[0])) and about.lower() not in text.lower():
        text = f"{about}: {text}"
    elif len(text.split()) < 2 * _FEWEST_OPEN:
        text = standing_alone(text, tuple([t for t in titles if not cue.PLANNED.search(t)]), True)
    return OpenItem(read[0].line, read[0].text, text)
