"""Keep out of captured logs what others may not read: what a person typed, and what was withheld.

Whatever becomes a log of a session goes through here. No machine quotes a person: a sentence that repeats
what they typed in the session, or what their own home has, stays out. What a model calls personal goes
into their own home, where there is one. What of sessions is kept at all, a policy says; one of former
times means what it meant until its user was told.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property

from ledger.errors import DiurnaError
from ledger.home import IN_TREE, personal_home
from ledger.secrets.scanner import find_home_folders, find_secrets, redacted
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.user_key import state_folder
from memory import Memory, Withheld, is_own, withheld_of
from projection.policy.model import ASK, FORMERLY, SAID, TOLD, Policy
from rituals.hosts.capture.typed_words import TypedWords
from rituals.hosts.extraction import Item


class Gates:
    """The gates of one home.

    Args:
        memory: of the home.
        typed: gives what the person typed in the session, whole, and the runs of what no file has.
    """

    def __init__(self, memory: Memory, typed: Callable[[], tuple[list[str], list[str]]]) -> None:
        self._memory, self._typed, policy = memory, typed, memory.policy
        #: The user's own home takes what they typed, and what is about them.
        self._own, self._asks = is_own(memory.home, policy), policy.capture.asks
        self.left_out: set[str] = set()  #: sentences that repeat what was typed

    def open(self, text: str) -> str:
        """Return a text as others may read it, "" where nothing is left.

        That is without home folders, and without the sentences that repeat a person.
        """
        if self._is_withheld(text):
            return ""
        if self._own:
            return text
        kept, lost = self._words.without(text)
        self.left_out.update(lost)
        return redacted(kept, tuple(find_home_folders(kept)))

    def may_be_told(self, ask: str) -> bool:
        """Tell whether what a person asked for has no secret, and nothing that was withheld."""
        return not (self._is_withheld(ask) or find_secrets(ask))

    def shared(self, title: str, prose: str) -> tuple[str, str]:
        """Return the title and the prose of a log, put together, as others may read them."""
        if self._own:
            return title, prose
        kept, lost = self._words.without(prose, asks=True)
        self.left_out.update(lost)
        named = self._asks or not self._words.repeats(title)  # it may be what they asked for
        return title if named else "", kept

    def items(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Return items without those that were withheld, or say again what a person typed."""
        found: list[Item] = []
        for one in items:
            said = "\n".join((one.text, one.entity, *one.tags, one.obsolete_when))
            if self._own:
                one = one._replace(personal=False)
            elif self._words.repeats(said):
                continue
            elif self._words.repeats(one.quote):
                one = one._replace(quote="")
            if not self._is_withheld(one.text):
                found.append(one)
        return tuple(found)

    @cached_property
    def _words(self) -> TypedWords:
        texts, hidden = self._typed()
        return TypedWords([*texts, *own_texts()], hidden)

    def _is_withheld(self, text: str) -> bool:
        """Tell whether a text repeats a line that must be nowhere."""
        return self._telling is not None and self._telling.repeats(text)

    @cached_property
    def _telling(self) -> Withheld | None:
        """The lines that must be nowhere."""
        home = self._memory.home
        return self._memory.ask(lambda cache: withheld_of(home, cache))


def own_texts() -> tuple[str, ...]:
    """Return what the user's own home has; nothing where there is none that can be read."""
    try:
        home = personal_home()
        if home is None:
            return ()
        state = Memory(home, lasting=False).state()
        facts = [one.fact for one in state.standings() if not one.fact.redacted]
        return tuple([head.text for fact in facts for head in fact.heads])
    except (DiurnaError, OSError):
        return ()


#: Its presence says that the user was told, in the folder where programs keep what is theirs.
_FILE = "diurna/informed"


def kept_by(policy: Policy, kind: str, *, informed: bool = False) -> str:
    """Return what of a session is kept: `TOLD`, `OFF`; `FORMERLY` for what was observed alone.

    In-tree logs are read by everybody who reads the code; `informed`: the user saw what is going to be
    told.
    """
    keep = policy.capture.keep or (FORMERLY if kind == IN_TREE else TOLD)
    return TOLD if keep == FORMERLY and (informed or is_informed()) else keep


def makes_facts(policy: Policy) -> bool:
    """Tell whether facts come in that nobody looked at: what a person asks for, what a model finds."""
    return policy.capture.facts == SAID and policy.capture.approve != ASK


def is_informed() -> bool:
    """Tell whether the user was told what captured logs tell."""
    return os.path.exists(f"{state_folder()}/{_FILE}")


def note_informed() -> None:
    """Note that the user was told; a disk that refuses is no reason to fail."""
    folder = state_folder()
    try:
        if folder:
            make_folder(f"{folder}/diurna")
            replace_file(f"{folder}/{_FILE}", b"", 0o600)
    except (DiurnaError, OSError):
        pass
