"""Find items by rules alone: always there, without a key, and nothing leaves the machine.

A person decides, corrects, prefers and leaves open in few words; what an agent says counts only where it
says that it decided, or lists what is open. What is only thought, asked, proposed, planned or quoted is
left out, and what an agent decided goes where the person denies it in the next turn. Pure functions of
what was said; the weights are whole numbers, so the same session gives the same items everywhere.
"""

from __future__ import annotations

from projection.policy.model import THREAD_KIND
from projection.text.sentences import plain_type
from projection.text.vocabulary import SMALL
from rituals.hosts.extraction import cues
from rituals.hosts.extraction.items import MOST_ITEMS, Item
from rituals.hosts.extraction.statements import Statement, announced, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rituals.hosts.transcripts.slices import Turn

_DECISION, _FACT, _PREFERENCE, _CONVENTION = "decision", "fact", "preference", "convention"
#: What a statement has to weigh to be a decision of a person.
_ENOUGH = 6
_LEAST_WORDS, _MOST_WORDS, _TEXT_CHARS, _SHORT_CHARS = 3, 60, 500, 60
#: A denial of so few words says only that, and what it is instead comes next.
_BARE_WORDS = 3
#: Words that say nothing by themselves.
_EMPTY = frozenset((*cues.OPENERS, *cues.FILLERS, "not", "it", "is", "that", "the"))
#: How much each weighs, by what it is that it says.
_SALIENCE = {_DECISION: 7, _FACT: 7, _PREFERENCE: 7, _CONVENTION: 8, THREAD_KIND: 5}
_CORRECTION = "correction"
#: A statement that begins so rather tells of something.
_REPORTING = frozenset("i i'm i'll i've it it's this that that's there they he she you".split())


def by_rules(turns: Sequence[Turn]) -> tuple[Item, ...]:
    """Return what was decided, corrected, preferred and left open, what weighs most first.

    Args:
        turns: of a slice, in order.
    """
    reader = _Reader()
    for turn in turns:
        if turn.text:
            reader.read(turn)
    found: dict[str, Item] = {}
    for item in (*reader.items, *reader.next):
        if len(item.text) <= _TEXT_CHARS:  # the end of a longer one may say that it does not hold
            found.setdefault(item.text.lower(), item)
    return tuple(sorted(found.values(), key=lambda item: -item.salience)[:MOST_ITEMS])


class _Reader:
    """Reads turn after turn."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        #: From where on the items are of the agent's last turn, and what it would do next.
        self._last = 0
        self.next: list[Item] = []
        #: Whether an agent spoke already, whether it offered a choice, and the words that it used.
        self._answers = self._offered = False
        self._told: set[str] = set()

    def read(self, turn: Turn) -> None:
        """Read one turn."""
        said = statements(turn.text)
        if turn.role == "user":
            self._user(said, turn.at)
            self._offered = False
            self._told = set()
        else:
            self._last = len(self.items)
            self._assistant(said, turn.at)
            self._answers = True
            for one in said:
                self._offered = self._offered or one.asks or cues.proposes(one.words) is not None
                self._told |= _telling(one.words)

    def _user(self, said: list[Statement], at: int) -> None:
        denied = approved = after = False
        mine: list[Item] = []
        for one in said:
            denies = self._answers and _denies(one)
            denied = denies or denied
            kind = self._kind(one, self._support(one, denied, denies, approved), denied)
            ends = after and _count(one.words) <= _BARE_WORDS + 1 and not _decided(one)
            if kind and not ends:  # what only ends a thought is no item of its own
                corrects = denied and kind != THREAD_KIND
                mine.append(_item(one, kind, at, (_CORRECTION,) if corrects else ()))
            after = bool(kind)
            denied = denies and _count(one.words) <= _BARE_WORDS  # what it is instead comes next
            approved = approved or one.opener == cues.AGREE
        if said and self._answers and said[0].opener == cues.DENY:
            self.items[self._last :] = [
                one for one in self.items[self._last :] if one.kind == THREAD_KIND
            ]
        self.items += mine
        self._last = len(self.items)

    def _support(self, one: Statement, denied: bool, denies: bool, approved: bool) -> int:
        """Weigh what stands around a statement, and how it begins."""
        if not self._answers:
            return -4
        weight = 2 + 3 * denied + 2 * denies + 2 * self._offered + approved
        weight += (one.opener == cues.AGREE) + 2 * (not self._told.isdisjoint(_telling(one.words)))
        return weight

    def _kind(self, one: Statement, support: int, denied: bool) -> str:
        """Return the kind of fact that a person states, "" for none."""
        words, head = one.words, _head(one.words)
        count = _count(words)
        decided = _decided(one)
        if one.asks or cues.cancels(words) or not (_LEAST_WORDS <= count <= _MOST_WORDS or decided):
            return ""
        if count >= _LEAST_WORDS and (one.under == cues.OPEN or _leaves(one, head, decided)):
            return THREAD_KIND
        prefers = cues.prefers(words) is not None and (denied or not cues.happened(words))
        if cues.hearsay(words) or (cues.hedges(words) and not prefers):
            return ""
        styled = cues.conventions(words) is not None
        if prefers or ("from now on" in words and (styled or head in cues.WORKING_VERBS)):
            return _CONVENTION if styled and not _is_personal(words) else _PREFERENCE
        if decided:
            return _DECISION
        sets, weight = _weight(words, head, denied)
        chooses = self._offered and not one.place and head.removesuffix("s") in self._told
        weight += 2 * chooses
        told = count > _LEAST_WORDS or chooses or (denied and _has_value(words))
        if not weight or not told or weight + support < _ENOUGH:
            return ""
        if styled:
            return _CONVENTION
        return _FACT if denied and not sets else _DECISION

    def _assistant(self, said: list[Statement], at: int) -> None:
        self.next = []
        for one in said:
            words = one.words
            if (one.asks and one.under != cues.OPEN) or not _LEAST_WORDS <= len(
                words.split()
            ) <= _MOST_WORDS:
                continue
            if one.under == cues.OPEN:
                self.items.append(_item(one, THREAD_KIND, at))
            elif one.under == cues.NEXT or cues.unfinished(words):
                self.next.append(_item(one, THREAD_KIND, at))
            elif _chose(one):
                self.items.append(_item(one, _DECISION, at))


def _leaves(one: Statement, head: str, decided: bool) -> bool:
    """Tell whether a statement leaves something open."""
    if cues.leaves(one.words):
        return True
    own = decided or head in _REPORTING or cues.hedges(one.words)
    return not own and cues.someday(one.words) is not None


def _chose(one: Statement) -> bool:
    """Tell whether an agent says that it decided, before it says anything else."""
    chosen, proposed = cues.chose(one.words), cues.proposes(one.words)
    if chosen and proposed:
        return chosen.start() <= proposed.start()
    return not proposed and (chosen is not None or one.under == cues.DECIDED)


def _denies(one: Statement) -> bool:
    """Tell whether a statement denies what was said before it."""
    words = one.words
    return one.opener == cues.DENY or bool(cues.denies(words) or cues.puts_right(words))


def _count(words: str) -> int:
    """Return how many words of a statement say something."""
    return len([word for word in words.split() if word not in _EMPTY])


def _telling(words: str) -> set[str]:
    """Return the words by which one knows what a statement is about."""
    return {
        word.removesuffix("s")
        for word in words.split()
        if (len(word) > 3 or word[-1].isdigit()) and word not in SMALL and word not in _EMPTY
    }


def _decided(one: Statement) -> bool:
    """Tell whether a statement says by itself that something is decided."""
    words = one.words
    if one.under == cues.DECIDED or cues.decided(words) or cues.decides(words):
        return True
    found = cues.together(words)
    if found and found[1] not in cues.WORK_VERBS and found[1] not in cues.LATER_VERBS:
        return True
    return len(words) < _SHORT_CHARS and words.endswith((" it is ", " it is then ", " then "))


def _weight(words: str, head: str, denied: bool) -> tuple[bool, int]:
    """Tell whether a statement says how it is to be, and weigh what it says."""
    found = cues.usual(words)
    usual = cues.settled(words) or (
        found and found[1] not in cues.NOT_USUAL and not found[1].endswith("ed")
    )
    sets = 4 * bool(usual) + 4 * bool(cues.demands(words)) + 4 * (head in cues.SETTING_VERBS)
    weight = sets + 3 * bool(cues.contrasts(words)) + 2 * bool(cues.limits(words))
    weight += 2 * bool(cues.states(words)) + 2 * _has_value(words) + 2 * bool(cues.reasons(words))
    if cues.reports(words):
        weight -= 4
    if cues.happened(words) and not denied:
        weight -= 3
    if head in _REPORTING:
        weight -= 2
    if head in cues.TASK_VERBS:
        weight -= 3
    return sets > 0, max(weight, 0)


def _has_value(words: str) -> bool:
    """Tell whether a statement names a number, or something by its name in code."""
    return any(word[-1].isdigit() or "_" in word or word[0].isdigit() for word in words.split())


def _head(words: str) -> str:
    """Return the first word that is neither an opener nor a filler."""
    for word in words.split():
        if word not in cues.OPENERS and word not in cues.FILLERS:
            return word
    return ""


def _is_personal(words: str) -> bool:
    return " i " in words or " i'd " in words or " please " in words


def _item(one: Statement, kind: str, at: int, tags: tuple[str, ...] = ()) -> Item:
    quote = " ".join(one.text.split())
    return Item(kind, _told(quote), quote, _SALIENCE[kind] + len(tags), tags=tags, at=at)


def _told(quote: str) -> str:
    """Return a quote as a text that stands alone: without words that say nothing in front of it.

    What denies or agrees stays: it may be what the sentence says ("No trust boundary hangs off this").
    """
    words = quote.split(" ")
    while len(words) > _LEAST_WORDS and words[0].lower().strip(".,;:!-–—") in cues.FILLERS:
        del words[0]
    text = plain_type(" ".join(words))
    label, _, rest = text.partition(": ")
    if rest and (announced(label) == cues.DECIDED or label.lower() == "todo"):
        text = rest  # the kind says the label
    return text[:1].upper() + text[1:]
