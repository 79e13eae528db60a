"""Find how far logs reach: the facts they touched, who touched those since, and what was derived.

Derived are facts of later logs that name what the logs brought: they supersede it, serve it, link to it,
ask about it, or have a log as their source; and whatever agents said since of facts that the logs brought.
What a person decided since is left, and said.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ledger.model.event import (
    Event,
    FactCreated,
    FactRedacted,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    facts_in,
)
from ledger.model.logset import LogRef
from ledger.model.order import stem_in
from ledger.model.record import Record
from ledger.model.session import SOURCE_KEY, Entry
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.fold.testimony import is_person
from projection.fold.undone_logs import TakenBack
from projection.graph.fact_links import CONFLICTS, footer, ids_in, named
from projection.policy.model import CLOSABLE

_SOURCE, _ABOUT = "source", "about"
#: By what a person says of a fact that it holds.
_DECIDING = (FactCreated, FactUpdated, FactVerified, FactReinstated)


class Reach(Record):
    """How far logs reach."""

    facts: tuple[str, ...]  #: that they name, or that go with them, in the order met
    acted: frozenset[str]  #: those of which they say more than that they were used
    replaced: tuple[tuple[str, str], ...]  #: what they superseded, and by what: (old, new)
    #: facts that other logs brought, or said something of, and that go with them
    took: tuple[str, ...]
    left: dict[str, str]  #: facts that stay as they are, and why, a sentence each


def reach_of(
    counting: Sequence[Entry],
    entries: Sequence[Entry],
    refs: Sequence[LogRef],
    meant: TakenBack,
    now: State,
    since: str,
    *,
    derived: bool,
) -> Reach:
    """Find how far logs reach.

    Args:
        counting: what still counts of all logs, in ledger order.
        entries: all that they say.
        refs: the logs.
        meant: what the undo is to say so far.
        now: the state.
        since: what is later was not known to an undo that is done again; "" for behind each log.
        derived: what rests on the logs goes with them.
    """
    keys = {ref.key for ref in refs}
    own = [entry for entry in (entries if meant.again else counting) if entry.stem in keys]
    after = since or min(keys)
    later = [entry for entry in counting if entry.stem not in keys and entry.stem > after]
    births = _births(entries if meant.again else counting)
    first, left = _said(own, since)
    born = {fact for fact in first if births.get(fact) in keys}
    first |= dict.fromkeys(meant.took, since)
    took = dict.fromkeys(meant.took)
    _touch(later, first, born, took, left, derived=derived)
    if derived:
        stems = {stem_in(key) for key in keys}
        _derive(later, births, stems, {*born} - left.keys(), now, took, left)
    replaced = [
        (event.id, event.new)
        for entry in (*own, *later)
        for event in entry.acts
        if isinstance(event, FactSuperseded) and (entry.stem in keys or event.new in took)
    ]
    facts = [*first, *took, *[old for old, _ in replaced]]
    used = [fact for entry in own for fact in entry.named]
    return Reach(
        tuple(dict.fromkeys([*facts, *used])), frozenset(facts),
        tuple([pair for pair in replaced if pair[1] in born or pair[1] in took]), tuple(took), left,
    )  # fmt: skip


def _said(own: Sequence[Entry], since: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return since when logs speak of each fact, and what of it is never taken back."""
    first: dict[str, str] = {}
    left: dict[str, str] = {}
    for entry in own:
        whole = entry.type == "import" and SOURCE_KEY not in dict(entry.reported)
        for event in entry.acts:
            first.setdefault(event.id, since or entry.stem)
            if whole:
                left[event.id] = f"{event.id} came with a whole ledger"
            elif isinstance(event, FactRedacted):
                left[event.id] = f"{event.id}: what is withheld is withheld for good"
    return first, left


def _touch(
    later: Sequence[Entry], first: dict[str, str], born: set[str], took: dict[str, None],
    left: dict[str, str], *, derived: bool,
) -> None:  # fmt: skip
    """Let what later logs say of facts be left, or go with what the logs brought."""
    for entry in later:
        for event in entry.acts:
            for fact in facts_in(event):
                if fact in left or entry.stem < first.get(fact, "~"):
                    continue
                if derived and fact in born:
                    if is_person(entry) and event.id == fact and isinstance(event, _DECIDING):
                        left[fact] = (
                            f"{fact} was decided by a person since, in {stem_in(entry.stem)}"
                        )
                        took.pop(fact, None)
                    else:
                        took[fact] = None
                elif event.id == fact or fact in born:
                    left[fact] = f"{fact} was changed since, by {stem_in(entry.stem)}"


def _births(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the key of the log that first brought a text for each fact."""
    found: dict[str, str] = {}
    for entry in entries:
        for event in entry.acts:
            if isinstance(event, FactCreated | FactUpdated) and event.text is not None:
                found.setdefault(event.id, entry.stem)
    return found


def _derive(
    later: Sequence[Entry],
    births: dict[str, str],
    stems: Collection[str],
    bases: set[str],
    now: State,
    took: dict[str, None],
    left: dict[str, str],
) -> None:
    """Add the facts of later logs that rest on what is taken back, also through others."""
    since = {entry.stem: entry for entry in later}
    acts: dict[str, list[tuple[Entry, Event]]] = {}
    for entry in later:
        for event in entry.acts:
            acts.setdefault(event.id, []).append((entry, event))
    found = [fact for fact, key in births.items() if key in since and fact not in bases]
    grew = True
    while grew:
        grew = False
        for name in found:
            fact = now.fact(name)
            if fact is None or name in bases or name in left:
                continue
            base = _rests_on(fact, bases, stems)
            if not base:
                continue
            person = [
                entry
                for entry, event in acts[name]
                if is_person(entry) and isinstance(event, _DECIDING)
            ]
            if person and fact.kind not in CLOSABLE:  # a question decides nothing
                left[name] = f"{name} rests on {base}, and a person decided it"
                continue
            took[name] = None
            bases.add(name)
            grew = True


def _rests_on(fact: Fact, bases: set[str], stems: Collection[str]) -> str:
    """Return what is taken back and a fact rests on, "" for nothing."""
    about = ids_in(footer(fact, _ABOUT))
    if about and bases.issuperset(about):
        return about[0]
    sources = footer(fact, _SOURCE).replace(",", " ").split()
    for word in sources:
        if word in bases or word.partition(":")[0] in stems:
            return word
    names = [*fact.supersedes, *[id for kind, id in named(fact) if kind != CONFLICTS]]
    return next((name for name in names if name in bases), "")
