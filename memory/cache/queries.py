"""Ask the cache about facts and logs: each answer is what the rows of one commit say."""

from __future__ import annotations

from ledger.model.finding_codes import Finding
from ledger.model.log_names import LogRef, key_of
from ledger.model.session import Entry
from memory.cache.database import Database
from memory.cache.schema import (
    FALSE,
    MAY_END,
    PENDING,
    PINNED,
    Head,
    agent_name,
    entry_in,
    unpack_history,
)
from memory.cache.stamp import unpack
from projection.fold.fact_history import Fact, History
from projection.fold.falsity import opposed
from projection.fold.fold import resolve
from projection.fold.live_view import (
    DecayClock,
    LiveView,
    Standing,
    Summary,
    clock_at,
    live_view,
    never_decaying,
    stand,
)
from projection.policy.model import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any

    from projection.document.fact_remarks import Met
    from projection.fold.falsity import Edge


#: How many values one query takes.
_CHUNK = 500
LOGS = "SELECT stem, path, blob, entry, acts FROM logs"
_HISTORY = "SELECT id, history FROM facts WHERE id"
_MAY_BE_CONTESTED = "SELECT id FROM facts WHERE contested"


class Questions(Database):
    """What can be asked of a cache that is open."""

    met: Met  #: what was found to stand in the place of what is false
    gone: dict[str, tuple[tuple[str, str], ...]]  #: (log, sentence) that held once
    shown: dict[tuple[str, str], int]  #: so many sessions since a stem, by fact
    _headers: dict[str, Entry | None]
    _clock: DecayClock | None
    _opposed: dict[str, tuple[str, ...]] | None  #: by footers
    head: Head
    policy: Policy

    def forget(self) -> None:
        """Let go of what was worked out of the logs: there are others."""
        self.met, self.gone, self.shown, self._headers = {}, {}, {}, {}
        self._opposed, self._clock = None, None

    def logs(self, among: str, values: Sequence[object] = ()) -> list[tuple[LogRef, Entry]]:
        """Return the logs that the rest of a question about `logs` names, with what they say."""
        rows = self.rows(f"{LOGS} {among}", values)
        return [(LogRef(*row[:3]), entry_in(*row[3:])) for row in rows]

    def refs(self, among: str, values: Sequence[object] = ()) -> list[LogRef]:
        """Return the same logs without what they say."""
        rows = self.rows(f"SELECT stem, path, blob FROM logs {among}", values)  # noqa: S608 - our own words
        return [LogRef(*row) for row in rows]

    def rows_among(self, question: str, names: Sequence[object]) -> list[Any]:
        """Return the rows of a question about any number of names, which `IN (?)` in it stands for."""
        found: list[Any] = []
        for start in range(0, len(names), _CHUNK):
            part = names[start : start + _CHUNK]
            places = ", ".join("?" * len(part))
            found += self.rows(question.replace("IN (?)", f"IN ({places})"), part)
        return found

    @property
    def summary(self) -> Summary:
        """What there is to say of all logs."""
        return self.head.summary

    @property
    def cut(self) -> frozenset[Edge]:
        """Supersessions that do not count: they close a circle, or were taken back."""
        return self.head.cut

    @property
    def redacted(self) -> frozenset[str]:
        """Ids of facts and stems of logs of which nothing is shown (F9)."""
        return self.head.redacted

    def clock(self) -> DecayClock:
        """Return where the ledger stands; it holds until there is another log."""
        if self._clock is None:
            windows, sessions = self.policy.windows, self.summary.sessions
            stems = self.work_stems(max(windows.working, windows.active, windows.archive) + 1)
            found = clock_at(stems, len(stems), self.work_dates(windows.longest_days), windows)
            self._clock = found._replace(sessions=sessions)
        return self._clock

    def work_dates(self, number: int) -> list[str]:
        """Return the newest dates that have a `work` log, ascending, at most so many."""
        dates = self.column(
            "WITH RECURSIVE day(date) AS (SELECT substr(max(stem), 1, 10) FROM logs WHERE work "
            "UNION ALL SELECT (SELECT substr(max(stem), 1, 10) FROM logs WHERE work AND stem < date) "
            "FROM day WHERE date NOT NULL LIMIT ?) SELECT date FROM day WHERE date NOT NULL",
            (number,),
        )
        return dates[::-1]

    def placing(self) -> Callable[[Fact], Standing]:
        """Return what tells where facts stand: for many of them the clock is read once."""
        clock, lasting = self.clock(), never_decaying(self.policy)
        return lambda fact: stand(fact, clock, lasting)

    def may_end(self) -> list[str]:
        """Return the facts that hold and may say what ends them, or by what they are checked."""
        return self.column(f"SELECT id FROM facts WHERE {MAY_END} ORDER BY id")  # noqa: S608 - our own words

    def view(self, apart: Collection[str] | None = None) -> LiveView:
        """Return what `continuity.md` shows, without looking at what is archived.

        `apart` leaves out what is plain (`memory.cache.schema`), but for these ids.
        """
        clock, rows = self.clock(), self.maybe_live(self.clock(), plain=apart is None)
        beside = sorted({*(apart or ())} - rows.keys())
        found = [*rows.items(), *self.rows_among(f"{_HISTORY} IN (?) AND plain", beside)]
        facts = [self._set_against(fact) for row in found if (fact := self.resolved(*row))]
        contested = self.contested()
        return live_view(self.summary, self.policy, clock, facts, contested, self.head.counts)

    def contested(self) -> Iterator[Fact]:
        """Yield the facts of which something stands against something, by id."""
        for id in sorted({*self.column(_MAY_BE_CONTESTED), *self.against()}):
            if (found := self.fact(id)) and found.contradicted:
                yield found

    def _set_against(self, fact: Fact) -> Fact:
        """Return a fact with what footers set against it."""
        against = self.against().get(fact.id)
        return fact._replace(opposed=against) if against else fact

    def against(self) -> dict[str, tuple[str, ...]]:
        """Return what footers set against each other; it holds until there is another log."""
        if self._opposed is None:
            facts = [fact for id in self.column(_MAY_BE_CONTESTED) if (fact := self.alone(id))]
            self._opposed = opposed(facts, self.alone) if facts else {}
        return self._opposed

    def resolved(self, fact: str, packed: bytes) -> Fact | None:
        """Read a fact off its packed history."""
        return resolve(fact, unpack_history(packed), self.cut)

    def maybe_live(self, clock: DecayClock, *, plain: bool = True) -> dict[str, bytes]:
        """Return the packed histories of what may stand in `continuity.md`, by id.

        With the clock of an earlier log: without those that had left it for good by then. `plain`: of what
        is plain those too that may fade.
        """
        asked = "SELECT id, history FROM facts WHERE state "
        rows = self.rows(
            asked + "IN (1, 2) AND plain IN (0, ?, 2 * ?) AND anchor >= ?",
            (plain, plain, clock.archive),
        )
        rows += self.rows(asked + "= 2 AND anchor < ?", (clock.archive,))
        for kind in sorted(never_decaying(self.policy)):
            rows += self.rows(asked + "= 1 AND kind = ?", (kind,))
        young = "IN (1, 2) AND young != '' AND young != anchor AND young >= ? AND anchor < ?"
        return dict(rows + self.rows(asked + young, (clock.working, clock.archive)))

    def alone(self, fact: str) -> Fact | None:
        """Return a fact as its own history tells it."""
        row = self.row("SELECT history FROM facts WHERE id = ?", (fact,))
        return None if row is None else self.resolved(fact, row[0])

    def fact(self, fact: str) -> Fact | None:
        """Return one fact, None when there is none of this id."""
        found = self.alone(fact)
        if found is None:
            return None
        if len(found.superseded_by) < 2:
            return self._set_against(found)
        states = self.rows_among("SELECT id, state FROM facts WHERE id IN (?)", found.superseded_by)
        live = sorted([name for name, state in states if state not in (PENDING, FALSE)])
        return found._replace(rivals=tuple(live) if len(live) > 1 else ())

    def facts(self, among: str, values: Sequence[object] = ()) -> list[Fact]:
        """Return the facts that the rest of a question about `facts` names, each as it is alone."""
        rows = self.rows(f"SELECT id, history FROM facts {among}", values)  # noqa: S608 - our own words
        return [fact for row in rows if (fact := self.resolved(*row))]

    def facts_of_kind(self, kind: str, *, unsettled: bool = False) -> list[Fact]:
        """Return all facts of a kind, archived and false ones too.

        `unsettled`: those alone that are open, or that a person made `core`.
        """
        return self.facts(
            f"WHERE kind = ?{f' AND state = {PINNED:d}' if unsettled else ''}", (kind,)
        )

    def some_followed(self) -> bool:
        """Tell whether any fact may not hold as it was created."""
        return bool(self.row("SELECT id FROM facts WHERE followed LIMIT 1"))

    def followed(self, facts: Sequence[str]) -> set[str]:
        """Return those of some facts that may not hold as they were created (`memory.cache.schema`)."""
        asked = "SELECT id FROM facts WHERE followed AND id IN (?)"
        return {id for (id,) in self.rows_among(asked, facts)}

    def some_facts(self, facts: Iterable[str]) -> list[Fact]:
        """Return the facts among some ids, each as it is alone."""
        known = self.some_histories(facts).items()
        return [fact for one in known if (fact := resolve(*one, self.cut))]

    def some_histories(self, facts: Iterable[str]) -> dict[str, History]:
        """Return what is known of some ids."""
        ids = list(dict.fromkeys(facts))
        stored = dict(self.rows_among(f"{_HISTORY} IN (?)", ids))
        return {fact: unpack_history(stored[fact]) for fact in ids if fact in stored}

    def about_names(self) -> str:
        """Return the values of the footer `entity`, each once, with commas between."""
        asked = "SELECT coalesce(group_concat(DISTINCT about), '') FROM facts WHERE about != ''"
        return str(self.row(asked)[0])

    def fact_ids(self) -> list[str]:
        """Return the ids of all facts, sorted: those that a log brought a text for."""
        return self.column("SELECT id FROM facts WHERE state != ? ORDER BY id", (PENDING,))

    def work_stems(self, newest: int = -1) -> list[str]:
        """Return the stems of all `work` logs, or of the newest ones, in ledger order."""
        asked = "SELECT stem FROM logs WHERE work ORDER BY stem DESC LIMIT ?"
        return self.column(asked, (newest,))[::-1]

    def times_shown(self, fact: Fact) -> int:
        """Count the sessions that were shown a fact since its last use, as captured logs say."""
        key, asked = (
            (fact.id, fact.anchor),
            "SELECT count(*) FROM shown WHERE fact = ? AND stem > ?",
        )
        return self.shown[key] if key in self.shown else int(self.row(asked, key)[0])

    def sessions_after(self, stem: str) -> int:
        """Count the `work` logs after a stem."""
        if not stem:
            return self.summary.sessions
        row = self.row("SELECT count(*) FROM logs WHERE work AND stem > ?", (stem,))
        return int(row[0])

    def entries(self) -> list[tuple[LogRef, Entry]]:
        """Return all logs with what they say, in the order added."""
        return self.logs("ORDER BY number")

    def entries_naming(self, text: str) -> list[tuple[LogRef, Entry]]:
        """Return, in the order added, the logs in whose entry a text stands, in whatever way."""
        packed = text.encode("utf-8", "surrogatepass")  # as `marshal` does, without an ending
        return self.logs("WHERE instr(entry, ?1) OR instr(acts, ?1) ORDER BY number", (packed,))

    def packed_entries(self, after: int = 0) -> list[tuple[str, str, str, bytes, bytes]]:
        """Return (key, path, blob, entry, acts) of the logs added after a number, in ledger order."""
        # SQLite would walk all stems to spare itself the sorting of a few
        return sorted(self.rows(f"{LOGS} WHERE number > ?", (after,)))

    def newest_number(self) -> int:
        """Return the number of the log added last, 0 when there is none."""
        return int(self.row("SELECT coalesce(max(number), 0) FROM logs")[0])

    def entries_since(self, stem: str) -> list[tuple[LogRef, Entry]]:
        """Return the logs from a stem (or the start of one) on, newest first."""
        return self.logs("WHERE stem >= ? ORDER BY stem DESC", (stem,))

    def newest_of(self, agent: str) -> str:
        """Return the stem of an agent's newest log, "" where it has none."""
        return self.newest_log(agent_name(agent))

    def newest_log(self, name: str) -> str:
        """Return the stem in a row of `newest` (`memory.cache.schema`), "" where there is none."""
        row = self.row("SELECT stem FROM newest WHERE name = ?", (name,))
        return "" if row is None else str(row[0])

    def reached(self, name: str) -> int:
        """Return how far captured logs tell of something (`schema.reach_name`), 0 for not at all."""
        return int(self.newest_log(name) or 0)

    def newest_entries(self, after: str, limit: int, *, bare: bool = False) -> list[Entry]:
        """Return the newest logs behind a stem, newest first, at most so many; `bare` ones as `header`."""
        asked = f"SELECT entry{', acts' * (not bare)} FROM logs WHERE stem > ? ORDER BY stem DESC LIMIT ?"  # noqa: S608 - ours
        found = [entry_in(*row) for row in self.rows(asked, (after, limit))]
        self._headers.update([(one.stem, one) for one in found])
        return found

    def entry(self, stem: str) -> Entry | None:
        """Return what one log says, by its whole stem."""
        row = self.row("SELECT entry, acts FROM logs WHERE stem = ?", (stem,))
        return None if row is None else entry_in(*row)

    def header(self, stem: str) -> Entry | None:
        """Return what one log says of itself, without its events; it holds until there is another log."""
        if stem not in self._headers:
            row = self.row("SELECT entry FROM logs WHERE stem = ?", (stem,))
            self._headers[stem] = None if row is None else entry_in(*row)
        return self._headers[stem]

    def log_refs(self) -> list[LogRef]:
        """Return all logs in ledger order."""
        return self.refs("ORDER BY stem")

    def log_ref(self, stem: str) -> LogRef | None:
        """Return one log by its whole stem, or by its key."""
        return next(iter(self.refs("WHERE stem = ?", (key_of(stem),))), None)

    def known(self, stems: Sequence[str]) -> dict[str, LogRef]:
        """Return the logs among some, by stem."""
        rows = self.rows_among("SELECT stem, path, blob FROM logs WHERE stem IN (?)", stems)
        return {row[0]: LogRef(*row) for row in rows}

    def findings(self) -> tuple[Finding, ...]:
        """Return what reading the logs brought up."""
        found = self.column("SELECT value FROM findings ORDER BY number")
        return tuple([unpack(packed, lambda plain: Finding(*plain)) for packed in found])

    def unread(self) -> tuple[Finding, ...]:
        """Return which logs could not be read: without them the state is incomplete."""
        return tuple([Finding(*plain) for plain in self.head.unread])
