"""Ask beside a home the homes of others, whose facts bear their name (`org/no-pii`), and one's own.

They are asked by the same words, each with its own index. Nothing of theirs is written, and what they read
beside themselves is not asked.
"""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.home import PERSONAL
from memory.recall.recall_values import FACTS, UPSTREAM, Answer, holding_first, home_and_id
from memory.recall.recaller import Recaller
from memory.replay.clone_view import View
from memory.replay.upstream_homes import own_home, upstreams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ledger.home import Home
    from memory.recall.recall_values import Filters, Hit
    from memory.replay.tip_snapshot import Snapshot


#: So many facts of all other homes stand in an answer of one's own: in a third of it at most, and in the
#: places that one's own leaves free.
_BESIDE = 3
#: What is said where there is none.
NO_UPSTREAM = (
    "no home of others is here: `[upstream]` of the policy names them, `diurna sync` fetches them"
)
#: The same of the user's own.
NO_HOME = "you have no home of your own: `diurna init --personal` makes one"


class Recallers(Recaller):
    """Answers questions about one home, those of others that its policy names, and the user's own."""

    def __init__(
        self, snapshot: Snapshot, progress: Callable[[int, int], None] | None = None
    ) -> None:
        super().__init__(snapshot, progress)
        #: those of other homes, by name
        self._beside: dict[str, tuple[Home, Recaller]] = {}

    def close(self) -> None:
        """Close all indexes."""
        super().close()
        for _, other in self._beside.values():
            other.close()
        self._beside.clear()

    def recall_homes(self, query: str, limit: int, filters: Filters, **how: Any) -> Answer:
        """Find what answers a question in all homes; what a task asks for, in one's own."""
        others, own = self._others(), filters._replace(yours=False)
        if filters.within == UPSTREAM:
            return _of_others(others, query, limit, own._replace(within=""), how)
        yours = Answer()
        if filters.yours:  # in half of the room
            home = self._yours()
            yours = Answer(notes=(NO_HOME,))
            if home is not None:
                yours = home.recall_homes(query, max(1, limit // 2), own, **how)
                yours = yours._replace(hits=_named(PERSONAL, yours))
            limit -= len(yours.hits)
        theirs: Sequence[Hit] = ()
        if others and not (how.get("loose") or own.within or own.as_of):
            theirs = _of_others(others, query, _BESIDE, own._replace(within=FACTS), how).hits
        # one's own is asked for no more than it may show: so whatever fewer hits have more have, too
        room = limit - min(len(theirs), limit // 3)
        found = super().recall_homes(query, room, own, **how) if room else Answer()
        theirs = theirs[: limit - len(found.hits)]
        hits = holding_first([*found.facts, *theirs, *found.passages, *yours.hits])
        notes = dict.fromkeys((*found.notes, *yours.notes))
        return Answer(tuple(hits), tuple(notes), found.perhaps or yours.perhaps)

    def get(self, ids: Sequence[str], *, level: str) -> Answer:
        """Return memories by their ids (see `Reader.get`), in the order asked for."""
        hits: list[Hit] = []
        for one in dict.fromkeys(ids):
            name, rest = home_and_id(one)
            other = self._yours() if name == PERSONAL else self._others().get(name)
            if other is None:
                hits += super().get([one], level=level).hits
            else:
                hits += _named(name, other.get([rest], level=level))
        return Answer(tuple(hits))

    def _yours(self) -> Recaller | None:
        """Return the user's own home; None where there is none, or it is the one that is open."""
        home = own_home(self._snapshot.home)
        return None if home is None else self._of(PERSONAL, home)

    def _others(self) -> dict[str, Recaller]:
        """Return the homes of others that are here by now: a sync may have brought one."""
        there = upstreams(self._snapshot.home, self._snapshot.cache().policy)
        return {one.name: self._of(one.name, one.home) for one in there if one.home is not None}

    def _of(self, name: str, home: Home) -> Recaller:
        known = self._beside.get(name)
        if known is None or known[0] != home:
            if known is not None:
                known[1].close()
            known = home, Recaller(View(home, lambda _home, _cache: True))
            self._beside[name] = known
        return known[1]


def _of_others(
    others: dict[str, Recaller], query: str, limit: int, filters: Filters, how: dict[str, Any]
) -> Answer:
    """Ask each home of others, and take turns with what they answer, nearest first."""
    ranked: list[tuple[int, Hit]] = []
    notes: dict[str, None] = {} if others else {NO_UPSTREAM: None}
    for name, other in others.items():
        try:
            answer = other.recall_homes(query, limit, filters, **how)
        except DiurnaError as problem:
            notes[f"{name} can not be asked: {problem.message}"] = None
            continue
        ranked += enumerate(_named(name, answer))
        notes |= dict.fromkeys(answer.notes)
    ranked.sort(key=lambda turn: turn[0])
    return Answer(tuple([hit for _, hit in ranked[:limit]]), tuple(notes))


def _named(name: str, answer: Answer) -> tuple[Hit, ...]:
    """Return hits under the name of the home that they are of."""
    return tuple(
        [
            hit._replace(
                id=f"{name}/{hit.id}",
                text=f"{name}/{hit.text}" if hit.text.startswith(hit.id) else hit.text,
                passage=f"{name}/{hit.passage}" if hit.passage else "",
            )
            for hit in answer.hits
        ]
    )
