"""Read what claude-mem keeps of sessions: its SQLite file, of which what holds becomes facts.

Decisions, discoveries and the causes of bugs are facts; what was merely done (`change`, `feature`,
`refactor`), prompts and tool calls are not. What a session learned counts where none of its observations
does, and the newest summary says what comes next. Layout as claude-mem writes it, from 4 to 13. The file
is opened for reading alone, and a query that goes on for too long is ended.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import quote

from ledger.environment import monotonic
from projection.policy.model import THREAD_KIND
from rituals.intake.intake_items import Item, LeftOut
from rituals.intake.sources import Ground, Left, from_json, tag_words, texts_in, time_of

Row = defaultdict[str, str]  #: what stands in the columns of one, "" for what does not

_FILE = "claude-mem.db"
#: What holds, and the kind of fact that it makes; other types tell what was done.
_KINDS = {"decision": "decision"} | dict.fromkeys(
    ("discovery", "bugfix", "security_alert", "security_note"), ""
)
_NAMED = 20  #: sorts of what is left out, the largest
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
    for (table, why), count in store.passed.most_common(_NAMED):
        left.append(LeftOut(table, f"{count:,} {why}"))


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
        self._programs = {row["memory_session_id"]: row["platform_source"] for row in sessions}
        self._brought: set[str] = set()  # sessions of which an observation comes along
        self.passed: Counter[tuple[str, str]] = Counter()  # what is left out: table, and why

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
            said = {key: str(row[key]).strip() for key in row.keys() if row[key] is not None}  # noqa: SIM118
            found.append(defaultdict(str, said))
            size += sum(map(len, said.values()))
        return found[::-1]

    def observations(self) -> Iterator[Item]:
        """Yield the observations that hold."""
        for row in self._rows("observations"):
            type_ = row["type"].lower()
            if not self._is_meant(row):
                continue
            said, session = _said(row), row["memory_session_id"]
            if type_ not in _KINDS or not said:
                why = f"of the type {type_ or 'none'}: what was done, not what holds"
                self.passed["observations", why] += 1
                continue
            self._brought.add(session)
            kind = _KINDS[type_]
            tags = (*(() if kind else (type_,)), *texts_in(from_json(row["concepts"])))
            # an id is a number that other machines count too
            key = f"{session} {row['content_hash'] or row['id']}"
            yield self._item("observations", row, said, kind, key, tags)

    def summaries(self) -> Iterator[Item]:
        """Yield what sessions learned of which no observation comes, and what the newest leaves open."""
        table, newest = "session_summaries", dict[str, Row]()
        for row in self._rows(table):
            if not self._is_meant(row):
                continue
            newest[row["project"]] = row
            learned, session = row["learned"], row["memory_session_id"]
            if learned and session in self._brought:
                self.passed[table, "that sum up observations which come along"] += 1
            elif learned:
                key = f"{session} learned {row['prompt_number']}"
                yield self._item(table, row, learned, "", key, ("learned",))
        for project, row in newest.items():
            if said := row["next_steps"]:
                key = f"next steps of {project}"
                yield self._item(table, row, f"Next steps: {said}", THREAD_KIND, key)

    def rules(self) -> Iterator[Item]:
        """Yield the rules that a user gave; those for all projects are personal."""
        for row in self._rows("directives"):
            said, everywhere = row["content"], row["scope"] != "project"
            if row["status"] == "active" and said and (everywhere or self._is_meant(row)):
                kind = "preference" if everywhere else "convention"
                item = self._item("directives", row, said, kind, f"directives {row['id']}")
                yield item._replace(personal=everywhere)

    def _is_meant(self, row: Row) -> bool:
        if self._project in (row["project"], row["merged_into_project"]):
            return True
        project = row["project"][:80]
        why = f"of another project; `{_FILE}#{project}` is the place of those"
        self.passed[f"project {project}", why] += 1
        return False

    def _item(
        self, table: str, row: Row, said: str, kind: str, key: str, tags: tuple[str, ...] = ()
    ) -> Item:
        return Item(
            key, said, kind,
            at=time_of(row["created_at_epoch"]) or time_of(row["created_at"]),
            author=self._programs.get(row["memory_session_id"], ""),
            place=f"{_FILE} {table} {row['id']}", tags=tag_words(tags),
        )  # fmt: skip


def _said(row: Row) -> str:
    """Return an observation as one text: what it is about, then its single facts, else its story."""
    title, under = row["title"].rstrip("."), row["subtitle"]
    head = ": ".join([part for part in (title, under) if part])
    facts = texts_in(from_json(row["facts"]))
    if facts:
        return "\n".join([head, *[f"- {' '.join(fact.split())}" for fact in facts]]).strip()
    story = row["narrative"] or row["text"]
    return "\n\n".join([part for part in (head, story) if part])
