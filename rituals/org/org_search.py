"""Find what answers a question over all ledgers that somebody may read, by the library's own ranker.

The database finds candidates by words; how common a word is, what is spelled like it and what begins so is
counted on the asker's shelves alone. Scores are the library's own, times how much a ledger is about the
question.
"""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from contextlib import contextmanager

from ledger.environment import now_ms
from ledger.errors import DiurnaError
from ledger.model import instants
from ledger.model.record import Record
from ledger.remote.forge import forge_at
from memory.recall.index.fts_file import Totals
from memory.recall.index.rows import FACTS_FROM, PLACE_BITS, LogRow, Piece
from memory.recall.passage_search import search
from memory.recall.query.postings import Lookups
from memory.recall.rank.bm25 import weight_of
from memory.recall.rank.standing_order import Candidate, ordered
from memory.recall.recall_values import COMMON_NOTES, Filters
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.policy.model import CLOSABLE
from rituals.org.org_rows import BEHIND, Stems, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from memory.recall.passage_search import Search
    from memory.recall.rank.rank_types import Scored
    from rituals.org.org_database import Connection

#: Words are looked up, the rarest first, as long as they stand in so few facts together.
PLACES_MOST = 5000
#: So many candidates are ranked, and so many logs read where no fact answers.
CANDIDATES, LOGS = 100, 50
#: How much of a question one of so many first facts must say: somebody always says something that has the
#: words. Chosen on questions of one ledger (tests/bench/BENCH.md), each half of which bears it out.
BAR, FIRST = 0.7, 3
#: How much more a ledger counts that is about all of the question; the asker's own; their team's.
ABOUT, OWN, TEAM = 3.0, 1.5, 1.2
#: So many words that begin alike are counted, and so many are looked at for a spelling.
_BEGINNING, _SPELLED = 64, 5000
#: What only one ledger can tell, and the option that asks for it.
_OF_ONE = {
    "tags": "--tag", "agents": "--agent", "roles": "--role", "branches": "--branch", "as_of": "--as-of",
    "yours": "--yours",
}  # fmt: skip
#: So many words are kept, with how many facts have them, and none that so few have. So long is a text that
#: is as long as its ledger's are.
_KEPT, _FEW, _CHARS = 50_000, 50, 200


class Found(Record):
    """One fact that answers, with the row that it comes from, and its score."""

    row: dict[str, Any]
    score: float
    covered: float
    parts: tuple[tuple[str, float], ...]


class OrgAnswer(Record):
    """What was found: facts, best first; without one, logs. `sure` says whether the facts answer."""

    facts: tuple[Found, ...]
    logs: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]
    sure: bool


class Place(Record):
    """Where the asker is: the address of their repository, and their team; "" for not known."""

    url: str = ""
    team: str = ""


class Asker:
    """Asks for one person, by functions of the database alone.

    Args:
        base: a connection as the role of servers.
        token: the person's.
    """

    def __init__(self, base: Connection[Any], token: str) -> None:
        self._base, self._token = base, token
        self._stems = Stems()
        #: what was counted of words, as long as nobody counts anew and the same may be read
        self.counts: dict[str, int] = {}
        self.begun: dict[tuple[str, int], list[tuple[str, int]]] = {}
        #: all words of one repository, in order, where it alone is asked
        self.own: list[str] | None = None
        self._state = ""

    def rows(self, function: str, *values: object) -> list[dict[str, Any]]:
        """Return the rows that a function of the schema gives for this person."""
        marks = ", ".join(["%s"] * (1 + len(values)))
        with self._base.cursor() as cursor:
            cursor.execute(
                f"SELECT * FROM org.{function}({marks})".encode(), (self._token, *values)
            )
            names = [column.name for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Let all that is asked within be of one moment, and take its time."""
        with self._base.transaction():
            self._base.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            self._base.execute("SET LOCAL statement_timeout = '60s'")
            yield

    def recall(
        self, question: str, wanted: dict[str, Any], limit: int = 10, place: Place | None = None
    ) -> OrgAnswer:
        """Find what answers a question.

        `wanted` has what hits have to be, as `org.find` takes it: `repo`, `team`, `kinds`, `tiers`,
        `entities`, `since`, `until`, `superseded`.
        """
        asked = json.dumps(wanted)
        totals = next(iter(self.rows("totals", asked)), None)
        if totals is None:
            return OrgAnswer((), (), (), False)
        if totals["state"] != self._state or len(self.counts) > _KEPT:
            self._state, self.counts, self.begun, self.own = totals["state"], {}, {}, None
            if "repo" in wanted:
                self.counts = {row["word"]: row["facts"] for row in self.rows("vocabulary", asked)}
                self.own = sorted(self.counts)
        facts = max(1, totals["facts"])
        index = _Index(self, Totals(0, facts, _CHARS * facts))
        index.count_all(question)
        looking = search(index, question, told=0)  # type: ignore[arg-type]
        weights = {
            stem: weight_of(index.count(stem), index.totals.passages) for stem in index.looked
        }
        looked = _rarest(weights, index)
        notes = tuple([one for one in looking.notes if not one.startswith(COMMON_NOTES)])
        if not looked:
            return OrgAnswer((), (), notes, False)
        many = 1 if "repo" in wanted else totals["ledgers"]
        about = ABOUT if many > 1 else 0.0
        index.rows_are(
            self.rows("find", looked, list(weights), list(weights.values()), asked, CANDIDATES)
        )
        found = search(index, question, told=0, lookups=Lookups())  # type: ignore[arg-type]
        best = self._ranked(index, found, about, place or Place())
        said = max([one.covered for one in best[:FIRST]], default=0.0)
        sure = said >= BAR or (bool(best) and found.state.open and not found.subject)
        logs = () if best and sure else self.rows("find_logs", question, asked, LOGS)
        return OrgAnswer(tuple(best[:limit]), tuple(logs[:limit]), notes, sure)

    def _ranked(self, index: _Index, found: Search, about: float, place: Place) -> list[Found]:
        """Order what was found by the library's score, by what a ledger is about, and by whose it is."""
        candidates = []
        for scored in found.facts:
            row = index.row(scored.row)
            parts = [("about", 1 + about * row["about"])]
            parts += [("own", OWN)] * (bool(place.url) and row["url"] == place.url)
            parts += [("team", TEAM)] * (bool(place.team) and row["team"] == place.team)
            score = scored.score
            for _, factor in parts:
                score *= factor
            named = scored._replace(score=score, parts=(*scored.parts, *parts))
            candidates.append(_candidate(named, row))
        best = ordered(candidates, found.state)
        return [
            Found(index.row(one.scored.row), one.scored.score, one.scored.said, one.scored.parts)
            for one in best
        ]


def _candidate(scored: Scored, row: dict[str, Any]) -> Candidate:
    fact = Fact(
        f"{row['ledger']}/{row['id']}", row["kind"], (), (), row["created"], "", row["last_used"],
        0, "", "", closed=row["closed"] and row["kind"] in CLOSABLE,
    )  # fmt: skip
    return Candidate(
        scored, Standing(fact, row["tier"], row["reason"]), row["created"] or row["stem"][:10]
    )


def _rarest(weights: dict[str, float], index: _Index) -> list[str]:
    """Return the words that candidates are looked up by."""
    looked: list[str] = []
    read = 0
    for stem in sorted(weights, key=lambda stem: (index.count(stem), stem)):
        read += index.count(stem)
        if looked and read > PLACES_MOST:
            break
        looked.append(stem)
    return looked


class _Index:
    """What `memory.recall` asks of an index, over the candidates of one question."""

    def __init__(self, asker: Asker, totals: Totals) -> None:
        self._asker = asker
        self.totals = totals
        self._counts: dict[str, int] = {}
        self._rows: list[dict[str, Any]] = []
        #: the words that were looked up, in order
        self.looked: dict[str, None] = {}

    def rows_are(self, rows: list[dict[str, Any]]) -> None:
        """Take candidates: the older text has the lower number, as in a ledger."""
        self._rows = sorted(rows, key=lambda row: (row["stem"], row["ledger"], row["id"]))
        self.totals = self.totals._replace(logs=len(rows))

    def row(self, number: int) -> dict[str, Any]:
        """Return a candidate by its row."""
        return self._rows[number >> PLACE_BITS]

    def count_all(self, question: str) -> None:
        """Count the words of a question, all at once."""
        self._count(self.stems(question))

    def _count(self, stems: Iterable[str]) -> None:
        new = [one for one in dict.fromkeys(stems) if self._known(one) is None]
        for row in self._asker.rows("counts", new) if new else ():
            # what few have may have come since the counting, and more of it may come
            kept = self._asker.counts if row["facts"] > _FEW else self._counts
            kept[row["word"]] = row["facts"]

    def _known(self, stem: str) -> int | None:
        unknown = None if self._asker.own is None else 0
        return self._asker.counts.get(stem) or self._counts.get(stem, unknown)

    def stems(self, text: str) -> list[str]:
        """Return the words of a text as they are kept."""
        return self._asker._stems.of(text)

    def count(self, stem: str) -> int:
        """Return how many facts have a word."""
        known = self._known(stem)
        if known is None:
            self._count([stem])
        return self._known(stem) or 0

    def beginning(self, start: str) -> list[tuple[str, int]]:
        """Return the words that begin so, commonest first."""
        found = self._begun(start, _BEGINNING)
        self._counts.update(found)
        return found

    def spelled(self, start: str) -> list[str]:
        """Return the words that begin so."""
        return sorted([word for word, _ in self._begun(start, _SPELLED)])

    def _begun(self, start: str, most: int) -> list[tuple[str, int]]:
        known = self._asker.begun.get((start, most))
        own, counts = self._asker.own, self._asker.counts
        if own is not None:
            some = own[bisect_left(own, start) : bisect_left(own, start + chr(sys.maxunicode))]
            return sorted([(word, counts[word]) for word in some], key=lambda two: -two[1])[:most]
        if known is None:
            rows = self._asker.rows("beginning", start, most)
            known = [(row["word"], row["facts"]) for row in rows]
            self._asker.begun[start, most] = known
        return known

    def facts_found(self, stem: str) -> list[tuple[int, int]]:
        """Return where a word stands in candidates."""
        self.looked.setdefault(stem)
        key = f"{quoted(stem)}:"
        return [
            (number << PLACE_BITS | FACTS_FROM, (int(at) - 1) % BEHIND)
            for number, row in enumerate(self._rows)
            for at in row["words"].partition(key)[2].partition(" ")[0].split(",")
            if at
        ]

    def found(self, stem: str) -> list[tuple[int, int]]:
        """Return no passage: logs are asked for behind facts."""
        return []

    def newest(self, stem: str, count: int) -> list[int]:
        """The same."""
        return []

    def matching(self, phrase: Sequence[str]) -> frozenset[int]:
        """Return the candidates in which words follow each other."""
        ends: set[tuple[int, int]] | None = None
        for word in phrase:
            places = self.facts_found(word)
            ends = {(row, at) for row, at in places if ends is None or (row, at - 1) in ends}
        return frozenset([row for row, _ in ends or ()])

    def log(self, number: int) -> LogRow | None:
        """Return the log of a candidate, as the ranker asks for it."""
        row = self._rows[number]
        # beside its ledger's own texts: where all are long, none says less by that
        chars = round(_CHARS * len(row["text"]) / row["usual"])
        piece = Piece(0, chars, "", False, row["id"])
        return LogRow(row["stem"], "", row["created"], row["agent"] or "", "", "", 0, (), (piece,))

    def speaks(self, name: str) -> bool:
        """Tell that nobody speaks: candidates are no prose."""
        return False


def filters_of(filters: Filters, repo: str, team: str) -> dict[str, Any]:
    """Return what hits have to be, as `org.find` takes it.

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


def link_of(row: dict[str, Any]) -> str:
    """Return where a forge shows the log that a row comes from, "" for a folder of a machine."""
    url, path = str(row["url"]), row["path"]
    commit = row.get("commit") or row["tip"]
    if path and (known := forge_at(url).file(path, commit)):
        return known
    if not path or ("://" not in url and "@" not in url):
        return ""
    if "://" not in url:
        url = "https://" + url.rpartition("@")[2].replace(":", "/", 1)
    scheme, _, rest = url.partition("://")
    if scheme not in ("https", "ssh"):
        return ""
    return f"https://{rest.rpartition('@')[2].removesuffix('.git')}/blob/{commit}/{path}"
