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
from rituals.intake.intake_items import Item, LeftOut, Reading
from rituals.intake.sources.source_files import files_below, text_of
from rituals.intake.sources.source_table import Ground
from rituals.intake.sources.sqlite_tables import Left, StoreUnreadable, Tables
from rituals.intake.sources.store_values import (
    from_json,
    kind_of,
    mapping,
    several,
    shown,
    tag_words,
    text,
    texts,
)
from rituals.intake.sources.times import time_of

Event = Mapping[str, object]

NAME = "memorize"
_FILE, _LINES = "memorize.db", ".ndjson"
_COLUMNS = ("id", "created_at", "type", "scope_id", "actor", "payload", "writer")
_LINES_BYTES = 64 << 20
#: What an event is about that makes no fact.
_NO_FACTS = {
    "observation": "what was done, not what holds",
    "handoff": "from one session to another",
    "checkpoint": "of a session",
}


def places(ground: Ground) -> tuple[str, ...]:
    """Return the folder that memorize keeps for this project, by what it has bound to its path."""
    root = ground.variables.get("MEMORIZE_ROOT") or f"{ground.user}/.memorize"
    bound = text_of(f"{root}/profile/bindings.json")
    known = mapping(from_json(bound)) if isinstance(bound, str) else {}
    name = text(mapping(known.get("byPath")).get(ground.project))
    folder = f"{root}/projects/{os.path.basename(name)}"
    return (folder,) if name and os.path.isdir(folder) else ()


def read(place: str, ground: Ground) -> Reading:
    """Read a project of memorize: its folder (`~/.memorize/projects/ID`), or its `memorize.db`."""
    left: Left = []
    store = _Project(left)
    for event in _events(place, left):
        store.take(event)
    return Reading(NAME, tuple(store.items()), (*left, *store.counted()))


def _events(place: str, left: Left) -> Iterator[Event]:
    """Yield the events of a project, the oldest first."""
    root, found = os.path.dirname(place), [os.path.basename(place)]
    if os.path.isdir(place):
        root = place
        found, passed = files_below(root, _FILE, _LINES)
        left += passed
    projects = {os.path.dirname(file) for file in found if file.endswith(_FILE)}
    if len(projects) > 1:
        named = ", ".join(sorted(shown(project) for project in projects)[:5])
        left.append(
            LeftOut(shown(place), f"holds several projects; name the folder of one: {named}")
        )
        return
    for file in found:
        path = os.path.join(root, file)
        try:
            if file.endswith(_FILE):
                with Tables(path, left) as tables:
                    for row in tables.rows("events", _COLUMNS):
                        about = {
                            "id": row["id"],
                            "createdAt": row["created_at"],
                            "type": row["type"],
                            "scopeId": row["scope_id"],
                            "actor": row["writer"] or row["actor"],
                        }
                        yield {**about, "payload": from_json(row["payload"])}
            elif not projects:  # an old store; a new one keeps its lines as a backup
                yield from _lines(path, shown(file), left)
        except StoreUnreadable as why:
            left.append(LeftOut(shown(file), str(why)))


def _lines(path: str, name: str, left: Left) -> Iterator[Event]:
    lines = text_of(path, name, limit=_LINES_BYTES)
    if isinstance(lines, LeftOut):
        left.append(lines)
        return
    for line in lines.split("\n"):
        event = mapping(from_json(line))
        if event:
            yield event


class _Project:
    """What the events of a project come to."""

    def __init__(self, left: Left) -> None:
        self._left = left
        self._memories: dict[str, tuple[Event, Event]] = {}  # the event, and what it is about
        self._decisions: dict[str, tuple[Event, Event]] = {}
        self._rules: dict[str, tuple[Event, Event]] = {}
        self._tasks: dict[str, tuple[Event, dict[str, object]]] = {}
        self._gone: dict[str, str] = {}  # a memory or a decision, and what replaced it
        self._passed: Counter[str] = Counter()

    def take(self, event: Event) -> None:
        """Take the next event in."""
        about, payload = text(event.get("type")), mapping(event.get("payload"))
        scope, id = text(event.get("scopeId")), text(payload.get("id"))
        sort, _, verb = about.partition(".")
        if about == "memory.consolidated":
            self._memories[id] = (event, payload)
        elif about in ("memory.superseded", "decision.superseded"):
            self._gone[text(payload.get("supersedes")) or scope] = text(payload.get("supersededBy"))
        elif about == "memory.retracted":
            self._gone[text(payload.get("retracts"))] = ""
        elif sort == "decision":
            self._decisions[scope or id] = (event, payload)
        elif about == "rule.upserted":
            self._rules[id] = (event, payload)
        elif sort == "task" and (scope or id) in self._tasks:
            self._tasks[scope or id][1].update(payload)
        elif sort == "task" and verb == "created":
            self._tasks[scope or id] = (event, dict(payload))
        elif sort in _NO_FACTS:
            self._passed[sort] += 1

    def items(self) -> Iterator[Item]:
        """Yield what holds now."""
        replaced: dict[str, list[str]] = {}
        for old, new in self._gone.items():
            replaced.setdefault(new, []).append(old)
        for id, (event, memory) in self._memories.items():
            if id in self._gone:
                self._passed["gone"] += 1
                continue
            item = _item(id, event, text(memory.get("text")), kind_of(text(memory.get("kind"))))
            tags = tag_words(texts(memory.get("tags")))
            yield item._replace(tags=tags, replaces=tuple(replaced.get(id, ())))
        for id, (event, decision) in self._decisions.items():
            yield from self._decision(id, event, decision)
        for id, (event, rule) in self._rules.items():
            if text(rule.get("source")) == "imported":
                self._passed["imported"] += 1
                continue
            said = _titled(text(rule.get("title")), text(rule.get("body")))
            yield _item(id, event, said, "convention", text(rule.get("updatedBy")))
        for id, (event, task) in self._tasks.items():
            if text(task.get("status")) == "done":
                self._passed["done"] += 1
                continue
            said = _titled(text(task.get("title")), text(task.get("description")))
            yield _item(id, event, said, THREAD_KIND)

    def _decision(self, id: str, event: Event, decision: Event) -> Iterator[Item]:
        if id in self._gone or text(decision.get("status")) in ("superseded", "rejected"):
            self._passed["gone"] += 1
            return
        accepted = text(event.get("type")) == "decision.accepted"
        said = _titled(text(decision.get("title")), text(decision.get("decision")))
        reason = text(decision.get("rationale"))
        said = f"{said}\n\nBecause: {reason}" if reason else said
        kind = "decision" if accepted else THREAD_KIND
        said = said if accepted else f"Proposed: {said}"
        yield _item(id, event, said, kind, text(decision.get("createdBy")))

    def counted(self) -> Iterator[LeftOut]:
        """Yield what was left out, counted."""
        said = {
            "gone": (
                "memory or decision",
                "memories and decisions",
                "superseded, retracted or rejected",
            ),
            "imported": ("rule", "rules", "imported from files: import those"),
            "done": ("task", "tasks", "done"),
            **{sort: (sort, f"{sort}s", why) for sort, why in _NO_FACTS.items()},
        }
        for sort, count in sorted(self._passed.items()):
            one, more, why = said[sort]
            yield LeftOut("events", f"{several(count, one, more)}: {why}")


def _item(id: str, event: Event, said: str, kind: str, author: str = "") -> Item:
    return Item(
        key=id,
        text=said,
        kind=kind,
        at=time_of(text(event.get("createdAt"))),
        author=author or text(event.get("actor")),
        place=f"{NAME} {id}",
    )


def _titled(title: str, said: str) -> str:
    """Return a text below its title, unless it says the same."""
    if not said or said.lower().startswith(title.lower()):
        return said or title
    return f"{title}: {said}" if title else said
