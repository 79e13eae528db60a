"""Find the questions behind which a session used facts: what was asked, and then opened or used.

A question is what memory was asked (`diurna recall`, the tool `recall`), or a person asked in few words.
Behind it the agent's next act has to use the fact: what it looked for elsewhere, and found by itself,
teaches nothing.
"""

from __future__ import annotations

import posixpath
import re

from projection.text.normalize import content_words
from rituals.hosts.extraction.deeds import arguments, command_of
from rituals.hosts.observed.shell import read
from rituals.hosts.transcripts.turns import ASSISTANT, TOOL, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rituals.hosts.transcripts.turns import Turn

#: A longer question is a story, one of fewer words that carry it a subject.
_CHARS, _LEAST_WORDS = 120, 2
#: So many questions are kept of a fact; an act that uses more facts has not found what was meant.
_KEPT, _MEANT = 3, 2
_RECALL = re.compile(r"diurna\W?_{0,3}recall$", re.IGNORECASE)
#: The options of `diurna recall` that take a value.
VALUED = frozenset(
    "--ids --level -n --in --kind --tier --tag --entity --agent --role --branch --since --until"
    " --as-of".split()
)
#: What ends a question, and what may stand behind that; what stands around the one in a log.
ASKS, MARKS = ("?", "\uff1f"), "*_`\"'”’)] "
_QUOTES = str.maketrans("“”", "  ")


def asked_behind(
    turns: Iterable[Turn], used: Mapping[int, Collection[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the questions behind which facts were used, by id, the last one first.

    `used` has the ids of the facts that are used, by the byte of the line that proves it.
    """
    found: dict[str, tuple[str, ...]] = {}
    waiting: list[str] = []
    since = -1
    for turn in turns:
        question = _question_in(turn)
        if question or turn.role == USER:
            waiting = [*(waiting if turn.role == TOOL else ()), *([question] if question else ())]
            since = turn.at
        elif waiting and turn.at > since and turn.role in (ASSISTANT, TOOL):
            ids = used.get(turn.at, ())
            if 0 < len(ids) <= _MEANT:
                last_first = tuple(dict.fromkeys(reversed(waiting)))[:_KEPT]
                found |= {id: last_first for id in ids if id not in found}
            if ids or turn.role == TOOL:
                waiting = []
    return found


def teaching(questions: Iterable[str], text: str) -> tuple[str, ...]:
    """Return the questions behind a fact's uses that have a word which its text, with its id, lacks."""
    known = content_words(text)
    return tuple([one for one in questions if not content_words(one) <= known])


def _question_in(turn: Turn) -> str:
    """Return the question that a turn asks, "" for none."""
    if turn.role == USER:
        asked = turn.text if turn.text.rstrip(MARKS).endswith(ASKS) else ""
    elif turn.role == TOOL and not turn.failed and "diurna" in turn.tool + turn.given:
        asked = _query_of(turn)
    else:
        asked = ""
    said = " ".join(asked.translate(_QUOTES).split()) if len(asked) <= 2 * _CHARS else ""
    return said if len(said) <= _CHARS and len(content_words(said)) >= _LEAST_WORDS else ""


def _query_of(turn: Turn) -> str:
    """Return what a tool asks memory."""
    if _RECALL.search(turn.tool):
        query = arguments(turn.given).get("query")
        return query if isinstance(query, str) else ""
    for simple in read(command_of(turn)):
        if posixpath.basename(simple.words[0]) == "diurna" and simple.words[1:2] == ("recall",):
            return " ".join(_words_of(simple.words[2:]))
    return ""


def _words_of(given: Sequence[str]) -> list[str]:
    """Return the words of a question, without options; none where ids are asked for."""
    if any(word.partition("=")[0] == "--ids" for word in given):
        return []
    before = ("", *given)
    return [
        word
        for word, last in zip(given, before, strict=False)
        if word[:1] != "-" and last not in VALUED
    ]
