"""Read what ends a fact: a footer that says which commit, or which day, makes it untrue (FORMAT.md, U1).

Data and never a program: a word that says what is looked at, and what is looked for there.
"""

from __future__ import annotations

import re
from datetime import date

from ledger.model.event import Meta
from ledger.model.record import Record
from ledger.model.session import CHECK_KEY, OBSOLETE_KEY, UNTIL_KEY

TAG, MERGED, GONE, HAS, FILE, VERSION, DATE = (
    "tag", "merged", "gone", "has", "file", "version", "date",
)  # fmt: skip
#: The forms, as a message lists them.
FORMS = (
    "tag v5*; merged feature/x; gone src/pay.py; has src/pay.py; "
    'file package.json has "react": "19 (or lacks "…"); version react >= 19 in package.json; '
    "date 2027-01-31"
)
#: Those by which a fact is checked: files alone tell them.
CHECKS = (
    'has src/pay.py; gone src/old.py; file package.json has "react": "19 (or lacks "…"); '
    "version react >= 19 in package.json"
)
LACKS = "lacks"
_TEXT_CHARS, _NAME_CHARS, _PATH_CHARS = 200, 100, 300
_FILE = re.compile(r"(?P<place>\S+|`[^`]+`) (?P<how>has|lacks) (?P<text>.+)", re.DOTALL)
_VERSION = re.compile(
    r"(?P<name>\S+) (?P<how>>=|<=|==|=|>|<) ?v?(?P<number>\d{1,9}(?:\.\d{1,9}){0,3}) in "
    r"(?P<place>\S+|`[^`]+`)"
)
_BRANCH = re.compile(r"(?!.*(?:\.\.|//|@\{))[^\s~^:?*\[\\\x00-\x20/.-][^\s~^:?*\[\\\x00-\x20]*")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Until(Record):
    """What ends a fact."""

    form: str  #: one of the words above
    place: str  #: the pattern of a tag, a branch, a path from the top, or a day
    how: str = ""  #: `has` or `lacks` of a text; how a version compares
    text: str = ""  #: the text, the name that a version stands beside
    number: tuple[int, ...] = ()  #: the version
    #: it is to hold as long as the fact does: what is looked for is that it does not
    checks: bool = False

    @property
    def is_of_tree(self) -> bool:
        """Whether the files of a commit alone tell if it is true."""
        return self.form in (GONE, HAS, FILE, VERSION)

    @property
    def said(self) -> str:
        """What ended it, as one reads it behind "ended by COMMIT"."""
        if self.form == FILE:
            return f'{self.place} {self.how} "{self.text}"'
        if self.form == VERSION:
            return f"{self.text} {self.how} {'.'.join(map(str, self.number))} in {self.place}"
        return f"{self.form} {self.place}"


def until_in(said: str) -> Until | None:
    """Read a predicate, behind `check` one that is to hold; None for words that are none of the forms."""
    form, _, rest = said.strip().partition(" ")
    form, rest = form.lower(), rest.strip()
    if form == CHECK_KEY:
        found = until_in(rest)
        return (
            found._replace(checks=True) if found and found.is_of_tree and not found.checks else None
        )
    if form == TAG:
        fits = 0 < len(rest) <= _NAME_CHARS and rest.isprintable() and " " not in rest
        return Until(TAG, rest) if fits else None
    if form == MERGED:
        fits = len(rest) <= _NAME_CHARS and rest.isprintable() and bool(_BRANCH.fullmatch(rest))
        return Until(MERGED, rest) if fits and not rest.endswith(("/", ".", ".lock")) else None
    if form in (GONE, HAS):
        place = _path(rest)
        return Until(form, place) if place and (rest[:1] == "`" or " " not in rest) else None
    if form == FILE:
        match = _FILE.fullmatch(rest)
        place, text = (_path(match["place"]), _text(match["text"])) if match else ("", "")
        return Until(FILE, place, match["how"], text) if match and place and text else None
    if form == VERSION:
        match = _VERSION.fullmatch(" ".join(rest.split()))
        place = _path(match["place"]) if match else ""
        if not match or not place or len(match["name"]) > _NAME_CHARS:
            return None
        number = tuple([int(part) for part in match["number"].split(".")])
        return Until(VERSION, place, match["how"].replace("==", "="), match["name"], number)
    if form == DATE and _DAY.fullmatch(rest):
        try:
            return Until(DATE, date.fromisoformat(rest).isoformat())
        except ValueError:
            return None
    return None


def until_of(meta: Meta) -> tuple[str, Until | None]:
    """Return what ends a fact, as its footer says it and as it is read; ("", None) for none.

    Free words of `obsolete_when` are a question for the review, though they may begin with one of the
    forms: a path that ends a fact so has a slash or a dot.
    """
    said = dict(meta)
    for key in (UNTIL_KEY, OBSOLETE_KEY):
        words = said.get(key, "")
        found = until_in(words) if words else None
        if found is None:
            continue
        free = key == OBSOLETE_KEY and found.form in (GONE, HAS, MERGED)
        if not free or "/" in found.place or "." in found.place:
            return words, found
    return "", None


def check_of(meta: Meta) -> str:
    """Return by what a fact is checked, as `until_in` reads it; "" for nothing."""
    words = dict(meta).get(CHECK_KEY, "")
    return f"{CHECK_KEY} {words}" if words and until_in(f"{CHECK_KEY} {words}") else ""


def _path(said: str) -> str:
    """Return a path from the top of the repository, "" for what is none."""
    path = said.strip("`").rstrip("/")
    parts = path.split("/")
    outside = not path or path[0] == "/" or any(part in ("", ".", "..", ".git") for part in parts)
    return "" if outside or len(path) > _PATH_CHARS or not path.isprintable() else path


def _text(said: str) -> str:
    """Return the text that stands in quotes, of which the closing one may be missing."""
    if said[:1] == '"':
        closed = re.match(r'"((?:[^"\\]|\\.)*)"$', said)
        said = re.sub(r'\\(["\\])', r"\1", closed[1] if closed else said[1:])
    return said if said.strip() and len(said) <= _TEXT_CHARS and said.isprintable() else ""
