r"""Find secrets by their shape: one table of patterns, each behind a mark that a text has to hold.

A text without a mark costs one search for each, and `re` is loaded, and a row compiled, only where one is
there. A pattern is matched at its mark, never searched for, and every repeat has a limit: linear in
the text (fault:G23).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from ledger.secrets.entropy import distinct, is_placeholder, is_random, is_wordy
from ledger.secrets.match import Hit, hit
from ledger.secrets.vendor_tokens import HEX, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_ANY, _DRAWN, _CHOSEN, _WORDS = range(4)
#: rule, marks, pattern from the mark on (the value is its group, or all of it), how a value has to look.
_ROWS = (
    ("password-hash", ("$2a$", "$2b$", "$2y$"), r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}(?![./\w])", _ANY),
    ("password-hash", ("$1$", "$5$", "$6$", "$y$", "$apr1$"),
     r"\$(?:1|5|6|y|apr1)\$(?:rounds=\d{1,9}\$)?[./\w]{1,32}\$[./\w$]{22,140}+", _DRAWN),
    ("password-hash", ("$argon2", "$scrypt$", "$pbkdf2", "pbkdf2_sha"),
     r"\$?(?:argon2\w{1,2}|scrypt|pbkdf2[\w-]{0,16})\$[\w=,.$+/-]{32,300}+", _DRAWN),
    ("password-hash", ("{SSHA",), r"\{SSHA\d{0,3}\}[A-Za-z0-9+/]{27,120}+=*+", _DRAWN),
    ("signed-url", ("ignature=",),
     r"(?<=[-&?]S|[-&?]s)ignature=([\w%+/~-]{32,800}+)", _DRAWN),
    ("url-token", ("?code=", "&code=", "?key=", "&key=", "?auth=", "&auth=", "?ticket=", "?invite="),
     r".\w+=([\w%+/=.~-]{28,800}+)", _DRAWN),
    ("json-web-key", ('"kty"',),
     r'"kty"(?:[^{}"]++|"(?!(?:d|kty)"))*+"d"\s{0,4}:\s{0,4}"([\w-]{43,700}+)"', _DRAWN),
    ("seed-phrase", ("nemonic", "phrase"),
     r"[^\n:=]{0,60}(?:[:=]| is)[\s\"'`*]{1,6}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])",
     _WORDS),
    ("credential", ("echo ", "printf "),
     r"\w+(?: -\w)*+ [\"']?([^\s\"'|$]{6,100})[\"']? {0,4}\|[^\n|]{0,60}?"
     r"(?:-stdin\b| -S\b|chpasswd|-with-token|passphrase-fd|passwd\b)", _CHOSEN),
    ("credential", ("/user:",), r"\S{3,80} ([^\s/]\S{4,80})", _CHOSEN),
    ("credential", (":5432:", ":3306:", ":1433:"),
     r":\d{4}:[\w*-]{1,60}:[\w*.-]{1,60}:([^\s:]{5,120})", _CHOSEN),
)  # fmt: skip
#: The marks that do not stand in the long word that the value is.
_APART = frozenset(('"kty"', "nemonic", "phrase", "echo ", "printf ", "/user:"))
_MARKS = tuple([(mark, number) for number, row in enumerate(_ROWS) for mark in row[1]])
_LONG_MARKS = tuple([one for one in _MARKS if one[0] not in _APART])
_OTHER_MARKS = tuple([one for one in _MARKS if one[0] in _APART])


def find_patterns(text: str, words: str) -> list[Hit]:
    """Find what the rows of the table match.

    Args:
        text: to look in.
        words: the long words of it.
    """
    found: list[Hit] = []
    marks = [one for one in _LONG_MARKS if one[0] in words] if words else []
    for mark, number in marks + [one for one in _OTHER_MARKS if one[0] in text]:
        rule, _, _, look = _ROWS[number]
        pattern = _compiled(number)
        at = text.find(mark)
        while at >= 0:
            said = pattern.match(text, at)
            end = at + len(mark)
            if said is not None:
                start, end = said.span(said.lastindex or 0)
                value = text[start:end].rstrip(".,;:)")
                if _looks(value, look):
                    found.append(hit(rule, start, start + len(value)))
            at = text.find(mark, max(end, at + len(mark)))
    if "hook" in words or "/integration/" in words or "/with/key/" in words:
        found += _hooks(text)
    if "ookie: " in text:
        found += _cookies(text)
    return found


@lru_cache
def _compiled(number: int) -> re.Pattern[str]:
    import re

    return re.compile(_ROWS[number][2])


def _looks(value: str, look: int) -> bool:
    """Tell whether a value looks as its row says that it has to."""
    if not value or is_placeholder(value.lstrip("${") or value):
        return False
    if look == _DRAWN:
        return is_random(value) and distinct(value) > 11
    if look == _WORDS:
        return len(set(value.replace(",", " ").split())) > 9
    return look == _ANY or any(char.isdigit() for char in value) or not is_wordy(value)


def _hooks(text: str) -> list[Hit]:
    """Find addresses that whoever knows them may post to: what is drawn in the path opens them."""
    found: list[Hit] = []
    at = text.find("://")
    while at >= 0:
        near = text[at : at + 512]
        if "hook" in near or "/integration/" in near or "/with/key/" in near:
            for char in " \t\n\"'`<>|\\)]},;":
                near = near.partition(char)[0]
        if "hook" in near or "/integration/" in near or "/with/key/" in near:
            parts = near[3:].split("/")
            place = at + 4 + len(parts[0])
            for before, part in pairwise(parts):
                word = part.partition("?")[0].rstrip(".")
                short = (
                    parts[0].startswith("hook") and any(map(str.isdigit, word)) and len(word) > 5
                )
                if (
                    (short or (len(word) > 15 and is_random(word)))
                    and not word.isdigit()
                    and before not in ("commit", "blob", "tree", "raw", "compare")
                    and not is_wordy(word)
                    and not is_placeholder(word)
                    and not word.strip(WORD)
                ):
                    found.append(hit("webhook", place, place + len(word)))
                place += len(part) + 1
            at += len(near) - 3
        at = text.find("://", at + 3)
    return found


def _cookies(text: str) -> list[Hit]:
    """Find what a cookie of a session holds."""
    found: list[Hit] = []
    at = text.find("ookie: ")
    while at >= 0:
        place = at + 7
        line = text[place : place + 1000].partition("\n")[0]
        for pair in line.split(";"):
            name, sign, value = pair.partition("=")
            value = value.strip(" \"'")
            if sign and 16 <= len(value) and _looks(value, _DRAWN) and not is_wordy(value):
                start = text.find(value, place + len(name))
                found.append(hit("session-cookie", start, start + len(value)))
            place += len(pair) + 1
        at = text.find("ookie: ", place)
    return found


#: What opaque words begin with that open nothing: digests, public keys, what code and machines name.
_OPEN = frozenset(
    "pk pub public sha sha1 sha256 sha384 sha512 md5 integrity h1 ssh id img image file chunk index nonce "
    "hash build commit etag cid trace span req cache".split()
)
_MARKED, _BARE, _ONE_CASE = 32, 80, 45
OPAQUE = "opaque-token"


def find_licences(word: str) -> list[str]:
    """Return the key of a licence, or a code for who lost a second factor: `ABCDE-12345-…` in capitals."""
    if word.count("-") < 3 or not word.isupper():
        return []
    key = word.strip("\"'`*.,;:()[]<>")
    parts = key.split("-")
    sizes = [len(part) for part in parts]
    plain = key.replace("-", "").isalnum() and is_random(key) and not is_placeholder(key)
    mixed = sum(not part.isalpha() and not part.isdigit() for part in parts)
    drawn = mixed > 1 and len(sizes) * 3 < len(set(key)) * 2
    return (
        [key] if plain and drawn and len(sizes) < 9 and 4 <= min(sizes) <= max(sizes) <= 8 else []
    )


def find_opaque(word: str) -> list[str]:
    """Return what looks like a token of whatever vendor in a long word.

    That is `mark_` and 32 characters or more, drawn of letters of both cases and digits; without a mark it
    is 80 or more, of one case 45. What stands in the path of an address is no token.
    """
    if len(word) <= _MARKED or word.startswith(_PUBLIC):
        return []
    if word.islower() or word.isupper():
        bare = word.strip("\"'`*.,;:()[]{}<>")
        return [bare] if len(bare) >= _ONE_CASE and bare.isalnum() and _is_drawn(bare) else []
    if "://" in word:
        word = word.partition("?")[2]
    for char in set(word) - _OPAQUE_CHARS:
        word = word.replace(char, " ")
    pieces = [piece.strip("-_.") for piece in word.replace("--", " ").split()]
    return [piece for piece in pieces if len(piece) > _MARKED and _is_opaque(piece)]


#: How public keys of SSH begin.
_PUBLIC = ("AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj")
_OPAQUE_CHARS = frozenset(WORD + ".+/")


def _is_drawn(word: str) -> bool:
    """Tell whether letters of one case and digits are drawn, and neither hex nor the address of a file."""
    digits = sum(map(str.isdigit, word))
    return (
        digits * 10 >= len(word)
        and distinct(word) > 18
        and bool(word.strip(HEX + HEX.upper()))
        and not word.startswith("baf")
        and not is_placeholder(word)
    )


def _is_opaque(piece: str) -> bool:
    mark = piece[:16]
    for sign in "_-.":
        mark = mark.partition(sign)[0]
    if mark.lower() in _OPEN:
        return False
    marked = 1 < len(mark) < 12 and mark.isalnum() and mark[0].isalpha()
    body = piece[len(mark) + 1 :] if marked else piece
    if (
        len(body) < (_MARKED if marked else _BARE)
        or "/" in body
        or "+" in body
        or body.count(".") > 2
    ):
        return False
    run = max(
        body.replace("_", " ").replace("-", " ").replace(".", " ").split(), key=len, default=""
    )
    kinds = (
        any(char.isdigit() for char in run)
        + any("a" <= char <= "z" for char in run)
        + any("A" <= char <= "Z" for char in run)
    )
    drawn = sum(char.isdigit() for char in body) * 20 >= len(body) and distinct(body) > 18
    return (
        kinds > 2
        and len(run) > 15
        and drawn
        and bool(body.strip(HEX))
        and not is_placeholder(piece)
    )
