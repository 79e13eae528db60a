"""Ask the homes of others beside one's own: what they hold bears their name, as in `org/no-pii`.

They are asked by the same words, each with its own index. Nothing of theirs is written, and what they read
beside themselves is not asked.
"""

from __future__ import annotations

from ledger.errors import DiurnaError
from memory.recall.hits.answer import answer_of
from memory.recall.hits.recaller import Recaller
from memory.recall.values import FACTS, UPSTREAM, Answer, Filters, Hit, parted
from memory.replay.upstreams import upstream_homes
from memory.replay.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ledger.home import Home

    Named = Callable[[str, Answer], list[Hit]]

#: So many facts of all other homes stand in an answer of one's own, a third of it at most.
_BESIDE = 3
#: What is said where there is none.
NO_UPSTREAM = (
    "no home of others is here: `[upstream]` of the policy names them, `diurna sync` fetches them"
)


class Recallers(Recaller):
    """Answers questions about one home, and about those of others that its policy names."""

    _others: dict[str, Recaller] | None = None

    def close(self) -> None:
        """Close all indexes."""
        super().close()
        for other in (self._others or {}).values():
            other.close()
        self._others = None

    def recall(
        self, query: str, *, limit: int, filters: Filters, loose: bool = False, **how: Any
    ) -> Answer:
        """Find what answers a question (see `Reader.recall`); what a task asks for, in one's own home."""
        if filters.within == UPSTREAM:
            return self._of_others(query, limit, filters._replace(within=""), **how)
        found = super().recall(query, limit=limit, filters=filters, loose=loose, **how)
        room = min(_BESIDE, limit // 3)
        if loose or filters.within or filters.as_of or not room or not self._asked():
            return found
        theirs = self._of_others(query, room, filters._replace(within=FACTS), **how).hits
        if not theirs:
            return found
        ours = found.facts[: limit - len(theirs)]
        passages = found.passages[: limit - len(theirs) - len(ours)]
        return answer_of([*ours, *theirs, *passages], found.notes)._replace(sessions=found.sessions)

    def get(self, ids: Sequence[str], *, level: str) -> Answer:
        """Return memories by their ids (see `Reader.get`), in the order asked for."""
        if not any("/" in one for one in ids):
            return super().get(ids, level=level)
        hits: list[Hit] = []
        for one in dict.fromkeys(ids):
            name, rest = parted(one)
            other = self._asked().get(name) if name else None
            if other is None:
                hits += super().get([one], level=level).hits
            else:
                hits += _named(name, other.get([rest], level=level))
        return answer_of(hits, ())

    def _of_others(self, query: str, limit: int, filters: Filters, **how: Any) -> Answer:
        """Ask each home of others, and take turns with what they answer, nearest first."""
        found: list[list[Hit]] = []
        notes: dict[str, None] = {} if self._asked() else {NO_UPSTREAM: None}
        for name, other in self._asked().items():
            try:
                answer = other.recall(query, limit=limit, filters=filters, **how)
            except DiurnaError as problem:
                notes[f"{name} can not be asked: {problem.message}"] = None
                continue
            found.append(_named(name, answer))
            notes |= dict.fromkeys(answer.notes)
        turns = [
            hits[turn]
            for turn in range(max(map(len, found), default=0))
            for hits in found
            if turn < len(hits)
        ]
        return answer_of(turns[:limit], tuple(notes))

    def _asked(self) -> dict[str, Recaller]:
        """Return the homes of others that are here."""
        if self._others is None:
            homes = upstream_homes(self._snapshot.home, self._snapshot.cache().policy)
            self._others = {name: Recaller(_view(home)) for name, home, _ in homes}
        return self._others


def _view(home: Home) -> View:
    return View(home, lambda _home, _cache: True)


def _named(name: str, answer: Answer) -> list[Hit]:
    """Return hits under the name of the home that they are of."""
    return [_of(name, hit) for hit in answer.hits]


def _of(name: str, hit: Hit) -> Hit:
    text = f"{name}/{hit.text}" if hit.text.startswith(hit.id) else hit.text
    passage = f"{name}/{hit.passage}" if hit.passage else ""
    return hit._replace(id=f"{name}/{hit.id}", text=text, passage=passage)
