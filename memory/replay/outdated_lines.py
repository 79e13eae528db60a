"""Find what was said in a log that does not hold any more.

A log stays as it was written, so whatever shows a line of it says what is true now.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from ledger.model.event import Event, FactCreated, FactUpdated
from memory.cache.cache_file import Cache
from projection.document.fact_remarks import PLAIN, Mark, Met, beginning, mark_of
from projection.fold.fact_history import Fact

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
        said, words = "", frozenset[str]()
        for id in dict.fromkeys([*own, *(near() if near else ())]):
            for stem, sentence in self._outdated(id):
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

    def _outdated(self, id: str) -> tuple[tuple[str, str], ...]:
        """Return (log, sentence) of what a fact said once and nobody says now."""
        if id not in self._gone:
            fact = self._known(id)
            told = () if fact is None or fact.redacted else self._sentences(fact)
            self._gone[id] = tuple(told)
        return self._gone[id]

    def _sentences(self, fact: Fact) -> Iterable[tuple[str, str]]:
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
