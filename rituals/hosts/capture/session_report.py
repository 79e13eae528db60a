"""Find what a part of a session told for people to read: answers in dialogs, commits, reports of turns.

A turn ends at the next turn of a person, and its report is the longest that the agent said in it. One
that was broken off has no report, unless it is long: its last words tell what was about to be done. What
it said is taken back by a form alone: its dialog is answered anew, its commit is reverted. Here is also
what names such a part, and what a person asks to be remembered, whole and in their own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from ledger.escape import prose
from ledger.model.event import FactCreated
from ledger.model.record import Record
from ledger.wal.kept_asks import naming
from memory import Snapshot, logs_of
from projection.brief.inert_text import shortened
from rituals.hosts.capture.commit_texts import History, Piece, Texts
from rituals.hosts.capture.report_paragraphs import (
    fitted,
    names_in,
    paragraphs,
    size_of,
    standing,
    without_fillers,
)
from rituals.hosts.capture.typed_words import UNSHARED
from rituals.hosts.extraction import Item
from rituals.hosts.transcripts.turns import ASSISTANT, INTERRUPTED, QUEUE, TITLE, TOOL, USER, Turn

#: Gives a text as others may read it, "" where nothing of it is left.
Opens = Callable[[str], str]
#: What a turn said last before it was broken off is a report if it has so many characters.
REPORT_CHARS = 400
#: What records what an agent answers, the ids in what it says, and how an answer takes back a fact.
_NOTE, _NAME = "diurna note", re.compile(r"[\w.-]+")
_AGAINST = re.compile(r"^[ \t]*(?:wrong ([\w.-]+)|([\w.-]+) -> )", re.MULTILINE)
#: A turn of a person of so many characters and lines is short.
_SHORT_CHARS, _SHORT_LINES = 300, 4


class Sources(Record):
    """What a part of a session told."""

    answered: tuple[tuple[str, str], ...] = ()  #: question and answer of each dialog
    commits: tuple[Piece, ...] = ()  #: that it made
    texts: tuple[Piece, ...] = ()  #: of pull requests and issues
    reports: tuple[Piece, ...] = ()  #: of its turns, those that have one
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
        self.said = self._newest = ""
        self._at: int | None = None
        self.calls: list[Turn] = []
        #: Whether it was broken off, whether a tool was used behind what was said last, and behind the
        #: longest; whether something of it was taken back.
        self.broken = self.worked = self.goes_on = self.corrected = False

    def say(self, turn: Turn) -> None:
        """Take what the agent says; what stands on one line is one report."""
        self._newest = f"{self._newest}\n\n{turn.text}" if turn.at == self._at else turn.text
        self._at, self.worked = turn.at, False
        if len(self._newest) > len(self.said):
            self.said, self.goes_on = self._newest, False

    def work(self, turn: Turn) -> None:
        """Take the use of a tool."""
        self.calls.append(turn)
        self.worked, self.goes_on = True, self.goes_on or self.said == self._newest


def sources_of(turns: Iterable[Turn], history: History) -> Sources:
    """Return what the turns of a slice told."""
    stretches = [_Stretch()]
    answered: dict[str, tuple[str, _Stretch]] = {}
    title = ask = ""
    for turn in turns:
        now = stretches[-1]
        if turn.role == USER and turn.asked:
            question, answer = " ".join(turn.asked.split()), " ".join(turn.text.split())
            before = answered.pop(question, (answer, now))
            before[1].corrected |= before[0] != answer
            answered[question] = answer, now
        elif turn.role == USER and turn.tool == QUEUE:
            now.asks.append(ask_line(turn.text))
        elif turn.role == USER:
            stretches.append(_Stretch(ask_line(turn.text)))
            ask = ask or ask_line(turn.text)
        elif turn.role == ASSISTANT:
            now.say(turn)
        elif turn.role == TOOL:
            now.work(turn)
        elif turn.tool == TITLE:
            title = turn.text
        elif turn.tool == INTERRUPTED:
            now.broken = True
    texts = Texts([call for one in stretches for call in one.calls], history)
    if not stretches[0].said:
        del stretches[0]
    reports, against = list[Piece](), set[str]()
    for number, one in reversed([*enumerate(stretches, 1)]):
        open_end = one.broken or (number == len(stretches) and one.worked)
        corrected = one.corrected or any(call.at in texts.reverted for call in one.calls)
        notes = [call for call in one.calls if _NOTE in call.given and not call.failed]
        corrected |= any(not against.isdisjoint(_NAME.findall(call.result)) for call in notes)
        against.update(id for call in notes for pair in _AGAINST.findall(call.given) for id in pair)
        if one.said and not (open_end and len(one.said) < REPORT_CHARS):
            heading = f"Turn {number} of {len(stretches)}{' (corrected)' * corrected}"
            asks = tuple(filter(None, one.asks))
            reports.append(Piece(heading, one.said, asks=asks, goes_on=one.goes_on))
    dialogs = tuple((question, answer) for question, (answer, _) in answered.items())
    commits, written = tuple(texts.commits.values()), tuple(texts.texts.values())
    return Sources(dialogs, commits, written, tuple(reports[::-1]), title, ask)


def ask_line(ask: str) -> str:
    """Return what a person asked for on one line of at most 120 characters; in a longer one files go."""
    line = prose(" ".join(ask.split()))
    return shortened(_FILES.sub("@…", line) if len(line) > ASK_CHARS else line, ASK_CHARS)


TITLE_CHARS = 100
#: How a person names files to an agent, several with at most a word between two.
_FILES = re.compile(r"(?<!\S)@[\w./~-]*[\w/](?:,?\s(?:\w+\s)?@[\w./~-]*[\w/])*")
#: What begins something else than a sentence: a heading, a list, code, a checkbox, HTML.
MARKS = "#>`~-=*+_<|[] "
#: How long what a person asked for is told.
ASK_CHARS = 120
#: So many of the newest logs are looked through for what the agent answered.
_LOGS = 200


def title_of(sources: Sources, opens: Opens) -> str:
    """Name a part of a session: by the newest commit that git has, the newest text, the host, the ask."""
    known = [one.heading for one in sources.commits if one.known]
    host = "" if "/" in sources.title.partition(" ")[0] else sources.title  # a branch, a path
    wanted = [*known[-1:], *[one.heading for one in sources.texts[-1:]], host]
    kept = (*map(opens, map(prose, wanted)), naming(sources.asks))
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
        short = len(turn.text) <= _SHORT_CHARS and turn.text.count("\n") < _SHORT_LINES
        bare = turn.text.lstrip()
        for word in (_REMEMBER, *words) if typed and short else ():
            text, behind = "", bare[len(word) :].lstrip()
            if bare[: len(word)].casefold() == word.casefold() and behind.startswith(_COLONS):
                text = " ".join(behind[1:].split())
            if text:
                quote = " ".join(turn.text.split())
                item = Item("fact", text[:1].upper() + text[1:], quote, at=turn.at)
                found.setdefault(text.casefold(), item)
                break
    return tuple(found.values())


#: So many characters of a passage are of use; a turn with fewer names of its own says little.
_SHARE, _FEW_NAMES = 600, 3


class _Passage:
    """What stands below a heading of its own."""

    def __init__(self, section: str, piece: Piece) -> None:
        self.section, self.heading, self.asks = section, prose(piece.heading), piece.asks
        self.paragraphs = paragraphs(piece.body)
        if section == "Turns":
            self.paragraphs = without_fillers(self.paragraphs, goes_on=piece.goes_on)
        #: How much room it takes, and needs at most to be of use.
        self.size = min(size_of(self.paragraphs), _SHARE) + len(self.heading) + 8

    def head(self, room: int) -> str:
        """Return its heading, and as many asks below it as there is room for."""
        text = f"### {self.heading}"
        for ask in self.asks:
            if len(text) + len(ask) + 4 <= room:
                text += f"\n\n> {ask}"
        return text if len(text) <= room else ""


def passages_of(sources: Sources, room: int, opens: Opens) -> str:
    """Write what a part of a session told, as others may read it, in `room` characters at most."""
    written = [_Passage("Commits", one) for one in sources.commits]
    written += [_Passage("Texts", one) for one in sources.texts]
    turns = [_Passage("Turns", one) for one in sources.reports]
    chosen, used = list[_Passage](), 0  # the newest ones; half of the room is for turns
    for some, limit in ((written[::-1], room // 2), (_telling(turns), room)):
        for one in some:
            if one is not some[0] and used + one.size > limit:
                break
            chosen.append(one)
            used += one.size
    passages = [one for one in (*written, *turns) if one in chosen]
    answered = [f"{prose(question)} → {prose(answer)}" for question, answer in sources.answered]
    told: dict[str, list[str]] = {"Answered": [], "Commits": [], "Texts": [], "Turns": []}
    for line in map(opens, answered):
        if 0 < len(line) <= room:
            told["Answered"].append(f"- {line}")
            room -= len(line) + 3
    heads: dict[_Passage, str] = {}
    for one in passages:
        one.heading = opens(one.heading) or UNSHARED
        one.paragraphs = standing(one.paragraphs, opens)
        heads[one] = one.head(room // 2)
        room -= len(heads[one]) + 2 * bool(heads[one])
    found: dict[_Passage, str] = {}
    # equal shares, but who needs less, or whose list is too long, leaves the rest to longer and later ones
    for one in sorted(passages, key=lambda one: size_of(one.paragraphs)):
        found[one] = fitted(one.paragraphs, room // (len(passages) - len(found)))
        room -= len(found[one]) + 2 * bool(found[one])
    for one in passages:
        named = one.section == "Commits" and one.heading != UNSHARED
        if heads[one] and (found[one] or named):
            told[one.section].append(f"{heads[one]}\n\n{found[one]}".rstrip())
    if answers := told.pop("Answered"):
        told = {"Answered": ["\n".join(answers)], **told}
    return "\n\n".join(
        [one for name, some in told.items() if some for one in (f"## {name}", *some)]
    )


def _telling(turns: Sequence[_Passage]) -> list[_Passage]:
    """Return turns, the last first; behind the others those that name little which no later one names."""
    known = set[str]()
    ranked: tuple[list[_Passage], list[_Passage]] = [], []
    for one in reversed(turns):
        names = {name for part in one.paragraphs for name in names_in(part.text)}
        ranked[len(names - known) < _FEW_NAMES].append(one)
        known |= names
    return [*ranked[0], *ranked[1]]
