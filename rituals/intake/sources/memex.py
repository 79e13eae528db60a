"""Read a memex: atomic facts in `items.json` of an entity each, daily notes, and a `MEMORY.md`.

The folder of an entity names what its facts are about. A fact that another one took the place of says so
(`supersededBy`): both come in, and the one supersedes the other.
"""

from __future__ import annotations

import json
import os

from ledger.model.order import is_date
from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources.notes import begun, distinct, front_matter, passages
from rituals.intake.sources.object_items import ITEMS_LIMIT, item_of
from rituals.intake.sources.source_files import Left, files_at, files_below, text_of, written_at
from rituals.intake.sources.source_table import Ground

#: Folders of a project that are a memex by their name.
_FOLDERS = ("life", ".memory-3layer", "memex", ".memex")
_FACTS, _SUMMARY, _LONG = "items.json", "summary.md", "MEMORY.md"


def places(ground: Ground) -> tuple[str, ...]:
    """Return the folders of this project that have such facts."""
    folders = [f"{ground.project}/{name}" for name in _FOLDERS]
    return tuple([one for one in folders if os.path.isdir(one) and files_below(one, [], _FACTS)])


def read(place: str, ground: Ground, left: Left) -> list[Item]:
    """Read a folder of entities and notes, or one file of it."""
    items: list[Item] = []
    for name, path in files_at(place, left, _FACTS, ".md"):
        base = os.path.basename(name)
        text = text_of(path, name, left)
        day = base.removesuffix(".md")
        if text is None:
            continue
        if base.endswith(".json"):
            items += _facts(text, name, left)
        elif is_date(day):
            items += _notes(text, name, day)
        elif base == _LONG:
            items += _notes(text, name, written_at(path))
        elif base == _SUMMARY:
            left.append(LeftOut(name, "it sums up the facts beside it"))
        else:
            left.append(LeftOut(name, "it is neither facts nor a daily note"))
    return distinct(items[:ITEMS_LIMIT])


def _facts(text: str, path: str, left: Left) -> list[Item]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        left.append(LeftOut(path, "it is no JSON"))
        return []
    if isinstance(said, dict):
        said = said.get("items") or said.get("facts")
    if not isinstance(said, list):
        left.append(LeftOut(path, "it holds no list of facts"))
        return []
    entity = os.path.dirname(path)
    items: dict[str, Item] = {}
    successors: dict[str, list[str]] = {}
    for number, one in enumerate(said, 1):
        place = f"{path}:{number}"
        new = one.get("supersededBy") if isinstance(one, dict) else None
        if isinstance(new, str) and new and isinstance(one, dict):
            one = {**one, "status": ""}
        made = item_of(one, place)
        if isinstance(made, LeftOut):
            left.append(made)
            continue
        key = f"{entity}/{made.key}"
        if isinstance(new, str) and new:
            successors.setdefault(f"{entity}/{new}", []).append(key)
        about = made.entity or os.path.basename(entity)
        tags = (*made.tags, made.kind) if made.kind else made.tags
        items[key if key not in items else f"{key} {number}"] = made._replace(
            key=key, kind="fact", entity=about, tags=tags
        )
    return [
        one._replace(replaces=(*one.replaces, *successors.get(key, ())))
        for key, one in items.items()
    ]


def _notes(text: str, path: str, at: str) -> list[Item]:
    _, body, first = front_matter(text)
    return [
        Item(
            f"{path}#{begun(one.text)}", one.text, "thread" if one.mark else "fact", at, "",
            f"{path}:{one.line}", tags=one.headings[-1:], closed=one.mark == "x",
        )
        for one in passages(body, first)
    ]  # fmt: skip
