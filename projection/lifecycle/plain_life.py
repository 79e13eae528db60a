"""Walk the life of a plain fact: created once, then used, reworded or confirmed, and no more.

Most facts of any ledger are plain. Where one stands follows from three numbers alone, the sessions of its
birth, of its last use and of now, so nothing has to be resolved on the way. `lives` says the same the
long way, of every fact.
"""

from __future__ import annotations

from bisect import bisect_right

from ledger.model import event as log_events
from ledger.model.ids import WITHHELD
from ledger.model.session import IMPORT_KEYS
from projection.fold.projection_state import FADED
from projection.lifecycle.life import Life, Track
from projection.policy.model import CLOSABLE, DEFAULT_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from projection.fold.decay import Decay
    from projection.fold.fact_history import Act

#: What changes neither where a fact stands nor since when it counts, by its type alone.
_IDLE = (
    log_events.FactVerified, log_events.FactReferenced, log_events.FactHelped,
    log_events.FactIgnored,
)  # fmt: skip


def plain_kind(id: str, acts: Sequence[Act]) -> str:
    """Return the kind of a plain fact; "" for one of which there is more to tell.

    `acts` is all that logs say of it, in ledger order.
    """
    if not acts:
        return ""
    birth = acts[0].event
    if (
        type(birth) is not log_events.FactCreated
        or birth.mark
        or (birth.text or WITHHELD)[:1] == WITHHELD
    ):
        return ""
    kind = ""
    for key, value in birth.meta:
        if key == "kind":
            kind = value
        elif key in IMPORT_KEYS:
            return ""  # it was born before that log
    for act in acts[1:]:
        event = act.event
        if type(event) is log_events.FactUpdated:
            if any(key == "kind" for key, _ in event.meta):
                return ""
        elif type(event) is log_events.FactSuperseded:
            if event.id == id:
                return ""  # and not only the one that took another's place
        elif type(event) not in _IDLE:
            return ""
    kind = kind or DEFAULT_KIND
    return "" if kind in CLOSABLE else kind


class PlainWalker:
    """Walks plain facts along one ledger.

    Args:
        decay: of its work logs.
        numbers: which session each of them is, from 1 on.
        lasting: the kinds that never decay.
    """

    def __init__(self, decay: Decay, numbers: Mapping[str, int], lasting: frozenset[str]) -> None:
        self._work, self._decay, self._numbers = decay.work, decay, numbers
        self._lasting = lasting

    def walk(self, id: str, kind: str, born: str, uses: Sequence[str], agent: str) -> Life:
        """Return the life of a plain fact.

        `born` is the stem of the log that created it, `uses` are those of the logs that use it, in
        order; `agent` wrote the first of them.
        """
        birth = self._position(born)
        last = uses[-1] if uses else ""
        track = Track(born, birth)
        if kind in self._lasting:
            track.turn(birth, born, "core")
        else:
            self._walk(track, born, birth, uses)
        reason = FADED if track.tier == "archived" else ""
        return Life(
            id, kind, agent, born, birth, len(uses), last,
            track.tier, reason, tuple(track.moments), tuple(track.spans),
        )  # fmt: skip

    def _walk(self, track: Track, born: str, birth: int, uses: Sequence[str]) -> None:
        """Follow a fact that decays from its birth to the end."""
        passed, end = self._decay.passed, len(self._work)
        young_until = passed(born, "working", birth) - 1
        used = bisect_right(uses, born)  # what named it before it was there counts, too
        anchor = self._position(uses[used - 1]) if used else birth
        point, since, at = born, uses[used - 1] if used else born, birth
        while True:
            following = uses[used] if used < len(uses) else ""
            until = end
            if following:
                session = self._numbers.get(following, 0)
                until = session - 1 if session else self._position(following)
            young = young_until if used <= 1 else -1
            active = passed(since, "active", anchor) - 1
            # between two uses near to each other nothing happens
            if track.tier != "active" or young >= 0 or until > active:
                archive = passed(since, "archive", anchor) - 1
                for turn, tier in _stretch(young, active, archive, at, until):
                    if tier != track.tier:
                        track.turn(turn, point if turn == at else self._work[turn - 1], tier)
            if not following:
                return
            used, point, since = used + 1, following, following
            at = anchor = session or until

    def _position(self, stem: str) -> int:
        return self._numbers.get(stem) or bisect_right(self._work, stem)


def _stretch(
    young: int, active: int, archive: int, at: int, until: int
) -> Iterator[tuple[int, str]]:
    """Yield (session, tier) wherever the tier may change from one log on a fact to the next.

    The last session in which it is too young to have been used twice, -1 for none, in which it is active,
    and before it fades; that of the log, and the last one before the next.
    """
    for session in sorted({at, young + 1, active + 1, archive + 1}):
        if at <= session <= until:
            if session <= young:
                yield session, "working"
            elif session <= active:
                yield session, "active"
            else:
                yield session, "archive-candidate" if session <= archive else "archived"
