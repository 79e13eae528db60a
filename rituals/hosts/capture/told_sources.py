"""Find what a part of a session told for people to read: answers in dialogs, commits, reports of turns.

A turn ends at the next turn of a person, and its report is the last that the agent said in it. One that
was broken off has no report, unless it is long: its last words tell what was about to be done. Here is
also what names such a part, and what a person asks to be remembered, whole and in their own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice

from ledger.escape import prose
from ledger.model.event import FactCreated
from ledger.model.record import Record
from memory.query.visible_logs import logs_of
from memory.replay.ledger_snapshot import Snapshot
from projection.brief.wording import shortened
from rituals.hosts.capture.commit_texts import MessageOf, Written, texts_in
from rituals.hosts.capture.fitting import Opens, paragraphs, sentences_of
from rituals.hosts.quoted_items import Item
from rituals.hosts.transcripts.slices import Turn
from rituals.hosts.transcripts.turns import ASSISTANT, INTERRUPTED, QUEUE, TITLE, TOOL, USER

#: What a turn said last before it was broken off is a report if it has so many characters.
REPORT_CHARS = 400
#: A turn of a person of so many characters and lines is short.
_SHORT_CHARS, _SHORT_LINES = 300, 4


class Report(Record):
    """A turn of a session."""

    text: str  #: what the agent said at its end, "" for nothing
    asks: tuple[str, ...]  #: what a person asked for in it, a line each
    heading: str  #: which turn it is


class Sources(Record):
    """What a part of a session told."""

    answered: tuple[tuple[str, str], ...] = ()  #: question and answer of each dialog
    commits: tuple[Written, ...] = ()  #: that it made
    texts: tuple[Written, ...] = ()  #: of pull requests and issues
    reports: tuple[Report, ...] = ()  #: of its turns, those that have one
    title: str = ""  #: as the host calls the session, "" for nothing
    ask: str = ""  #: the first thing that a person asked for, on a line

    def asking(self, may_be_told: Callable[[str], bool]) -> Sources:
        """Return it without those words of a person that may not be told."""
        reports = [one._replace(asks=tuple(filter(may_be_told, one.asks))) for one in self.reports]
        return self._replace(reports=tuple(reports), ask=self.ask if may_be_told(self.ask) else "")

    @property
    def asks(self) -> tuple[str, ...]:
        """What a person asked for, a line each."""
        said = (self.ask, *[ask for one in self.reports for ask in one.asks])
        return tuple(dict.fromkeys(filter(None, said)))


class _Stretch:
    """A turn while it is read."""

    def __init__(self, ask: str = "") -> None:
        self.asks = [ask] if ask else []
        self.said = ""
        self.at: int | None = None
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
        if turn.role == USER and turn.asked:
            answered[" ".join(turn.asked.split())] = " ".join(turn.text.split())
        elif turn.role == USER and turn.tool == QUEUE:
            now.asks.append(ask_line(turn.text))
        elif turn.role == USER:
            stretches.append(_Stretch(ask_line(turn.text)))
            ask = ask or ask_line(turn.text)
        elif turn.role == ASSISTANT:
            now.said = f"{now.said}\n\n{turn.text}" if turn.at == now.at else turn.text
            now.at, now.worked = turn.at, False
        elif turn.role == TOOL:
            now.worked = True
            calls.append(turn)
        elif turn.tool == TITLE:
            title = turn.text
        elif turn.tool == INTERRUPTED:
            now.broken = True
    texts = texts_in(calls, message_of)
    if not stretches[0].said:
        del stretches[0]
    reports, count = [], len(stretches)
    for number, one in enumerate(stretches, 1):
        said = one.report(last=number == count)
        if said:
            asks = tuple(filter(None, one.asks))
            reports.append(Report(said, asks, f"Turn {number} of {count}"))
    dialogs = tuple(answered.items())
    return Sources(dialogs, texts.commits, texts.texts, tuple(reports), title, ask)


def ask_line(ask: str) -> str:
    """Return what a person asked for on one line of at most 120 characters."""
    return shortened(prose(" ".join(ask.split())), ASK_CHARS)


def is_short(ask: str) -> bool:
    """Tell whether a turn of a person is short: typed, and not pasted."""
    return len(ask) <= _SHORT_CHARS and ask.count("\n") < _SHORT_LINES


TITLE_CHARS = 100
#: What begins something else than a sentence: a heading, a list, code, a checkbox, HTML.
MARKS = "#>`~-=*+_<|[] "
#: How long what a person asked for is told; a first one of so many words at least may name a session.
ASK_CHARS, _ASK_WORDS = 120, 4
#: A shorter sentence at the beginning of a report says nothing but that it is done, or yes.
_TELLING_CHARS = 24
#: How a sentence begins that answers, or announces what comes below it.
_ANSWERS = tuple(
    "yes|no,|no |not |if |because |let me |i will |i'll |now |here's |here is |here are".split("|")
)
#: So many of the newest logs are looked through for what the agent answered.
_LOGS = 200
#: A document's own heading is among so many paragraphs of a report.
_TOP = 3
#: What a sentence is put below, and what it links to, is no part of what it says.
_LABEL = re.compile(r"\*\*[^*\n]{1,40}(?::\*\*|\*\*:)\s*(?=\S)")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\([^()\s]{1,500}\)")


def title_of(sources: Sources, opens: Opens) -> str:
    """Name what a part of a session did: first commit, text, host's name, first ask, first long report.

    The first is the work; what comes behind it are repairs and questions.
    """
    wanted = [one.heading for one in (*sources.commits, *sources.texts)]
    host = "" if "/" in sources.title.partition(" ")[0] else sources.title  # a branch, a path
    wanted += [host]
    best = sorted(sources.reports, key=lambda one: -min(len(one.text), REPORT_CHARS))
    said = [_first_sentence(one.text) for one in best]
    kept = opens([prose(one) for one in (*wanted, *said)])
    kept.insert(len(wanted), sources.ask if len(sources.ask.split()) >= _ASK_WORDS else "")
    return shortened(next(filter(None, kept), ""), TITLE_CHARS)


def answered_title(snapshot: Snapshot, session: str) -> str:
    """Return what the agent called a session since its last part was told; "" where it did not say."""
    for ref, entry in islice(snapshot.cache().entries_since(""), _LOGS):
        if entry.session == session and entry.reach:
            break
        if entry.session == session:
            for _, log in logs_of(snapshot, [ref]):
                texts = [one.text or "" for one in log.events if isinstance(one, FactCreated)]
                said = log.title.partition("…")[0].partition(" (and ")[0]
                if not any(text.startswith(said) for text in texts):
                    return shortened(prose(log.title), TITLE_CHARS)
    return ""


def _first_sentence(report: str) -> str:
    """Return the first sentence of a report that says what was done; the heading of a document."""
    found = paragraphs(report)
    for one in found[:_TOP]:
        name = one.text.strip("*")
        if one.leads and f"\n# {name}\n" in f"\n{report}\n":
            return name
    for one in found:
        line = one.text.partition("\n")[0]
        if not one.leads and not line.startswith(("|", "`")):
            line = _LINK.sub(r"\1", _LABEL.sub("", line)).lstrip(MARKS).replace("**", "")
            for said in sentences_of(line):
                announces = said.endswith((":", "?")) or said.lower().startswith(_ANSWERS)
                if len(said) >= _TELLING_CHARS and not announces:
                    return said
    return ""


_FACT = "fact"
#: What begins a prompt that asks for its words to be remembered, beside the words of the policy.
_REMEMBER = "remember"
_COLONS = (":", "\uff1a")


def said_in(turns: Iterable[Turn], words: Iterable[str] = ()) -> tuple[Item, ...]:
    """Return what a person asks to be remembered, in the order in which they did.

    A short prompt does that begins with `remember:`, or with one of the policy's `words` and a colon.
    """
    found: dict[str, Item] = {}
    for turn in turns:
        typed = turn.role == USER and not turn.asked and turn.tool in ("", QUEUE)
        text = _remembered(turn.text, words) if typed and is_short(turn.text) else ""
        if text:
            item = Item(_FACT, text[:1].upper() + text[1:], " ".join(turn.text.split()), at=turn.at)
            found.setdefault(text.casefold(), item)
    return tuple(found.values())


def _remembered(prompt: str, words: Iterable[str]) -> str:
    """Return what a prompt asks to be remembered, on a line; "" where it asks for nothing."""
    bare = prompt.lstrip()
    for word in (_REMEMBER, *words):
        behind = bare[len(word) :].lstrip()
        if bare[: len(word)].casefold() == word.casefold() and behind.startswith(_COLONS):
            return " ".join(behind[1:].split())
    return ""
