"""Check and make the names of things: fact ids and version ids.

A fact id is `[a-z0-9]+([.-][a-z0-9]+)*` of at most 80 characters, checked without a regular
expression because `re` is not loaded on the fast path.
"""

from __future__ import annotations

from ledger.model.digest import sha256

ID_LIMIT_CHARS = 80
#: Begins what stands for a text that is withheld. No bytes are read as this character, so no log says it.
WITHHELD = "\ud800"
_SET = "abcdefghijklmnopqrstuvwxyz0123456789.-"


def is_fact_id(text: str) -> bool:
    """Tell whether `text` is a fact id."""
    return (
        0 < len(text) <= ID_LIMIT_CHARS
        and not text.strip(_SET)
        and text[0] not in ".-"
        and text[-1] not in ".-"
        and "--" not in text
        and ".." not in text
        and ".-" not in text
        and "-." not in text
    )


def version_id(text: str) -> str:
    """Name a text: the first 8 hex digits of the SHA-256 of its UTF-8 bytes."""
    if text[:1] == WITHHELD:
        return text[1:]
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def withheld_text(text: str) -> str:
    """Return what stands for a text that is withheld: the name of its version, no word of it."""
    return WITHHELD + version_id(text)


def is_version_id(text: str) -> bool:
    """Tell whether `text` is 8 lower-case hex digits."""
    return len(text) == 8 and not text.strip("0123456789abcdef")


def id_from_text(text: str) -> str:
    """Make a fact id from a sentence: its first words, kebab-case ASCII, without what it says it serves.

    Everybody sees an id: a text that somebody wrote goes through `ledger.secrets.scanner.nameable` first.

    Raises:
        ValueError: nothing in the text can stand in an id.
    """
    words: list[str] = []
    word = ""
    said, serves, _ = text.partition("serves:")
    if not (serves and said.rstrip().endswith(_ARROWS)):
        said = text
    for char in said.lower() + " ":
        if char in _SET[:36]:
            word += char
        elif char in "'’`":
            continue
        else:
            if word:
                words.append(word)
            word = ""
    content = [w for w in words if w not in _SMALL_WORDS] or words
    if not content:
        raise ValueError("no letter or digit to make an id from")
    made = content[0][:40]
    for w in content[1:6]:
        if len(made) + 1 + len(w) > 48:
            break
        made += "-" + w
    return made


_ARROWS = ("→", "->")  #: what stands before `serves:` (FORMAT.md, S13)
_SMALL_WORDS = frozenset(
    "a an and are as at be by for from has have in is it its of on or so that the then this to "
    "was we were will with".split()
)
