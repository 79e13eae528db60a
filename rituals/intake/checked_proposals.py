"""Read what an agent proposes to record from documents, and check what of it has a form.

An object says `quote`, `source` (`FILE:LINE`), and what else it would have the fact be: `text` where the
quoted words do not stand for themselves, `kind`, `id`, `entity`, `tags`. The words have to stand there in
HEAD. What stands above them there is put before the text, so that no heading that turns it is lost.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cache, partial

from ledger.codec.outline import NO_TEXT, document_text
from ledger.errors import NotFound
from ledger.escape import visible
from ledger.git.code_history import Code
from ledger.home import Home
from ledger.model.ids import version_id
from ledger.model.record import Record
from rituals.intake.decision_records import COMMIT_CHARS, SOURCE, code_at, is_own
from rituals.intake.intake_items import Item, LeftOut, Reading
from rituals.intake.jsonl import item_of, objects_in
from rituals.intake.quote_context import Document, Quoted, with_above

_PLACE = re.compile(r"(?:\./)?(.+?):(\d{1,7})(?:-\d+)?(?:@[0-9a-f]+)?$")
_ENDINGS = (".md", ".markdown", ".mdx", ".mdc", ".txt", "")


class Proposal(Record):
    """One thing that is proposed, by its place among the others."""

    number: int  #: from 1 on
    quote: str  #: the words of the document
    item: Item  #: as it would be recorded
    why: str = ""  #: it is refused


class Proposals(Record):
    """What was proposed of the documents of a commit."""

    commit: str
    all: tuple[Proposal, ...]
    left_out: tuple[LeftOut, ...]  #: what is no object

    def reading(self, numbers: Sequence[int] | None = None) -> Reading:
        """Return what is not refused, or of that what has some numbers, as a source brings it."""
        right = [one for one in self.all if not one.why]
        items = [one.item for one in right if numbers is None or one.number in numbers]
        return Reading(SOURCE, tuple(items))


def read_proposals(home: Home, place: str, named: Sequence[str] = ()) -> Proposals:
    """Read the proposals of a file, or of standard input for `-`, and check them; nothing is written.

    `named` are paths: what lies there is read although nobody reads it unasked.

    Raises:
        NotFound: there is no code to read.
    """
    code, under = code_at(home, named)
    left: list[LeftOut] = []
    opened = cache(partial(_opened, code, [one for one in under if one]))
    name = "standard input" if place == "-" else os.path.basename(place)
    proposals: list[Proposal] = []
    said_by: dict[str, int] = {}
    for number, (line, said) in enumerate(objects_in(place, name, left), 1):
        item = item_of(said, f"{name}:{line}", quoted=True)
        if isinstance(item, LeftOut):
            proposals.append(Proposal(number, "", Item("", "", place=item.place), item.why))
            continue
        quote = said["quote"] if isinstance(said, dict) and "quote" in said else ""
        one = _checked(code, opened, number, str(quote), item)
        if not one.why and said_by.setdefault(one.item.text, number) != number:
            one = one._replace(why=f"number {said_by[one.item.text]} says it")
        proposals.append(one)
    return Proposals(code.commit, tuple(proposals), tuple(left))


def _checked(
    code: Code, opened: Callable[[str], Document | str], number: int, quote: str, item: Item
) -> Proposal:
    """Check one: its words stand where it says, in a document that is this project's."""
    place = _PLACE.match(item.place)
    path, line = (place[1], int(place[2])) if place else ("", 0)
    document = opened(path) if path else "its `source` has to be FILE:LINE"
    found = document if isinstance(document, str) else document.quoted(quote, line)
    name = path.rpartition("/")[2]  # as a title it says nothing that the place does not
    if not isinstance(found, Quoted):
        return Proposal(number, quote, item, found)
    found = found._replace(above=tuple([one for one in found.above if one != name]))
    author, day = code.written_by(path, line)
    item = item._replace(
        key=f"{path}#{item.id or version_id(quote)}",
        text=visible(with_above(item.text, found)),
        at=day, author=author, place=f"{path}:{line}@{code.commit[:COMMIT_CHARS]}",
    )  # fmt: skip
    return Proposal(number, quote, item)


def _opened(code: Code, asked: Sequence[str], path: str) -> Document | str:
    """Return a document, or why it is not read; `asked` are paths that a person named."""
    files = code.files()
    if path not in files:
        return f"HEAD has no {path}: only what is committed is read"
    if os.path.splitext(path)[1].lower() not in _ENDINGS:
        return "it is no markdown: what stands above the words can not be told"
    named = any(path == one or path.startswith(f"{one}/") for one in asked)
    if not named and not is_own(path, files):
        return "it is a template, a prompt or somebody else's, and nobody named it"
    data = code.contents([files[path]]).get(files[path])
    text = document_text(data) if data is not None else None
    return NO_TEXT if text is None else Document(text)


def picked(said: str, most: int) -> tuple[int, ...]:
    """Read which of so many are picked: `1,3-7`, or `all`; none for nothing.

    Raises:
        NotFound: it names none of them.
    """
    if said.strip() == "all":
        return tuple(range(1, most + 1))
    found: dict[int, None] = {}
    for part in filter(None, re.split(r"[,\s]+", said)):
        span = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part)
        first, last = (int(span[1]), int(span[2] or span[1])) if span else (0, 0)
        if not 0 < first <= last <= most:
            raise NotFound(
                f"{part} is none of 1 to {most}", where="--pick", hint="--pick 1,3-7, or all"
            )
        found.update(dict.fromkeys(range(first, last + 1)))
    return tuple(found)
