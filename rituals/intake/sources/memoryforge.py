"""Read MemoryForge: the folder `.mind` of a project, with decisions, progress and state in markdown."""

from __future__ import annotations

import os
import re

from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources.notes import Passage, begun, distinct, passages
from rituals.intake.sources.source_files import Left, files_at, text_of, written_at
from rituals.intake.sources.source_table import Ground
from rituals.intake.sources.store_values import time_of

_FOLDER = ".mind"
_DECISIONS, _PROGRESS, _STATE = "DECISIONS.md", "PROGRESS.md", "STATE.md"
#: What tells of sessions, or of what the tool does, and states no fact.
_TOLD = {
    "SESSION-LOG.md": "it tells of sessions",
    "SESSION.md": "it tells of a session",
    "ARCHIVE.md": "it tells of sessions",
    "checkpoints.md": "it tells of sessions",
}
_DECISION = re.compile(r"\A(DEC-\d{1,9})\b[:\s—–-]*(.*)\Z", re.DOTALL)
_FIELD = re.compile(r"\A\*{0,2}([A-Za-z ]{1,30}?)\s*:\*{0,2}\s*(.*)\Z", re.DOTALL)
_DONE = re.compile(r"\s*\(completed (\d{4}-\d\d-\d\d)\)\s*\Z")
_REPLACED = re.compile(r"superse?ded by (DEC-\d{1,9})", re.IGNORECASE)
#: Sections of the state that say what is open.
_OPEN = frozenset(("blocked items", "next action", "blockers", "next steps"))
_NOTHING = frozenset(("none", "none.", "not set", "n/a", "nothing", "tbd", "-"))


def places(ground: Ground) -> tuple[str, ...]:
    """Return the folder of this project."""
    folder = f"{ground.project}/{_FOLDER}"
    return (folder,) if os.path.isdir(folder) else ()


def read(place: str, ground: Ground, left: Left) -> list[Item]:
    """Read a folder `.mind`, or a project that has one."""
    if os.path.isdir(f"{place}/{_FOLDER}"):
        place = f"{place}/{_FOLDER}"
    items: list[Item] = []
    for name, path in files_at(place, left, ".md"):
        base = os.path.basename(name)
        text = text_of(path, name, left)
        if text is None:
            continue
        if base in _TOLD:
            left.append(LeftOut(name, _TOLD[base]))
        elif base == _DECISIONS:
            items += _decisions(passages(text), name)
        else:
            made = [_item(one, name, base, written_at(path)) for one in passages(text)]
            items += [item for item in made if item]
    return distinct(items)


def _decisions(found: list[Passage], path: str) -> list[Item]:
    """Read decisions: a heading each, with fields below."""
    groups: dict[str, list[Passage]] = {}
    for one in found:
        if one.headings and _DECISION.match(one.headings[-1]):
            groups.setdefault(one.headings[-1], []).append(one)
    items: list[Item] = []
    replaced: dict[str, list[str]] = {}
    for heading, group in groups.items():
        named = _DECISION.match(heading)
        assert named is not None
        fields = {
            field[1].strip().lower(): field[2].strip()
            for one in group
            if (field := _FIELD.match(one.text))
        }
        status = fields.get("status", "")
        said = fields.get("decision") or named[2].strip()
        why = fields.get("rationale", "")
        text = said if not why or why.lower() == "not specified" else f"{said}\n\n**Why:** {why}"
        successor = _REPLACED.search(status)
        if successor is not None:
            replaced.setdefault(successor[1].upper(), []).append(named[1])
        title = named[2].strip()
        if title and title.lower() not in said.lower():
            text = f"{title}: {text}"
        items.append(
            Item(
                named[1], text, "thread" if status.lower().startswith("pending") else "decision",
                time_of(fields.get("date", "")), fields.get("decided by", ""),
                f"{path}:{group[0].line}",
            )
        )  # fmt: skip
    return [item._replace(replaces=tuple(replaced.get(item.key, ()))) for item in items]


def _item(one: Passage, path: str, name: str, at: str) -> Item | None:
    """Make an item of a passage of progress, state, or another note."""
    section = one.headings[-1] if one.headings else ""
    done = _DONE.search(one.text)
    text = _DONE.sub("", one.text)
    kind = "fact"
    if name == _STATE:
        if section.lower() not in _OPEN or text.strip().lower() in _NOTHING:
            return None
        kind = "thread"
    elif name == _PROGRESS or one.mark:
        if not one.mark:
            return None
        kind = "thread"
    return Item(
        f"{path}#{begun(text)}", text, kind, done[1] if done else at, "", f"{path}:{one.line}",
        tags=(section,) if section and name != _STATE else (), closed=one.mark == "x",
    )  # fmt: skip
