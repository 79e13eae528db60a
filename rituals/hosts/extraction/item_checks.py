"""Check the items of an extractor: nothing gets into memory that nobody said."""

from __future__ import annotations

from ledger.secrets.scanner import without_secrets
from projection.policy.model import BUILT_IN_KINDS, DELIBERATE, THREAD_KIND
from projection.text.clipping import clipped
from rituals.hosts.extraction.extracted_items import MOST_ITEMS, MOST_TAGS, Item
from rituals.hosts.extraction.quotes import Quotes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rituals.hosts.transcripts.slices import Turn

KINDS = tuple(kind.name for kind in BUILT_IN_KINDS if kind.name not in DELIBERATE)
#: What is said of an item that does not say itself how much it weighs.
_SALIENCE = 5
_TEXT_CHARS, _QUOTE_CHARS, _NAME_CHARS = 500, 1000, 80


def checked(
    answers: Sequence[dict[str, object]],
    turns: Sequence[Turn],
    known: Collection[str],
    kinds: Collection[str] = KINDS,
) -> tuple[tuple[Item, ...], int]:
    """Return the items of an extractor's answers that hold, what weighs most first, and how many do not.

    `known` are the ids that it was given.
    """
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
