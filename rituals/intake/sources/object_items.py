"""Make items of JSON objects, whatever their fields are called."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.model.ids import version_id
from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources.source_files import Left
from rituals.intake.sources.store_values import from_json, time_of

ITEMS_LIMIT = 50_000
#: What the fields are called, by who wrote the file; the first that is there counts.
_TEXT = ("text", "content", "memory", "fact", "body", "observation", "note", "summary")
_KIND = ("kind", "type", "category", "memory_type")
_AT = ("created", "created_at", "createdAt", "timestamp", "date", "time", "updated_at")
_AUTHOR = ("author", "by", "agent", "created_by", "user", "user_id", "app_name")
_KEY = ("id", "uuid", "key", "memory_id", "hash")
_ENTITY = ("entity", "about", "subject")
_TAGS = ("tags", "categories", "labels")
_GONE = frozenset(("deleted", "archived", "superseded", "obsolete", "inactive"))
_HELD = ("memories", "items", "results", "data", "facts", "records")


def items_in(name: str, text: str, left: Left) -> Iterator[Item]:
    """Yield what a file holds: one JSON value, or one a line."""
    count = 0
    for line, said in _objects(text, name, left):
        place = f"{name}:{line}"
        made = item_of(said, place)
        if isinstance(made, LeftOut):
            left.append(made)
        elif count == ITEMS_LIMIT:
            left.append(LeftOut(place, f"it is past {ITEMS_LIMIT} items"))
        else:
            count += 1
            yield made


def item_of(said: object, place: str) -> Item | LeftOut:
    """Make an item of one object, whatever its fields are called."""
    if isinstance(said, str):
        said = {"text": said}
    if not isinstance(said, dict):
        return LeftOut(place, "it is no object")
    inner = said.get("metadata")
    known = {**inner, **said} if isinstance(inner, dict) else said
    text = _string(known, _TEXT)
    if not text:
        return LeftOut(place, "it has no text")
    state = _string(known, ("state", "status")).lower()
    if state in _GONE or known.get("deleted") is True or known.get("deleted_at"):
        return LeftOut(place, f"its source calls it {state or 'deleted'}")
    key = _string(known, _KEY) or version_id(text)
    kind = _string(known, _KIND).lower()
    replaced = known.get("supersedes") or known.get("replaces") or ()
    replaces = [replaced] if isinstance(replaced, str) else replaced
    at = next((time for field in _AT if (time := time_of(known.get(field)))), "")
    personal = known.get("personal") is True or kind in ("preference", "user")
    return Item(
        key, text, kind, at, _string(known, _AUTHOR), place, _string(known, _ENTITY),
        _strings(next((known[field] for field in _TAGS if known.get(field)), ())),
        closed=known.get("closed") is True or state in ("done", "closed", "resolved"),
        personal=personal,
        replaces=_strings(replaces),
    )  # fmt: skip


def _objects(text: str, name: str, left: Left) -> list[tuple[int, object]]:
    """Return (line, value): of an array its members, each with its number."""
    body = text.strip()
    whole = from_json(body, len(body)) if body[:1] in ("[", "{") else None
    if isinstance(whole, list):
        return list(enumerate(whole, 1))
    if isinstance(whole, dict):
        for field in _HELD:
            held = whole.get(field)
            if isinstance(held, list):
                return list(enumerate(held, 1))
        return [(1, whole)]
    found: list[tuple[int, object]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        said = from_json(line, len(line))
        if said is None:
            left.append(LeftOut(f"{name}:{number}", "it is no JSON"))
        else:
            found.append((number, said))
    return found


def _string(said: dict[str, object], fields: tuple[str, ...]) -> str:
    for field in fields:
        value = said.get(field)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool) and field in _KEY:
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
