"""Write the threads of an intake: what contradicts, what changed on both sides, what had to wait."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.model.event import FactCreated
from ledger.model.ids import version_id
from memory.write.birth_footers import footer_value
from projection.brief.single_line import shortened
from projection.compare.pair_comparison import CONTRADICTION, Opposition
from projection.lifecycle.review_threads import raising
from projection.policy.model import THREAD_KIND
from rituals.intake.intake_items import Item

#: So many documents are named in the thread of what is past the budget.
_NAMED = 20
_QUOTED_CHARS = 300


def contradiction(found: Opposition) -> FactCreated:
    """Ask which of two facts holds, in the thread by which a review would ask it."""
    text = f"{found.asked}\n- by the rule {found.rule}"
    return raising(CONTRADICTION, found.key, (found.one, found.two), text)


def asking(id: str, version: str) -> str:
    """Return the id of the thread that asks about a fact that both sides changed.

    `version` is that of the text that the source has.
    """
    return f"changed-twice-{version_id(f'{id} {version}')}"


def changed_twice(source: str, id: str, text: str) -> FactCreated:
    """Ask what holds of a fact that was changed here and in its source, which now has `text`."""
    said = shortened(footer_value(text), _QUOTED_CHARS)
    asked = (
        f"`{id}` was changed here and in {source} since it was taken in. What does hold? "
        f'{source} has now: "{said}"'
    )
    return _thread(asking(id, version_id(text)), asked, ("about", id))


def denied(id: str, document: str) -> FactCreated:
    """Ask what holds of an accepted decision that memory calls false.

    `id` is of the fact that says the same, and is false; `document` has the decision.
    """
    path = footer_value(document)
    asked = f"`{id}` is false here, and {path} has it as an accepted decision. What does hold?"
    return _thread(f"denied-{version_id(f'{id} {path}')}", asked, ("about", id))


def rest(source: str, items: Sequence[Item]) -> FactCreated:
    """List what is past the budget of a reading: the documents that have it, with how much of it."""
    places: dict[str, list[str]] = {}
    for item in items:
        place = footer_value(item.place).partition("@")[0]
        path, _, line = place.rpartition(":")
        places.setdefault(path if line.isdigit() and path else place, []).append(place)
    names = [f"{one} ({len(some)})" if some[1:] else some[0] for one, some in places.items()]
    more = f", and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    wait = "waits" if len(items) == 1 else "wait"
    text = (
        f"{len(items)} more from {source} {wait} to be taken in: {', '.join(names[:_NAMED])}{more}."
    )
    return _thread(f"rest-of-{source}-{version_id(text)}", text)


def is_rest(id: str, source: str) -> bool:
    """Tell whether an id is that of a thread that lists what of a source had to wait."""
    start = f"rest-of-{source}-"
    return id.startswith(start) and "-" not in id[len(start) :]


def _thread(id: str, text: str, *footers: tuple[str, str]) -> FactCreated:
    return FactCreated(id, text, " ", (("kind", THREAD_KIND), *footers))
