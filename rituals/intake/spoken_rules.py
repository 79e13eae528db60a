"""Tell what a bullet of a file of rules is: a rule, unless all that it does is describe."""

from __future__ import annotations

import re

CONVENTION, FACT = "convention", "fact"
#: What orders, wherever it stands.
_ORDERS = re.compile(
    r"\b(?:must|never|always|should|shall|only|use|prefer|avoid|do not|don['’]t|not allowed|required?|"
    r"forbidden|prohibited|mandatory|ensure|make sure|cannot|may not|need to|keep|instead of|"
    r"rather than|every|by hand)\b|"
    r"^no\b|→",
    re.IGNORECASE,
)
#: A thing by its name, and what it is: `src/pay.py` — takes payments.
_NAMED = re.compile(
    r"^(?:`[^`]+`|[\w./-]+/)(?:[ ,/]+(?:and )?`[^`]+`)*(?: ?\([^)]*\))?"
    r"(?:(?: \w+){0,2}\s*(?:[—–]|--)\s|\s*(?:[—–:=-]+\s|→))"
)
#: The same in a sentence, and what stands in brackets alone.
_STATED = re.compile(
    r"^(?!(?:when|if|for|in|before|after|to|be|treat)\b)(?:[\w`'’./<>()*:-]+,? ){1,6}?"
    r"(?:is|are|was|were|has|have|lives?|contains?|documents|describes|serves|holds|can|may|runs|owns?)\b|"
    r"^`[^`]+`(?: \w+)?(?: \([^)]*\))? \w+(?<!s)s `|^[\w /-]+ \(`[^`]+`\)$",
    re.IGNORECASE,
)


def kind_of_bullet(text: str) -> str:
    """Return `CONVENTION`, or `FACT` for what only says how something is."""
    first = re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]
    named = _NAMED.match(text)
    if named and (text[named.end() - 1] == "→" or not _ORDERS.search(text[named.end() :])):
        return FACT
    return FACT if _STATED.match(first) and not _ORDERS.search(text) else CONVENTION
