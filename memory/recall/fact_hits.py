"""Look up facts as hits: where they stand at the commit that is asked, and whether they may be shown."""

from __future__ import annotations

from _bisect import insort_right

from ledger.environment import now_ms
from ledger.model.event import FactCreated, FactUpdated, told
from ledger.model.log_names import NO_DAY
from ledger.model.record import TYPE_CHECKING, Record, cached
from ledger.model.session import ASKED_KEY, ENDED, says_personal
from memory.cache.cache_file import Cache
from memory.cache.schema import ORDINARY
from memory.recall.bm25_ranking import Search
from memory.recall.fts_tables import (
    FACTS_FROM,
    PLACE_BITS,
    PLACES,
    Index,
    IndexDamaged,
    LogRow,
    is_question,
)
from memory.recall.recall_values import FACTS, FULL, NOBODY, TIMELINE, Filters, Hit, tokens_of
from memory.recall.rules import NINTH, RULES, SILENT, SURE, Candidate, lasting, ordered, verdict
from memory.replay.reader_marks import NOTHING_MARKED, Marks
from memory.replay.tip_snapshot import Snapshot
from projection.document.fact_remarks import Mark, Met, instead_of, is_ended, mark_of
from projection.fold.fact_history import Fact
from projection.fold.live_view import Standing
from projection.fold.testimony import DECIDED, testimony
from projection.policy.model import PATTERN_KIND, QUESTION_KIND
from projection.text.clipping import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memory.recall.rules import Scored
    from projection.fold.full_replay import State

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
    from memory.replay.state_as_of import logs_at, not_known, point_in_time, state_at

    point = point_in_time(snapshot, as_of)
    logs, then = [ref.key for ref in logs_at(snapshot, point)], state_at(snapshot, point)
    return Past(then, frozenset(logs), not_known(snapshot, point, then))


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
        self._cache, self._index, self._past, self._marks = cache, index, past, marks
        self._shown, self._place = self._marks.shown(cache), cache.placing()
        if "superseded" in filters.tiers:
            filters = filters._replace(superseded=True)
        self._filters = filters
        self._met: Met = {}
        #: where a fact stands: one of many texts is asked for with each of them
        self._standing = cached(None)(self._stand)
        #: the logs that count, None for all
        self.logs = None if past is None else past.logs
        #: facts of kind `question`, where none is asked for (R11): each has the words of what is asked;
        #: those that this leaves out are few, and not `_wanted` either
        usual = "SELECT id FROM facts WHERE kind = ? AND state = ?", (QUESTION_KIND, ORDINARY)
        self._passed_over = frozenset(
            () if QUESTION_KIND in filters.kinds else cache.column(*usual)
        )
        #: tells whether a row may be a hit; None where all may
        self.keeps = self._keeping()

    def _keeping(self) -> Callable[[int], bool] | None:
        filters, logs, index = self._filters, self.logs, self._index
        only, since, until = filters.only, filters.since, filters.until
        if not (filters.by_log or only or self._passed_over) and logs is None:
            return None
        clocks: dict[str, str] = {}
        if since or until:
            # when logs were written whose names say another time, by name
            named = self._cache.entries_naming(ENDED)
            clocks = {ref.key: entry.clock for ref, entry in named}

        @cached(None)
        def kept_log(number: int) -> LogRow | None:
            log = index.log(number)
            if log is None:
                raise IndexDamaged(f"no log {number}")
            if since or until:
                from ledger.model.instants import lies

                if not lies(log.stem, clocks.get(log.stem, log.stem), since, until):
                    return None
            of = not filters.agents or log.agent in filters.agents
            of &= not filters.branches or log.branch in filters.branches
            return log if of and (logs is None or log.stem in logs) else None

        def keeps(row: int) -> bool:
            is_fact = row & PLACES >= FACTS_FROM
            log = None if only and is_fact != (only == FACTS) else kept_log(row >> PLACE_BITS)
            if log is None or (is_question(row) and filters.by_log):
                return False
            if not is_fact:
                return not filters.roles or log.role in filters.roles
            fact, brought = self._brought(row)
            there = bool(fact) and fact not in self._passed_over
            return there and not (filters.choosy and self._wanted(fact, brought) is None)

        return keeps

    def found(
        self, found: Search, level: str, limit: int, *, explain: bool, loose: bool
    ) -> tuple[list[Hit], str]:
        """Return the facts that answer, best first, and whether they do (`standing.verdict`).

        `explain` gives the parts of each score; `loose`: those too that answer little of it.
        """
        best = ordered(self.candidates(found.facts, limit))
        said = SURE if loose else verdict([one.scored for one in best], found.total, found.likest)
        if said == SILENT:
            return [], said
        best.sort(key=lambda one: is_ended(self._marks.of(one.standing.fact)))
        hits = []
        for one in best[:limit]:
            log = None if one.before else self._brought(one.scored.row)[1]
            hit = self.hit(one.standing.fact.id, level, log)
            if hit is not None:
                hits.append(hit.scored(one.scored, explain, hit.mark.weight))
        # they come by their scores: of equal ones what a person decided goes first
        return sorted(hits, key=lambda hit: (-hit.score, hit.known.word != DECIDED)), said

    def hit(self, fact: str, level: str, log: LogRow | None = None) -> Hit | None:
        """Return a fact as a hit, None where it may not be shown.

        `log` is the one whose text of it was found; None for the text that stands.
        """
        found = self._wanted(fact, log)
        if found is None:
            return None
        known, mark = found.fact.seen(now_ms()), self.mark(fact)
        stem, date, tier = _stem(known, log), _date(known, log), found.tier
        agent = log.agent if log and log.stem == stem else self._agent(stem)
        before = mark.whole or ("contradicted" if known.contradicted else "")
        line = one_line(f"{before}: {known.text}" if before else known.text) + mark.behind
        known_by = testimony(known, self._cache.header, self._cache.some_histories)
        by = f"({stem}, {known_by.said or agent or NOBODY})"
        head = f"{fact}  {known.kind}  {tier}  uses {known.uses}"
        dates = f"created {known.created or NO_DAY}  last used {known.last_used or NO_DAY}"
        about = [pair for pair in known.meta if pair[0] not in ("kind", "created", ASKED_KEY)]
        told = [f"{head}  {dates}  {by}", *[before] * bool(before)]
        told += [f"{key}: {value}" for key, value in about]
        full = "\n".join([*told, known.text + mark.behind])
        if level == FULL:
            shown = full
        elif level == TIMELINE:
            shown = "\n".join([head, *self._events(known), f"  now: {line}"])
        else:
            shown = f"{fact}  {known.kind}  {tier}  {date or NO_DAY}  {line}  {by}"
        return Hit(
            fact, known.kind, tier, date, stem, agent, 0.0, line, shown,
            tokens_of(shown), tokens_of(full), mark=mark, known=known_by,
        )  # fmt: skip

    def known(self, fact: str) -> Fact | None:
        """Return a fact as it stands at the point that is asked, None where there is none."""
        found = self._standing(fact)
        return None if found is None else found.fact

    def mark(self, fact: str) -> Mark:
        """Say what has to be known before the text of a fact."""
        found = self.known(fact)
        mark = self._marks.on(mark_of(found, self.known, self._met), found)
        if found is None or found.kind != PATTERN_KIND:
            return mark
        from projection.lifecycle.promotion import marked_as

        return marked_as(found, mark, self._cache.policy.learning)

    def _agent(self, stem: str) -> str:
        log = self._index.log(self._index.number_of(stem))
        return "" if log is None else log.agent

    def _stand(self, fact: str) -> Standing | None:
        if self._past is not None:
            return self._past.state.get(fact)
        known = self._cache.fact(fact)
        return None if known is None else self._place(self._shown(known))

    def _wanted(self, fact: str, log: LogRow | None = None) -> Standing | None:
        """Return a fact if it may be shown and the filters let it through.

        `log` is the one whose text of it was found; None for the text that stands.
        """
        filters, found = self._filters, self._standing(fact)
        if found is None or found.fact.redacted:
            return None
        known = found.fact
        if known.kind == QUESTION_KIND and log is not None and QUESTION_KIND not in filters.kinds:
            return None  # it has the words of what is asked, and answers nothing
        if not filters.superseded and (known.false or not (log is None or self._says(known, log))):
            return None
        if not filters.choosy:
            return found
        role = dict(known.meta).get("role", "") or (log.role if log is not None else "")
        asked = ((filters.kinds, known.kind), (filters.tiers, found.tier), (filters.roles, role))
        if any(some and said not in some for some, said in asked):
            return None
        if not (filters.tags or filters.entities):
            return found
        from projection.fold.fact_links import matches_entity, matches_tag

        tagged = not filters.tags or any(matches_tag(known, tag) for tag in filters.tags)
        about = not filters.entities or any(matches_entity(known, e) for e in filters.entities)
        return found if tagged and about else None

    def candidates(self, found: Iterable[Scored], most: int) -> list[Candidate]:
        """Return the facts that stand for some texts, as a search scored them, if they may be shown.

        Texts are left out that can not be, nor change, one of the best `most` that are told unasked.
        """
        candidates, sure, most = list[Candidate](), list[float](), max(most, NINTH + 1)
        texts = [*found] if self._cache.some_followed() else []
        followed = self._cache.followed([self._brought(one.row)[0] for one in texts])
        for scored in texts or found:
            fact, log = self._brought(scored.row)
            ordinary = fact not in followed
            if ordinary and len(sure) >= most and sure[-most] > scored.score * RULES.live**2:
                if not followed:
                    break
                continue
            stand = [standing := self._wanted(fact, log)]
            before = standing is None and not self._filters.by_log
            known = self.known(fact) if before else None
            if known is not None and known.kind != QUESTION_KIND:
                log = None
                names = instead_of(known, self.known, self._met) if known.false else [fact]
                stand = [self._wanted(name) for name in names]
            for one in stand:
                if one and not (is_question(scored.row) and self._is_old(fact, scored.row)):
                    candidates.append(Candidate(scored, one, _date(one.fact, log), before))
                    apart = says_personal(one.fact.meta) or is_ended(self._marks.of(one.fact))
                    if ordinary and log is not None and not apart:
                        insort_right(sure, scored.score * lasting(one))
        return candidates

    def _brought(self, row: int) -> tuple[str, LogRow | None]:
        """Return the fact of a row, and the log that brought this text; None where it holds questions."""
        log, piece = self._index.at(row) or (None, None)
        return piece.fact if piece else "", None if is_question(row) else log

    def _says(self, fact: Fact, log: LogRow) -> bool:
        """Tell whether a log says a text that stands, as who adds a footer to it does, too."""
        if log.stem in [version.stem for version in fact.heads]:
            return True
        texts = {version.text for version in fact.heads}
        sizes = {len(text) for text in texts}
        if not any(id == fact.id and size in sizes for id, size in zip(*log.facts, strict=True)):
            return False
        entry = self._cache.entry(log.stem)
        return entry is not None and any(
            isinstance(act, FactCreated | FactUpdated) and act.id == fact.id and act.text in texts
            for act in entry.acts
        )

    def _is_old(self, fact: str, row: int) -> bool:
        """Tell whether what was asked before a fact was found stands behind the newest such rows."""
        stem = self._index.stemmer.each([fact])[0][0]
        all_say_its_id, _ = self._index.found([stem], True)[stem]
        rows = sorted({*filter(is_question, all_say_its_id)})
        newest = [
            one
            for one in reversed(rows)
            if (there := self._index.at(one)) is not None and there[1].fact == fact
            if self.logs is None or there[0].stem in self.logs
        ]
        return row not in newest[:QUESTIONS]

    def _events(self, fact: Fact) -> list[str]:
        """Say what happened to a fact, oldest first: the newest events of it, one a line."""
        (history,) = self._cache.some_histories([fact.id]).values()
        acts = [act for act in history.acts if self.logs is None or act.stem in self.logs]
        lines = [f"  … {len(acts) - EVENTS} earlier events"] if len(acts) > EVENTS else []
        for stem, _, event, _ in acts[-EVENTS:]:
            day, agent = fact.clock(stem)[:10] or NO_DAY, self._agent(stem) or NOBODY
            lines.append(f"  {day}  {told(event, fact.id)}  ({stem}, {agent})")
        return lines


def _stem(fact: Fact, log: LogRow | None) -> str:
    """Return the log of a fact's text: the one in which it was found, where that one stands."""
    if log is not None and log.stem in [version.stem for version in fact.heads]:
        return log.stem
    return fact.heads[-1].stem


def _date(fact: Fact, log: LogRow | None) -> str:
    """Return the day of a fact's text that was found in a log, or of the one that stands."""
    stem = _stem(fact, log)
    # a text that nothing came before is as old as the fact: an import log is younger than both
    first = not any(version.parents for version in fact.heads if version.stem == stem)
    return fact.created if first and fact.created else fact.clock(stem)[:10]
