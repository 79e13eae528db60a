"""Read a record by its parts: what stands below a heading, behind a label, in a field or in a table."""

from __future__ import annotations

import re

from rituals.intake.harvest.document_statements import bare_title
from rituals.intake.harvest.harvested_document import ROW, Document, Passage
from rituals.intake.intake_cues import cue


class RecordPart:
    """A document, or the part of it below one heading, as one record."""

    def __init__(self, document: Document, top: int = 0) -> None:
        self.document, self.top = document, top
        inside = {top} if top else set(range(len(document.sections)))
        for index, section in enumerate(document.sections):
            if section.above in inside:
                inside.add(index)
        self.sections = sorted(inside)
        inner = [one for one in document.passages if one.section in inside]
        self.passages = [piece for one in inner for piece in at_labels(one)]
        self.fields = document.fields if not top else ()
        first = 1 if any(one.above == 1 for one in document.sections) else 0
        self.heading = top or first  # of the record itself
        self.title = document.sections[top].title if top else document.title

    def below(self, pattern: re.Pattern[str]) -> list[Passage]:
        """Return the passages below the first heading of this kind, those right below it before others."""
        for index in self.sections:
            if index == self.heading:
                continue
            if pattern.match(bare_title(self.document.sections[index].title)):
                own = [one for one in self.passages if one.section == index]
                inner = [
                    one
                    for one in self.passages
                    if self.document.sections[one.section].above == index
                ]
                if own or inner:
                    return own or inner
        return []

    def labelled(self, pattern: re.Pattern[str]) -> tuple[int, list[Passage]]:
        """Return where the first label of this kind stands, with the passages from there on."""
        for at, passage in enumerate(self.passages):
            if passage.kind == ROW:
                continue
            label = cue.LABEL.match(passage.rows[0][1])
            if label and pattern.match(self.document.plain(label[1]).strip()):
                return at, self.passages[at:]
        return -1, []

    def values(self, name: str) -> list[str]:
        """Return what fields, labels and tables say of a name."""
        found = [value for key, value, _ in self.fields if key.replace("_", "-") == name]
        plain = self.document.plain
        for at, passage in enumerate(self.passages):
            if passage.kind == ROW:
                cells = [text for _, text in passage.rows]
                lower = [cell.lower().strip("*: ") for cell in cells]
                if name in lower:
                    place = lower.index(name)
                    if place == 0 and len(cells) == 2:
                        found.append(cells[1])
                    else:
                        found += [
                            row.rows[place][1]
                            for row in self.passages[at + 1 : at + 2]
                            if row.kind == ROW and len(row.rows) > place
                        ]
                continue
            for text in [one for _, row in passage.rows for one in cue.BETWEEN_LABELS.split(row)]:
                label = cue.LABEL.match(text)
                if label and label[1].strip().lower() == name:
                    found.append(plain(label[2]).strip("* "))
        return [value for value in found if value]


def at_labels(passage: Passage) -> list[Passage]:
    """Cut a passage where a line of it begins with a label: `**Chosen:** Vite` above `**Why:** …`."""
    starts = [at for at, (_, text) in enumerate(passage.rows) if at and cue.BOLD_LABEL.match(text)]
    if passage.kind == ROW or not starts:
        return [passage]
    ends = [*starts, len(passage.rows)]
    return [
        passage._replace(rows=passage.rows[start:end])
        for start, end in zip([0, *starts], ends, strict=True)
    ]
