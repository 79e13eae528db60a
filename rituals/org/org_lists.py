"""List what an organisation's ledgers hold: an entity, what nobody confirmed, what is worked on, a fact.

Each list is of what the asker may read: what is hidden and what is not there are the same, no row.
"""

from __future__ import annotations

import json

from ledger.errors import NotFound
from ledger.model.record import Record
from ledger.remote.remote import without_credentials
from projection.graph.graph_neighbours import folded, names_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rituals.org.org_search import Asker

    Row = dict[str, Any]

#: So many rows a page has, and so many facts of one entity are read at most, true and new ones first.
PAGE, ENTITY_MOST = 50, 500
#: So many events, and texts, are told of one fact.
EVENTS, TEXTS = 200, 50
#: As `org.names_of` leaves them out.
_JOINTS = str.maketrans("", "", "-_ `\"'*")
_AFTER = "~"


class Slice(Record):
    """One page of a list."""

    rows: tuple[Row, ...]
    after: str = ""  #: where the next page begins, "" for no more


class FactTold(Record):
    """One fact, and how it came to say what it says."""

    row: Row
    events: tuple[Row, ...]  #: the newest first: stem, verb, said, path, agent, ended, title
    texts: tuple[Row, ...]  #: those that it has or had beside what these events say: id, stem, text
    more: bool = False  #: there are older events


def about(asker: Asker, entity: str, **scope: str) -> tuple[Row, ...]:
    """List the facts about an entity, in any spelling: by team and ledger, and false ones behind.

    `scope` may have a `repo` and a `team`.
    """
    wanted = folded(entity)
    names = sorted({name.lower().translate(_JOINTS) for name in (entity, wanted)} - {""})
    rows = _rows(asker, "entity", ENTITY_MOST, names=names, **scope) if names else []
    kept = [row for row in rows if wanted in map(folded, names_in(row["entity"]))]
    return tuple(
        sorted(kept, key=lambda row: (row["untrue"], row["team"], row["name"], row["url"]))
    )


def unconfirmed(asker: Asker, day: str, after: str = "", **scope: str) -> Slice:
    """List the invariants that nobody wrote or confirmed since a day, the oldest first."""
    return _slice(asker, "unconfirmed", after, confirmed, since=day, **scope)


def working(asker: Asker, after: str = "", **scope: str) -> Slice:
    """List open threads and tasks, the newest first."""
    return _slice(asker, "working", after, lambda row: str(row["stem"]), **scope)


def confirmed(row: Row) -> str:
    """Return when a fact was confirmed last, or when it came, where nobody did."""
    return max(str(row["verified"]), str(row["created"]))


def told(asker: Asker, ledger: str, id: str, url: str = "") -> tuple[FactTold, ...]:
    """Tell of a fact, in each of the ledgers that have this name; `url` is of one of them, as it is shown.

    Raises:
        NotFound: there is no such fact, or not for this person.
    """
    found = []
    for row in _rows(asker, "fact", PAGE, repo=ledger, id=id):
        if row["name"] == ledger and url in ("", without_credentials(row["url"])):
            named = row["ledger"], row["id"]
            events = asker.rows("fact_events", *named, EVENTS + 1)
            known = {row["text"], *[event["said"] for event in events]}
            beside = asker.rows("fact_versions", *named, TEXTS)
            texts = tuple([one for one in beside if one["text"] not in known])
            placed = [{**row, **event} for event in events[:EVENTS]]
            found.append(FactTold(row, tuple(placed), texts, len(events) > EVENTS))
    if not found:
        raise NotFound(f"no ledger that you may read has a fact {ledger}/{id}")
    return tuple(found)


def _slice(asker: Asker, name: str, after: str, key: Callable[[Row], str], **wanted: str) -> Slice:
    begun = after.split(_AFTER)
    place = {"after": begun} if len(begun) == 3 and _is_number(begun[1]) else {}
    rows = _rows(asker, name, PAGE + 1, **wanted, **place)
    last = rows[PAGE - 1] if len(rows) > PAGE else None
    end = _AFTER.join([key(last), str(last["ledger"]), last["id"]]) if last else ""
    return Slice(tuple(rows[:PAGE]), end)


def _is_number(said: str) -> bool:
    return said.isascii() and said.isdigit() and int(said) < 2**31


def _rows(asker: Asker, name: str, most: int, **wanted: object) -> list[Row]:
    asked = {key: value for key, value in wanted.items() if value}
    return asker.rows("listed", name, json.dumps(asked), most)
