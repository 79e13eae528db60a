"""Read what claude-mem keeps of sessions: its SQLite file, of which what holds becomes facts.

Decisions, discoveries and the causes of bugs are facts; what was merely done (`change`, `feature`,
`refactor`), prompts and tool calls are not. What a session learned counts where none of its observations
does, and the newest summary says what comes next. Layout as claude-mem writes it, from 4 to 13. The file
is opened for reading alone, and a query that goes on for too long is ended.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import quote

from ledger.environment import monotonic
from projection.policy.model import THREAD_KIND
from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources import Ground, Left, from_json, tag_words, texts, time_of

Row = dict[str, str]

_FILE = "claude-mem.db"
#: What holds, and the kind of fact that it makes; other types tell what was done.
_KINDS = {"decision": "decision"} | dict.fromkeys(
    ("discovery", "bugfix", "security_alert", "security_note"), ""
)
_NAMED = 10  #: types and projects that are left out, the largest
ROWS = 20_000  #: of a table at most, the newest
_VALUE_BYTES, _BYTES = 1 << 20, 32 << 20  #: of a value, and of a table
_SECONDS = 30.0  #: for all that is read
_STEPS = 50_000  #: of SQLite's machine between two looks at the clock


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
    path = os.path.join(place, _FILE) if os.path.isdir(place) else place
    name = os.path.basename(path).encode("utf-8", "replace").decode()
    beside = [f"{path}{ending}" for ending in ("-wal", "-journal")]
    if not all(map(os.path.isfile, [path, *filter(os.path.lexists, beside)])):
        left.append(LeftOut(name, "is no ordinary file"))
        return
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as db:
            _guard(db)
            store = _Store(db, named or os.path.basename(ground.project), left)
            yield from [*store.observations(), *store.summaries(), *store.rules()]
    except sqlite3.Error as error:
        left.append(LeftOut(name, f"can not be read ({error})"))
        return
    for type_, count in store.types.most_common(_NAMED):
        why = f"{count:,} of the type {type_}: what was done, not what holds"
        left.append(LeftOut("observations", why))
    for project, count in store.projects.most_common(_NAMED):
        why = f"{count:,} of another project; `{_FILE}#{project}` is the place of those"
        left.append(LeftOut(f"project {project}", why))
    if store.repeated:
        why = f"{store.repeated:,} that sum up observations which come along"
        left.append(LeftOut("session_summaries", why))


def _guard(db: sqlite3.Connection) -> None:
    """Let a query read plain values for so long, and run nothing that stands in the file."""
    until = monotonic() + _SECONDS
    db.row_factory = sqlite3.Row
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
    db.execute("PRAGMA trusted_schema = OFF")
    db.set_progress_handler(lambda: monotonic() > until, _STEPS)


class _Store:
    """What one reading of the database has seen so far."""

    def __init__(self, db: sqlite3.Connection, project: str, left: Left) -> None:
        self._db, self._project, self._left = db, project, left
        sessions = self._rows("sdk_sessions")
        self._programs = {
            _of(row, "memory_session_id"): _of(row, "platform_source") for row in sessions
        }
        self._brought: set[str] = set()  # sessions of which an observation comes along
        self.types: Counter[str] = Counter()  # that are left out
        self.projects: Counter[str] = Counter()  # that are other ones
        self.repeated = 0

    def _rows(self, table: str) -> list[Row]:
        """Return the newest rows of a table, the oldest of them first; none where it is not there."""
        asked = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
        if not self._db.execute(asked, (table,)).fetchone()[0]:
            return []
        newest = f"SELECT * FROM {table} ORDER BY rowid DESC"  # noqa: S608 - our names
        found: list[Row] = []
        size = 0
        for row in self._db.execute(newest):
            if len(found) == ROWS or size > _BYTES:
                self._left.append(LeftOut(table, f"all but the newest {len(found):,} rows"))
                break
            found.append({key: str(row[key]) for key in row.keys() if row[key] is not None})  # noqa: SIM118
            size += sum(map(len, found[-1].values()))
        return found[::-1]

    def observations(self) -> Iterator[Item]:
        """Yield the observations that hold."""
        for row in self._rows("observations"):
            type_ = _of(row, "type").lower()
            if not self._is_meant(row):
                continue
            said, session = _said(row), _of(row, "memory_session_id")
            if type_ not in _KINDS or not said:
                self.types[type_ or "none"] += 1
                continue
            self._brought.add(session)
            kind = _KINDS[type_]
            tags = (*(() if kind else (type_,)), *texts(from_json(_of(row, "concepts"))))
            # an id is a number that other machines count too
            key = f"{session} {_of(row, 'content_hash') or _of(row, 'id')}"
            yield self._item("observations", row, said, kind, key, tags)

    def summaries(self) -> Iterator[Item]:
        """Yield what sessions learned of which no observation comes, and what the newest leaves open."""
        table, newest = "session_summaries", dict[str, Row]()
        for row in self._rows(table):
            if not self._is_meant(row):
                continue
            newest[_of(row, "project")] = row
            learned, session = _of(row, "learned"), _of(row, "memory_session_id")
            if learned and session in self._brought:
                self.repeated += 1
            elif learned:
                key = f"{session} learned {_of(row, 'prompt_number')}"
                yield self._item(table, row, learned, "", key, ("learned",))
        for project, row in newest.items():
            if said := _of(row, "next_steps"):
                key = f"next steps of {project}"
                yield self._item(table, row, f"Next steps: {said}", THREAD_KIND, key)

    def rules(self) -> Iterator[Item]:
        """Yield the rules that a user gave; those for all projects are personal."""
        for row in self._rows("directives"):
            said, everywhere = _of(row, "content"), _of(row, "scope") != "project"
            if _of(row, "status") == "active" and said and (everywhere or self._is_meant(row)):
                kind = "preference" if everywhere else "convention"
                item = self._item("directives", row, said, kind, f"directives {_of(row, 'id')}")
                yield item._replace(personal=everywhere)

    def _is_meant(self, row: Row) -> bool:
        if self._project in (_of(row, "project"), _of(row, "merged_into_project")):
            return True
        self.projects[_of(row, "project")[:80]] += 1
        return False

    def _item(
        self, table: str, row: Row, said: str, kind: str, key: str, tags: tuple[str, ...] = ()
    ) -> Item:
        return Item(
            key, said, kind,
            at=time_of(_of(row, "created_at_epoch")) or time_of(_of(row, "created_at")),
            author=self._programs.get(_of(row, "memory_session_id"), ""),
            place=f"{_FILE} {table} {_of(row, 'id')}", tags=tag_words(tags),
        )  # fmt: skip


def _of(row: Row, column: str) -> str:
    return row.get(column, "").strip()


def _said(row: Row) -> str:
    """Return an observation as one text: what it is about, then its single facts, else its story."""
    title, under = _of(row, "title").rstrip("."), _of(row, "subtitle")
    head = ": ".join([part for part in (title, under) if part])
    facts = texts(from_json(_of(row, "facts")))
    if facts:
        return "\n".join([head, *[f"- {' '.join(fact.split())}" for fact in facts]]).strip()
    story = _of(row, "narrative") or _of(row, "text")
    return "\n\n".join([part for part in (head, story) if part])
