"""Select the facts that `diurna show` shows."""

from __future__ import annotations

from ledger.errors import NotFound, WrongUsage
from memory.query.fact_marks import as_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.reader import Reader
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing
    from projection.policy.model import Policy


def select(
    memory: Reader,
    state: State,
    ids: tuple[str, ...],
    kind: str,
    tier: str,
    archived: bool,
    *,
    as_of: str = "",
) -> list[Standing]:
    """Choose facts: those named, or those of a kind and a tier, by id.

    `ids` is () for all, `kind` and `tier` are "" for all; with `archived` come archived facts, also when
    no tier is named. The memory is asked for ids that are spelled alike, and without `as_of` for what
    HEAD holds.

    Raises:
        NotFound: a named fact is not there; nothing else is shown then.
        WrongUsage: there is no such kind.
    """
    if ids:
        found = [_named(memory, state, fact) for fact in dict.fromkeys(ids)]
    else:
        found = state.standings()
    if not as_of:
        found = as_here(memory.snapshot, found)
    if kind:
        if kind not in {standing.fact.kind for standing in found}:
            check_kind(state.policy, kind)
        found = [standing for standing in found if standing.fact.kind == kind]
    if tier:
        return [standing for standing in found if standing.tier == tier]
    return found if archived or ids else [standing for standing in found if standing.live]


def check_kind(policy: Policy, kind: str) -> None:
    """Check that a kind is one of the policy's.

    Raises:
        WrongUsage: it is none.
    """
    if kind not in {one.name for one in policy.kinds}:
        kinds = ", ".join(one.name for one in policy.kinds)
        raise WrongUsage(f"there is no kind {kind}", where="--kind", hint=f"kinds: {kinds}")


def _named(memory: Reader, state: State, fact: str) -> Standing:
    found = state.get(fact)
    if found is None:
        raise NotFound(f"there is no fact {fact}", hint=memory.near_hint(fact))
    return found
