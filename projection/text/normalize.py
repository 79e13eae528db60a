"""Reduce a text to its statements, each as the words that carry it, in a normal form.

"Webhooks are retried 3 times" and "Retry webhooks three times" have the same words. Without regular
expressions and libraries, because `diurna append` reads every new fact this way. Spellings alone are
compared by rapidfuzz, which costs 20 ms to load.

A fact is named by subject words of its project, so that its id tells nothing of what it says. An id stands
in footers, titles, addresses and other facts, and no redaction takes it out of a log (FORMAT.md, F9). So a
word of a text is in it only where the project has it for a name already.
"""

from __future__ import annotations

from ledger.model.ids import sha256
from ledger.model.record import TYPE_CHECKING, Record, cached
from projection.text.clipping import SHORTENED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Words that say nothing about what a fact is about.
SMALL = frozenset(
    "a an the this that these those it its they them their we our us you your i my he she his her "
    "of to in on at by for from with into onto over under via using through per as than then so "
    "and or but also too both either while where when which who whose what how why if "
    "is are was were be been being am do does did done doing has have had having get gets got "
    "getting will would shall should must may might can could need needs needed let lets "
    "use uses used using there here just only really very every each any all some such own "
    "about around approximately roughly new more still already again yet please always "
    "gets another other others one's e.g i.e etc respectively else".split()
)
#: Words that turn a statement round.
NEGATORS = frozenset(
    "not no never without none nothing nobody neither nor cannot avoid stop stopped".split()
)
#: Small numbers, as people write them in words.
_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
#: What stands between words.
_BLANKS = str.maketrans({**dict.fromkeys('`*"“”„()[]{}<>|~→', " "), "’": "'", "=": " is "})
_ENDS = ".,;:!?…'\"-–—"
_BREAKS = frozenset("but while whereas — – - instead unless except because".split())
_VOWELS, _LETTERS = "aeiouy", "abcdefghijklmnopqrstuvwxyz%"
#: How many words are remembered.
_MEMORY_WORDS = 50_000

#: A negator.
NOT = "@not"


class Word(Record):
    """A word that carries a statement."""

    form: str  #: its normal form; a value begins with `#`
    raw: str  #: as it was written
    clause: int  #: the number of its clause within the statement


class Statement(Record):
    """One sentence of a text."""

    words: tuple[Word, ...]  #: those that carry it, in order, without negators
    forms: tuple[str, ...]  #: their normal forms
    #: for each negator the number of words before it and its clause
    negated: tuple[tuple[int, int], ...]
    text: str  #: the sentence as it was written


def sentences(text: str) -> list[str]:
    """Cut a text into sentences and list items; code blocks are left out."""
    found: list[str] = []
    part: list[str] = []

    def close() -> None:
        if part:
            found.append(" ".join(part))
            part.clear()

    lines = text.split("\n")
    if "```" in text or "~~~" in text:
        from ledger.codec.outline_by_lines import prose_lines

        lines = prose_lines(text)
    for line in lines:
        line = line.strip()
        if not line or line[:2] in ("- ", "* ", "+ ") or line[0] == "|":
            close()
        for term in line.lstrip("-*+ ").split():
            part.append(term)
            bare = term.rstrip("*`\"')”_")
            if bare[-1:] in (".", ";", "!", "?") and bare.lower().rstrip(".") not in SHORTENED:
                close()
    close()
    return found


def statements(text: str) -> tuple[Statement, ...]:
    """Read the statements of a text; those without a word that carries anything are left out."""
    found = (statement(sentence) for sentence in sentences(text))
    return tuple([one for one in found if one.words])


def statement(sentence: str) -> Statement:
    """Read one sentence."""
    words: list[Word] = []
    negated: list[tuple[int, int]] = []
    clause = 0
    for raw, term, ends in _terms(sentence):
        if term == "instead" or term in _BREAKS:
            clause += 1
            if term == "instead":
                negated.append((len(words), clause))
        elif term in NEGATORS:
            negated.append((len(words), clause))
        else:
            for form in normal(term):
                if form == NOT:
                    negated.append((len(words), clause))
                else:
                    words.append(Word(form, raw, clause))
        if ends:
            clause += 1
    forms = tuple([word.form for word in words])
    return Statement(tuple(words), forms, tuple(negated), sentence)


def index_words(text: str) -> tuple[str, ...]:
    """Return the distinct words by which a text is found again, sorted; values are left out."""
    return tuple(sorted([form for form in content_words(text) if form[0] != "#"]))


def content_words(text: str) -> set[str]:
    """Return the distinct words that carry a text, with its values: by words alone, without phrases."""
    return {form for piece in text.lower().translate(_BLANKS).split() for form in _carrying(piece)}


@cached(_MEMORY_WORDS)
def _carrying(piece: str) -> tuple[str, ...]:
    """Return the normal forms of what stands between two blanks, in lower case, without negators."""
    terms = [term for _, term, _ in _terms(piece) if term not in NEGATORS and term != "instead"]
    return tuple([form for term in terms for form in normal(term) if form != NOT])


def plain(text: str) -> str:
    """Return a text without differences that mean nothing: case, marks, white space."""
    tokens = (term.strip(_ENDS + "_/") for term in text.lower().translate(_BLANKS).split())
    return " ".join([term for term in tokens if term])


def _terms(sentence: str) -> Iterator[tuple[str, str, bool]]:
    for piece in sentence.translate(_BLANKS).split():
        bare = piece.strip(_ENDS + "_") if piece[0] not in "./-" else piece.rstrip(_ENDS)
        ends = piece[-1] in ",;:" or piece in ("—", "–")
        if not bare:
            if ends:
                yield piece, piece, True
            continue
        low = bare.lower()
        if "-" in low[1:] and low[0] not in "./-" and not low.replace("-", "").isdigit():
            parts = [part for part in bare.split("-") if part]
            if any(part.isdigit() for part in parts[1:]):  # tutorial-10, utf-8: a name, no value
                yield bare, low, ends
                continue
            for part in parts[:-1]:
                yield part, part.lower(), False
            yield parts[-1], parts[-1].lower(), ends
        else:
            yield bare, low, ends


@cached(_MEMORY_WORDS)
def normal(term: str) -> tuple[str, ...]:
    """Return the normal forms of a word in lower case: none for a small one, several for `10s`."""
    if term in SMALL:
        return ()
    if term.endswith("n't") or term == "cannot":
        return (NOT,)
    if term.endswith("'s"):
        term = term[:-2]
    term = term.replace("'", "")
    if not term:
        return ()
    term = _NUMBERS.get(term, term)
    if not term.isascii() or any("0" <= char <= "9" for char in term):
        return _with_digits(term)
    if "_" in term or "/" in term or "." in term:
        return (term,)
    return (stem(term),)


def _with_digits(term: str) -> tuple[str, ...]:
    """Read a term that has digits: a value (`#3`), with the letters behind it (`10s`), or a name."""
    bare = term.strip("~+#,")
    value = bare.removeprefix("v").replace(",", "").replace("_", "")
    number = value.rstrip(_LETTERS)
    if (
        term[0] == "#"
        or not value.isascii()
        or not number.replace(".", "").replace(":", "").isdigit()
    ):
        return (bare,) if bare else ()
    unit = value[len(number) :]
    return (f"#{number}", unit) if unit else (f"#{number}",)


@cached(1 << 13)
def stem(word: str) -> str:
    """Take the endings of a word off, so that its inflections are one."""
    if len(word) <= 3:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes", "zes")):
        word = word[:-2]
    elif word[-1] == "s" and word[-2] not in "sui":
        word = word[:-1]
    if word.endswith("ly") and len(word) > 4:
        word = word[:-2]
    for ending in ("ment", "ing", "ion", "ed"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) > 2 and any(char in _VOWELS for char in rest):
            if ending == "ion" and rest[-1] not in "ts":
                continue
            word = rest
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in _VOWELS:
        word = word[:-1]
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == "y" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word


def ratio(one: str, two: str) -> float:
    """Return how alike two texts are spelled, 0 to 100."""
    from rapidfuzz import fuzz

    return fuzz.ratio(one, two)


def nearest(name: str, names: Sequence[str], count: int) -> tuple[str, ...]:
    """Return the names that are spelled nearly like one, best first; never that one itself."""
    from rapidfuzz import fuzz, process

    found = process.extract(name, names, scorer=fuzz.ratio, limit=count + 1, score_cutoff=70)
    near = [one for one, _, _ in found if one != name][:count]
    return tuple(sorted(near, key=lambda n: -fuzz.ratio(name, n)))


def meant(name: str, names: Sequence[str]) -> str:
    """Ask whether a name that is not there is one of those that are spelled nearly so; "" for none."""
    alike = nearest(name, names, 3)
    return f"did you mean {' or '.join(alike)}?" if alike else ""


def misspelled(word: str, words: Sequence[str], mistakes: int) -> list[tuple[str, int]]:
    """Return the words that at most so many mistakes turn a word into, with their number, best first.

    A mistake is a letter too many, missing or wrong, or two that changed places (optimal string
    alignment, Damerau 1964).
    """
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    found = process.extract(word, words, scorer=OSA.distance, limit=None, score_cutoff=mistakes)
    return sorted([(one, int(distance)) for one, distance, _ in found], key=lambda p: (p[1], p[0]))


def changes(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the steps from one sequence of words to another: from there to there become these to these.

    What stands between is common to both: their longest common subsequence (Hyyrö 2004), in a bit for each
    pair of words.
    """
    from rapidfuzz.distance import LCSseq

    numbers: dict[str, int] = {}
    one, other = (
        [numbers.setdefault(word, len(numbers)) for word in words] for words in (old, new)
    )
    steps = [step for step in LCSseq.opcodes(one, other) if step.tag != "equal"]
    return [(step.src_start, step.src_end, step.dest_start, step.dest_end) for step in steps]


#: So many words an id has at most, and at least where no other word stands behind them.
_MOST, _ENOUGH = 3, 2
_LEAST_CHARS, _MOST_CHARS = 3, 16
#: Letters as they are, all else as a blank.
_AS_LETTERS = b"%65b%b%6b%b%133b" % (b"", bytes(range(65, 91)), b"", bytes(range(97, 123)), b"")
_CONSONANTS, _VOICED, _SYLLABLES = "bdfgklmnprstvz", "aeiou", 3


def subject_words(names: str, text: str | None = None) -> dict[str, str]:
    """Return the words that names are made of, such as paths, tags and entities: normal form -> word.

    Each name is a line. With a `text` only those that it has: a repository has thousands of files.
    """
    if text is None:
        return {_form(word): word for word in _words(names)[::-1]}
    found: dict[str, str] = {}
    data = names.encode("utf-8", "replace") + b"\n"
    every = data.lower()  # of bytes, so that each stays in its place
    for form in map(_form, _words(text)):
        at = every.find(form.encode())
        while at >= 0 and form not in found:
            end = every.find(b"\n", at)
            line = data[every.rfind(b"\n", 0, at) + 1 : end].decode("utf-8", "replace")
            found.update([(form, one) for one in _words(line)[::-1] if _form(one) == form])
            at = every.find(form.encode(), end)
    return found


def id_of_subject(text: str, words: Mapping[str, str]) -> str:
    """Return an id for a text; the same text and words have the same.

    `words` is what `subject_words` found in its project.
    """
    told = dict.fromkeys(words[form] for word in _words(text) if (form := _form(word)) in words)
    named = list(told)[:_MOST]
    if len(named) < _ENOUGH:
        from ledger.secrets.scanner import without_secrets  # most texts name themselves

        named.append(_odd_word(without_secrets(text, homes=True)))
    return "-".join(named)


@cached(4096)  # a server reads the paths of its project before each id
def _words(text: str) -> tuple[str, ...]:
    """Cut a text, a path or a name in camel case into words that may stand in an id."""
    found: list[str] = []
    for part in text.encode("ascii", "replace").translate(_AS_LETTERS).decode().split():
        if not part[1:].islower():
            ends = [a.islower() and b.isupper() for a, b in zip(part, part[1:] + " ", strict=True)]
            part = "".join([char + " " * end for char, end in zip(part, ends, strict=True)])
        found += part.lower().split()
    return tuple(
        [
            one
            for one in found
            if _LEAST_CHARS <= len(one) <= _MOST_CHARS and one not in SMALL and one not in NEGATORS
        ]
    )


def _form(word: str) -> str:
    """Return what singular and plural have in common."""
    return word[:-1] if word[-1] == "s" and word[-2:] != "ss" and len(word) > _LEAST_CHARS else word


def _odd_word(text: str) -> str:
    """Return a word that can be spoken and means nothing; it tells as much as a version id does."""
    number = int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[8:16], "big")
    word = ""
    for _ in range(_SYLLABLES):
        number, consonant = divmod(number, len(_CONSONANTS))
        number, vowel = divmod(number, len(_VOICED))
        word += _CONSONANTS[consonant] + _VOICED[vowel]
    return word
