"""Keep out of captured logs what others may not read: what is about a person, and what was withheld."""

from __future__ import annotations

from ledger.secrets.match import apart
from ledger.secrets.personal_data import find_personal
from ledger.secrets.scanner import redacted
from memory.redaction.withheld_lines import telling_of
from memory.write.personal_guard import is_own
from rituals.hosts.capture.personal_gate import PersonalGate, own_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.api import Memory
    from memory.redaction.withheld_lines import Telling
    from projection.policy.model import Policy
    from rituals.hosts.extraction.extracted_items import Item
    from rituals.hosts.observed.observation_spool import Observation
    from rituals.hosts.transcripts.slices import Slice

#: A paragraph that has these is the work's without them.
_HARMLESS = ("home-path", "email")


class Gates:
    """The gates of one home.

    Args:
        memory: the home, open.
        policy: of it.
    """

    def __init__(self, memory: Memory, policy: Policy) -> None:
        self._memory = memory
        #: None in the user's own home, which takes what is about them.
        self._person = None if is_own(memory.home, policy) else PersonalGate(own_texts())
        self._withheld: list[Telling | None] = []

    def opened(self, texts: Sequence[str]) -> tuple[list[str], int]:
        """Return texts, "" for those that others may not read, and how many are about a person.

        A paragraph, heading or title that is closed in part is closed: the rest may need it.
        """
        telling = self._telling()
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
        telling = self._telling()
        found = [one for one in items if telling is None or not telling.repeats(one.text)]
        if self._person is None:
            return tuple([one._replace(personal=False) for one in found])
        turns, closes = said.turns if said else (), self._person.closes_item
        return tuple([one._replace(personal=closes(one, turns)) for one in found])

    def _telling(self) -> Telling | None:
        """Return the lines that must be nowhere, read once."""
        if not self._withheld:
            snapshot, home = self._memory.snapshot, self._memory.home
            self._withheld.append(snapshot.ask(lambda cache: telling_of(home, cache)))
        return self._withheld[0]


def _without_data(text: str) -> str:
    """Return a text without home folders and addresses of e-mail; "" where it has a number of a person."""
    found = apart(find_personal(text))
    if any(one.rule not in _HARMLESS for one in found):
        return ""
    return redacted(text, found) if found else text
