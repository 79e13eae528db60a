"""Decide the tier of each fact by counting work logs, never by scores.

Section 5 of the format. Everything is a comparison of stems with cuts (`DecayClock`), so a tier costs no
count; only the archive page of a faded fact needs the list of work logs.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.event import FactCreated
from ledger.model.layout import quarter_of
from ledger.model.session import IMPORT_KEYS
from projection.fold.decay import Decay
from projection.fold.fact_history import Fact, History
from projection.fold.projection_state import (
    ARCHIVED_TIERS,
    BY_HAND,
    CLOSED,
    FADED,
    INVALIDATED,
    SUPERSEDED,
    TIERS,
    DecayClock,
    LiveView,
    Standing,
    Summary,
)
from projection.policy.model import CLOSABLE, DEFAULT_KIND, Policy

#: What a thread that is open is lifted to when rules 5 to 8 would give less.
_PINNED = ("working", "active")


def never_decaying(policy: Policy) -> frozenset[str]:
    """Return the names of the kinds that never fade."""
    return frozenset(kind.name for kind in policy.kinds if not kind.decays)


def tier(fact: Fact, clock: DecayClock, lasting: frozenset[str]) -> str:
    """Return the tier of a fact; first match wins (format, section 5).

    `lasting` are the kinds that never decay (`never_decaying`).
    """
    if fact.superseded_by or fact.invalidated_at:
        return "superseded"
    if fact.archived_at:
        return "archived"
    if fact.promoted or fact.kind in lasting:
        return "core"
    young = fact.young
    if young and young >= clock.working:
        found = "working"
    elif fact.anchor >= clock.active:
        found = "active"
    elif fact.anchor >= clock.archive:
        found = "archive-candidate"
    else:
        found = "archived"
    if fact.open and found not in _PINNED:
        return "active"
    return found


def surely_faded(history: History, clock: DecayClock, lasting: frozenset[str]) -> bool:
    """Tell whether a history of one act is that of an archived fact, without resolving it.

    Most facts of an old ledger were created, used for a while and forgotten; False means nothing.
    """
    stem, _, event, _ = history.acts[0]
    if max(history.last, stem) >= clock.archive or type(event) is not FactCreated:
        return False
    if event.text is None or event.mark:
        return False
    kind = DEFAULT_KIND
    for key, value in event.meta:
        if key in IMPORT_KEYS:
            return False
        if key == "kind":
            kind = value
    return kind not in CLOSABLE and kind not in lasting


def stand(
    fact: Fact, clock: DecayClock, lasting: frozenset[str], decay: Decay | None = None
) -> Standing:
    """Place a fact: its tier, and for an archived one why and on which page.

    `lasting` are the kinds that never decay; `decay` is of all work logs, and None leaves the page of a
    faded fact open ("").
    """
    found = tier(fact, clock, lasting)
    if fact.superseded_by:
        return Standing(fact, found, SUPERSEDED, quarter_of(fact.superseded_at))
    if fact.invalidated_at:
        return Standing(fact, found, INVALIDATED, quarter_of(fact.invalidated_at))
    if fact.archived_at:
        return Standing(fact, found, BY_HAND, quarter_of(fact.archived_at))
    swept = fact.closed and fact.closed_at < clock.archive
    if not swept and found != "archived":
        return Standing(fact, found)
    if decay is None:
        return Standing(fact, found, CLOSED if fact.closed else FADED)
    crossings = []
    if swept:
        crossings.append(decay.passed(fact.closed_at, "archive"))
    if found == "archived":
        crossings.append(decay.passed(fact.anchor, "archive"))
    quarter = quarter_of(decay.work[min(crossings) - 1])
    return Standing(fact, found, CLOSED if fact.closed else FADED, quarter)


def live_view(
    summary: Summary,
    policy: Policy,
    clock: DecayClock,
    facts: Iterable[Fact],
    contradicted: Iterable[Fact],
    counts: tuple[int, int],
) -> LiveView:
    """Return what `continuity.md` shows.

    `facts` are all that may be live, any other is archived or false, and `contradicted` those of which
    that is to be told, both in any order; `counts` is how many facts there are in all, and how many of
    them are false.
    """
    lasting = never_decaying(policy)
    tiers = dict.fromkeys(TIERS, 0)
    live: list[Standing] = []
    for fact in facts:
        standing = stand(fact, clock, lasting)
        tiers[standing.tier] += 1
        if not standing.reason:
            live.append(standing)
    total, false = counts
    rest = total - sum([count for name, count in tiers.items() if name not in ARCHIVED_TIERS])
    tiers["archived"], tiers["superseded"] = rest - false, false
    live.sort(key=lambda standing: standing.fact.id)
    shown = sorted(contradicted, key=lambda fact: fact.id)
    return LiveView(summary, policy, tuple(live), tuple(shown), tuple(tiers.values()))
