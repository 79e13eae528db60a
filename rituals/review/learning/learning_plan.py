"""Plan what to learn: at most seven proposals, each held against the bar and against what memory has.

No clock takes part: the same ledger, code and leftovers of sessions give the same proposals. A proposal is
a question as those of a review are, and known by its key for good once it was answered (FORMAT.md, R9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ledger.codec.fact_blocks import order_meta, tidy, write_fact
from ledger.git.code_history import Code
from ledger.home import code_of
from ledger.model.event import Event, FactCreated, FactSuperseded
from ledger.model.logset import LogRef
from ledger.model.order import is_date, is_stem
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.api import Memory
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import log_named
from memory.query.provenance import lines_of
from memory.redaction.withheld_lines import telling_of
from memory.repair.dropped_logs import set_back
from memory.replay.replayed_state import state_of
from memory.write.birth_footers import footer_value
from memory.write.duplicate_check import NEW_LIMIT, Noticed, notice
from memory.write.personal_guard import is_own
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.fold.tiers import never_decaying
from projection.lifecycle.promotion import PROMOTE, paragraphs_of
from projection.lifecycle.review_threads import is_raised, raised_threads
from projection.policy.model import DEFAULT_KIND, DELIBERATE
from projection.text.clipping import clipped
from projection.text.normalize import index_words, sentences
from rituals.hosts.capture.gates import PersonalGate, own_texts
from rituals.hosts.quoted_items import Item
from rituals.record.draft_composer import id_of_text, taken_in, words_for
from rituals.review.evidence.audit import evidence_questions
from rituals.review.learning.agents_file import Promotion, promotions
from rituals.review.learning.learning_candidates import (
    offers_of_captured,
    offers_that_wait,
    refused,
)
from rituals.review.learning.log_sentences import Recurrence, offers_of_logs, told_in
from rituals.review.learning.offer import (
    CANDIDATE,
    CORRECTION,
    DROPPED,
    LEARNED_KEY,
    Bar,
    Held,
    Mark,
    Offer,
    Proposal,
    passes,
)
from rituals.review.learning.proposal_sources import (
    asked_in_vain,
    offers_of_dropped,
    offers_of_findings,
    offers_of_verdicts,
)
from rituals.review.promotions import documents_of, score_facts
from rituals.review.review_question import LEARN, Question

#: So many proposals are made at once, and the texts of so many logs read, the newest.
PROPOSALS, LOGS = 7, 500
#: So many offers are held against the bar, and so many that memory has are named.
_CONSIDERED, _NAMED = 300, 20
#: So much of the words that a candidate was found in stands in the footer of the fact.
_QUOTE_CHARS = 300
#: A sentence with so much of 100 of what an offer says, says it.
_SAYS, _LEAST_WORDS = 70, 4
SAYS, ARCHIVED, CONTRADICTS = "says it", "said it, and is archived", "contradicts it"
#: How what is not a fact yet is called while it is compared with facts.
_UNBORN = "learn-"


class Plan(Record):
    """What could be learned."""

    tip: str  #: the commit of the ledger that it was made from
    code: str  #: the commit of the code that was asked, "" for none
    since: str  #: only what was said from this stem on, "" for all
    logs: int  #: how many logs were read
    proposals: tuple[Proposal, ...]  #: at most `PROPOSALS`, best first
    more: int  #: how many pass the bar beside them, as far as was looked
    promotions: tuple[Promotion, ...]  #: facts that are worth a place in a file for agents
    held: tuple[Held, ...]  #: what memory has already, or contradicts
    state: State  #: of the ledger


def plan_learning(memory: Memory, since: str = "") -> Plan:
    """Make the plan of what a home could learn as it stands now. Nothing is written.

    Only what was said from the time or stem `since` on counts; "" for all.

    Raises:
        NotFound: there is no such log, and it is no time.
    """
    if since:  # the stem of a log that is there, or the start of one for a time
        named = is_stem(since) and not is_date(since)
        begins = memory.bounds(since, "")[0]
        since = memory.ask(lambda cache: log_named(cache, since)).key if named else begins

    def read(cache: Cache) -> tuple[str, State, list[tuple[LogRef, Entry]]]:
        logs = [(ref, entry) for _, ref, entry in cache.entries()]
        return cache.commit, state_of(cache), logs

    ledger = memory.snapshot.ledger
    tip, state, logs = ledger.ask(read)
    logs.sort(key=lambda log: log[0].key)
    entries = [entry for _, entry in logs]
    telling = [log for log in logs if log[1].uses][-LOGS:]
    told, judging = ledger.ask(lambda cache: told_in(memory.home, cache, telling))
    captured = ledger.ask(lambda cache: offers_of_captured(memory.home, cache, telling, since))
    recurrence = Recurrence(told)
    commondir = memory.home.repository.commondir
    standings = tuple(state.standings())
    code = code_of(memory.home)
    documents = documents_of(code)
    offers = [
        *captured,
        *offers_that_wait(commondir),
        *offers_of_findings(state, standings),
        *offers_of_verdicts(state, lines_of(ledger, judging).values()),
        *offers_of_logs(told, recurrence, since),
        *offers_of_dropped(set_back(memory.home, memory.cache())),
    ]
    if not is_own(memory.home, state.policy):
        gate = PersonalGate(own_texts())
        offers = [one for one in offers if not gate.closes_item(_told_of(one))]
    withheld = ledger.ask(lambda cache: telling_of(memory.home, cache))
    if withheld is not None:
        offers = [
            one
            for one in offers
            if not (withheld.repeats(one.item.text) or withheld.repeats(one.item.quote))
        ]
    bar = Bar(documents, code)
    found = _Proposing(memory, state, standings, bar, recurrence)
    found.propose(_repeated(offers, recurrence))
    asked = asked_in_vain(memory, state, telling, found.answered, withheld)
    proposals = [*found.proposals, *asked][:PROPOSALS]
    offered = _promotions(memory, state, entries, code, documents) if code is not None else []
    return Plan(
        tip, code.commit if code is not None else "", since, len(telling),
        tuple(proposals), found.more, tuple(offered), tuple(found.held[:_NAMED]), state,
    )  # fmt: skip


def _promotions(
    memory: Memory,
    state: State,
    entries: Sequence[Entry],
    code: Code,
    documents: Mapping[str, str] | None,
) -> list[Promotion]:
    """Offer facts for the file that every agent reads, but none that the code belies by now."""
    top = memory.home.repository.top
    standings = tuple(state.standings())
    scored = score_facts(state, standings, entries, code)
    worth = {one.id for one in scored if one.proposal == PROMOTE}
    likely = [one for one in standings if one.fact.id in worth or one.fact.promoted]
    if not top or not likely:
        return []
    doubted = {name for one in evidence_questions(likely, code) for name in one.facts}
    raised = raised_threads(one.fact for one in standings)
    paragraphs = paragraphs_of((documents or {}).values())
    return promotions(top, state, scored, raised, doubted, paragraphs, code.files())


def _told_of(offer: Offer) -> Item:
    """Return what a proposal tells of an offer: of a candidate the words that it was found in, too."""
    return offer.item if offer.source == CANDIDATE else offer.item._replace(quote="")


def _repeated(offers: Sequence[Offer], recurrence: Recurrence) -> list[Offer]:
    """Count for what was offered beside the logs in which sessions of these it stands, too."""
    found = []
    for offer in offers:
        near = recurrence.near(offer.words) if offer.source == CANDIDATE else []
        places = [place for one in near if (place := f"{one.stem}:{one.line}") not in offer.places]
        sessions = offer.sessions | {one.session for one in near}
        found.append(offer._replace(places=(*offer.places, *places), sessions=sessions))
    return found


class _Proposing:
    """Makes proposals of offers."""

    def __init__(
        self, memory: Memory, state: State, standings: Sequence[Standing], bar: Bar,
        recurrence: Recurrence,
    ) -> None:  # fmt: skip
        self._memory, self._state, self._bar = memory, state, bar
        self._recurrence = recurrence
        self._taken, self._words = taken_in(memory), words_for(memory)
        self._used: set[str] = set()
        self._kinds = frozenset([kind.name for kind in state.policy.kinds])
        self._sentences = [
            (frozenset(words), one.fact.id)
            for one in standings
            if one.live and not one.fact.redacted and not is_raised(one.fact)
            for sentence in sentences(one.fact.text)
            if len(words := index_words(sentence)) >= _LEAST_WORDS
        ]
        raised = [one for one in raised_threads(one.fact for one in standings) if one.rule == LEARN]
        self._rejected = [
            frozenset(index_words(fact.text)) for one in raised
            if one.closed and (fact := state.fact(one.id)) is not None
        ]  # fmt: skip
        self.answered = {key for one in raised if one.closed for key in one.keys}
        self.answered |= refused(memory.home.repository.commondir)
        self.answered |= {
            value for one in standings for key, value in one.fact.meta if key == LEARNED_KEY
        }
        self.proposals: list[Proposal] = []
        self.held: list[Held] = []
        self.more = 0

    def propose(self, offers: Sequence[Offer]) -> None:
        """Choose the best offers, and make proposals of them."""
        once: dict[str, Offer] = {}
        for offer in offers:
            if offer.key not in self.answered:
                once.setdefault(offer.key, offer)
        chosen = sorted(once.values(), key=_order)[:_CONSIDERED]
        self._bar.look_up(chosen)
        marked = [(offer, self._bar.marks(offer)) for offer in chosen]
        marked = [(offer, marks) for offer, marks in marked if passes(marks)]
        marked.sort(key=lambda one: (-sum(mark.met is True for mark in one[1]), _order(one[0])))
        for start in range(0, len(marked), NEW_LIMIT):
            if len(self.proposals) < PROPOSALS:
                self._some(marked[start : start + NEW_LIMIT])
            else:
                self.more += len(marked[start : start + NEW_LIMIT])

    def _some(self, marked: Sequence[tuple[Offer, tuple[Mark, ...]]]) -> None:
        """Make proposals of some offers, of those that memory does not have."""
        births = {offer.key: self._birth(offer) for offer, _ in marked}
        acts = tuple([event._replace(id=_UNBORN + key) for key, event in births.items()])
        noticed: dict[str, list[Noticed]] = {}
        for one in notice(self._memory.snapshot, Entry("~", True, "", "work", (), acts)):
            noticed.setdefault(one.fact.id, []).append(one)
        for offer, marks in marked:
            alike = noticed.get(_UNBORN + offer.key, [])
            replaced = self._replaced(offer, alike)
            if replaced is None:
                continue
            if len(self.proposals) == PROPOSALS:
                self.more += 1
                continue
            self._used.add(births[offer.key].id)
            self.proposals.append(self._proposal(offer, marks, births[offer.key], replaced))

    def _birth(self, offer: Offer) -> FactCreated:
        name = id_of_text(offer.item.text, self._used, self._taken, self._words)
        kind = offer.item.kind
        known = kind in self._kinds and (kind not in DELIBERATE or offer.source == DROPPED)
        return birth_of(offer, name, kind if known else DEFAULT_KIND)

    def _replaced(self, offer: Offer, alike: Sequence[Noticed]) -> tuple[Fact, ...] | None:
        """Return the facts that an offer would replace; None where memory has it, or an answer to it."""
        lasting = never_decaying(self._state.policy)
        replaced = [fact for name in offer.item.supersedes if (fact := self._state.fact(name))]
        own = offer.words
        if any(self._covers(own, words) for words in self._rejected):
            return None
        for one in alike:
            other = one.other.fact
            if is_raised(other):
                continue  # it asks, as we do
            if other.id.startswith(_UNBORN):
                return None  # a better offer says the same
            if one.opposition is None:
                self._hold(offer, other.id, SAYS if one.other.live else ARCHIVED)
                return None
            firm = other.promoted or other.kind in lasting or len(other.heads) != 1
            if offer.source != CORRECTION or firm:
                self._hold(offer, other.id, CONTRADICTS)
                return None
            replaced.append(other)
        known = {fact.id for fact in replaced}
        for words, name in self._sentences:
            if name not in known and self._covers(own, words):
                self._hold(offer, name, SAYS)
                return None
        return tuple([fact for fact in replaced if not fact.false])

    def _hold(self, offer: Offer, fact: str, how: str) -> None:
        self.held.append(Held(offer.item.text, fact, how, offer.places[0]))

    def _covers(self, own: frozenset[str], words: frozenset[str]) -> bool:
        """Tell whether other words have nearly all that an offer says; rare ones weigh more."""
        both = own & words
        if len(both) < min(_LEAST_WORDS, len(own)):
            return False
        return 100 * self._recurrence.weight(both) >= _SAYS * self._recurrence.weight(own)

    def _proposal(
        self, offer: Offer, marks: tuple[Mark, ...], birth: FactCreated, replaced: Sequence[Fact]
    ) -> Proposal:
        accept: tuple[Event, ...] = (birth, *[FactSuperseded(one.id, birth.id) for one in replaced])
        question = Question(
            LEARN,
            offer.key,
            tuple([one.id for one in replaced]),
            f"Worth keeping? {offer.item.text}",
            tuple([f"{mark.name}: {mark.shown}" for mark in marks if mark.met is not False]),
            f"record it as the {offer.item.kind} `{birth.id}`",
            accept,
        )
        return Proposal(offer, marks, question, diff_of(birth, replaced))


def birth_of(offer: Offer, name: str, kind: str) -> FactCreated:
    """Return the event by which an offer, in a session's words, becomes a fact with the id `name`."""
    item = offer.item
    tags = [footer_value(tag.replace(",", " ")) for tag in item.tags]
    where = f"{offer.source} {offer.places[0]}"
    if offer.source == CANDIDATE:
        where = f'{offer.places[0]} "{clipped(item.quote, _QUOTE_CHARS)}"'
    said = (
        ("kind", "" if kind == DEFAULT_KIND else kind),
        ("tags", ", ".join([tag for tag in tags if tag])),
        ("entity", footer_value(item.entity)),
        ("source", footer_value(where)),
        (LEARNED_KEY, offer.key),
        ("obsolete_when", footer_value(item.obsolete_when)),
    )
    return FactCreated(name, tidy(item.text), "", order_meta([one for one in said if one[1]]))


def diff_of(birth: FactCreated, replaced: Sequence[Fact]) -> tuple[str, ...]:
    """Return what a new fact changes, as a diff has it."""
    gone = [line for one in replaced for line in write_fact(one.id, one.text, "", ()).split("\n")]
    new = write_fact(birth.id, birth.text or "", birth.mark, birth.meta).split("\n")
    return (*[f"- {line}" for line in gone], *[f"+ {line}" for line in new])


def _order(offer: Offer) -> tuple[int, int, int, str]:
    """Sort by whose word it is, what speaks for it, and how often it was said."""
    own = offer.source != CORRECTION
    return int(own), -offer.weight, -len(offer.sessions), offer.key
