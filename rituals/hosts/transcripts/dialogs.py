"""Read what a person answers where a host shows a dialog: the option they chose, and what they typed.

Each host gives the questions to a tool and the answers back as its result, by the question, by its id, by
its number, or as a sentence.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


def answers_of(
    questions: Sequence[Mapping[str, object]], answer: object, notes: object = None
) -> list[tuple[str, str]]:
    """Return each question of a dialog that a person answered with their answer.

    `answer` is as the host has it; `notes` is what the person typed besides, by the question.
    """
    answer = _opened(answer)
    if isinstance(answer, str):
        return _told(questions, answer)
    found: list[tuple[str, str]] = []
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
        typed = more.get("notes") if isinstance(more, dict) else None
        said = "; ".join([*_texts(given), *_texts(typed)])
        if said:
            found.append((question, said))
    return found


def _opened(answer: object) -> object:
    """Return what is in an answer: in JSON, and under its name."""
    if isinstance(answer, str) and answer.startswith("{"):
        try:
            answer = json.loads(answer)
        except (ValueError, RecursionError):
            return answer
    return answer.get("answers", answer) if isinstance(answer, dict) else answer


def _texts(given: object) -> list[str]:
    """Return the words of one answer."""
    if isinstance(given, dict):
        given = given.get("answers", given.get("answer"))
    many = given if isinstance(given, list) else [given]
    texts = [one.removeprefix(_TYPED).strip() for one in many if isinstance(one, str)]
    return [one for one in texts if one not in _NONE]


def _told(questions: Sequence[Mapping[str, object]], answer: str) -> list[tuple[str, str]]:
    """Return what a sentence of the host tells: `"question"="answer"`, or the answer alone."""
    asked = [str(one["question"]) for one in questions]
    places = [(answer.find(f'"{one}"="'), one) for one in asked]
    marks = sorted([(at, one) for at, one in places if at >= 0])
    found: list[tuple[str, str]] = []
    for number, (at, one) in enumerate(marks):
        end = marks[number + 1][0] if number + 1 < len(marks) else len(answer)
        said = answer[at + len(one) + 4 : end].rpartition('"')[0].strip()
        if said not in _NONE:
            found.append((one, said))
    if not marks and len(asked) == 1 and _SAID.match(answer):
        said = _SAID.sub("", answer).strip()
        return [(asked[0], said)] if said not in _NONE else []
    return found
