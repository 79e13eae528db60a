"""Read Claude Code: the auto memory that it keeps of a project, and the rules of its CLAUDE.md.

Auto memory lies in the user's folder, in `projects/SLUG/memory`: `MEMORY.md` is an index, a line for each
memory; each memory is a file with front matter (`name`, `description`, and a type, that older ones have
at the top and newer ones below `metadata`). What is of the type `user` is about the person. CLAUDE.md is
rules by heading; what it imports with `@path` is read as far as it lies in the project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ledger.environment import user_folder
from rituals.intake.intake_cues import kind_of_bullet
from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources.notes import Passage, begun, distinct, front_matter, passages
from rituals.intake.sources.source_files import Left, files_below, text_of, written_at
from rituals.intake.sources.source_table import Ground
from rituals.intake.sources.store_values import from_json, mapping, time_of

_AUTHOR = "claude-code"
_INDEX = "MEMORY.md"
_RULES = ("CLAUDE.md", ".claude/CLAUDE.md")
_LOCAL = "CLAUDE.local.md"
_FOLDER_VARIABLE = "CLAUDE_CONFIG_DIR"
#: What the types of a memory are here; `user` is personal beside that.
_KINDS = {"feedback": "convention", "project": "fact", "reference": "fact", "user": "fact"}
#: Where a memory says when it was written; the time of its file, where it does not.
_TIMES = ("created", "metadata.created", "metadata.modified", "modified")
_POINTER = re.compile(r"\A[*_]*\[[^\]\n]{0,300}\]\(([^)\s]{1,300}\.md)\)")
_IMPORT = re.compile(r"(?<![^\s])@([^\s`]{1,300})")
_IMPORT_HOPS = 5
#: What Diurna itself writes: its rule for agents, and the end of a page of its own.
_OWN = re.compile(r"<!-- diurna:begin [^\n]*-->.*?<!-- diurna:end -->", re.DOTALL)
_PAGE = "<!-- diurna: format "
#: A slug is cut there, and goes on with a hash that nobody else can make.
_SLUG_CHARS = 200
_FENCES = ("```", "~~~")
_LOOKED_AT = 20
_HEAD_BYTES = 64 << 10


def places(ground: Ground) -> tuple[str, ...]:
    """Return the auto memory of this project, and its files of rules."""
    found = [place for place in (_memory_of(ground),) if place]
    rules = [f"{ground.project}/{name}" for name in (*_RULES, _LOCAL)]
    return (*found, *[path for path in rules if os.path.isfile(path)])


def read(place: str, ground: Ground, left: Left) -> list[Item]:
    """Read a folder of auto memory, or a file of rules."""
    folder, name = os.path.split(place)
    if os.path.isdir(place):
        if os.path.isfile(f"{place}/{_INDEX}") or not os.path.isfile(f"{place}/CLAUDE.md"):
            return distinct(_auto_memory(place, (), left))
        place = f"{place}/CLAUDE.md"
    elif place.endswith(".md") and not name.startswith("CLAUDE"):
        return distinct(_auto_memory(folder, (name,), left))
    return distinct(_rules(place, ground, left))


def _memory_of(ground: Ground) -> str:
    """Find the auto memory of a project; "" where there is none, or it is another project's."""
    base = ground.variables.get(_FOLDER_VARIABLE, "") or f"{ground.user}/.claude"
    slug = re.sub(r"[^A-Za-z0-9]", "-", ground.project)
    folder = f"{base}/projects/{slug}"
    if len(slug) > _SLUG_CHARS or not os.path.isdir(f"{folder}/memory"):
        return ""
    # several paths have one slug: the transcripts beside it say whose it is
    said = _folders_in(folder)
    ours = [one for one in said if one == ground.project or one.startswith(ground.project + "/")]
    return f"{folder}/memory" if ours or not said else ""


def _folders_in(folder: str) -> list[str]:
    """Return the working folders that some transcripts name, the first of each."""
    found: list[str] = []
    names = sorted([name for name in os.listdir(folder) if name.endswith(".jsonl")])
    for name in names[:_LOOKED_AT]:
        lines = _head_of(f"{folder}/{name}").split("\n")[:-1]
        said = [mapping(from_json(line)).get("cwd") for line in lines]
        found += [where for where in said if isinstance(where, str)][:1]
    return found


def _head_of(path: str) -> str:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(fd, "rb") as file:
        return file.read(_HEAD_BYTES).decode("utf-8", "replace")


def _auto_memory(folder: str, only: tuple[str, ...], left: Left) -> list[Item]:
    names = files_below(folder, left, ".md")
    items: list[Item] = []
    for name in only or names:
        path = f"{folder}/{name}"
        text = text_of(path, name, left)
        if text is not None and os.path.basename(name) == _INDEX:
            items += _of_index(text, name, written_at(path), frozenset(names), left)
        elif text is not None:
            items += _of_memory(text, name, written_at(path))
    return items


def _of_index(text: str, name: str, at: str, names: frozenset[str], left: Left) -> list[Item]:
    """Read what stands in the index itself; a line that points to a memory is that memory's."""
    _, body, first = front_matter(text)
    items = []
    for one in passages(body, first):
        pointer = _POINTER.match(one.text)
        if pointer is None:
            items.append(_item(name, one, at, "fact"))
        elif pointer[1].removeprefix("./") not in names:
            left.append(LeftOut(f"{name}:{one.line}", f"it points to {pointer[1]}, which is gone"))
    return items


def _of_memory(text: str, name: str, at: str) -> list[Item]:
    """Read one memory: as one fact where front matter says of which type, else passage by passage."""
    said, body, first = front_matter(text)
    type = (said.get("metadata.type") or said.get("type", "")).lower()
    at = next((time for key in _TIMES if (time := time_of(said.get(key, "")))), at)
    if not type and not said.get("description"):
        return [_item(name, one, at, "fact") for one in passages(body, first)]
    title = said.get("description") or said.get("name", "")
    return [
        Item(
            f"memory/{name}", body.strip() or title, _KINDS.get(type, "fact"), at, _AUTHOR,
            f"{name}:{first}", tags=(type,) if type else (), personal=type == "user",
        )
    ]  # fmt: skip


def _rules(path: str, ground: Ground, left: Left) -> Iterator[Item]:
    """Read a file of rules, and those that it imports from inside the project."""
    todo, seen = [(path, 0)], {os.path.realpath(path)}
    for path, hops in todo:  # which grows
        name = os.path.relpath(path, ground.project)
        name = path if name.startswith("..") else name
        text = text_of(path, name, left)
        if text is None:
            continue
        if _PAGE in text:
            left.append(LeftOut(name, "it is a page of this memory"))
            continue
        if (own := _OWN.search(text)) is not None:
            line = text.count("\n", 0, own.start()) + 1
            left.append(LeftOut(f"{name}:{line}", "`diurna install` put it there"))
            text = _OWN.sub(lambda found: "\n" * found[0].count("\n"), text)
        local = os.path.basename(path) == _LOCAL
        for one in passages(text, alone=lambda line: _IMPORT.fullmatch(line) is not None):
            kind = kind_of_bullet(one.text) if one.bullet else "fact"
            imported = _IMPORT.fullmatch(one.text)
            if imported is None:
                yield _item(name, one, "", kind)._replace(author="", personal=local)
                continue
            start = user_folder() if imported[1].startswith("~/") else os.path.dirname(path)
            there = os.path.join(start, imported[1].removeprefix("~/"))
            real, top = os.path.realpath(there), os.path.realpath(ground.project)
            if not real.startswith(top + os.sep):
                why = f"it imports {imported[1]}, which lies outside of the project"
                left.append(LeftOut(f"{name}:{one.line}", why))
            elif real not in seen and hops < _IMPORT_HOPS:
                seen.add(real)
                todo.append((there, hops + 1))


def _item(name: str, one: Passage, at: str, kind: str) -> Item:
    """Make an item of a passage; it is known by its heading and its first words."""
    titles = one.headings[1:] if len(one.headings) > 1 else one.headings
    text = f"{titles[-1]}:\n\n{one.text}" if titles and one.text[:3] in _FENCES else one.text
    return Item(
        f"{name}#{'/'.join(titles)} {begun(one.text)}", text, "thread" if one.mark else kind, at, _AUTHOR,
        f"{name}:{one.line}", tags=titles[-1:], closed=one.mark == "x",
    )  # fmt: skip
