"""Gather the facts that a commit or a day may end, or may belie, each with where that began."""

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
from ledger.model.session import CHECK_KEY
from memory.cache.broken_truth import may_end
from memory.cache.head_store import Wait
from memory.replay.read_logs import read_bytes
from projection.text.until_conditions import DATE, check_of, until_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from ledger.model.event import Meta
    from memory.cache.cache_file import Cache
    from projection.fold.fact_history import History


def waiting(home: Home, cache: Cache) -> list[Wait]:
    """Return the facts that hold and say what ends them, or by what they are checked, by id."""
    found = [
        (fact, words, _said_at(cache.some_histories([id])[id], words))
        for id in may_end(cache)
        if (fact := cache.fact(id)) and not (fact.false or fact.closed or fact.redacted)
        for words in filter(None, (_end_of(fact.meta), check_of(fact.meta)))
    ]
    refs = [ref for _, _, stem in found if stem and (ref := cache.log_ref(stem))]
    headers = {
        ref.key: decode(data, sealed=True, file=ref.path)[0] for ref, data in read_bytes(home, refs)
    }
    return sorted(
        Wait(fact.id, fact.heads[0].id, words, log.get("commit") if log else "",
             milliseconds_of(stem) // 1000 if stem else 0)
        for fact, words, stem in found
        for log in (headers.get(stem),)
    )  # fmt: skip


def _end_of(meta: Meta) -> str:
    """Return what ends a fact, in the one form of a day; "" for nothing."""
    words, until = until_of(meta)
    return f"{DATE} {until.place}" if until and until.form == DATE else words


def _said_at(history: History, words: str) -> str:
    """Return the key of the log that said last what ends a fact, or that it holds.

    Of a check it is the one that said behind it that the fact holds, "" for none.
    """
    said_by = check_of if words.startswith(f"{CHECK_KEY} ") else _end_of
    stem = before = ""
    for act in history.acts:
        event = act.event
        if isinstance(event, FactCreated | FactUpdated):
            said = said_by(event.meta)
            if said and said != before:
                stem, before = "" if said_by is check_of else act.stem, said
        elif isinstance(event, FactVerified | FactReinstated | ThreadReopened):
            stem = act.stem
    return stem
