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
        more = notes.get(question) if isinstance(notes, dict) else None
        typed = _texts(more.get("notes") if isinstance(more, dict) else None)
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
