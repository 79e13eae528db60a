"""Say how a fact is known, in one word: who decided it, or only said it, or where a machine found it.

It is a function of the fact and of what the headers of its logs say (FORMAT.md, F13).
"""

from __future__ import annotations

from ledger.model.event import (
    FactCreated,
    FactInvalidated,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
)
from ledger.model.record import Record
from ledger.model.session import EDIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ledger.model.session import Entry
    from projection.fold.fact import Fact, History

#: A person decided it; an agent recorded it; a machine found it in a session; it came from elsewhere.
DECIDED, SAID, QUOTED, IMPORTED = WORDS = "decided", "said", "quoted", "imported"
#: The names of agents: what bears one was written for nobody else.
AGENTS = frozenset(
    (
        "antigravity",
        "claude-code",
        "codex",
        "copilot",
        "cursor",
        "gemini-cli",
        "opencode",
        "qwen-code",
    )
)
_IMPORT, _REVIEW = "import", "review"
_BY_KEY = "by"


class Testimony(Record):
    """How a fact is known, one of `WORDS`, "" where that is not to be told; and by whom.

    `against` is the person whose decision was replaced by what an agent or a document said, as long as no
    person has said so too.
    """

    word: str = ""
    by: str = ""
    against: str = ""

    @property
    def brief(self) -> str:
        """The word, and that no person put one in the place of the other."""
        if not self.against:
            return self.word
        return f"{DECIDED}, overruled" if self.word == DECIDED else f"{self.word} against {DECIDED}"

    @property
    def said(self) -> str:
        """All of it, as people read it."""
        joint = "from" if self.word == QUOTED else "by"
        told = f"{self.word} {joint} {self.by}" if self.by else self.word
        if not self.against:
            return told
        if self.word == DECIDED:
            return f"{told}, and no person replaced it"
        return f"{told}, against what {self.against} decided"


UNTOLD = Testimony()


def testimony(
    fact: Fact | None,
    entry: Callable[[str], Entry | None],
    histories: Callable[[Iterable[str]], Mapping[str, History]],
) -> Testimony:
    """Return how a fact is known.

    Args:
        fact: where it stands.
        entry: gives what a log says, by its key; None for one that is not there.
        histories: gives what is known of ids.
    """
    if fact is None or fact.redacted or not fact.heads:
        return UNTOLD
    key = fact.heads[-1].stem
    if fact.verified >= key:  # whoever confirmed what stands took it over
        confirmed = entry(fact.verified)
        if confirmed is not None and is_person(confirmed):
            found = Testimony(DECIDED, confirmed.agent)
            return found._replace(against=_against(fact, entry, histories)) if fact.false else found
    told = entry(key)
    if told is None:
        return UNTOLD
    found = Testimony(SAID, told.agent)
    by = dict(fact.meta).get(_BY_KEY, "") or told.agent
    if told.type == _IMPORT:
        found = Testimony(IMPORTED, by)
    elif told.reach:
        found = Testimony(QUOTED, by)
    elif is_person(told):
        found = Testimony(DECIDED, told.agent)
    if fact.false or fact.verified or any(version.parents for version in fact.heads):
        return found._replace(against=_against(fact, entry, histories))
    return found


def _against(
    fact: Fact,
    entry: Callable[[str], Entry | None],
    histories: Callable[[Iterable[str]], Mapping[str, History]],
) -> str:
    """Return the person whose decision an agent or a document replaced last, "" where none did."""
    person = against = ""
    history = histories([fact.id]).get(fact.id)
    for act in history.acts if history is not None else ():
        event = act.event
        turned = isinstance(event, FactUpdated | FactInvalidated) or (
            isinstance(event, FactSuperseded) and event.id == fact.id
        )
        stated = isinstance(event, FactCreated | FactVerified | FactReinstated)
        log = entry(act.stem) if turned or stated else None
        if log is None:
            continue
        if is_person(log):
            person, against = log.agent or "a person", ""
        elif turned and person:
            against = person
    if against and fact.false:
        known = histories(fact.superseded_by)
        for other in known.values():
            if any(
                isinstance(act.event, FactVerified | FactUpdated)
                and (log := entry(act.stem)) is not None
                and is_person(log)
                for act in other.acts
            ):
                return ""  # a person stands behind what took its place
    return against


def is_person(entry: Entry) -> bool:
    """Tell whether a person decided what a log says: on a page or by a command, and no agent for them."""
    if entry.type not in (EDIT, _REVIEW) or entry.session or entry.reach:
        return False
    return entry.agent.lower().replace(" ", "-") not in AGENTS
