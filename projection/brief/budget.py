"""Choose what fits into a brief: for each section a share of the room, and always the newest correction.

First come the fewest lines that a section has, then each section in its order up to its share, then what
there is still room for: a long section crowds out none. Texts are made longer, section by section, where
no line is lost by it; what then is left is for more of the last sessions. What is for a role has a budget
of its own. The budget counts every character of the output.
"""

from __future__ import annotations

from projection.brief import brief_values as values
from projection.brief.brief_formats import Ending, Said
from projection.brief.brief_lines import LEAST_TEXT_CHARS, cut_short, line_of, text_chars
from projection.brief.brief_sections import fact_of, gone_of, usual_word, wanted
from projection.brief.envelope import NONCE_CHARS, nonce_for
from projection.brief.role_choice import is_summary
from projection.brief.single_line import shortened
from projection.document.fact_remarks import is_behind
from projection.policy.model import DEFAULT_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from projection.brief.brief_formats import Form

LEAST_CHARS = 1000
#: Of a hundred characters, how many a section has with a task and without, and its fewest lines.
_SHARES = {
    values.ASKED: (50, 50, 1), values.CONTRADICTIONS: (8, 8, 1), values.INVARIANTS: (16, 16, 2),
    values.HANDED: (25, 25, 1), values.CHANGES: (8, 15, 1), values.ROLE: (100, 100, 0),
    values.THREADS: (10, 15, 1), values.DECISIONS: (35, 35, 0), values.SESSIONS: (0, 3, 0),
    values.REST: (100, 100, 0),
}  # fmt: skip
_OTHERS_SHARE = (8, 8, 1)
_OTHER_HOMES = (values.YOURS, values.UPSTREAM)
#: The sections of facts that may rest.
_RESTED = (values.ROLE, values.DECISIONS, values.REST)
#: Of a hundred characters, how many are left for the index of ids.
_INDEX_SHARE = 2
#: By how many halves texts are made longer where there is room.
_LONGER = (6, 4, 3)
#: How many characters of a forced line's text are left at least.
_LEAST_TEXT = 12
_NO_NONCE = "0" * NONCE_CHARS


def brief(material: values.Material, form: Form, budget_chars: int) -> values.Brief:
    """Write what fits into so many characters for the whole output, at least `LEAST_CHARS`."""
    filling = _Filling(material, form, budget_chars)
    filling.fill()
    body = filling.written(_NO_NONCE)
    nonce = nonce_for(material.view.summary.digest, body)
    sections = tuple([filling.section(one) for one in filling.wanted if filling.lines[one.name]])
    ending = filling.ending()
    return values.Brief(
        material.commit, filling.place, filling.due, sections, ending.live, ending.archived, nonce,
        filling.written(nonce), ending.also, ending.rests,
    )  # fmt: skip


class _Filling:
    """Sections that are being filled.

    Args:
        material: all there is to say.
        form: how it is written.
        budget: how many characters there are.
    """

    def __init__(self, material: values.Material, form: Form, budget: int) -> None:
        self._material, self._form, self._budget = material, form, budget
        self.wanted = wanted(material)
        self.lines: dict[str, list[values.Line]] = {one.name: [] for one in self.wanted}
        self.due = ""
        self._items: dict[str, list[values.Item]] = {one.name: [] for one in self.wanted}
        self._next = dict.fromkeys(self.lines, 0)
        self._used = dict.fromkeys(self.lines, 0)
        self._shown: set[str] = set()
        self._resting: dict[str, None] = {}
        self._index: tuple[str, ...] = ()
        self._cut: set[str] = set()
        self._corrected: frozenset[str] = frozenset()
        self._done: set[str] = set()
        view = material.view
        self._live = {one.fact.id for one in view.live if not one.fact.redacted}
        self._archived = _archived(material)
        self._facts = sum(view.tiers)
        usual = usual_word(self.wanted, material.known)
        self.place = material.place._replace(known=usual)
        self._said = Said((DEFAULT_KIND,), view.summary.newest[:10], usual)
        self._whole = self._room = budget - self._frame()

    def fill(self) -> None:
        """Take what fits, most important first."""
        self._force()
        due = self._material.due
        if due:
            head = self._form.head
            cost = len(head(_NO_NONCE, self.place, due)) - len(head(_NO_NONCE, self.place, ""))
            if cost <= self._room:
                self.due, self._room = due, self._room - cost
        asks = self._material.asks
        index = min(self._budget * _INDEX_SHARE // 100, max(self._room, 0))
        self._room -= index
        for section in self.wanted:
            if section.name == values.ASKED:
                self._take(section, self._whole * _share(section)[0] // 100)
            self._take(section, least=_share(section)[2])
        for section in self.wanted:
            if section.name == values.ROLE:
                self._take_notes(section)
            self._take(section, self._whole * _share(section)[not asks] // 100)
        for left in (index, 0):  # what the index does not need is for lines
            self._take_all(but=values.SESSIONS)
            if left:
                index = min(left, self._cost_of_index(self._not_shown(left)))
                self._room += left - index
        self._room += index
        self._name_the_rest(index)
        self._lengthen()
        self._take_all()

    def _take_all(self, but: str = "") -> None:
        """Take what there is room for, of all sections but one."""
        for section in self.wanted:
            if section.name != but:
                self._take(section, self._budget)

    def _line(
        self, section: values.Wanted, item: values.Item, nth: int, halves: int = 2
    ) -> values.Line:
        """Write an item as the nth line of a section, and of a fact how it is known."""
        gone = gone_of(item, self._material)
        if is_behind(gone):
            nth, halves = self._budget, 2  # the first and the longer texts are for what holds
        line = line_of(item, text_chars(section.name, nth, self._budget) * halves // 2)
        if isinstance(item, values.Session):
            return line
        if gone:
            line = line._replace(mark=line.mark._replace(gone=gone))
        return line._replace(known=self._material.known(line.id))

    def _form_line(self, section: values.Wanted, line: values.Line) -> str:
        return self._form.line(line, self._said._replace(kinds=(*section.kinds, *self._said.kinds)))

    def _frame(self) -> int:
        """Count what stands around the sections at most."""
        most = max(self._facts, 2)  # nothing that is counted takes more room
        tail = self._form.tail(_NO_NONCE, Ending(most, most))
        return len(self._form.head(_NO_NONCE, self.place, "")) + len(tail)

    def _force(self) -> None:
        """Take the newest correction; its text, then names around it, are cut as far as they must be."""
        for section in self.wanted:
            newest = section.items[0]
            if isinstance(newest, values.News) and newest.what in values.CORRECTIONS:
                line = self._line(section, newest, 0)
                while (over := self._cost(section, line) - self._room) > 0:
                    self._cut.add(values.CHANGES)
                    if len(line.text) > _LEAST_TEXT:
                        cut = shortened(line.text, max(_LEAST_TEXT, len(line.text) - over))
                        line = line._replace(text=cut, cut=True)
                    elif line.kind or line.by or line.known:
                        line = line._replace(kind="", by="", known="")
                    else:
                        self._room += self._frame()
                        self.place = cut_short(self.place)
                        self._room -= self._frame()
                        break
                self._add(section, newest, line)
                self._corrected = frozenset(self._shown)

    def _take(self, section: values.Wanted, share: int = 0, least: int = 0) -> None:
        """Take lines of a section up to a share of the room, or so many at least."""
        lines, items = self.lines[section.name], section.items
        while self._next[section.name] < len(items) and (share or len(lines) < least):
            if section.name in self._done:
                return
            item = items[self._next[section.name]]
            if self._is_passed_over(section, item):
                self._next[section.name] += 1
                continue
            line = self._line(section, item, len(lines))
            cost = self._cost(section, line)
            if cost > self._room or (share and self._used[section.name] + cost > share):
                return
            self._add(section, item, line)

    def _take_notes(self, section: values.Wanted) -> None:
        """Take all notes of the role that asks, else the one that sums them up, else some of them.

        They have so many characters, and no more than two thirds of what is left.
        """
        limit = min(self._material.role_chars, self._room * 2 // 3)
        fresh = [one for one in section.items if not self._is_passed_over(section, one)]
        lines = [self._line(section, one, 0) for one in fresh]
        if sum([self._cost(section, one) for one in lines]) > limit:
            asked = self._material.asked_role
            summary = [
                one
                for one in fresh
                if not isinstance(one, values.News | values.Session)
                and is_summary(fact_of(one), asked)
            ][:1]
            if summary and self._take_cut(section, summary[0], limit):
                limit = 0
        if limit:
            self._take(section, limit)
        self._done.add(section.name)

    def _take_cut(self, section: values.Wanted, item: values.Item, room: int) -> bool:
        """Take a line whose text may need all of some room; tell whether that was enough for it."""
        line = line_of(item, room)
        while (over := self._cost(section, line) - room) > 0:
            if len(line.text) <= LEAST_TEXT_CHARS:
                return False
            kept = max(LEAST_TEXT_CHARS, len(line.text) - over)
            line = line._replace(text=shortened(line.text, kept), cut=True)
        self._add(section, item, line)
        return True

    def _is_passed_over(self, section: values.Wanted, item: values.Item) -> bool:
        """Tell whether a fact is shown already, or rests; what happened to it is said all the same."""
        if isinstance(item, values.Session) or section.name == values.CONTRADICTIONS:
            return False  # what stands against what is said also of a fact that is corrected
        if isinstance(item, values.News):
            return item.what == values.BORN and item.fact in self._shown
        if section.name == values.ASKED:
            # it comes first, though a correction that is always there says it as well
            return fact_of(item).id in self._shown - self._corrected
        fact, tier = (
            fact_of(item),
            (item.standing if isinstance(item, values.Stated) else item).tier,
        )
        if section.name in _RESTED and not (fact.id in self._shown or tier == "core" or fact.open):
            if self._material.rests(fact):
                self._resting[fact.id] = None
        return fact.id in self._shown or fact.id in self._resting

    def _add(self, section: values.Wanted, item: values.Item, line: values.Line) -> None:
        cost = self._cost(section, line)
        self._room -= cost
        self._used[section.name] += cost
        self.lines[section.name].append(line)
        self._items[section.name].append(item)
        self._next[section.name] += 1
        self._shown.add(line.id)
        if isinstance(item, values.News) and item.replacing is not None:
            self._shown.add(item.successor)

    def _cost(self, section: values.Wanted, line: values.Line) -> int:
        """Count what a line takes; the first of a section brings the title along."""
        form = self._form
        cost = len(self._form_line(section, line)) + len(form.between)
        if not self.lines[section.name]:
            numbers = section.total + 1  # the longest that may stand there
            opening = form.opening(section.name, section.title, section.total, numbers)
            cost += len(opening) + len(str(numbers)) + len(form.closing()) + len(form.apart)
        return cost

    def _not_shown(self, room: int) -> list[str]:
        """Return the facts without a line, those that rest first, until their ids are as long as that."""
        found = dict.fromkeys([one for one in self._resting if one not in self._shown])
        room -= sum(map(len, found))
        for section in self.wanted:
            if section.name.startswith((values.CHANGES, values.SESSIONS, *_OTHER_HOMES)):
                continue
            for item in section.items[self._next[section.name] :]:
                if room < 0:
                    break
                if not isinstance(item, values.News | values.Session):
                    id = fact_of(item).id
                    if id not in self._shown:
                        found[id] = None
                        room -= len(id)
        return list(found)

    def _cost_of_index(self, ids: Sequence[str]) -> int:
        tail, ending = self._form.tail, Ending(2, 2)
        named = ending._replace(also=tuple(ids), rests=len(self._resting))
        return len(tail(_NO_NONCE, named)) - len(tail(_NO_NONCE, ending))

    def _name_the_rest(self, room: int) -> None:
        """Name facts without a line, as many as there is room for."""
        ids = self._not_shown(room)
        while ids and self._cost_of_index(ids) > room:
            ids.pop()
        self._room -= self._cost_of_index(ids)
        self._index = tuple(ids)

    def _lengthen(self) -> None:
        """Show more of each text of a section, as far as there is room for all of them."""
        for section in self.wanted:
            if section.name in self._cut or section.name == values.ROLE:
                continue
            for halves in _LONGER:
                items = enumerate(self._items[section.name])
                lines = [self._line(section, item, nth, halves) for nth, item in items]
                more = self._chars_of(section, lines)
                more -= self._chars_of(section, self.lines[section.name])
                if more <= self._room:
                    self.lines[section.name] = lines
                    self._room -= more
                    break

    def _chars_of(self, section: values.Wanted, lines: Sequence[values.Line]) -> int:
        return sum([len(self._form_line(section, line)) for line in lines])

    def section(self, one: values.Wanted) -> values.Section:
        """Return a section as far as it is filled."""
        left = one.total - self._next[one.name]
        return values.Section(one.name, one.title, tuple(self.lines[one.name]), left)

    def ending(self) -> Ending:
        """Count what is not shown."""
        live = len(self._live - self._shown)
        archived = len(self._archived & self._shown)
        archive = self._facts - len(self._material.view.live) - archived
        index = tuple([one for one in self._index if one not in self._shown])
        rests = len([one for one in index if one in self._resting])
        return Ending(live, archive, index, rests)

    def written(self, nonce: str) -> str:
        """Write all of it."""
        form = self._form
        parts = []
        for one in self.wanted:
            lines = [self._form_line(one, line) for line in self.lines[one.name]]
            if lines:
                left_out = self.section(one).left_out
                opening = form.opening(one.name, one.title, len(lines), len(lines) + left_out)
                parts.append(opening + form.between.join(lines) + form.closing())
        head, tail = form.head(nonce, self.place, self.due), form.tail(nonce, self.ending())
        return head + form.apart.join(parts) + tail


def _share(section: values.Wanted) -> tuple[int, int, int]:
    return _SHARES.get(section.name, _OTHERS_SHARE)


def _archived(material: values.Material) -> set[str]:
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
