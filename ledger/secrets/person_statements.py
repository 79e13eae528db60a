"""Tell whether a sentence is about a person, and not about the work, in several languages.

Memory that others share holds nothing of anybody's health, family, pay, plans, place or taste, no
judgement of somebody, and nothing that was said between two people. What a speaker says of themselves,
and what is said of somebody who is named, is personal unless it is plainly about the work: what is
shared is to be right, and need not be all that could be. A sentence is a row of words here; the tables
are made when the first one is looked at, each word is looked up once, and no text takes more than
linear time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: What a sentence is about that concerns a person.
CONFIDENCE, OWN, PRIVATE, TASTE, SOMEBODY, SPEAKER = (
    "what is kept between two", "what is somebody's own", "private life", "taste", "somebody else",
    "the speaker",
)  # fmt: skip
_ENDS, _WIDE_ENDS = ".!?…", "。\uff01\uff1f\uff1b"
#: Letters with their marks, behind how people type them without.
_MARKED = (
    "aàáâãäåą", "cçćč", "eèéêëęě", "iìíîï", "lł", "nñńň", "oòóôõöø", "uùúûü", "yýÿ", "zžźż", "sśš",
    "\u0435\u0451", "\u0438\u0439",
)  # fmt: skip
_FOLD: dict[int, str | None] = {ord(mark): row[0] for row in _MARKED for mark in row[1:]}
_FOLD |= {ord("ß"): "ss", **dict.fromkeys(range(0x300, 0x370))}  # marks of their own are none
#: How Portuguese shortens what the speaker is.
_SPOKEN = {"tô": "estou"}
_SHORT = {"m": "am", "ve": "have", "ll": "will", "re": "are", "d": "would"}
#: So far behind the word for whose it is stands what it is, and behind who is told of what they said.
_OWNED, _TOLD = 3, 2
#: A word so long may be joined of others, each at least so long.
_JOINED_CHARS, _PART_CHARS = 9, 5
_MOST_WORDS = 100_000
#: A shorter one says nothing of anybody by itself.
_LEAST_WORDS = 3
#: In a longer sentence such words are said of the work.
_SHORT_WORDS = 16
#: Names of programs are words of capitals; these are none.
_NO_NAMES = frozenset(
    "ADHD ADD PTSD OCD HIV MS IVF CEO CTO CFO HR OK TV UK US USA NYC PTO VP TDAH ADHS PM PO QA".split()
)
#: Between us and somebody else nothing is kept.
_ANDS = ("and ", "und ", "et ", "y ", "e ", "и ")
#: What comes behind a name that begins a sentence.
_STATES = [[word] for word in "is was has had est es esta foi tem ist hat hatte war wird".split()]
_BY = [[word] for word in "by per with von par por от".split()]
#: So far behind a speaker stands what they do; in German it may come last.
_VERB, _LATE_VERB = 4, 12
#: The tables of `person_words`, `private_words` and `work_words`; a word has a bit for each of its own.
_BITS = (
    "ME", "MY", "THEIR", "THEY", "HUMANS", "NAMES", "KIN", "THEIRS", "HEALTH", "LIFE", "TASTE", "JUDGED",
    "TOLD", "TELLS", "OUR", "EVER", "PLACES", "GERMAN", "WORK", "DECIDING", "DOING", "OWNING", "DOUBLE",
)  # fmt: skip
(
    _ME, _MY, _THEIR, _THEY, _HUMAN, _NAME, _KIN, _THING, _HEALTH, _LIFE, _LIKES, _JUDGED, _WHO, _TELLS,
    _OUR, _EVER, _PLACE, _GERMAN, _WORK, _DECIDING, _DOING, _OWNING, _DOUBLE,
) = [1 << number for number in range(len(_BITS))]  # fmt: skip
_INTIMATE = _HEALTH | _LIFE | _KIN
_THEIRS = _THING | _KIN
_SAID, _QUIET = 1, 2


class _Tables:
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
        for said, kind in ((private_words.SAID, _SAID), (private_words.QUIET, _QUIET)):
            for phrase in filter(None, map(str.strip, said.translate(_FOLD).split("|"))):
                self.phrases.setdefault(phrase.split()[0], []).append((f" {phrase} ", kind))
        self.signs = {
            name: tuple(getattr(private_words, name).split())
            for name in ("SIGNS", "SIGNS_ME", "SIGNS_WE", "SIGNS_THEY", "SIGNS_QUIET")
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
                found |= _ME
            if len(word) >= _JOINED_CHARS and not found & _INTIMATE:
                found |= self._joined(word)
            if len(self._bits) < _MOST_WORDS:
                self._bits[word] = found
        return found

    def _joined(self, word: str) -> int:
        """Return whether a word is joined of others of which one is of the work, as German joins them."""
        found = 0
        for size in range(_PART_CHARS, min(len(word) - 2, 24)):
            found |= self._whole.get(word[-size:], 0) | self._whole.get(word[:size], 0)
        return found & _WORK


_made: list[_Tables] = []


def _tables() -> _Tables:
    if not _made:
        _made.append(_Tables())
    return _made[0]


def about_person(text: str) -> str:
    """Return what the first sentence that is about a person is about; "" where none is.

    Args:
        text: of a fact, a paragraph, or whatever is to be shared.
    """
    for part in paragraphs(text):
        for sentence in _sentences(" ".join(part.split("\n"))):
            found = _topic(sentence)
            if found:
                return found
    return ""


def is_kept_quiet(text: str) -> bool:
    """Tell whether a paragraph says that it stays between those who speak: "off the record"."""
    return any(_topic(one) == CONFIDENCE for one in _sentences(" ".join(text.split("\n"))))


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs and items of a text, with the blank lines behind them; all of it, in order."""
    part: list[str] = []
    closed = False
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        item = bare[:2] in ("- ", "* ", "+ ") or (bare[:1].isdigit() and bare[1:3] in (". ", ") "))
        if part and bare and (closed or item):
            yield "".join(part)
            part = []
        closed = not bare
        part.append(line)
    if part:
        yield "".join(part)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph; an end is a mark with a blank behind it."""
    start = 0
    for at, char in enumerate(text):
        if char in _WIDE_ENDS or (char in _ENDS and text[at + 1 : at + 2] in ("", " ", "\t")):
            yield text[start : at + 1]
            start = at + 1
    yield text[start:]


def _topic(sentence: str) -> str:
    if not sentence or sentence.isspace():
        return ""
    if not sentence.isascii() and any("\u3040" <= char <= "\u9fff" for char in sentence):
        found = _by_signs(sentence)
        if found:
            return found
    words, capitals = _split(_without_code(sentence) if "`" in sentence else sentence)
    return _Judge(sentence, words, capitals).topic() if words else ""


class _Judge:
    """Judges one sentence.

    Args:
        sentence: as it stands there.
        words: of it, folded.
        capitals: whether each begins with a capital.
    """

    def __init__(self, sentence: str, words: list[str], capitals: list[bool]) -> None:
        tables = _tables()
        self._sentence, self._words, self._capitals = sentence, words, capitals
        self._bits = [tables.bits(word) for word in words]
        self._all = 0
        for bits in self._bits:
            self._all |= bits
        self._phrases = 0
        at = 0
        whole = f" {' '.join(words)} "
        bare = whole.replace("'", "")
        for word in bare.split():
            for phrase, kind in tables.phrases.get(word, ()):
                if bare.startswith(phrase, at) and not (
                    kind == _QUIET and bare.startswith(_ANDS, at + len(phrase))
                ):
                    self._phrases |= kind
            at += len(word) + 1

    def topic(self) -> str:
        """Return what it is about, "" for nothing of a person's."""
        has = self._all
        if self._phrases & _QUIET:
            return CONFIDENCE
        me = has & (_ME | _MY)
        named = has & _NAME and any(
            capital and bits & _NAME
            for capital, bits in zip(self._capitals, self._bits, strict=True)
        )
        told = has & _WHO and self._near(_WHO, _TELLS, _TOLD)
        somebody = named or told or has & (_THEY | _HUMAN) or self._near(_OUR, _THEIRS, _OWNED)
        nobody = not (me or somebody or has & (_THEIR | _JUDGED | _INTIMATE) or self._phrases)
        if nobody and (self._words[1:2] not in _STATES or has & _WORK):
            return ""
        work = has & _WORK or _code(self._sentence)
        ours = work and not (me or somebody)  # a word that programs have, too, is theirs there
        intimate = any(bits & _INTIMATE and not (ours and bits & _DOUBLE) for bits in self._bits)
        private = intimate or self._phrases & _SAID
        if (me and self._near(_MY, _THEIRS, _OWNED)) or (
            (somebody or not work) and self._near(_THEIR, _THEIRS, _OWNED)
        ):
            return OWN
        if not (me or somebody):
            maybe = (intimate or has & _JUDGED or not work) and self._may_be_named()
            return PRIVATE if private and (maybe or not work) else SOMEBODY if maybe else ""
        if private:
            return PRIVATE
        if has & _LIKES:
            return TASTE
        if (
            somebody
            and has & (_JUDGED | _EVER)
            and (has & _JUDGED or len(self._words) <= _SHORT_WORDS)
        ):
            return SOMEBODY
        if len(self._words) < _LEAST_WORDS:
            return ""
        if me:
            return "" if work and self._all_at_work() else SPEAKER
        if told or not (has & _OWNING or (named and work and not has & (_THEY | _HUMAN))):
            return SOMEBODY
        by = has & _OWNING or len(self._words) > _SHORT_WORDS or self._is_byline()
        return "" if by else SOMEBODY

    def _is_byline(self) -> bool:
        """Tell whether names say only whose a piece of work is: `by Ada`, `Ada's parser`."""
        for at, bits in enumerate(self._bits):
            if bits & _NAME and self._capitals[at]:
                near = (
                    self._bits[at + 2 : at + 2 + _VERB]
                    if self._words[at + 1 : at + 2] == ["s"]
                    else []
                )
                told = (
                    self._words[at - 1 : at] in _BY
                    or f"({self._words[at]}" in self._sentence.lower()
                )
                if not (told or any(one & _WORK for one in near)):
                    return False
        return True

    def _near(self, one: int, other: int, words: int) -> bool:
        """Tell whether a word of one table has one of another in the words behind it."""
        if not (self._all & one and self._all & other):
            return False
        left = 0
        for bits in self._bits:
            if left and bits & other:
                return True
            left = words if bits & one else left - 1 if left else 0
        return False

    def _all_at_work(self) -> bool:
        """Tell whether a speaker does, wherever they name themselves, something with the work."""
        words = _LATE_VERB if self._all & _GERMAN else _VERB
        for at, bits in enumerate(self._bits):
            if bits & _MY:
                near, wanted = self._bits[at + 1 : at + 1 + _VERB], _WORK | _DECIDING
            elif bits & _ME:
                near, wanted = self._bits[at : at + 1 + words], _DECIDING | _DOING
            else:
                continue
            if not any(one & wanted for one in near):
                return False
        return True

    def _may_be_named(self) -> bool:
        """Tell whether a word is written as a name is that nobody knows; German writes all nouns so."""
        german = self._all & _GERMAN
        for at, (word, bits) in enumerate(zip(self._words, self._bits, strict=True)):
            known = (
                bits & (_WORK | _PLACE | _INTIMATE | _LIKES) or len(word) < 3 or not word.isalpha()
            )
            first = not at and self._words[1:2] in _STATES
            if self._capitals[at] and not known and (first or (at and not german)):
                return True
        return False


def _without_code(sentence: str) -> str:
    """Return a sentence without its words of code: `my_id` is nobody's."""
    parts = sentence.split("`")
    return " ".join(
        [
            part
            for at, part in enumerate(parts)
            if at % 2 == 0 or " " in part or at == len(parts) - 1
        ]
    )


def _split(sentence: str) -> tuple[list[str], list[bool]]:
    """Return the words of a sentence, folded, and which of them begin with a capital."""
    words: list[str] = []
    capitals: list[bool] = []
    sentence = sentence.replace("’", "'").replace("\u02bc", "'")
    for term in sentence.split():
        bare = term.strip("\"'`()[]{}<>,;:.!?…*_~«»„“”–—-¿¡")
        if len(bare) > 1 and bare.isupper() and bare.isascii() and bare not in _NO_NAMES:
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
    return words, capitals


def _code(sentence: str) -> bool:
    """Tell whether something stands in a sentence as it does in code: a name, a path, an option."""
    for term in sentence.split():
        bare = term.strip("\"'(),;:.!?…*«»„“”")
        inner = bare[1:]
        if (
            "`" in term
            or "_" in inner
            or "/" in bare
            or "()" in bare
            or "::" in bare
            or "." in inner
            or bare[:2] == "--"
            or (
                bare.isascii()
                and bare.isalnum()
                and bare not in _NO_NAMES
                and (
                    (bare.isupper() and len(bare) > 1)
                    or (inner != inner.lower() and not inner.isupper())
                )
            )
        ):
            return True
    return False


def _by_signs(sentence: str) -> str:
    """Judge a sentence of a script without blanks."""
    signs = _tables().signs

    def has(name: str) -> bool:
        return any(one in said for one in signs[name])

    said = sentence
    if has("SIGNS_QUIET"):
        return CONFIDENCE
    for one in signs["SIGNS_WE"]:
        said = said.replace(one, "")
    me, named, work = has("SIGNS_ME"), has("SIGNS_THEY"), has("WORK") or _latin(said)
    if has("SIGNS"):
        return PRIVATE if me or named or not work else ""
    return "" if work else SPEAKER if me else SOMEBODY if named else ""


def _latin(text: str) -> bool:
    """Tell whether a name of a program stands in it."""
    plain = "".join([char if char.isascii() and char.isalpha() else " " for char in text])
    return any(len(word) > 2 for word in plain.split())
