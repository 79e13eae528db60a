"""Hold what is known of each word that a sentence has, and split sentences into such words.

The tables are made when the first word is looked up, and each word is looked up once.
"""

from __future__ import annotations

#: Letters with their marks, behind how people type them without.
_MARKED = (
    "aàáâãäåą", "cçćč", "eèéêëęě", "iìíîï", "lł", "nñńň", "oòóôõöø", "uùúûü", "yýÿ", "zžźż", "sśš",
    "\u0435\u0451", "\u0438\u0439",
)  # fmt: skip
_FOLD: dict[int, str | None] = {ord(mark): row[0] for row in _MARKED for mark in row[1:]}
_FOLD |= {ord("ß"): "ss", **dict.fromkeys(range(0x300, 0x370))}  # marks of their own are none
#: A verb that `me` is joined to is written with one of them.
_STRESSED = frozenset("áíóú")
#: How Portuguese shortens what the speaker is.
_SPOKEN = {"tô": "estou"}
_SHORT = {"m": "am", "ve": "have", "ll": "will", "re": "are", "d": "would"}
#: A word so long may be joined of others, each at least so long.
_JOINED_CHARS, PART_CHARS, _STEM_CHARS = 9, 5, 4
_MOST_WORDS = 100_000
#: Names of programs are words of capitals; these are none.
NO_NAMES = frozenset(
    "ADHD ADD PTSD OCD HIV MS IVF CEO CTO CFO HR OK TV UK US USA NYC PTO VP TDAH ADHS PM PO QA "
    "ICE TGV ICU UCI UTI OP "
    # what begins a question, or speaks of no one thing
    "WHY HOW WHAT WHERE WHEN WHICH WHETHER NOTHING SOMETHING ANYTHING NEITHER EITHER "
    "WARUM WIESO WESHALB WANN WOHER WOZU WELCHE WELCHER WELCHES NICHTS ETWAS "
    "POURQUOI COMMENT QUAND QUEL QUELLE RIEN CUANDO DONDE CUAL NADA ONDE QUANDO QUAL".split()
)
#: The tables of `person_words`, `private_words` and `work_words`; a word has a bit for each of its own.
_BITS = (
    "ME", "MY", "THEIR", "THEY", "HUMANS", "NAMES", "KIN", "THEIRS", "HEALTH", "LIFE", "TASTE", "JUDGED",
    "TOLD", "TELLS", "OUR", "EVER", "PLACES", "GERMAN", "WORK", "DECIDING", "DOING", "OWNING", "DOUBLE",
    "WISHES",
)  # fmt: skip
(
    ME, MY, THEIR, THEY, HUMAN, NAME, KIN, THING, HEALTH, LIFE, LIKES, JUDGED, WHO, TELLS,
    OUR, EVER, PLACE, GERMAN, WORK, DECIDING, DOING, OWNING, DOUBLE, WISH,
) = [1 << number for number in range(len(_BITS))]  # fmt: skip
INTIMATE = HEALTH | LIFE | KIN
THEIRS = THING | KIN
#: What the plural of a word says, too.
_PLURAL = ~(ME | MY | NAME | THING | THEIR | THEY | TELLS | GERMAN)
_ENDINGS = (("s", _PLURAL), *[(end, WORK) for end in ("n", "es", "en", "er", "ers")])
SAID, QUIET = 1, 2


class Tables:
    """The words that are known, and the phrases by their first word."""

    def __init__(self) -> None:
        from ledger.secrets import person_words, private_words, work_words

        self._whole: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        for number, name in enumerate(_BITS):
            homes = (person_words, private_words, work_words)
            table: str = next(getattr(one, name) for one in homes if hasattr(one, name))
            for word in table.translate(_FOLD).split():
                known, key = (self._stems, word[:-1]) if word[-1] == "-" else (self._whole, word)
                known[key] = known.get(key, 0) | 1 << number
        self._sizes = sorted({len(stem) for stem in self._stems})
        self._bits: dict[str, int] = {}
        self.phrases: dict[str, list[tuple[str, int]]] = {}
        for said, kind in ((private_words.SAID, SAID), (private_words.QUIET, QUIET)):
            for phrase in filter(None, map(str.strip, said.translate(_FOLD).split("|"))):
                self.phrases.setdefault(phrase.split()[0], []).append((f" {phrase} ", kind))
        self.signs = {
            name: tuple(getattr(private_words, name).split())
            for name in dir(private_words)
            if name.startswith("SIGNS")
        }
        self.signs["WORK"] = tuple(work_words.SIGNS.split())

    def bits(self, word: str) -> int:
        """Return in which tables a word stands."""
        found = self._bits.get(word)
        if found is None:
            found = self._whole.get(word, 0)
            for size in self._sizes:
                found |= self._stems.get(word[:size], 0)
            if word.endswith(("юсь", "усь")):  # by its form the speaker does it
                found |= ME
            if word[1:].endswith("_"):
                found = self.bits(word[:-1]) & (WORK | HEALTH | THING)
            elif not found:
                found = self._inflected(word)
            if len(word) >= _JOINED_CHARS and not found & INTIMATE:
                found |= self._joined(word)
            if len(self._bits) < _MOST_WORDS:
                self._bits[word] = found
        return found

    def _inflected(self, word: str) -> int:
        """Return what a word is by its singular, or by the parts that hyphens join."""
        found = 0
        if "-" in word:
            parts = word.split("-")
            for part in parts:
                bits = self._whole.get(part, 0)
                found |= bits & (WORK if bits & DOUBLE else WORK | INTIMATE)
            return found | (ME if parts[-1] in ("moi", "me") else 0)
        for end, kinds in _ENDINGS:
            if not found and word.endswith(end) and len(word) - len(end) >= _STEM_CHARS:
                found = self._whole.get(word[: -len(end)], 0) & kinds
        return found

    def _joined(self, word: str) -> int:
        """Return whether a word is joined of others of which one is of the work, as German joins them."""
        found = 0
        for size in range(PART_CHARS, min(len(word) - 2, 24)):
            found |= self._whole.get(word[-size:], 0) | self._whole.get(word[:size], 0)
        return found & WORK


_made: list[Tables] = []


def tables() -> Tables:
    """Return the tables, which are made when they are first asked for."""
    if not _made:
        _made.append(Tables())
    return _made[0]


def split_words(sentence: str) -> tuple[list[str], list[bool]]:
    """Return the words of a sentence, folded, and which of them begin with a capital."""
    words: list[str] = []
    capitals: list[bool] = []
    sentence = sentence.replace("’", "'").replace("\u02bc", "'")
    for term in sentence.split():
        bare = term.strip("\"'`()[]{}<>,;:.!?…*_~«»„“”–—-¿¡")
        if len(bare) > 1 and bare.isupper() and bare.isascii() and bare not in NO_NAMES:
            bare += "_"  # the name of something, and no word
        for number, part in enumerate(bare.split("'")):
            low = part.lower()
            folded = _SPOKEN.get(low) or low.translate(_FOLD)
            if folded:
                if number:
                    folded = _SHORT.get(folded, folded)
                elif folded in ("j", "m") and "'" in bare:
                    folded += "'"
                if words and words[-1] == "he" and folded.endswith(("ado", "ido")):
                    words[-1] = "yo"  # Spanish: what the speaker has done
                words.append(folded)
                capitals.append(part[:1].isupper())
                if low.endswith("me") and not _STRESSED.isdisjoint(low):
                    words.append("me")  # Spanish: explícame
                    capitals.append(False)
    return words, capitals
