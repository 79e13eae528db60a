"""Secrets in a text: where they stand, what may be shown of them, and the text without them.

Text in, places out; no value ever leaves but in the text that it was in. Without `re` and without
backtracking, cheap enough for every append (durability catalogue, G23, L9, L10, L12). The rules are in
`tokens`, `shapes` and `credentials`.
"""

from __future__ import annotations

from ledger.credentials import find_credentials
from ledger.hits import Hit, apart, hit
from ledger.personal import find_personal
from ledger.shapes import find_shapes
from ledger.tokens import BASE64, HEX, find_tokens

#: On a line with one of these nothing is a secret. The last two are those of other scanners.
WAIVERS = ("diurna: allow-secret", "gitleaks:allow", "pragma: allowlist secret")
#: A token has at least so many characters, with no blank in it.
_LONG = 16
#: What base64 of a token has at least, and up to how much is decoded.
_ENCODED, _ENCODED_CAP = 24, 64 << 10
_DEPTH = 2


def find_secrets(text: str) -> tuple[Hit, ...]:
    """Find all secrets of a text, in order, also those on lines that are waived."""
    return apart(_find(text, _DEPTH))


def find_all(text: str) -> tuple[Hit, ...]:
    """Find secrets and personal data; of what is both, the secret."""
    return apart(_find(text, _DEPTH) + find_personal(text))


def _find(text: str, depth: int) -> list[Hit]:
    long = [word for word in text.split() if len(word) >= _LONG]
    found: list[Hit] = []
    if long:
        words = "\n".join(long)
        found += find_tokens(text, words)
        found += find_shapes(text, words)
    found += find_credentials(text)
    if depth and long:
        found += _encoded(text, long, depth)
    return found


def _encoded(text: str, long: list[str], depth: int) -> list[Hit]:
    """Find secrets in words that are base64 or percent-encoded; the whole word is the secret then."""
    found: list[Hit] = []
    for word in dict.fromkeys(long):
        inner = ""
        if "%" in word:
            inner = _unquoted(word)
            if inner == word:
                continue
        elif len(word) >= _ENCODED:
            word = word.strip("\"'`,;:()[]{}<>.")
            if len(word) >= _ENCODED and not word.strip(BASE64 + "-_"):
                inner = _decoded(word)
            elif "=" in word[:-2] or '"' in word or ":" in word:  # `KEY=…`, `{"a":"…"}`
                for char in "\"',:;(){}[]<>":
                    word = word.replace(char, " ")
                word = max(
                    word.replace("=", " ", word.rstrip("=").count("=")).split(), key=len, default=""
                )
                if len(word) >= _ENCODED and not word.strip(BASE64 + "-_"):
                    inner = _decoded(word)
        if not inner:
            continue
        hidden = apart(_find(inner, depth - 1))
        if hidden:
            at = text.find(word)
            while at >= 0:
                found.append(hit(hidden[0].rule, at, at + len(word)))
                at = text.find(word, at + len(word))
    return found


def _decoded(word: str) -> str:
    """Decode base64 that holds plain text; "" for anything else."""
    if len(word) > _ENCODED_CAP or not word.strip(HEX) or "=" in word.rstrip("="):
        return ""
    from binascii import Error, a2b_base64

    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        made = a2b_base64((bare + "=" * (-len(bare) % 4)).encode()).decode("ascii")
    except (Error, ValueError):
        return ""
    return made if made.replace("\n", "").replace("\t", "").isprintable() else ""


def _unquoted(word: str) -> str:
    """Decode `%41` to `A`."""
    head, *rest = word.split("%")
    made = [head]
    for part in rest:
        digits = part[:2]
        if len(digits) == 2 and not digits.strip(HEX + "ABCDEF"):
            made.append(chr(int(digits, 16)) + part[2:])
        else:
            made.append("%" + part)
    return "".join(made)


def is_waived(text: str, place: Hit) -> bool:
    """Tell whether the line on which a value begins says that it is none."""
    start = text.rfind("\n", 0, place.start) + 1
    end = text.find("\n", place.start)
    line = text[start : end if end >= 0 else len(text)]
    return any(tag in line for tag in WAIVERS)


def line_of(text: str, place: Hit) -> int:
    """Return the line on which a value begins, 1-based."""
    return text.count("\n", 0, place.start) + 1


def redacted(text: str, places: tuple[Hit, ...]) -> str:
    """Put what a value was in the place of it: `[redacted: github-token]`; a home folder reads `~`."""
    parts: list[str] = []
    at = 0
    for place in places:
        parts += (text[at : place.start], stand_in(place.rule))
        at = place.end
    return "".join(parts) + text[at:]


def stand_in(rule: str) -> str:
    """Return what stands in the place of a value."""
    return "~" if rule == "home-path" else f"[redacted: {rule}]"


def nameable(text: str) -> str:
    """Return a text without secrets and personal data, to make a name of: everybody sees it."""
    places = tuple(place for place in find_all(text) if not is_waived(text, place))
    return redacted(text, places) if places else text


def without_secrets(text: str) -> str:
    """Return a text without its secrets: for what is printed, and for names that are made of it."""
    places = tuple(place for place in find_secrets(text) if not is_waived(text, place))
    return redacted(text, places) if places else text
