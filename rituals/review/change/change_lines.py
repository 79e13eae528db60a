"""Put together what is said of a change: at most three lines, and every secret and personal text."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.home import IN_TREE, Home
from ledger.model.findings import ERROR, Finding
from ledger.model.layout import SESSIONS_DIR
from ledger.model.record import Record
from memory.api import Memory
from rituals.check.check_registry import bare, order
from rituals.check.linted_files import text_findings
from rituals.review.change.change_facts import Change, change_of, untold_work
from rituals.review.change.change_remarks import remarks

#: More lines nobody reads.
_MOST = 3
#: What its author asked to be let be is none.
_QUIET = ("secret-waived", "conflict-marker")


class Said(Record):
    """What is said of a change."""

    #: what new logs hold that must not be there, and the strongest lines
    findings: tuple[Finding, ...]
    more: tuple[Finding, ...] = ()  #: the lines that had no room


def said_of(memory: Memory, range: str, folder: str, *, untold: bool = False) -> Said:
    """Return what memory has on a range of commits; files of findings are named from the top.

    Memory is asked as it is before the change: beside the code at the commit that the range starts from,
    else at its tip.

    Args:
        memory: the home, open.
        range: as `change_of` reads it.
        folder: where somebody works.
        untold: say, too, where no log tells of the work.

    Raises:
        WrongUsage, NotFound: as `change_of`.
    """
    home = memory.home
    change = change_of(home, range, folder)
    state = memory.tip_state() if _is_as_at_tip(home, change) else memory.state(change.trunk)
    held = dict.fromkeys(_held(memory, change))
    found = remarks(state.standings(), change)
    if untold:
        found += untold_work(memory, change)
    kept = sorted(held, key=order)
    return Said((*kept, *found[:_MOST]), tuple(found[_MOST:]))


def _is_as_at_tip(home: Home, change: Change) -> bool:
    """Tell whether memory had the same logs before the change as it has at the tip, which is kept."""
    if home.kind != IN_TREE:
        return True
    folder = f"{home.prefix}{SESSIONS_DIR}"
    before, now = change.git.resolve(f"{change.trunk}:{folder}", f"{home.tip()}:{folder}")
    return before == now != ""


def _held(memory: Memory, change: Change) -> Iterator[Finding]:
    """Name the secrets and the home folders that new logs hold."""
    personal = memory.policy.privacy.personal
    for one in change.logs:
        yield from [
            bare(said) if said.severity != ERROR else said
            for said in text_findings(one.path, one.data, personal)
            if said.code not in _QUIET
        ]
