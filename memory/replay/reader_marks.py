"""Mark facts and lines of logs with what a reader has to know beside them: one body for all answers.

That is what is closed or false, what they name that a commit took away, which of them ended
(`memory.replay.broken_truth`), and what of them HEAD does not hold (`memory.replay.head_view`). A new sort
of mark is told here, and nowhere else. A log stays as it was written, so whatever shows a line of it says
what is true now.
"""

from __future__ import annotations

from ledger.escape import prose
from ledger.model.event import Event, FactCreated, FactUpdated
from memory.cache.cache_file import Cache
from memory.replay.broken_truth import NOTHING_GONE, truth_of
from memory.replay.head_view import EVERYWHERE, here_known, here_of
from projection.document.fact_remarks import (
    PLAIN,
    REWORDED,
    UNKNOWN,
    Elsewhere,
    Mark,
    Met,
    beginning,
    mark_of,
)
from projection.fold.fact_history import Fact
from projection.policy.model import FINDING_KIND, PATTERN_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ledger.home import Home
    from memory.replay.broken_truth import Lack, Truth
    from memory.replay.head_view import Here
    from memory.replay.tip_snapshot import Snapshot
    from projection.document.fact_remarks import Gone
    from projection.fold.full_replay import State
    from projection.fold.live_view import Standing
    from projection.fold.testimony import Testimony


class Marks:
    """What is gone, ended and elsewhere, for readers.

    Args:
        truth: what is gone, and what ended.
        here: what HEAD has.
    """

    def __init__(self, truth: Truth = NOTHING_GONE, here: Here = EVERYWHERE) -> None:
        self.truth, self.here = truth, here

    def __bool__(self) -> bool:
        """Tell whether any fact is marked."""
        return bool(self.truth) or bool(self.here)

    def of(self, fact: Fact | None) -> tuple[Gone, ...]:
        """Return what there is to say of a fact; nothing of one that is withheld."""
        row = self.here.of(fact)
        gone = self.truth.of(fact)
        return gone if row is None else (_told(row), *gone)

    def named(self, fact: str, text: str) -> tuple[tuple[Gone, ...], str]:
        """Return the same where only the id of a fact is known, and its text; with what holds here."""
        row = self.here.rows.get(fact)
        gone = self.truth.named(fact, text)
        if row is None:
            return gone, text
        return (_told(row), *gone), row.text if row.change == REWORDED else text

    def gone(self, code: str) -> list[Lack]:
        """Return what is gone of one sort, whichever facts say so."""
        return [one for one in self.truth if one.gone.code == code]

    def on(self, mark: Mark, fact: Fact | None) -> Mark:
        """Return a mark with all that."""
        gone, row = self.of(fact), self.here.of(fact)
        if row is None and fact is not None and self.here.is_unknown(fact):
            row = Elsewhere(fact.id, UNKNOWN, "", "", "", "")
        return mark._replace(gone=gone, here=row) if gone or row is not None else mark

    def shown(self, cache: Cache) -> Callable[[Fact], Fact]:
        """Return what gives a fact as it is here (`Here.shown`)."""
        return lambda fact: self.here.shown(cache, fact)

    def few(self, most: int) -> tuple[Marks, str]:
        """Return the marks with so many facts elsewhere, and what there is to say of the others."""
        here, more = self.here.few(most)
        return Marks(self.truth, here), self.here.line or more

    @property
    def said(self) -> str:
        """All of it: what an answer that is kept depends on."""
        return f"{self.truth.said}\0{self.here.said}"


NOTHING_MARKED = Marks()


def marks_at(home: Home, cache: Cache) -> Marks:
    """Return what there is to know of the facts of a home."""
    return Marks(truth_of(home, cache), here_of(home, cache))


def marks_known(home: Home, open_snapshot: Callable[[Home], Snapshot]) -> Marks:
    """Return the same as it was told of this HEAD last; the ledger is opened where none was."""
    here = here_known(home)
    if here is None:
        from contextlib import closing

        with closing(open_snapshot(home)) as snapshot:
            here = snapshot.ask(lambda cache: here_of(home, cache))
    return Marks(truth_of(home), here)


def known_by(cache: Cache, facts: Iterable[Fact]) -> dict[str, Testimony]:
    """Tell by id how facts are known, by the headers of their logs, each of which is read once."""
    from projection.fold.testimony import testimony

    return {one.id: testimony(one, cache.header, cache.some_histories) for one in facts}


def marked_fact(cache: Cache | State, fact: Fact | None, marks: Marks = NOTHING_MARKED) -> Mark:
    """Mark a fact: that it is closed or false, and of a finding whether it is open, fixed or came back.

    `marks` tells what of it the code no longer has, and HEAD does not hold.
    """
    fact = None if fact is None else marks.here.shown(cache, fact)
    mark = marks.on(mark_of(fact, cache.fact, cache.met), fact)
    if fact is None or fact.false:
        return mark
    if fact.kind == PATTERN_KIND:
        from projection.lifecycle.promotion import marked_as

        return marked_as(fact, mark, cache.policy.learning)
    if fact.kind != FINDING_KIND:
        return mark
    from projection.work.reported_findings import state_of

    return mark._replace(said=state_of(fact, cache.some_histories([fact.id]).get(fact.id)))


def as_here(snapshot: Snapshot, standings: Iterable[Standing]) -> list[Standing]:
    """Return facts as HEAD has them (`memory.replay.head_view`)."""
    found = list(standings)
    return snapshot.ask(lambda cache: here_of(snapshot.home, cache).standings(cache, found))


def _told(row: Elsewhere) -> Gone:
    from projection.document.fact_remarks import ELSEWHERE, OTHERWISE, Gone

    return Gone(OTHERWISE if row.holds else ELSEWHERE, prose(row.said), row.point[:7], row.when)


#: So many facts of a log are looked at.
_FACTS = 24
#: A sentence of fewer words says too little to be known again.
_LEAST_WORDS = 2
#: A log that brought a text says it in other words, too: so many of its words tell that, in percent.
_COVERED = 66


class Outdated:
    """What logs say that is not true any more.

    Args:
        cache: of the commit.
        known: finds a fact where it stands at the point that is asked; None for now.
        logs: the keys of those that count, None for all.
    """

    def __init__(
        self,
        cache: Cache,
        known: Callable[[str], Fact | None] | None = None,
        logs: Collection[str] | None = None,
    ) -> None:
        self._cache, self._known, self._logs = cache, known or cache.fact, logs
        self._met: Met = {} if known else cache.met
        apart = known is not None or logs is not None
        self._gone: dict[str, tuple[tuple[str, str], ...]] = {} if apart else cache.gone

    def line(self, key: str, text: str, brought: Iterable[str]) -> str:
        """Return a line of a log, behind what is true in its place (see `mark`)."""
        mark = self.mark(key, text, brought) if text else PLAIN
        return f"{mark.whole}: {text}" if mark.said else text

    def mark(
        self,
        key: str,
        text: str,
        brought: Iterable[str],
        near: Callable[[], Iterable[str]] | None = None,
    ) -> Mark:
        """Mark what is shown of a log by the first fact whose text it states, where that is not true now.

        Args:
            key: of the log.
            text: all that is shown of it.
            brought: the ids of the facts that the log names, first those of which it brought a text.
            near: gives those of others that may be stated there, too.
        """
        own = list(dict.fromkeys(brought))[:_FACTS]
        ids = dict.fromkeys([*own, *(near() if near else ())])
        new = [id for id in ids if id not in self._gone]
        followed = self._cache.followed(new)
        said, words = "", frozenset[str]()
        for id in ids:
            if id not in self._gone:
                self._gone[id] = tuple(self._sentences(id)) if id in followed else ()
            for stem, sentence in self._gone[id]:
                if not said:
                    from projection.text.normalize import index_words, plain

                    said, words = f" {plain(text)} ", frozenset(index_words(text))
                if f" {sentence} " in said:
                    return self._marked(id)
                if stem == key:
                    needed = frozenset(index_words(sentence))
                    if needed and 100 * len(needed & words) >= _COVERED * len(needed):
                        return self._marked(id)
        return PLAIN

    def _sentences(self, id: str) -> Iterable[tuple[str, str]]:
        """Return (log, sentence) of what a fact said once and nobody says now."""
        fact = self._known(id)
        if fact is None or fact.redacted:
            return ()
        told = [
            (act.stem, act.event.text)
            for history in self._cache.some_histories([fact.id]).values()
            for act in history.acts
            if isinstance(act.event, FactCreated | FactUpdated)
            and act.event.text
            and (self._logs is None or act.stem in self._logs)
        ]
        standing = [] if fact.false or fact.closed else [one.text for one in fact.heads]
        if not any(text not in standing for _, text in told):
            return ()
        for name in fact.superseded_by:
            other = self._known(name)
            standing += [] if other is None or other.false else [one.text for one in other.heads]
        holds = {one for text in standing for one in _sentences_of(text)}
        return dict.fromkeys(
            [(key, one) for key, text in told for one in _sentences_of(text) if one not in holds]
        )

    def _marked(self, id: str) -> Mark:
        fact = self._known(id)
        mark = mark_of(fact, self._known, self._met)
        if fact is None or mark.said:
            return mark._replace(said=f"{id} {mark.said}")
        if fact.contradicted:
            return Mark(False, True, (id,), f"{id} is contradicted")
        return Mark(False, True, (id,), f"{id} says now", beginning(fact.text))


def brought_by(events: Iterable[Event]) -> list[str]:
    """Return the ids of the facts of which a log brought a text."""
    return [event.id for event in events if isinstance(event, FactCreated | FactUpdated)]


def _sentences_of(text: str) -> list[str]:
    """Return the sentences of a text as they are compared, but those that say too little."""
    from projection.text.normalize import plain, sentences

    found = [plain(sentence) for sentence in sentences(text)]
    return [one for one in found if one.count(" ") >= _LEAST_WORDS - 1]
