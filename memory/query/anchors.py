"""Read what a timeline is asked about, and how far it reaches, as a person says it."""

from __future__ import annotations

from ledger.errors import NotFound, WrongUsage
from ledger.model.ids import is_fact_id
from ledger.model.order import is_date, is_stem, milliseconds_of
from ledger.model.record import Record
from memory.cache.range_queries import log_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.cache.file import Cache
    from memory.recall.values import Answer

NOW, DATE, SESSION, FACT, QUERY = "now", "date", "session", "fact", "query"
_UNIT_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_DAY_MS = 86_400_000
_MOST_DIGITS = 6


class Anchor(Record):
    """What a timeline is around.

    Args:
        asked: as it was said.
        kind: `now`, `date`, `session`, `fact`, or `query` for the best hit of one.
        id: of the fact, or the stem; "" for a date.
        spans: the stretches of time it takes, first and last millisecond since 1970, in order.
        stems: the logs that it stands in.
    """

    asked: str
    kind: str
    id: str
    spans: tuple[tuple[int, int], ...]
    stems: tuple[str, ...] = ()


def duration_ms(said: str) -> int:
    """Read how long something is: `30m`, `48h`, `7d`, `2w`; return milliseconds.

    Raises:
        WrongUsage: it is nothing like that.
    """
    number, unit = said[:-1], said[-1:]
    if not (
        number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS and unit in _UNIT_MS
    ):
        raise WrongUsage(
            f"{said!r} is no length of time",
            hint="write 30m, 48h, 7d or 2w: minutes, hours, days, weeks",
        )
    return int(number) * _UNIT_MS[unit]


def named_anchor(cache: Cache, asked: str) -> Anchor | None:
    """Find what an anchor names: the newest log for "", a date, a log or a fact; None for anything else.

    Args:
        cache: of the commit.
        asked: as it was said.

    Raises:
        NotFound: it has the form of a stem, and there is no such log, or several begin so.
        WrongUsage: it has the form of a date with a time of day, and is none.
    """
    if not asked:
        newest = cache.summary.newest
        return _logs(asked, NOW, newest, (newest,) if newest else ())
    when = _instant(asked)
    if when is not None:
        return Anchor(asked, DATE, "", (when,))
    if is_stem(asked.partition(":")[0]):
        ref = log_named(cache, asked)
        return _logs(asked, SESSION, ref.stem, (ref.key,))
    stems = _stems_of(cache, asked) if is_fact_id(asked) else ()
    return _logs(asked, FACT, asked, stems) if stems else None


def answer_anchor(cache: Cache, asked: str, answer: Answer) -> Anchor:
    """Take the best hit of a question as the anchor.

    Raises:
        NotFound: nothing answers it.
    """
    if not answer.hits:
        raise NotFound(
            f"nothing is named {asked}, and nothing answers to it",
            hint="`diurna show` lists facts, `diurna log` sessions; a date is written 2026-11-21",
        )
    best = answer.hits[0]
    return _logs(asked, QUERY, best.id, _stems_of(cache, best.id) or (best.stem,))


def _instant(asked: str) -> tuple[int, int] | None:
    """Read `2026-11-01` as the whole day, `2026-11-01T12:00` (UTC) as a minute, and on to milliseconds."""
    date, mark, clock = asked.partition("T")
    if not is_date(date):
        return None
    begin = milliseconds_of(date)
    if not mark:
        return begin, begin + _DAY_MS - 1
    clock, dot, fraction = clock.removesuffix("Z").partition(".")
    parts = clock.split(":")
    digits = "".join(parts) + fraction
    right = (
        len(parts) in (2, 3)
        and all(len(part) == 2 for part in parts)
        and digits.isascii() and digits.isdigit()
        and (not dot or (len(parts) == 3 and 1 <= len(fraction) <= 3))
        and parts[0] < "24" and parts[1] < "60" and parts[2:] < ["60"]
    )  # fmt: skip
    if not right:
        raise WrongUsage(
            f"{asked} is no time of day",
            hint="write 2026-11-01T12:00 or 2026-11-01T12:00:30, in UTC",
        )
    seconds = int(parts[2]) if len(parts) == 3 else 0
    begin += (int(parts[0]) * 60 + int(parts[1])) * 60_000 + seconds * 1000
    begin += int(fraction.ljust(3, "0")) if fraction else 0
    return begin, begin + (59_999 if len(parts) == 2 else 0 if fraction else 999)


def _stems_of(cache: Cache, fact: str) -> tuple[str, ...]:
    """Return the logs in which something happened to a fact, and the last that used it, in order."""
    history = cache.some_histories([fact]).get(fact)
    if history is None:
        return ()
    stems = {act.stem for act in history.acts} | ({history.last} if history.last else set())
    return tuple(sorted(stems))


def _logs(asked: str, kind: str, id: str, stems: tuple[str, ...]) -> Anchor:
    instants = sorted({milliseconds_of(stem) for stem in stems})
    return Anchor(asked, kind, id, tuple([(at, at) for at in instants]), stems)
