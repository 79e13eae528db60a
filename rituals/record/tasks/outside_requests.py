"""Record what becomes of a request of another project: a task in their words, or a refusal in ours."""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.escape import prose
from ledger.model.event import FactMoved
from ledger.model.task_states import CANCELLED
from memory.replay.request_inbox import REQUEST, taken_up, waiting
from rituals.record.event_reasons import because
from rituals.record.tasks.new_task import NewTask, adding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.codec.letter import Letter
    from ledger.model.findings import Finding
    from memory.api import Memory
    from memory.write.draft import SessionDraft
    from rituals.record.tasks.author import Author

    Planned = tuple[SessionDraft, tuple[Finding, ...]]

_LEAST = 4  # of a hash, to name a request


def request_of(memory: Memory, begin: str) -> tuple[Letter | None, str]:
    """Return a request by the start of its hash; None and the task that it became, if it is answered.

    Raises:
        NotFound: there is none, or several begin so.
    """
    tasks = memory.ask(taken_up)
    came = {one.hash: one for one in memory.ask(lambda cache: waiting(memory.home, cache))}
    found = [one for one in (*came, *tasks) if len(begin) >= _LEAST and one.startswith(begin)]
    if len(found) != 1:
        said = (
            f"{len(found)} requests begin with {begin}" if found else f"there is no request {begin}"
        )
        raise NotFound(said, hint="`diurna task requests` lists those that wait")
    return came.get(found[0]), tasks[found[0]].id if found[0] in tasks else ""


def accepting(
    memory: Memory, letter: Letter, new: NewTask, author: Author, *, anyway: bool
) -> Planned:
    """Make the draft of a log that adds what a request asks for, quoted; say what is odd about it.

    Raises:
        DraftRefused: as of `adding`.
    """
    first, _, rest = letter.text.partition("\n")
    lines = [f'{letter.asker} (outside) asks: "{prose(first)}"']
    if rest.strip():
        lines += ["", *[f"> {prose(line)}".rstrip() for line in rest.strip().split("\n")]]
    new = new._replace(text="\n".join(lines), source=f"{REQUEST} {letter.asker} {letter.hash}")
    return adding(memory, new, author, anyway=anyway)


def declining(memory: Memory, letter: Letter, why: str, author: Author) -> Planned:
    """Make the draft of a log that declines a request; it holds no word of that."""
    title, source = f"Decline request {letter.hash}", f"{REQUEST} {letter.asker} {letter.hash}"
    said = f"Request {letter.hash} of {letter.asker} was declined."
    draft, odd = adding(memory, NewTask(said, f"declined-{letter.hash}", source=source), author)
    move = because(FactMoved(f"declined-{letter.hash}", CANCELLED), why)
    return draft._replace(title=title, prose=why, events=(*draft.events, move)), odd
