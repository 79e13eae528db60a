"""Find secrets by the table of `pattern_rows`, and what opens something in addresses and long words.

A text without a mark costs one search for each; only where one is there `re` is loaded and a row compiled.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ledger.secrets import pattern_rows as rows
from ledger.secrets.entropy import (
    distinct,
    is_placeholder,
    is_random,
    is_stock,
    is_wordy,
    kinds_of,
)
from ledger.secrets.label_values import decoded, is_worded
from ledger.secrets.match import Hit, hit
from ledger.secrets.vendor_tokens import HEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def find_patterns(text: str, words: str) -> list[Hit]:
    """Find what the rows of the table match in a text; `words` are its long words."""
    found: list[Hit] = []
    for number, (rule, look, marks, _) in enumerate(rows.ROWS):
        for mark in marks:
            at = text.find(mark)
            while at >= 0:
                said = _compiled(number).match(text, at)
                start, end = said.span(said.lastindex or 0) if said else (at, at)
                value = text[start:end].rstrip(".,;:)")
                if said is not None and _looks(value, look):
                    found.append(hit(rule, start, start + len(value)))
                at = text.find(mark, max(end, at + len(mark)))
    if "hook" in words or "/integration/" in words or "/with/key/" in words:
        found += _hooks(text)
    return found


@lru_cache
def _compiled(number: int) -> re.Pattern[str]:
    return re.compile(rows.ROWS[number][3])


def _looks(value: str, look: int) -> bool:
    """Tell whether a value looks as its row says that it has to."""
    if look == rows.DIGITS:
        return value not in ("0000", "1111", "1234", "12345", "123456", "12345678")
    if not value or is_placeholder(value.lstrip("${") or value):
        return False
    if look == rows.DRAWN:
        return is_random(value) and distinct(value) > 11
    if look == rows.PAIR:
        return _is_pair(value)
    if look in (rows.MADE, rows.MIXED):
        drawn = kinds_of(value) > 1 and any(map(str.isdigit, value)) and not is_wordy(value)
        return (drawn and not value.islower()) or (look == rows.MADE and is_worded(value))
    if look == rows.WORDS:
        return len(set(value.replace(",", " ").split())) > 9
    return (
        look == rows.ANY
        or (any(map(str.isdigit, value)) and not is_stock(value))
        or not is_wordy(value)
    )


def _is_pair(value: str) -> bool:
    """Tell whether base64 holds `name:password`."""
    name, colon, password = decoded(value).partition(":")
    return bool(name and colon and password)


#: An address that whoever knows it may post to, and the parts of its path; of a host for hooks short ones.
_HOOK = re.compile(r"://([^\s/\"'`<>|\\)\]},;]*)(/[^\s\"'`<>|\\)\]},;]{1,500})")
_HOOK_PART = re.compile(
    r"(?<!/commit)(?<!/blob)(?<!/tree)(?<!/raw)(?<!/compare)/([\w-]{6,}+)(?=[/?.]|\Z)", re.ASCII
)


def _hooks(text: str) -> Iterator[Hit]:
    """Find addresses that whoever knows them may post to: what is drawn in the path opens them."""
    for said in _HOOK.finditer(text):
        if "hook" in said[0] or "/integration/" in said[2] or "/with/key/" in said[2]:
            for part in _HOOK_PART.finditer(said[2]):
                word = part[1]
                short = said[1].startswith("hook") and any(map(str.isdigit, word))
                drawn = short or (len(word) > 15 and is_random(word))
                if drawn and not (word.isdigit() or is_wordy(word) or is_placeholder(word)):
                    start = said.start(2) + part.start(1)
                    yield hit("webhook", start, start + len(word))


#: What opaque words begin with that open nothing: digests, public keys, what code and machines name.
_OPEN = frozenset(
    "pk phc pub public sha sha1 sha256 sha384 sha512 md5 integrity h1 ssh id img image file chunk index "
    "nonce hash build commit etag cid trace span req cache".split()
)
_MARKED, _BARE, _ONE_CASE = 32, 80, 45


def find_opaque(word: str) -> list[str]:
    """Find what looks like a token of whatever vendor in a long word.

    That is `mark_` and 32 characters or more, drawn of letters of both cases and digits; without a mark it
    is 80 or more, of one case 45. What stands in the path of an address is no token.
    """
    if word.startswith(_PUBLIC):
        return []
    if word.islower() or word.isupper():
        bare = word.strip("\"'`*.,;:()[]{}<>")
        drawn = len(bare) >= _ONE_CASE and bare.isalnum() and _is_drawn(bare)
        return [bare] if drawn else []
    if "://" in word:
        word = word.partition("?")[2]
    pieces = [piece.strip("-_.") for run in _RUN.findall(word) for piece in run.split("--")]
    # what is called is a name
    return [piece for piece in pieces if _is_opaque(piece) and f"{piece}(" not in word]


#: How public keys of SSH begin.
_PUBLIC = ("AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj")
_RUN = re.compile(r"[\w.+/-]{33,}", re.ASCII)


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
    drawn = sum(char.isdigit() for char in body) * 20 >= len(body) and distinct(body) > 18
    return (
        kinds_of(run) > 2
        and len(run) > 15
        and drawn
        and bool(body.strip(HEX))
        and not is_placeholder(piece)
    )
