"""Mark facts with what a reader has to know before and beside their texts: one body for all answers.

That is what is closed or false, what they name that a commit took away, which of them ended
(`memory.cache.broken_truth`), and what of them HEAD does not hold (`memory.replay.head_view`). A new sort
of mark is told here, and nowhere else.
"""

from __future__ import annotations

from ledger.escape import prose
from memory.cache.broken_truth import NOTHING_GONE, may_end, truth_of
from memory.replay.head_view import EVERYWHERE, here_known, here_of
from projection.document.fact_remarks import REWORDED, UNKNOWN, Elsewhere, mark_of
from projection.policy.model import FINDING_KIND, PATTERN_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ledger.home import Home
    from memory.cache.broken_truth import Truth
    from memory.cache.cache_file import Cache
    from memory.cache.head_store import Lack, Wait
    from memory.replay.head_view import Here
    from memory.replay.ledger_snapshot import Snapshot
    from projection.document.fact_remarks import Gone, Mark
    from projection.fold.fact_history import Fact
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing
    from projection.fold.testimony import Testimony


class Marks:
    """What is gone, ended and elsewhere, for readers.

    Args:
        truth: what is gone, and what ended.
        here: what HEAD has.
    """

    def __init__(self, truth: Truth = NOTHING_GONE, here: Here = EVERYWHERE) -> None:
        self._truth, self.here = truth, here

    def __bool__(self) -> bool:
        """Tell whether any fact is marked."""
        return bool(self._truth) or bool(self.here)

    def of(self, fact: Fact | None) -> tuple[Gone, ...]:
        """Return what there is to say of a fact; nothing of one that is withheld."""
        row = self.here.of(fact)
        gone = self._truth.of(fact)
        return gone if row is None else (_told(row), *gone)

    def named(self, fact: str, text: str) -> tuple[tuple[Gone, ...], str]:
        """Return the same where only the id of a fact is known, and its text; with what holds here."""
        row = self.here.rows.get(fact)
        gone = self._truth.named(fact, text)
        if row is None:
            return gone, text
        return (_told(row), *gone), row.text if row.change == REWORDED else text

    def gone(self, code: str) -> list[Lack]:
        """Return what is gone of one sort, whichever facts say so."""
        return [one for one in self._truth if one.gone.code == code]

    def on(self, mark: Mark, fact: Fact | None) -> Mark:
        """Return a mark with all that."""
        gone, row = self.of(fact), self.here.of(fact)
        if row is None and fact is not None and self.here.is_unknown(fact):
            row = Elsewhere(fact.id, UNKNOWN, "", "", "", "")
        return mark._replace(gone=gone, here=row) if gone or row is not None else mark

    def shown(self, cache: Cache) -> Callable[[Fact], Fact]:
        """Return what gives a fact as it is here (`Here.shown`)."""
        return lambda fact: self.here.shown(cache, fact)

    def few(self, most: int) -> tuple[Marks, str]:
        """Return the marks with so many facts elsewhere, and what there is to say of the others."""
        here, more = self.here.few(most)
        return Marks(self._truth, here), self.here.line or more

    @property
    def said(self) -> str:
        """All of it: what an answer that is kept depends on."""
        return f"{self._truth.said}\0{self.here.said}"


NOTHING_MARKED = Marks()


def marks_at(home: Home, cache: Cache) -> Marks:
    """Return what there is to know of the facts of a home."""
    return Marks(
        truth_of(home, cache.summary.digest, lambda: _waiting(home, cache)), here_of(home, cache)
    )


def _waiting(home: Home, cache: Cache) -> Iterable[Wait]:
    if not may_end(cache):  # most homes have none
        return ()
    from memory.replay.possible_endings import waiting

    return waiting(home, cache)


def marks_known(home: Home, open_snapshot: Callable[[Home], Snapshot]) -> Marks:
    """Return the same as it was told of this HEAD last; the ledger is opened where none was."""
    here = here_known(home)
    if here is None:
        from contextlib import closing

        with closing(open_snapshot(home)) as snapshot:
            here = snapshot.ask(lambda cache: here_of(home, cache))
    return Marks(truth_of(home), here)


def known(cache: Cache, facts: Iterable[Fact]) -> dict[str, Testimony]:
    """Tell by id how facts are known, by the headers of their logs, each of which is read once."""
    from functools import lru_cache

    from projection.fold.testimony import testimony

    entry = lru_cache(None)(cache.entry)
    return {one.id: testimony(one, entry, cache.some_histories) for one in facts}


def marked(cache: Cache | State, fact: Fact | None, marks: Marks = NOTHING_MARKED) -> Mark:
    """Mark a fact: that it is closed or false, and of a finding whether it is open, fixed or came back.

    `marks` tells what of it the code no longer has, and HEAD does not hold.
    """
    fact = None if fact is None else marks.here.shown(cache, fact)
    mark = marks.on(mark_of(fact, cache.fact, cache.met), fact)
    if fact is None or fact.false:
        return mark
    if fact.kind == PATTERN_KIND:
        from projection.lifecycle.promotion import marked_as

        return marked_as(fact, mark, cache.policy.learning)
    if fact.kind != FINDING_KIND:
        return mark
    from projection.work.finding_facts import state_of

    return mark._replace(said=state_of(fact, cache.some_histories([fact.id]).get(fact.id)))


def as_here(snapshot: Snapshot, standings: Iterable[Standing]) -> list[Standing]:
    """Return facts as HEAD has them (`memory.replay.head_view`)."""
    found = list(standings)
    return snapshot.ask(lambda cache: here_of(snapshot.home, cache).standings(cache, found))


def _told(row: Elsewhere) -> Gone:
    from projection.document.fact_remarks import ELSEWHERE, OTHERWISE, Gone

    return Gone(OTHERWISE if row.holds else ELSEWHERE, prose(row.said), row.point[:7], row.when)
