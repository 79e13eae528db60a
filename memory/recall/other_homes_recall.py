"""Ask beside a home the homes of others, whose facts bear their name (`org/no-pii`), and the documents.

They are asked by the same words, each with its own index. Nothing of theirs is written, and what they read
beside themselves is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.errors import DiurnaError
from ledger.home import PERSONAL, Home
from memory.recall.recall_values import (
    FACTS,
    UPSTREAM,
    Answer,
    Filters,
    Hit,
    holding_first,
    parted,
)
from memory.recall.recaller import Recaller
from memory.replay.clone_view import View
from memory.replay.ledger_snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


#: So many facts of all other homes, and so many passages of documents, stand in an answer of one's own:
#: in a third of it at most, and facts in the places that one's own leaves free.
_BESIDE = 3
#: What is found where nothing is asked.
NOTHING = Answer()
#: What is said where there is none.
NO_UPSTREAM = (
    "no home of others is here: `[upstream]` of the policy names them, `diurna sync` fetches them"
)
#: The same of the user's own.
NO_HOME = "you have no home of your own: `diurna init --personal` makes one"


class Recallers(Recaller):
    """Answers questions about one home, and about those of others that its policy names."""

    def __init__(
        self, snapshot: Snapshot, progress: Callable[[int, int], None] | None = None
    ) -> None:
        super().__init__(snapshot, progress)
        self._homes: dict[str, Home] = {}
        self._others: dict[str, Recaller] = {}
        self._own: Recaller | None = None

    def close(self) -> None:
        """Close all indexes."""
        super().close()
        for other in (*self._others.values(), *([self._own] if self._own else [])):
            other.close()
        self._homes, self._others, self._own = {}, {}, None

    def recall(self, query: str, *, limit: int, filters: Filters, **how: Any) -> Answer:
        """Find what answers a question (see `Reader.recall`); what a task asks for, in one's own home."""
        if filters.documents:
            return self._with_documents(query, limit, filters._replace(documents=False), how)
        if filters.yours:
            return self._with_yours(query, limit, filters._replace(yours=False), how)
        if filters.within == UPSTREAM:
            return self._of_others(query, limit, filters._replace(within=""), how)
        theirs: Sequence[Hit] = ()
        if not (how.get("loose") or filters.within or filters.as_of) and self._asked():
            theirs = self._of_others(query, _BESIDE, filters._replace(within=FACTS), how).hits
        # one's own is asked for no more than it may show: so whatever fewer hits have more have, too
        room = limit - min(len(theirs), limit // 3)
        found = super().recall(query, limit=room, filters=filters, **how)
        theirs = theirs[: limit - len(found.hits)]
        if not theirs:
            return found
        return _joined(holding_first([*found.facts, *theirs, *found.passages]), found)

    def get(self, ids: Sequence[str], *, level: str) -> Answer:
        """Return memories by their ids (see `Reader.get`), in the order asked for."""
        if not any("/" in one for one in ids):
            return super().get(ids, level=level)
        hits: list[Hit] = []
        for one in dict.fromkeys(ids):
            name, rest = parted(one)
            other = self._yours() if name == PERSONAL else self._asked().get(name)
            if other is None:
                hits += super().get([one], level=level).hits
            else:
                hits += _named(name, other.get([rest], level=level))
        return Answer(tuple(hits))

    def _with_documents(
        self, query: str, limit: int, filters: Filters, how: dict[str, Any]
    ) -> Answer:
        """Ask the documents too, where no filter narrows the question; they stand behind the rest."""
        said: Sequence[Hit] = ()
        if filters._replace(yours=False) == Filters():
            room, explain = min(_BESIDE, limit // 3), how.get("explain", False)
            said = self._of_documents().found(query, how["level"], room, explain, surely=True).hits
        found = self.recall(query, limit=limit - len(said), filters=filters, **how)
        return _joined([*found.hits, *said], found) if said else found

    def _with_yours(self, query: str, limit: int, filters: Filters, how: dict[str, Any]) -> Answer:
        """Ask the user's own home too; what it answers may take half of the room."""
        own = self._yours()
        if own is None:
            found = self.recall(query, limit=limit, filters=filters, **how)
            return found._replace(notes=(*found.notes, NO_HOME))
        answer = own.recall(query, limit=max(1, limit // 2), filters=filters, **how)
        theirs = _named(PERSONAL, answer)
        room = limit - len(theirs)
        found = self.recall(query, limit=room, filters=filters, **how) if room else NOTHING
        return _joined(holding_first([*found.hits, *theirs]), found, answer)

    def _yours(self) -> Recaller | None:
        """Return the user's own home; None where there is none, or it is the one that is open."""
        if self._own is None:
            from memory.replay.upstream_homes import own_home

            home = own_home(self._snapshot.home)
            self._own = Recaller(_view(home)) if home is not None else None
        return self._own

    def _of_others(self, query: str, limit: int, filters: Filters, how: dict[str, Any]) -> Answer:
        """Ask each home of others, and take turns with what they answer, nearest first."""
        found: list[tuple[int, Hit]] = []
        notes: dict[str, None] = {} if self._asked() else {NO_UPSTREAM: None}
        for name, other in self._asked().items():
            try:
                answer = other.recall(query, limit=limit, filters=filters, **how)
            except DiurnaError as problem:
                notes[f"{name} can not be asked: {problem.message}"] = None
                continue
            found += enumerate(_named(name, answer))
            notes |= dict.fromkeys(answer.notes)
        found.sort(key=lambda turn: turn[0])
        return Answer(tuple([hit for _, hit in found[:limit]]), tuple(notes))

    def _asked(self) -> dict[str, Recaller]:
        """Return the homes of others that are here by now: a sync may have brought one."""
        policy = self._snapshot.cache().policy
        if not (policy.upstream or self._homes):
            return self._others  # most name none, and need no more for that
        from memory.replay.upstream_homes import upstream_homes

        found = upstream_homes(self._snapshot.home, policy)
        homes = {name: home for name, home, _ in found}
        if homes != self._homes:
            for other in self._others.values():
                other.close()
            self._homes = homes
            self._others = {name: Recaller(_view(home)) for name, home in homes.items()}
        return self._others


def _view(home: Home) -> View:
    return View(home, lambda _home, _cache: True)


def _joined(hits: list[Hit], *answers: Answer) -> Answer:
    """Return hits of some answers as one, with what there is to say of each."""
    notes = dict.fromkeys([note for one in answers for note in one.notes])
    return Answer(tuple(hits), tuple(notes), any(one.perhaps for one in answers))


def _named(name: str, answer: Answer) -> list[Hit]:
    """Return hits under the name of the home that they are of."""
    return [
        hit._replace(
            id=f"{name}/{hit.id}",
            text=f"{name}/{hit.text}" if hit.text.startswith(hit.id) else hit.text,
            passage=f"{name}/{hit.passage}" if hit.passage else "",
        )
        for hit in answer.hits
    ]
