"""Choose what fits into a brief: whole lines, most important first, always with the newest correction.

First come the first lines of what contradicts itself, must hold, was handed over, changed or is open. Then
each section in its order takes up to half of what is left, and then whatever it needs: a long section
comes first and crowds out none. What is for a role has a budget of its own. The budget counts every
character of the output.
"""

from __future__ import annotations

from projection.brief.envelope import NONCE_CHARS, nonce_for
from projection.brief.forms import Ending
from projection.brief.lines import (
    LEAST_TEXT_CHARS,
    cut_short,
    line_of,
    text_chars,
)
from projection.brief.plain_text import shortened
from projection.brief.roles import is_summary
from projection.brief.sections import fact_of, is_correction, wanted
from projection.brief.values import (
    ATTEMPTS,
    BORN,
    CHANGES,
    CONTRADICTIONS,
    HANDED,
    INVARIANTS,
    ROLE,
    TASKS,
    THREADS,
    YOURS,
    Brief,
    Line,
    News,
    Section,
    Session,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.brief.forms import Form
    from projection.brief.values import Item, Material, Wanted

LEAST_CHARS = 1000
_FIRST = (CONTRADICTIONS, INVARIANTS, YOURS, HANDED, CHANGES, ATTEMPTS, TASKS, THREADS)
_FIRST_LINES = 3
#: How many characters of a forced line's text are left at least.
_LEAST_TEXT = 12
#: About how many characters of a line stand before its text.
_PROVENANCE_CHARS = 110
_NO_NONCE = "0" * NONCE_CHARS


def brief(material: Material, form: Form, budget_chars: int) -> Brief:
    """Write what fits.

    Args:
        material: all there is to say.
        form: how it is written.
        budget_chars: how many characters the whole output may have, at least `LEAST_CHARS`.
    """
    filling = _Filling(material, form, budget_chars)
    filling.fill()
    body = filling.written(_NO_NONCE)
    nonce = nonce_for(material.view.summary.digest, body)
    sections = tuple([filling.section(one) for one in filling.wanted if filling.lines[one.name]])
    ending = filling.ending()
    return Brief(
        material.commit, filling.place, filling.due, sections, ending.live, ending.archived, nonce,
        filling.written(nonce),
    )  # fmt: skip


class _Filling:
    """Sections that are being filled.

    Args:
        material: all there is to say.
        form: how it is written.
        budget: how many characters there are.
    """

    def __init__(self, material: Material, form: Form, budget: int) -> None:
        self._material, self._form = material, form
        self.wanted = wanted(material)
        self.lines: dict[str, list[Line]] = {one.name: [] for one in self.wanted}
        self.due = ""
        self._written: dict[str, list[str]] = {one.name: [] for one in self.wanted}
        self._next = dict.fromkeys(self.lines, 0)
        self._shown: set[str] = set()
        self._done: set[str] = set()
        view = material.view
        self._live = {one.fact.id for one in view.live if not one.fact.redacted}
        self._archived = _archived(material)
        self._facts = sum(view.tiers)
        self.place = material.place
        self._budget = budget
        self._room = budget - self._frame()
        self._chars = text_chars(budget)

    def fill(self) -> None:
        """Take what fits, most important first."""
        self._force()
        due = self._material.due
        if due:
            head = self._form.head
            cost = len(head(_NO_NONCE, self.place, due)) - len(head(_NO_NONCE, self.place, ""))
            if cost <= self._room:
                self.due, self._room = due, self._room - cost
        for section in self.wanted:
            if section.name in _FIRST:
                self._take(section, _FIRST_LINES)
        for section in self.wanted:
            if section.name == ROLE:
                self._take_notes(section)
        for section in self.wanted:
            self._take(section, section.total, self._room // 2)
        for section in self.wanted:
            self._take(section, section.total)

    def _line(self, item: Item, chars: int) -> Line:
        """Write an item as a line, and of a fact how it is known."""
        line = line_of(item, chars)
        if isinstance(item, Session):
            return line
        return line._replace(known=self._material.known(line.id))

    def _frame(self) -> int:
        """Count what stands around the sections at most."""
        most = max(self._facts, 2)  # nothing that is counted takes more room
        tail = self._form.tail(_NO_NONCE, Ending(most, most))
        return len(self._form.head(_NO_NONCE, self.place, "")) + len(tail)

    def _force(self) -> None:
        """Take the newest correction; its text, then names around it, are cut as far as they must be."""
        for section in self.wanted:
            if section.name == CHANGES and is_correction(_news(section.items[0])):
                line = self._line(section.items[0], self._chars)
                while (over := self._cost(section, self._form.line(line)) - self._room) > 0:
                    if len(line.text) > _LEAST_TEXT:
                        cut = shortened(line.text, max(_LEAST_TEXT, len(line.text) - over))
                        line = line._replace(text=cut)
                    elif line.kind or line.by or line.known:
                        line = line._replace(kind="", by="", known="")
                    else:
                        self._room += self._frame()
                        self.place = cut_short(self.place)
                        self._room -= self._frame()
                        break
                self._add(section, section.items[0], line, self._form.line(line))

    def _take(self, section: Wanted, up_to: int, leave: int = 0) -> None:
        """Take lines of a section, until there are so many, or the next one would leave less room."""
        if section.name in self._done:
            return
        chars = self._chars_of(section)
        while self._next[section.name] < len(section.items):
            if len(self.lines[section.name]) >= up_to:
                return
            item = section.items[self._next[section.name]]
            # what stands against what is said also of a fact whose newest correction was taken first
            if section.name != CONTRADICTIONS and self._stands_already(item):
                self._next[section.name] += 1
                continue
            line = self._line(item, chars)
            written = self._form.line(line)
            if self._cost(section, written) > self._room - leave:
                return
            self._add(section, item, line, written)

    def _take_notes(self, section: Wanted) -> None:
        """Take all notes of the role that asks, else the one that sums them up, else some of them.

        They have so many characters, and no more than two thirds of what is left.
        """
        limit = min(self._material.role_chars, self._room * 2 // 3)
        fresh = [item for item in section.items if not self._stands_already(item)]
        written = [self._form.line(self._line(one, self._chars_of(section))) for one in fresh]
        if self._cost(section, self._form.between.join(written)) > limit:
            asked = self._material.asked_role
            summary = [
                one
                for one in fresh
                if not isinstance(one, News | Session) and is_summary(fact_of(one), asked)
            ][:1]
            if summary and self._take_cut(section, summary[0], limit):
                limit = 0
        self._take(section, section.total, self._room - limit)
        self._done.add(section.name)

    def _take_cut(self, section: Wanted, item: Item, room: int) -> bool:
        """Take a line whose text may need all of some room; tell whether that was enough for it."""
        line = self._line(item, room)
        while (over := self._cost(section, written := self._form.line(line)) - room) > 0:
            if len(line.text) <= LEAST_TEXT_CHARS:
                return False
            kept = max(LEAST_TEXT_CHARS, len(line.text) - over)
            line = line._replace(text=shortened(line.text, kept))
        self._add(section, item, line, written)
        return True

    def _stands_already(self, item: Item) -> bool:
        """Tell whether a fact is shown already; that something happened to it is said all the same."""
        if isinstance(item, News):
            return item.what == BORN and item.fact in self._shown
        return not isinstance(item, Session) and fact_of(item).id in self._shown

    def _add(self, section: Wanted, item: Item, line: Line, written: str) -> None:
        self._room -= self._cost(section, written)
        self.lines[section.name].append(line)
        self._written[section.name].append(written)
        self._next[section.name] += 1
        self._shown.add(line.id)
        if isinstance(item, News) and item.replacing is not None:
            self._shown.add(item.successor)

    def _chars_of(self, section: Wanted) -> int:
        """Return how many characters of a text are shown in a section.

        What was handed over gets much more. What must always hold gets more, too, and where there is much
        of it less, so that more of it stands.
        """
        if section.name == HANDED:
            return min(self._chars * 4, self._budget // 4)
        if section.name != INVARIANTS:
            return self._chars
        share = self._budget // 2 // len(section.items) - _PROVENANCE_CHARS
        return max(LEAST_TEXT_CHARS, min(self._chars * 3 // 2, share))

    def _cost(self, section: Wanted, written: str) -> int:
        """Count what a line takes; the first of a section brings the title along."""
        form = self._form
        cost = len(written) + len(form.between)
        if not self.lines[section.name]:
            numbers = section.total + 1  # the longest that may stand there
            opening = form.opening(section.name, section.title, section.total, numbers)
            cost += len(opening) + len(str(numbers)) + len(form.closing()) + len(form.apart)
        return cost

    def section(self, one: Wanted) -> Section:
        """Return a section as far as it is filled."""
        lines = self.lines[one.name]
        skipped = self._next[one.name] - len(lines)
        return Section(one.name, one.title, tuple(lines), one.total - len(lines) - skipped)

    def ending(self) -> Ending:
        """Count what is not shown."""
        live = len(self._live - self._shown)
        archived = len(self._archived & self._shown)
        return Ending(live, self._facts - len(self._material.view.live) - archived)

    def written(self, nonce: str) -> str:
        """Write all of it."""
        form = self._form
        parts = []
        for one in self.wanted:
            lines = self._written[one.name]
            if lines:
                section = self.section(one)
                opening = form.opening(
                    one.name, one.title, len(lines), len(lines) + section.left_out
                )
                parts.append(opening + form.between.join(lines) + form.closing())
        return (
            form.head(nonce, self.place, self.due)
            + form.apart.join(parts)
            + form.tail(nonce, self.ending())
        )


def _archived(material: Material) -> set[str]:
    """Return the facts of the material that are not live."""
    known = {one.fact.id for one in material.found}
    known |= {one.standing.fact.id for part in material.todo for one in part}
    known |= {fact.id for fact in material.view.contradicted}
    for news in material.news:
        if news.now is not None:
            known.add(news.fact)
        if news.replacing is not None:
            known.add(news.successor)
    return known - {one.fact.id for one in material.view.live}


def _news(item: Item) -> News:
    assert isinstance(item, News)
    return item
