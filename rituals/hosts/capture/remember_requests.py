"""Find what a person asks to be remembered: "remember that …", "from now on …", typed in a short turn.

Only a sentence that begins so, or says "from now on" of what it asks for, and is no question; not what was
pasted or quoted. What is to be remembered is the sentence behind it, whole, in its own words.
"""

from __future__ import annotations

import re

from rituals.hosts.capture.fitting import sentences_of
from rituals.hosts.capture.told_sources import QUEUE, is_short
from rituals.hosts.extraction.extracted_items import MOST_ITEMS, Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rituals.hosts.transcripts.slices import Turn

_FACT, _CONVENTION = "fact", "convention"
#: A sentence of fewer words says nothing by itself; signs of a script without blanks count each.
_LEAST_WORDS, _LEAST_SIGNS = 3, 6
_WIDE = "\u2e80"
#: What may stand before it: an address, an agreement, a courtesy.
_LEAD = (
    r"(?:(?:please|also|and|ok(?:ay)?|yes|so|but|btw|hey|bitte|auch|und|ja|also|s'il te plaît|aussi|et|oui"
    r"|por favor|también|y|sí|também|e|sim|пожалуйста|и|请)[,:]?\s+){0,3}"
)
_REMEMBER = re.compile(
    _LEAD
    + r"(?:(?:remember|keep in mind|bear in mind|make a (?:mental )?note|take note)(?: that\b|:| -)"
    r"|(?:note|reminder) for (?:the future|future reference|later|next time)(?: that\b|:| -)"
    r"|for (?:future reference|the future)[:,]"
    r"|(?:merk|merke) dir(?:, dass\b|:)|denk(?:e|t)? daran, dass\b|(?:notiz )?für die zukunft:"
    r"|(?:souviens-toi|rappelle-toi|retiens|garde en tête)(?: que\b| qu['’]|\s?:)"
    r"|note pour l['’]avenir\s?:"
    r"|(?:recuerda|ten en cuenta|ten presente)(?: que\b|:)|nota para el futuro:"
    r"|(?:lembre(?:-se)?|lembra|tenha em mente|guarde)(?: de)?(?: que\b|:)|nota para o futuro:"
    r"|(?:запомни|учти|имей в виду)(?:, что\b|:)|на будущее:"
    r"|(?:请?记住|记得)[\uff1a:\uff0c,]?)\s*",
    re.IGNORECASE,
)
_HENCEFORTH = re.compile(
    r"\b(?:from now on|from here on(?: out)?|going forward|henceforth|ab jetzt|ab sofort|von nun an"
    r"|künftig|désormais|dorénavant|à partir de maintenant|de ahora en adelante"
    r"|a partir de ahora|en adelante|de agora em diante|a partir de agora|daqui em diante"
    r"|\u0441 этого момента|отныне|впредь)\b"
    r"|从现在起|从现在开始|今后",
    re.IGNORECASE,
)
#: Who tells what another one said asks for nothing, and what leans on words before it can not stand alone.
_REPORTED = re.compile(
    r"\b(?:said|says|told|asked|wrote|mentioned|suggested|claims?|sagte|meinte|schrieb|hat gesagt|a dit"
    r"|disait|dijo|dice|disse|falou|сказал[аи]?|говорит)\b|说过?[\uff0c,:\uff1a]|[\"“„«]",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"(?:it|its|this|that|these|those|they|he|she|es|das|dies|diese[srn]?|ce|cela|ça|c'est|eso|esto|isso"
    r"|isto|это|этот|这|那)(?:\b|(?<=[这那]))",
    re.IGNORECASE,
)
_ASKS = ("?", "\uff1f")
_PASTED = ("```", "~~~", "\n>", "\n    ", "\t")


def said_in(turns: Iterable[Turn]) -> tuple[Item, ...]:
    """Return what a person asks to be remembered, in the order in which they did."""
    found: dict[str, Item] = {}
    for turn in turns:
        typed = turn.role == "user" and not turn.asked and turn.tool in ("", QUEUE)
        pasted = turn.text.startswith(">") or any(mark in turn.text for mark in _PASTED)
        if typed and is_short(turn.text) and not pasted:
            for line in turn.text.split("\n"):
                for sentence in sentences_of(" ".join(line.split())):
                    item = _item(sentence, turn.at)
                    if item is not None:
                        found.setdefault(item.text.lower(), item)
    return tuple(found.values())[:MOST_ITEMS]


def _item(sentence: str, at: int) -> Item | None:
    """Return what a sentence asks to be remembered; None where it asks for nothing."""
    bare = sentence.lstrip("-*•> ")
    if bare.rstrip("\"'”’)]*_` ").endswith(_ASKS) or _REPORTED.search(bare):
        return None
    asked = _REMEMBER.match(bare)
    if asked:
        text, kind = bare[asked.end() :], _FACT
    elif _HENCEFORTH.search(bare):
        text, kind = bare, _CONVENTION
    else:
        return None
    if _LEANS.match(text) or not _says_something(text):
        return None
    kind = _CONVENTION if _HENCEFORTH.search(text) else kind
    return Item(kind, text[:1].upper() + text[1:], sentence, at=at)


def _says_something(text: str) -> bool:
    wide = len([char for char in text if char >= _WIDE])
    return wide >= _LEAST_SIGNS or len(text.split()) >= _LEAST_WORDS
