"""Find the facts that are near what a draft is about to say, and the one that says just that.

Only the new texts of a draft of work are looked at, and no state changes by it (W9). What the draft itself
supersedes, invalidates or rewrites is no news to its writer.

An index in the cache's file says which facts share words with it. It follows the cache lazily: a log marks
the facts whose text it may have changed, and the next draft reads those. So a reader pays nothing for it,
and what a pull, a reset or a lost cache changed is read like anything else. Facts that are false or
redacted are not in it.
"""

from __future__ import annotations

import marshal
import sys

from ledger.codec.log import canonical
from ledger.errors import DraftRefused
from ledger.model.event import (
    FactCreated,
    FactInvalidated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
)
from ledger.model.finding_codes import Finding
from memory.cache.cache_file import Cache
from memory.cache.schema import FALSE, unpack_history
from memory.cache.stamp import CacheDamaged
from memory.write.draft import Near, births, renamed, text_of
from projection.fold.fact_history import Fact
from projection.fold.fold import collect, merged, resolve
from projection.fold.live_view import Standing
from projection.likeness import (
    MOST_NEAR,
    NEAR,
    best,
    comparable,
    looked_up,
    nearness,
    queries,
    same_text,
)
from projection.text.normalize import index_words, sentences, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.session import Entry, SessionLog
    from memory.replay.tip_snapshot import Snapshot
    from memory.write.draft import Case

    Compared = tuple[tuple[Near, ...], list[tuple[Fact, Standing]]]

#: How many new texts of one log are looked at; one that brings more is a bulk load.
NEW_LIMIT = 50
#: How many facts are read in one transaction, so that no other process waits long.
_CHUNK_FACTS = 2000
#: Sorts behind every id: the first reading came to its end.
_END = "~"


def _follow_some(cache: Cache) -> None:
    """Read into the index some of what changed, in the transaction that is open."""
    run, many = cache.base.execute, cache.base.executemany
    start = cache.value("indexed", str)
    rows = []
    if start != _END:
        rows = run(
            "SELECT id, history, state FROM facts WHERE id > ? ORDER BY id LIMIT ?",
            (start, _CHUNK_FACTS),
        ).fetchall()
        mark = rows[-1][0] if len(rows) == _CHUNK_FACTS else _END
        run("UPDATE meta SET value = ? WHERE key = 'indexed'", (marshal.dumps(mark),))
    rows += run(
        "SELECT id, history, state FROM facts JOIN changed USING (id) WHERE id <= ?",
        (start,),
    ).fetchall()
    run("DELETE FROM changed")
    (last,) = run("SELECT coalesce(max(number), 0) FROM texts").fetchone()
    for fact, packed, state in {row[0]: row for row in rows}.values():
        found = None if state == FALSE else resolve(fact, unpack_history(packed), cache.cut)
        now = () if found is None or found.redacted else index_words(found.text)
        row = run("SELECT number, words FROM texts WHERE id = ?", (fact,)).fetchone()
        if row is None and not now:
            continue
        last += row is None
        number, before = row or (last, "")
        old, new = set(before.split()), set(now)
        many("DELETE FROM posts WHERE word = ? AND fact = ?", [(w, number) for w in old - new])
        many("INSERT INTO posts VALUES (?, ?)", [(w, number) for w in new - old])
        run("INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", (number, fact, " ".join(now)))


def _candidates(cache: Cache, fact: Fact) -> list[str]:
    """Return the ids of facts worth comparing with one, sorted."""
    found: set[str] = set()
    with_word = "FROM posts WHERE word = ?"
    parts = statements(fact.text) if len(sentences(fact.text)) > 1 else ()  # one is the whole text
    for words in queries(parts, index_words(fact.text)):
        counts = [(cache.row(f"SELECT count(*) {with_word}", (word,))[0], word) for word in words]
        numbers = looked_up(counts, lambda word: cache.column(f"SELECT fact {with_word}", (word,)))
        rows = cache.rows_among("SELECT id, words FROM texts WHERE number IN (?)", numbers)
        if len(rows) != len(numbers):
            raise CacheDamaged("a word of a fact that is not there")
        found.update(best(words, [(id, known.split()) for id, known in rows]))
    return sorted(found - {fact.id})


def with_uses(
    log: SessionLog, case: Case, entry: Entry
) -> tuple[SessionLog, tuple[Near, ...], tuple[Finding, ...]]:
    """Let a new text that a fact has already be a use of it, unless its id was chosen.

    `entry` is what the log says.
    A cache that can not be used costs the look, never the append; logs that are no work are not looked at.

    Returns:
        The log, what is near its texts, the nearest first, and what became a use.

    Raises:
        DraftRefused: a fact has the text of another one, and the append is strict.
    """
    if not entry.uses:
        return log, (), ()
    near, same = near_in(case.snapshot, entry)
    strict, made, facts = case.asked.strict, case.asked.draft.made, case.facts
    again = {
        one.id  # an id that was made for the same text before is the same
        for one in log.events
        if isinstance(one, FactCreated) and one.id in made and one.id in facts
        if not facts[one.id].false and facts[one.id].text == one.text
    }
    pairs = [(id, id, facts[id].text, "") for id in again]
    pairs += [
        (fact.id, there.fact.id, there.fact.text, "" if there.live else " in the archive")
        for fact, there in same
    ]
    told, instead = dict[str, Finding](), dict[str, str]()
    for id, other, text, where in pairs:
        if id not in instead and (strict or id in made):
            instead[id] = instead.get(other, other)
            use = "" if strict else "it is a use of it: "
            said = f"`{instead[id]}`{where} says just that: {use}{text.split(chr(10), 1)[0]}"
            hint = 'for a second fact with this text choose an id: `--new "id=… …"`'
            told[id] = Finding("similar-fact", said, hint=hint)
    if strict and told:
        raise DraftRefused(tuple(told.values()))
    if not told:
        return log, near, ()
    born = set(births(log.events)) - instead.keys()
    rest = [one for one in log.events if not (isinstance(one, FactCreated) and one.id in instead)]
    uses = [FactReferenced(id) for id in instead.values() if id not in born]
    log = canonical(log._replace(events=renamed((*rest, *uses), instead)))
    return log, tuple([one for one in near if one.fact not in instead]), tuple(told.values())


def near_in(snapshot: Snapshot, entry: Entry) -> Compared:
    """Return what is near the texts of a log, and (fact, the one that has its text already)."""
    for _ in range(2):
        try:
            return _compared(snapshot, entry)
        except CacheDamaged:
            snapshot.discard()
    return (), []


def _compared(snapshot: Snapshot, entry: Entry) -> Compared:
    cache = snapshot.cache()
    ids = [*dict.fromkeys(event.id for event in entry.acts if text_of(event))][:NEW_LIMIT]
    gathered = collect([entry]) if ids else {}
    known = merged(cache.some_histories(ids), {name: gathered[name] for name in ids})
    facts = (resolve(name, history, cache.cut) for name, history in known.items())
    fresh = [fact for fact in facts if fact is not None and not fact.false]  # as they will be
    if not fresh:
        return (), []
    meant: dict[str, dict[str, float]] = {}
    if "memory.recall.meaning" in sys.modules:  # this process weighs meaning
        from memory.recall.meaning import nearly_as

        meant = nearly_as(snapshot, {fact.id: fact.text for fact in fresh})
    while cache.row("SELECT EXISTS (SELECT 1 FROM changed)")[0] or (
        cache.value("indexed", str) != _END
    ):
        cache.change(lambda: _follow_some(cache))
    changing = FactSuperseded | FactInvalidated | FactUpdated
    settled = {event.id for event in entry.acts if isinstance(event, changing)}
    near: list[tuple[float, str, str, Fact]] = []
    same: list[tuple[Fact, Standing]] = []
    with cache:
        place = cache.placing()
        for number, fact in enumerate(fresh):
            alike = meant.get(fact.id, {})
            names = (*_candidates(cache, fact), *sorted(alike))
            there = filter(None, map(cache.fact, dict.fromkeys(names)))
            others = [place(one) for one in there if one.id not in settled]
            for other in (*others, *map(place, fresh[:number])):
                if comparable(fact, other.fact):
                    if same_text(fact, other.fact):
                        same.append((fact, other))
                    score = max(nearness(fact.text, other.fact.text), alike.get(other.fact.id, 0))
                    score *= other.live
                    if score >= NEAR:
                        near.append((-score, fact.id, other.fact.id, other.fact))
    near.sort(key=lambda one: one[:3])
    told = [Near(fact, id, other.kind, other.text) for _, fact, id, other in near[:MOST_NEAR]]
    return tuple(told), same
