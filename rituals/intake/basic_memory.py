"""Read the notes of basic-memory: markdown files of which each is about one thing.

Its observations (`- [category] what is so #tag (context)`) become facts about the note's title, and what
it relates to becomes one more. A note without observations is one fact, where it is short. The date is
what the note says of itself, else that of its file.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator

from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.markdown_sections import front_matter
from rituals.intake.sources import (
    Ground,
    Left,
    from_json,
    mapping,
    pages_at,
    tag_words,
    text_of,
    time_of,
)

#: What its categories are here. One that is not here makes a plain fact, and stays as a tag.
_KINDS = {
    "decision": "decision", "adr": "decision", "convention": "convention", "rule": "convention",
    "invariant": "invariant", "pattern": "pattern", "stack": "stack", "tech": "stack", "tool": "stack",
    "preference": "preference", "todo": "thread", "task": "thread", "question": "thread", "open": "thread",
    "next": "thread", "action": "thread", "reference": "reference", "link": "reference",
}  # fmt: skip
_OBSERVATION = re.compile(r"[ \t]*[-*] \[([^\[\]()]{1,60})\](?!\() ?(\S.*)")
_RELATION = re.compile(r"[ \t]*[-*] ([^\[\]]{0,80})\[\[([^\[\]]{1,200})\]\]")
_HEADING = re.compile(r"\n*^#+ *(Relations|Observations) *$", re.MULTILINE)
_TAG = re.compile(r"(?:^|(?<=\s))#([\w/-]{1,60})")
_WORD = re.compile(r"[^\W\d]+")
_FENCE = re.compile(r" {0,3}(```|~~~)")
#: In brackets these are the box of a list of things to do.
_BOXES = frozenset((" ", "x", "X", "-", "/", ">", "?", "!"))
_PROSE_CHARS = 2_000  #: more is a document
_LINE_CHARS, _KEY_WORDS = 4_000, 5


def places(ground: Ground) -> tuple[str, ...]:
    """Return the projects of basic-memory that lie in this one, by its settings."""
    settings = text_of(f"{ground.user}/.basic-memory/config.json", "", []) or ""
    projects = mapping(mapping(from_json(settings)).get("projects")).values()
    named = [str(mapping(one).get("path", one)) for one in projects]
    inside = [path for path in named if f"{path}/".startswith(f"{ground.project}/")]
    return tuple(sorted(filter(os.path.isdir, inside)))


def read(place: str, ground: Ground, left: Left) -> Iterator[Item]:
    """Read the notes of a project.

    `place` is the project's folder, as `basic-memory project list` shows it; or one note.
    """
    for file, whole, written in pages_at(place, left):
        front, body, first = front_matter(whole)
        if front.get("type") == "schema":
            left.append(LeftOut(file, "says what notes look like"))
            continue
        title = front.get("title") or file.rsplit("/", 1)[-1].removesuffix(".md")
        said = [time_of(front.get(key, "")) for key in ("modified", "updated", "created", "date")]
        tags = tag_words(tuple(front.get("tags", "").split(",")))
        at = next(filter(None, said), written)
        # what all items of a note have in common
        note = Item(file, title, "", at, front.get("author", ""), file, title[:200], tags)
        observations, relations = _lines(body)
        seen = Counter[str]()
        for number, category, text in observations:
            item = _observation(note, category, text)._replace(place=f"{file}:{first + number}")
            seen[item.key] += 1
            again = f"-{seen[item.key]}" if seen[item.key] > 1 else ""
            yield item._replace(key=item.key + again)
        if relations:
            told = f"{title}: {'; '.join(dict.fromkeys(relations))}."
            yield note._replace(key=f"{file} relations", text=told, kind="reference")
        if not observations:
            yield from _prose(note._replace(place=f"{file}:{first}"), body, left)


def _lines(body: str) -> tuple[list[tuple[int, str, str]], list[str]]:
    """Return the observations of a note, as (line, category, text), and its relations."""
    observations: list[tuple[int, str, str]] = []
    relations: list[str] = []
    fence = ""
    for number, line in enumerate(body.split("\n")):
        opened = _FENCE.match(line)
        if opened and (not fence or opened[1] == fence):
            fence = "" if fence else opened[1]
        if fence or len(line) > _LINE_CHARS:
            continue
        if (found := _OBSERVATION.match(line)) and found[1] not in _BOXES:
            observations.append((number, found[1].strip(), found[2].strip()))
        elif related := _RELATION.match(line):
            how = related[1].strip().strip("\"'").replace("_", " ") or "relates to"
            relations.append(f"{how} {related[2].strip()}")
    return observations, relations


def _observation(note: Item, category: str, said: str) -> Item:
    word, text = category.lower(), " ".join(_TAG.sub("", said).split())
    kind = _KINDS.get(word) or _KINDS.get(word.removesuffix("s"), "")
    # by its first words: what stands above it may grow, and its end and its numbers may change
    words = _WORD.findall(f"{category} {text}".lower())[:_KEY_WORDS]
    tags = tag_words((*(() if kind else (category,)), *note.tags, *_TAG.findall(said)))
    key = f"{note.key} {'-'.join(words)}"
    return note._replace(key=key, text=text, kind=kind, tags=tags, personal=kind == "preference")


def _prose(note: Item, body: str, left: Left) -> Iterator[Item]:
    """Yield a short note without observations as one fact."""
    lines = body.strip().split("\n")
    if lines[0].lstrip("# ").strip().lower() == note.entity.lower():
        lines = lines[1:]
    text = _HEADING.sub("", "\n".join([one for one in lines if not _RELATION.match(one)])).strip()
    if len(text) > _PROSE_CHARS:
        left.append(LeftOut(note.key, "a document: `diurna recall --in docs` finds it"))
    elif text:
        yield note._replace(text=f"{note.entity}: {text}")
