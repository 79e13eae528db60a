"""Look up what memory has on a prompt, a command or a file, in a file that is made for that alone.

A hook has a millisecond for it. So there is one small text with the words of all facts, what rules say of
commands, and what they say of files; signed with the user's key (`ledger.wal.user_key`), and good as long
as nothing that it was made of has changed. Where it is not, a prompt is looked up in full, a tool is told
nothing, and another process makes it anew (`rituals.hosts.context.moment_contents`).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from ledger.model.layout import CACHE_VERSION, MOMENT_FILE
from ledger.wal.user_key import digest, signed, user_key
from rituals.hosts.context.session_cursor import stamps

_HEADER = b"diurna-moment"
_WORDS, _HEAD_BYTES = 5, 300
#: By how many letters a word is known, and how much of a prompt is read.
_STEM, PROMPT_CHARS = 5, 1_500
#: Of the words of a prompt some fact must have so much of what they tell, and tell so much, that it is
#: worth a look: in a ledger of some size, as a small one does not tell which words are common.
_SHARE, _TELLING = 0.40, 4.0
#: Begins the weight of a word that is for chores: it tells nothing of what is asked.
CHORE = "~"
#: Where writing begins that has no blanks between its words.
_UNSPACED = "\u0e00"
#: How a prompt begins that nobody typed as one: a command of the host, or what it wrote itself.
_NO_PROMPT = ("/", "<", "!")
#: What stands before a word of passages, and before the number of one; how much is read of a prompt or
#: an error for them; and how much likelier than by chance their words have to stand together in one.
LOGS, PASSAGE, _READ_CHARS, _BEYOND_CHANCE = "=", "%", 4_000, 150.0
_LEAST_LETTERS, _PASSAGES, _FIELDS = 3, 2, 6


class MomentIndex:
    """The file of one folder, as it was read.

    Args:
        about: what it says of itself, of commands and of files.
        words: the words of facts and of passages of logs, where they were read, too.
        path: of the file, in which behind `begin` bytes the texts of those passages are.
    """

    def __init__(self, about: bytes, words: bytes = b"", path: str = "", begin: int = 0) -> None:
        self._about = about
        self._words = words
        self._path, self._begin = path, begin

    def said(self, key: str) -> str:
        """Return the rest of the first line that begins with a key and a tab, "" for none."""
        return _line(self._about, key)

    def may_answer(self, prompt: str) -> bool:
        """Tell whether some fact has enough of a prompt, as typed, to be worth a search."""
        asked = prompt[:PROMPT_CHARS]
        if not asked.isascii() and max(asked) >= _UNSPACED:
            return True
        unknown = self.said("unknown")
        total = 0.0
        told: dict[str, float] = {}
        chores: dict[str, float] = {}
        for stem in stems(asked, self.said("small").split(" ")):
            said, *rows = (_sorted_line(self._words, stem) or unknown).split(" ")
            weight = float(said.lstrip(CHORE))
            total += weight
            counted = chores if said[0] == CHORE else told
            for row in rows:
                counted[row] = counted.get(row, 0.0) + weight
        return any(
            weight >= _TELLING and weight + chores.get(row, 0.0) >= _SHARE * total
            for row, weight in told.items()
        )

    def passages(self, text: str, *, sure: float = 1.0) -> list[list[str]]:
        """Return the passages of logs that have more words of a text than chance gives, best first.

        A word that few of n passages hold tells n to their number, and two side by side the root of that
        more; those of one passage together have to tell more than n, and more the more words of the text
        are known, as some always meet: `sure` times as much. Each is its place, when that was, the part of
        the log, its title, its session, and its words.
        """
        count = int(self.said("passages") or 0)
        asked = words_of(text[:_READ_CHARS]) if count else []
        known = {one for one in {*asked} if one and _sorted_line(self._words, LOGS + one)}
        pairs = {f"{one} {two}" for one, two in pairwise(asked) if {one, two} <= known}
        told: dict[str, float] = {}
        held: dict[str, int] = {}
        for one in (*known, *pairs):
            ratio, *rows = _sorted_line(self._words, LOGS + one).split(" ")
            for row in rows:
                told[row] = told.get(row, 1.0 / count) * float(ratio)
                held[row] = held.get(row, 0) + (one in known)
        found: list[tuple[float, int]] = []
        for row, beyond in told.items():
            ways = 1.0
            for at in range(held[row]):
                ways *= (len(known) - at) / (at + 1)
            found.append((beyond / ways**0.5, int(row)))
        least = sure * _BEYOND_CHANCE
        best = [row for beyond, row in sorted(found, reverse=True) if beyond >= least]
        texts = [self._text(row).split("\t") for row in best[:_PASSAGES]]
        return [text for text in texts if len(text) == _FIELDS]

    def _text(self, row: int) -> str:
        """Return what is kept of a passage; "" where that is not what was written."""
        start, size, sum_ = _sorted_line(self._words, f"{PASSAGE}{row}").split(" ")
        try:
            with open(self._path, "rb") as file:
                file.seek(self._begin + int(start))
                text = file.read(int(size))
        except OSError:
            return ""
        return text.decode() if digest(text) == sum_ else ""


def words_of(text: str) -> list[str]:
    """Return the words of a text by which passages are known, in order, "" for each other one.

    Where no blanks part them these are pairs of signs.
    """
    found: list[str] = []
    for word in "".join([char if char.isalnum() else " " for char in text.lower()]).split():
        if max(word) >= _UNSPACED:
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            found.append("" if len(word) < _LEAST_LETTERS or word.isdigit() else word)
    return found


def pairwise(words: list[str]) -> list[tuple[str, str]]:
    """Return the words that stand side by side in a text, but no pairs of signs."""
    found = [(words[at], words[at + 1]) for at in range(len(words) - 1)]
    return [pair for pair in found if min(map(len, pair)) > 2]


def is_prompt(text: str) -> bool:
    """Tell whether somebody typed a prompt, and no command of the host's."""
    return bool(text.strip()) and not text.lstrip().startswith(_NO_PROMPT)


def stems(text: str, small: Collection[str] = ()) -> set[str]:
    """Return the words of a text, each by its first letters, without small ones that tell nothing."""
    plain = "".join([char if char.isalnum() else " " for char in text.lower()])
    return {word[:_STEM] for word in set(plain.split()).difference(small)}


def index_path(commondir: str, folder: str) -> str:
    """Return where the index of a folder is that sessions work in."""
    name = digest(folder.encode("utf-8", "surrogateescape"))[:12]
    return f"{commondir}/{MOMENT_FILE}@{name}"


def can_be_kept() -> bool:
    """Tell whether there is a key to sign an index with; without one nothing is kept."""
    return bool(user_key())


def opened(commondir: str, folder: str, *, words: bool) -> MomentIndex | None:
    """Return the index of a folder; None where there is none that is good."""
    path = index_path(commondir, folder)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        head = os.pread(fd, _HEAD_BYTES, 0)
        line = head.partition(b"\n")[0]
        said = line.split()
        if len(said) != _WORDS or said[:2] != [_HEADER, b"%d" % CACHE_VERSION]:
            return None
        size = int(said[2]) if said[2].isdigit() else 0
        about = os.pread(fd, size, len(line) + 1)
        key = user_key()
        if not key or said[3] != _sum(key, path, about):
            return None
        found = MomentIndex(about)
        watched = found.said("watched").split("\0")
        if stamps([os.fsdecode(one.encode("utf-8", "surrogateescape")) for one in watched]) != (
            found.said("stamps")
        ):
            return None
        if words:
            begin = len(line) + 1 + size
            rest = os.pread(fd, int(found.said("words") or 0), begin)
            if said[4] != _sum(key, path, rest):
                return None
            found = MomentIndex(about, rest, path, begin + len(rest))
        return found
    except OSError:
        return None
    finally:
        os.close(fd)


def packed(
    path: str,
    key: bytes,
    about: Mapping[str, str],
    words: Mapping[str, str],
    passages: Iterable[str],
) -> bytes:
    """Write an index, with the user's key, for the path where it is going to be.

    `about` has the lines that it says of itself, of commands and of files, by what each begins with;
    `words` has what a word weighs and the rows of the facts that have it, by the stems of words; behind
    `LOGS` the same of words and `passages`. Of those a hook reads the ones that it tells.
    """
    texts, rows, start = [one.encode("utf-8", "replace") for one in passages], dict(words), 0
    for number, text in enumerate(texts):
        rows[f"{PASSAGE}{number}"] = f"{start} {len(text)} {digest(text)}"
        start += len(text)
    ordered = sorted(rows.items(), key=lambda pair: pair[0].encode("utf-8", "surrogateescape"))
    told = _lines(ordered)
    sizes = {"words": str(len(told)), "passages": str(len(texts))}
    parts = [_lines({**about, **sizes}.items()), told]
    sums = [_sum(key, path, part) for part in parts]
    head = (_HEADER, b"%d" % CACHE_VERSION, b"%d" % len(parts[0]), *sums)
    return b" ".join(head) + b"\n" + b"".join((*parts, *texts))


def _lines(pairs: Iterable[tuple[str, str]]) -> bytes:
    said = "".join([f"\n{key}\t{value}" for key, value in pairs])
    return f"{said}\n".encode("utf-8", "surrogateescape")


def _line(text: bytes, key: str) -> str:
    wanted = b"\n%s\t" % key.encode("utf-8", "surrogateescape")
    start = text.find(wanted)
    if start < 0:
        return ""
    start += len(wanted)
    return text[start : text.find(b"\n", start)].decode("utf-8", "surrogateescape")


def _sorted_line(text: bytes, key: str) -> str:
    """Return the rest of the line that begins with a key, of lines that are sorted by it."""
    wanted = key.encode("utf-8", "surrogateescape")
    low, high = 0, len(text) - 1
    while low < high:
        start = text.rfind(b"\n", 0, (low + high) // 2 + 1)
        end = text.find(b"\n", start + 1)
        found, _, rest = text[start + 1 : end].partition(b"\t")
        if found == wanted:
            return rest.decode("ascii")
        if found < wanted:
            low = end
        else:
            high = start
    return ""


def _sum(key: bytes, path: str, part: bytes) -> bytes:
    return signed(key, os.fsencode(os.path.basename(path)), part).encode()
