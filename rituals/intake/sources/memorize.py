"""Read what memorize keeps of a project: its log of events, in `memorize.db` or in files of lines.

The log is the truth there as it is here: consolidated memories, accepted decisions, rules and open tasks
are what it comes to. What was superseded or retracted is not brought; observations, handoffs and sessions
are not facts. Layout as documented by its source, versions 0.1 to 3.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping

from projection.policy.model import THREAD_KIND
from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources.source_files import Left, files_at, text_of
from rituals.intake.sources.source_table import Ground
from rituals.intake.sources.sqlite_tables import tables_in
from rituals.intake.sources.store_values import (
    from_json,
    kind_of,
    mapping,
    several,
    shown,
    tag_words,
    text,
    texts,
    time_of,
)

Event = Mapping[str, object]

_FILE, _LINES = "memorize.db", ".ndjson"
_COLUMNS = ("id", "created_at", "type", "scope_id", "actor", "payload", "writer")
_LINES_BYTES = 64 << 20
#: What makes facts: the key that says where one does not hold, its values that do, and what it is then.
_FACTS = {
    "memory": ("", (), "gone"),
    "decision": ("status", ("superseded", "rejected"), "gone"),
    "rule": ("source", ("imported",), "imported"),
    "task": ("status", ("done",), "done"),
}
_PASSED = {
    "gone": ("memory or decision", "memories and decisions", "superseded, retracted or rejected"),
    "imported": ("rule", "rules", "imported from files: import those"),
    "done": ("task", "tasks", "done"),
}
#: What an event is about that makes no fact.
_NO_FACTS = {
    "observation": "what was done, not what holds",
    "handoff": "from one session to another",
    "checkpoint": "of a session",
}


def places(ground: Ground) -> tuple[str, ...]:
    """Return the folder that memorize keeps for this project, by what it has bound to its path."""
    root = ground.variables.get("MEMORIZE_ROOT") or f"{ground.user}/.memorize"
    known = mapping(from_json(text_of(f"{root}/profile/bindings.json", "", []) or ""))
    name = text(mapping(known.get("byPath")).get(ground.project))
    folder = f"{root}/projects/{os.path.basename(name)}"
    return (folder,) if name and os.path.isdir(folder) else ()


def read(place: str, ground: Ground, left: Left) -> Iterator[Item]:
    """Read a project of memorize: its folder (`~/.memorize/projects/ID`), or its `memorize.db`."""
    known: dict[str, dict[str, tuple[Event, dict[str, object]]]] = {sort: {} for sort in _FACTS}
    gone: dict[str, str] = {}  # a memory or a decision, and what replaced it
    passed: Counter[str] = Counter()
    for event in _events(place, left):
        about, payload = text(event.get("type")), mapping(event.get("payload"))
        scope, id = text(event.get("scopeId")), text(payload.get("id"))
        sort, _, verb = about.partition(".")
        tasks, name = known["task"], scope or id
        if about in ("memory.superseded", "decision.superseded"):
            gone[text(payload.get("supersedes")) or scope] = text(payload.get("supersededBy"))
        elif about == "memory.retracted":
            gone[text(payload.get("retracts"))] = ""
        elif about in ("memory.consolidated", "rule.upserted"):
            known[sort][id] = event, payload
        elif sort == "decision":
            known[sort][name] = event, payload
        elif sort == "task" and name in tasks:
            tasks[name][1].update(payload)
        elif sort == "task" and verb == "created":
            tasks[name] = event, dict(payload)
        elif sort in _NO_FACTS:
            passed[sort] += 1
    replaced: dict[str, list[str]] = {}
    for old, new in gone.items():
        replaced.setdefault(new, []).append(old)
    for sort, found in known.items():
        key, passing, why = _FACTS[sort]
        for id, (event, payload) in found.items():
            if text(payload.get(key)) in passing or (why == "gone" and id in gone):
                passed[why] += 1
                continue
            said, kind, author = _said(sort, event, payload)
            yield Item(
                key=id, text=said, kind=kind, at=time_of(text(event.get("createdAt"))),
                author=author or text(event.get("actor")), place=f"memorize {id}",
                tags=tag_words(texts(payload.get("tags"))) if sort == "memory" else (),
                replaces=tuple(replaced.get(id, ())) if sort == "memory" else (),
            )  # fmt: skip
    for sort, count in sorted(passed.items()):
        one, more, why = _PASSED.get(sort) or (sort, f"{sort}s", _NO_FACTS[sort])
        left.append(LeftOut("events", f"{several(count, one, more)}: {why}"))


def _events(place: str, left: Left) -> Iterator[Event]:
    """Yield the events of a project, the oldest first."""
    files = files_at(place, left, _FILE, _LINES)
    projects = {os.path.dirname(name) for name, _ in files if name.endswith(_FILE)}
    if len(projects) > 1:
        named = ", ".join(sorted(shown(project) for project in projects)[:5])
        why = f"holds several projects; name the folder of one: {named}"
        left.append(LeftOut(shown(place), why))
        return
    for name, path in files:
        if name.endswith(_FILE):
            for tables in tables_in(name, path, left):
                for row in tables.rows("events", _COLUMNS):
                    yield {
                        "createdAt": row["created_at"], "type": row["type"], "scopeId": row["scope_id"],
                        "actor": row["writer"] or row["actor"], "payload": from_json(row["payload"]),
                    }  # fmt: skip
        elif not projects:  # an old store; a new one keeps its lines as a backup
            lines = text_of(path, shown(name), left, limit=_LINES_BYTES) or ""
            yield from [event for line in lines.split("\n") if (event := mapping(from_json(line)))]


def _said(sort: str, event: Event, about: Event) -> tuple[str, str, str]:
    """Return the text of what an event tells of, its kind, and who said it, "" for the agent."""
    if sort == "memory":
        return text(about.get("text")), kind_of(text(about.get("kind"))), ""
    if sort == "task":
        return _titled(about, "description"), THREAD_KIND, ""
    if sort == "rule":
        return _titled(about, "body"), "convention", text(about.get("updatedBy"))
    said, reason = _titled(about, "decision"), text(about.get("rationale"))
    said = f"{said}\n\nBecause: {reason}" if reason else said
    author = text(about.get("createdBy"))
    if text(event.get("type")) == "decision.accepted":
        return said, "decision", author
    return f"Proposed: {said}", THREAD_KIND, author


def _titled(about: Event, key: str) -> str:
    """Return a text below its title, unless it says the same."""
    title, said = text(about.get("title")), text(about.get(key))
    if not said or said.lower().startswith(title.lower()):
        return said or title
    return f"{title}: {said}" if title else said
