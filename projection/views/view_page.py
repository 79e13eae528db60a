"""Define what a view is made of and the view as a value, write it as markdown, and say it for JSON.

The forms are those of `continuity.md` (`projection.document.page_renderer`): a bullet with its footer
below it, whose first line alone stands in column 0, so that no text forges structure. A line of text
stands by itself below a heading where it can not be taken for anything else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ledger.model.log_names import NO_DAY
from ledger.model.record import Record
from ledger.model.session import ASKED_KEY
from projection.document import page_renderer as renderer
from projection.document.archive_pages import summary_of
from projection.fold.fact_history import NO_TEXT, REDACTED_TEXT, Fact, History, Version
from projection.fold.fact_links import footer
from projection.fold.live_view import Standing, Summary
from projection.policy.model import Policy

ROLE_KEY = "role"


class SessionLine(Record):
    """One session log as views tell it: when, and its digest by rules."""

    at: str  #: a stamp, by its writer's clock, or the name of the log where that says no other
    title: str = ""  #: of its digest, "" where it says nothing
    summary: str = ""  #: of its digest
    decided: tuple[str, ...] = ()  #: what was decided, in the words of the log
    open: tuple[str, ...] = ()  #: what it left to be done, likewise
    told: tuple[tuple[str, tuple[str, ...]], ...] = ()  #: (verb, ids): what it did to facts

    @property
    def day(self) -> str:
        """The day, `YYYY-MM-DD`."""
        return self.at[:10]

    @property
    def clock(self) -> str:
        """The time of day in UTC, `HH:MM`; "" for a log whose name tells none."""
        digits = self.at[11:15]
        return f"{digits[:2]}:{digits[2:]}" if len(digits) == 4 and digits.isdigit() else ""


class ViewSource(Record):
    """What a view is made of."""

    policy: Policy  #: names the project and the kinds
    summary: Summary  #: of all logs
    #: every fact that the view may show, by id; more do no harm
    standings: tuple[Standing, ...] = ()
    histories: Mapping[str, History] = MappingProxyType({})  #: what logs said of these
    sessions: tuple[SessionLine, ...] = ()  #: the logs that the view tells of, newest first

    def shared(self) -> list[Standing]:
        """Return the facts that are no note of a role: only the view `roles` has those."""
        return [one for one in self.standings if not footer(one.fact, ROLE_KEY)]

    def fact(self, name: str) -> Fact | None:
        """Return a fact of these, None where it is not among them."""
        return next((one.fact for one in self.standings if one.fact.id == name), None)


def minute_of(at: str) -> str:
    """Return when a log ended: `2026-11-21 08:30 UTC`; the day where its name says no more."""
    clock = SessionLine(at).clock
    return f"{at[:10]} {clock} UTC" if clock else at[:10] or NO_DAY


#: What can stand in column 0 as text and nothing else: one line that begins with a letter or a digit,
#: and is no numbered item.
_PLAIN = re.compile(r"(?!\d+[.)]\s)[^\W_][^\n\r]*")


#: Keys of a footer that are computed here, whatever its author says.
_COMPUTED = ("id", "kind", "heads", "moves", "version", "log")


class Item(Record):
    """A fact in a view."""

    id: str  #: of the fact
    text: str  #: of it, or a line about it
    mark: str = ""  #: its checkbox: "" none, " " open, "x" closed
    footer: tuple[tuple[str, str], ...] = ()  #: what stands in its footer behind the id
    versions: tuple[Version, ...] = ()  #: those that stand, where there are several
    label: str = ""  #: that stands before its text, `Decision: `
    bare: bool = False  #: its text may stand without a bullet


class Section(Record):
    """A heading with what stands below it: facts, and lines that are computed."""

    title: str
    lines: tuple[Item | str, ...] = ()
    level: int = 2


class Page(Record):
    """A view: its title, a line about it, its sections."""

    title: str
    note: str = ""
    sections: tuple[Section, ...] = ()


def fact_item(fact: Fact, mark: str = "", *, label: str = "", bare: bool = False) -> Item:
    """Show a fact with its whole text, and what its author's footer says."""
    versions: tuple[Version, ...] = ()
    text = NO_TEXT
    if fact.redacted:
        text = REDACTED_TEXT
    elif len(fact.heads) > 1:
        versions = fact.versions
        text = fact.text
    elif fact.heads:
        text = fact.heads[0].text
    pairs = [("kind", renderer.footer_value(fact.kind))]
    for key, value in fact.meta:
        key, value = renderer.footer_value(key).replace(":", "-"), renderer.footer_value(value)
        if key and value and key not in (*_COMPUTED, ASKED_KEY):
            pairs.append((key, value))
    if versions:
        pairs.append(("heads", ", ".join([one.id for one in versions])))
    if fact.moves:
        said = [f"{move.state} in {move.stem}" for move in fact.moves]
        pairs.append(("moves", ", ".join(said)))
    return Item(fact.id, text, mark, tuple(pairs), versions, label, bare)


def write(page: Page) -> str:
    """Write a view as markdown, without a last line of its own."""
    parts = [f"# {renderer.one_line(page.title)}"]
    if page.note:
        parts.append(f"> {page.note}")
    for section in page.sections:
        heading = f"{'#' * section.level} {renderer.one_line(section.title)}"
        parts.append("\n".join([heading, *[_line(line) for line in section.lines]]))
    return "\n\n".join(parts) + "\n"


def _line(line: Item | str) -> str:
    if isinstance(line, str):
        return line
    text = line.label + line.text
    pairs = " | ".join([f"{key}: {value}" for key, value in (("id", line.id), *line.footer)])
    if line.versions:
        return f"{renderer.contradicted(line.versions, line.mark)}\n  <!-- {pairs} -->"
    if line.bare and _PLAIN.fullmatch(text):
        return f"{text}\n<!-- {pairs} -->"
    return f"{renderer.item(text, line.mark)}\n  <!-- {pairs} -->"


def told(fact: Fact) -> str:
    """Say a fact in one line of at most 120 characters, without a bullet."""
    return renderer.one_line(summary_of(fact))


def page_object(page: Page) -> dict[str, object]:
    """Describe a view for JSON: each section with its facts, and its lines as they stand."""
    sections = []
    for title, lines, level in page.sections:
        items = [line if isinstance(line, Item) else Item("", line) for line in lines]
        rows = [{"id": one.id, "mark": one.mark, "text": one.text} for one in items]
        sections.append({"title": title, "level": level, "lines": rows})
    return {"title": page.title, "sections": sections}
