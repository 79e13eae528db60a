"""Say what a bullet of a rendered file showed to whoever edited it: versions, and moves of a task."""

from __future__ import annotations

from ledger.codec.fact_blocks import tidy
from ledger.model.ids import version_id
from ledger.model.order import is_stem, stem_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.document.page_parser import Block
    from projection.fold.fact_history import Fact


def seen_in(block: Block, fact: Fact) -> tuple[str, ...] | None:
    """Return the versions that a block shows; None for a withheld text, which shows none."""
    if fact.redacted:
        return None
    return tuple([one.id for one in block.versions]) or (version_id(tidy(block.text)),)


def closed_in(block: Block, fact: Fact) -> tuple[str, ...] | None:
    """Return the versions and the moves that a block shows, as a closing of it names them."""
    seen = seen_in(block, fact)
    return None if seen is None else (*seen, *moves_in(block))


def moves_in(block: Block) -> tuple[str, ...]:
    """Return the logs of the moves that a block shows."""
    moves = [part.partition(" in ")[2] for part in block.get("moves").split(", ")]
    return tuple(filter(is_stem, dict.fromkeys([stem_in(key) for key in moves if key])))
