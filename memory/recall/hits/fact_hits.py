"""Look up facts as hits: where they stand at the commit that is asked, and whether they may be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ledger.environment import now_ms
from ledger.model.event import FactCreated, FactUpdated, told
from ledger.model.order import NO_DAY
from ledger.model.record import Record
from ledger.model.session import ASKED_KEY, ENDED
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import false_among, ordinary_of_kind
from memory.recall.hits.snippets import one_line
from memory.recall.index.fts_file import Index, IndexDamaged
from memory.recall.index.rows import FACTS_FROM, PLACE_BITS, PLACES, LogRow, is_question
from memory.recall.recall_values import (
    FACTS,
    FULL,
    SESSION_KIND,
    SESSIONS,
    TIMELINE,
    Filters,
    Hit,
    tokens_of,
)
from memory.recall.search import Scored
from memory.recall.standing import Candidate
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.reader_marks import NOTHING_MARKED, Marks
from projection.document.fact_remarks import Mark, Met, instead_of, is_ended, mark_of
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.fold.testimony import testimony
from projection.policy.model import PATTERN_KIND, QUESTION_KIND

#: How many events of a fact are told, the newest ones.
EVENTS = 12
#: By so many questions that were asked before a fact is found, the newest ones.
QUESTIONS = 8


class Past(Record):
    """What was known at a point of the past: the facts, and which logs there were."""

    state: State
    logs: frozenset[str]
    notes: tuple[str, ...] = ()  #: what it can not tell of that point


def past_at(snapshot: Snapshot, as_of: str) -> Past | None:
    """Return what was known at a point, None for now ("").

    Raises:
        NotFound: it is no date, stem or commit.
    """
    if not as_of:
        return None
    from memory.replay.as_of import logs_at, not_known, state_at

    logs = frozenset([ref.key for ref in logs_at(snapshot, as_of)])
    then = state_at(snapshot, as_of)
    return Past(then, logs, not_known(snapshot, as_of, then))


class Facts:
    """The facts of one reading.

    Args:
        cache: of the commit.
        index: of the commit.
        filters: what a hit has to be.
        past: what was known at the point that is asked about; None for now.
        marks: what a reader has to know of facts beside their texts.
    """

    def __init__(
        self,
        cache: Cache,
        index: Index,
        filters: Filters,
        past: Past | None = None,
        marks: Marks = NOTHING_MARKED,
    ) -> None:
        self._marks = marks if past is None else NOTHING_MARKED
        self._cache = cache
        self._shown = self._marks.shown(cache)
        self._index = index
        if "superseded" in filters.tiers:
            filters = filters._replace(superseded=True)
        self._filters = filters
        #: (id, stem of the log) -> what was found
        self._known: dict[tuple[str, str], Standing | None] = {}
        self._met: Met = {}
        self._standings: dict[str, Standing | None] = {}
        self._hits: dict[tuple[str, str], Hit | None] = {}
        self._questions: frozenset[str] | None = None
        self._place = cache.placing()
        self._past = past
        #: the logs that count, None for all
        self.logs = None if past is None else past.logs

    @property
    def passed_over(self) -> frozenset[str]:
        """Facts of kind `question`, where none is asked for: each has the words of what is asked.

        Those that this leaves out are few, and not `wanted` either.
        """
        if self._questions is None:
            asked = QUESTION_KIND in self._filters.kinds
            none: frozenset[str] = frozenset()
            self._questions = none if asked else ordinary_of_kind(self._cache, QUESTION_KIND)
        return self._questions

    def hit(self, fact: str, log: LogRow | None, level: str) -> Hit | None:
        """Return a fact as a hit, None where it may not be shown.

        `log` is the one whose text of it was found; None for the text that stands.
        """
        found = self.wanted(fact, log)
        if found is None:
            return None
        known = found.fact.seen(now_ms())
        found = found._replace(fact=known)
        stem, date = self._stem(found, log), self.date(found, log)
        agent = self._agent(stem)
        mark = self.mark(fact)
        before = _said(found, mark)
        line = one_line(f"{before}: {known.text}" if before else known.text) + mark.behind
        told = testimony(known, self._cache.entry, self._cache.some_histories)
        full = _full(found, stem, told.said or agent, before) + mark.behind
        if level == FULL:
            shown = full
        elif level == TIMELINE:
            shown = self._events(found)
        else:
            day = date or NO_DAY
            said = f"{fact}  {known.kind}  {found.tier}  {day}  {line}"
            shown = f"{said}  ({stem}, {told.said or agent or 'nobody named'})"
        return Hit(
            fact, known.kind, found.tier, date, stem, agent, 0.0, line, shown,
            tokens_of(shown), tokens_of(full), mark=mark, known=told,
        )  # fmt: skip

    def date(self, found: Standing, log: LogRow | None) -> str:
        """Return the day of a fact's text that was found in a log, or of the one that stands."""
        stem, known = self._stem(found, log), found.fact
        # a text that nothing came before is as old as the fact: an import log is younger than both
        first = not any(version.parents for version in known.heads if version.stem == stem)
        return known.created if first and known.created else known.clock(stem)[:10]

    def clocks(self) -> dict[str, str]:
        """Return when logs were written whose names say another time, by name."""
        return {ref.key: entry.clock for ref, entry in self._cache.entries_naming(ENDED)}

    def _stem(self, found: Standing, log: LogRow | None) -> str:
        stands = log is not None and _stands(found, log)
        return log.stem if log is not None and stands else found.fact.heads[-1].stem

    def false_hits(
        self, worded: Iterable[tuple[str, bool]], level: str, limit: int
    ) -> tuple[Hit, ...]:
        """Return the false ones of some facts, if they say enough of a question."""
        said = [id for id, enough in worded if enough]
        false = false_among(self._cache, said)
        hits = []
        for id in [id for id in said if id in false][:limit]:
            if (id, level) not in self._hits:  # whoever types a word is shown the same ones again
                self._hits[id, level] = self.hit(id, None, level)
            hits.append(self._hits[id, level])
        return tuple([hit for hit in hits if hit is not None])

    def known(self, fact: str) -> Fact | None:
        """Return a fact as it stands at the point that is asked, None where there is none."""
        found = self._standing(fact)
        return None if found is None else found.fact

    def has_ended(self, fact: Fact) -> bool:
        """Tell whether a commit or a day ended a fact, as its footer says."""
        return bool(self._marks) and is_ended(self._marks.of(fact))

    def mark(self, fact: str) -> Mark:
        """Say what has to be known before the text of a fact."""
        found = self.known(fact)
        mark = mark_of(found, self.known, self._met)
        mark = self._marks.on(mark, found)
        if found is None or found.kind != PATTERN_KIND:
            return mark
        from projection.lifecycle.pattern_standing import marked_as

        return marked_as(found, mark, self._cache.policy.learning)

    def _agent(self, stem: str) -> str:
        number = self._index.number_of(stem)
        log = self._index.log(number) if number else None
        return "" if log is None else log.agent

    def _standing(self, fact: str) -> Standing | None:
        """Return where a fact stands: one of many texts is asked for with each of them."""
        if fact not in self._standings:
            known = self._cache.fact(fact) if self._past is None else None
            self._standings[fact] = (
                self._past.state.get(fact) if self._past is not None
                else None if known is None else self._place(self._shown(known))
            )  # fmt: skip
        return self._standings[fact]

    def wanted(self, fact: str, log: LogRow | None) -> Standing | None:
        """Return a fact if it may be shown and the filters let it through.

        `log` is the one whose text of it was found; None for the text that stands.
        """
        key = fact, "" if log is None else log.stem
        if key not in self._known:
            found = self._standing(fact)
            if found is not None and not self._passes(found, log):
                found = None
            self._known[key] = found
        return self._known[key]

    def _passes(self, found: Standing, log: LogRow | None) -> bool:
        filters, fact = self._filters, found.fact
        if fact.redacted:
            return False
        if fact.kind == QUESTION_KIND and log is not None and QUESTION_KIND not in filters.kinds:
            return False  # it has the words of what is asked, and answers nothing
        if not filters.superseded and (fact.false or not (log is None or self._says(found, log))):
            return False
        role = dict(fact.meta).get("role", "") or (log.role if log is not None else "")
        if (
            (filters.kinds and fact.kind not in filters.kinds)
            or (filters.tiers and found.tier not in filters.tiers)
            or (filters.roles and role not in filters.roles)
        ):
            return False
        if not (filters.tags or filters.entities):
            return True
        from projection.graph.graph_neighbours import matches_entity, matches_tag

        tagged = not filters.tags or any(matches_tag(fact, tag) for tag in filters.tags)
        about = filters.entities
        return tagged and (not about or any(matches_entity(fact, name) for name in about))

    def candidates(self, found: Iterable[Scored]) -> list[Candidate]:
        """Return the facts that stand for some texts, as a search scored them, if they may be shown."""
        candidates = []
        for scored in found:
            fact, log = self.brought(scored.row)
            standing, known = self.wanted(fact, log), self.known(fact)
            before = standing is None and not self._filters.by_log
            stand = [standing]
            if before and known is not None and known.kind != QUESTION_KIND:
                log = None
                names = instead_of(known, self.known, self._met) if known.false else [fact]
                stand = [self.wanted(name, None) for name in names]
            for one in stand:
                if one is not None and self._counts(fact, scored.row):
                    candidates.append(Candidate(scored, one, self.date(one, log), before))
        return candidates

    def brought(self, row: int) -> tuple[str, LogRow | None]:
        """Return the fact of a row, and the log that brought this text; None where it holds questions."""
        log = self._index.log(row >> PLACE_BITS)
        piece = None if log is None else log.at(row & PLACES)
        return ("" if piece is None else piece.fact), (None if is_question(row) else log)

    def _says(self, found: Standing, log: LogRow) -> bool:
        """Tell whether a log says a text that stands, as who adds a footer to it does, too."""
        if _stands(found, log):
            return True
        known = found.fact
        sizes = {len(version.text) for version in known.heads}
        if not any(one.fact == known.id and one.chars in sizes for one in log.facts):
            return False
        texts = {version.text for version in known.heads}
        entry = self._cache.entry(log.stem)
        return entry is not None and any(
            isinstance(act, FactCreated | FactUpdated) and act.id == known.id and act.text in texts
            for act in entry.acts
        )

    def _counts(self, fact: str, row: int) -> bool:
        """Tell whether a fact is found by a row: of what was asked by the newest alone."""
        if not is_question(row):
            return True
        rows = [
            one
            for one in self._index.questions_of(fact)
            if self.logs is None
            or ((log := self._index.log(one >> PLACE_BITS)) and log.stem in self.logs)
        ]
        return row in rows[:QUESTIONS]

    def _events(self, found: Standing) -> str:
        """Say what happened to a fact, oldest first: the newest events of it, one a line."""
        fact = found.fact
        lines = [f"{fact.id}  {fact.kind}  {found.tier}  uses {fact.uses}"]
        for history in self._cache.some_histories([fact.id]).values():
            acts = [act for act in history.acts if self.logs is None or act.stem in self.logs]
            shown = acts[-EVENTS:]
            if len(shown) < len(acts):
                lines.append(f"  … {len(acts) - len(shown)} earlier events")
            for stem, _, event, _ in shown:
                agent = self._agent(stem) or "nobody named"
                lines.append(
                    f"  {fact.clock(stem)[:10] or NO_DAY}  {told(event, fact.id)}  ({stem}, {agent})"
                )
        mark = self.mark(fact.id)
        before = _said(found, mark)
        now = one_line(f"{before}: {fact.text}" if before else fact.text)
        lines.append(f"  now: {now}{mark.behind}")
        return "\n".join(lines)


def _stands(found: Standing, log: LogRow) -> bool:
    """Tell whether the text that a log brought is one of those that stand."""
    return any(version.stem == log.stem for version in found.fact.heads)


def _said(found: Standing, mark: Mark) -> str:
    """Say what a reader must know before the text: that it is done or false, or that several stand."""
    return mark.whole or ("contradicted" if found.fact.contradicted else "")


def _full(found: Standing, stem: str, agent: str, before: str) -> str:
    """Return all there is to know of a fact without its history."""
    fact = found.fact
    said = [
        f"{fact.id}  {fact.kind}  {found.tier}  uses {fact.uses}  created {fact.created or NO_DAY}"
        f"  last used {fact.last_used or NO_DAY}  ({stem}, {agent or 'nobody named'})"
    ]
    if before:
        said.append(before)
    said += [
        f"{key}: {value}" for key, value in fact.meta if key not in ("kind", "created", ASKED_KEY)
    ]
    return "\n".join([*said, fact.text])


def _only(filters: Filters) -> str:
    """Return where hits may stand, in facts or in sessions, as far as the filters say; "" for both."""
    if filters.within:
        return filters.within
    if filters.kinds == (SESSION_KIND,):
        return SESSIONS
    no_sessions = filters.kinds and SESSION_KIND not in filters.kinds
    return FACTS if no_sessions or filters.tiers or filters.tags or filters.entities else ""


def kept(index: Index, facts: Facts, filters: Filters) -> Callable[[int], bool] | None:
    """Return a function that tells whether a row may be a hit; None where all may."""
    since, until = filters.since, filters.until
    only = _only(filters)
    agents, roles, branches = map(frozenset, (filters.agents, filters.roles, filters.branches))
    questions = facts.passed_over
    if not (filters.by_log or only or questions) and facts.logs is None:
        return None
    choosy = filters.kinds or filters.tiers or filters.tags or filters.entities or roles
    known: dict[int, bool] = {}
    clocks: dict[str, str] | None = None
    if since or until:
        from ledger.model.instants import lies

        clocks = facts.clocks()

    def log_at(number: int) -> LogRow:
        log = index.log(number)
        if log is None:
            raise IndexDamaged(f"no log {number}")
        return log

    def keeps_log(number: int) -> bool:
        log = log_at(number)
        return (
            (clocks is None or lies(log.stem, clocks.get(log.stem, log.stem), since, until))
            and (not agents or log.agent in agents)
            and (not branches or log.branch in branches)
            and (facts.logs is None or log.stem in facts.logs)
        )

    def keeps(row: int) -> bool:
        is_fact = row & PLACES >= FACTS_FROM
        if (only == FACTS and not is_fact) or (only == SESSIONS and is_fact):
            return False
        number = row >> PLACE_BITS
        if number not in known:
            known[number] = keeps_log(number)
        if not known[number] or (is_question(row) and filters.by_log):
            return False
        if not is_fact:
            return not roles or log_at(number).role in roles
        if not (choosy or questions):
            return True
        piece = log_at(number).at(row & PLACES)
        if piece is None or piece.fact in questions:
            return False
        return not choosy or facts.wanted(*facts.brought(row)) is not None

    return keeps
