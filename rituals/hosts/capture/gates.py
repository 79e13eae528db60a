"""Keep out of captured logs what others may not read: what is about a person, and what was withheld.

Whatever becomes a log of a session goes through here. A text is closed out where one of its sentences is
about a person, or says again what the user's own home has: the brief tells that to agents, and they
repeat it. What is about the person alone goes into their own home, where there is one. What of sessions
is kept at all, a policy says; one of former times means what it meant until its user was told.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property

from ledger.errors import DiurnaError
from ledger.home import IN_TREE, personal_home
from ledger.secrets.match import apart
from ledger.secrets.person_statements import about_person, paragraphs
from ledger.secrets.personal_data import find_personal
from ledger.secrets.scanner import redacted
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.user_key import state_folder
from memory.api import Memory
from memory.redaction.withheld_lines import Telling, telling_of
from memory.write.draft import Occasion
from memory.write.near_facts import said_already
from memory.write.personal_guard import is_own
from projection.policy.model import ASK, DIGEST, FORMERLY, OFF, SAID, TOLD, Policy
from projection.text.normalize import index_words, sentences
from rituals.hosts.capture.composition import Part, draft_of_part, storable
from rituals.hosts.observed.observation_spool import Observation
from rituals.hosts.quoted_items import Item
from rituals.hosts.transcripts.slices import Slice, Turn
from rituals.record.draft_composer import taken_in, words_for

#: A paragraph that has these is the work's without them.
_HARMLESS = ("home-path", "email")


class Gates:
    """The gates of one home."""

    def __init__(self, memory: Memory, policy: Policy) -> None:
        self._memory = memory
        #: None in the user's own home, which takes what is about them.
        self._person = None if is_own(memory.home, policy) else PersonalGate(own_texts())

    def opened(self, texts: Sequence[str]) -> tuple[list[str], int]:
        """Return texts, "" for those that others may not read, and how many are about a person.

        A paragraph, heading or title that is closed in part is closed: the rest may need it.
        """
        telling = self._telling
        said = ["" if telling is not None and telling.repeats(one) else one for one in texts]
        if self._person is None:
            return said, 0
        kept, closed = self._person.open_paragraphs(said)
        whole = [one if one == text else "" for one, text in zip(kept, said, strict=True)]
        return [_without_data(one) if one else "" for one in whole], closed

    def told(self, said: Slice) -> Slice:
        """Return what was said as others may read it: a model is told no more."""
        return said if self._person is None else self._person.open_slice(said)

    def observations(self, observations: tuple[Observation, ...]) -> tuple[Observation, ...]:
        """Return the observations that others may read."""
        if self._person is None:
            return observations
        closed = self._person.closes_observation
        return tuple([one for one in observations if not closed(one)])

    def items(self, items: Sequence[Item], said: Slice | None) -> tuple[Item, ...]:
        """Return items, each with whether it is about a person, without those that were withheld."""
        telling = self._telling
        found = [one for one in items if telling is None or not telling.repeats(one.text)]
        if self._person is None:
            return tuple([one._replace(personal=False) for one in found])
        turns, closes = said.turns if said else (), self._person.closes_item
        return tuple([one._replace(personal=closes(one, turns)) for one in found])

    @cached_property
    def _telling(self) -> Telling | None:
        """The lines that must be nowhere."""
        home = self._memory.home
        return self._memory.ask(lambda cache: telling_of(home, cache))


def _without_data(text: str) -> str:
    """Return a text without home folders and addresses of e-mail; "" where it has a number of a person."""
    found = apart(find_personal(text))
    if any(one.rule not in _HARMLESS for one in found):
        return ""
    return redacted(text, found) if found else text


#: Of a fact's words so many of 100, and so many at least, are in a sentence that says it again.
_NEARLY, _LEAST_WORDS = 70, 2


class PersonalGate:
    """Tells what may not be recorded where others read it.

    Args:
        own: what the user's own home has.
    """

    def __init__(self, own: Iterable[str] = ()) -> None:
        self._sizes: list[int] = []
        self._places: dict[str, list[int]] = {}
        for text in own:
            for sentence in sentences(text):
                words = frozenset(index_words(sentence))
                if len(words) >= _LEAST_WORDS:
                    for word in words:
                        self._places.setdefault(word, []).append(len(self._sizes))
                    self._sizes.append(len(words))

    def closes(self, text: str) -> bool:
        """Tell whether a text has to stay out."""
        return about_person(text) != "" or self._repeats(text)

    def closes_item(self, item: Item, turns: Sequence[Turn] = ()) -> bool:
        """Tell whether a fact has to stay out: by its own words, or by the sentence it was found in."""
        said = (item.text, item.quote, item.entity, *item.tags, item.obsolete_when)
        if item.personal or any(self.closes(one) for one in said if one):
            return True
        around = (_around(turn.text, item.quote) for turn in turns if turn.at == item.at)
        return any(self.closes(one) for one in around)

    def closes_observation(self, one: Observation) -> bool:
        """Tell whether what was observed has to stay out; what a line begins with is no sentence."""
        return self.closes(one.what) or self.closes(one.what.partition(": ")[2])

    def open_paragraphs(self, texts: Iterable[str]) -> tuple[list[str], int]:
        """Return texts without the paragraphs that have to stay out, and how many those were.

        Each text, whole or a paragraph, keeps its place; one that is closed whole is "".
        """
        kept: list[str] = []
        left_out = 0
        for text in texts:
            parts = list(paragraphs(text))
            open_parts = [part for part in parts if not self.closes(part)]
            left_out += len(parts) - len(open_parts)
            kept.append(text if len(open_parts) == len(parts) else "".join(open_parts))
        return kept, left_out

    def open_slice(self, said: Slice) -> Slice:
        """Return what was said as others may read it: a model is told no more."""
        texts, _ = self.open_paragraphs([turn.text for turn in said.turns])
        turns = zip(said.turns, texts, strict=True)
        return said._replace(turns=tuple([turn._replace(text=text) for turn, text in turns]))

    def _repeats(self, text: str) -> bool:
        """Tell whether a sentence says again what the user's own home has, in nearly the same words."""
        if not self._sizes:
            return False
        for sentence in sentences(text):
            shared: dict[int, int] = {}
            for word in set(index_words(sentence)):
                for place in self._places.get(word, ()):
                    shared[place] = shared.get(place, 0) + 1
            if any(
                count >= _LEAST_WORDS and 100 * count >= _NEARLY * self._sizes[place]
                for place, count in shared.items()
            ):
                return True
        return False


def own_texts() -> tuple[str, ...]:
    """Return what the user's own home has; nothing where there is none that can be read."""
    from memory.api import Memory

    try:
        home = personal_home()
        if home is None:
            return ()
        state = Memory(home, in_process=False).state()
        facts = [one.fact for one in state.standings() if not one.fact.redacted]
        return tuple([head.text for fact in facts for head in fact.heads])
    except (DiurnaError, OSError):
        return ()


def _around(text: str, quote: str) -> str:
    """Return the line of a turn that a quote is found in, white space apart; "" where none has it."""
    for part in paragraphs(text):
        plain = " ".join(part.split())
        at = plain.find(quote)
        if at >= 0:
            start = max([plain.rfind(mark, 0, at + 1) for mark in (". ", "! ", "? ")])
            ends = [plain.find(mark, at + len(quote) - 1) for mark in (". ", "! ", "? ")]
            return plain[start + 1 : min([end + 1 for end in ends if end >= 0], default=len(plain))]
    return ""


def record_own(part: Part, items: Iterable[Item], now: Occasion, *, dry_run: bool = False) -> int:
    """Record items that are about the person; what their home says already is passed over.

    Of `part` its host, session and extractor are told.

    Returns:
        How many of them their home has now; none where there is no home that takes them.
    """
    try:
        home = personal_home()
        if home is None:
            return 0
        own = Memory(
            home, clock=lambda: now.now_ms, identity=lambda: now.identity, in_process=False
        )
        policy = own.policy
        if not is_own(home, policy) or policy.capture.keep == OFF or policy.capture.approve == ASK:
            return 0
        taken = 0
        for item in storable(items):
            bare = Part(part.host, part.session, part.extractor, None, None, (), (), (item,))
            draft = draft_of_part(bare, policy.capture.trust, taken_in(own), words_for(own))
            known = own.cache().some_histories(draft.made)
            if not (known or said_already(own.snapshot, item.text)):
                own.hold(draft, dry_run=dry_run)
            taken += 1
        return taken
    except (DiurnaError, OSError):
        return 0  # what a session says of the project is recorded all the same


#: Its presence says that the user was told, in the folder where programs keep what is theirs.
_FILE = "diurna/informed"


def kept_by(policy: Policy, kind: str, *, informed: bool = False) -> str:
    """Return what of a session is kept: `TOLD`, `DIGEST`, `OFF`; `FORMERLY` for what was observed alone.

    In-tree logs are read by everybody who reads the code; `informed`: the user saw what is going to be
    told.
    """
    keep = policy.capture.keep or (FORMERLY if kind == IN_TREE else DIGEST)
    return TOLD if keep == FORMERLY and (informed or is_informed()) else keep


def makes_facts(policy: Policy) -> bool:
    """Tell whether facts come in that nobody looked at: what a person asks for, what a model finds."""
    return policy.capture.facts == SAID and policy.capture.approve != ASK


def is_informed() -> bool:
    """Tell whether the user was told what captured logs tell."""
    folder = state_folder()
    return bool(folder) and os.path.exists(f"{folder}/{_FILE}")


def note_informed() -> None:
    """Note that the user was told; a disk that refuses is no reason to fail."""
    folder = state_folder()
    try:
        if folder:
            make_folder(f"{folder}/diurna")
            replace_file(f"{folder}/{_FILE}", b"", 0o600)
    except (DiurnaError, OSError):
        pass
