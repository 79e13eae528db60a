"""Find what was built on a fact that turned out to be false, while it stood: facts and sessions. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ledger.model.event import FactCreated, FactUpdated
from ledger.model.log_names import key_of
from ledger.model.record import Record
from ledger.model.session import SHOWN_KEY, TOLD_KEY, Entry, shown_in
from projection.fold.fact_history import Fact
from projection.fold.fact_links import named

USED, SHOWN = "used", "shown"
#: What in a text can only be an id: words with hyphens between them.
_ID = re.compile(r"(?<![\w.-])[a-z0-9]+(?:[.-][a-z0-9]+)*-[a-z0-9]+(?!\.?[\w-])")


class Reader(Record):
    """A session that knew of the fact."""

    stem: str  #: of its log, as a key
    how: str  #: `USED` where its log names the fact, `SHOWN` where it was only told of it
    facts: tuple[str, ...]  #: what came in it, or was reworded


class Built(Record):
    """What was built on a fact."""

    until: str  #: the log that called it false, as a key
    facts: tuple[str, ...] = ()  #: those that name it and came while it stood, by id
    readers: tuple[Reader, ...] = ()  #: the newest first


class BuiltOn:
    """Tells what was built on each fact that is false; all is looked at once, for all of them.

    Args:
        facts: all there are.
        entries: of all logs, in ledger order.
    """

    def __init__(self, facts: Iterable[Fact], entries: Iterable[Entry]) -> None:
        facts = list(facts)
        self._until = {
            one.id: min([at for at in (one.superseded_at, one.invalidated_at) if at], default="")
            for one in facts
            if one.false
        }
        self._facts: dict[str, list[str]] = {}
        for one in facts:
            if not one.redacted:
                for id in self._until.keys() & _named(one) - {one.id}:
                    came = key_of(one.origin) if one.origin else one.created
                    if came < self._until[id]:
                        self._facts.setdefault(id, []).append(one.id)
        self._readers: dict[str, list[Reader]] = {}
        for entry in entries:
            self._read(entry)

    def of(self, fact: str) -> Built:
        """Return what was built on a fact."""
        found = self._facts.get(fact, ()), self._readers.get(fact, ())
        return Built(self._until.get(fact, ""), tuple(sorted(found[0])), tuple(found[1][::-1]))

    def _read(self, entry: Entry) -> None:
        shown = [said for key, said in entry.reported if key in (SHOWN_KEY, TOLD_KEY)]
        how = dict.fromkeys([id for said in shown for id in shown_in(said)], SHOWN)
        if entry.uses:
            how.update(dict.fromkeys(entry.named, USED))
        how = {id: one for id, one in how.items() if entry.stem < self._until.get(id, "")}
        if not how:
            return
        made = [act.id for act in entry.acts if isinstance(act, FactCreated | FactUpdated)]
        for id in how.keys() - set(made):  # to write a fact is no use of it
            reader = Reader(entry.stem, how[id], tuple(dict.fromkeys(made)))
            self._readers.setdefault(id, []).append(reader)


def _named(fact: Fact) -> set[str]:
    """Return the ids that a fact links to, serves, or has among its words."""
    words = {word for head in fact.heads for word in _ID.findall(head.text)}
    return {target for _, target in named(fact)} | words
