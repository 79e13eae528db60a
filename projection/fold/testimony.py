"""Say how a fact is known, in one word: who decided it, or only said it, or where a machine found it.

It is a function of the fact and of what the headers of its logs say (FORMAT.md, F13).
"""

from __future__ import annotations

from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactMoved,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.ids import version_id
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import EDIT, Entry
from ledger.model.verbs import CLOSING
from projection.fold.fact_history import Fact, History
from projection.fold.falsity import against
from projection.fold.live_view import CLOSED, INVALIDATED, SUPERSEDED
from projection.policy.model import THREAD_KIND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    #: Gives what a log says, by its key; None for one that is not there.
    Entries = Callable[[str], Entry | None]
    #: Gives what is known of ids.
    Histories = Callable[[Iterable[str]], Mapping[str, History]]

#: A person decided it; an agent recorded it; a machine found it in a session; it came from elsewhere.
DECIDED, SAID, QUOTED, IMPORTED = WORDS = "decided", "said", "quoted", "imported"
#: The order in which sides stand: nobody's word comes before a person's.
RANK = {word: place for place, word in enumerate((*WORDS, ""))}
#: The names of agents: what bears one was written for nobody else.
AGENTS = frozenset(
    "antigravity claude-code codex copilot cursor gemini-cli opencode qwen-code".split()
)
#: What can become of a decision, beside what a reason of the archive says.
REWORDED, ARCHIVED = "reworded", "archived"
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
#: What says something of whether and how a fact holds.
_SAYING = (
    FactCreated, FactUpdated, FactVerified, FactReinstated, FactSuperseded, FactInvalidated,
    ThreadClosed, ThreadReopened, FactMoved,
)  # fmt: skip


class Overruled(Record):
    """What an agent, a machine or a document put in the place of a person's decision."""

    how: str  #: `REWORDED`, `SUPERSEDED`, `INVALIDATED`, `CLOSED` or `ARCHIVED`
    person: str  #: who decided it
    said: str  #: the log that says so
    agent: str  #: who overruled it
    stem: str  #: the log that did
    texts: tuple[str, ...] = ()  #: what the person said and what stands no more


def testimony(fact: Fact | None, entry: Entries, histories: Histories) -> Testimony:
    """Return how a fact is known.

    `entry` gives what a log says, by its key; None for one that is not there.
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
    word = word_of(told)
    by = dict(fact.meta).get(_BY_KEY, "") if word in (QUOTED, IMPORTED) else ""
    changed = fact.verified or [1 for version in fact.heads if version.parents] or fact.false
    return Testimony(word, by or told.agent, _against(fact, entry, histories) if changed else "")


def _against(fact: Fact, entry: Entries, histories: Histories) -> str:
    """Return the person whose decision another text or fact took the place of, "" where none did."""
    found = overruled(fact, entry, histories)
    return found.person if found and found.how not in (CLOSED, ARCHIVED) else ""


def overruled(fact: Fact, entry: Entries, histories: Histories) -> Overruled | None:
    """Return what somebody who is no person put in the place of a person's decision, if that stands.

    `entry` gives what a log says, by its key; None for one that is not there.
    """
    history = histories([fact.id]).get(fact.id)
    told = _Decided()
    for act in history.counting().acts if history is not None else ():
        if act.event.id == fact.id and isinstance(act.event, _SAYING):
            log = entry(act.stem)
            if log is not None:
                told.hear(act.event, log)
    if history is None or not told.texts:
        return None
    heads = {version.id for version in fact.heads}
    lost = tuple([told.said[one] for one in told.texts if one not in heads])
    how = stem = ""
    if fact.false:
        calls = [
            call
            for call in against(fact.id, history)
            if (log := entry(call)) is not None and not is_person(log)
        ]
        if not calls:
            return None
        how, stem = INVALIDATED, calls[-1]
        if fact.superseded_by:
            if _backed(histories(fact.superseded_by), stem, entry):
                return None
            how = SUPERSEDED
    elif lost:
        how, stem = REWORDED, told.reworded
    elif fact.closed and (told.firm or fact.kind == THREAD_KIND):
        how, stem = CLOSED, told.closed
    elif fact.archived_at and not ((log := entry(fact.archived_at)) is None or is_person(log)):
        how, stem = ARCHIVED, fact.archived_at
    by = entry(stem) if stem else None
    person, said = told.texts[max(told.texts, key=lambda one: told.texts[one][1])]
    return None if by is None else Overruled(how, person, said, by.agent, stem, lost)


class _Decided:
    """Hears what logs say of one fact, in ledger order: which texts a person stands behind, until now.

    `texts` are the versions with the person and the log, `said` what each version says; `firm` tells that
    a person said of something open that it holds; `reworded` and `closed` are the last logs, of nobody who
    is a person, that brought a text and that closed it.
    """

    def __init__(self) -> None:
        self.texts: dict[str, tuple[str, str]] = {}
        self.said: dict[str, str] = {}
        self.firm = False
        self.reworded = self.closed = ""
        self._stood: list[str] = []

    def hear(self, event: Event, log: Entry) -> None:
        """Take in what one log says."""
        person = (log.agent or "a person", log.stem) if is_person(log) else None
        if isinstance(event, FactCreated | FactUpdated):
            if event.text is not None:
                self._bring(event, event.text, person)
                if person is None:
                    self.reworded = log.stem
        elif isinstance(event, ThreadClosed) or (
            isinstance(event, FactMoved) and event.state in CLOSING
        ):
            self.closed = "" if person else log.stem
            if person:
                self.texts.clear()
        elif person and isinstance(event, FactVerified | FactReinstated | ThreadReopened):
            self.texts = dict.fromkeys(self._stood, person)
            self.firm = True
        elif person and isinstance(event, FactInvalidated | FactSuperseded):
            self.texts.clear()

    def _bring(
        self, event: FactCreated | FactUpdated, text: str, person: tuple[str, str] | None
    ) -> None:
        made = version_id(text)
        was = event.was if isinstance(event, FactUpdated) else ()
        left = [] if was is None else [one for one in self._stood if one not in (*was, made)]
        if person:  # who rewords what stands has settled what stood before it
            self.texts = {one: who for one, who in self.texts.items() if one in left}
            self.texts[made] = person
        self._stood = [*left, made]
        self.said[made] = text


def _backed(successors: Mapping[str, History], call: str, entry: Entries) -> bool:
    """Tell whether a person stands behind what took the place of a fact, since a log said so."""
    return any(
        act.stem > call
        and act.event.id == id
        and isinstance(act.event, FactCreated | FactVerified | FactUpdated)
        and (log := entry(act.stem)) is not None
        and is_person(log)
        for id, history in successors.items()
        for act in history.counting().acts
    )


def persons_first(fact: Fact, rank: Callable[[str], int]) -> Fact:
    """Return a contradicted fact with the sides of persons before the others.

    `rank` gives the rank of what a log brings, by its key (`RANK`).
    """
    if len(fact.heads) < 2 and not fact.torn:
        return fact
    return fact._replace(
        heads=tuple(sorted(fact.heads, key=lambda one: (rank(one.stem), one.stem, one.id))),
        moves=tuple(sorted(fact.moves, key=lambda one: rank(one.stem))),
    )


def word_of(entry: Entry | None) -> str:
    """Return how what a log brings is known, "" for a log that is not there."""
    if entry is None:
        return ""
    if entry.type == _IMPORT:
        return IMPORTED
    if entry.reach:
        return QUOTED
    return DECIDED if is_person(entry) else SAID


def is_person(entry: Entry) -> bool:
    """Tell whether a person decided what a log says: on a page or by a command, and no agent for them."""
    if entry.type not in (EDIT, _REVIEW) or entry.session or entry.reach:
        return False
    return entry.agent.lower().replace(" ", "-") not in AGENTS
