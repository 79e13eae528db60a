"""Say when what memory holds of the state is older than what was done since: once in half an hour.

A fact of kind `state` says where the work stands. One that nobody has said anew or confirmed for half an
hour, while sessions of this machine did something, is likely to be out of date.
"""

from __future__ import annotations

from ledger.model.order import milliseconds_of
from memory.cache.range_queries import facts_of_kind
from projection.brief.role_choice import roles_of
from projection.policy.model import STATE_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.home import Home
    from memory.cache.cache_file import Cache

#: How old a state is told of, and how long it is not told again.
OLD_MS = 1_800_000
#: When it was told, among what a session was told.
TOLD = "state-age"
_NAMED = 3
_UNITS = ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"))


def states_in(cache: Cache) -> dict[str, int]:
    """Return the facts that hold of the state, by id, with when they were said or confirmed last.

    Times are milliseconds since 1970. What is withheld, or for a role alone, is left out.
    """
    found: dict[str, int] = {}
    for fact in facts_of_kind(cache, STATE_KIND):
        if not (fact.false or fact.archived_at or fact.redacted or roles_of(fact)):
            found[fact.id] = milliseconds_of(
                max([*[head.stem for head in fact.heads], fact.verified])
            )
    return found


def states_of(home: Home) -> dict[str, int]:
    """Return the same for a home that is not open."""
    from memory.query.open_snapshot import open_snapshot

    snapshot = open_snapshot(home)
    try:
        return snapshot.ask(states_in)
    finally:
        snapshot.close()


def next_look(states: Mapping[str, int], told: int) -> int:
    """Return when one of the states will be old and may be told, 0 for never; ms since 1970.

    `told` is when the session was told last, 0 for never.
    """
    return max(min(states.values()) + OLD_MS, told + OLD_MS if told else 0) if states else 0


def line_of(states: Mapping[str, int], observed: Iterable[int], now: int) -> str:
    """Return the line of what is out of date, "" where nothing is.

    `observed` is when sessions did something last; `now` is in milliseconds since 1970.
    """
    newest = max(observed, default=0)
    old = sorted(
        [(at, id) for id, at in states.items() if at <= now - OLD_MS and at < newest],
    )
    if not old:
        return ""
    said = [f"{id} ({_said(now - at)} old)" for at, id in old[:_NAMED]]
    more = f" and {len(old) - _NAMED} more" if len(old) > _NAMED else ""
    return (
        f"- the state may be out of date, work went on since: {', '.join(said)}{more}; "
        "`diurna append --update ID TEXT` says what holds now"
    )


def _said(ms: int) -> str:
    for size, unit in _UNITS:
        if ms >= size:
            count = ms // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "0 minutes"
