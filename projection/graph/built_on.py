"""Find what was built on a fact that turned out to be false, while it stood: facts and sessions. Pure."""

from __future__ import annotations

import re

from ledger.model.event import FactCreated, FactUpdated
from ledger.model.order import key_of
from ledger.model.record import Record
from ledger.model.session_headers import SHOWN_KEY, TOLD_KEY, shown_in
from projection.graph.fact_links import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.model.session import Entry
    from projection.fold.fact_history import Fact

USED, SHOWN = "used", "shown"


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


def built_on(fact: Fact, facts: Iterable[Fact], entries: Iterable[Entry]) -> Built:
    """Return what was built on a fact that is false; `facts` and `entries` are all there are."""
    until = min([one for one in (fact.superseded_at, fact.invalidated_at) if one], default="")
    readers = [one for entry in entries if entry.stem < until and (one := _reader(entry, fact.id))]
    return Built(
        until,
        tuple(sorted([one.id for one in facts if _came(one) < until and _names(one, fact.id)])),
        tuple(sorted(readers, key=lambda one: one.stem, reverse=True)),
    )


def _came(fact: Fact) -> str:
    return key_of(fact.origin) if fact.origin else fact.created


def _names(fact: Fact, id: str) -> bool:
    """Tell whether a fact links to another one, serves it, or has its id among its words."""
    if fact.id == id or fact.redacted:
        return False
    if any(target == id for _, target in named(fact)):
        return True
    word = re.compile(rf"(?<![\w.-]){re.escape(id)}(?![\w-])") if "-" in id else None
    return word is not None and any(word.search(head.text) for head in fact.heads)


def _reader(entry: Entry, id: str) -> Reader | None:
    made = [act.id for act in entry.acts if isinstance(act, FactCreated | FactUpdated)]
    if id in made:  # it wrote the fact: that is no use of it
        return None
    if entry.uses and id in entry.named:
        how = USED
    elif any(
        id in shown_in(said)[0] for key, said in entry.reported if key in (SHOWN_KEY, TOLD_KEY)
    ):
        how = SHOWN
    else:
        return None
    return Reader(entry.stem, how, tuple(dict.fromkeys(made)))
