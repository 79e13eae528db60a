"""Gather contradictions as a person decides them: each side, and what keeping it is called."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.model.ids import is_version_id
from ledger.model.record import Record
from projection.fold.full_replay import State
from rituals.decide.open_contradictions import (
    BIRTH,
    CIRCLE,
    CLOSED,
    MOVED,
    REWORDED,
    SUCCESSOR,
    TEXT,
    Choice,
    Dispute,
)
from rituals.serve.web.actions import twin_commands

#: Contradictions of texts: another text may settle them.
_TEXTUAL = (TEXT, BIRTH, CLOSED, REWORDED)
#: The start of a log's name that people know it by: the stamp.
_STEM_CHARS = 20


class Side(Record):
    """One side."""

    choice: Choice  #: what stands there
    keep: str  #: what keeping it is called
    fact: str  #: the id of the fact that it is, "" where it is a text or a state
    command: str  #: that keeps it


class Torn(Record):
    """One contradiction."""

    dispute: Dispute  #: as memory has it
    sides: tuple[Side, ...]  #: of it
    seen: tuple[str, ...]  #: the ids of all sides of the fact: a form says what was shown
    before: str = ""  #: the text of the fact that is in question, where that is another one's
    #: the two texts whose difference says most, none where there are not two
    texts: tuple[str, ...] = ()
    draft: str = ""  #: with which a text of one's own begins, "" where none settles it
    state: bool = False  #: whether it has to be said that it is open or closed


def torn(state: State, disputes: Sequence[Dispute]) -> tuple[Torn, ...]:
    """Return contradictions as they are shown."""
    seen: dict[str, list[str]] = {}
    for one in disputes:
        seen.setdefault(one.fact, []).extend([choice.id for choice in one.choices])
    return tuple([_torn(state, one, tuple(dict.fromkeys(seen[one.fact]))) for one in disputes])


def _torn(state: State, dispute: Dispute, seen: tuple[str, ...]) -> Torn:
    fact = state[dispute.fact].fact
    texts = [one.text for one in dispute.choices if _is_text(dispute, one)]
    textual = dispute.kind in _TEXTUAL and not fact.redacted
    return Torn(
        dispute,
        tuple([_side(dispute, one) for one in dispute.choices]),
        seen,
        fact.text if dispute.kind in (SUCCESSOR, MOVED) and not fact.redacted else "",
        tuple(texts) if len(texts) == 2 and textual else (),
        texts[0] if textual and texts else "",
        dispute.kind == CLOSED,
    )


def _is_text(dispute: Dispute, choice: Choice) -> bool:
    """Tell whether a side is a version of the fact itself."""
    return dispute.kind in _TEXTUAL and is_version_id(choice.id)


def _side(dispute: Dispute, choice: Choice) -> Side:
    fact = ""
    keep = "Keep this"
    if dispute.kind == CLOSED:
        keep = "It is closed" if choice.closed else "It is open, with this text"
    elif dispute.kind == SUCCESSOR:
        fact, keep = choice.id, "This one replaces it"
    elif dispute.kind == CIRCLE:
        fact, keep = choice.id, "This one holds"
    elif dispute.kind == MOVED:
        keep = f"It is {choice.text}"
    elif dispute.kind == REWORDED and _is_text(dispute, choice):
        keep = "It holds, in these words"
    elif dispute.kind == REWORDED:
        replaced = choice.id != choice.stem
        fact, keep = (choice.id, "This one replaces it") if replaced else ("", "It is false")
    return Side(choice, keep, fact, twin_commands.resolve(dispute.fact, _begun(dispute, choice)))


def _begun(dispute: Dispute, choice: Choice) -> str:
    """Return what names a side on the command line: of a log the start that no other side has."""
    if choice.id != choice.stem:
        return choice.id
    others = [one.id for one in dispute.choices if one.id != choice.id]
    for end in range(_STEM_CHARS, len(choice.id)):
        if not any(other.startswith(choice.id[:end]) for other in others):
            return choice.id[:end]
    return choice.id
