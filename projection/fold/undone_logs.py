"""Read which logs were taken back, and what still counts of every log, as if those had never been.

An undo is a log that says in events what holds without the logs that it takes back, and names them in its
header: `undoes`, or `redoes` where it does them again; `kept` are the facts that it left as they were,
`took` those of other logs that it took with them. The fold knows nothing of that (FORMAT.md, T9).
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.model.event import facts_in
from ledger.model.order import stem_in
from ledger.model.record import Record
from ledger.model.session import EDIT, UNDO_KEYS, Entry

#: Sorts behind every log: where an undo will stand that is only planned.
BEHIND = "9999-12-31-235959999-~"


class TakenBack(Record):
    """What an undo says in its header."""

    stems: tuple[str, ...]  #: of the logs that it takes back, or does again
    again: bool  #: whether it does them again
    kept: tuple[str, ...] = ()  #: the facts that it leaves as they are
    took: tuple[str, ...] = ()  #: the facts that other logs brought, and that it takes with them

    @property
    def header(self) -> tuple[tuple[str, str], ...]:
        """As the header has it."""
        names = (UNDO_KEYS[self.again], *UNDO_KEYS[2:])
        said = zip(names, (self.stems, self.kept, self.took), strict=True)
        return tuple([(key, ", ".join(values)) for key, values in said if values])


def told_by(entry: Entry) -> TakenBack | None:
    """Return what a log takes back, None for one that is no undo."""
    if entry.type != EDIT:
        return None
    said = {key: tuple(value.split(", ")) for key, value in entry.reported if key in UNDO_KEYS}
    for again, key in enumerate(UNDO_KEYS[:2]):
        if key in said:
            return TakenBack(said[key], bool(again), said.get("kept", ()), said.get("took", ()))
    return None


class Effect(Record):
    """What still counts."""

    #: of all logs in ledger order, without the words that were taken back; an undo says nothing
    entries: tuple[Entry, ...]
    #: of each log that stands taken back the key of the undo that did so, by stem
    undone: dict[str, str]


def effect(entries: Sequence[Entry], planned: TakenBack | None = None) -> Effect:
    """Return what still counts of all logs, in ledger order, and of an undo planned behind them."""
    undos = [(entry.stem, said) for entry in entries if (said := told_by(entry)) is not None]
    by_stem: dict[str, set[str]] = {}
    for entry in entries:
        by_stem.setdefault(stem_in(entry.stem), set()).update(_named(entry))
    gone: dict[str, set[str]] = {}
    taken: dict[str, str] = {}
    undone: dict[str, str] = {}
    for key, said in (*undos, *([(BEHIND, planned)] if planned else [])):
        for stem in said.stems:
            about = by_stem.get(stem, set()) - set(said.kept)
            if said.again:
                gone[stem] = gone.get(stem, set()) - about
                undone.pop(stem, None)
            else:
                gone[stem] = gone.get(stem, set()) | about
                undone[stem] = key
        for fact in said.took:
            if said.again:
                taken.pop(fact, None)
            else:
                taken[fact] = key
    return Effect(tuple([_left(entry, gone, taken) for entry in entries]), undone)


def _named(entry: Entry) -> set[str]:
    return {*entry.named, *[event.id for event in entry.acts]}


def _left(entry: Entry, gone: dict[str, set[str]], taken: dict[str, str]) -> Entry:
    """Return what counts of a log: its place in the clock always does."""
    if told_by(entry) is not None:
        return entry._replace(acts=(), named=())
    out = gone.get(stem_in(entry.stem), set())

    def there(*facts: str) -> bool:
        return facts[0] not in out and all(taken.get(one, "") < entry.stem for one in facts)

    acts = [event for event in entry.acts if there(*facts_in(event))]
    return entry._replace(acts=tuple(acts), named=tuple(filter(there, entry.named)))
