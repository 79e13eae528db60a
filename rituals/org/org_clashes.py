"""Find where two ledgers of an organisation say opposite things of one entity: shown, never decided.

Which two facts disagree says the library's own comparison, as within a ledger. Only what the asker may
read is compared and counted. What was found of an entity is kept as long as no fact of it changes.
"""

from __future__ import annotations

import re
from hashlib import sha1
from itertools import combinations
from threading import Lock

from ledger.heavy_work import Uncollected
from ledger.model.record import Record
from projection.compare.candidates import Postings, queries, subjects
from projection.compare.pair_comparison import Claim, claim, opposition
from projection.compare.quantities import quantities
from projection.compare.statement_subjects import subject
from projection.fold.fact_history import Fact, Version
from projection.graph.fact_links import ENTITY_KEY
from projection.graph.graph_neighbours import folded, names_in
from projection.policy.model import CLOSABLE, QUESTION_KIND
from projection.text.normalize import index_words
from projection.text.topics import OFTEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from projection.compare.pair_comparison import Opposition
    from projection.compare.quantities import Quantity
    from projection.text.normalize import Statement
    from rituals.org.org_search import Asker

    Row = dict[str, Any]
    Side = tuple[Row, Claim, set[int]]

#: What more ledgers speak of is everybody's, and each means its own: `api`, `cache`.
LEDGERS_MOST = 20
#: Of more facts of one entity not all pairs are compared.
CROWD = 200
#: Kinds that claim nothing.
_WITHOUT = sorted(CLOSABLE | {QUESTION_KIND})
#: Rules of statements in words of their own that are right too seldom over ledgers (ORG.md has the
#: numbers), and one that is right where a side tells what its own repository does.
_UNSURE, _OF_CHOICES = frozenset(("denial", "order", "owner")), "alternative"
#: How a statement begins that tells what its own repository does.
_OWN = re.compile(
    r"(?:[^:]*: )?\W*(?:we|our|this|use[ds]?|using|adopt(?:ed)?|choose|chose|chosen|prefer|requires?"
    r"|mandate|enforce|implement|introduce|replaced?|store|start|keep|set|build|format|run|always|never"
    r"|avoid|do not|don't|no)\b",
    re.IGNORECASE,
)
#: Of so many entities, and for so many sets of ledgers as they stand, what was found is kept.
_ENTITIES_KEPT, _LISTS_KEPT = 100_000, 16


class Clash(Record):
    """Two facts of different ledgers that disagree, each a row as `org.find` gives it, the newer first."""

    entity: str  #: as the newer one writes it
    subject: str  #: the words that both statements share
    reason: str  #: the words that differ, and the rule that says so
    first: Row
    second: Row
    chosen: bool  #: one tells what its own repository does: a difference, and no contradiction


#: By the entity and all that stands of it, so that nobody meets what came of other ledgers than theirs.
_of_entity: dict[bytes, tuple[Clash, ...]] = {}
_lists: dict[bytes, tuple[Clash, ...]] = {}
_keeping = Lock()


def clashes(
    asker: Asker, *, team: str = "", repo: str = "", entity: str = "", chosen: bool = False
) -> tuple[Clash, ...]:
    """Find what ledgers that somebody may read say against each other, the newest first.

    `team` and `repo` (a name or an address) are of one of the two sides; with `chosen` only what each
    chose for itself is returned, else only the other pairs.
    """
    tips = asker.rows("tips")
    found = _lists.get(_hash(tips))
    if found is None:
        found = _found(asker)
    wanted = folded(entity)
    return tuple([
        one for one in found
        if one.chosen == chosen
        and (not wanted or wanted in map(folded, names_in(one.first["entity"])))
        and any(
            team in ("", row["team"]) and repo in ("", row["name"], row["url"])
            for row in (one.first, one.second)
        )
    ])  # fmt: skip


def _found(asker: Asker) -> tuple[Clash, ...]:
    """Compare what is new, and list all of it with where its ledgers stand now."""
    known: dict[str, tuple[Clash, ...]] = {}
    new: dict[str, bytes] = {}
    with asker.moment():
        tips = asker.rows("tips")
        spoken: dict[str, list[tuple[str, int, int]]] = {}
        for row in asker.rows("spoken", _WITHOUT):
            for name in map(folded, names_in(row["entity"])):
                spoken.setdefault(name, []).append((row["entity"], row["ledger"], row["sign"]))
        for name, held in spoken.items():
            if 2 <= len({ledger for _, ledger, _ in held}) <= LEDGERS_MOST:
                key = _hash([name, *sorted(held)])
                if key in _of_entity:
                    known[name] = _of_entity[key]
                else:
                    new[name] = key
        # what was found before is read again, too: where its logs stand may be told otherwise now
        written = {entity for name in new for entity, _, _ in spoken[name]}
        pairs = [one for some in known.values() for one in some]
        written.update([row["entity"] for one in pairs for row in (one.first, one.second)])
        rows = asker.rows("shared", sorted(written), _WITHOUT) if written else []
    by_name: dict[str, list[Row]] = {name: [] for name in new}
    for row in rows:
        for name in map(folded, names_in(row["entity"])):
            if name in by_name:
                by_name[name].append(row)
    with Uncollected():
        for name, some in by_name.items():
            known[name] = tuple(compared(some))
            _keep(_of_entity, new[name], known[name], _ENTITIES_KEPT)
    ledgers = {row["ledger"]: row for row in tips}
    now = {(row["ledger"], row["id"]): {**row, **ledgers[row["ledger"]]} for row in rows}
    listed: dict[tuple[object, ...], Clash] = {}
    for name in sorted(known):
        for one in known[name]:
            pair = tuple([(row["ledger"], row["id"]) for row in (one.first, one.second)])
            listed.setdefault(pair, one._replace(first=now[pair[0]], second=now[pair[1]]))
    found = tuple(sorted(listed.values(), key=_newest, reverse=True))
    _keep(_lists, _hash(tips), found, _LISTS_KEPT)
    return found


def compared(rows: Iterable[Row]) -> Iterable[Clash]:
    """Compare the facts of one entity, each with those of other ledgers.

    What two forks have or had both is one fact, whatever became of it in each.
    """
    claims = [(row, _claim(row), {row["ledger"], *(row["also"] or ())}) for row in rows]
    for (one, mine, ours), (two, other, theirs) in _pairs(claims):
        if one["ledger"] in theirs or two["ledger"] in ours:
            continue
        against = opposition(mine, other)
        if against is not None:
            sides = {mine.fact.id: (one, mine), other.fact.id: (two, other)}
            if sure(against, sides[against.one][1], sides[against.two][1]):
                yield _clash(against, sides)


def _pairs(claims: Sequence[Side]) -> Iterable[tuple[Side, Side]]:
    """Pair facts, each with all others; in a crowd with those that an index proposes, as in a ledger."""
    if len(claims) <= CROWD:
        return combinations(claims, 2)
    words = {mine.fact.id: index_words(mine.fact.text) for _, mine, _ in claims}
    by_id = {side[1].fact.id: side for side in claims}
    index, pairs = Postings(words), set()
    for _, mine, _ in claims:
        id, said = mine.fact.id, mine.statements
        near = index.candidates(queries(said, words[id]), subjects(said), id)
        pairs.update([(min(id, other), max(id, other)) for other in near])
    return [(by_id[one], by_id[two]) for one, two in sorted(pairs)]


def sure(against: Opposition, one: Claim, two: Claim) -> bool:
    """Tell whether what disagrees within a ledger does so between two, where names mean less.

    No amount counts where its statement has several of the kind, or the other fact has the same one, too:
    each may be of another thing, as what is done daily and what weekly.
    """
    if against.rule in _UNSURE or (against.rule == _OF_CHOICES and not _chosen(against)):
        return False
    for mine, said, raw, other in (
        (one, against.said, against.left, two),
        (two, against.answer, against.right, one),
    ):
        beside = [
            found for part in mine.statements if part.text == said for found in _amounts(part)
        ]
        there = [found for part in other.statements for found in _amounts(part)]
        for at_issue in [found for found in beside if found.raw == raw]:
            if raw.lower() in OFTEN:
                return False
            for found in filter(at_issue.comparable, beside):
                if not at_issue.equals(found):
                    return False
            if any(map(at_issue.equals, there)):
                return False
    return True


def _amounts(part: Statement) -> list[Quantity]:
    return quantities(subject(part))


def _claim(row: Row) -> Claim:
    head, about = Version("", row["text"], row["stem"]), ((ENTITY_KEY, row["entity"]),)
    id = f"{row['ledger']}/{row['id']}"
    return claim(Fact(id, row["kind"], (head,), about, row["created"], "", "", 0, row["stem"], ""))


def _clash(against: Opposition, sides: Mapping[str, tuple[Row, Claim]]) -> Clash:
    (one, mine), (two, other) = sides[against.one], sides[against.two]
    forms = {
        form for said in other.statements if said.text == against.answer for form in said.forms
    }
    said = next(said for said in mine.statements if said.text == against.said)
    shared = " ".join([word.raw for word in said.words if word.form in forms])
    first, second = (one, against.left), (two, against.right)
    if (one["stem"], one["ledger"]) < (two["stem"], two["ledger"]):
        first, second = second, first
    reason = f'"{first[1]}" against "{second[1]}" ({against.rule})'
    return Clash(first[0]["entity"], shared, reason, first[0], second[0], _chosen(against))


def _chosen(against: Opposition) -> bool:
    return any(_OWN.match(text) for text in (against.said, against.answer))


def _newest(one: Clash) -> tuple[str, ...]:
    return tuple([row[key] for key in ("stem", "url", "id") for row in (one.first, one.second)])


def _hash(values: Sequence[object]) -> bytes:
    return sha1(repr(values).encode("utf-8", "replace"), usedforsecurity=False).digest()


def _keep(
    known: dict[bytes, tuple[Clash, ...]], key: bytes, found: tuple[Clash, ...], most: int
) -> None:
    """Keep what was found; of too much the oldest goes."""
    with _keeping:
        while len(known) >= most:
            del known[next(iter(known))]
        known[key] = found
