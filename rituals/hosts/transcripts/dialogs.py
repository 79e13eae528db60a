"""Read dialogs: a host gives the questions to a tool and the answers back as its result.

By the question, by its id, by its number, or as a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ledger.model.record import Record
from rituals.hosts.payloads import read_object

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
    given = arguments if isinstance(arguments, dict) else {}
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
    answer = _opened(answer)
    if isinstance(answer, str):
        return _told(questions, answer)
    found: list[Answer] = []
    for place, one in enumerate(questions):
        question = str(one["question"])
        if isinstance(answer, dict):
            keys = (question, one.get("id"), str(place))
            given = next(
                (answer[key] for key in keys if isinstance(key, str) and key in answer), None
            )
        else:
            given = answer[place] if isinstance(answer, list) and place < len(answer) else None
        more = notes.get(question) if isinstance(notes, dict) else None
        found.append(
            _answer(
                one, _texts(given), _texts(more.get("notes") if isinstance(more, dict) else None)
            )
        )
    return [one for one in found if one.picked or one.typed]


def _answer(asked: Mapping[str, object], given: Sequence[str], notes: Sequence[str] = ()) -> Answer:
    """Part what a person answered by the options that the question offered."""
    listed = asked.get("options", asked.get("choices"))
    options = [
        label if isinstance(one, dict) and isinstance(label := one.get("label"), str) else one
        for one in (listed if isinstance(listed, list) else ())
    ]
    known = sorted([one for one in options if isinstance(one, str) and one], key=len, reverse=True)
    picked, typed = list[str](), list(notes)
    for rest in given:  # a host may join several, and what was typed besides
        while label := next((one for one in known if _begins(rest, one)), ""):
            picked.append(label)
            rest = rest[len(label) :].lstrip(" ,;")
        typed += [rest] if rest else []
    return Answer(str(asked["question"]), "; ".join(picked), "; ".join(typed))


def _begins(answer: str, label: str) -> bool:
    return answer.startswith(label) and answer[len(label) : len(label) + 1] in ("", ",", ";")


def _opened(answer: object) -> object:
    """Return what is in an answer: in JSON, and under its name."""
    if isinstance(answer, str) and answer.startswith("{"):
        answer = read_object(answer.encode("utf-8", "replace")) or answer
    return answer.get("answers", answer) if isinstance(answer, dict) else answer


def _texts(given: object) -> list[str]:
    """Return the words of one answer."""
    if isinstance(given, dict):
        given = given.get("answers", given.get("answer"))
    many = given if isinstance(given, list) else [given]
    texts = [one.removeprefix(_TYPED).strip() for one in many if isinstance(one, str)]
    return [one for one in texts if one not in _NONE]


def _told(questions: Sequence[Mapping[str, object]], answer: str) -> list[Answer]:
    """Return what a sentence of the host tells: `"question"="answer"`, or the answer alone."""
    places = [answer.find(f'"{one["question"]}"="') for one in questions]
    marks = sorted([(at, number) for number, at in enumerate(places) if at >= 0])
    found: list[Answer] = []
    for place, (at, number) in enumerate(marks):
        one = questions[number]
        end = marks[place + 1][0] if place + 1 < len(marks) else len(answer)
        said = answer[at + len(str(one["question"])) + 4 : end].rpartition('"')[0].strip()
        if said not in _NONE:
            found.append(_answer(one, [said]))
    if not marks and len(questions) == 1 and _SAID.match(answer):
        said = _SAID.sub("", answer).strip()
        return [_answer(questions[0], [said])] if said not in _NONE else []
    return found
