"""Make the marks of what facts name and a commit took away, which every answer shows (R12).

It asks what the review asks of paths and names, of the archive too. What was asked before is asked of the
history since then alone. Nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.escape import prose
from ledger.git.code_history import DOCUMENTS, Code
from ledger.home import Home, code_of
from ledger.wal.user_key import digest, user_key
from memory.cache.cache_file import Cache
from memory.cache.head_store import Wait
from memory.query.reader import open_snapshot
from memory.replay.broken_truth import (
    Lack,
    Truths,
    has_code,
    read_truths,
    waiting,
    with_ends,
    write_truths,
)
from memory.replay.replayed_state import state_of
from projection.document.fact_remarks import GONE, NOWHERE, RENAMED, Gone
from projection.fold.projection_state import Standing
from projection.lifecycle.review_due import raised_threads
from projection.text.claims import NAME
from rituals.review.code_questions import Named, named_by, taken_names, taken_paths
from rituals.review.questions import answered_keys


def make(home: Home) -> None:
    """Make the marks of a home anew for its work tree, where it has code and can keep them.

    A partial clone has none: to look into its history would fetch it.
    """
    able = has_code(home) and user_key() and not home.repository.promisor
    code = code_of(home) if able else None
    if code is None:
        return
    tip = home.tip()  # before it is read: what moves meanwhile is seen
    before = read_truths(home)

    def asked(cache: Cache) -> tuple[list[Standing], list[Wait], str]:
        return list(state_of(cache).standings()), waiting(home, cache), cache.summary.digest

    standings, waits, said = open_snapshot(home).ask(asked)
    known = with_ends(home, before or Truths("", "", ()), waits)
    marks = made(standings, code, before)
    write_truths(
        home,
        known._replace(code=marks.code, tip=tip, said=said, lacks=marks.lacks, asked=marks.asked),
    )


def made(standings: Iterable[Standing], code: Code, before: Truths | None = None) -> Truths:
    """Find what is gone of what facts name; `before` was found for an earlier commit."""
    standings = list(standings)
    named = named_by(standings, faded=True)
    answered = answered_keys(raised_threads(standing.fact for standing in standings))
    asked = frozenset(before.asked) if before is not None else frozenset()
    since = code.since(before.code) if before is not None and asked else None
    fresh = [one for one in named if since is None or _digest(one) not in asked]
    lacks = _lacks(fresh, code, answered, names=True)
    changed = (code.changed_since(before.code) or ()) if since and before is not None else ()
    if since is not None and changed:
        known = [one for one in named if _digest(one) in asked]
        names = any(path.rpartition(".")[2].lower() not in DOCUMENTS for path in changed)
        lacks += _lacks(known, since, answered, names=names)
    gone = {(one.fact, one.gone.subject) for one in lacks}
    rest = [one for one in named if (one.fact.id, prose(one.claim.subject)) not in gone]
    return Truths(code.commit, "", tuple(sorted(lacks)), tuple(sorted(map(_digest, rest))))


def _lacks(named: list[Named], code: Code, answered: set[str], *, names: bool) -> list[Lack]:
    if not named:
        return []
    lacks = []
    for one in (
        *taken_paths(named, code),
        *(taken_names(named, code) if names else ()),
    ):
        fact, subject, now = one.named.fact, prose(one.named.claim.subject), prose(one.now)
        place, how = one.path, RENAMED if now else GONE
        if one.named.claim.kind == NAME:
            place, how = "", NOWHERE
        if one.key not in answered:
            gone = Gone(how, subject, one.change.short, one.change.date, now)
            lacks.append(Lack(fact.id, fact.heads[0].id, place, gone))
    return lacks


def _digest(one: Named) -> str:
    """Return what tells a claim of one text from all others."""
    said = f"{one.fact.id}\0{one.fact.heads[0].id}\0{one.claim.kind}\0{one.claim.subject}"
    return digest(said.encode("utf-8", "surrogatepass"))[:16]
