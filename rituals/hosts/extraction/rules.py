"""Find items by rules alone: always there, without a key, and nothing leaves the machine."""

from __future__ import annotations

from projection.text.digest import gist
from rituals.hosts.extraction.items import MOST_ITEMS, Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rituals.hosts.transcripts.slices import Turn


def by_rules(turns: Sequence[Turn]) -> tuple[Item, ...]:
    """Return what was decided and what was left open, in the order in which it was said."""
    found: list[Item] = []
    for turn in turns:
        if turn.text:
            digest = gist(turn.text)
            pairs = [("decision", one) for one in digest.decisions]
            pairs += [("thread", one) for one in digest.actions]
            found += [Item(kind, one.text, one.text, at=turn.at) for kind, one in pairs]
    return tuple(found[-MOST_ITEMS:])
