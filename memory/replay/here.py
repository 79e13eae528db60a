"""Look at a memory from HEAD: what of it was said with work that HEAD does not hold (FORMAT.md, B1 to B6).

The replay knows nothing of it: state, tiers and pages are those of all logs, at every HEAD. Where a log
elsewhere names a fact, the fact is folded twice: of all events, and of those of the other logs.
"""

from __future__ import annotations

import marshal

from ledger.errors import DiurnaError
from ledger.git.repository import head
from ledger.home import OWN_BRANCH
from memory.cache.here import keep, read
from memory.cache.key import digest
from projection.document.elsewhere import BORN, UNKNOWN, YES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory.cache.file import Cache
    from memory.cache.here import Kept, Told
    from projection.document.elsewhere import Elsewhere
    from projection.fold.fact import Fact
    from projection.fold.state import LiveView


class Here:
    """What of a memory is elsewhere, for readers.

    Args:
        told: of HEAD; None where nothing is known, or asked for.
    """

    def __init__(self, told: Told | None = None) -> None:
        self._told = told
        marks = told is not None and not (told.behind or told.crowded)
        self.rows = {row.fact: row for row in told.facts} if told is not None and marks else {}
        self.outside = (
            frozenset([stem for stem, _ in told.outside]) if told and marks else frozenset()
        )
        self._unknown = frozenset(told.unknown) if told is not None else frozenset()

    def __bool__(self) -> bool:
        """Tell whether anything is marked."""
        return bool(self.rows)

    def of(self, fact: Fact | None) -> Elsewhere | None:
        """Return what is said elsewhere of a fact, None for nothing."""
        row = self.rows.get(fact.id) if fact is not None else None
        return None if fact is None or fact.redacted else row

    def said_of(self, fact: Fact | None) -> str:
        """Tell whether HEAD has a fact, by one of the words of `projection.document.elsewhere`."""
        row = self.of(fact)
        if row is not None:
            return row.here if row.change == BORN else YES
        return UNKNOWN if fact is not None and fact.origin in self._unknown else YES

    def shown(self, cache: Cache, fact: Fact) -> Fact:
        """Return a fact as it is here; as all logs have it where nothing of it is."""
        row = self.of(fact)
        if row is None or row.change == BORN:
            return fact
        from memory.replay.outside import without

        history = cache.some_histories([fact.id]).get(fact.id)
        found = None if history is None else without(fact.id, history, self.outside, cache)
        return found or fact

    def view(self, cache: Cache, view: LiveView) -> LiveView:
        """Return what lives here: texts of here, and what only another branch calls false."""
        if not self.rows:
            return view
        place = cache.placing()
        known = {one.fact.id: one for one in view.live}
        for id, row in self.rows.items():
            fact = None if row.change == BORN else cache.fact(id)
            if fact is not None:
                standing = place(self.shown(cache, fact))
                known.pop(id, None)
                if standing.live:
                    known[id] = standing
        there = view.contradicted
        contradicted = [one for one in there if self.shown(cache, one).contradicted]
        return view._replace(live=tuple(known.values()), contradicted=tuple(contradicted))

    @property
    def line(self) -> str:
        """What is said where no fact is marked by itself, "" for nothing."""
        if self._told is None or self.rows or not self._told.facts:
            return ""
        count = len(self._told.facts)
        facts = f"{count} fact{'s are' if count > 1 else ' is'}"
        if not self._told.behind:
            return f"{facts} of work that HEAD does not hold"
        several = "s" if self._told.behind > 1 else ""
        return (
            f"HEAD is {self._told.behind} commit{several} behind {self._told.trunk}: {facts} newer"
        )

    @property
    def said(self) -> str:
        """All of it: what an answer that is kept depends on."""
        return "" if self._told is None else repr((self.line, [*self.rows.values()]))


EVERYWHERE = Here()


def here_known(home: Home) -> Here | None:
    """Return what was told of HEAD last; no cache is opened, and no process started.

    None where this HEAD was not asked for yet.
    """
    if not asks(home):
        return EVERYWHERE
    reference, commit = head(home.repository)
    told = read(home).of(commit, _short(reference)) if commit else None
    return None if told is None else Here(told)


def here_of(home: Home, cache: Cache) -> Here:
    """Return what of a memory is elsewhere, found out where HEAD or the ledger is another one by now."""
    if not asks(home) or not cache.policy.branches.follow:
        return EVERYWHERE
    reference, commit = head(home.repository)
    if not commit:
        return EVERYWHERE
    branch, kept = _short(reference), read(home)
    told, settled = kept.of(commit, branch, cache.commit), _settled(kept, cache)
    if told is None or (told.settled, told.generation) != (settled, cache.generation):
        from memory.replay.outside import Telling

        try:
            told = Telling(home, cache, kept, commit, branch, settled).told()
        except DiurnaError:  # what git can not tell is not known, and nothing else fails of it
            return EVERYWHERE
        settled = _settled(read(home), cache)
        keep(home, told._replace(settled=settled))
    return Here(told)


def asks(home: Home) -> bool:
    """Tell whether HEAD is another thing than the ledger, and there is code beside it."""
    return home.kind == OWN_BRANCH and bool(home.repository.top)


def _settled(kept: Kept, cache: Cache) -> str:
    """Tell one state of what is known of landings from another."""
    return digest(kept.sum.encode(), marshal.dumps(cache.landed(), 2))


def _short(reference: str) -> str:
    return reference.removeprefix("refs/heads/")
