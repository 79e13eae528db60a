"""Bring the texts that an item had before it was taken in, as versions of its fact.

A log has one text of a fact: the first is born, each further one is an update in a log behind that. Every
step says which text was taken in so far, so an intake that stops half-way goes on the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ledger.model.event import FactCreated, FactUpdated
from ledger.model.ids import version_id
from rituals.intake.known_items import IMPORTED


def in_steps(
    brought: Iterable[tuple[FactCreated, Sequence[str]]],
) -> tuple[list[FactCreated], list[list[FactUpdated]]]:
    """Return births with the first texts, and for each further text of any the updates to it.

    `brought` has births with the texts of now, and for each the texts before that, oldest first.
    """
    births: list[FactCreated] = []
    updates: list[list[FactUpdated]] = []
    for now, before in brought:
        texts = [text for text in dict.fromkeys(before) if text != now.text]
        steps = [*[_with_text(now, text) for text in texts], now]
        births.append(steps[0])
        for number, (old, new) in enumerate(pairwise(steps)):
            if number == len(updates):
                updates.append([])
            updates[number].append(update_to(new, (version_id(old.text or ""),)))
    return births, [sorted(step, key=lambda one: one.id) for step in updates]


def update_to(event: FactCreated, was: tuple[str, ...]) -> FactUpdated:
    """Return the update by which a fact gets the text that its source has by now."""
    kept = tuple([pair for pair in event.meta if pair[0] in ("source", IMPORTED)])
    return FactUpdated(event.id, event.text, was, meta=kept)


def _with_text(event: FactCreated, text: str) -> FactCreated:
    meta = [(key, value if key != IMPORTED else version_id(text)) for key, value in event.meta]
    return event._replace(text=text, meta=tuple(meta))
