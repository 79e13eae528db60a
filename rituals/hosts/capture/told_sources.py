"""Find what a part of a session told for people to read: answers in dialogs, commits, reports of turns.

A turn ends at the next turn of a person, and its report is the last that the agent said in it. One that
was broken off has no report, unless it is long: its last words tell what was about to be done.
"""

from __future__ import annotations

from ledger.model.record import Record
from rituals.hosts.capture.commit_texts import Written, texts_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rituals.hosts.capture.commit_texts import MessageOf
    from rituals.hosts.transcripts.slices import Turn

#: What a turn said last before it was broken off is a report if it has so many characters.
REPORT_CHARS = 400
#: A turn of a person of so many characters and lines is short.
_SHORT_CHARS, _SHORT_LINES = 300, 4
QUEUE, TITLE, INTERRUPTED = "queue", "title", "interrupted"
_USER, _ASSISTANT, _TOOL, _HOST = "user", "assistant", "tool", "host"


class Report(Record):
    """A turn of a session."""

    text: str  #: what the agent said at its end, "" for nothing
    asks: tuple[str, ...]  #: the short turns of a person that it answers
    number: int  #: of the turn, from 1


class Sources(Record):
    """What a part of a session told."""

    answered: tuple[tuple[str, str], ...] = ()  #: question and answer of each dialog
    commits: tuple[Written, ...] = ()  #: that it made
    texts: tuple[Written, ...] = ()  #: of pull requests and issues
    reports: tuple[Report, ...] = ()  #: of its turns, those that have one
    turns: int = 0  #: how many turns it had
    title: str = ""  #: as the host calls the session, "" for nothing
    ask: str = ""  #: the first words of a person, whatever they are

    @property
    def weighs(self) -> bool:
        """Whether it is worth a log, however short it is: somebody decided or wrote something."""
        return bool(self.answered or self.commits or self.texts)


class _Stretch:
    """A turn while it is read."""

    def __init__(self, ask: str = "") -> None:
        self.asks = [ask] if ask else []
        self.said = ""
        self.at = -1
        #: Whether it was broken off, and whether a tool was used behind what was said last.
        self.broken = self.worked = False

    def report(self, *, last: bool) -> str:
        """Return the report, "" for none."""
        open_end = self.broken or (last and self.worked)
        return "" if open_end and len(self.said) < REPORT_CHARS else self.said


def sources_of(turns: Iterable[Turn], message_of: MessageOf) -> Sources:
    """Return what the turns of a slice told."""
    stretches = [_Stretch()]
    answered: dict[str, str] = {}
    calls: list[Turn] = []
    title = ask = ""
    for turn in turns:
        now = stretches[-1]
        if turn.role == _USER and turn.asked:
            answered[" ".join(turn.asked.split())] = " ".join(turn.text.split())
        elif turn.role == _USER and turn.tool == QUEUE:
            now.asks.append(turn.text)
        elif turn.role == _USER:
            stretches.append(_Stretch(turn.text))
            ask = ask or turn.text
        elif turn.role == _ASSISTANT:
            now.said = f"{now.said}\n\n{turn.text}" if turn.at == now.at else turn.text
            now.at, now.worked = turn.at, False
        elif turn.role == _TOOL:
            now.worked = True
            calls.append(turn)
        elif turn.role == _HOST and turn.tool == TITLE:
            title = turn.text
        elif turn.role == _HOST and turn.tool == INTERRUPTED:
            now.broken = True
    texts = texts_in(calls, message_of)
    if not stretches[0].said and len(stretches) > 1:
        del stretches[0]
    reports = []
    for number, one in enumerate(stretches, 1):
        said = one.report(last=number == len(stretches))
        if said:
            reports.append(Report(said, tuple(filter(is_short, one.asks)), number))
    return Sources(
        tuple(answered.items()),
        texts.commits,
        texts.texts,
        tuple(reports),
        len(stretches),
        title,
        ask,
    )


def is_short(ask: str) -> bool:
    """Tell whether a turn of a person is short: typed, and not pasted."""
    return len(ask) <= _SHORT_CHARS and ask.count("\n") < _SHORT_LINES
