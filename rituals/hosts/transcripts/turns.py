"""Collect the turns of a transcript while its lines are read, of which a later one may undo others.

In dialogs a host gives the questions to a tool and the answers back as its result: by the question, by its
id, by its number, or as a sentence.
"""

from __future__ import annotations

import re
from _bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from ledger.model.record import Record
from rituals.hosts.session_files import read_object

#: The tools that ask a person.
DIALOGS = frozenset(
    "AskUserQuestion request_user_input ask_user ask_user_question question".split()
)
#: What stands between a person's words and the host's.
_SAID = re.compile(r"\AUser (?:responded|selected|answered): ")
_TYPED = "user_note: "
_NONE = frozenset(("", "Unanswered", "(no option selected)"))


def questions_of(arguments: object) -> Sequence[Mapping[str, object]]:
    """Return the questions that a tool was given; one alone has no list."""
    given = mapping(arguments)
    asked = given.get("questions")
    many = asked if isinstance(asked, list) else [given]
    return [one for one in many if isinstance(one, dict) and isinstance(one.get("question"), str)]


class Answer(Record):
    """What a person answered to a question of a dialog."""

    question: str
    picked: str = ""  #: of the options that it offered
    typed: str = ""  #: freely


def answers_of(
    questions: Sequence[Mapping[str, object]], answer: object, notes: object = None
) -> list[Answer]:
    """Return what a person answered to the questions of a dialog, where they answered.

    `answer` is as the host has it; `notes` is what the person typed besides, by the question.
    """
    if isinstance(answer, str) and answer.startswith("{"):
        answer = read_object(answer.encode("utf-8", "replace")) or answer
    answer = answer.get("answers", answer) if isinstance(answer, dict) else answer
    if isinstance(answer, str):
        answer = _told(questions, answer)
    found: list[Answer] = []
    for place, one in enumerate(questions):
        question, given = str(one["question"]), None
        if isinstance(answer, dict):
            keys = [key for key in (question, one.get("id"), str(place)) if isinstance(key, str)]
            given = next((answer[key] for key in keys if key in answer), None)
        elif isinstance(answer, list) and place < len(answer):
            given = answer[place]
        typed = _texts(mapping(mapping(notes).get(question)).get("notes"))
        known, picked = _options(one), list[str]()
        for rest in _texts(given):  # a host may join several, and what was typed besides
            while label := next((one for one in known if _begins(rest, one)), ""):
                picked.append(label)
                rest = rest[len(label) :].lstrip(" ,;")
            typed += [rest] if rest else []
        if picked or typed:
            found.append(Answer(question, "; ".join(picked), "; ".join(typed)))
    return found


def _options(asked: Mapping[str, object]) -> list[str]:
    """Return the labels of what a question offers, the longest first."""
    listed = asked.get("options", asked.get("choices"))
    many = listed if isinstance(listed, list) else ()
    found = [one.get("label") if isinstance(one, dict) else one for one in many]
    return sorted([one for one in found if isinstance(one, str) and one], key=len, reverse=True)


def _begins(answer: str, label: str) -> bool:
    return answer.startswith(label) and answer[len(label) : len(label) + 1] in ("", ",", ";")


def _texts(given: object) -> list[str]:
    """Return the words of one answer."""
    if isinstance(given, dict):
        given = given.get("answers", given.get("answer"))
    many = given if isinstance(given, list) else [given]
    texts = [one.removeprefix(_TYPED).strip() for one in many if isinstance(one, str)]
    return [one for one in texts if one not in _NONE]


def _told(questions: Sequence[Mapping[str, object]], answer: str) -> dict[str, object]:
    """Return what a sentence of the host tells: `"question"="answer"`, or the answer alone."""
    names = [str(one["question"]) for one in questions]
    places = {name: answer.find(f'"{name}"="') for name in names}
    if len(names) == 1 and places[names[0]] < 0 and _SAID.match(answer):
        return {names[0]: _SAID.sub("", answer)}
    found: dict[str, object] = {}
    for name, at in places.items():
        end = min([other for other in places.values() if other > at], default=len(answer))
        if at >= 0:
            found[name] = answer[at + len(name) + 4 : end].rpartition('"')[0]
    return found


USER, ASSISTANT, TOOL, HOST = "user", "assistant", "tool", "host"
#: The role of a line that only tells by what a person's words are known again.
HIDDEN = "hidden"
#: What a turn of the host says, and a turn of a person that was typed while the agent worked.
TITLE, INTERRUPTED, QUEUE, ASKED = "title", "interrupted", "queue", "asked"
#: So much of what a tool answered is kept, and of what made a commit, which is read.
_RESULT_CHARS, _COMMIT_CHARS = 80, 4 << 10


class Turn(Record):
    """What was said at once."""

    #: "user" for a person, "assistant" for an agent, also for one that gives a task to another one,
    #: "tool" for the use of a tool, "host" for what the program says of the session
    role: str
    text: str  #: what was said, without what programs put there; "" for a tool
    at: int  #: the byte at which its line starts
    #: the name of the tool; of a person's turn "queue" where it was typed while the agent worked,
    #: and the tool that asked where it answers a dialog; of the host's "title" or "interrupted"
    tool: str = ""
    when: int = 0  #: it was said, milliseconds since 1970; 0 for unknown
    asked: str = ""  #: the question of a dialog that the person answers
    #: what a tool was given: the command of a shell, else the arguments as JSON; its beginning
    given: str = ""
    result: str = ""  #: what a tool answered; its beginning
    failed: bool = False  #: whether the tool says that it failed


class Call(Record):
    """The use of a tool."""

    name: str  #: of the tool
    id: str = ""  #: by which its result names it; "" where none will
    given: str = ""  #: as in `Turn`
    asked: Sequence[Mapping[str, object]] = ()  #: the questions of a dialog


class Turns:
    """Collect turns, of which a later one may take the place of an earlier one."""

    def __init__(self) -> None:
        self.at = 0
        self._when = 0  # the newest line was written that says so
        #: Who asks: a person, or in a subagent's session the agent that gave it its task; "" for unknown.
        self.asking = ""
        #: Whether the agent works on what it was asked.
        self.working = False
        self._said: dict[str, list[Turn]] = {}
        #: The numbers of the lines: of what was said, of the ids of lines, and of a person's prompts. They
        #: are their bytes, and one more for each message that stands on one.
        self._lines: dict[str, int] = {}
        self._places: dict[str, int] = {}
        self._prompts: list[int] = []
        self._count = 0
        self._calls: dict[str, tuple[str, int, Call]] = {}
        self._queued: list[str] = []
        #: All that persons typed, also what is taken back; hosts' words may stand among it.
        self.typed: list[str] = []
        #: By what it is known again what of that no file has (`typed_words.hidden_runs`).
        self.hidden: list[str] = []

    def __iter__(self) -> Iterator[Turn]:
        """Yield the turns in order."""
        for said in self._said.values():
            yield from said

    def begin(self, at: int, line: Mapping[str, object], id: object) -> None:
        """Begin a line: where it starts, and by what id others name it."""
        self.at, self._count = at, max(at, self._count + 1)
        self._when = when_said(line) or self._when
        if id and isinstance(id, str):
            self._places.setdefault(id, self._count)

    def add(
        self, role: str, texts: Sequence[str], calls: Sequence[Call] = (), key: str = ""
    ) -> None:
        """Add what a line says.

        A line that bears the same `key` takes the place of this; "" where none does.
        """
        key = key or f"line {self._count} {len(self._said)}"
        said = [self._turn(role, text) for text in texts if text]
        for call in calls:
            if call.id:
                self._calls[call.id] = key, len(said), call
            said.append(self._turn(TOOL, "", call.name, given=call.given))
        self._put(key, said)

    def prompt(self, texts: Sequence[str], key: str = "", behind: str = "") -> None:
        """Add what a person asks for; it undoes what was asked behind the line that it follows.

        `key` is as for `add`; `behind` is the id of the line that it follows, "" for unknown.
        """
        # a line that was not read stands right before the first prompt that follows it
        place = self._places.setdefault(behind, self._count - 1) if behind else self._count
        undone = bisect_right(self._prompts, place)
        if undone < len(self._prompts):
            self.undo(self._prompts[undone])
        words = _words(" ".join(texts))
        for queued in [one for one in self._queued if one in words]:
            self._queued.remove(queued)
            self._said.pop(f"{QUEUE} {queued}", None)
        self._prompts.append(self._count)
        self.add(USER, texts, key=key)

    def undo(self, first: int) -> None:
        """Take back what was said from a line on, by its number."""
        while self._said and self._lines[key := next(reversed(self._said))] >= first:
            del self._said[key]
        self._prompts = [one for one in self._prompts if one < first]

    def undo_from(self, id: str) -> None:
        """Take back what was said from the line with an id on; all where that is before the slice."""
        self.undo(self._places.get(id, 0))

    def undo_prompts(self, count: int) -> None:
        """Take back the newest prompts of a person, and what was said behind them."""
        self.undo(self._prompts[-count] if 0 < count <= len(self._prompts) else 0)

    def queue(self, text: str) -> None:
        """Add what a person types while the agent works; a prompt that repeats it takes its place."""
        words = _words(text)
        if words:
            self._queued.append(words)
            self._put(f"{QUEUE} {words}", [self._turn(USER, text, QUEUE)])

    def unqueue(self, text: str, *, taken_back: bool) -> None:
        """End the waiting of what was queued, of the oldest where it is not said which."""
        words = _words(text) or (self._queued[0] if self._queued else "")
        if words in self._queued:
            self._queued.remove(words)
            if taken_back:
                self._said.pop(f"{QUEUE} {words}", None)

    def answer(self, tool: str, answers: Sequence[Answer]) -> None:
        """Add what a person answers in a dialog; what they typed there is what they ask for."""
        said = []
        for one in answers:
            if one.picked:
                said.append(self._turn(USER, one.picked, tool, one.question))
            if one.typed:
                said.append(self._turn(USER, one.typed, QUEUE if one.question else tool))
        self._put(f"answer {self._count} {len(self._said)}", said)

    def call(self, id: str) -> Call | None:
        """Return the use of a tool that has no result yet."""
        found = self._calls.get(id)
        return found[2] if found else None

    def result(self, id: str, result: str, *, failed: bool, told: object = None) -> None:
        """Tell what a tool answered; nothing where its use is not known.

        `told` is what a person did in a dialog, as the host has it; None for nothing.
        """
        if id not in self._calls:
            return
        key, place, call = self._calls.pop(id)
        said = self._said.get(key, [])
        if place < len(said) and said[place].tool == call.name:
            whole = "commit" in call.given or "diurna note" in call.given
            kept = result[: _COMMIT_CHARS if whole else _RESULT_CHARS]
            said[place] = said[place]._replace(result=kept, failed=failed)
        if call.asked and told is not None:
            self.answer(call.name, answers_of(call.asked, told))

    def title(self, text: str, key: str = TITLE) -> None:
        """Add how the host names the session; the newest name holds."""
        if text:
            self._put(key, [self._turn(HOST, text, TITLE)])

    def mark(self, what: str) -> None:
        """Add that the person stopped the agent, or that the host asked in our name, once in a row."""
        newest = self._said[next(reversed(self._said))] if self._said else []
        if not newest or newest[-1].tool != what:
            self._put(f"{what} {self._count}", [self._turn(HOST, "", what)])

    def steered(self) -> None:
        """Say of the newest prompt that it was typed while the agent worked."""
        key = self._newest(USER)
        if key:
            said = self._said[key]
            self._said[key] = [one._replace(tool=one.tool or QUEUE) for one in said]

    def without_summary(self, summary: str) -> None:
        """Take back the newest turn of the agent where it is the summary that a host asked it for."""
        key = self._newest(ASSISTANT)
        if key and self._said[key][-1].text in summary:
            del self._said[key]

    def _newest(self, role: str) -> str:
        """Return the key of what a role said last, "" for none."""
        said = reversed(self._said.items())
        return next((key for key, turns in said if turns[-1].role == role), "")

    def _turn(self, role: str, text: str, tool: str = "", asked: str = "", given: str = "") -> Turn:
        if role == USER and not asked:
            self.typed.append(text)
        return Turn(role, text, self.at, tool, self._when, asked, given)

    def _put(self, key: str, said: list[Turn]) -> None:
        """Let something be said last, in the place of what the same key said; what is the same stays."""
        if said and _contents(said) == _contents(self._said.get(key, ())):
            return
        self._said.pop(key, None)
        if said:
            self._said[key] = said
            self._lines[key] = self._count


def _contents(said: Iterable[Turn]) -> list[tuple[str, ...]]:
    return [(one.role, one.text, one.tool, one.asked, one.given) for one in said]


def _words(text: str) -> str:
    return " ".join(text.split())


def when_said(line: Mapping[str, object]) -> int:
    """Return when a line or a message was written, milliseconds since 1970; 0 where it does not say."""
    time = mapping(mapping(line.get("info")).get("time"))
    said = line.get("timestamp", time.get("created"))
    if isinstance(said, int) and not isinstance(said, bool):
        return said if said > _SECONDS else said * 1000
    try:
        return round(
            datetime.fromisoformat(said if isinstance(said, str) else "").timestamp() * 1000
        )
    except (ValueError, OverflowError):
        return 0


#: No moment since 1973 is so few milliseconds.
_SECONDS = 100_000_000_000


def mapping(value: object) -> Mapping[str, object]:
    """Return an object of a line; an empty one where there is none."""
    return value if isinstance(value, dict) else {}
