"""Gather the facts that a commit or a day is going to end, each with where its life began."""

from __future__ import annotations

from ledger.codec.log import decode
from ledger.model.event import (
    FactCreated,
    FactReinstated,
    FactUpdated,
    FactVerified,
    ThreadReopened,
)
from ledger.model.order import milliseconds_of
from memory.cache.truth import may_end
from memory.cache.truth_file import Wait
from memory.replay.log_bytes import read_bytes
from projection.text.until import DATE, until_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory.cache.file import Cache
    from projection.fold.fact import History


def waiting(home: Home, cache: Cache) -> list[Wait]:
    """Return the facts that hold and say what ends them, by id."""
    found = []
    for id in may_end(cache):
        fact = cache.fact(id)
        words, until = until_of(fact.meta) if fact is not None else ("", None)
        if fact is None or until is None or fact.false or fact.closed or fact.redacted:
            continue
        said = f"{DATE} {until.place}" if until.form == DATE else words
        found.append((fact, said, _said_at(cache.some_histories([id])[id])))
    refs = [ref for _, _, stem in found if (ref := cache.log_ref(stem))]
    headers = {
        ref.key: decode(data, sealed=True, file=ref.path)[0] for ref, data in read_bytes(home, refs)
    }
    return sorted(
        Wait(fact.id, fact.heads[0].id, words, log.get("commit") if log else "",
             milliseconds_of(stem) // 1000)
        for fact, words, stem in found
        for log in (headers.get(stem),)
    )  # fmt: skip


def _said_at(history: History) -> str:
    """Return the key of the log that said last what ends a fact, or that it holds."""
    stem, words = "", ""
    for act in history.acts:
        event = act.event
        if isinstance(event, FactCreated | FactUpdated):
            said, until = until_of(event.meta)
            if until and said != words:
                stem, words = act.stem, said
        elif isinstance(event, FactVerified | FactReinstated | ThreadReopened):
            stem = act.stem
    return stem
