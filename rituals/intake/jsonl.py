"""Read JSON lines: an object a line, with whatever of text, kind, date, author and id it has.

This is the contract for agents, and for whoever pipes another tool's memories in. `id` becomes the id of
the fact, and the line is known by it at the next reading; `source` says where the text stands. A file of
the MCP memory server is such lines, too: an observation is a fact about its entity, and what an entity
relates to is one fact more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ledger.codec.outline import NO_TEXT, document_text
from ledger.model.ids import version_id
from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources import Ground, Left, from_json, tag_words, text_of, texts_in, time_of

STDIN = "-"  #: names standard input
FILE_LIMIT_BYTES = 64 << 20
#: What the fields are called, by who wrote the file; the first that is there counts.
_TEXT = ("text", "content", "memory", "fact", "body", "observation", "note", "summary")
_KIND = ("kind", "type", "category", "memory_type")
_AT = ("at", "created", "created_at", "createdAt", "timestamp", "date", "time", "updated_at")
_AUTHOR = ("author", "by", "agent", "created_by", "user", "user_id", "app_name")
_KEY = ("id", "uuid", "key", "memory_id", "hash")
_ENTITY = ("entity", "about", "subject")
_TAGS = ("tags", "categories", "labels")
_GONE = frozenset(("deleted", "archived", "superseded", "obsolete", "inactive"))


def places(ground: Ground) -> tuple[str, ...]:
    """Nothing lies anywhere by default: the user names a file."""
    return ()


def read(place: str, ground: Ground, left: Left) -> Iterator[Item]:
    """Read one file, or standard input."""
    name = "standard input" if place == STDIN else place.rpartition("/")[2]
    relations: dict[str, list[str]] = {}
    for line, said in objects_in(place, name, left):
        for made in _of_object(said, f"{name}:{line}", relations):
            if isinstance(made, LeftOut):
                left.append(made)
            else:
                yield made
    for entity, told in relations.items():
        text = f"{entity}: {'; '.join(dict.fromkeys(told))}."
        yield Item(f"{entity} relations", text, "reference", place=name, entity=entity)


def _of_object(
    said: object, place: str, relations: dict[str, list[str]]
) -> Iterator[Item | LeftOut]:
    """Yield what one object brings; a relation waits for the others of its entity."""
    known = said if isinstance(said, dict) else {}
    name = _string(known, ("name",))
    if known.get("type") == "relation" and (entity := _string(known, ("from",))):
        how = _string(known, ("relationType",)).replace("_", " ")
        relations.setdefault(entity, []).append(f"{how} {_string(known, ('to',))}")
    elif known.get("type") == "entity" and name and isinstance(known.get("observations"), list):
        tags = tag_words((_string(known, ("entityType",)),))
        for one in texts_in(known["observations"]):
            yield Item(f"{name}: {one}", one, place=place, entity=name, tags=tags)
    else:
        yield item_of(said, place)


def item_of(said: object, place: str, *, quoted: bool = False) -> Item | LeftOut:
    """Make an item of one object, whatever its fields are called; a `quoted` one may have no text."""
    if isinstance(said, str):
        said = {"text": said}
    if not isinstance(said, dict):
        return LeftOut(place, "it is no object")
    inner = said.get("metadata")
    known = {**inner, **said} if isinstance(inner, dict) else said
    text = _string(known, _TEXT)
    if not (text or quoted):
        return LeftOut(place, "it has no text")
    state = _string(known, ("state", "status")).lower()
    if state in _GONE or known.get("deleted") is True or known.get("deleted_at"):
        return LeftOut(place, f"its source calls it {state or 'deleted'}")
    kind = _string(known, _KIND).lower()
    replaced = known.get("supersedes") or known.get("replaces") or ()
    return Item(
        _string(known, _KEY) or version_id(text), text, kind,
        next((time for field in _AT if (time := time_of(known.get(field)))), ""),
        _string(known, _AUTHOR), _string(known, ("source",)) or place, _string(known, _ENTITY),
        _strings(next((known[field] for field in _TAGS if known.get(field)), ())),
        closed=known.get("closed") is True or state in ("done", "closed", "resolved"),
        personal=known.get("personal") is True or kind in ("preference", "user"),
        replaces=_strings([replaced] if isinstance(replaced, str) else replaced),
        id=_string(known, ("id",)),
    )  # fmt: skip


def objects_in(place: str, name: str, left: Left) -> list[tuple[int, object]]:
    """Return (line, value) of a file, or of standard input; of an array its members by number."""
    if place == STDIN:
        text = document_text(sys.stdin.buffer.read() if sys.stdin else b"")
        if text is None:
            left.append(LeftOut(name, NO_TEXT))
            return []
    else:
        text = text_of(place, name, left, limit=FILE_LIMIT_BYTES) or ""
    whole = from_json(text.strip(), len(text)) if text.lstrip()[:1] == "[" else None
    if isinstance(whole, list):
        return list(enumerate(whole, 1))
    found: list[tuple[int, object]] = []
    for number, line in enumerate(text.split("\n"), 1):
        said = from_json(line, len(line)) if line.strip() else ""
        if said is None:
            left.append(LeftOut(f"{name}:{number}", "it is no JSON"))
        elif line.strip():
            found.append((number, said))
    return found


def _string(said: dict[str, object], fields: tuple[str, ...]) -> str:
    for field in fields:
        value = said.get(field)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool) and fields is _KEY:
            return str(value)
        if isinstance(value, dict) and isinstance(value.get("name"), str):
            return str(value["name"])
    return ""


def _strings(said: object) -> tuple[str, ...]:
    if isinstance(said, str):
        said = said.split(",")
    if not isinstance(said, list | tuple):
        return ()
    found = [one.get("name") if isinstance(one, dict) else one for one in said]
    return tuple([one.strip() for one in found if isinstance(one, str) and one.strip()][:50])
