"""Find the secrets of a text, say what may be shown of them, and write the text without them.

Text in, places out; no value ever leaves but in the text that it was in. Without backtracking, and cheap
enough for every append: a rule is asked only where its mark stands (fault:G23, fault:L9, fault:L10,
fault:L12). Rules are in `vendor_tokens`, `patterns` and `labels`; the paths of people's home
folders are found here (fault:L13).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from ledger.secrets.entropy import is_wordy
from ledger.secrets.label_values import decoded
from ledger.secrets.labels import find_any_label, find_labelled
from ledger.secrets.match import OPAQUE, Hit, View, apart, expression, hit, place_in_source, places
from ledger.secrets.patterns import find_opaque, find_patterns
from ledger.secrets.unmask import chained, unmasked
from ledger.secrets.vendor_tokens import find_shapes, find_tokens

#: On a line with one of these nothing is a secret. All but the first are those of other scanners.
WAIVERS = (
    "diurna: allow-secret", "lint:allow-secret-material", "gitleaks:allow", "pragma: allowlist secret",
)  # fmt: skip


def find_secrets(text: str) -> tuple[Hit, ...]:
    """Find all secrets of a text, in order, also those on lines that are waived."""
    return _look(text)


def find_all(text: str) -> tuple[Hit, ...]:
    """Find secrets and home folders; of what is both, the secret."""
    return _look(text, True)


def _look(text: str, homes: bool = False) -> tuple[Hit, ...]:
    """Look through a text as it stands, and as it reads unmasked; for the `homes` of people, too."""
    found = find(text, homes=homes)
    said, views = unmasked(text)
    masked = _placed(find(said, homes=homes), views) if views else []
    chain = chained(said)
    if chain is not None:
        # what has no mark might begin anywhere: not across lines, and nothing across two pieces
        whole = []
        for one in find(chain.text, False, homes):
            start = chain.text.rfind("\n\n", 0, one.end) + 1
            if one.rule != OPAQUE and start <= one.start:
                cut = chain.cut_before(one.end)
                if cut > one.start and is_wordy(chain.text[cut : one.end]):
                    front = find(chain.text[start:cut], False, homes)
                    if any(start + other.end == cut for other in front):
                        one = one._replace(end=cut)  # a plain word only follows it
                whole.append(one)
        masked = _placed(whole, [*views, chain]) + masked  # before a half of it
    return apart(_widened(masked, found) + found) if masked else apart(found)


def _widened(masked: list[Hit], found: list[Hit]) -> list[Hit]:
    """Let what was found masked cover what was found of it as the text stands."""
    plain = apart(found)
    starts, ends = [one.start for one in plain], [one.end for one in plain]
    wide = []
    for one in masked:
        for other in plain[bisect_right(ends, one.start) : bisect_left(starts, one.end)]:
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


class Lines:
    """The lines of a text, for places in it: each is looked up in steps, and judged once."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        self._starts = list(accumulate([len(line) + 1 for line in lines], initial=0))
        tagged = (
            number for number, line in enumerate(lines, 1) if any(tag in line for tag in WAIVERS)
        )
        self._waived = frozenset(tagged)

    def number(self, place: Hit) -> int:
        """Return the line on which a value begins, 1-based."""
        return bisect_right(self._starts, place.start)

    def is_waived(self, place: Hit) -> bool:
        """Tell whether the line on which a value begins says that it is none."""
        return self.number(place) in self._waived

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


#: A token has at least so many characters, with no blank in it.
_LONG = 16
#: What no token is made of alone: it has digits, or capitals.
_DULL = "abcdefghijklmnopqrstuvwxyz-_./:;,\"'`()[]{}<>*#=+&?!@$%|~^\\"
_DEPTH = 2
#: Base64 of a token: of four characters the first three tell by their bits that bytes are of ASCII.
_ASCII_IN_BASE64 = expression(
    r"[A-Za-f](?<![\w+/-].)[A-HQ-Xg-nw-z0-3][A-BE-FI-JM-NQ-RU-VY-Zcdghklopstwx014589][\w+/-]"
    r"(?:[A-Za-f][A-HQ-Xg-nw-z0-3][A-BE-FI-JM-NQ-RU-VY-Zcdghklopstwx014589][\w+/-]){5,16000}+"
    r"[\w+/-]{0,3}={0,2}(?![\w+/=-])",
    re.ASCII,
)
_PERCENT = expression("%([0-9A-Fa-f]{2})")


def find(text: str, lines: bool = True, homes: bool = False, depth: int = _DEPTH) -> list[Hit]:
    """Find secrets; where the `lines` are those of the text, also by the rest of a line alone."""
    long = [word for word in text.split() if len(word) >= _LONG]
    found: list[Hit] = []
    words = "\n".join(long)
    drawn = [word for word in long if word.strip(_DULL)]
    mixed = "\n".join(drawn)
    if long:
        found += find_tokens(text, mixed) + find_shapes(text, words, mixed)
    found += find_patterns(text, words)
    labelled, named = find_labelled(text)
    found += labelled
    if depth and drawn:
        found += _encoded(text, mixed, depth)
        for piece in {piece for word in drawn for piece in find_opaque(word)}:
            found += [hit(OPAQUE, at, at + len(piece)) for at in places(text, piece)]
    if lines:
        found += find_any_label(text, named)
    return [*found, *find_home_folders(text)] if homes else found


def _encoded(text: str, drawn: str, depth: int) -> Iterator[Hit]:
    """Find secrets in words that are base64 or percent-encoded; the whole word is the secret then.

    `drawn` are those that may be, a line each.
    """
    words = {word: decoded(word) for word in _ASCII_IN_BASE64.findall(drawn)}
    if "%" in drawn:
        words |= {word: made for word in drawn.split("\n") if (made := _unquoted(word)) != word}
    for word, inner in words.items():
        hidden = apart(find(inner, depth=depth - 1)) if inner != word else ()
        if hidden:
            yield from [hit(hidden[0].rule, at, at + len(word)) for at in places(text, word)]


def _unquoted(word: str) -> str:
    """Decode `%41` to `A`."""
    return _PERCENT.sub(lambda found: chr(int(found[1], 16)), word)


#: Accounts of machines and names that documents put for one.
_NOBODY = frozenset(
    "user users username you me name your-name yourname someone somebody shared public default guest "
    "runner runneradmin ubuntu debian vscode node app root admin git circleci vsts jovyan ec2-user "
    "travis vagrant docker jenkins coder codespace gitpod linuxbrew www build builder ci deploy "
    "nobody nonroot project projects home".split()
)
#: Where one stands, as Linux, macOS and Windows write it, there also in a literal; and the name in it.
#: Without a path behind it, `/home/x` may be the address of a page.
_HOME = expression(
    r"((?<![A-Za-z0-9_.\-/~}>)\]*\\%])(?:/home/(?=[A-Za-z0-9_.-]{2,64}/)|/Users/)"
    r"|[^\W\d_]:\\{1,2}Users\\{1,2})([A-Za-z][A-Za-z0-9_.-]{1,63}+)"
)


def find_home_folders(text: str) -> Iterator[Hit]:
    """Find where they stand."""
    # the pattern tries every place of a text; most texts have neither word
    for said in _HOME.finditer(text) if "/home/" in text or "Users" in text else ():
        name = said[2].rstrip(".")
        if len(name) > 1 and name.lower() not in _NOBODY:
            yield hit("home-path", said.start(), said.start(2) + len(name), said[1])
