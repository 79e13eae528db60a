"""Hand a task over: its move to handoff-ready, and the fact that says what the next one has to know."""

from __future__ import annotations

from ledger.errors import WrongUsage
from ledger.model.event import FactMoved
from ledger.model.ids import ID_LIMIT_CHARS
from ledger.model.record import Record
from ledger.model.task_states import HANDOFF_READY
from projection.policy.model import HANDOFF_KIND
from rituals.record.draft_composer import draft_of_request, taken_in
from rituals.record.request import NewFact, Request
from rituals.record.tasks.task_steps import Change, found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from rituals.record.tasks.new_task import Author

#: The sections of its text, in order: the field, and what stands before each line.
_SECTIONS = (
    ("done", "Done"), ("remaining", "Remaining"), ("warnings", "Warning"), ("questions", "Question"),
    ("next", "Next"),
)  # fmt: skip


class Leaving(Record):
    """What the next one has to know; each line of each text is a point."""

    to: str = ""  #: an agent or a role, "" for whoever takes the task
    done: tuple[str, ...] = ()  #: what is done
    remaining: tuple[str, ...] = ()  #: what is not
    warnings: tuple[str, ...] = ()  #: what to look out for
    questions: tuple[str, ...] = ()  #: what is open
    next: tuple[str, ...] = ()  #: what to do first
    confidence: str = ""  #: that what is done is right, in a word or a number


def handing_over(memory: Memory, id: str, leaving: Leaving, author: Author) -> Change:
    """Plan to hand a task over, with what the next one has to know.

    Raises:
        NotFound: there is no such task.
        WrongUsage: nothing is said.
    """
    task = found(memory, id)
    id = task.id
    lines = [
        f"- {word}: {said}"
        for field, word in _SECTIONS
        for text in getattr(leaving, field)
        for line in text.split("\n")
        if (said := " ".join(line.split()).removeprefix("- "))
    ]
    if not lines:
        raise WrongUsage(
            f"nothing is said of {id} for the next one",
            hint='say what is done and what is left: --done "…" --remaining "…" --next "…"',
        )
    giver = author.agent or memory.asker()
    text = "\n".join((f"{id} is handed over{f' to {leaving.to}' if leaving.to else ''}.", *lines))
    footers = (
        ("serves", id), ("from", giver), ("to", leaving.to), ("confidence", leaving.confidence),
    )  # fmt: skip
    new = NewFact(
        text, _free_id(memory, id, text), HANDOFF_KIND,
        footers=tuple([(key, value) for key, value in footers if value]),
    )  # fmt: skip
    draft, _ = draft_of_request(memory, author.signed(Request(f"Hand over {id}", new=(new,))))
    move = FactMoved(id, HANDOFF_READY)
    return Change(task, draft._replace(events=(*draft.events, move)))


def _free_id(memory: Memory, task: str, text: str) -> str:
    """Return `handoff-TASK`, with a number where that is another handoff."""
    taken = taken_in(memory)
    number, begin = 1, f"{HANDOFF_KIND}-{task}"[: ID_LIMIT_CHARS - 5].rstrip("-.")
    made = begin
    while taken(made, text):
        number += 1
        made = f"{begin}-{number}"
    return made
