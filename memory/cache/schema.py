"""Define the tables of the cache, and the plain values that their rows hold."""

from __future__ import annotations

import marshal

from ledger.model.event import GRAMMAR, OF_LOGS, VERB_OF, Event, FactUpdated, is_received
from ledger.model.log_names import LogRef
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import (
    CHECK_KEY,
    OBSERVED,
    OBSOLETE_KEY,
    PLACE,
    SHOWN_KEY,
    TRANSCRIPT,
    UNTIL_KEY,
    WORK,
    Entry,
    pack_event,
    shown_in,
    span_of,
    unpack_event,
)
from memory.cache.stamp import unpack, unpack_once
from projection.fold.fact_history import NOBODY, Act, History, Signature
from projection.fold.live_view import NOTHING, Summary
from projection.policy.model import Kind, Policy, Upstream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from projection.fold.falsity import Edge

TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE logs(number INTEGER PRIMARY KEY, stem TEXT NOT NULL, path TEXT NOT NULL,
  blob TEXT NOT NULL, work INTEGER NOT NULL, alike INTEGER NOT NULL, entry BLOB NOT NULL,
  acts BLOB NOT NULL);
CREATE UNIQUE INDEX logs_stem ON logs(stem);
CREATE INDEX logs_work ON logs(stem) WHERE work;
CREATE TABLE findings(number INTEGER PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE facts(id TEXT PRIMARY KEY, history BLOB NOT NULL, state INTEGER NOT NULL,
  anchor TEXT NOT NULL, young TEXT NOT NULL, kind TEXT NOT NULL, contested INTEGER NOT NULL,
  about TEXT NOT NULL, lines INTEGER NOT NULL, chars INTEGER NOT NULL,
  plain INTEGER NOT NULL, followed INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX facts_anchor ON facts(plain, anchor DESC, id, young, kind, state) WHERE state IN (1, 2);
CREATE INDEX facts_young ON facts(young) WHERE state IN (1, 2) AND young != ''
  AND young != anchor;
CREATE INDEX facts_kind ON facts(kind, anchor, young, state, lines, chars) WHERE state = 1;
CREATE INDEX facts_pinned ON facts(kind) WHERE state = 2;
CREATE INDEX facts_contested ON facts(id) WHERE contested;
CREATE INDEX facts_followed ON facts(id) WHERE followed;
CREATE INDEX facts_about ON facts(about, state) WHERE about != '';
CREATE TABLE edges(old TEXT NOT NULL, new TEXT NOT NULL, stem TEXT NOT NULL, seq INTEGER NOT NULL);
CREATE INDEX edges_old ON edges(old);
CREATE TABLE changed(id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE texts(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, words TEXT NOT NULL);
CREATE TABLE posts(word TEXT NOT NULL, fact INTEGER NOT NULL, PRIMARY KEY(word, fact)) WITHOUT ROWID;
CREATE TABLE newest(name TEXT PRIMARY KEY, stem TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE shown(fact TEXT NOT NULL, session TEXT NOT NULL, stem TEXT NOT NULL,
  PRIMARY KEY(fact, session)) WITHOUT ROWID;
CREATE TABLE landings(log TEXT NOT NULL, verb TEXT NOT NULL, stem TEXT NOT NULL, "commit" TEXT NOT NULL,
  how TEXT NOT NULL);
CREATE TABLE places(number INTEGER PRIMARY KEY, stem TEXT NOT NULL, "commit" TEXT NOT NULL,
  dirty INTEGER NOT NULL, branch TEXT NOT NULL);
CREATE TABLE takes(fact TEXT NOT NULL, stem TEXT NOT NULL, before INTEGER NOT NULL);
"""
#: `facts.state`: named and without a text; ordinary; an open thread or promoted; superseded; put away.
#: `facts.young` is where age counts from while it matters (at most one use). It may lie above the anchor:
#: a fact was named, and then created by a log that is no work. `facts.about` is the footer `entity`;
#: `lines` and `chars` are its `Fact.extent`. With `state` in it an index answers without the table.
#: Nothing but its kind and age places a `plain` one in a brief: no state, side, role or salience. Of
#: what was decided it is 1, of others 2; such a fact is no younger than its anchor.
#: One that is not `followed` holds as it was created: only uses came behind, and it was not born closed.
PENDING, ORDINARY, PINNED, FALSE, AWAY = 0, 1, 2, 3, 4
#: Of the facts that hold those that may say what ends them, or by what they are checked.
_ENDING = (UNTIL_KEY, OBSOLETE_KEY, CHECK_KEY)  # `marshal` writes a short text behind its length
_NAMED = [f"instr(history, X'{len(key):02x}{key.encode().hex()}')" for key in _ENDING]
MAY_END = f"state != {FALSE} AND ({' OR '.join(_NAMED)})"
TABLES += f"CREATE INDEX facts_ending ON facts(id) WHERE {MAY_END};"
#: The fields of a policy that list records, and of which class.
_LISTED = {"kinds": Kind, "upstream": Upstream, "to": Upstream}


class Head(Record):
    """What the cache says of the whole ledger."""

    commit: str  #: what it mirrors
    summary: Summary  #: of all logs
    counts: tuple[int, int]  #: (facts, false ones among them)
    cut: frozenset[Edge]  #: supersessions that do not count (`full_replay.cut_edges`)
    #: findings, as plain tuples, about logs that could not be read
    unread: tuple[tuple[Any, ...], ...]
    redacted: frozenset[str]  #: ids of facts and stems of logs of which nothing is shown
    redactions: int  #: how many events say so
    unclean: bool  #: the file may hold texts that were redacted since they were written into it

    def packed(self) -> bytes:
        """Return it for the cache's file."""
        commit, summary, counts, cut, unread, redacted, *rest = self
        gone = tuple(sorted(redacted))
        return marshal.dumps((commit, tuple(summary), counts, tuple(cut), unread, gone, *rest))


#: Of a file without a log.
NO_LOGS = Head("", NOTHING, (0, 0), frozenset(), (), frozenset(), 0, unclean=False)


def head_of(plain: tuple[Any, ...]) -> Head:
    """Return the head that a file holds as plain values."""
    commit, summary, counts, cut, unread, gone, *rest = plain
    return Head(commit, Summary(*summary), counts, frozenset(cut), unread, frozenset(gone), *rest)


def likeness(entry: Entry) -> int:
    """Return a number that logs of one agent and type share if they name the same ids.

    More work of a session is of one type with its first log: a retry can not know which of the two it is,
    nor which handoffs the first try has received.
    """
    from zlib import crc32

    kind = WORK if entry.uses else entry.type
    named = entry.named
    if received := {event.id for event in entry.acts if is_received(event)}:
        named = tuple([fact for fact in named if fact not in received])
    return crc32(marshal.dumps((entry.agent, kind, tuple(sorted(named))), 2))


def log_row(ref: LogRef, entry: Entry) -> tuple[str, str, str, int, int, bytes, bytes]:
    """Return a row of `logs`, without its number.

    What a log says of itself stands apart from the ids that it names and its events: of these one that was
    imported has thousands.
    """
    said = marshal.dumps((*entry[:4], *entry[6:]))
    acts = marshal.dumps((entry.named, tuple([pack_event(act) for act in entry.acts])))
    return ref.key, ref.path, ref.blob, int(entry.work), likeness(entry), said, acts


def unpack_history(packed: bytes) -> History:
    """Return the history in a row of `facts`.

    Raises:
        CacheDamaged: it holds none.
    """
    return unpack_once(packed, history_of)


def entry_in(said: bytes, acts: bytes = b"") -> Entry:
    """Return the entry in a row of `logs`, without ids and events where these are not given.

    Raises:
        CacheDamaged: it holds none.
    """
    named_and_acts = unpack_once(acts, _acts_in) if acts else ((), ())
    return unpack(said, lambda told: Entry(*(*told[:4], *named_and_acts, *told[4:])))


def _acts_in(plain: tuple[Any, ...]) -> tuple[tuple[str, ...], tuple[Event, ...]]:
    named, acts = plain
    return named, tuple([unpack_event(act) for act in acts])


def plain_history(history: History) -> tuple[Any, ...]:
    """Return a history as plain tuples."""
    return *history[:2], tuple([_plain_act(act) for act in history.acts]), history.clocks


def _plain_act(act: Act) -> tuple[Any, ...]:
    stem, seq, event, by = act
    packed = stem, seq, pack_event(event)
    return packed if by is NOBODY else (*packed, tuple(by))


def history_of(plain: tuple[Any, ...]) -> History:
    """Return the history of plain tuples."""
    uses, last, acts, clocks = plain
    found = [
        Act._make((*act[:2], unpack_event(act[2]), Signature(*act[3]) if act[3:] else NOBODY))
        for act in acts
    ]
    return History._make((uses, last, tuple(found), clocks))


def plain(value: Any) -> Any:
    """Return a policy, or a part of one, as plain tuples, for the cache."""
    return tuple([plain(part) for part in value]) if isinstance(value, tuple) else value


def policy_of(values: Any) -> Policy:
    """Return the policy of plain tuples."""
    policy: Policy = _like(Policy(), values)
    return policy


def _like(known: Any, values: Any) -> Any:
    """Return a record that is of the class of another, as its parts are."""
    parts = []
    for name, part, value in zip(known._fields, known, values, strict=True):
        if name in _LISTED:
            parts.append(tuple([_LISTED[name](*row) for row in value]))
        else:
            parts.append(_like(part, value) if hasattr(part, "_fields") else value)
    return type(known)(*parts)


# ---- rows of what captured logs tell, and of the newest log of each agent and session -------------------
# The newest that corrects a fact is known too. It is kept up log by log: among 100,000 logs nobody looks
# for them.

#: Writes rows of `newest`; a log that arrives late takes nobody's place. In the rows of `reach_rows` the
#: place of the stem is taken by a number of `_DIGITS` digits.
NOTE_NEWEST = (
    "INSERT INTO newest VALUES (?, ?) "
    "ON CONFLICT(name) DO UPDATE SET stem = max(stem, excluded.stem)"
)
CORRECTION = "correction"
#: The type of a log that says nothing of who was there: it brings what another tool wrote.
IMPORT = "import"
_DIGITS = 20
#: What is said of logs, and of no fact.
TELLING = frozenset([VERB_OF[kind] for kind in OF_LOGS])
_CORRECTING = frozenset([kind for kind, verb in GRAMMAR.items() if verb.corrects])


def agent_name(agent: str) -> str:
    """Return the name of the row of an agent."""
    return f"agent {agent}"


def session_name(session: str, agent: str = "") -> str:
    """Return the name of the row of a host session, as far as it is one agent's.

    `agent` is "" for what was captured of the session, by whatever agent.
    """
    return f"session {session}\n{agent}"


def stretch_name(agent: str) -> str:
    """Return the name of the row of an agent's newest work that names no host session."""
    return f"stretch {agent}"


def session_names(entry: Entry) -> tuple[str, ...]:
    """Return the names of the rows of a log that begins a host session, or is work without one."""
    if entry.uses and not entry.session:
        return (stretch_name(entry.agent),)
    if not (entry.work and entry.session):
        return ()
    name = session_name(entry.session, entry.agent)
    return (name, session_name(entry.session)) if entry.reach else (name,)


def reach_name(host: str, session: str, kind: str, name: str) -> str:
    """Return the name of the row that says up to where captured logs tell of a host's session.

    `kind` is `OBSERVED` or `TRANSCRIPT`; `name` is of what is told of: when the spool began, or the
    transcript's.
    """
    return f"reach {host}\n{session}\n{kind} {name}"


def reach_rows(reach: Sequence[str], session: str) -> dict[str, str]:
    """Return the rows of one captured log: up to where, by what it is a span of.

    `reach` is its host and its spans (`ledger.model.session.Entry`); () gives none.
    """
    rows: dict[str, str] = {}
    for kind, value in zip((OBSERVED, TRANSCRIPT), reach[1:], strict=False):
        span = span_of(value)
        if span is not None:
            rows[reach_name(reach[0], session, kind, span.name)] = f"{span.end:0{_DIGITS}}"
    return rows


def shown_rows(entry: Entry) -> list[tuple[str, str, str]]:
    """Return the facts that a log says its session was shown (FORMAT.md, W13), with that and itself."""
    session = entry.session or entry.stem
    value = dict(entry.reported).get(SHOWN_KEY, "")
    return [(fact, session, entry.stem) for fact in shown_in(value)] if value else []


def landing_rows(entry: Entry) -> list[tuple[str, str, str, str, str]]:
    """Return what a log says of the work of others: itself, the verb, the other log, a commit, how."""
    rows = []
    for verb, said in entry.reported:
        if verb in TELLING:
            named, _, how = said.partition(" ")
            stem, _, commit = named.partition("→")
            rows.append((entry.stem, verb, stem, commit, how))
    return rows


def place_rows(entry: Entry) -> list[tuple[str, str, int, str]]:
    """Return where the work was done that a log tells of (`ledger.model.session.place_of`)."""
    value = dict(entry.reported).get(PLACE, "")
    commit, dirty, branch = value.split(" ", 2) if value else ("", "", "")
    return [(entry.stem, commit, int(dirty == "dirty"), branch)] if value else []


def corrects(event: Event) -> bool:
    """Tell whether an event says that something does not hold any more, or holds otherwise."""
    if type(event) is FactUpdated:
        return event.text is not None
    return type(event) in _CORRECTING


def newest_logs(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the rows of some logs: the newest stem by name."""
    found: dict[str, str] = {}
    for entry in entries:
        stem, _, agent, kind, _, acts, session, reach, *_ = entry
        name = agent_name(agent)
        if stem > found.get(name, "") and kind != IMPORT:
            found[name] = stem
        for name in session_names(entry):
            found[name] = max(stem, found.get(name, ""))
        for name, end in reach_rows(reach, session).items() if reach else ():
            found[name] = max(end, found.get(name, ""))
        if acts and stem > found.get(CORRECTION, "") and any(map(corrects, acts)):
            found[CORRECTION] = stem
    return found
