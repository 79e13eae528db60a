"""Read what claude-mem keeps of sessions: its SQLite file, of which what holds becomes facts.

Decisions, discoveries and the causes of bugs are facts; what was merely done (`change`, `feature`,
`refactor`), prompts and tool calls are not. What a session learned counts where none of its observations
does, and the newest summary says what comes next. Layout as claude-mem writes it, from 4 to 13.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

from projection.policy.model import THREAD_KIND
from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources.source_files import Left
from rituals.intake.sources.source_table import Ground
from rituals.intake.sources.sqlite_tables import Row, Tables, tables_in
from rituals.intake.sources.store_values import from_json, tag_words, texts, time_of

_FILE = "claude-mem.db"
#: What holds, and the kind of fact that it makes; other types tell what was done.
_KINDS = {
    "decision": "decision",
    "discovery": "",
    "bugfix": "",
    "security_alert": "",
    "security_note": "",
}
_NAMED = 10  #: types and projects that are left out, the largest
_OBSERVATION = (
    "id", "memory_session_id", "project", "merged_into_project", "text", "type", "title", "subtitle",
    "facts", "narrative", "concepts", "content_hash", "created_at", "created_at_epoch",
)  # fmt: skip
_SUMMARY = (
    "id", "memory_session_id", "project", "merged_into_project", "learned", "next_steps",
    "prompt_number", "created_at", "created_at_epoch",
)  # fmt: skip
_DIRECTIVE = ("id", "scope", "project", "content", "status", "created_at", "created_at_epoch")


def places(ground: Ground) -> tuple[str, ...]:
    """Return its database; of that only this project's memories are brought."""
    folder = ground.variables.get("CLAUDE_MEM_DATA_DIR") or f"{ground.user}/.claude-mem"
    path = os.path.join(folder, _FILE)
    return (path,) if os.path.isfile(path) else ()


def read(place: str, ground: Ground, left: Left) -> Iterator[Item]:
    """Read claude-mem's database.

    `place` is the file, or its folder (`~/.claude-mem`); behind a `#` the project, where claude-mem
    calls it by another name than its folder's.
    """
    named = ""
    if not os.path.exists(place):
        place, _, named = place.rpartition("#")
    store = _Store(named or os.path.basename(ground.project))
    path = os.path.join(place, _FILE) if os.path.isdir(place) else place
    for tables in tables_in(os.path.basename(path), path, left):
        for row in tables.rows("sdk_sessions", ("memory_session_id", "platform_source")):
            store.programs[row["memory_session_id"]] = row["platform_source"]
        for part in (store.observations, store.summaries, store.rules):
            yield from part(tables)
        if tables.has("user_prompts"):
            left.append(LeftOut("user_prompts", "what was asked is no fact"))
    for type_, count in store.types.most_common(_NAMED):
        why = f"{count:,} of the type {type_}: what was done, not what holds"
        left.append(LeftOut("observations", why))
    for project, count in store.projects.most_common(_NAMED):
        why = f"{count:,} of another project; `{_FILE}#{project}` is the place of those"
        left.append(LeftOut(f"project {project}", why))
    if store.repeated:
        why = f"{store.repeated:,} that sum up observations which come along"
        left.append(LeftOut("session_summaries", why))


class _Store:
    """What one reading of the database has seen so far."""

    def __init__(self, project: str) -> None:
        self.project = project
        self.programs: dict[str, str] = {}  # by session
        self.brought: set[str] = set()  # sessions of which an observation comes along
        self.types: Counter[str] = Counter()  # that are left out
        self.projects: Counter[str] = Counter()  # that are other ones
        self.repeated = 0

    def observations(self, tables: Tables) -> Iterator[Item]:
        """Yield the observations that hold."""
        for row in tables.rows("observations", _OBSERVATION):
            type_ = row["type"].strip().lower()
            if not self._is_meant(row):
                continue
            said = _said(row)
            if type_ not in _KINDS or not said:
                self.types[type_ or "none"] += 1
                continue
            self.brought.add(row["memory_session_id"])
            kind = _KINDS[type_]
            tags = (*(() if kind else (type_,)), *texts(from_json(row["concepts"])))
            # an id is a number that other machines count too
            key = f"{row['memory_session_id']} {row['content_hash'] or row['id']}"
            yield self._item("observations", row, said, kind, tags, key)

    def summaries(self, tables: Tables) -> Iterator[Item]:
        """Yield what sessions learned of which no observation comes, and what the newest leaves open."""
        table, newest = "session_summaries", dict[str, Row]()
        for row in tables.rows(table, _SUMMARY):
            if not self._is_meant(row):
                continue
            newest[row["project"]] = row
            learned = row["learned"].strip()
            if learned and row["memory_session_id"] in self.brought:
                self.repeated += 1
            elif learned:
                key = f"{row['memory_session_id']} learned {row['prompt_number']}"
                yield self._item(table, row, learned, "", ("learned",), key)
        for row in newest.values():
            if row["next_steps"].strip():
                said = f"Next steps: {row['next_steps'].strip()}"
                yield self._item(
                    table, row, said, THREAD_KIND, (), f"next steps of {row['project']}"
                )

    def rules(self, tables: Tables) -> Iterator[Item]:
        """Yield the rules that a user gave; those for all projects are personal."""
        for row in tables.rows("directives", _DIRECTIVE):
            said = row["content"].strip()
            everywhere = row["scope"] != "project"
            if row["status"] == "active" and said and (everywhere or self._is_meant(row)):
                kind = "preference" if everywhere else "convention"
                item = self._item("directives", row, said, kind, (), f"directives {row['id']}")
                yield item._replace(personal=everywhere)

    def _is_meant(self, row: Row) -> bool:
        if self.project in (row["project"], row.get("merged_into_project", "")):
            return True
        self.projects[row["project"][:80]] += 1
        return False

    def _item(
        self, table: str, row: Row, said: str, kind: str, tags: tuple[str, ...], key: str
    ) -> Item:
        return Item(
            key, said, kind,
            at=time_of(row["created_at_epoch"]) or time_of(row["created_at"]),
            author=self.programs.get(row.get("memory_session_id", ""), ""),
            place=f"{_FILE} {table} {row['id']}",
            tags=tag_words(tags),
        )  # fmt: skip


def _said(row: Row) -> str:
    """Return an observation as one text: what it is about, then its single facts, else its story."""
    title, under = row["title"].strip(), row["subtitle"].strip()
    head = ": ".join([part for part in (title.rstrip("."), under) if part])
    facts = texts(from_json(row["facts"]))
    if facts:
        return "\n".join([head, *[f"- {' '.join(fact.split())}" for fact in facts]]).strip()
    story = row["narrative"].strip() or row["text"].strip()
    return "\n\n".join([part for part in (head, story) if part])
