"""Write the threads of an intake: what contradicts, what changed on both sides, what had to wait."""

from __future__ import annotations

from ledger.model.event import FactCreated
from ledger.model.ids import version_id
from memory.write.birth_footers import footer_value
from projection.compare.pairs import CONTRADICTION
from projection.lifecycle.review_threads import raising
from projection.policy.model import THREAD_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from projection.compare.pairs import Opposition
    from rituals.intake.items import Item

#: So many places are named in the thread of what is past the budget.
_NAMED = 100
_QUOTED_CHARS = 300


def contradiction(found: Opposition) -> FactCreated:
    """Ask which of two facts holds, in the thread by which a review would ask it."""
    text = f"{found.asked}\n- by the rule {found.rule}"
    return raising(CONTRADICTION, found.key, (found.one, found.two), text)


def asking(id: str, version: str) -> str:
    """Return the id of the thread that asks about a fact that both sides changed.

    Args:
        id: of the fact.
        version: of the text that the source has.
    """
    return f"changed-twice-{version_id(f'{id} {version}')}"


def changed_twice(source: str, id: str, text: str) -> FactCreated:
    """Ask what holds of a fact that was changed here and in its source.

    Args:
        source: its name.
        id: of the fact.
        text: that the source has now.
    """
    said = footer_value(text)
    if len(said) > _QUOTED_CHARS:
        said = said[: _QUOTED_CHARS - 1] + "…"
    asked = (
        f"`{id}` was changed here and in {source} since it was taken in. What does hold? "
        f'{source} has now: "{said}"'
    )
    return _thread(asking(id, version_id(text)), asked, ("about", id))


def rest(source: str, items: Sequence[Item]) -> FactCreated:
    """List what is past the budget of a reading."""
    places = [footer_value(item.place or item.key) for item in items]
    more = f", and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    wait = "waits" if len(places) == 1 else "wait"
    text = f"{len(places)} more from {source} {wait} to be taken in: {', '.join(places[:_NAMED])}{more}."
    return _thread(f"rest-of-{source}-{version_id(text)}", text)


def _thread(id: str, text: str, *footers: tuple[str, str]) -> FactCreated:
    return FactCreated(id, text, " ", (("kind", THREAD_KIND), *footers))
