"""Tell whether a person who says again what memory has sets something right by it."""

from __future__ import annotations

import re

#: What stands before what is right, and says nothing of it.
_LEAD = re.compile(
    r"(?:(?<=[.!?]\s)|^)(?:(?:no|nope|stop|wait|wrong|hey|nein|falsch|halt|нет|não)\b[,.!:;–-]+\s*"
    r"|(?:that|this|it)(?:['’]s| is| was) (?:\w+ )?wrong(?: again)?[,.!:;–-]+\s*"
    r"|(?:as )?I (?:(?:have |just |already )*(?:told|said|asked|mentioned|explained))\b"
    r"[^.:,!?]{0,40}[:,]\s*)+",
    re.IGNORECASE | re.MULTILINE,
)
#: How a person sets right: at the beginning of a sentence, or anywhere in it.
_CORRECTS = re.compile(
    r"(?:^|[.!?:]\s+)(?:no|nope|stop|wrong|again|not|don['’]t|do not|never|undo|revert|why (?:did|do|are)"
    r"|how (?:often|many times)|nein|falsch|nicht|нет|não)\b(?! (?:worries|problem|matter|need)\b)"
    r"|\bI (?:(?:have |just |already )*(?:told|said|asked|wrote|mentioned|explained))\b"
    r"|\b(?:once more|once again|wrong again)\b"
    r"|\b(?:that|this|it)(?:['’]s| is| was) (?:\w+ )?wrong\b"
    r"|\byou (?:\w+ )?(?:forgot|ignored|missed|should(?: not|n['’]t))\b",
    re.IGNORECASE | re.MULTILINE,
)
#: By their ends words are found again, where something in front of them was left out.
_TAIL = 40


def without_lead(text: str) -> str:
    """Return what somebody typed without what only says that something was wrong."""
    return _LEAD.sub("", text)


def sets_right(text: str, words: str) -> bool:
    """Tell whether what a person typed sets right, up to where it says again what memory has.

    `text` is all that was typed at once; `words` are those of it that say again.
    """
    tail = words[-_TAIL:]
    at = text.find(tail)
    return bool(_CORRECTS.search(text, 0, at + len(tail) if at >= 0 else len(text)))
