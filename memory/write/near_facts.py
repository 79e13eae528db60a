"""Find the facts that are near what a draft is about to say, and the one that says just that.

Only the new texts of a draft of work are looked at, and no state changes by it (W9). What the draft itself
supersedes, invalidates or rewrites is no news to its writer.
"""

from __future__ import annotations

import sys

from ledger.codec.log import canonical
from ledger.errors import DraftRefused
from ledger.model.event import (
    FactCreated,
    FactInvalidated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
)
from ledger.model.findings import Finding
from memory.cache.stamp import CacheDamaged
from memory.write.draft import Near, births, renamed, text_of
from projection.fold.fact_history import Fact
from projection.fold.fold import collect, merged, resolve
from projection.fold.live_view import Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.session import Entry, SessionLog
    from memory.cache.cache_file import Cache
    from memory.replay.tip_snapshot import Snapshot
    from memory.write.draft import Case

    Compared = tuple[tuple[Near, ...], list[tuple[Fact, Standing]]]

#: How many new texts of one log are looked at; one that brings more is a bulk load.
NEW_LIMIT = 50


def with_uses(
    log: SessionLog, case: Case, entry: Entry
) -> tuple[SessionLog, tuple[Near, ...], tuple[Finding, ...]]:
    """Let a new text that a fact has already be a use of it, unless its id was chosen.

    `entry` is what the log says.
    A cache that can not be used costs the look, never the append; logs that are no work are not looked at.

    Returns:
        The log, what is near its texts, the nearest first, and what became a use.

    Raises:
        DraftRefused: a fact has the text of another one, and the append is strict.
    """
    if not entry.uses:
        return log, (), ()
    near, same = near_in(case.snapshot, entry)
    strict, made, facts = case.asked.strict, case.asked.draft.made, case.facts
    again = {
        one.id  # an id that was made for the same text before is the same
        for one in log.events
        if isinstance(one, FactCreated) and one.id in made and one.id in facts
        if not facts[one.id].false and facts[one.id].text == one.text
    }
    pairs = [(id, id, facts[id].text, "") for id in again]
    pairs += [
        (fact.id, there.fact.id, there.fact.text, "" if there.live else " in the archive")
        for fact, there in same
    ]
    told, instead = dict[str, Finding](), dict[str, str]()
    for id, other, text, where in pairs:
        if id not in instead and (strict or id in made):
            instead[id] = instead.get(other, other)
            use = "" if strict else "it is a use of it: "
            said = f"`{instead[id]}`{where} says just that: {use}{text.split(chr(10), 1)[0]}"
            hint = 'for a second fact with this text choose an id: `--new "id=… …"`'
            told[id] = Finding("similar-fact", said, hint=hint)
    if strict and told:
        raise DraftRefused(tuple(told.values()))
    if not told:
        return log, near, ()
    born = set(births(log.events)) - instead.keys()
    rest = [one for one in log.events if not (isinstance(one, FactCreated) and one.id in instead)]
    uses = [FactReferenced(id) for id in instead.values() if id not in born]
    log = canonical(log._replace(events=renamed((*rest, *uses), instead)))
    return log, tuple([one for one in near if one.fact not in instead]), tuple(told.values())


def near_in(snapshot: Snapshot, entry: Entry) -> Compared:
    """Return what is near the texts of a log, and (fact, the one that has its text already)."""
    for _ in range(2):
        try:
            return _compared(snapshot, entry)
        except CacheDamaged:
            snapshot.discard()
    return (), []


def _compared(snapshot: Snapshot, entry: Entry) -> Compared:
    from memory.cache.word_index import WordIndex
    from projection.likeness import (
        MOST_NEAR,
        NEAR,
        comparable,
        nearness,
        queries,
        same_text,
    )
    from projection.text.normalize import index_words, statements

    cache = snapshot.cache()
    fresh = _fresh(cache, entry)
    if not fresh:
        return (), []
    meant: dict[str, dict[str, float]] = {}
    if "memory.recall.meaning" in sys.modules:  # this process weighs meaning
        from memory.recall.meaning import nearly_as

        meant = nearly_as(snapshot, {fact.id: fact.text for fact in fresh})
    index = WordIndex(cache)
    index.follow()
    changing = FactSuperseded | FactInvalidated | FactUpdated
    settled = {event.id for event in entry.acts if isinstance(event, changing)}
    near: list[tuple[float, str, str, Fact]] = []
    same: list[tuple[Fact, Standing]] = []
    with cache:
        place = cache.placing()
        for number, fact in enumerate(fresh):
            alike = meant.get(fact.id, {})
            asked = queries(statements(fact.text), index_words(fact.text))
            names = (*index.candidates(asked, fact.id), *sorted(alike))
            known = {id: one for id in names if (one := cache.fact(id)) is not None}
            others = [place(one) for one in known.values() if one.id not in settled]
            for other in (*others, *map(place, fresh[:number])):
                if comparable(fact, other.fact):
                    if same_text(fact, other.fact):
                        same.append((fact, other))
                    score = max(nearness(fact.text, other.fact.text), alike.get(other.fact.id, 0))
                    score *= other.live
                    if score >= NEAR:
                        near.append((-score, fact.id, other.fact.id, other.fact))
    near.sort(key=lambda one: one[:3])
    told = [Near(fact, id, other.kind, other.text) for _, fact, id, other in near[:MOST_NEAR]]
    return tuple(told), same


def _fresh(cache: Cache, entry: Entry) -> list[Fact]:
    """Return the facts that the log brings a text for, as they will be."""
    ids = [*dict.fromkeys(event.id for event in entry.acts if text_of(event))][:NEW_LIMIT]
    if not ids:
        return []
    gathered = collect([entry])
    news = {name: gathered[name] for name in ids}
    known = merged(cache.some_histories(ids), news)
    facts = (resolve(name, history, cache.cut) for name, history in known.items())
    return [fact for fact in facts if fact is not None and not fact.false]
