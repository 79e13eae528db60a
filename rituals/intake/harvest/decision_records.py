"""Read decision records: whether one holds, what was decided and why, and what it takes the place of.

A record is told by its sections, labels, fields and tables, not by its place alone: MADR, Nygard's form
and that of adr-tools, log4brains, Y-statements and their kin in other markups. What is only proposed is no
decision; neither is a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ledger.model.order import is_date
from ledger.model.record import Record
from rituals.intake.harvest.document_statements import (
    LIMIT_CHARS,
    Sentence,
    bare_title,
    leans,
    points,
    sentences,
    without_lead,
    words,
)
from rituals.intake.harvest.harvested_document import ITEM, ROW, Document, Passage
from rituals.intake.harvest.record_parts import RecordPart
from rituals.intake.intake_cues import cue

_NO_REASON_CHARS = 240
#: A shorter decision says too little without the sentence behind it.
_SHORT_CHARS = 60
#: What decides stands among so many sentences.
_LOOKED_AT, _LOOKED_FOR = 3, 5
#: A decision in a list has so many words; a heading with so many needs no sentence behind it.
FEWEST_WORDS, _SAYS_ENOUGH = 4, 7


#: The states of a record, and the cues of each, in the order in which they count.
ACCEPTED, PROPOSED, REJECTED, DEPRECATED, SUPERSEDED, UNCLEAR = (
    "accepted", "proposed", "rejected", "deprecated", "superseded", "unclear",
)  # fmt: skip
_STATES = (
    (SUPERSEDED, "IS_SUPERSEDED"), (REJECTED, "IS_REJECTED"), (DEPRECATED, "IS_DEPRECATED"),
    (PROPOSED, "IS_PENDING"), (ACCEPTED, "IS_ACCEPTED"), (PROPOSED, "IS_PROPOSED"),
)  # fmt: skip


class Decision(Record):
    """What a record says."""

    title: str  #: without its number
    state: str  #: one of `ACCEPTED`, …
    status: str  #: as the record says it
    line: int  #: of the sentence that decides; of the record's beginning where there is none
    text: str = ""  #: the decision, "" where no sentence says it
    at: str = ""  #: its date, "" where it says none
    takes: tuple[str, ...] = ()  #: numbers and names of records that it takes the place of
    taken: tuple[str, ...] = ()  #: numbers and names of those that take its place
    why_not: str = ""  #: why it has no text
    #: what it is called within its document: "" where it is all of it, else its heading
    name: str = ""


def decision_of(document: Document, top: int = 0, *, proposal: bool = False) -> Decision | None:
    """Read a record; None for what is none.

    `top` is the section that it is, 0 for all of it; the summary of a `proposal` says what is decided,
    once it is accepted.
    """
    part = RecordPart(document, top)
    title = clean_title(part.title)
    state, status = _state(part)
    if (
        not title
        or "template" in title.lower()
        or cue.PLACEHOLDER.search(title)
        or state == "template"
    ):
        return None
    line, text, why_not = _decision(part, title, proposal)
    named = top or (
        not status and not line and cue.NUMBERED_FILE.match(document.path.rpartition("/")[2])
    )
    if named and not text and (not status or state == ACCEPTED):
        line, text = _by_title(part, title)
    if not status and not line:
        return None
    takes = [found[1] for found in cue.TAKES_PLACE.finditer(_head(part, status))]
    takes += part.values("supersedes") + part.values("replaces")
    taken = [found[1] for found in cue.PLACE_TAKEN.finditer(_head(part, status))]
    taken += part.values("superseded-by") + part.values("superseded by")
    if not status:
        state = UNCLEAR if proposal else ACCEPTED
    if taken and state in (ACCEPTED, UNCLEAR):
        state = SUPERSEDED
    section = document.sections[top]
    return Decision(
        title, state, " ".join(status.split())[:80], line or section.line or 1, text, date_of(part),
        _names(takes), _names(taken), why_not, section.title if top else "",
    )  # fmt: skip


def clean_title(title: str) -> str:
    """Return a title without the number or the date that it begins or ends with."""
    title = cue.TITLE_DATE.sub("", " ".join(title.split())).strip()
    return cue.TITLE_NUMBER.sub("", title, count=1).strip(" .:#") or title


def state_in(status: str) -> str:
    """Return the state that some words tell; what stands in brackets tells less, but of a successor."""
    if cue.IS_SUPERSEDED.search(status):
        return SUPERSEDED
    told = (status, re.sub(r"\([^)]*\)?", " ", status))[::-1]
    return next(
        (state for said in told for state, role in _STATES if getattr(cue, role).search(said)),
        UNCLEAR,
    )


def _state(part: RecordPart) -> tuple[str, str]:
    """Return the state of a record and what it says of it; "template" where it lists all of them."""
    said = [*part.values("status"), *part.values("state"), *part.values("decision status")]
    section = part.below(cue.STATUS)
    if section and not said:
        said = [" ".join([text for _, text in one.rows]) for one in section[:4]]
    said = [part.document.plain(cue.STRUCK.sub("", one)) for one in said]
    status = " ".join(said).strip()
    if not status:
        return UNCLEAR, ""
    if len(cue.CHOICE_OF_STATES.findall(status)) > 1:
        return "template", status
    return state_in(status), status


def _decision(part: RecordPart, title: str, proposal: bool) -> tuple[int, str, str]:
    """Return the line and the text of what was decided; else why there is none."""
    document = part.document
    for passage in part.passages:
        if passage.kind != ROW and cue.Y_STATEMENT.match(" ".join([t for _, t in passage.rows])):
            whole = document.plain(" ".join([text for _, text in passage.rows]))
            if len(whole) <= LIMIT_CHARS:
                return passage.line, _titled(title, whole), ""
    found = part.below(cue.DECISION)
    if not found:
        _, found = part.labelled(cue.DECISION)
        found = _unlabelled(found)
    if not found and (proposal or part.top):
        found = part.below(cue.SUMMARY) or _unlabelled(part.labelled(cue.SUMMARY)[1])
    said = _headings(part, found) or _read(document, found)
    if not said:
        return 0, "", "it has no section that decides"
    chosen = next(
        (at for at, one in enumerate(said[:_LOOKED_FOR]) if cue.CHOSEN.search(one.text)), None
    )
    order = range(min(len(said), _LOOKED_AT)) if chosen is None else [chosen]
    for at in order:
        one = said[at]
        text = without_lead(one.text)
        if cue.PLACEHOLDER.search(text):
            return one.line, "", "it is a template"
        if text.endswith(":"):
            text = "" if leans(text) else text.rstrip(" :") + "."
        if cue.NO_DECISION.search(text) or len(text.split()) < 4:
            continue
        if not cue.CHOOSES.search(text) and (at or len(text.split()) < 7):
            continue
        if cue.BY_LABEL.search(text):
            return one.line, "", "it names an option by a label"
        if proposal and (leans(text) or not cue.SURE.search(text)):
            continue
        if at == 1 and points(text):
            text = f"{said[0].text} {text}"
            one = said[0]
        if len(text) > LIMIT_CHARS or (at > 1 and points(text)):
            continue
        text = _with_reason(text, said[at + 1 : at + 4] or _reasons(part))
        return one.line, _titled(title, text), ""
    return said[0].line, "", "no sentence of it decides by itself"


def _by_title(part: RecordPart, title: str) -> tuple[int, str]:
    """Return what the heading of a record among others decides, with the sentence below that says more."""
    line = part.document.sections[part.top or part.heading].line or 1
    at, marked = part.labelled(cue.DECISION)
    if marked:  # in fewer words than a sentence has: `**Chosen:** Vite`
        found = _read(part.document, _unlabelled(marked))[:1]
        short = found[0].text.rstrip(".") if found and not leans(found[0].text) else ""
        if not short and not (marked[1:] and marked[1].kind == ITEM):
            return 0, ""
        about = words(short)
        text = f"{title}: {short}" if short and not (about and about <= words(title)) else title
        text = text.rstrip(": ")
        if cue.PLACEHOLDER.search(text) or text.endswith((":", "?")) or len(text.split()) < 3:
            return 0, ""
        why = [one.text for one in _reasons(part) if len(text) + len(one.text) < LIMIT_CHARS]
        return part.passages[at].line, ". ".join([text, *why])
    if len(title.split()) < 2 or len(title) > LIMIT_CHARS or title.endswith("?"):
        return 0, ""
    prose = [
        one for one in part.passages if one.kind != ROW and not cue.LABELLED.match(one.rows[0][1])
    ]
    said = _read(part.document, prose[:2])[:3]
    if not said and len(title.split()) < FEWEST_WORDS:
        return 0, ""
    if len(title.split()) >= _SAYS_ENOUGH or not said:
        return line, _with_reason(title, said)
    first = said[0].text
    if first.endswith(":"):
        return 0, ""
    whole = f"{title}: {first}"
    return line, title if leans(first) or points(first) or len(whole) > LIMIT_CHARS else whole


def _reasons(part: RecordPart) -> list[Sentence]:
    """Return the sentence that a label of its own gives as the reason."""
    said = _read(part.document, _unlabelled(part.labelled(cue.WHY)[1]))
    return [one for one in said[:3] if one.text.rstrip("\"'”’")[-1:] not in (":", "?")][:1]


def _headings(part: RecordPart, found: list[Passage]) -> list[Sentence]:
    """Return the headings that decide, where a section has nothing but parts that they begin."""
    if not found:
        return []
    document = part.document
    above = document.sections[found[0].section].above
    if above not in part.sections or not cue.DECISION.match(
        bare_title(document.sections[above].title)
    ):
        return []
    titles = [bare_title(one.title) for one in document.sections if one.above == above]
    if len(titles) < 2 or any(len(title.split()) < 5 for title in titles):
        return []
    said = "; ".join(titles)
    line = document.sections[found[0].section].line
    return [Sentence(line, f"{said}.")] if len(said) < LIMIT_CHARS - 80 else []


def _unlabelled(found: list[Passage]) -> list[Passage]:
    """Return the passages of a label: its own text, or the ones below it up to the next label."""
    if not found:
        return []
    first = found[0]
    line, text = first.rows[0]
    label = cue.LABEL.match(text)
    rest = label[2].strip() if label else ""
    rows = ((line, rest), *first.rows[1:]) if rest else first.rows[1:]
    kept = [first._replace(rows=rows)] if rows else []
    listed = bool(rest) and rows[-1][1].rstrip("*_ ").endswith((":", " with", " that"))
    if kept and rest and not listed:
        return kept
    for passage in found[1:6]:
        if passage.section != first.section or cue.LABEL.match(passage.rows[0][1]):
            break
        if listed and passage.kind != ITEM:
            break
        kept.append(passage)
    return kept


def _read(document: Document, passages: Iterable[Passage]) -> list[Sentence]:
    """Return sentences; one that announces a list is joined with its items."""
    found: list[Sentence] = []
    joining, indent = False, -1
    for passage in passages:
        if passage.kind == ROW:
            joining = False
            continue
        if joining and passage.kind == ITEM and indent >= 0 and passage.indent > indent:
            continue  # what the item is made of
        read = sentences(document, passage)
        if joining and passage.kind == ITEM and read:
            last = found[-1]
            item = read[0].text.rstrip(".;, ")
            joint = "; " if indent >= 0 else " "
            indent = passage.indent
            if len(last.text) + len(item) < LIMIT_CHARS - 60 and not item.endswith(":"):
                found[-1] = last._replace(text=f"{last.text}{joint}{item}")
            continue
        joining, indent = False, -1
        if read:
            found += read
            joining = read[-1].text.endswith((":", "because"))
    return found


def _with_reason(text: str, after: list[Sentence]) -> str:
    """Put the sentence behind a decision that says why, where it does not say so itself."""
    if cue.REASON.search(text) or len(text) > _NO_REASON_CHARS:
        return text
    for one in after:
        if len(text) < _SHORT_CHARS and len(one.text) < _NO_REASON_CHARS and one.text[-1:] in ".!":
            return f"{text.rstrip('.')}. {one.text}"
        if re.match(
            r"^\W*(?:chosen|considered|options?)\b", one.text, re.IGNORECASE
        ) or one.text.endswith(":"):
            break
        if (
            cue.REASON.search(one.text)
            and len(text) + len(one.text) < LIMIT_CHARS
            and not cue.PLACEHOLDER.search(one.text)
        ):
            end = "" if text.endswith((".", "!", "。")) else "."
            return f"{text}{end} {one.text}"
    return text


def _titled(title: str, text: str) -> str:
    """Put the title before a decision that does not say what it is about."""
    text = cue.CHOSEN_OPTION.sub("Chosen: ", text, count=1)
    if (words(title) <= words(text) and not points(text)) or re.search(
        r"\btitle\b", title, re.IGNORECASE
    ):
        return text
    return f"{title}: {text}" if title[-1:] not in "?!" else f"{title} {text}"


def date_of(part: RecordPart) -> str:
    """Return the date that a record says, "" for none."""
    for value in (*part.values("date"), *part.values("decision date"), *part.values("accepted")):
        match = re.search(r"\b(\d{4}-\d{2}-\d{2})\b", value)
        if match and is_date(match[1]):
            return match[1]
    match = re.search(r"\b(\d{4}-\d{2}-\d{2})\b", part.title)
    return match[1] if match and is_date(match[1]) else ""


def _head(part: RecordPart, status: str) -> str:
    """Return what the head of a record says of others, with the files that its links name."""
    rows = [text for one in part.below(cue.STATUS) for _, text in one.rows]
    return "\n".join(rows or [status])


def _names(said: Iterable[str]) -> tuple[str, ...]:
    """Return what names other records, each once: their files, else their numbers."""
    found: dict[str, None] = {}
    for text in said:
        files = [match.rpartition("/")[2] for match in cue.FILE.findall(text)]
        numbers = cue.PREFIXED.findall(text) or cue.NUMBER.findall(text)[:1]
        for name in files or [str(int(number)) for number in numbers]:
            found.setdefault(name)
    return tuple(found)
