"""Find the sentence of a text that tells of a decision, by words of several languages."""

from __future__ import annotations

#: Words that tell of a decision; one that ends in `-` begins one. A policy may name more.
WORDS = (
    "decided", "we decide", "chose", "chosen", "instead of", "rather than", "abandon-",
    "switched to", "switch to", "settled on", "opted for", "ruled out", "going with", "go with",
    "from now on", "no longer use", "never use", "entschieden", "beschlossen", "anstelle",
    "anstatt", "statt dessen", "stattdessen", "verworfen", "ab jetzt", "décidé", "décidons",
    "choisi", "au lieu de", "plutôt que", "abandonn-", "désormais", "decidimos", "decidido",
    "elegimos", "en lugar de", "en vez de", "a partir de ahora", "escolhemos", "em vez de",
    "a partir de agora", "deciso", "scelto", "invece di", "d'ora in poi", "besloten",
    "gekozen voor", "in plaats van", "voortaan", "zdecydowa-", "zamiast", "rozhodl-", "místo",
    "решил-", "решено", "выбрал-", "вместо", "отказал-", "вирішил-", "замість", "karar verdik",
    "yerine",
    "决定", "改用", "而不是", "放弃", "決定", "採用", "放棄",
    "決めた", "決めました", "代わりに", "やめる", "결정", "대신",
    "선택했",
)  # fmt: skip
#: A pasted file is no conversation.
_LOOKED_AT_CHARS = 20_000
_TRIED = 20
_ENDS = ".!?\n。\uff01\uff1f"
_WIDTH_CHARS = 240


def decision(text: str, more: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return the word that tells of a decision and its sentence; ("", "") where none does.

    A question decides nothing, and neither does a line of code. `more` are words of the policy.
    """
    text = text[:_LOOKED_AT_CHARS]
    low = text.lower()
    if len(low) != len(text):  # some letters become two
        text = low
    best = (len(text), "", "")
    for word in (*WORDS, *[one.lower() for one in more]):
        stem = word.removesuffix("-")
        at = low.find(stem) if stem else -1
        tried = 0
        while 0 <= at < best[0] and tried < _TRIED:
            tried += 1
            if _stands_alone(low, at, len(stem), stem != word):
                said = _sentence(text, at)
                if said:
                    best = (at, stem, said)
                    break
            at = low.find(stem, at + 1)
    return best[1:]


def _stands_alone(text: str, at: int, length: int, stem: bool) -> bool:
    """Tell whether a word is not a part of another one; scripts without blanks have no such parts."""
    if text[at] >= "\u2e80":
        return True
    before, behind = text[at - 1 : at], text[at + length : at + length + 1]
    return not before.isalnum() and (stem or not behind.isalnum())


def _sentence(text: str, at: int) -> str:
    """Return the sentence around a place, "" for a question or for code."""
    if text.count("```", 0, at) % 2:
        return ""
    start = max([_behind(text, mark, at) for mark in _ENDS])
    end = min([_end(text, mark, at) for mark in _ENDS])
    said = " ".join(text[start:end].split())
    if said.endswith(("?", "\uff1f")):
        return ""
    if len(said) <= _WIDTH_CHARS:
        return said
    from projection.text.clipping import windowed

    return windowed(said, len(" ".join(text[start:at].split())), _WIDTH_CHARS)


def _behind(text: str, mark: str, at: int) -> int:
    """Return where the text behind the last such mark begins; a point within a word is none."""
    found = text.rfind(mark, 0, at)
    while found >= 0 and mark in ".!?" and not text[found + 1 : found + 2].isspace():
        found = text.rfind(mark, 0, found)
    return found + 1


def _end(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    while found >= 0 and mark in ".!?" and text[found + 1 : found + 2].strip():
        found = text.find(mark, found + 1)
    return len(text) if found < 0 else found + (mark != "\n")
