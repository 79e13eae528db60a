"""Ask every rule what of a text is a secret, also in what it holds in base64 or percent-encoded.

The rules are in `vendor_tokens`, `shapes`, `pattern_rows` and `labels`; the paths of people's home folders
are found here (fault:L13).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.secrets.label_values import decoded
from ledger.secrets.labels import find_any_label, find_labelled
from ledger.secrets.match import Hit, apart, hit, places
from ledger.secrets.patterns import find_licences, find_opaque, find_patterns
from ledger.secrets.shapes import find_shapes
from ledger.secrets.vendor_tokens import find_tokens

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


def find(text: str, lines: bool = True, depth: int = _DEPTH) -> list[Hit]:
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
        found += _told_by_word(text, drawn)
    if lines:
        found += find_any_label(text, named)
    return found


def _told_by_word(text: str, long: list[str]) -> Iterator[Hit]:
    """Find what a long word is by itself: the key of a licence, the token of whatever vendor."""
    for word in dict.fromkeys(long):
        for rule, piece in find_licences(word) + find_opaque(word):
            inside = word.find(piece)
            for at in places(text, word):
                yield hit(rule, at + inside, at + inside + len(piece))


def _encoded(text: str, drawn: str, depth: int) -> Iterator[Hit]:
    """Find secrets in words that are base64 or percent-encoded; the whole word is the secret then.

    `drawn` are those that may be, a line each.
    """
    words = {word: decoded(word) for word in _ASCII_IN_BASE64.findall(drawn)}
    if "%" in drawn:
        words |= {word: made for word in drawn.split("\n") if (made := _unquoted(word)) != word}
    for word, inner in words.items():
        hidden = apart(find(inner, True, depth - 1)) if inner != word else ()
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
_HOME = re.compile(
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
