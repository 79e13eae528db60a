"""Tell whether a sentence is about a person, and not about the work, in several languages.

Memory that others share holds nothing of anybody's health, family, pay, plans, place or taste, no
judgement of somebody, and nothing that was said between two people. What a speaker says of themselves,
and what is said of somebody who is named, is personal unless it is plainly about the work: what is
shared is to be right, and need not be all that could be. No text takes more than linear time.
"""

from __future__ import annotations

from ledger.secrets.person_tables import (  # isort: skip
    DECIDING, DOING, DOUBLE, EVER, GERMAN, HUMAN, INTIMATE, JUDGED, KIN, LIKES, ME, MY, NAME, NO_NAMES,
    OUR, OWNING, PART_CHARS, PLACE, QUIET, SAID, TELLS, THEIR, THEIRS, THEY, WHO, WISH, WORK,
    split_words, tables,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: What a sentence is about that concerns a person.
CONFIDENCE, OWN, PRIVATE, TASTE, SOMEBODY, SPEAKER = (
    "what is kept between two", "what is somebody's own", "private life", "taste", "somebody else",
    "the speaker",
)  # fmt: skip
_ENDS, _WIDE_ENDS = ".!?…", "。\uff01\uff1f\uff1b"
#: So far behind the word for whose it is stands what it is, and behind who is told of what they said.
_OWNED, _TOLD = 3, 2
#: A shorter one says nothing of anybody by itself.
_LEAST_WORDS = 3
#: In a longer sentence such words are said of the work.
_SHORT_WORDS = 16
#: Between us and somebody else nothing is kept.
_ANDS = ("and ", "und ", "et ", "y ", "e ", "и ")
#: What comes behind a name that begins a sentence.
_STATES = [[word] for word in "is was has had est es esta foi tem ist hat hatte war wird".split()]
#: With these before it a word for a user is any of them; and `mes` is a month.
_ANY = frozenset("an each every any ein jeder kein un una chaque cada um uma каждый".split())
_MONTH = frozenset("por al del el este cada un".split())
#: Behind a German verb whose speaker is left out.
_LEFT_OUT = frozenset(
    "im mit bei seit gerade grad heute jetzt nicht auf noch schon mich mir".split()
)
_MODAL = ("kann", "muss", "darf", "will")
_OF = frozenset("de d da do del von di".split())
#: Of whoever asks to be spoken to in some way, and not of what they want to be made.
_THAT = frozenset("that we dass wir que qu on nous что чтобы".split())
_YOU = frozenset(
    "you your yours du dir dich deine tu te toi ton tes vous ti usted voce ты тебя вы".split()
)
_BY = [[word] for word in "by per with von par por от".split()]
#: So far behind a speaker stands what they do; in German it may come last.
_VERB, _LATE_VERB = 4, 12


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
    words, capitals = split_words(_without_code(sentence) if "`" in sentence else sentence)
    return _Judge(sentence, words, capitals).topic() if words else ""


class _Judge:
    """Judges one sentence.

    Args:
        sentence: as it stands there.
        words: of it, folded.
        capitals: whether each begins with a capital.
    """

    def __init__(self, sentence: str, words: list[str], capitals: list[bool]) -> None:
        known = tables()
        self._sentence, self._words, self._capitals = sentence, words, capitals
        self._bits = [known.bits(word) for word in words]
        self._all = 0
        for bits in self._bits:
            self._all |= bits
        for at in range(1, len(words)):
            if words[at] == "mes" and words[at - 1] in _MONTH:
                self._bits[at] &= ~MY
            elif words[at - 1] in _ANY:
                self._bits[at] &= ~(WHO | HUMAN)  # a role that many have
            elif words[at] == "will" and not self._all & GERMAN:
                self._bits[at] = 0
        for at in range(min(2, len(words))):
            if self._bits[at] & WHO and any(
                bits & (TELLS | WISH) for bits in self._bits[at + 1 : at + 1 + _TOLD]
            ):
                self._bits[at] &= ~WORK  # who speaks, and nobody of the product's
        self._all = 0
        for bits in self._bits:
            self._all |= bits
        self._phrases = 0
        at = 0
        whole = f" {' '.join(words)} "
        bare = whole.replace("'", "")
        for word in bare.split():
            for phrase, kind in known.phrases.get(word, ()):
                if bare.startswith(phrase, at) and not (
                    kind == QUIET and bare.startswith(_ANDS, at + len(phrase))
                ):
                    self._phrases |= kind
            at += len(word) + 1

    def topic(self) -> str:
        """Return what it is about, "" for nothing of a person's."""
        has = self._all
        if self._phrases & QUIET:
            return CONFIDENCE
        me = has & (ME | MY)
        named = has & NAME and any(
            capital and bits & NAME
            for capital, bits in zip(self._capitals, self._bits, strict=True)
        )
        told = has & WHO and (
            self._near(WHO, TELLS, _TOLD) or (not has & WORK and self._near(WHO, WISH, _TOLD))
        )
        somebody = (
            named or told or has & (THEY | HUMAN) or self._near(OUR, THEIRS, _OWNED)
            or self._whose()
        )  # fmt: skip
        work = has & WORK or _code(self._sentence)
        me = me or ((has & INTIMATE or not work) and self._leaves_out())
        if not (me or somebody or has & (THEIR | JUDGED | INTIMATE) or self._phrases):
            if self._words[1:2] not in _STATES or has & WORK:
                return ""
        # a word that programs have, too, is theirs where nobody is told of
        ours = work and not somebody and (not me or self._all_at_work(DOING))
        intimate = any(bits & INTIMATE and not (ours and bits & DOUBLE) for bits in self._bits)
        private = intimate or self._phrases & SAID
        if (me and self._near(MY, THEIRS, _OWNED)) or (
            (somebody or not work) and self._near(THEIR, THEIRS, _OWNED)
        ):
            return OWN
        if not (me or somebody):
            maybe = (intimate or has & JUDGED or not work) and self._may_be_named()
            return PRIVATE if private and (maybe or not work) else SOMEBODY if maybe else ""
        if private:
            return PRIVATE
        if has & LIKES:
            return "" if work and self._of_the_work() else TASTE
        if (
            somebody
            and has & (JUDGED | EVER)
            and (has & JUDGED or len(self._words) <= _SHORT_WORDS)
        ):
            return SOMEBODY
        if len(self._words) < _LEAST_WORDS:
            return ""
        if me:
            return "" if work and self._all_at_work(DECIDING | DOING) else SPEAKER
        if told or not ((work and has & OWNING) or (named and work and not has & (THEY | HUMAN))):
            return SOMEBODY
        by = has & OWNING or len(self._words) > _SHORT_WORDS or self._is_byline()
        return "" if by else SOMEBODY

    def _is_byline(self) -> bool:
        """Tell whether names say only whose a piece of work is: `by Ada`, `Ada's parser`."""
        for at, bits in enumerate(self._bits):
            if bits & NAME and self._capitals[at]:
                near = (
                    self._bits[at + 2 : at + 2 + _VERB]
                    if self._words[at + 1 : at + 2] == ["s"]
                    else []
                )
                told = (
                    self._words[at - 1 : at] in _BY
                    or f"({self._words[at]}" in self._sentence.lower()
                )
                if not (told or any(one & WORK for one in near)):
                    return False
        return True

    def _near(self, one: int, other: int, words: int) -> bool:
        """Tell whether a word of one table has one of another in the words behind it."""
        if not (self._all & one and self._all & other):
            return False
        left = 0
        for bits in self._bits:
            if left and bits & other and not (other == THEIRS and one == OUR and bits & WORK):
                return True
            left = words if bits & one else left - 1 if left else 0
        return False

    def _whose(self) -> bool:
        """Tell whether somebody of a family is somebody's: `Ada's mother`, `la madre de Ada`."""
        words, bits, capitals = self._words, self._bits, self._capitals
        for at in range(len(words) - 1):
            if bits[at] & KIN and (
                (words[at + 1] in _OF and self._is_name(at + 2))
                or (not (self._all & GERMAN or bits[at] & DOUBLE) and self._is_name(at + 1))
            ):
                return True
            genitive = words[at + 1] == "s" or words[at].endswith("s")
            if capitals[at] and genitive and not bits[at] & WORK:
                near = bits[at + 1] | (bits[at + 2] if at + 2 < len(bits) else 0)
                if near & KIN and not near & (DOUBLE | WORK):
                    return True
        return False

    def _is_name(self, at: int) -> bool:
        """Tell whether a word of a sentence is written as a name, and is none of the work."""
        return at < len(self._words) and self._capitals[at] and not self._bits[at] & (WORK | PLACE)

    def _leaves_out(self) -> bool:
        """Tell whether a verb says by its form that it is the speaker's, as German and Portuguese do."""
        words = self._words
        first = words[0].endswith("e") or words[0] in _MODAL
        if first and not _LEFT_OUT.isdisjoint(words[1:2]):
            return True
        return not self._all & GERMAN and any(
            word.endswith("ei") and len(word) >= PART_CHARS for word in words
        )

    def _of_the_work(self) -> bool:
        """Tell whether what somebody would rather have is of the work, and no way to talk to them."""
        speaking = sum([1 for bits in self._bits if bits & (ME | MY)])
        if speaking > 1 or self._all & (THEY | HUMAN | NAME) or not _YOU.isdisjoint(self._words):
            return False
        return any(
            bits & LIKES and word in _THAT
            for bits, word in zip(self._bits, self._words[1:], strict=False)
        )

    def _all_at_work(self, doing: int) -> bool:
        """Tell whether a speaker does, wherever they name themselves, something with the work."""
        words = _LATE_VERB if self._all & GERMAN else _VERB
        for at, bits in enumerate(self._bits):
            if bits & MY:
                near, wanted = self._bits[at + 1 : at + 1 + _VERB], WORK | DECIDING
            elif bits & ME:
                near, wanted = self._bits[at : at + 1 + words], doing
            else:
                continue
            if not any(one & wanted for one in near):
                return False
        return True

    def _may_be_named(self) -> bool:
        """Tell whether a word is written as a name is that nobody knows; German writes all nouns so."""
        german = self._all & GERMAN
        for at, (word, bits) in enumerate(zip(self._words, self._bits, strict=True)):
            known = (
                bits & (WORK | PLACE | INTIMATE | LIKES | OWNING | DOING | DECIDING)
                or len(word) < 3
                or not word.isalpha()
                or word.upper() in NO_NAMES
            )
            first = not at and (self._words[1:2] in _STATES or self._all & JUDGED)
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
                and bare not in NO_NAMES
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
    signs = tables().signs

    def has(name: str) -> bool:
        return any(one in said for one in signs[name])

    said = sentence
    if has("SIGNS_QUIET"):
        return CONFIDENCE
    for one in signs["SIGNS_WE"]:
        said = said.replace(one, "")
    me, work = has("SIGNS_ME"), has("WORK") or _latin(said)
    named = has("SIGNS_THEY") or any(
        said[at - 1] in signs["SIGNS_CALLED"][0] and said[at] in signs["SIGNS_CALLED"][1]
        for at in range(1, len(said))
    )
    if has("SIGNS"):
        return PRIVATE if me or named or not work else ""
    return "" if work else SPEAKER if me else SOMEBODY if named else ""


def _latin(text: str) -> bool:
    """Tell whether a name of a program stands in it."""
    plain = "".join([char if char.isascii() and char.isalpha() else " " for char in text])
    return any(len(word) > 2 for word in plain.split())
