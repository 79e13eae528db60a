"""Look at a memory from HEAD: what of it was said with work that HEAD does not hold (B1 to B6).

The replay knows nothing of it: state, tiers and pages are those of all logs, at every HEAD. Where a log
elsewhere names a fact, the fact is folded twice: of all events, and of those of the other logs.
"""

from __future__ import annotations

import marshal

from ledger.environment import last_bytes
from ledger.errors import DiurnaError
from ledger.git.repository import head
from ledger.home import OWN_BRANCH, Home
from ledger.wal.user_key import digest
from memory.cache.landed_work import Heads, Told, keep, read_heads
from memory.cache.ledger_version import beside, landed, stems_elsewhere, tip_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.session import Entry
    from memory.cache.cache_file import Cache
    from projection.document.fact_remarks import Elsewhere
    from projection.fold.fact_history import Fact
    from projection.fold.full_replay import State
    from projection.fold.live_view import LiveView, Standing

#: How git notes that HEAD went on to what descends from it.
_ONWARDS = ("commit: ", "commit (merge): ", "merge ", "cherry-pick: ", "revert: ", "pull: ")
_REFLOG_BYTES, _WHOLE = 4096, 40


class Here:
    """What of a memory is elsewhere, for readers.

    Args:
        told: of HEAD.
        hidden: ids of facts that have no mark, because too much is elsewhere.
    """

    def __init__(self, told: Told, hidden: frozenset[str] = frozenset()) -> None:
        self._told, self._hidden = told, hidden
        marks = not (told.behind or told.crowded)
        self.rows = {row.fact: row for row in told.facts if marks}
        self.outside = frozenset([stem for stem, _ in told.outside if marks])
        self._unknown = frozenset(told.unknown)

    def __bool__(self) -> bool:
        """Tell whether anything is marked."""
        return bool(self.rows)

    def of(self, fact: Fact | None) -> Elsewhere | None:
        """Return what is said elsewhere of a fact, None for nothing."""
        if fact is None or fact.redacted or fact.id in self._hidden:
            return None
        return self.rows.get(fact.id)

    def lacks(self, fact: Fact) -> bool:
        """Tell whether nothing of a fact holds here."""
        row = self.of(fact)
        return row is not None and not row.holds

    def is_unknown(self, fact: Fact) -> bool:
        """Tell whether nobody can say if HEAD has the work of the log that brought a fact."""
        return fact.origin in self._unknown and not fact.redacted

    def shown(self, cache: Cache | State, fact: Fact) -> Fact:
        """Return a fact as it is here; as all logs have it where nothing of it is."""
        row = self.rows.get(fact.id)
        if row is None or not row.holds or fact.redacted:
            return fact
        from memory.replay.unlanded_work import without

        history = cache.some_histories([fact.id]).get(fact.id)
        found = None if history is None else without(fact.id, history, self.outside, cache.cut)
        return found or fact

    def known(self, cache: Cache, id: str) -> Fact | None:
        """Return the fact of an id as it is here, None where there is none."""
        fact = cache.fact(id)
        return None if fact is None else self.shown(cache, fact)

    def standings(self, cache: Cache, found: list[Standing]) -> list[Standing]:
        """Return facts where they stand here."""
        if not self.rows:
            return found
        place = cache.placing()
        here = self.rows.keys()
        return [place(self.shown(cache, one.fact)) if one.fact.id in here else one for one in found]

    def view(self, cache: Cache, view: LiveView) -> LiveView:
        """Return what lives here: texts of here, and what only another branch calls false."""
        if not self.rows:
            return view
        place = cache.placing()
        known = {one.fact.id: one for one in view.live if not self.hides(one.fact.id)}
        for id, row in self.rows.items():
            fact = None if not row.holds else cache.fact(id)
            if fact is not None:
                standing = place(self.shown(cache, fact))
                known.pop(id, None)
                if standing.live:
                    known[id] = standing
        there = view.contradicted
        contradicted = [one for one in there if self.shown(cache, one).contradicted]
        return view._replace(live=tuple(known.values()), contradicted=tuple(contradicted))

    def few(self, most: int) -> tuple[Here, str]:
        """Return the same with so many rows, what changes what holds here first, then the newest."""
        newest = [row for row in reversed(self.rows.values()) if not row.gone]
        shown = [row.fact for row in sorted(newest, key=lambda row: not row.holds)[:most]]
        left = len(newest) - len(shown)
        said = f"{left} more fact{'s are' if left > 1 else ' is'} not here yet" * bool(left)
        return Here(self._told, frozenset(self.rows.keys() - set(shown))), said

    def hides(self, fact: str) -> bool:
        """Tell whether a fact has no line because too much is elsewhere."""
        return fact in self._hidden and not self.rows[fact].holds

    def births(self, entry: Entry) -> Entry:
        """Return a log without what it corrects elsewhere: that is told where the facts are."""
        if entry.stem not in self.outside:
            return entry
        from ledger.model.event import FactCreated

        acts = [act for act in entry.acts if type(act) is FactCreated and not self.hides(act.id)]
        return entry._replace(acts=tuple(acts))

    @property
    def line(self) -> str:
        """What is said where no fact is marked by itself, "" for nothing."""
        if self.rows or not self._told.facts:
            return ""
        count = len(self._told.facts)
        facts = f"{count} fact{'s are' if count > 1 else ' is'}"
        if not self._told.behind:
            return f"{facts} of work that HEAD does not hold"
        behind = f"{self._told.behind} commit{'s' if self._told.behind > 1 else ''}"
        return f"HEAD is {behind} behind {self._told.trunk}: {facts} newer"

    @property
    def said(self) -> str:
        """All of it: what an answer that is kept depends on."""
        if not self._told.facts:
            return ""
        return repr((self.line, [*self.rows.values()]))


#: Where nothing is known, or asked for.
_NOTHING = Told("", "", "", "", 0, (), (), 0, "", crowded=False, facts=())
EVERYWHERE = Here(_NOTHING)


def here_known(home: Home) -> Here | None:
    """Return what was told of HEAD last; no cache is opened, and no process started.

    None where this HEAD was not asked for yet.
    """
    if home.plain and not home.everywhere and beside(home):
        return None
    if not asks(home):
        return EVERYWHERE
    reference, commit = head(home.repository)
    if not commit:
        return EVERYWHERE
    branch, kept = _short(reference), read_heads(home)
    told = kept.of(commit, branch)
    if told is None:
        told = told_before(home, kept, commit, branch)
        if told is None or told.outside or told.unknown:
            return None
    return Here(told) if told.tip[:_WHOLE] == home.tip() else None


def told_before(home: Home, kept: Heads, commit: str, branch: str) -> Told | None:
    """Return what was told of an earlier HEAD that has only gone on since: what it held is held.

    git's note of where HEAD was says so; it costs no process.
    """
    at = commit
    said = last_bytes(f"{home.repository.gitdir}/logs/HEAD", _REFLOG_BYTES)
    for line in said.decode("utf-8", "replace").split("\n")[-2:0:-1]:  # the whole ones
        head, _, what = line.partition("\t")
        old, new = head.split(" ", 2)[:2]
        if new != at or not what.startswith(_ONWARDS):
            return None
        at, told = old, kept.of(old, branch)
        if told is not None:
            return told
    return None


def here_of(home: Home, cache: Cache) -> Here:
    """Return what of a memory is elsewhere, found out where HEAD or the ledger is another one by now."""
    if home.plain and not home.everywhere and beside(home):
        from memory.replay.unlanded_work import told_beside

        away = stems_elsewhere(home)
        for stem in landed(home, dict.fromkeys(away, tip_of(cache.commit))):
            del away[stem]
        return Here(told_beside(cache, away))
    if not asks(home) or not cache.policy.branches.follow:
        return EVERYWHERE
    reference, commit = head(home.repository)
    if not commit:
        return EVERYWHERE
    branch, kept = _short(reference), read_heads(home)
    settled = _settled(kept, cache)
    kept = kept._replace(told=tuple([one for one in kept.told if one.settled == settled]))
    told = kept.of(commit, branch, cache.commit)
    if told is None:
        before = kept.of(commit, branch) or told_before(home, kept, commit, branch) or _NOTHING
        try:
            told = _told_here(cache, before, commit, branch)
            if told is None:
                from memory.replay.unlanded_work import Telling

                told = Telling(home, cache, kept, commit, branch).told(before)
                settled = _settled(read_heads(home), cache)
        except DiurnaError:  # what git can not tell is not known, and nothing else fails of it
            return EVERYWHERE
        told = told._replace(settled=settled)
        keep(home, told)
    return Here(told)


def _told_here(cache: Cache, before: Told, commit: str, branch: str) -> Told | None:
    """Return what to tell where nothing was elsewhere and all that came was written here, else None."""
    places = {row[2::2] for row in cache.places(before.number)}
    if before.outside or before.unknown or places - {(commit, branch)}:
        return None
    behind = before.behind if before.head == commit else 0
    return before._replace(
        head=commit, branch=branch, tip=cache.commit, number=cache.newest_number(), behind=behind
    )


def asks(home: Home) -> bool:
    """Tell whether HEAD is another thing than the ledger, and there is code beside it."""
    return home.kind == OWN_BRANCH and bool(home.repository.top) and not home.everywhere


def _settled(kept: Heads, cache: Cache) -> str:
    """Tell one cache, and one state of what is known of landings, from another."""
    return digest(kept.sum.encode(), cache.generation.encode(), marshal.dumps(cache.landed(), 2))


def _short(reference: str) -> str:
    return reference.removeprefix("refs/heads/")
