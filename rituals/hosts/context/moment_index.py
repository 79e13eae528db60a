"""Look up what memory has on a prompt, a command or a file, in a file that is made for that alone.

A hook has a millisecond for it. So there is one small file with the words of all facts and of passages of
logs, what rules say of commands, and what they say of files; it is good as long as nothing that it was
made of has changed. Where it is not, a prompt is looked up in full, a tool is told nothing, and another
process makes it anew (`rituals.hosts.context.moment_contents`).
"""

from __future__ import annotations

from _bisect import bisect_right
from itertools import pairwise

from ledger.model.layout import CACHE_DIR, MOMENT_FILE
from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.atomic_files import plain_bytes, replace_file
from ledger.wal.user_key import digest, read_signed, write_signed
from rituals.hosts.context.session_cursor import stamps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

_HEADER = b"diurna-moments"
#: The file of its words, and how many lines of it have a sum together.
_WORDS, _LINES = f"{CACHE_DIR}/words", 64
#: By how many letters a word is known, and how much of a prompt is read.
_STEM, PROMPT_CHARS = 5, 1_500
#: Of the words of a prompt some fact must have so much of what they tell, and tell so much, that it is
#: worth a look: in a ledger of some size, as a small one does not tell which words are common.
_SHARE, _TELLING = 0.40, 4.0
#: Begins the weight of a word that is for chores: it tells nothing of what is asked.
CHORE = "~"
#: Where writing begins that has no blanks between its words.
_UNSPACED = "\u0e00"
#: What stands before a word of passages; how much is read of a prompt or an error for them; and how much
#: likelier than by chance their words have to stand together in one.
LOGS, _READ_CHARS, _BEYOND_CHANCE = "=", 4_000, 150.0
_LEAST_LETTERS, _PASSAGES = 3, 2


class Rules(Record):
    """What rules say of commands and of files; each rule is known by a number, as text."""

    #: by program: the number of a rule, and what the program is given by which it is broken
    against: Mapping[str, tuple[tuple[str, ...], ...]]
    signs: tuple[str, ...]  #: a line of shell that has none of them breaks no rule
    #: the rules that speak of a path, by it, from the top; behind `!` those that speak of changing it
    paths: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, tuple[str, str, str]]  #: id, what it is, and text of each

    def at(self, paths: Iterable[str], *, changed: bool) -> list[str]:
        """Return the rules that speak of files or of a folder that they are in."""
        rows: list[str] = []
        for path in paths:
            while path:
                found = self.paths.get(path, ())
                rows += [row.lstrip("!") for row in found if changed or row[0] != "!"]
                path = path.rpartition("/")[0]
        return rows

    def names_in(self, line: str) -> bool:
        """Tell whether a line has the name of a file that rules speak of."""
        return any(path.rpartition("/")[2] in line for path in self.paths)


class MomentIndex(Record):
    """What is looked up for one folder."""

    watched: tuple[str, ...]  #: the files whose change makes it out of date
    stamps: str  #: how they stood
    prompt: bool  #: facts are told at a prompt
    command: bool  #: rules at a command
    file: bool  #: and at a file
    most: int  #: so many facts at most
    characters: int  #: in so many characters
    rules: Rules
    small: tuple[str, ...]  #: words that tell nothing
    unknown: float  #: what a word weighs that no fact has
    #: passages of logs: place, day, part of the log, its title, its session, and words
    passages: tuple[tuple[str, ...], ...]
    #: sorted lines of bytes: a stem with what it weighs and the numbers of the facts that have it; behind
    #: `LOGS` the same of words and passages
    words: bytes = b""
    #: parts of these, of which each is proved where it is asked: first stem, where it stands, and its sum
    parts: tuple[tuple[bytes, int, int, str], ...] = ()

    def may_answer(self, prompt: str) -> bool:
        """Tell whether some fact has enough of a prompt, as typed, to be worth a search."""
        asked = prompt[:PROMPT_CHARS]
        if not asked.isascii() and max(asked) >= _UNSPACED:
            return True
        total = 0.0
        told: dict[str, float] = {}
        chores: dict[str, float] = {}
        for stem in stems(asked, self.small):
            said, *rows = self._row(stem) or [str(self.unknown)]
            weight = float(said.lstrip(CHORE))
            total += weight
            counted = chores if said[0] == CHORE else told
            for row in rows:
                counted[row] = counted.get(row, 0.0) + weight
        return any(
            weight >= _TELLING and weight + chores.get(row, 0.0) >= _SHARE * total
            for row, weight in told.items()
        )

    def passages_on(self, text: str, *, sure: float = 1.0) -> list[tuple[str, ...]]:
        """Return the passages of logs that have more words of a text than chance gives, best first.

        A word that few of n passages hold tells n to their number, and two side by side the root of that
        more; those of one passage together have to tell more than n, and more the more words of the text
        are known, as some always meet: `sure` times as much.
        """
        asked = words_of(text[:_READ_CHARS]) if self.passages else []
        known = {one for one in {*asked} if one and self._row(LOGS + one)}
        told: dict[str, float] = {}
        held: dict[str, int] = {}
        for one in (*known, *dict.fromkeys(side_by_side(asked, known))):
            ratio, *rows = self._row(LOGS + one) or ["1"]
            for row in rows:
                told[row] = told.get(row, 1.0 / len(self.passages)) * float(ratio)
                held[row] = held.get(row, 0) + (one in known)
        found: list[tuple[float, int]] = []
        for row, beyond in told.items():
            ways = 1.0
            for at in range(held[row]):
                ways *= (len(known) - at) / (at + 1)
            found.append((beyond / ways**0.5, int(row)))
        best = [
            row for beyond, row in sorted(found, reverse=True) if beyond >= sure * _BEYOND_CHANCE
        ]
        return [self.passages[row] for row in best[:_PASSAGES]]

    def _row(self, key: str) -> list[str]:
        """Return the words behind a key in its line; none where there is no such line."""
        wanted = key.encode("utf-8", "surrogateescape")
        for _, start, end, sum in self.parts[bisect_right(self.parts, (wanted + b"\t",)) - 1 :][:1]:
            part = self.words[start:end]
            line = part.partition(b"\n%s\t" % wanted)[2] if digest(part) == sum else b""
            return line.partition(b"\n")[0].decode("ascii").split(" ") if line else []
        return []


def words_of(text: str) -> list[str]:
    """Return the words of a text by which passages are known, in order, "" for each other one.

    Where no blanks part them these are pairs of signs.
    """
    found: list[str] = []
    for word in _plain(text).split():
        if max(word) >= _UNSPACED:
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            found.append("" if len(word) < _LEAST_LETTERS or word.isdigit() else word)
    return found


def side_by_side(words: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the known words that stand side by side in a text, but no pairs of signs."""
    both = [(one, two) for one, two in pairwise(words) if one in known and two in known]
    return [f"{one} {two}" for one, two in both if min(len(one), len(two)) > 2]


def stems(text: str, small: Collection[str] = ()) -> set[str]:
    """Return the words of a text, each by its first letters, without small ones that tell nothing."""
    return {word[:_STEM] for word in set(_plain(text).split()).difference(small)}


def _plain(text: str) -> str:
    return "".join([char if char.isalnum() else " " for char in text.lower()])


def opened(commondir: str, folder: str) -> MomentIndex | None:
    """Return the index of a folder that sessions work in; None where there is none that is good."""
    said = read_signed(_path(commondir, folder), _HEADER)
    index = MomentIndex(*said) if said else None
    if index is None or stamps(index.watched) != index.stamps:
        return None
    return index._replace(rules=Rules(*index.rules), words=plain_bytes(index.watched[-1]) or b"")


def keep(
    commondir: str, folder: str, index: MomentIndex, words: Mapping[str, Iterable[object]]
) -> None:
    """Keep the index of a folder, and its words by what a line begins with.

    Raises:
        StorageFailed: the disk refused.
    """
    rows = [f"{key}\t{' '.join(map(str, row))}\n" for key, row in words.items()]
    lines = sorted([row.encode("utf-8", "surrogateescape") for row in rows])
    parts, whole = list[tuple[bytes, int, int, str]](), b""
    for at in range(0, len(lines), _LINES):
        part = b"\n" + b"".join(lines[at : at + _LINES])
        first = lines[at].partition(b"\t")[0]
        parts.append((first, len(whole), len(whole) + len(part), digest(part)))
        whole += part
    path = _path(commondir, folder, _WORDS)
    replace_file(path, whole, 0o600)
    seen = f"{index.stamps},{stamps((path,))}"
    index = index._replace(watched=(*index.watched, path), stamps=seen, parts=tuple(parts))
    write_signed(_path(commondir, folder), _HEADER, index)


def _path(commondir: str, folder: str, file: str = MOMENT_FILE) -> str:
    return f"{commondir}/{file}@{digest(folder.encode('utf-8', 'surrogateescape'))[:12]}"
