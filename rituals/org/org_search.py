"""Find what answers a question over all ledgers that somebody may read, by the library's own ranker.

The database finds candidates by words; how common a word is, what is spelled like it and what begins so is
counted on the ledgers alone that the asker may read. Scores are the library's own, times how much a
ledger is about the question.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import prod
from threading import get_ident
from typing import Any

from ledger.environment import now_ms
from ledger.errors import DiurnaError
from ledger.git.repository import find_repository
from ledger.model import instants
from ledger.remote.forge import forge_at
from ledger.remote.remote import without_credentials
from memory import (
    AT_BITS,
    FACTS_FROM,
    PLACE_BITS,
    Answer,
    Candidate,
    Filters,
    Hit,
    LogRow,
    Lookups,
    Piece,
    Scored,
    ScorePart,
    Search,
    Totals,
    in_a_row,
    ordered,
    search,
    tokens_of,
    weight_of,
)
from projection.document.fact_remarks import Mark
from projection.fold.fact_history import Fact
from projection.fold.live_view import Standing
from projection.fold.testimony import Testimony
from projection.policy.model import CLOSABLE
from projection.text.clipping import one_line
from rituals.org.org_database import Connection, DatabaseFailed, connect, place_of, told
from rituals.org.org_rows import BEHIND, Stems, quoted

Row = dict[str, Any]

#: Words are looked up, the rarest first, as long as they stand in so few facts together.
PLACES_MOST = 5000
#: So many candidates are ranked, and so many logs read where no fact answers.
CANDIDATES, LOGS = 100, 50
#: How much of a question one of so many first facts must say: somebody always says something that has the
#: words. Chosen on questions of one ledger (tests/bench/BENCH.md), each half of which bears it out.
BAR, FIRST = 0.7, 3
#: How much more a ledger counts that is about all of the question, and the asker's own.
ABOUT, OWN = 3.0, 1.5
#: What only one ledger can tell, and the option that asks for it.
_OF_ONE = {
    "tags": "--tag", "agents": "--agent", "roles": "--role", "branches": "--branch", "as_of": "--as-of",
    "yours": "--yours",
}  # fmt: skip
#: So long is a text that is as long as its ledger's are.
_CHARS = 200
NEAREST = "nobody seems to know; nearest:"
_LINE_CHARS = 200


#: What was found: facts with their rows, best first; without one, logs; notes; and whether the facts
#: answer.
_Found = tuple["list[tuple[Row, Scored]]", "list[Row]", "tuple[str, ...]", bool]


class Asker:
    """Asks as whom the server lets in, by its functions alone, over one connection as long as it holds."""

    def __init__(self) -> None:
        self._base: Connection[Any] | None = None
        self._key: tuple[str, int] = ("", 0)
        self.stems: Stems

    def open(self) -> Connection[Any]:
        """Return the connection: of this thread, and of what $DIURNA_ORG says now."""
        key = place_of(), get_ident()  # what words are read with is its thread's
        if self._base is None or self._base.closed or key != self._key:
            self.close()
            self._base, self._key, self.stems = connect(), key, Stems()
            self._base.prepare_threshold = None  # a pool in between may not keep them
            # of many ledgers a plan looks dear: compiling it takes longer than answering
            self._base.execute("SET statement_timeout = '5s'; SET jit = off")
        return self._base

    def close(self) -> None:
        """End the connection."""
        if self._base is not None:
            self._base.close()
        self._base = None

    def rows(self, function: str, *values: object) -> list[Any]:
        """Return what a function of the schema gives: objects, or rows of several columns."""
        marks = ", ".join(["%s"] * len(values))
        found = self.open().execute(f"SELECT * FROM org.{function}({marks})".encode(), values)
        return [row[0] if len(row) == 1 else row for row in found]

    def recall(self, question: str, wanted: Row, limit: int, own: str) -> _Found:
        """Find what answers a question; where the connection broke meanwhile, it is asked anew.

        `wanted` is what hits have to be (`filters_of`); `own` the address of the asker's repository.
        """
        held = self.open()
        try:
            with told():
                return self._recall(question, json.dumps(wanted), limit, own)
        except DatabaseFailed:
            if not held.closed:
                raise
        with told():
            return self._recall(question, json.dumps(wanted), limit, own)

    def _recall(self, question: str, wanted: str, limit: int, own: str) -> _Found:
        index = _Index(self, wanted, question)
        if not index.totals.facts:
            return [], [], (), False
        looking = search(Lookups(index), question, told=0)  # type: ignore[arg-type]
        notes = looking.notes
        counts, texts = index.counts(index.looked), index.totals.facts
        weights = {stem: weight_of(counts[stem], texts) for stem in index.looked}
        if not weights:
            return [], [], notes, False
        rarest, read = list[str](), 0
        for stem in sorted(weights, key=lambda stem: (counts[stem], stem)):
            read += counts[stem]
            if rarest and read > PLACES_MOST:
                break
            rarest.append(stem)
        words = list(weights), list(weights.values())
        index.rows_are(self.rows("find", rarest, *words, wanted, CANDIDATES))
        found = search(Lookups(index), question, told=0)  # type: ignore[arg-type]
        best = _ranked(index, found, own)
        covered = max([scored.covered for _, scored in best[:FIRST]], default=0.0)
        sure = covered >= BAR
        logs = [] if best and sure else self.rows("find_logs", question, wanted, LOGS)
        return best[:limit], logs[:limit], notes, sure


def _ranked(index: _Index, found: Search, own: str) -> list[tuple[Row, Scored]]:
    """Order what was found by the library's score, by what a ledger is about, and by whose it is."""
    candidates = []
    for scored in found.facts:
        row = index.row(scored.row)
        parts = [("about", 1 + ABOUT * row["about"])]
        parts += [("own", OWN)] * (bool(own) and row["url"] == own)
        score = scored.score * prod([factor for _, factor in parts])
        fact = Fact(
            f"{row['ledger']}/{row['id']}", row["kind"], (), (), row["created"], "", row["last_used"],
            0, "", "", closed=row["closed"] and row["kind"] in CLOSABLE,
        )  # fmt: skip
        named = scored._replace(score=score, parts=(*scored.parts, *parts))
        standing = Standing(fact, row["tier"], row["reason"])
        candidates.append(Candidate(named, standing, row["created"] or row["stem"][:10]))
    best = [one.scored for one in ordered(candidates)]
    return [(index.row(scored.row), scored) for scored in best]


class _Index:
    """What `memory.recall` asks of an index: the words of a question, and its candidates."""

    def __init__(self, asker: Asker, wanted: str, question: str) -> None:
        self._asker, self._wanted, self.stemmer = asker, wanted, asker.stems
        self._counts: dict[str, int] = {}
        self.totals = Totals(0, 0, self.counts(["", *asker.stems.each([question])[0]])[""])
        self._rows: list[Row] = []
        #: the words that were looked up, in order
        self.looked: dict[str, None] = {}

    def rows_are(self, rows: list[Row]) -> None:
        """Take candidates: the older text has the lower number, as in a ledger."""
        self._rows = sorted(rows, key=lambda row: (row["stem"], row["ledger"], row["id"]))

    def row(self, number: int) -> Row:
        """Return a candidate by its row."""
        return self._rows[number >> PLACE_BITS]

    def counts(self, stems: Iterable[str]) -> dict[str, int]:
        """Return how many facts have each of some words, and of those that were asked for before."""
        if new := [stem for stem in stems if stem not in self._counts]:
            self._counts |= dict.fromkeys(new, 0)
            self._counts |= dict(self._asker.rows("counts", new, self._wanted))
        return self._counts

    def beginning(self, start: str, most: int) -> list[str]:
        """Return words that begin so, commonest first."""
        found = dict(self._asker.rows("beginning", [start], most, self._wanted))
        self._counts |= found
        return list(found)

    def found(self, stems: Iterable[str], facts: bool) -> dict[str, tuple[set[int], list[int]]]:
        """Return by word the candidates that hold it, which are facts, and its places there."""
        self.looked |= dict.fromkeys(stems)
        each = {stem: self._places(stem) for stem in stems}
        return {stem: ({at >> AT_BITS for at in places}, places) for stem, places in each.items()}

    def _places(self, stem: str) -> list[int]:
        key = f"{quoted(stem)}:"
        return [
            (number << PLACE_BITS | FACTS_FROM) << AT_BITS | (int(at) - 1) % BEHIND
            for number, row in enumerate(self._rows)
            for at in row["words"].partition(key)[2].partition(" ")[0].split(",")
            if at
        ]

    def words_of(self, facts: bool) -> str:
        """Return no word: only whole words and beginnings are asked of the database."""
        return ""

    def matching(self, phrase: Sequence[str]) -> frozenset[int]:
        """Return the candidates in which words follow each other."""
        return frozenset(in_a_row(phrase, self.found(phrase, True)))

    def at(self, number: int) -> tuple[LogRow, Piece]:
        """Return the log of a candidate and its text there, as the ranker asks for them."""
        row = self.row(number)
        # beside its ledger's own texts: where all are long, none says less by that
        chars = round(_CHARS * len(row["text"]) / row["usual"])
        piece = Piece(0, chars, row["id"])
        return LogRow(row["stem"], "", row["created"], row["agent"] or "", "", ""), piece


def filters_of(filters: Filters, repo: str = "", team: str = "") -> Row:
    """Return what hits have to be, as `org.find` takes it; `repo` is a name or an address, "" for all.

    Raises:
        NotFound: a point of time is none.
        DiurnaError: something is asked for that only one ledger can tell.
    """
    for key, option in _OF_ONE.items():
        if getattr(filters, key):
            raise DiurnaError(f"{option} is not asked of all ledgers", hint="ask one: --home")
    said = {
        "repo": repo, "team": team, "kinds": list(filters.kinds), "tiers": list(filters.tiers),
        "entities": list(filters.entities), "since": instants.since(filters.since, now_ms()),
        "until": filters.until and instants.until(filters.until, now_ms()) + "~",
        "superseded": filters.superseded,
    }  # fmt: skip
    return {key: value for key, value in said.items() if value}


def recall(
    question: str, wanted: Row, limit: int = 10, *, folder: str = "",
    explain: bool = False, full: bool = False, asker: Asker | None = None,
) -> Answer:  # fmt: skip
    """Find what answers a question in all ledgers that the one who asks may read.

    `wanted` is what hits have to be (`filters_of`); the repository of `folder` counts more, "" for none.
    A process that asks again keeps its `asker`; with `full` hits have all of their text.
    """
    asked = asker or Asker()
    try:
        facts, logs, notes, sure = asked.recall(question, wanted, limit, _address(folder))
    finally:
        if asker is None:
            asked.close()
    hits = [_fact_hit(*one, explain, full) for one in facts]
    hits += [_log_hit(row, full) for row in logs]
    notes = (*notes, NEAREST) if hits and not sure else notes
    return Answer(tuple(hits), notes)


def _address(folder: str) -> str:
    """Return the address of the repository of a folder, "" for none."""
    found = find_repository(folder) if folder else None
    if found is None:
        return ""
    url = found.git().text("config", "--get", "remote.origin.url", check=False).strip()
    return url or found.where


def _fact_hit(row: Row, scored: Scored, explain: bool, full: bool) -> Hit:
    said = "superseded or false" if row["false"] else "closed" if row["closed"] else ""
    line = (str if full else one_line)(f"{said}: {row['text']}" if said else row["text"])
    id, day = f"{row['name']}/{row['id']}", str(row["created"] or row["stem"][:10])
    known = Testimony(row["known"], row["known_by"])
    who = known.said if known.by or not row["author"] else ""
    text = f"{id}  {row['kind']}  {row['tier']}  {day}  {line}  ({who or _writer(row, known.word)})"
    text += f"\n    {_place(row)}"
    parts = tuple([ScorePart(name, value) for name, value in scored.parts]) if explain else ()
    mark = Mark(row["closed"], row["false"], (), said)
    return Hit(
        id, row["kind"], row["tier"], day, row["stem"], row["agent"] or "", scored.score, line, text,
        tokens_of(text), tokens_of(row["text"]), parts, mark, "", known,
    )  # fmt: skip


def _log_hit(row: Row, full: bool) -> Hit:
    id, day = f"{row['name']}/{row['stem']}", row["ended"][:10]
    said = f"{row['title']}: {row['body']}"
    line = said if full else one_line(said)[:_LINE_CHARS]
    text = f"{id}  session  {day}  {line}  ({_writer(row)})\n    {_place(row)}"
    return Hit(
        id, "session", "", day, row["stem"], row["agent"], 0.0, line, text, tokens_of(text),
        tokens_of(row["body"]),
    )  # fmt: skip


def _place(row: Row) -> str:
    """Say where the log of a row is: on the forge, else in which file of which commit."""
    commit, path = row["commit"] or row["tip"], row["path"] or ""
    there = f"{without_credentials(row['url'])} {commit[:12]}:{path}"
    return forge_at(row["url"]).file(path, commit) or there


def _writer(row: Row, word: str = "") -> str:
    """Return who wrote a log: the agent, or who committed it, as far as git tells."""
    by = f"committed by {row['author']}" if row["author"] else ""
    return row["agent"] or ", ".join(filter(None, [word, by])) or "nobody named"
