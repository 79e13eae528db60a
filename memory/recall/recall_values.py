"""Define what recall is asked, and what it answers."""

from __future__ import annotations

from ledger.model.ids import is_fact_id
from ledger.model.log_names import is_stem, stem_in
from ledger.model.record import TYPE_CHECKING, Record
from projection.document.fact_remarks import PLAIN, Mark
from projection.fold.testimony import UNTOLD, Testimony

if TYPE_CHECKING:
    from memory.recall.rules import Scored

#: From the cheapest to the whole.
INDEX, TIMELINE, FULL = LEVELS = ("index", "timeline", "full")
FACTS, SESSIONS, DOCS, UPSTREAM = WITHIN = "facts", "sessions", "docs", "upstream"
#: The kinds of a hit that is a passage: of a session log, and of a document of the repository.
SESSION_KIND, DOCUMENT_KIND = PASSAGE_KINDS = "session", "document"
#: The largest model of meaning that a short command loads: that takes a third of a second or so.
SMALL_MODEL_BYTES = 50_000_000
#: What the name of the file ends in that has vectors of facts (`memory.recall.meaning`).
VECTORS = ".vectors"
#: What is said where only passages answer, and where facts only may.
NO_FACT = "no fact answers that; this is what was said"
MAYBE = "perhaps: no fact says most of that"
#: Who wrote a log that does not say it.
NOBODY = "nobody named"
#: What is said of a word that thousands of passages have.
COMMON_NOTES = (
    "too common to tell anything here: ", "only the newest passages are looked at that have ",
)  # fmt: skip


def without_operators(text: str) -> str:
    """Return words that ask for nothing but themselves: without quotes, dashes and stars."""
    return " ".join([word.lstrip("-").rstrip("*") for word in text.replace('"', " ").split()])


class Filters(Record):
    """What a hit has to be; whatever is empty lets everything through."""

    kinds: tuple[str, ...] = ()  #: the fact's kind, or `session`
    tiers: tuple[str, ...] = ()  #: of the fact
    tags: tuple[str, ...] = ()  #: of the fact; one of them is enough
    entities: tuple[str, ...] = ()  #: of the fact; one of them is enough
    agents: tuple[str, ...] = ()  #: who wrote the log it comes from
    roles: tuple[str, ...] = ()  #: in the header of that log, or the fact's own
    branches: tuple[str, ...] = ()  #: in the header of that log
    since: str = ""  #: a date, or a stem; from then on
    until: str = ""  #: a date (the whole day), or a stem; up to then
    #: `facts`, `sessions`, `docs` or homes `upstream` alone; without it facts and sessions
    within: str = ""
    as_of: str = ""  #: a date, a stem or a commit: what was known then
    superseded: bool = False  #: superseded and invalidated facts too
    yours: bool = False  #: the user's own home is asked too
    #: some passages of the repository's documents too, where nothing else is wanted
    documents: bool = False

    @property
    def choosy(self) -> bool:
        """Whether it is said which facts are wanted."""
        return bool(self.kinds or self.tiers or self.tags or self.entities or self.roles)

    @property
    def only(self) -> str:
        """Where hits may stand, in facts or in sessions, as far as this says; "" for both."""
        if self.within:
            return self.within
        if self.kinds == (SESSION_KIND,):
            return SESSIONS
        no_sessions = self.kinds and SESSION_KIND not in self.kinds
        return FACTS if no_sessions or self.tiers or self.tags or self.entities else ""

    @property
    def by_log(self) -> bool:
        """Whether it is said which logs are wanted."""
        return bool(self.since or self.until or self.agents or self.roles or self.branches)


class ScorePart(Record):
    """One part of a score: what it is, what it adds, and where it comes from."""

    name: str
    value: float
    remark: str = ""


class Hit(Record):
    """One memory that was found."""

    id: str  #: of a fact, `STEM:LINE` of a passage of a session log, or `PATH:LINE` of a document
    kind: str  #: of the fact, `session` or `document`
    tier: str  #: of the fact, "" for a passage
    date: str  #: `YYYY-MM-DD`, of the text
    stem: str  #: the log that the text comes from
    agent: str  #: who wrote that log
    score: float  #: higher is better; comparable within one answer alone
    line: str  #: one line
    text: str  #: what the level shows
    tokens: int  #: what the text costs, about
    whole: int = 0  #: what the level `full` would cost, about
    parts: tuple[ScorePart, ...] = ()  #: of the score, where an explanation was asked for
    mark: Mark = PLAIN  #: whether the fact is closed or false, and what stands instead
    #: the id of the best passage of the log that the fact's text comes from, "" for none
    passage: str = ""
    known: Testimony = UNTOLD  #: how a fact is known, and by whom
    title: str = ""  #: of the log or document that a passage stands in, "" where it says nothing

    def scored(self, by: Scored, explain: bool, weight: float = 1.0) -> Hit:
        """Return it with its score and, where an explanation is asked for, the parts of it."""
        parts = [
            ScorePart(name, round(value, 4), ", ".join(by.words) if name == "words" else "")
            for name, value in (by.parts if explain else ())
        ]
        return self._replace(score=round(by.score * weight, 4), parts=tuple(parts))


class Answer(Record):
    """What was found: first what holds, then what was said, each best first."""

    hits: tuple[Hit, ...] = ()
    #: what the reader should know: a misspelling that was mended, words that are too common
    notes: tuple[str, ...] = ()
    #: the facts say less than what was asked: the word that tells most is missing
    perhaps: bool = False

    @property
    def tokens(self) -> int:
        """What the texts cost together, about."""
        return sum([hit.tokens for hit in self.hits])

    @property
    def whole(self) -> int:
        """What all hits cost in full, about."""
        return sum([hit.whole for hit in self.hits])

    @property
    def facts(self) -> tuple[Hit, ...]:
        """What holds, as far as it answers."""
        return tuple([hit for hit in self.hits if hit.kind not in PASSAGE_KINDS])

    @property
    def passages(self) -> tuple[Hit, ...]:
        """What was said."""
        return tuple([hit for hit in self.hits if hit.kind in PASSAGE_KINDS])


def holding_first(hits: list[Hit]) -> list[Hit]:
    """Return facts and then passages, of each what holds before what ended or is false."""
    return sorted(hits, key=lambda hit: (hit.kind in PASSAGE_KINDS, hit.mark.false, hit.mark.ended))


def is_place(said: str) -> bool:
    """Tell whether an id is `PATH:LINE` of a document, which neither a fact's nor a log's is."""
    path, _, line = said.rpartition(":")
    return bool(path and line.isdecimal() and len(line) < 8 and not is_stem(stem_in(path)))


def home_and_id(one: str) -> tuple[str, str]:
    """Return the name of a home and the id of a hit there, of `NAME/ID`; "" and the whole of others."""
    name, _, rest = one.partition("/")
    if is_fact_id(name) and (is_fact_id(rest) or is_stem(stem_in(rest.partition(":")[0]))):
        return name, rest
    return "", one


def tokens_of(text: str) -> int:
    """Return about how many tokens a text costs: a quarter of its characters, rounded up.

    Models count differently; over English and code four characters a token is the usual rule.
    """
    return (len(text) + 3) // 4
