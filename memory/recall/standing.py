"""Facts as hits: where they stand at the commit that is asked, and whether they may be shown."""

from __future__ import annotations

from memory.recall.texts import one_line
from memory.recall.values import Filters, Hit, tokens_of
from memory.states import point_in_time, state_at
from projection.tiers import never_decaying, stand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.cache import Cache
    from memory.recall.index import LogRow
    from memory.snapshot import Snapshot
    from projection.replay import State
    from projection.state import Standing


class Facts:
    """The facts of one reading.

    Args:
        snapshot: of the home.
        cache: of the commit.
        filters: what a hit has to be.
    """

    def __init__(self, snapshot: Snapshot, cache: Cache, filters: Filters) -> None:
        self._cache = cache
        self._filters = filters
        self._clock = cache.clock()
        self._lasting = never_decaying(cache.policy)
        self._state: State | None = None
        #: the logs that count, None for all
        self.logs: frozenset[str] | None = None
        if filters.as_of:
            self._state = state_at(snapshot, filters.as_of)
            how, value = point_in_time(snapshot.home, filters.as_of)
            refs = cache.log_refs() if how == "stem" else snapshot.list_logs(value)[0]
            self.logs = frozenset([ref.key for ref in refs if how == "commit" or ref.key <= value])

    def hit(self, fact: str, log: LogRow | None, level: str) -> Hit | None:
        """Return a fact as a hit, None where it may not be shown.

        Args:
            fact: its id.
            log: the log whose text of it was found; None for the text that stands.
            level: how much is shown.
        """
        found = self._standing(fact)
        if found is None or found.fact.redacted:
            return None
        filters, known = self._filters, found.fact
        stands = log is None or any(version.stem == log.stem for version in known.heads)
        if (known.false or not stands) and not filters.superseded:
            return None
        if not self._wanted(found):
            return None
        stem = log.stem if log is not None and stands else known.heads[-1].stem
        line = one_line(known.text)
        date = stem[:10]
        full = _full(found)
        if level == "full":
            shown = full
        elif level == "timeline":
            shown = self._events(found)
        else:
            shown = f"{fact}  {known.kind}  {found.tier}  {date}  {line}"
        agent = log.agent if log is not None else ""
        return Hit(
            fact, known.kind, found.tier, date, stem, agent, 0.0, line, shown, tokens_of(shown),
            tokens_of(full),
        )  # fmt: skip

    def _standing(self, fact: str) -> Standing | None:
        if self._state is not None:
            return self._state.get(fact)
        found = self._cache.fact(fact)
        if found is None:
            return None
        return stand(found, self._clock, self._cache.policy, self._lasting)

    def _wanted(self, found: Standing) -> bool:
        filters, fact = self._filters, found.fact
        meta = dict(fact.meta)
        return (
            (not filters.kinds or fact.kind in filters.kinds)
            and (not filters.tiers or found.tier in filters.tiers)
            and (not filters.tags or bool(_names(meta.get("tags", "")) & _folded(filters.tags)))
            and (
                not filters.entities
                or bool(_names(meta.get("entity", "")) & _folded(filters.entities))
            )
            and (not filters.roles or meta.get("role", "") in filters.roles)
        )

    def _events(self, found: Standing) -> str:
        fact = found.fact
        lines = [f"{fact.id}  {fact.kind}  {found.tier}"]
        for history in self._cache.some_histories([fact.id]).values():
            for stem, _, event in history.acts[-12:]:
                lines.append(f"  {stem[:10]}  {type(event).__name__}  {stem}")
        lines.append(f"  {one_line(fact.text)}")
        return "\n".join(lines)


def _full(found: Standing) -> str:
    fact = found.fact
    said = [f"{fact.id}  {fact.kind}  {found.tier}  uses {fact.uses}  created {fact.created}"]
    if fact.superseded_by:
        said.append(f"superseded by {', '.join(fact.superseded_by)}")
    if fact.invalidated_at:
        said.append(f"invalidated by {fact.invalidated_at}")
    return "\n".join([*said, fact.text])


def _names(value: str) -> set[str]:
    return {name.strip().casefold() for name in value.split(",") if name.strip()}


def _folded(names: tuple[str, ...]) -> set[str]:
    return {name.casefold() for name in names}
