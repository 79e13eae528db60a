"""Compare one bullet of a rendered file with what a person made of it: its text, and its footer."""

from __future__ import annotations

from ledger.codec.fact_blocks import tidy
from ledger.model.ids import version_id
from projection.document.frame import COMPUTED
from projection.document.page_renderer import COMPUTED_KEYS
from projection.document.reflow import flowed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from projection.document.page_parser import Block

    #: Notes a finding: what is wrong, its line, and what to do.
    Find = Callable[[str, int, str], None]


def new_text(before: Block, after: Block, find: Find) -> tuple[str, tuple[str, ...]]:
    """Return the text that is to stand and the versions it replaces; "" if nothing changed."""
    if not before.versions:
        text = tidy(after.text)
        if after.versions:
            hint = "several versions are what Diurna finds; write one text"
            find(f"{before.id} has several versions now", after.line, hint)
        elif not text:
            hint = "to say that it does not hold any more, take the bullet away, footer and all"
            find(f"{before.id} has no text any more", after.line, hint)
        elif flowed(text) != flowed(before.text):
            return text, (version_id(before.text),)
        return "", ()
    old = {version.id: version for version in before.versions}
    if not after.versions:
        if after.text == before.text and not after.footer:
            return "", ()
        return tidy(after.text), tuple(old)
    ids = [version.id for version in after.versions]
    texts = {id: flowed(version.text) for id, version in old.items()}
    changed = [one for one in after.versions if texts.get(one.id) != flowed(one.text)]
    gone = tuple(id for id in old if id not in ids)
    if not changed and not gone:
        return "", ()
    if len(changed) > 1 or any(one.id not in old for one in changed) or len(set(ids)) < len(ids):
        hint = "leave one text: take the others away, or write one in place of them all"
        find(f"what is to stand of {before.id} can not be told", after.line, hint)
        return "", ()
    stands = (changed or after.versions)[0]
    return tidy(stands.text), (stands.id, *gone)


def new_meta(before: Block, after: Block, find: Find) -> tuple[tuple[str, str], ...]:
    """Return the footer values that are new; `kind` and `tier` are read elsewhere."""
    if not after.footer:  # the whole footer was taken away: it comes back
        return ()
    new = []
    for key, value in after.footer:
        if key in ("id", "kind", "tier", "") or before.get(key) == value:
            continue
        if key == "supersedes":
            hint = "say it with `diurna append --supersede OLD=NEW`"
            find(f"`supersedes` of {before.id} was changed", after.line, hint)
        elif key in COMPUTED_KEYS:
            find(f"`{key}` of {before.id} was changed", after.line, COMPUTED)
        elif not value:
            find(f"`{key}` of {before.id} has no value", after.line, "give it one")
        else:
            new.append((key, value))
    said = {key for key, _ in after.footer}
    for key, _ in before.footer:
        if key not in said and key not in COMPUTED_KEYS and key != "supersedes":
            hint = "a value can be changed and not taken back; put it there again"
            find(f"`{key}` of {before.id} was taken away", after.line, hint)
    return tuple(new)
