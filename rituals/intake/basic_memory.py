"""Read the notes of basic-memory: markdown files of which each is about one thing.

Its observations (`- [category] what is so #tag (context)`) become facts about the note's title, and what
it relates to becomes one more. A note without observations is one fact, where it is short. The date is
what the note says of itself, else that of its file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ledger.model.record import Record
from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.markdown_sections import front_matter
from rituals.intake.sources import (
    Ground,
    Left,
    files_below,
    from_json,
    mapping,
    tag_words,
    text,
    text_of,
    time_of,
    written_at,
)

#: What its categories are here. One that is not here makes a plain fact, and stays as a tag.
_KINDS = {
    "decision": "decision", "adr": "decision", "convention": "convention", "rule": "convention",
    "invariant": "invariant", "pattern": "pattern", "stack": "stack", "tech": "stack", "tool": "stack",
    "preference": "preference", "todo": "thread", "task": "thread", "question": "thread", "open": "thread",
    "next": "thread", "action": "thread", "reference": "reference", "link": "reference",
}  # fmt: skip
_PERSON = re.compile(
    r"(i|i'm|i’m|i'd|my name|name is|(the )?user('s|’s)?|prefers|likes|dislikes)\b", re.IGNORECASE
)
_OBSERVATION = re.compile(r"[ \t]*[-*] \[([^\[\]()]{1,60})\](?!\() ?(\S.*)")
_RELATION = re.compile(r"[ \t]*[-*] ([^\[\]]{0,80})\[\[([^\[\]]{1,200})\]\]")
_TAG = re.compile(r"(?:^|(?<=\s))#([\w/-]{1,60})")
_WORD = re.compile(r"[^\W\d]+")
_FENCE = re.compile(r" {0,3}(```|~~~)")
#: In brackets these are the box of a list of things to do.
_BOXES = frozenset((" ", "x", "X", "-", "/", ">", "?", "!"))
_PROSE_CHARS = 2_000  #: more is a document
_LINE_CHARS = 4_000
_KEY_WORDS = 5


class _Note(Record):
    """A note, and what its lines have in common."""

    file: str
    title: str
    at: str
    author: str
    tags: tuple[str, ...]


def places(ground: Ground) -> tuple[str, ...]:
    """Return the projects of basic-memory that lie in this one, by its settings."""
    settings = mapping(from_json(text_of(f"{ground.user}/.basic-memory/config.json", "", []) or ""))
    named = [
        text(mapping(one).get("path")) or text(one)
        for one in mapping(settings.get("projects")).values()
    ]
    inside = f"{ground.project}/"
    return tuple(
        sorted(path for path in named if f"{path}/".startswith(inside) and os.path.isdir(path))
    )


def read(place: str, ground: Ground, left: Left) -> Iterator[Item]:
    """Read the notes of a project.

    `place` is the project's folder, as `basic-memory project list` shows it; or one note.
    """
    folder, only = (place, "") if os.path.isdir(place) else os.path.split(place)
    for name in [only] if only else files_below(folder, left, ".md"):
        path, shown = f"{folder}/{name}", name.encode("utf-8", "replace").decode()
        whole = text_of(path, shown, left)
        if whole is not None:
            yield from _of_note(shown, whole, written_at(path), left)


def _of_note(file: str, whole: str, written: str, left: Left) -> Iterator[Item]:
    front, body, line = front_matter(whole)
    if front.get("type") == "schema":
        left.append(LeftOut(file, "says what notes look like"))
        return
    title = front.get("title") or file.rsplit("/", 1)[-1].removesuffix(".md")
    said = [time_of(front.get(key, "")) for key in ("modified", "updated", "created", "date")]
    at = next((one for one in said if one), written)
    tags = tuple(front.get("tags", "").split(","))
    note = _Note(file, title[:200], at, front.get("author", ""), tags)
    observations, relations = _lines(body)
    seen: dict[str, int] = {}
    for number, category, said_ in observations:
        yield _observation(note, line + number - 1, category, said_, seen)
    if relations:
        told = "; ".join(dict.fromkeys([f"{how} {what}" for how, what in relations]))
        yield Item(
            key=f"{file} relations", text=f"{title}: {told}.", kind="reference", at=note.at,
            author=note.author, place=file, entity=title, tags=tag_words(note.tags),
        )  # fmt: skip
    if not observations:
        yield from _prose(note, body, line, left)


def _lines(body: str) -> tuple[list[tuple[int, str, str]], list[tuple[str, str]]]:
    """Return the observations of a note, as (line, category, text), and its relations."""
    observations: list[tuple[int, str, str]] = []
    relations: list[tuple[str, str]] = []
    fence = ""
    for number, line in enumerate(body.split("\n"), start=1):
        opened = _FENCE.match(line)
        if opened and (not fence or opened[1] == fence):
            fence = "" if fence else opened[1]
        if fence or len(line) > _LINE_CHARS:
            continue
        if (found := _OBSERVATION.match(line)) and found[1] not in _BOXES:
            observations.append((number, found[1].strip(), found[2].strip()))
        elif related := _RELATION.match(line):
            how = related[1].strip().strip("\"'").replace("_", " ") or "relates to"
            relations.append((how, related[2].strip()))
    return observations, relations


def _observation(note: _Note, line: int, category: str, said: str, seen: dict[str, int]) -> Item:
    tags = tuple(_TAG.findall(said))
    word = category.lower()
    kind = _KINDS.get(word) or _KINDS.get(word.removesuffix("s"), "")
    text = " ".join(_TAG.sub("", said).split())
    # by its first words: what stands above it may grow, and its end and its numbers may change
    words = _WORD.findall(f"{category} {text}".lower())[:_KEY_WORDS]
    key = f"{note.file} {'-'.join(words)}"
    seen[key] = seen.get(key, 0) + 1
    return Item(
        key=key if seen[key] == 1 else f"{key}-{seen[key]}", text=text, kind=kind, at=note.at,
        author=note.author, place=f"{note.file}:{line}", entity=note.title,
        tags=tag_words((*(() if kind else (category,)), *note.tags, *tags)),
        personal=kind == "preference" and _PERSON.match(text) is not None,
    )  # fmt: skip


def _prose(note: _Note, body: str, line: int, left: Left) -> Iterator[Item]:
    """Yield a short note without observations as one fact."""
    lines = body.strip().split("\n")
    if lines[0].lstrip("# ").strip().lower() == note.title.lower():
        lines = lines[1:]
    text = "\n".join([one for one in lines if not _RELATION.match(one)]).strip()
    text = re.sub(r"\n*^#+ *(Relations|Observations) *$", "", text, flags=re.MULTILINE).strip()
    if len(text) > _PROSE_CHARS:
        left.append(
            LeftOut(note.file, "a document without observations: `diurna recall --in docs`")
        )
    elif text:
        yield Item(
            key=note.file, text=f"{note.title}: {text}", at=note.at, author=note.author,
            place=f"{note.file}:{line}", entity=note.title, tags=tag_words(note.tags),
        )  # fmt: skip
