"""Find what stands in a column of passwords: of a table, or of values with commas or tabs between them."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.secrets.credential_values import CHOSEN, is_secret
from ledger.secrets.match import Hit, hit, places
from ledger.secrets.word_passwords import is_plain

#: What parts the cells of a line, and what surrounds one.
_PARTING, _AROUND = "|\t;,", " \"'`*"
_SIDES = tuple(_PARTING)
_EDGES = frozenset(("", *_PARTING, *_AROUND, "\n", "_"))
#: What else stands in the cell of such a head.
_CELL = "abcdefghijklmnopqrstuvwxyz_ \"'`*"
#: What a column is called, beside the names of passwords, by what a value of it is judged as.
_HEADS = dict.fromkeys((*CHOSEN, "wifi password", "parola", "пароль"), "password") | dict.fromkeys(
    ("secret", "client secret", "client_secret", "api key", "api_key", "apikey", "access token", "token"),
    "secret",
)  # fmt: skip
_TOLD = frozenset((*CHOSEN, "парол", "secret", "token", "key"))
_LONGEST = 400
_TRIMMED = _AROUND + "\t|"


def find_columns(text: str, low: str, names: Iterable[str]) -> list[Hit]:
    """Find the values below the head of a column that names passwords.

    `low` is the text in lower case; `names` are those of `NAMES` that it holds.
    """
    found: list[Hit] = []
    done = 0
    for name in [name for name in names if name in _TOLD]:
        for at in places(low, name):
            end = at + len(name)
            if low[end : end + 1] not in _EDGES or low[at - 1 : at] not in _EDGES:
                continue
            ahead = low[max(0, at - 16) : at].rstrip(_AROUND)
            if ahead[-1:] in _SIDES or low[end : end + 24].lstrip(_CELL)[:1] in _SIDES:
                start = low.rfind("\n", max(0, at - _LONGEST), at) + 1
                stop = low.find("\n", at)
                if stop > 0 and (start or at < _LONGEST) and done <= start:
                    done = max(done, _below(text, low, start, stop, found))
    return found


def _below(text: str, low: str, start: int, stop: int, found: list[Hit]) -> int:
    """Judge what stands below a line, if that is a head; return where the table ends."""
    before = low[max(0, start - _LONGEST) : max(0, start - 1)].rpartition("\n")[2]
    head = low[start:stop].replace("||", "|")
    sign, heads = _head(head, before)
    size, at = head.count(sign) if sign else 0, stop + 1
    while sign and at < len(text):
        stop = text.find("\n", at)
        stop = stop if stop >= 0 else len(text)
        line = text[at:stop]
        if line.count(sign) != size or len(line) > _LONGEST:
            break
        for first, end, number in _cells(line, sign, heads):
            value = line[first:end]
            plain = value.isalpha() and value.islower() and len(value) > 5
            if (
                is_plain(value)
                if plain
                else is_secret(value, heads[number], False, False, True, True)
            ):
                found.append(hit("credential", at + first, at + end))
        at = stop + 1
    return at


def _head(line: str, before: str) -> tuple[str, dict[int, str]]:
    """Return what parts the cells of a head, and the numbers of the columns that hold passwords."""
    for sign in _PARTING:
        cells = line.split(sign) if sign in line and sign not in before else ()
        named = {
            n: _HEADS[bare]
            for n, one in enumerate(cells)
            if (bare := one.strip(_TRIMMED)) in _HEADS
        }
        words = [one for one in cells if one.strip()]
        if named and len(words) > 1 and all(len(one) < 40 for one in cells):
            return sign, named
    return "", {}


def _cells(line: str, sign: str, wanted: dict[int, str]) -> list[tuple[int, int, int]]:
    """Return where the cells of some columns begin and end, and of which column each is."""
    found, at = [], 0
    for number, cell in enumerate(line.split(sign)):
        if number in wanted and (bare := cell.strip(_TRIMMED)):
            start = at + cell.index(bare)
            found.append((start, start + len(bare), number))
        at += len(cell) + 1
    return found
