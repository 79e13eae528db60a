"""Read the auto memory that Claude Code keeps of a project.

It lies in the user's folder, in `projects/SLUG/memory`: `MEMORY.md` is an index, a line for each memory;
each memory is a file with front matter (`name`, `description`, and a type, that older ones have at the top
and newer ones below `metadata`). What is of the type `user` is about the person. A page without front
matter comes in by its sections, each whole and with its heading.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.markdown_sections import front_matter, sections
from rituals.intake.sources import Ground, Left, from_json, mapping, pages_at, time_of

_AUTHOR = "claude-code"
_INDEX = "MEMORY.md"
_FOLDER_VARIABLE = "CLAUDE_CONFIG_DIR"
#: What the types of a memory are here; `user` is personal beside that.
_KINDS = {"feedback": "convention", "project": "fact", "reference": "fact", "user": "fact"}
#: Where a memory says when it was written; the time of its file, where it does not.
_TIMES = ("created", "metadata.created", "metadata.modified", "modified")
_POINTER = re.compile(r"\s*[-*+]\s+[*_]*\[[^\]\n]{0,300}\]\(([^)\s]{1,300}\.md)\)")
#: A slug is cut there, and goes on with a hash that nobody else can make.
_SLUG_CHARS = 200
_LOOKED_AT = 20
_HEAD_BYTES = 64 << 10


def places(ground: Ground) -> tuple[str, ...]:
    """Return the auto memory of this project; nothing where it is another project's."""
    base = ground.variables.get(_FOLDER_VARIABLE, "") or f"{ground.user}/.claude"
    slug = re.sub(r"[^A-Za-z0-9]", "-", ground.project)
    folder = f"{base}/projects/{slug}"
    if len(slug) > _SLUG_CHARS or not os.path.isdir(f"{folder}/memory"):
        return ()
    # several paths have one slug: the transcripts beside it say whose it is
    said = _folders_in(folder)
    ours = [one for one in said if one == ground.project or one.startswith(ground.project + "/")]
    return (f"{folder}/memory",) if ours or not said else ()


def read(place: str, ground: Ground, left: Left) -> Iterator[Item]:
    """Read a folder of auto memory, or one file of it."""
    folder, only = (place, "") if os.path.isdir(place) else os.path.split(place)
    if only.startswith("CLAUDE") or not os.path.lexists(f"{folder}/{_INDEX}"):
        left.append(LeftOut(only or place, f"it is no auto memory: that has a {_INDEX}"))
        return
    for name, text, written in pages_at(place, left):
        if os.path.basename(name) == _INDEX:
            text = _without_pointers(text, name, folder, left)
        yield from _of_memory(text, name, written)


def _folders_in(folder: str) -> list[str]:
    """Return the working folders that some transcripts name, the first of each."""
    found: list[str] = []
    names = sorted([name for name in os.listdir(folder) if name.endswith(".jsonl")])
    for name in names[:_LOOKED_AT]:
        try:
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(f"{folder}/{name}", flags), "rb") as file:
                lines = file.read(_HEAD_BYTES).decode("utf-8", "replace").split("\n")[:-1]
        except OSError:
            continue
        said = [mapping(from_json(line)).get("cwd") for line in lines]
        found += [where for where in said if isinstance(where, str)][:1]
    return found


def _without_pointers(text: str, name: str, folder: str, left: Left) -> str:
    """Return the index without the lines that point to a memory: these are that memory's."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        pointer = _POINTER.match(line)
        if pointer is None:
            continue
        lines[number] = ""
        if not os.path.lexists(os.path.join(folder, pointer[1])):
            left.append(
                LeftOut(f"{name}:{number + 1}", f"it points to {pointer[1]}, which is gone")
            )
    return "\n".join(lines)


def _of_memory(text: str, name: str, at: str) -> Iterator[Item]:
    """Read one memory: as one fact where front matter says of which type, else by its sections."""
    said, body, first = front_matter(text)
    type = (said.get("metadata.type") or said.get("type", "")).lower()
    at = next((time for key in _TIMES if (time := time_of(said.get(key, "")))), at)
    title = said.get("description") or said.get("name", "")
    if type or title:
        yield Item(
            f"memory/{name}", body.strip() or title, _KINDS.get(type, "fact"), at, _AUTHOR,
            f"{name}:{first}", tags=(type,) if type else (), personal=type == "user",
        )  # fmt: skip
        return
    for one in sections(body, first):
        if one.text:
            heading = " / ".join(one.titles)
            told = one.text if "\n" in one.text else one.text.removeprefix("- ")
            told = f"{heading}:\n\n{one.text}" if heading else told
            yield Item(f"{name}#{heading}", told, "fact", at, _AUTHOR, f"{name}:{one.line}")
