"""Let what replaces a fact keep what its writer does not say anew: what it is about, and for whom.

What stood before it was said to replace another one keeps what its own writer said of it.
"""

from __future__ import annotations

from ledger.codec.fact_blocks import order_meta
from ledger.model.event import FactCreated, FactSuperseded, FactUpdated
from ledger.model.session import ASKED_KEY, UNDO_KEYS
from projection.fold.fold import resolve
from projection.graph.fact_links import ENTITY_KEY, SERVES
from projection.graph.graph_neighbours import TAGS_KEY, names_in
from projection.policy.model import TASK_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.findings import Finding
    from ledger.model.session import SessionLog
    from memory.write.draft import Case

#: The footers that are of a subject, whatever is said of it, and those that are of the work on it. What
#: ends a text, checks it or is its title is of that text alone.
_OF_SUBJECTS = (ENTITY_KEY, TAGS_KEY, "role", SERVES, ASKED_KEY, "salience")
_OF_TASKS = ("priority", "owner", "goal", "workstream", "depends")
#: The tag that a word for a kind gives: it is of the text, and nobody chose it.
_OF_A_KIND = ("lesson",)


def with_subject(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Carry over what describes a replaced fact to what replaces it in the log."""
    pairs = [event for event in log.events if isinstance(event, FactSuperseded)]
    if not pairs or any(key in UNDO_KEYS for key, _ in case.draft.header):
        return log, ()
    facts = {id: resolve(id, history, case.cache.cut) for id, history in case.histories.items()}
    stands = {id: fact for id, fact in facts.items() if fact is not None and not fact.redacted}
    said = {id: {**dict(fact.meta), "kind": fact.kind} for id, fact in stands.items()}
    for event in log.events:
        if isinstance(event, FactCreated | FactUpdated):
            said[event.id] = {**said.get(event.id, {}), **dict(event.meta)}
    carried: dict[str, dict[str, str]] = {}
    for pair in pairs:
        old, new = said.get(pair.id, {}), said.get(pair.new, {})
        tasks = old.get("kind") == new.get("kind") == TASK_KIND
        for key in (*_OF_SUBJECTS, *(_OF_TASKS if tasks else ())):
            own = names_in(new.get(key, "")) if key == TAGS_KEY else (new.get(key, ""),)
            if key not in old or any(name and name not in _OF_A_KIND for name in own):
                continue
            kept = carried.setdefault(pair.new, {})
            if key not in (ENTITY_KEY, TAGS_KEY):
                kept.setdefault(key, old[key])
                continue
            more = [name for name in names_in(old[key]) if name not in _OF_A_KIND]
            names = names_in(",".join((*own, kept.get(key, ""), *more)))
            kept |= {key: ", ".join(names)} if more else {}
    events = []
    for event in log.events:
        if isinstance(event, FactCreated | FactUpdated) and carried.get(event.id):
            meta = {**dict(event.meta), **carried.pop(event.id)}
            event = event._replace(meta=order_meta(tuple(meta.items())))
        events.append(event)
    return log._replace(events=tuple(events)), ()
