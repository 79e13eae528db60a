"""Gather contradictions as a person decides them: each side, and what keeping it is called."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.errors import GitFailed
from ledger.git.git_objects import independent
from ledger.model.event import ThreadClosed
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
from rituals.serve.web.actions.form_shapes import command
from rituals.serve.web.tip_view.tip_view import TipView

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
    anchor: str  #: the name of its place on the page
    sides: tuple[Side, ...]  #: of it
    seen: tuple[str, ...]  #: the ids of all sides of the fact: a form says what was shown
    uses: int  #: how often the fact was used
    before: str = ""  #: the text of the fact that is in question, where that is another one's
    #: the two texts whose difference says most, none where there are not two
    texts: tuple[str, ...] = ()
    draft: str = ""  #: with which a text of one's own begins, "" where none settles it
    state: bool = False  #: whether it has to be said that it is open or closed

    @property
    def newest(self) -> str:
        """The stem of the side that came last."""
        return max([side.choice.stem for side in self.sides], default="")


def torn(state: State, disputes: Sequence[Dispute]) -> tuple[Torn, ...]:
    """Return contradictions as they are shown: the newest first, of one moment the most used first."""
    seen: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for one in disputes:
        seen.setdefault(one.fact, []).extend([choice.id for choice in one.choices])
        first.setdefault(one.fact, one.kind)
    found = [
        _torn(state, one, anchor_of(one, first[one.fact]), tuple(dict.fromkeys(seen[one.fact])))
        for one in disputes
    ]
    return tuple(sorted(found, key=lambda one: (one.newest, one.uses), reverse=True))


def anchor_of(dispute: Dispute, first: str) -> str:
    """Name the place of a contradiction; the fact's page leads to that of the `first` kind."""
    return f"c-{dispute.fact}" + ("" if dispute.kind == first else f"-{dispute.kind}")


def knowledge(tip: TipView, dispute: Dispute) -> str:
    """Say whether those who said the sides knew of each other, as the history of git tells it."""
    stems = list(dict.fromkeys([_said_in(tip, dispute, one) for one in dispute.choices]))
    brought = tip.writers(stems)
    commits = list(dict.fromkeys([one.commit for one in brought.values() if not one.via]))
    if len(stems) == 1:
        return "One log says all of it."
    if len(brought) < len(stems) or any(one.via for one in brought.values()):
        return "Whether they knew of each other can not be told: not each side has a commit of its own."
    if len(commits) == 1:
        return "All sides came with one commit."
    try:
        ends = len(independent(tip.memory.home.repository.git(), commits))
    except GitFailed:
        return ""
    if ends == len(commits):
        return "Those who said them did not know of each other."
    if ends > 1:
        return "Some of those who said them knew of another side, and some did not."
    others = "other" if len(commits) == 2 else "others"
    return f"The last one was said where the {others} stood in the history already."


def _said_in(tip: TipView, dispute: Dispute, choice: Choice) -> str:
    """Return the log that says a side: of a closed thread the one that closed it, not that of its text."""
    if not choice.closed:
        return choice.stem
    acts = tip.state.histories[dispute.fact].acts
    return [one.stem for one in acts if isinstance(one.event, ThreadClosed)][-1]


def _torn(state: State, dispute: Dispute, anchor: str, seen: tuple[str, ...]) -> Torn:
    fact = state[dispute.fact].fact
    texts = [one.text for one in dispute.choices if _is_text(dispute, one)]
    textual = dispute.kind in _TEXTUAL and not fact.redacted
    return Torn(
        dispute,
        anchor,
        tuple([_side(dispute, one) for one in dispute.choices]),
        seen,
        fact.uses,
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
    return Side(
        choice, keep, fact, command("resolve", id=dispute.fact, choose=_begun(dispute, choice))
    )


def _begun(dispute: Dispute, choice: Choice) -> str:
    """Return what names a side on the command line: of a log the start that no other side has."""
    if choice.id != choice.stem:
        return choice.id
    others = [one.id for one in dispute.choices if one.id != choice.id]
    for end in range(_STEM_CHARS, len(choice.id)):
        if not any(other.startswith(choice.id[:end]) for other in others):
            return choice.id[:end]
    return choice.id
