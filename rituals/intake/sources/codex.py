"""Read Codex: the memories that it consolidates, in `memories/MEMORY.md` of its folder.

That handbook tells of all projects, in blocks: `# Task Group: …`, with a line `applies_to: cwd=…`. A block
is taken when it applies to this project; one that names no folder is taken when the user named the file.
Below, `## Reusable knowledge` and `## Failures and how to do differently` are facts, `## User preferences`
is about the person, and `## Task n` only says which sessions it came from, and when.
"""

from __future__ import annotations

import os
import re

from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources.notes import Passage, begun, distinct, passages
from rituals.intake.sources.source_files import Left, text_of, written_at
from rituals.intake.sources.source_table import Ground
from rituals.intake.sources.store_values import time_of

_AUTHOR = "codex"
_HANDBOOK, _FOLDER = "MEMORY.md", "memories"
_FOLDER_VARIABLE = "CODEX_HOME"
_GROUP = "task group:"
_APPLIES = re.compile(r"^applies_to:\s*cwd=([^;\n]{1,1000})", re.MULTILINE)
_UPDATED = re.compile(r"updated_at=([0-9TZ:.+-]{10,40})")
_TASKS = re.compile(r"(?:\s*\[Task \d{1,4}\])+\s*\Z")
_PATH = re.compile(r"/[^\s,;`'\"()]{1,500}")
_PREFERENCES = "user preferences"
_TAGS = {"failures and how to do differently": ("failure",)}
#: What holds the same once more: before it was consolidated, or in short.
_BESIDE = {
    "raw_memories.md": "it is what MEMORY.md was made of",
    "memory_summary.md": "it sums up MEMORY.md",
}


def places(ground: Ground) -> tuple[str, ...]:
    """Return the user's handbook."""
    base = ground.variables.get(_FOLDER_VARIABLE, "") or f"{ground.user}/.codex"
    path = f"{base}/{_FOLDER}/{_HANDBOOK}"
    return (path,) if os.path.isfile(path) else ()


def read(place: str, ground: Ground, left: Left) -> list[Item]:
    """Read a handbook, or the folder that has it."""
    named = place not in places(ground)
    if os.path.isdir(place):
        left += [
            LeftOut(name, why) for name, why in _BESIDE.items() if os.path.isfile(f"{place}/{name}")
        ]
        below = f"{place}/{_FOLDER}/{_HANDBOOK}"
        place = below if os.path.isfile(below) else f"{place}/{_HANDBOOK}"
        if os.path.islink(place):
            left.append(LeftOut(_HANDBOOK, "it is a link"))
            return []
    name = os.path.basename(place)
    blocks: dict[str, list[Passage]] = {}
    for one in passages(text_of(place, name, left) or ""):
        blocks.setdefault(one.headings[0] if one.headings else "", []).append(one)
    items: list[Item] = []
    for title, block in blocks.items():
        if _applies(block, ground, named):
            items += _block(title, block, name, written_at(place))
        else:
            left.append(LeftOut(f"{name}:{block[0].line}", "it applies to another folder"))
    return distinct(items)


def _applies(block: list[Passage], ground: Ground, named: bool) -> bool:
    said = next((found[1] for one in block if (found := _APPLIES.search(one.text))), "")
    folders = [path.rstrip("/.") for path in _PATH.findall(said)]
    project = ground.project
    ours = [one for one in folders if one == project or one.startswith(project + "/")]
    return bool(ours) or (named and not folders)


def _block(title: str, block: list[Passage], name: str, at: str) -> list[Item]:
    """Read the facts of one block; they are as old as the first session that it came from."""
    seen = [time for one in block for said in _UPDATED.findall(one.text) if (time := time_of(said))]
    at = min(seen, default=at)
    group = title[len(_GROUP) :].strip() if title.lower().startswith(_GROUP) else title
    items = []
    for one in block:
        section = one.headings[1].lower() if len(one.headings) > 1 else ""
        text = _TASKS.sub("", one.text)
        if not one.bullet or not section or section.startswith("task ") or not text:
            continue
        items.append(
            Item(
                f"{group}#{section} {begun(text)}", text, "fact", at, _AUTHOR,
                f"{name}:{one.line}", tags=_TAGS.get(section, ()), personal=section == _PREFERENCES,
            )
        )  # fmt: skip
    return items
