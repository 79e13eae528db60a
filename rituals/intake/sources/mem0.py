"""Read what mem0 remembers: the texts of its `history.db`, and the points of a local qdrant beside it.

`history.db` has every text that a memory had, and when; the points say for which user or agent it is, and
with which metadata. A memory that was deleted is not brought. Layout as mem0 2.x writes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.model.record import Record
from rituals.intake.intake_items import Item, LeftOut, Version
from rituals.intake.sources.pickled import plain_values
from rituals.intake.sources.source_files import Left, files_at
from rituals.intake.sources.source_table import Ground
from rituals.intake.sources.sqlite_tables import Row, Tables, tables_in
from rituals.intake.sources.store_values import (
    is_about_a_person,
    kind_of,
    mapping,
    several,
    shown,
    tag_words,
    text,
    time_of,
)

_HISTORY, _POINTS = "history.db", "storage.sqlite"
_COLUMNS = (
    "memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at", "is_deleted",
    "actor_id", "role",
)  # fmt: skip


class _Point(Record):
    """A memory as the vector store has it."""

    payload: dict[str, object]
    file: str


def places(ground: Ground) -> tuple[str, ...]:
    """Return nothing: what mem0 keeps in a user's folder belongs to no project."""
    return ()


def read(place: str, ground: Ground, left: Left) -> Iterator[Item]:
    """Read mem0's data folder, its `history.db`, or a folder that holds it and the vectors."""
    points: dict[str, _Point] = {}
    told: dict[str, list[Row]] = {}
    for name, path in files_at(place, left, _HISTORY, _POINTS):
        for tables in tables_in(name, path, left):
            for row in tables.rows("history", _COLUMNS):
                told.setdefault(row["memory_id"], []).append(row)
            odd = _add_points(tables, shown(name), points)
            if odd:
                why = f"{several(odd, 'point', 'points')} that qdrant does not write"
                left.append(LeftOut(f"{shown(name)} points", why))
    passed = {"deleted there": 0, "that its vectors do not have any more": 0}
    deleted, gone = passed
    for name in dict.fromkeys([*told, *points]):
        rows = told.get(name, [])
        last = rows[-1] if rows else {}
        if last.get("event") == "DELETE" or last.get("is_deleted") == "1":
            passed[deleted] += 1
        elif points and name not in points:
            passed[gone] += 1
        else:
            item = _item(name, points.get(name), rows)
            if item.text:
                yield item
    for why, count in passed.items():
        if count:
            left.append(LeftOut(_HISTORY, f"{several(count, 'memory', 'memories')} {why}"))


def _add_points(tables: Tables, file: str, points: dict[str, _Point]) -> int:
    """Add the memories of a vector store; return how many points can not be read."""
    odd = 0
    for row in tables.rows("points", ("point",)):
        try:
            point = mapping(plain_values(row["point"].encode("latin-1")))
        except ValueError:  # also a text that no bytes gave
            odd += 1
            continue
        payload = mapping(point.get("payload"))
        if text(payload.get("data")) and "hash" in payload:  # entities and settings have none
            points[str(point.get("id"))] = _Point(payload, file)
    return odd


def _item(name: str, point: _Point | None, rows: list[Row]) -> Item:
    """Make an item of a memory, with the texts that it had before."""
    payload = point.payload if point else {}
    versions: list[Version] = []
    for row in rows:
        new = row["new_memory"].strip()
        if new and (not versions or versions[-1].text != new):
            at = time_of(row["updated_at"]) or time_of(row["created_at"])
            versions.append(Version(new, at, row["actor_id"]))
    now = text(payload.get("data")) or (versions[-1].text if versions else "")
    if versions and versions[-1].text == now:
        last = versions.pop()
    else:
        at = text(payload.get("updated_at")) or text(payload.get("created_at"))
        last = Version(now, time_of(at))
    word = text(payload.get("category")) or text(payload.get("type"))
    about_a_person = is_about_a_person(now)
    kind = kind_of(word) or ("preference" if about_a_person else "")
    return Item(
        key=name, text=now, kind=kind, at=last.at, author=last.author or _author(payload),
        place=f"{_HISTORY if rows or not point else point.file} {name}",
        tags=() if kind else tag_words((word,)), personal=about_a_person, earlier=tuple(versions),
    )  # fmt: skip


def _author(payload: dict[str, object]) -> str:
    """Return who said it: an agent what it answered, else the user whose memory it is."""
    said = text(payload.get("attributed_to")) or text(payload.get("role"))
    first, second = ("agent_id", "user_id") if said == "assistant" else ("user_id", "agent_id")
    named = text(payload.get("actor_id")) or text(payload.get(first))
    return named or text(payload.get(second))
