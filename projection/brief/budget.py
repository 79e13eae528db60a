"""Choose what fits into a brief: for each section a share of the room, and always the newest correction.

First come the fewest lines that a section has, then each section in its order up to its share, then what
there is still room for: a long section crowds out none. Texts are made longer, section by section, where
no line is lost by it; what then is left is for more of the last sessions. What is for a role has a budget
of its own. The budget counts every character of the output.
"""

from __future__ import annotations

from projection.brief import lines, values
from projection.brief.inert_text import NONCE_CHARS, nonce_for, shortened
from projection.brief.lines import line_of, text_chars
from projection.brief.sections import BY_USE, LOOKED_AT, Part, gone_of, wanted
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
#: The sections whose facts no index names.
_NO_INDEX = (values.CHANGES, values.PASSAGES, values.AGAIN, values.SESSIONS, values.YOURS,
             values.UPSTREAM)  # fmt: skip
#: Of a hundred characters, how many are left for the index of ids.
_INDEX_SHARE = 2
#: By how many halves texts are made longer where there is room.
_LONGER = (6, 4, 3)
#: Lines of so many last work days bear no day.
_RECENT = 7
#: How many characters of a forced line's text are left at least.
_LEAST_TEXT = 12
_NO_NONCE = "0" * NONCE_CHARS


def brief(material: values.Material, budget_chars: int) -> values.Brief:
    """Write what fits into so many characters for the whole text, at least `LEAST_BRIEF_CHARS`."""
    return _Filling(material, budget_chars).made()


class _Filling:
    """Sections that are being filled from a material, up to a budget in characters."""

    def __init__(self, material: values.Material, budget: int) -> None:
        self._material, self._budget = material, budget
        self.parts = wanted(material)
        # how most of the foremost are known; a person's word is said with each
        first = (part.item(nth) for part in self.parts for nth in range(LOOKED_AT))
        facts = (one.about.id for one in first if isinstance(one, values.Stated))
        words = [material.known(fact) for _, fact in zip(range(LOOKED_AT), facts, strict=False)]
        usual = max((SAID, QUOTED, IMPORTED), key=words.count)
        self._said = min(material.days[-_RECENT:], default=material.place.day), usual
        self.place, self.due = material.place._replace(known=usual), ""
        self._shown: set[str] = set()
        self._resting: dict[str, None] = {}
        self._index: tuple[str, ...] = ()
        self._corrected: frozenset[str] = frozenset()
        self._facts = sum(material.view.tiers)
        most = max(self._facts, 2)  # nothing that is counted takes more room
        around = lines.head(_NO_NONCE, self.place, "") + lines.tail(_NO_NONCE, (), most, most)
        self._whole = self._room = budget - len(around)

    def _fill(self) -> None:
        """Take what fits, most important first."""
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
                self._take(part, self._whole * _SHARES[values.ASKED][0] // 100)
            self._take(part, least=_SHARES.get(part.name, _OTHERS_SHARE)[2])
        for part in parts:
            if part.name == values.ROLE:  # what is for a role has a budget of its own
                self._take(part, min(material.role_chars, self._room * 2 // 3))
                part.done = True
            share = self._whole * _SHARES.get(part.name, _OTHERS_SHARE)[not material.asks] // 100
            if part.name == values.DECISIONS:
                known = sum([one.total for one in parts if one.name == values.REST])
                here = part.total  # of the room that both share, by how many facts each has
                share = max(share, (self._room + part.used) * here // (here + known))
            self._take(part, share)
        self._take_all(but=values.SESSIONS)
        if index:  # what the index does not need is for lines
            needed = min(index, self._cost_of_index(self._not_shown(index)))
            self._room += index - needed
            index = needed
        self._take_all(but=values.SESSIONS)
        self._room += index
        ids = self._not_shown(index)
        while ids and self._cost_of_index(ids) > index:
            ids.pop()
        self._room -= self._cost_of_index(ids)
        self._index = tuple(ids)
        for part in parts:
            self._lengthen(part)
        self._take_all()

    def _take_all(self, but: str = "") -> None:
        """Take what there is room for, of all sections but one."""
        for part in self.parts:
            if part.name != but:
                self._take(part, self._budget)

    def _line(self, part: Part, item: values.Item, nth: int, halves: int = 2) -> values.Line:
        """Write an item as the nth line of a section, and of a fact how it is known."""
        gone = gone_of(item, self._material)
        if gone and is_behind(gone):
            nth, halves = self._budget, 2  # the first and the longer texts are for what holds
        chars = text_chars(part.name, nth, self._budget) * halves // 2
        line = line_of(item, chars, self._material.known, gone)
        return line if line.date <= self.place.latest else line._replace(date="")  # a wrong clock

    def _write(self, part: Part, line: values.Line) -> str:
        return lines.written(line, (*part.kinds, DEFAULT_KIND), *self._said)

    def _cost(self, part: Part, written: str) -> int:
        """Count what a line takes; the first of a section brings the title along."""
        cost = len(written)
        if not part.lines:
            most = part.total + 1  # the longest that may stand there
            cost += len(lines.opening(part.title, part.total, most)) + len(str(most))
        return cost

    def _force(self, part: Part) -> None:
        """Take the newest correction, its text cut as far as it must be."""
        newest = part.item(0) if part.name == values.CHANGES else None
        if not isinstance(newest, values.News) or newest.what not in values.CORRECTIONS:
            return
        line = self._line(part, newest, 0)
        if (over := self._cost(part, self._write(part, line)) - self._room) > 0:
            part.cut = True
            cut = shortened(line.text, max(_LEAST_TEXT, len(line.text) - over))
            line = line._replace(text=cut, cut=True)
        # long names around it, and a small budget
        if self._cost(part, self._write(part, line)) > self._room:
            line = line._replace(kind="", by="", known="")
        if (cost := self._cost(part, written := self._write(part, line))) <= self._room:
            self._add(part, newest, line, written, cost)
        self._corrected = frozenset(self._shown)

    def _take(self, part: Part, share: int = 0, least: int = 0) -> None:
        """Take lines of a section up to a share of the room, or so many at least."""
        while (share or len(part.lines) < least) and not part.done:
            if not (item := part.item(part.next)):
                return
            if self._is_passed_over(part, item):
                part.next += 1
                continue
            line = self._line(part, item, len(part.lines))
            cost = self._cost(part, written := self._write(part, line))
            if cost > self._room or (share and part.used + cost > share):
                return
            self._add(part, item, line, written, cost)

    def _is_passed_over(self, part: Part, item: values.Item) -> bool:
        """Tell whether a fact is shown already, or rests; what happened to it is said all the same."""
        if isinstance(item, values.News):
            return item.what == values.BORN and item.fact in self._shown
        if not isinstance(item, values.Stated) or part.name == values.CONTRADICTIONS:
            return False  # what stands against what is said also of a fact that is corrected
        fact = item.about
        if part.name == values.ASKED:
            # it comes first, though a correction that is always there says it as well
            return fact.id in self._shown - self._corrected
        free = item.standing.tier != "core" and not (fact.id in self._shown or fact.open)
        if free and part.name in BY_USE and self._material.rests(fact):
            self._resting[fact.id] = None
        return fact.id in self._shown or fact.id in self._resting

    def _add(
        self, part: Part, item: values.Item, line: values.Line, written: str, cost: int
    ) -> None:
        self._room -= cost
        part.used += cost
        part.lines.append((line, written, item))
        part.next += 1
        self._shown.add(line.id)
        if isinstance(item, values.News) and item.replacing is not None:
            self._shown.add(item.successor)

    def _not_shown(self, room: int) -> list[str]:
        """Return the facts without a line, those that rest first, until their ids are as long as that."""
        found = dict.fromkeys([one for one in self._resting if one not in self._shown])
        room -= sum(map(len, found))
        for part in [one for one in self.parts if not one.name.startswith(_NO_INDEX)]:
            nth = part.next
            while room >= 0 and (item := part.item(nth)):
                nth += 1
                if isinstance(item, values.Stated) and item.about.id not in self._shown:
                    found[item.about.id] = None
                    room -= len(item.about.id)
        return list(found)

    def _cost_of_index(self, ids: Sequence[str]) -> int:
        return len(lines.tail("", tuple(ids), 2, 2)) - len(lines.tail("", (), 2, 2))

    def _lengthen(self, part: Part) -> None:
        """Show more of each text of a section, as far as there is room for all of them."""
        if part.cut or part.name == values.ROLE:
            return
        some = [nth for nth, (line, _, item) in enumerate(part.lines)
                if line.cut or isinstance(item, values.Session)]  # fmt: skip
        for halves in _LONGER if some else ():
            longer = list(part.lines)
            for nth in some:
                line = self._line(part, longer[nth][2], nth, halves)
                longer[nth] = line, self._write(part, line), longer[nth][2]
            more = sum([len(one[1]) for one in longer]) - sum([len(one[1]) for one in part.lines])
            if more <= self._room:
                part.lines, self._room = longer, self._room - more
                return

    def made(self) -> values.Brief:
        """Write all of it, and count what is not shown."""
        self._fill()
        material, view = self._material, self._material.view
        count = sum([many for many, *_ in material.plain.values()])
        there = {one.fact.id for one in view.live}
        plain = {*material.are_plain(self._shown - there)}
        known = {one.fact.id for one in view.live if not one.fact.redacted}
        live = len(known - self._shown) + count - len(plain)
        away = {one.fact.id for one in material.found}.union(
            [fact.id for fact in view.contradicted],
            [one.about.id for part in material.todo for one in part],
            [one.fact for one in material.news if one.now is not None],
            [one.successor for one in material.news if one.replacing is not None],
        )
        away = (away - plain - there) & self._shown
        archived = self._facts - len(view.live) - count - len(away)
        also = tuple([one for one in self._index if one not in self._shown])
        rests = len([one for one in also if one in self._resting])
        said, sections = "", []
        for part in self.parts:
            if part.lines:
                left = part.total - part.next
                title, shown = part.title, len(part.lines)
                line, written, _ = zip(*part.lines, strict=True)
                said += lines.opening(title, shown, shown + left) + "".join(written)
                sections.append(values.Section(part.name, title, line, left))

        def ends(nonce: str) -> tuple[str, str]:
            tail = lines.tail(nonce, also, live, archived)
            return lines.head(nonce, self.place, self.due), tail

        nonce = nonce_for(view.summary.digest, said.join(ends(_NO_NONCE)))
        return values.Brief(
            material.commit, self.place, self.due, tuple(sections), live, archived, nonce,
            said.join(ends(nonce)), also, rests,
        )  # fmt: skip
