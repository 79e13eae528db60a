"""Write the subject of a commit of logs: what was done to how many facts, and by which agent.

No word of it is a person's or an agent's, because a commit's message stays where nothing can withhold it
(FORMAT.md, W17). What is public already may stand in its place.
"""

from __future__ import annotations

from collections import Counter

from ledger.model.event import VERBS, Event, FactCreated
from ledger.model.ids import is_fact_id
from ledger.model.layout import COMMIT_SUBJECT
from projection.policy.model import BUILT_IN_KINDS, DEFAULT_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.model.session import Entry

#: An agent's name that is longer, or of another form, may be a sentence.
_NAME_CHARS = 24
_KINDS = tuple([kind.name for kind in BUILT_IN_KINDS])
#: The types of log that are called by it; the others tell of a session.
_TYPES = ("import", "review", "edit", "checkpoint")


def commit_subject(entries: Iterable[Entry]) -> str:
    """Return the subject of a commit that brings logs: `diurna: 2 decisions, 1 thread by codex`."""
    logs = list(entries)
    kinds, verbs = Counter[str](), Counter[type[Event]]()
    for entry in logs:
        for event in entry.acts:
            if isinstance(event, FactCreated):
                kind = dict(event.meta).get("kind", DEFAULT_KIND)
                kinds[kind if kind in _KINDS else DEFAULT_KIND] += 1
            else:
                verbs[type(event)] += 1
    said = [f"{kinds[kind]} {kind}{'s' * (kinds[kind] > 1)}" for kind in _KINDS if kinds[kind]]
    said += [f"{verbs[kind]} {word.lower()}" for word, kind in VERBS.items() if verbs[kind]]
    called = {entry.type if entry.type in _TYPES else "session log" for entry in logs}
    what = called.pop() if len(called) == 1 else "session log"
    if len(logs) > 1:
        said = [f"{len(logs)} {what}s{':' * bool(said)} {', '.join(said)}".rstrip()]
    agents = {entry.agent.lower() for entry in logs}
    name = agents.pop() if len(agents) == 1 else ""
    by = f" by {name}" if is_fact_id(name) and len(name) <= _NAME_CHARS else ""
    return f"{COMMIT_SUBJECT}{', '.join(said) or what}{by}"
