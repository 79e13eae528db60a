"""Gather what the facts of a ledger name, and since when: the ground of the evidence audit."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.order import milliseconds_of
from ledger.model.record import Record
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.lifecycle.review_threads import is_raised
from projection.text.claims import Claim, claims


class Named(Record):
    """One thing that a fact names."""

    fact: Fact  #: that names it
    claim: Claim  #: what it names
    written_ms: int  #: when that text was written; what history did before is no news to its author


def named_by(standings: Iterable[Standing], *, faded: bool = False) -> list[Named]:
    """Return what live facts name.

    Disputed, redacted and closed ones are left to their dispute or rest; what a review raised is about
    others. `faded` takes those of the archive, too.
    """
    return [
        Named(fact, claim, written)
        for fact in asked_about(standings, faded=faded)
        for written in (written_ms(fact),)
        for claim in claims(fact.text)
    ]


def asked_about(standings: Iterable[Standing], *, faded: bool = False) -> list[Fact]:
    """Return the facts that the audit asks about: those that live (or faded), undisputed."""
    return [
        standing.fact
        for standing in standings
        if (faded or standing.live)
        and not (standing.fact.false or standing.fact.redacted or standing.fact.closed)
        and len(standing.fact.heads) == 1
        and not is_raised(standing.fact)
    ]


def written_ms(fact: Fact) -> int:
    """Return when the text of a fact was written, in milliseconds since 1970.

    What an import brought was written when the fact was born, as far as anybody knows.
    """
    head = fact.heads[0]
    imported = not head.parents and fact.origin != head.stem
    return milliseconds_of(fact.born if imported else head.stem)


def used_ms(fact: Fact) -> int:
    """Return when a fact was last used or written, in milliseconds since 1970."""
    return max(written_ms(fact), milliseconds_of(fact.anchor))
