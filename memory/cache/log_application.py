"""Add logs to the cache: each touches the facts that it names, and nothing else."""

from __future__ import annotations

import marshal

from ledger.model.event import FactRedacted
from ledger.model.finding_codes import Finding
from ledger.model.log_names import LogRef
from ledger.model.session import Entry
from memory.cache.schema import (
    AWAY,
    FALSE,
    NOTE_NEWEST,
    ORDINARY,
    PENDING,
    PINNED,
    Head,
    landing_rows,
    log_row,
    newest_logs,
    place_rows,
    plain_history,
    shown_rows,
    unpack_history,
)
from memory.cache.stamp import sqlite3
from projection.fold.fact_history import History
from projection.fold.fact_links import ENTITY_KEY, footer
from projection.fold.falsity import CONFLICTS, edges_and_takes
from projection.fold.fold import collect, merged, resolve
from projection.fold.live_view import (
    log_digest,
    merge_summaries,
    set_digest,
    summarise,
)
from projection.policy.model import DECIDED_KINDS, DELIBERATE, PATTERN_KIND, THREAD_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from projection.fold.falsity import Edge


#: The kinds that a brief does not place by their age alone.
_PLACED_KINDS = DELIBERATE | {PATTERN_KIND, THREAD_KIND}
#: What logs report of sessions and of the work of others.
_REPORTED: Mapping[str, Callable[[Entry], list[Any]]] = {
    "INSERT INTO shown VALUES (?, ?, ?) "
    "ON CONFLICT(fact, session) DO UPDATE SET stem = max(stem, excluded.stem)": shown_rows,
    "INSERT INTO landings VALUES (?, ?, ?, ?, ?)": landing_rows,
    'INSERT INTO places(stem, "commit", dirty, branch) VALUES (?, ?, ?, ?)': place_rows,
}


def add_logs(
    base: sqlite3.Connection,
    head: Head,
    refs: Sequence[LogRef],
    entries: Sequence[Entry],
    findings: Sequence[Finding],
) -> Head:
    """Write what new logs say, in the transaction that is open; return what the file has to say then.

    `head` is what it says of the ledger so far; entries come in the order of `refs`, and `findings` are
    what reading them brought up. The commit is left to the caller.
    """
    if not refs and not findings:
        return head
    many = base.executemany
    said = [one.id for entry in entries for one in entry.acts if type(one) is FactRedacted]
    redacted = head.redacted.union(said)
    if redacted:  # few ledgers have withheld anything
        from projection.fold.withholding import withheld_entry, withheld_history

        entries = [withheld_entry(entry, redacted) for entry in entries]
    logs = map(log_row, refs, entries)
    many("INSERT INTO logs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", logs)
    noted = [(marshal.dumps(tuple(finding)),) for finding in findings]
    many("INSERT INTO findings(value) VALUES (?)", noted)
    many(NOTE_NEWEST, newest_logs(entries).items())
    for question, make in _REPORTED.items():
        many(question, [row for entry in entries if entry.reported for row in make(entry)])
    gathered = collect(entries)
    touched, cut = _with_cut(base, gathered, head.cut)
    known: dict[str, History] = {}
    states: dict[str, int] = {}
    for fact in touched:
        row = base.execute("SELECT history, state FROM facts WHERE id = ?", (fact,)).fetchone()
        if row is not None:
            known[fact], states[fact] = unpack_history(row[0]), row[1]
    facts, false = head.counts
    rows = []
    for fact, history in merged(known, touched).items():
        made = _fact_row(fact, withheld_history(history) if fact in redacted else history, cut)
        rows.append(made)
        before = states.get(fact, PENDING)
        facts += (made[2] != PENDING) - (before != PENDING)
        false += (made[2] == FALSE) - (before == FALSE)
    many("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    changed = [(fact,) for fact in touched if fact not in gathered or gathered[fact].acts]
    many("INSERT OR IGNORE INTO changed VALUES (?)", changed)
    digest = set_digest(log_digest(ref.key, ref.blob) for ref in refs)
    return head._replace(
        summary=merge_summaries(head.summary, summarise(entries, digest)),
        counts=(facts, false),
        cut=cut,
        unread=(*head.unread, *[tuple(one) for one in findings if one.code == "unreadable"]),
        redacted=redacted,
        redactions=head.redactions + len(said),
        unclean=head.unclean or bool(said),
    )


def _fact_row(
    fact: str, history: History, cut: frozenset[Edge]
) -> tuple[str, bytes, int, str, str, str, int, str, int, int, int, int]:
    """Return a row of `facts`."""
    found = resolve(fact, history, cut)
    packed = marshal.dumps(plain_history(history))
    if found is None:
        return fact, packed, PENDING, "", "", "", 0, "", 0, 0, 0, 1
    if found.false:
        state = FALSE
    elif found.archived_at:
        state = AWAY
    elif found.promoted or found.open:
        state = PINNED
    else:
        state = ORDINARY
    contested = found.contradicted or len(found.superseded_by) > 1 or bool(found.circle)
    contested = contested or bool(footer(found, CONFLICTS))
    row = found.anchor, found.young, found.kind, int(contested), footer(found, ENTITY_KEY)
    known = contested or found.closed or found.redacted or found.kind in _PLACED_KINDS
    known = known or found.young > found.anchor
    known = known or bool(footer(found, "role") or footer(found, "salience"))
    plain = 0 if known or state != ORDINARY else 2 - (found.kind in DECIDED_KINDS)
    followed = len(history.acts) > 1 or found.closed
    return fact, packed, state, *row, *found.extent, plain, int(followed)


#: More supersessions at once are looked at together, in the time that all of them take.
_ONE_BY_ONE = 8


def _with_cut(
    base: sqlite3.Connection, gathered: dict[str, History], cut: frozenset[Edge]
) -> tuple[dict[str, History], frozenset[Edge]]:
    """Write the supersessions of new logs, and return what is cut then (F6).

    `gathered` is what the logs say of each fact, `cut` what was cut before.
    """
    edges, takes = edges_and_takes(gathered)
    if not (edges or takes):
        return gathered, cut
    rows = [(old, new, stem, seq) for stem, seq, old, new in edges]
    base.executemany("INSERT INTO edges VALUES (?, ?, ?, ?)", rows)
    base.executemany("INSERT INTO takes VALUES (?, ?, ?)", takes)
    taken = base.execute("SELECT fact, stem, before FROM takes").fetchall()
    if not (taken or len(edges) > _ONE_BY_ONE or any(_closes_circle(base, one) for one in edges)):
        return gathered, cut
    from projection.fold.full_replay import cut_edges

    everything = base.execute("SELECT stem, seq, old, new FROM edges").fetchall()
    now = cut_edges(everything, taken)
    touched = dict(gathered)
    for _, _, old, new in now ^ cut:
        touched.setdefault(old, History())
        touched.setdefault(new, History())
    return touched, now


def _closes_circle(base: sqlite3.Connection, edge: Edge) -> bool:
    """Tell whether a way leads from the successor of an edge back to its start."""
    _, _, goal, start = edge
    seen, todo = {start}, [start]
    while todo:
        fact = todo.pop()
        if fact == goal:
            return True
        for (new,) in base.execute("SELECT new FROM edges WHERE old = ?", (fact,)):
            if new not in seen:
                seen.add(new)
                todo.append(new)
    return False
