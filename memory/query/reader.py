"""Answer questions about one home: its replayed state, and where everything in it came from.

What only some questions need is imported by them: a short command pays for what it does.
"""

from __future__ import annotations

import os

from ledger.environment import machine_ms
from ledger.errors import NotFound
from ledger.home import PERSONAL, Home
from ledger.model.layout import BRIEF_CHARS, FORMAT_VERSION
from ledger.model.log_names import is_sealed, stem_in
from memory.cache.ledger_version import is_disturbed
from memory.replay.clone_view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeVar

    from ledger.model.log_names import LogRef
    from ledger.model.session import Entry
    from memory.cache.cache_file import Cache
    from memory.recall.recall_values import Answer, Filters
    from memory.recall.recaller import Recaller
    from memory.replay.tip_snapshot import Progress
    from projection.brief.values import Brief
    from projection.document.fact_remarks import Mark
    from projection.fold.fact_history import Fact
    from projection.fold.full_replay import State
    from projection.fold.live_view import LiveView, Standing
    from projection.policy.model import Policy

    Said = TypeVar("Said")
    Asked = TypeVar("Asked", bound="Reader")

#: How much of a stem people read at least: its time to a tenth of a second, which no later log shares.
_TENTH_CHARS = 18


def open_snapshot(home: Home, progress: Progress | None = None) -> View:
    """Return the view of a home, which cleans up after redactions."""
    return View(home, _clean, progress)


def _clean(home: Home, cache: Cache) -> None:
    from memory.repair.redacted_copies import clean  # few ledgers have a redaction

    clean(home, cache)


def hides_text(home: Home) -> Callable[[str], bool]:
    """Return what tells whether a text says again what is withheld in a home; in most nothing is."""
    if not os.path.exists(f"{home.cache_file}.redacted"):
        return lambda _: False
    from memory.redaction.withheld_repeats import withheld_of

    view = open_snapshot(home)
    try:
        telling = view.ask(lambda cache: withheld_of(home, cache))
    finally:
        view.close()
    return telling.repeats if telling else lambda _: False


def undisturbed(home: Home, opened: Callable[[], Asked]) -> Asked | None:
    """Return a home as it is opened for questions; None where there is more to say than their answers."""
    if is_disturbed(home):
        return None
    reader = opened()
    if something_beside(reader.snapshot, None):
        reader.close()
        return None
    return reader


def something_beside(snapshot: View, name: str | None) -> bool:
    """Tell whether a policy or a log can not be read, the format is newer, or a reset left a log."""
    problem, version = snapshot.ask(
        lambda cache: (cache.policy_problem or cache.unread(), cache.policy.format), name
    )
    if problem or version > FORMAT_VERSION:
        return True
    if not snapshot.home.plain:
        return False
    from memory.object_backups import set_back

    return bool(set_back(snapshot.home, snapshot.home.spool, snapshot.tip.cache()))


class Reader:
    """One home, open for questions; none of them writes to the repository.

    Args:
        home: where the ledger lives.
        progress: told how far a long reading is, as (done, total).
        clock: gives milliseconds since 1970, for what is said as `yesterday`.
    """

    def __init__(
        self, home: Home, progress: Progress | None = None, clock: Callable[[], int] | None = None
    ) -> None:
        self.home = home
        self.snapshot = open_snapshot(home, progress)
        self.clock = clock or machine_ms
        self._progress = progress
        self._now: tuple[tuple[str, str], State] | None = None
        self._recaller: Recaller | None = None
        self._beside = False  #: whether it asks other homes, too
        #: which commits brought the logs, where a process that is asked often found that out
        self.origins: Any = None

    def close(self) -> None:
        """Close the cache, and the index of recall."""
        self.snapshot.close()
        if self._recaller is not None:
            self._recaller.close()

    def ask(self, question: Callable[[Cache], Said], *, committed: bool = False) -> Said:
        """Answer a question of the whole memory as of one moment (`Snapshot.ask`).

        Args:
            question: is given the cache, and keeps nothing of it.
            committed: without the logs that wait.
        """
        return (self.snapshot.tip if committed else self.snapshot).ask(question)

    def cache(self) -> Cache:
        """Return the cache as it is now, for a few questions that need not be of one moment."""
        return self.snapshot.cache()

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self.snapshot.tip.cache().policy

    def fact(self, id: str) -> Fact | None:
        """Return one fact by its whole id, without where it stands; None where there is none."""
        return self.ask(lambda cache: cache.fact(id))

    def logs(self, *, committed: bool = False) -> list[tuple[LogRef, Entry]]:
        """Return all logs with what they say, in the order in which the cache met them."""
        return self.ask(lambda cache: cache.entries(), committed=committed)

    def publishes(self, *, reviewing: bool = False) -> bool:
        """Tell whether a write on this branch, a review perhaps, commits the projection with it."""
        from memory.replay.page_publishing import publishes

        return publishes(self.home, self.policy, reviewing=reviewing)

    def short(self, stem: str) -> str:
        """Return a stem as people read it: its start, as much as no other begins with.

        A name written by hand is not shortened. Whatever takes a stem takes that too.
        """
        stem = stem_in(stem)
        if not is_sealed(stem):
            return stem
        begun, size = stem[:_TENTH_CHARS], _TENTH_CHARS
        asked = "SELECT stem FROM logs WHERE stem >= ? AND stem < ?"
        keys = self.ask(lambda cache: cache.column(asked, (begun, begun + "~")))
        others = [key for key in keys if stem_in(key) != stem]
        while stem[size - 1] == "-" or any(key.startswith(stem[:size]) for key in others):
            size += 1
        return stem[:size]

    def named(self, fact: str) -> str:
        """Return the whole id for it or the start of it (`fact_named`); an unknown one as it is."""
        from memory.cache.name_lookup import fact_named

        return self.ask(lambda cache: fact_named(cache, fact))

    def state(self, as_of: str = "") -> State:
        """Return the replayed state, now or as of a time, a stem or a commit.

        Raises:
            NotFound: `as_of` is none of these.
        """
        if as_of:
            from ledger.model.finding_codes import Finding
            from ledger.model.instants import as_of as stem_of
            from memory.replay.state_as_of import not_known, point_in_time, state_at

            point = point_in_time(self.snapshot, stem_of(as_of, self.clock()))
            then = state_at(self.snapshot, point)
            notes = not_known(self.snapshot, point, then)
            self.snapshot.notes += [Finding("as-of-date", said) for said in notes]
            return then

        def now(cache: Cache) -> State:
            from memory.replay.state_as_of import state_of

            key = cache.generation, cache.commit
            if self._now is None or self._now[0] != key:
                self._now = key, state_of(cache)
            return self._now[1]

        return self.ask(now)

    def tip_state(self) -> State:
        """Return the replayed state of what is committed, without the captured logs that wait."""
        if self.snapshot.cache() is self.snapshot.tip.cache():
            return self.state()
        from memory.replay.state_as_of import state_of

        return self.ask(state_of, committed=True)

    def view(self) -> LiveView:
        """Return what `continuity.md` shows, without looking at the archive."""
        return self.ask(lambda cache: cache.view())

    def continuity(self) -> str:
        """Return the replayed `continuity.md`."""
        from projection.document.page_renderer import render

        return render(self.view())

    def bounds(self, since: str, until: str) -> tuple[str, str]:
        """Return two points, each a time as people write it or a stem, as stems or the start of such.

        Raises:
            NotFound: one is neither.
        """
        if not (since or until):
            return "", ""
        from ledger.model import instants

        now = self.clock()
        return instants.since(since, now), instants.until(until, now)

    def marks(self, facts: Iterable[Fact]) -> dict[str, Mark]:
        """Return, by id, which facts are closed or false or name what is gone, and what stands instead."""
        from memory.replay.reader_marks import marked_fact, marks_at

        def mark(cache: Cache) -> dict[str, Mark]:
            known = marks_at(self.home, cache)
            return {one.id: marked_fact(cache, one, known) for one in facts}

        return self.ask(mark)

    def recall(
        self,
        query: str,
        *,
        level: str = "index",
        limit: int = 10,
        filters: Filters | None = None,
        explain: bool = False,
        loose: bool = False,
        model_bytes: float = 0,
    ) -> Answer:
        """Find what answers a question: facts that hold, then passages of session logs, each best first.

        Where the policy names homes of others, some of their facts stand between, under their names.

        Args:
            query: words; `"quoted"` ones must follow each other, `begin*` stands for all words that begin
                so, and what `-word` names must not be there.
            level: how much of each is given: `index` (one line), `timeline` (what is around it), `full`.
            limit: at most so many hits.
            filters: what a hit has to be.
            explain: give the parts of each score.
            loose: facts too that cover little of it: of a task, which asks no question.
            model_bytes: meaning is weighed too, where a model of at most so many bytes is here.

        Raises:
            NotFound: `filters.as_of` is no time, stem or commit, or a bound neither a time nor a stem.
        """
        from memory.recall.recall_values import UPSTREAM, Filters

        asked = filters or Filters()
        if asked.since or asked.until:
            since, until = self.bounds(asked.since, asked.until)
            asked = asked._replace(since=since, until=until)
        if asked.as_of:
            from ledger.model.instants import as_of

            asked = asked._replace(as_of=as_of(asked.as_of, self.clock()))
        return self._recall(beside=asked.yours or asked.within == UPSTREAM).recall(
            query, level=level, limit=limit, filters=asked,
            explain=explain, loose=loose, model_bytes=model_bytes,
        )  # fmt: skip

    def get(self, ids: Sequence[str], *, level: str = "full") -> Answer:
        """Return memories by the ids of hits: of a fact, `STEM:LINE` or `PATH:LINE`, or a stem.

        Raises:
            NotFound: there is none of an id.
        """
        return self._recall(beside=any("/" in one for one in ids)).get(ids, level=level)

    def _recall(self, *, beside: bool) -> Recaller:
        """Return what answers questions, `beside` this home others, too: most have none."""
        beside = beside or bool(self.snapshot.tip.cache().policy.upstream)
        if self._recaller is None or beside > self._beside:
            if self._recaller is not None:
                self._recaller.close()
            self._beside = beside
            if beside:
                from memory.recall.other_homes_recall import Recallers

                self._recaller = Recallers(self.snapshot, self._progress)
            else:
                from memory.recall.recaller import Recaller

                self._recaller = Recaller(self.snapshot, self._progress)
        return self._recaller

    def near_hint(self, fact: str) -> str:
        """Say which ids are spelled nearly like one that is not there."""
        from projection.text.normalize import meant

        name, _, rest = fact.partition("/")
        if name == PERSONAL and rest:
            return f"{rest} with `--home {PERSONAL}` names the fact in your own home"
        alike = meant(fact, self.cache().fact_ids())
        return alike or "`diurna show --list --all` lists all ids, archived ones too"

    def standing(self, fact: str, state: State | None = None) -> Standing:
        """Return one fact where it stands, by its id or the start of it; now, or in a `state` of before.

        Raises:
            NotFound: there is no such fact; the hint names those spelled alike.
        """
        found = (self.state() if state is None else state).get(self.named(fact))
        if found is None:
            raise NotFound(f"there is no fact {fact}", hint=self.near_hint(fact))
        return found

    def asker(self) -> str:
        """Return who asks, as logs name it."""
        from memory.cache.ledger_version import agent_of

        return agent_of(self.home)

    def brief(
        self,
        *,
        budget_chars: int = BRIEF_CHARS,
        role: str = "",
        task: str = "",
        agent: str = "",
        json: bool = False,
        asks: bool = False,
    ) -> Brief:
        """Return what an agent reads at the start of a session, most important first.

        Args:
            budget_chars: how many characters its text may have, all in all; at least 1,000.
            role: whose notes and patterns are wanted too.
            task: what is about to be done, or the id of a task; what has to do with it comes first.
            agent: for whom; "" for who opened this home. What changed is told from its last log on.
            json: it is written as JSON, else as markdown.
            asks: what was asked for in this clone is told: to who works in it, and to nobody else.

        Raises:
            WrongUsage: the budget is too small.
        """
        from memory.brief.brief_maker import Asked, made_for
        from memory.cache.ledger_version import branch_of, changed_files

        asker, branch = agent or self.asker(), branch_of(self.home)
        asked = Asked(asker, role, task, branch, (), budget_chars, json, asks)
        if not task:
            return made_for(self.snapshot, asked)
        from memory.brief.occasional_parts import found_for, passages_for, task_of

        task, words = task_of(self.snapshot, task)
        asked = asked._replace(task=task, changed=changed_files(self.home))
        found, passages = found_for(self.recall, words), passages_for(self.recall, words)
        return made_for(self.snapshot, asked, found, passages)
