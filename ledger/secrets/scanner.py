"""Find the secrets of a text, say what may be shown of them, and write the text without them.

Text in, places out; no value ever leaves but in the text that it was in. Without backtracking, and cheap
enough for every append: a rule is asked only where its mark stands (fault:G23, fault:L9, fault:L10,
fault:L12). The rules are in `vendor_tokens`, `shapes`, `pattern_rows` and `labels`.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from ledger.secrets.entropy import is_wordy
from ledger.secrets.home_folders import find_home_folders
from ledger.secrets.labels import find_any_label, find_labelled
from ledger.secrets.match import Hit, apart, hit, places
from ledger.secrets.patterns import (
    OPAQUE,
    OPAQUE_LEAST,
    find_licences,
    find_opaque,
    find_patterns,
)
from ledger.secrets.shapes import find_shapes
from ledger.secrets.text_view import View, parts_edited, place_in_source
from ledger.secrets.unmask import chained, unmasked
from ledger.secrets.vendor_tokens import find_tokens

#: On a line with one of these nothing is a secret. All but the first are those of other scanners.
WAIVERS = (
    "diurna: allow-secret", "lint:allow-secret-material", "gitleaks:allow", "pragma: allowlist secret",
)  # fmt: skip
#: A token has at least so many characters, with no blank in it.
_LONG = 16
#: What no token is made of alone: it has digits, or capitals.
_DULL = "abcdefghijklmnopqrstuvwxyz-_./:;,\"'`()[]{}<>*#=+&?!@$%|~^\\"
_DEPTH = 2
#: Base64 of a token: of four characters the first three tell by their bits that bytes are of ASCII.
_ASCII_IN_BASE64 = re.compile(
    r"[A-Za-f](?<![\w+/-].)[A-HQ-Xg-nw-z0-3][A-BE-FI-JM-NQ-RU-VY-Zcdghklopstwx014589][\w+/-]"
    r"(?:[A-Za-f][A-HQ-Xg-nw-z0-3][A-BE-FI-JM-NQ-RU-VY-Zcdghklopstwx014589][\w+/-]){5,16000}+"
    r"[\w+/-]{0,3}={0,2}(?![\w+/=-])",
    re.ASCII,
)
_PERCENT = re.compile("%([0-9A-Fa-f]{2})")


def find_secrets(text: str) -> tuple[Hit, ...]:
    """Find all secrets of a text, in order, also those on lines that are waived."""
    return _look(text, _find)


def find_all(text: str) -> tuple[Hit, ...]:
    """Find secrets and home folders; of what is both, the secret."""
    return _look(text, lambda said, lines=True: _find(said, lines) + find_home_folders(said))


def _look(text: str, find: Callable[..., list[Hit]]) -> tuple[Hit, ...]:
    """Look through a text as it stands, and as it reads unmasked."""
    found = find(text)
    said, views = unmasked(text)
    masked: list[Hit] = []
    for begin, end, first, last in parts_edited(said, views) if views else ():
        near = [
            one._replace(start=one.start + begin, end=one.end + begin)
            for one in find(said[begin:end])
            if one.start + begin < last and one.end + begin > first
        ]
        masked += _placed(near, views)
    chain = chained(said)
    if chain is not None:
        # what has no mark might begin anywhere, so it is not looked for across lines
        whole = [
            one._replace(end=_untailed(chain, one))
            for one in find(chain.text, False)
            if one.rule != OPAQUE
        ]
        joined = [one for one in whole if chain.is_joined(one.start, one.end)]
        masked = _placed(joined, [*views, chain]) + masked  # before a half of it
    return apart(_widened(masked, found) + found) if masked else apart(found)


def _untailed(chain: View, one: Hit) -> int:
    """Return where a value ends that a line break cut, without a plain word that only follows it."""
    cut = chain.cut_before(one.end)
    return cut if cut > one.start and is_wordy(chain.text[cut : one.end]) else one.end


def _widened(masked: list[Hit], found: list[Hit]) -> list[Hit]:
    """Let what was found masked cover what was found of it as the text stands."""
    plain = apart(found)
    starts = [one.start for one in plain]
    wide = []
    for one in masked:
        first = max(0, bisect_right(starts, one.start) - 1)
        for other in plain[first : bisect_right(starts, one.end - 1)]:
            if other.end > one.start:
                start, end = min(one.start, other.start), max(one.end, other.end)
                one = hit(one.rule, start, end, one.shown.rpartition("…")[0])
        wide.append(one)
    return wide


def _placed(found: list[Hit], views: list[View]) -> list[Hit]:
    """Return the places in a text of what was found in a view of it."""
    return [
        hit(one.rule, *place_in_source(views, one.start, one.end), one.shown.rpartition("…")[0])
        for one in found
    ]


def _find(text: str, lines: bool = True, depth: int = _DEPTH) -> list[Hit]:
    """Find secrets; where the `lines` are those of the text, also by the rest of a line alone."""
    long = [word for word in text.split() if len(word) >= _LONG]
    found: list[Hit] = []
    words = "\n".join(long)
    drawn = [word for word in long if word.strip(_DULL)]
    mixed = "\n".join(drawn)
    if long or "-----BEGIN " in text:
        found += find_tokens(text, mixed) + find_shapes(text, words, mixed)
    found += find_patterns(text, words)
    labelled, named = find_labelled(text)
    found += labelled
    if depth and drawn:
        found += _encoded(text, mixed, depth)
        found += _told_by_word(text, drawn)
    if lines:
        found += find_any_label(text, named)
    return found


def _told_by_word(text: str, long: list[str]) -> Iterator[Hit]:
    """Find what a long word is by itself: the key of a licence, the token of whatever vendor."""
    for word in dict.fromkeys(long):
        if len(word) > OPAQUE_LEAST or ("-" in word and word.isupper()):
            for rule, piece in find_licences(word) + find_opaque(word):
                inside = word.find(piece)
                for at in places(text, word):
                    yield hit(rule, at + inside, at + inside + len(piece))


def _encoded(text: str, drawn: str, depth: int) -> Iterator[Hit]:
    """Find secrets in words that are base64 or percent-encoded; the whole word is the secret then.

    `drawn` are those that may be, a line each.
    """
    words = {word: _decoded(word) for word in _ASCII_IN_BASE64.findall(drawn)}
    if "%" in drawn:
        words |= {word: made for word in drawn.split("\n") if (made := _unquoted(word)) != word}
    for word, inner in words.items():
        hidden = apart(_find(inner, True, depth - 1)) if inner else ()
        if hidden:
            yield from [hit(hidden[0].rule, at, at + len(word)) for at in places(text, word)]


def _decoded(word: str) -> str:
    """Decode base64 that holds plain text; "" for anything else."""
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        made = a2b_base64((bare + "=" * (-len(bare) % 4)).encode()).decode("ascii")
    except (Error, ValueError):
        return ""
    return made if made.replace("\n", "").replace("\t", "").isprintable() else ""


def _unquoted(word: str) -> str:
    """Decode `%41` to `A`."""
    return _PERCENT.sub(lambda found: chr(int(found[1], 16)), word)


class Lines:
    """The lines of a text, for places in it: each is looked up in steps, and judged once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)
        self._tagged = any(tag in text for tag in WAIVERS)
        self._waived: dict[int, bool] = {}

    def number(self, place: Hit) -> int:
        """Return the line on which a value begins, 1-based."""
        return bisect_right(self._starts, place.start)

    def is_waived(self, place: Hit) -> bool:
        """Tell whether the line on which a value begins says that it is none."""
        if not self._tagged:
            return False
        number = self.number(place)
        if number not in self._waived:
            end = self._starts[number] if number < len(self._starts) else len(self._text)
            line = self._text[self._starts[number - 1] : end]
            self._waived[number] = any(tag in line for tag in WAIVERS)
        return self._waived[number]

    def held(self, places: Iterable[Hit]) -> tuple[Hit, ...]:
        """Return those places that no line waives."""
        return tuple([place for place in places if not self.is_waived(place)])


def redacted(text: str, places: tuple[Hit, ...]) -> str:
    """Replace each value by its kind: `[redacted: github-token]`; a home folder by `~`."""
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
    """Return a text without secrets and home folders, from which a public name can be made."""
    places = find_all(text)
    return redacted(text, Lines(text).held(places)) if places else text


def without_secrets(text: str) -> str:
    """Return a text without its secrets: for what is printed, and for names that are made of it."""
    places = find_secrets(text)
    return redacted(text, Lines(text).held(places)) if places else text
