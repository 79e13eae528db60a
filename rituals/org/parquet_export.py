"""Write events, facts and sessions as Parquet, a folder for each month: the one module that loads pyarrow.

DuckDB and Spark read the folders as they stand. What is withheld later stands in an export yet, so a
manifest beside the folders names what it was made of.
"""

from __future__ import annotations

import json
import os
import shutil

from ledger.errors import DiurnaError, NotFound
from ledger.wal.atomic_files import make_folder, replace_file
from memory.query.reader import Reader
from rituals.org.org_reading import rows_of_facts, rows_of_logs
from rituals.org.org_rows import FACT_COLUMNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from rituals.org.org_database import Connection

    Rows = Iterable[tuple[Any, ...]]

MANIFEST = "manifest.json"
_FACTS = (*FACT_COLUMNS[2:-3],)
_SESSIONS = ("stem", "blob", "path", "type", "agent", "role", "session", "branch", "ended", "title")
_EVENTS = ("stem", "seq", "verb", "fact", "said")
#: Each folder with its columns; before them stand the ledger's name and whose it is.
TABLES = {"events": _EVENTS, "facts": _FACTS, "sessions": _SESSIONS}
_SQL = {"events": "event", "facts": "fact", "sessions": "log"}
_TYPES = {"seq": "int32", "uses": "int32", "tags": "tags"} | dict.fromkeys(
    ("untrue", "closed", "contested", "redacted"), "bool"
)


class FolderTaken(DiurnaError):
    """The folder has something else in it."""


def write_home(reader: Reader, folder: str) -> dict[str, int]:
    """Write one home; return how many rows each folder has."""
    state, cache = reader.state(), reader.cache()
    _, logs = rows_of_logs(reader, cache, {}, {})
    name = state.policy.project
    rows: dict[str, Rows] = {
        "events": [event for one in logs for event in one.events],
        "facts": [one.values for one in rows_of_facts(cache, state)],
        "sessions": [one.values[: len(_SESSIONS)] for one in logs],
    }
    writer = _Writer(folder)
    for table, some in rows.items():
        stem = TABLES[table].index("stem")
        by_month: dict[str, list[tuple[Any, ...]]] = {}
        for row in some:
            by_month.setdefault(row[stem][:7], []).append((name, "", *row))
        for month, of_month in sorted(by_month.items()):
            writer.write(table, month, of_month)
    return writer.done({name: {"tip": cache.commit, "digest": state.summary.digest}})


def write_org(base: Connection[Any], folder: str) -> dict[str, int]:
    """Write all ledgers of an organisation; return how many rows each folder has."""
    writer = _Writer(folder)
    with base.transaction():
        base.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        for table, columns in TABLES.items():
            source = f"org.{_SQL[table]} t JOIN org.ledger l ON l.id = t.ledger"
            asked = f"SELECT DISTINCT left(stem, 7) FROM org.{_SQL[table]} ORDER BY 1"
            for (month,) in base.execute(asked.encode()).fetchall():
                shown = ", ".join([f"t.{one}" for one in columns])
                rows = base.execute(
                    f"SELECT l.name, l.team, {shown} FROM {source} WHERE left(t.stem, 7) = %s"
                    " ORDER BY t.ledger, t.stem".encode(),
                    (month,),
                ).fetchall()
                writer.write(table, month, rows)
        asked = "SELECT url, tip, digest, rewrites FROM org.ledger WHERE tip <> '' ORDER BY url"
        tips = {
            url: {"tip": tip, "digest": said, "rewrites": rewrites}
            for url, tip, said, rewrites in base.execute(asked)
        }
    return writer.done(tips)


def outdated(folder: str, base: Connection[Any] | None, reader: Reader | None) -> dict[str, str]:
    """Say what an export does not have as it is now, by ledger: "", `stale`, `rewritten`, `gone` or `new`.

    Of a history that was rewritten it may hold what was purged; of a ledger that is gone it holds all.

    Raises:
        NotFound: the folder has no manifest.
    """
    try:
        with open(f"{folder}/{MANIFEST}", encoding="utf-8") as file:
            then: dict[str, dict[str, Any]] = json.load(file)["ledgers"]
    except (OSError, ValueError, KeyError):
        raise NotFound(f"{folder} has no {MANIFEST} of an export") from None
    if base is not None:
        asked = "SELECT url, tip, rewrites FROM org.ledger WHERE tip <> ''"
        now = {url: (tip, rewrites) for url, tip, rewrites in base.execute(asked)}
        said = {
            url: "gone" if url not in now
            else "rewritten" if now[url][1] != one.get("rewrites")
            else "stale" if now[url][0] != one.get("tip") else ""
            for url, one in then.items()
        }  # fmt: skip
        return {**said, **dict.fromkeys(now.keys() - then.keys(), "new")}
    assert reader is not None
    tip, git = reader.cache().commit, reader.home.repository.git()
    said = {}
    for name, one in then.items():
        before = str(one.get("tip", ""))
        follows = not git.call("merge-base", "--is-ancestor", "--", before, tip)[0]
        said[name] = "" if before == tip else "stale" if follows else "rewritten"
    return said


class _Writer:
    """Writes an export into a folder, in place of an earlier one.

    Args:
        folder: where it goes.

    Raises:
        FolderTaken: there is something else in it.
    """

    def __init__(self, folder: str) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise DiurnaError(
                "Parquet needs a library that is not installed",
                hint="install Diurna with it, in a clone of its repository: "
                "uv tool install '.[org]', or pip install '.[org]'",
            ) from None
        self._arrow, self._parquet = pyarrow, parquet
        self._folder = folder
        self._counts = dict.fromkeys(TABLES, 0)
        make_folder(folder)
        there = set(os.listdir(folder))
        if there - {MANIFEST, *TABLES} or (there and MANIFEST not in there):
            raise FolderTaken(f"{folder} has something else in it", hint="name a folder of its own")
        for name in there:
            if name == MANIFEST:
                os.unlink(f"{folder}/{name}")
            else:
                shutil.rmtree(f"{folder}/{name}")

    def write(self, table: str, month: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Write the rows of one month."""
        arrow = self._arrow
        kinds: Mapping[str, Any] = {
            "int32": arrow.int32(), "bool": arrow.bool_(), "tags": arrow.list_(arrow.string()),
        }  # fmt: skip
        names = ("ledger", "team", *TABLES[table])
        fields = [arrow.field(one, kinds.get(_TYPES.get(one, ""), arrow.string())) for one in names]
        columns = list(zip(*rows, strict=True))
        data = arrow.table(
            [
                arrow.array(values, field.type)
                for values, field in zip(columns, fields, strict=True)
            ],
            schema=arrow.schema(fields),
        )
        self._counts[table] += data.num_rows
        folder = f"{self._folder}/{table}/month={month}"
        make_folder(folder)
        self._parquet.write_table(data, f"{folder}/rows.parquet", compression="zstd")

    def done(self, tips: Mapping[str, object]) -> dict[str, int]:
        """Say of which commits it was made; return how many rows were written."""
        text = json.dumps({"rows": self._counts, "ledgers": tips}, indent=1, sort_keys=True)
        replace_file(f"{self._folder}/{MANIFEST}", f"{text}\n".encode(), 0o644)
        return self._counts
