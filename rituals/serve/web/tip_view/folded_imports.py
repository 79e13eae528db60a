"""Find the imports that bring the texts of what a session did: pages show them below it."""

from __future__ import annotations

from collections import deque

from ledger.model.event import facts_in
from ledger.model.order import milliseconds_of
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ledger.model.session import Entry
    from rituals.serve.web.tip_view.tip_view import TipView

_IMPORT, _PART = "import", "folded_imports"
#: An import tells of a session that is so many work logs and so long before it at most.
_BACK, _BACK_MS = 20, 86_400_000


class Folded(Record):
    """The imports that stand below a session."""

    session: Mapping[str, str]  #: by the key of the import, that of the session
    imports: Mapping[str, tuple[Entry, ...]]  #: by the key of the session, in ledger order


def folded(tip: TipView) -> Folded:
    """Return those of a tip; worked out once."""
    if not tip.has(_PART):
        found = folded_in(tip.entries)
        known = {entry.stem: entry for entry in tip.entries} if found else {}
        imports: dict[str, tuple[Entry, ...]] = {}
        for key, session in found.items():
            imports[session] = (*imports.get(session, ()), known[key])
        tip.keep(_PART, Folded(found, imports))
    made: Folded = tip.__dict__[_PART]
    return made


def folded_in(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the keys of such imports, each with the session's; entries are in ledger order.

    What adoption reads off an older commit comes as a log of its own, behind the session whose commit that
    was: the two name the same facts.
    """
    found: dict[str, str] = {}
    last: deque[Entry] = deque(maxlen=_BACK)
    for entry in entries:
        if entry.type == _IMPORT:
            ids = {name for event in entry.acts for name in facts_in(event)}
            begin = milliseconds_of(entry.stem) - _BACK_MS
            for work in reversed(last):
                if milliseconds_of(work.stem) < begin:
                    break
                if not ids.isdisjoint([*work.named, *[event.id for event in work.acts]]):
                    found[entry.stem] = work.stem
                    break
        elif entry.work:
            last.append(entry)
    return found
