"""Find the text of a page that no footer claims, and that must not vanish with the page.

`continuity.md` and the pages of the archive are written anew by an adoption. What stands in them
without a footer becomes a fact with an id of its own: a list item in a section of facts (or with a
checkbox) for itself, everything else of a section as one fact named after its heading. Left out are the
header, rules, comments, the template's own notes and its `(none yet)`. Nothing of it is guessed at: the
text is what stood there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable

from ledger.codec.fact_blocks import tidy
from ledger.model.findings import Finding
from ledger.model.ids import ID_LIMIT_CHARS, is_fact_id
from ledger.model.order import is_date
from ledger.model.record import Record
from projection.policy.model import BUILT_IN_KINDS, DEFAULT_KIND, QUESTION_KIND, THREAD_KIND
from projection.text.fact_ids import id_of_subject
from rituals.intake.adopt.adopted_files import CONTINUITY, QUESTIONS, AgentMemory
from rituals.intake.adopt.page_blocks import Item, Page, trimmed, unquoted
from rituals.intake.adopt.read_facts import ARCHIVED, LIVE, FactPage, ImportedFact
from rituals.intake.code_spans import footer_comments, indent_of, storable

#: How the notes of the layout's own template start, in lower case and without quote marks.
_TEMPLATE = (
    "hard constraints that must never change",
    "canonical live home for the current stack",
    "mark completed items `- [x]` and leave them in place",
    "one line per archived fact",
)
#: Kinds whose sections are lists of facts; in others the text of a section belongs together.
_LISTS = frozenset(kind.name for kind in BUILT_IN_KINDS) - {DEFAULT_KIND, "stack"}
_TITLES = {kind.name: kind.section for kind in BUILT_IN_KINDS}
_ID_WORDS = 6


#: How a bullet starts that Diurna reads as one where it stands.
_BULLETS = ("- ", "* ", "+ ")
_OF_QUESTIONS = re.compile(r"\bquestions?\b", re.IGNORECASE)
_OF_ANY = re.compile(r"\b(?:generic|general|any (?:repo|project))", re.IGNORECASE)
#: What stands behind a question: where its answer is looked up.
_POINTER = re.compile(r"\s*[*_]*\((?:→|->|see\b|answer\b)[^\n]*$", re.IGNORECASE)
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+")


class Passage(Record):
    """Text without a footer: where it stood and what it would be called."""

    fact: ImportedFact
    title: str


def passages(
    memory: AgentMemory, pages: Iterable[str], taken: Iterable[str]
) -> tuple[Passage, ...]:
    """Read what no footer claims, in the order of files and lines.

    `pages` are the files that will be written anew; `taken` has the ids that facts have already.
    """
    wanted = set(pages)
    ids = set(taken)
    found: list[Passage] = []
    ignored: list[Finding] = []  # `facts` reported them
    for file, data in ((CONTINUITY, memory.continuity), *memory.archive):
        if file not in wanted:
            continue
        page = FactPage(file, data, ignored)
        page.facts()
        tops = {item.start: item for item in page.tops}
        begins = [0, *[heading.line + 1 for heading in page.headings]]
        ends = [*[heading.line for heading in page.headings], len(page.lines)]
        sections = [
            passage
            for place, (begin, end) in enumerate(zip(begins, ends, strict=True), -1)
            for passage in _of_section(page, place, begin, end, tops)
        ]
        for passage in sections:
            id = free_id(passage.fact.id, ids)
            ids.add(id)
            found.append(passage._replace(fact=passage.fact._replace(id=id)))
    return tuple(found)


def bullets(memory: AgentMemory, known: Collection[str]) -> tuple[Passage, ...]:
    """Read the bullets of a page that somebody wrote by hand, each as a fact; the rest is left out.

    `memory` has nothing but the page; `known` has texts that the ledger has, and ids that it knows.
    """
    ids = {one for one in known if is_fact_id(one)}
    found: list[Passage] = []
    page = FactPage(CONTINUITY, memory.continuity, [])
    page.facts()
    ends = [heading.line for heading in page.headings] + [len(page.lines)]
    for item in page.tops:
        if not page.lines[item.start].startswith(_BULLETS):
            continue
        place = bisect_right(ends[:-1], item.start) - 1
        rows = _unclaimed(page, item.start, min(item.end + 1, ends[place + 1]))
        if not rows or _is_nothing("\n".join(rows), header=False):
            continue
        passage = _item(page, item, rows, page.kind_below(place), place)
        if not passage.fact.text or tidy(passage.fact.text) in known:
            continue
        id = free_id(passage.fact.id, ids)
        ids.add(id)
        found.append(passage._replace(fact=passage.fact._replace(id=id)))
    return tuple(found)


def _of_section(
    page: FactPage, place: int, begin: int, end: int, tops: dict[int, Item]
) -> list[Passage]:
    """Read what is unclaimed below one heading (`place` -1: above the first)."""
    kind = page.kind_below(place)
    title = page.headings[place].title if place >= 0 else ""
    header = place < 0 or (place == 0 and page.headings[0].level == 1)
    archived = page.state == ARCHIVED
    found: list[Passage] = []
    rest: list[str] = []
    rest_line = -1
    number = begin
    while number < end:
        item = tops.get(number)
        stop = min(item.end + 1, end) if item else _block_end(page, number, end, tops)
        rows = _unclaimed(page, number, stop)
        text = "\n".join(rows).strip()
        if text and not _is_nothing(text, header):
            if item and (item.mark or archived or kind in _LISTS):
                found.append(_item(page, item, rows, kind, place))
            else:
                apart = not page.lines[number - 1].strip() or page.claimed[number - 1]
                rest += ([""] if rest and apart else []) + unquoted(rows)
                rest_line = number if rest_line < 0 else rest_line
        number = stop
    if rest:
        found.append(_rest(page, rest, kind, title, place, rest_line))
    return [passage for passage in found if passage.fact.text]


def _block_end(page: FactPage, number: int, end: int, tops: dict[int, Item]) -> int:
    """Return where the paragraph, quote or code that starts on a line ends."""
    stop = number + 1
    while stop < end and stop not in tops:
        blank = not page.lines[stop - 1].strip()
        if blank and not page.hidden[stop]:
            break
        stop += 1
    return stop


def _unclaimed(page: FactPage, begin: int, end: int) -> list[str]:
    """Return the lines that no fact holds, without footers, and without blank lines around them."""
    rows: list[str] = []
    skip_to = -1
    for number in range(begin, end):
        if page.claimed[number] or number < skip_to:
            continue
        line = page.lines[number]
        if not page.hidden[number]:
            kept, done = [], 0
            for comment in footer_comments(page.lines, number):
                kept.append(line[done : comment.column])
                done = comment.end_column if comment.end_line == number else len(line)
                skip_to = max(skip_to, comment.end_line + 1)
            if kept:
                line = ("".join(kept) + line[done:]).rstrip()
                if not line.strip("> "):
                    continue
        rows.append(line)
    return trimmed(rows)


def _is_nothing(text: str, header: bool) -> bool:
    """Tell whether a block says nothing of the project."""
    bare = " ".join(text.replace("\n>", "\n").lstrip("> ").split()).lower()
    comment = bare.startswith("<!--") and bare.endswith("-->") and bare.count("<!--") == 1
    if comment or (header and text.startswith(">")) or not bare.strip("-*_=# |:[]`~"):
        return True
    plain = bare.lstrip("-*+ ").strip("*_ ")
    none = plain.startswith(("(none", "(nothing", "(empty")) and plain.endswith(")")
    return none or bare.startswith(_TEMPLATE)


def _item(page: FactPage, item: Item, rows: list[str], kind: str, place: int) -> Passage:
    first = rows[0]
    if not page.claimed[item.start]:
        rows = [first[item.text_at :], *rows[1:]]
    rows = [rows[0].lstrip(" "), *(row[min(item.width, indent_of(row)) :] for row in rows[1:])]
    mark = item.mark
    if kind == THREAD_KIND and not mark:
        mark = "x" if page.state == ARCHIVED else " "
    text = storable(rows, mark)
    title = page.headings[place].title if place >= 0 else page.file
    kind, id = THREAD_KIND if mark else kind, id_of_subject(text, {})
    return Passage(_fact(page, id, text, kind, mark, item.start, place), title)


def _rest(page: FactPage, rows: list[str], kind: str, title: str, place: int, line: int) -> Passage:
    """Make one fact of all that is no item, under the heading's title where the kind lacks it."""
    bare = "\n".join(rows).strip().strip("*_")
    aside = bare.startswith("(") and bare.endswith(")") and "\n\n" not in bare
    if kind == THREAD_KIND or aside:  # `*(More will follow.)*` under invariants is none
        kind = DEFAULT_KIND
    if title and title != _TITLES.get(kind, ""):
        rows = [f"**{title}**", "", *rows]
    text = storable(rows, "")
    shown = title or page.file
    return Passage(_fact(page, _slug(shown), text, kind, "", line, place), shown)


def _fact(
    page: FactPage, id: str, text: str, kind: str, mark: str, line: int, place: int
) -> ImportedFact:
    created = _dated(page, place) if page.state == ARCHIVED else ""
    kind = kind or DEFAULT_KIND
    return ImportedFact(
        id, text, kind, mark, created, "", "", "", page.file, line + 1, page.state, 0
    )  # fmt: skip


def _dated(page: FactPage, place: int) -> str:
    """Date a passage of the archive: by the heading above that starts with a date, else by its page."""
    for heading in reversed(page.headings[: place + 1]):
        if is_date(heading.title[:10]):
            return heading.title[:10]
    name = page.file.rpartition("/")[2]
    made = f"{name[:4]}-{3 * int(name[6]) - 2:02d}-01" if name[6:7] in ("1", "2", "3", "4") else ""
    return made if is_date(made) else ""


def _slug(title: str) -> str:
    """Make an id of the heading of a section, which is a name and no sentence of anybody's."""
    chars = [
        char if char.isascii() and char.isalnum() else " " for char in title.replace("&", " and ")
    ]
    words = "".join(chars).lower().split()[:_ID_WORDS]
    id = "-".join(words)[:48].strip("-")
    return id if is_fact_id(id) and "-" in id else f"{id or 'adopted'}-notes"


def free_id(id: str, taken: set[str]) -> str:
    """Return the id, with a number behind it where it is taken."""
    made, number = id, 2
    while made in taken:
        tail = f"-{number}"
        made, number = id[: ID_LIMIT_CHARS - len(tail)].rstrip(".-") + tail, number + 1
    return made


def questions(memory: AgentMemory, taken: Collection[str]) -> tuple[ImportedFact, ...]:
    """Return the questions of the ledger's own.

    `taken` has the ids that facts have already; a question can expect these.
    """
    known, ids = frozenset(taken), set(taken)
    page = Page(QUESTIONS, memory.questions, [])
    found = []
    for item in page.tops:
        title = page.headings[item.heading].title if item.heading >= 0 else ""
        if not _OF_QUESTIONS.search(title) or _OF_ANY.search(title):
            continue
        rows = page.lines[item.start : item.end + 1]
        whole = " ".join(" ".join([rows[0][item.text_at :], *rows[1:]]).split())
        text = _POINTER.sub("", whole)
        if not text.endswith("?"):
            continue
        expected = [id for id in dict.fromkeys(_ID.findall(whole)) if id in known]
        meta = (("expect", ", ".join(expected)),) if expected else ()
        id = free_id(id_of_subject(text, {}), ids)
        ids.add(id)
        found.append(ImportedFact(
            id, text, QUESTION_KIND, "", "", "", "", "", QUESTIONS, item.start + 1, LIVE, 0, meta
        ))  # fmt: skip
    return tuple(found)
