"""Recognise what earlier reviews asked by the threads that they raised.

A thread that a review raised has the footer keys `review` (the rule that found it), `keys` (the questions
it asks) and `about` (the facts of a question that it asks alone). A question is known by its key for good,
whether its thread is open or closed (FORMAT.md, R2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.model.event import FactCreated
from ledger.model.record import Record
from ledger.model.sha256 import sha256
from projection.fold.fact_history import Fact
from projection.policy.model import THREAD_KIND

#: Footer keys of a thread that a review raised.
RULE_KEY, QUESTIONS_KEY, ABOUT_KEY = "review", "keys", "about"
#: How the id of such a thread starts.
THREAD_PREFIX = "review-"
KEY_HEX = 8


class Raised(Record):
    """A thread that a review raised."""

    id: str  #: of the thread
    rule: str  #: what found it
    keys: tuple[str, ...]  #: of the questions it asks
    about: tuple[str, ...]  #: ids of the facts that its questions are about
    closed: bool  #: whether somebody answered it
    closed_at: str  #: the stem of the log that did, "" for an open one


def key_of(rule: str, *parts: str) -> str:
    """Return the key of a question: the rule that found it, and strings that stay while it does."""
    return sha256("\0".join((rule, *parts)).encode("utf-8", "surrogatepass")).hexdigest()[:KEY_HEX]


def raising(rule: str, key: str, about: Sequence[str], text: str, mark: str = " ") -> FactCreated:
    """Return the event that raises one question as a thread.

    `about` are ids of its facts; `mark` is `x` for a question that is answered already.
    """
    named = ((ABOUT_KEY, ", ".join(about)),) if about else ()
    meta = (("kind", THREAD_KIND), *named, (QUESTIONS_KEY, key), (RULE_KEY, rule))
    return FactCreated(f"{THREAD_PREFIX}{rule}-{key}", text, mark, meta)


def is_raised(fact: Fact) -> bool:
    """Tell whether a review raised this fact."""
    if fact.kind != THREAD_KIND or fact.id[: len(THREAD_PREFIX)] != THREAD_PREFIX:
        return False
    return any(key == RULE_KEY for key, _ in fact.meta)


def raised_threads(facts: Iterable[Fact]) -> tuple[Raised, ...]:
    """Return what reviews raised so far, by id. A thread that is false counts as closed."""
    found = []
    for fact in facts:
        if not is_raised(fact):
            continue
        meta = dict(fact.meta)
        keys, about = _listed(meta.get(QUESTIONS_KEY, "")), _listed(meta.get(ABOUT_KEY, ""))
        done = fact.closed_at or fact.superseded_at or fact.invalidated_at
        found.append(Raised(fact.id, meta[RULE_KEY], keys, about, bool(done), done))
    return tuple(sorted(found))


def _listed(value: str) -> tuple[str, ...]:
    return tuple([item.strip() for item in value.split(",") if item.strip()])
