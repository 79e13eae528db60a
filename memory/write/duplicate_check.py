"""Find the facts that already say, or deny, what a draft is about to say.

Only the new texts of the draft are looked at, against all facts that are not false. What the draft itself
supersedes, invalidates or rewrites is no news to its writer.
"""

from __future__ import annotations

from ledger.errors import DraftRefused
from ledger.model.event import Event, FactCreated, FactInvalidated, FactSuperseded, FactUpdated
from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.cache.sqlite import CacheDamaged
from projection.fold.fact_history import Fact
from projection.fold.fold import collect, merged, resolve
from projection.fold.projection_state import Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.model.session import Entry, SessionLog
    from memory.cache.cache_file import Cache
    from memory.replay.ledger_snapshot import Snapshot
    from memory.write.draft import Case
    from projection.compare.pair_comparison import Claim, Opposition, Overlap

#: How many new texts of one log are looked at; one that brings more is a bulk load.
NEW_LIMIT = 50
SIMILAR, OPPOSITE = "similar-fact", "opposite-fact"


class Noticed(Record):
    """One fact that says the same as a new one, or the opposite."""

    fact: Fact  #: the new or updated one
    other: Standing  #: the one that is there
    overlap: Overlap | None  #: how they say the same
    opposition: Opposition | None  #: how they disagree
    same_text: bool  #: whether their texts are one but for case, marks and white space


def look_first(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Say which facts a log repeats or denies; logs that are no work are not looked at.

    Raises:
        DraftRefused: a fact whose id nobody chose has the text of another one; or any, of a strict append.
    """
    entry = case.entry
    if entry is None or not entry.uses or not any(_brings_text(event) for event in entry.acts):
        return log, ()
    noticed = notice(case.snapshot, entry)
    told = findings_of(noticed)
    refused = told if case.how.strict else doubled(noticed, case.draft.made)
    if refused:
        raise DraftRefused(refused)
    return log, told


def notice(snapshot: Snapshot, entry: Entry) -> tuple[Noticed, ...]:
    """Look for facts that say what a log is about to say, or the opposite; those that weigh most first.

    A cache that can not be used costs the look, never the append.
    """
    for _ in range(2):
        try:
            return notice_in(snapshot.cache(), entry)
        except CacheDamaged:
            snapshot.discard()
    return ()


def said_already(snapshot: Snapshot, text: str) -> str:
    """Return the id of the fact that a text says again in other words, and nothing beside; "" for none."""
    from memory.cache.word_index import WordIndex
    from projection.compare.candidates import queries, subjects
    from projection.compare.restatements import Restatements
    from projection.text.normalize import index_words, plain, statements
    from projection.work.failed_attempts import leaves, tried_in_vain

    said = statements(text)
    try:
        cache = snapshot.cache()
        index = WordIndex(cache)
        index.follow()
        with cache:
            names = index.candidates(queries(said, index_words(text)), subjects(said))
            facts = [fact for name in names if (fact := cache.fact(name)) is not None]
    except CacheDamaged:
        snapshot.discard()
        return ""
    anew = not leaves(text)  # what failed is said again by who does it again: that is news
    known = {
        fact.id: fact.text
        for fact in facts
        if not (fact.false or fact.redacted or (anew and tried_in_vain(fact)))
    }
    copied = Restatements(known.items()).copied_in(text)
    return copied if copied and plain(known[copied]) != plain(text) else ""


def notice_in(cache: Cache, entry: Entry) -> tuple[Noticed, ...]:
    """Look in a cache for facts that say what a log is about to say, or the opposite.

    `cache` is outside of a reading; its word index is brought forward.

    Raises:
        sqlite3.Error: the cache can not be used.
    """
    from memory.cache.word_index import WordIndex
    from projection.compare.candidates import queries, subjects
    from projection.text.normalize import index_words, statements

    index = WordIndex(cache)
    index.follow()
    fresh = _fresh(cache, entry)
    if not fresh:
        return ()
    settled = _settled(entry.acts)
    new = {fact.id for fact in fresh}
    found: list[Noticed] = []
    claims: dict[str, Claim] = {}
    with cache:
        place = cache.placing()
        for number, fact in enumerate(fresh):
            said = statements(fact.text)
            asked = queries(said, index_words(fact.text))
            others = [
                place(other)
                for name in index.candidates(asked, subjects(said), fact.id)
                if name not in settled and name not in new
                if (other := cache.fact(name)) is not None
            ]
            others += [place(other) for other in fresh[:number]]
            found += _compared(fact, others, claims)
    found.sort(key=_weight)
    return tuple(found)


def _compared(fact: Fact, others: Sequence[Standing], claims: dict[str, Claim]) -> list[Noticed]:
    """Compare a fact with others, whose statements are read once for all facts of a log."""
    if not others:
        return []
    from projection.compare.pair_comparison import claim, opposition, overlap, same_text
    from projection.text.fuzzy import ratio

    found = []
    mine: Claim = claim(fact)
    for standing in others:
        theirs = claims.get(standing.fact.id)
        if theirs is None:
            theirs = claims[standing.fact.id] = claim(standing.fact)
        against = opposition(mine, theirs)
        alike = None if against else overlap(mine, theirs, ratio)
        if against or alike:
            same = same_text(fact, standing.fact)
            found.append(Noticed(fact, standing, alike, against, same))
    return found


def _fresh(cache: Cache, entry: Entry) -> list[Fact]:
    """Return the facts that the log brings a text for, as they will be."""
    gathered = collect([entry])
    ids = dict.fromkeys(event.id for event in entry.acts if _brings_text(event))
    news = {name: gathered[name] for name in list(ids)[:NEW_LIMIT]}
    known = merged(cache.some_histories(news), news)
    facts = (resolve(name, history, cache.cut) for name, history in known.items())
    return [fact for fact in facts if fact is not None and not fact.false]


def _settled(events: Sequence[Event]) -> set[str]:
    """Return the ids that the log declares false or gives another text."""
    return {
        event.id
        for event in events
        if isinstance(event, FactSuperseded | FactInvalidated | FactUpdated)
    }


def _brings_text(event: Event) -> bool:
    return isinstance(event, FactCreated | FactUpdated) and event.text is not None


def _weight(noticed: Noticed) -> tuple[bool, bool, int, str, str]:
    """Sort by weight: contradictions of what never fades, other contradictions, likenesses."""
    return (
        noticed.opposition is None,
        noticed.other.tier != "core",
        -(noticed.overlap.score if noticed.overlap else 0),
        noticed.fact.id,
        noticed.other.fact.id,
    )


def findings_of(noticed: Sequence[Noticed]) -> tuple[Finding, ...]:
    """Say what was noticed, and how to declare what is meant."""
    return tuple([_finding(one) for one in noticed])


def _finding(noticed: Noticed) -> Finding:
    fact, other = noticed.fact.id, noticed.other.fact.id
    where = "" if noticed.other.live else ", archived"
    against = noticed.opposition
    if against is not None:
        mine, theirs = against.left, against.right
        if against.one != fact:
            mine, theirs = theirs, mine
        what = f"{noticed.other.fact.kind} " if noticed.other.tier == "core" else ""
        message = f'{fact} contradicts {what}`{other}`{where}: "{mine}" against "{theirs}"'
        hint = f"if {other} is false now, say so: `diurna append --supersede {other}={fact}`"
        return Finding(OPPOSITE, message, hint=hint)
    score = noticed.overlap.score if noticed.overlap else 100
    message = f"{fact} is similar to `{other}` ({score}){where}"
    return Finding(SIMILAR, message, hint=_declare(fact, noticed.other))


def _declare(fact: str, other: Standing) -> str:
    name = other.fact.id
    use = f"--ref {name}" if other.live else f"--reactivate {name}"
    return (
        f"say `{use}` or `--update {name} TEXT` instead; where both are recorded, "
        f"`diurna append --supersede {fact}={name}` makes one of them"
    )


def doubled(noticed: Sequence[Noticed], made: Sequence[str]) -> tuple[Finding, ...]:
    """Return what is wrong with facts whose id was made from a text that another fact has.

    `made` are the ids that nobody chose.
    """
    found: dict[str, Finding] = {}
    for one in noticed:
        if one.same_text and one.fact.id in made and one.fact.id not in found:
            other = one.other.fact.id
            where = "" if one.other.live else " in the archive"
            message = f"`{other}`{where} says just that: {_line(one.other.fact.text)}"
            use = f"--ref {other}" if one.other.live else f"--reactivate {other}"
            hint = f'say `{use}`; for a second fact with this text choose an id: `--new "id=… …"`'
            found[one.fact.id] = Finding(SIMILAR, message, hint=hint)
    return tuple(found.values())


def _line(text: str) -> str:
    return text.split("\n", 1)[0]
