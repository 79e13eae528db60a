"""Find the items of a slice by the models that the user chose; nothing gets in that nobody said.

A quote has to stand in one turn, word for word, white space apart. One that stands there and still says
the opposite is none: cut out behind a "not" of its sentence, or out of a question.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ledger.escape import visible
from ledger.secrets.scanner import without_secrets
from projection.policy.model import BUILT_IN_KINDS, DELIBERATE, THREAD_KIND
from projection.text.clipping import clipped
from projection.text.vocabulary import NEGATORS
from rituals.hosts.extraction.extracted_items import (
    MOST_ITEMS,
    MOST_TAGS,
    SOURCES,
    Extraction,
    Item,
)
from rituals.hosts.extraction.model_exchange import NoAnswer
from rituals.hosts.transcripts.slices import Slice, Turn
from rituals.hosts.user_settings import HTTP, Settings

KINDS = tuple(kind.name for kind in BUILT_IN_KINDS if kind.name not in DELIBERATE)


def extract(
    part: Slice,
    known: Sequence[tuple[str, str]],
    settings: Settings,
    environment: Mapping[str, str],
    kinds: Collection[str] = KINDS,
) -> Extraction:
    """Find what others have to know in what was said.

    A slice in which nobody said anything asks no model. Where all configured ones fail, nothing is
    found, and why is told. `known` has ids and texts of the facts that may be superseded.
    """
    turns = [turn for turn in part.turns if turn.text and turn.role in ("user", "assistant")]
    if not turns or not settings.extractors:
        return Extraction((), SOURCES)
    from rituals.hosts.extraction.model_calls import PROGRAMS, ask_endpoint, ask_program
    from rituals.hosts.extraction.model_exchange import items_in, prompt_for

    turns = [  # without secrets, as they leave the machine, and nothing that can not be seen
        turn._replace(
            text=visible(without_secrets(turn.text)), asked=visible(without_secrets(turn.asked))
        )
        for turn in turns
    ]
    prompt = prompt_for(turns, known, kinds)
    failures: list[str] = []
    name = ""
    for extractor in settings.extractors:
        name = f"http:{settings.model}" if extractor == HTTP else PROGRAMS[extractor][0]
        try:
            if extractor == HTTP:
                answer = ask_endpoint(prompt, settings, environment)
            else:
                answer = ask_program(extractor, prompt, environment)
            given = items_in(answer)
        except NoAnswer as failure:
            failures.append(f"{name}: {failure}")
            continue
        items, dropped = checked(given, turns, [one for one, _ in known], kinds)
        return Extraction(items, name, dropped)
    return Extraction((), name, failed="; ".join(failures))


#: What is said of an item that does not say itself how much it weighs.
_SALIENCE = 5
_TEXT_CHARS, _QUOTE_CHARS, _NAME_CHARS = 500, 1000, 80


def checked(
    answers: Sequence[dict[str, object]],
    turns: Sequence[Turn],
    known: Collection[str],
    kinds: Collection[str] = KINDS,
) -> tuple[tuple[Item, ...], int]:
    """Return the items of answers that hold, what weighs most first, and how many do not."""
    quotes = Quotes(turns)
    found: dict[str, Item] = {}
    for answer in answers:
        item = _item(answer, quotes, known, kinds)
        if item is not None:
            found.setdefault(" ".join(item.text.lower().split()), item)
    best = sorted(found.values(), key=lambda item: -item.salience)[:MOST_ITEMS]
    return tuple(best), len(answers) - len(best)


def _item(
    answer: dict[str, object], quotes: Quotes, known: Collection[str], kinds: Collection[str]
) -> Item | None:
    """Return an item; None where it is none, or where nobody said so."""
    kind, text, quote = (_line(answer.get(key)) for key in ("kind", "text", "quote"))
    if kind not in kinds or not text or len(text) > _TEXT_CHARS or len(quote) > _QUOTE_CHARS:
        return None
    place = quotes.find(quote, stated=kind != THREAD_KIND)
    salience = answer.get("salience", _SALIENCE)
    if place is None or isinstance(salience, bool) or not isinstance(salience, int | float):
        return None
    tags = [_name(tag) for tag in _list(answer.get("tags"))]
    return Item(
        kind,
        without_secrets(text),
        without_secrets(place[0]),
        round(max(1, min(10, salience))),
        _name(answer.get("entity")),
        tuple(dict.fromkeys([tag for tag in tags if tag]))[:MOST_TAGS],
        answer.get("personal") is True,
        tuple([one for one in _list(answer.get("supersedes")) if one in known]),
        _note(answer.get("obsolete_when")),
        _note(answer.get("misfit")),
        place[1],
    )


def _list(value: object) -> list[str]:
    """Return the texts of a list; a text alone is a list of one."""
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _line(value: object) -> str:
    """Return a text on one line that can be written."""
    if not isinstance(value, str):
        return ""
    return " ".join(value.encode("utf-8", "replace").decode().split())


def _name(value: object) -> str:
    """Return what can stand in a list in a footer, "" where it is too long for a name."""
    name = without_secrets(_line(value)).replace("|", " ").replace(",", " ")
    return " ".join(name.split()) if len(name) <= _NAME_CHARS else ""


def _note(value: object) -> str:
    """Return what can stand in a footer."""
    return clipped(without_secrets(_line(value)).replace("|", "/"), _TEXT_CHARS)


#: What is shorter bears nothing out; a script without blanks says as much in fewer characters.
_LEAST_CHARS, _LEAST_WORDS, _LEAST_UNSPACED = 8, 2, 4
_NO_BLANKS = "\u2e80"
#: So far a sentence is looked at around a quote, and at so many places where the quote stands.
_REACH, _PLACES = 300, 200
_SENTENCE_ENDS = frozenset(".!?;\n。\uff01\uff1f")
_QUESTIONS = "?\uff1f"
_CLAUSE_ENDS = _SENTENCE_ENDS | frozenset(",:—–(")
_REFUSING = NEGATORS | frozenset(
    "instead than hardly nicht kein keine keinen nie statt jamás nunca jamais pas".split()
)


class Quotes:
    """Looks for quotes in the turns of a slice."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._texts: list[tuple[int, str, str]] = []
        for turn in turns:
            text = "\n".join(
                [" ".join(line.split()) for line in turn.text.split("\n") if line.strip()]
            )
            self._texts.append((turn.at, text, text.replace("\n", " ")))

    def find(self, quote: str, *, stated: bool) -> tuple[str, int] | None:
        """Return a quote on one line, and the byte at which the line starts that has it.

        None where nobody said so. What has to be `stated` must not be a part of a question.
        """
        quote = " ".join(quote.split())
        if not _says_something(quote):
            return None
        places = _PLACES
        for byte, text, joined in self._texts:
            at = joined.find(quote)
            while at >= 0 and places:
                places -= 1
                end = at + len(quote)
                if _is_whole(joined, at, end) and not _is_turned(text, at):
                    if not (stated and _is_asked(text, end)):
                        return quote, byte
                at = joined.find(quote, end)
        return None


def _says_something(quote: str) -> bool:
    if quote and max(quote) >= _NO_BLANKS:
        return len(quote) >= _LEAST_UNSPACED
    return len(quote) >= _LEAST_CHARS and len(quote.split()) >= _LEAST_WORDS


def _is_whole(text: str, at: int, end: int) -> bool:
    """Tell whether words neither begin nor end outside of a part of a text."""
    before, behind = text[at - 1 : at] if at else "", text[end : end + 1]
    return not (_joins(before) and _joins(text[at])) and not (
        _joins(behind) and _joins(text[end - 1])
    )


def _joins(char: str) -> bool:
    return char.isalnum() and char < _NO_BLANKS


def _is_turned(text: str, at: int) -> bool:
    """Tell whether what stands before a place in its clause turns round what follows."""
    begin = at
    while begin > max(0, at - _REACH) and text[begin - 1] not in _CLAUSE_ENDS:
        begin -= 1
    words = text[begin:at].lower().replace("’", "'").split()
    return any(word in _REFUSING or word.endswith("n't") for word in words)


def _is_asked(text: str, end: int) -> bool:
    """Tell whether the sentence that a place is in is a question."""
    if text[end - 1] in _SENTENCE_ENDS:
        return text[end - 1] in _QUESTIONS
    for char in text[end : end + _REACH]:
        if char in _SENTENCE_ENDS:
            return char in _QUESTIONS
    return False
