"""Choose what fits into a brief: for each section a share of the room, and always the newest correction.

First come the fewest lines that a section has, then each section in its order up to its share, then what
there is still room for: a long section crowds out none. Texts are made longer, section by section, where
no line is lost by it; what then is left is for more of the last sessions. What is for a role has a budget
of its own. The budget counts every character of the output.
"""

from __future__ import annotations

from projection.brief import lines, values
from projection.brief.inert_text import NONCE_CHARS, nonce_for, shortened
from projection.brief.lines import Said, line_of, text_chars
from projection.brief.sections import LOOKED_AT, Wanted, gone_of, wanted
from projection.document.fact_remarks import is_behind
from projection.fold.testimony import IMPORTED, QUOTED, SAID
from projection.policy.model import DEFAULT_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Of a hundred characters, how many a section has with a task and without, and its fewest lines.
_SHARES = {
    values.ASKED: (50, 50, 1), values.CONTRADICTIONS: (8, 8, 1), values.INVARIANTS: (16, 16, 2),
    values.HANDED: (25, 25, 1), values.CHANGES: (8, 15, 1), values.ROLE: (100, 100, 0),
    values.THREADS: (10, 15, 1), values.DECISIONS: (35, 35, 0), values.AGAIN: (6, 8, 1),
    values.PASSAGES: (12, 0, 1), values.SESSIONS: (3, 8, 1), values.REST: (100, 100, 0),
}  # fmt: skip
_OTHERS_SHARE = (8, 8, 1)
#: The sections of facts that may rest, and those whose facts no index names.
_RESTED = (values.ROLE, values.DECISIONS, values.REST)
_NO_INDEX = (values.CHANGES, values.PASSAGES, values.AGAIN, values.SESSIONS, values.YOURS,
             values.UPSTREAM)  # fmt: skip
#: Of a hundred characters, how many are left for the index of ids.
_INDEX_SHARE = 2
#: By how many halves texts are made longer where there is room.
_LONGER = (6, 4, 3)
#: Lines of so many last work days bear no day.
_RECENT = 7
#: Few lines take less.
_LINE_CHARS = 100
#: How many characters of a forced line's text are left at least.
_LEAST_TEXT = 12
_NO_NONCE = "0" * NONCE_CHARS


def brief(material: values.Material, budget_chars: int) -> values.Brief:
    """Write what fits into so many characters for the whole text, at least `LEAST_BRIEF_CHARS`."""
    most = max(budget_chars // _LINE_CHARS, LOOKED_AT + 1)
    while not (filling := _Filling(material, budget_chars, most)).fill():
        most *= 4
    return filling.made()


class _Part:
    """A section that is being filled."""

    def __init__(self, wanted: Wanted, said: Said) -> None:
        self.wanted, self.name, self.items = wanted, wanted.name, wanted.items
        self.with_task, self.without, self.least = _SHARES.get(wanted.name, _OTHERS_SHARE)
        self.lines: list[values.Line] = []
        self.written: list[str] = []  # each of them
        self.taken: list[values.Item] = []
        self.next = self.used = 0
        self.done = self.cut = False
        self.ends = wanted.name in _RESTED and wanted.total > len(wanted.items)  # others are behind
        self._said = said._replace(kinds=(*wanted.kinds, *said.kinds))

    def write(self, line: values.Line) -> str:
        return lines.written(line, self._said)

    def cost(self, written: str) -> int:
        """Count what a line takes; the first of a section brings the title along."""
        cost = len(written)
        if not self.lines:
            most = self.wanted.total + 1  # the longest that may stand there
            cost += len(lines.opening(self.wanted.title, self.wanted.total, most)) + len(str(most))
        return cost


class _Filling:
    """Sections that are being filled from a material, up to a budget in characters; `most` as `wanted`."""

    def __init__(self, material: values.Material, budget: int, most: int) -> None:
        self._material, self._budget, self._short = material, budget, False
        view, sections = material.view, wanted(material, most)
        # how most of the foremost are known; a person's word is said with each
        facts = [item.about for one in sections for item in one.items[:LOOKED_AT] if item.about]
        words = [material.known(fact.id) for fact in facts[:LOOKED_AT]]
        usual = max((SAID, QUOTED, IMPORTED), key=words.count)
        since = min(material.days[-_RECENT:], default=material.place.day)
        said = Said((DEFAULT_KIND,), since, usual)
        self.parts = [_Part(one, said) for one in sections]
        self.place, self.due = material.place._replace(known=usual), ""
        self._shown: set[str] = set()
        self._resting: dict[str, None] = {}
        self._index: tuple[str, ...] = ()
        self._corrected: frozenset[str] = frozenset()
        self._facts = sum(view.tiers)
        most = max(self._facts, 2)  # nothing that is counted takes more room
        around = lines.head(_NO_NONCE, self.place, "") + lines.tail(_NO_NONCE, (), most, most)
        self._whole = self._room = budget - len(around)

    def fill(self) -> bool:
        """Take what fits, most important first; tell whether no more facts were needed for it."""
        material, parts = self._material, self.parts
        for part in parts:
            self._force(part)
        bare, with_due = (len(lines.head("", self.place, due)) for due in ("", material.due))
        cost = with_due - bare
        if material.due and cost <= self._room:
            self.due, self._room = material.due, self._room - cost
        index = min(self._budget * _INDEX_SHARE // 100, max(self._room, 0))
        self._room -= index
        for part in parts:
            if part.name == values.ASKED:
                self._take(part, self._whole * part.with_task // 100)
            self._take(part, least=part.least)
        for part in parts:
            if part.name == values.ROLE:  # what is for a role has a budget of its own
                self._take(part, min(material.role_chars, self._room * 2 // 3))
                part.done = True
            share = self._whole * (part.with_task if material.asks else part.without) // 100
            if part.name == values.DECISIONS:
                known = sum([one.wanted.total for one in parts if one.name == values.REST])
                here = part.wanted.total  # of the room that both share, by how many facts each has
                share = max(share, (self._room + part.used) * here // (here + known))
            self._take(part, share)
        self._take_all(but=values.SESSIONS)
        if index:  # what the index does not need is for lines
            needed = min(index, self._cost_of_index(self._not_shown(index)))
            self._room += index - needed
            index = needed
        self._take_all(but=values.SESSIONS)
        self._room += index
        self._name_the_rest(index)
        for part in parts:
            self._lengthen(part)
        self._take_all()
        return not (self._short or any(one.ends and one.next == len(one.items) for one in parts))

    def _take_all(self, but: str = "") -> None:
        """Take what there is room for, of all sections but one."""
        for part in self.parts:
            if part.name != but:
                self._take(part, self._budget)

    def _line(self, part: _Part, item: values.Item, nth: int, halves: int = 2) -> values.Line:
        """Write an item as the nth line of a section, and of a fact how it is known."""
        gone = gone_of(item, self._material)
        if is_behind(gone):
            nth, halves = self._budget, 2  # the first and the longer texts are for what holds
        line = line_of(item, text_chars(part.name, nth, self._budget) * halves // 2)
        if line.date > self.place.latest:  # a wrong clock told it
            line = line._replace(date="")
        if isinstance(item, values.Session):
            return line
        mark = line.mark._replace(gone=gone) if gone else line.mark
        return line._replace(mark=mark, known=self._material.known(line.id))

    def _force(self, part: _Part) -> None:
        """Take the newest correction, its text cut as far as it must be."""
        newest = part.items[0]
        if not isinstance(newest, values.News) or newest.what not in values.CORRECTIONS:
            return
        line = self._line(part, newest, 0)
        if (over := part.cost(part.write(line)) - self._room) > 0:
            part.cut = True
            cut = shortened(line.text, max(_LEAST_TEXT, len(line.text) - over))
            line = line._replace(text=cut, cut=True)
        if part.cost(part.write(line)) > self._room:  # long names around it, and a small budget
            line = line._replace(kind="", by="", known="")
        if part.cost(written := part.write(line)) <= self._room:
            self._add(part, newest, line, written)
        self._corrected = frozenset(self._shown)

    def _take(self, part: _Part, share: int = 0, least: int = 0) -> None:
        """Take lines of a section up to a share of the room, or so many at least."""
        while part.next < len(part.items) and (share or len(part.lines) < least) and not part.done:
            item = part.items[part.next]
            if self._is_passed_over(part, item):
                part.next += 1
                continue
            line = self._line(part, item, len(part.lines))
            cost = part.cost(written := part.write(line))
            if cost > self._room or (share and part.used + cost > share):
                return
            self._add(part, item, line, written)

    def _is_passed_over(self, part: _Part, item: values.Item) -> bool:
        """Tell whether a fact is shown already, or rests; what happened to it is said all the same."""
        if isinstance(item, values.News):
            return item.what == values.BORN and item.fact in self._shown
        fact = item.about
        if fact is None or isinstance(item, values.Session) or part.name == values.CONTRADICTIONS:
            return False  # what stands against what is said also of a fact that is corrected
        if part.name == values.ASKED:
            # it comes first, though a correction that is always there says it as well
            return fact.id in self._shown - self._corrected
        if part.name in _RESTED and not (
            fact.id in self._shown or item.standing.tier == "core" or fact.open
        ):
            if self._material.rests(fact):
                self._resting[fact.id] = None
        return fact.id in self._shown or fact.id in self._resting

    def _add(self, part: _Part, item: values.Item, line: values.Line, written: str) -> None:
        cost = part.cost(written)
        self._room -= cost
        part.used += cost
        part.lines.append(line)
        part.written.append(written)
        part.taken.append(item)
        part.next += 1
        self._shown.add(line.id)
        if isinstance(item, values.News) and item.replacing is not None:
            self._shown.add(item.successor)

    def _not_shown(self, room: int) -> list[str]:
        """Return the facts without a line, those that rest first, until their ids are as long as that."""
        found = dict.fromkeys([one for one in self._resting if one not in self._shown])
        room -= sum(map(len, found))
        for part in self.parts:
            for item in () if part.name.startswith(_NO_INDEX) else part.items[part.next :]:
                if room >= 0 and item.about and item.about.id not in self._shown:
                    found[item.about.id] = None
                    room -= len(item.about.id)
            self._short |= part.ends and room >= 0
        return list(found)

    def _cost_of_index(self, ids: Sequence[str]) -> int:
        return len(lines.tail("", tuple(ids), 2, 2)) - len(lines.tail("", (), 2, 2))

    def _name_the_rest(self, room: int) -> None:
        """Name facts without a line, as many as there is room for."""
        ids = self._not_shown(room)
        while ids and self._cost_of_index(ids) > room:
            ids.pop()
        self._room -= self._cost_of_index(ids)
        self._index = tuple(ids)

    def _lengthen(self, part: _Part) -> None:
        """Show more of each text of a section, as far as there is room for all of them."""
        if part.cut or part.name == values.ROLE:
            return
        some = [nth for nth, (line, item) in enumerate(zip(part.lines, part.taken, strict=True))
                if line.cut or isinstance(item, values.Session)]  # fmt: skip
        for halves in _LONGER if some else ():
            longer = {nth: self._line(part, part.taken[nth], nth, halves) for nth in some}
            written = {nth: part.write(line) for nth, line in longer.items()}
            more = sum([len(said) - len(part.written[nth]) for nth, said in written.items()])
            if more <= self._room:
                for nth in some:
                    part.lines[nth], part.written[nth] = longer[nth], written[nth]
                self._room -= more
                return

    def made(self) -> values.Brief:
        """Write all of it, and count what is not shown."""
        material, view = self._material, self._material.view
        plain = {row[0] for row in material.plain}
        known = {one.fact.id for one in view.live if not one.fact.redacted}
        live = len((known | plain) - self._shown)
        away = {one.fact.id for one in material.found}.union(
            [fact.id for fact in view.contradicted],
            [one.about.id for part in material.todo for one in part],
            [one.fact for one in material.news if one.now is not None],
            [one.successor for one in material.news if one.replacing is not None],
        )
        away = (away - plain - {one.fact.id for one in view.live}) & self._shown
        archived = self._facts - len(view.live) - len(plain) - len(away)
        also = tuple([one for one in self._index if one not in self._shown])
        rests = len([one for one in also if one in self._resting])
        said, sections = "", []
        for part in self.parts:
            if part.lines:
                left = part.wanted.total - part.next
                title, shown = part.wanted.title, len(part.lines)
                said += lines.opening(title, shown, shown + left) + "".join(part.written)
                sections.append(values.Section(part.name, title, tuple(part.lines), left))

        def ends(nonce: str) -> tuple[str, str]:
            tail = lines.tail(nonce, also, live, archived)
            return lines.head(nonce, self.place, self.due), tail

        nonce = nonce_for(view.summary.digest, said.join(ends(_NO_NONCE)))
        return values.Brief(
            material.commit, self.place, self.due, tuple(sections), live, archived, nonce,
            said.join(ends(nonce)), also, rests,
        )  # fmt: skip
