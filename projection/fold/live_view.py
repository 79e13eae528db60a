"""Define the projection as a value: facts with their tiers, and the numbers that the files show.

A tier is decided by counting work logs, never by scores (section 5 of the format). Everything is a
comparison of stems with cuts (`DecayClock`), so a tier costs no count; only the archive page of a faded
fact needs the list of work logs.
"""

from __future__ import annotations

from _bisect import bisect_left, bisect_right
from _operator import itemgetter

from ledger.model.event import FactVerified
from ledger.model.ids import sha256
from ledger.model.layout import quarter_of
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import Entry
from projection.fold.fact_history import Fact
from projection.policy.model import Policy, Windows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TIERS = ("core", "working", "active", "archive-candidate", "archived", "superseded")
#: The tiers whose facts never stand in `continuity.md`.
ARCHIVED_TIERS = ("archived", "superseded")

#: Why a fact stands in the archive.
FADED, SUPERSEDED, INVALIDATED, CLOSED = "faded", "superseded", "invalidated", "closed"
#: The same: a person put it away.
BY_HAND = "archived"


class DecayClock(Record):
    """Where the ledger stands, counted in work logs and work days.

    A cut for a window of k is the stem of the (k+1)-th newest work log, "" if there are fewer, or the
    (d+1)-th newest work day where the window asks for d days and that is less: a fact has not passed the
    window exactly when its anchor is not below that cut.
    """

    sessions: int
    working: str
    active: str
    archive: str


class Standing(Record):
    """A fact where it stands now. `reason` is "" for a live fact, else why it is archived.

    `quarter` is the archive page of an archived fact, `YYYY-Qn`, "" for a live one.
    """

    fact: Fact
    tier: str
    reason: str = ""
    quarter: str = ""

    @property
    def live(self) -> bool:
        """Whether it stands in `continuity.md`."""
        return not self.reason


class Summary(Record):
    """What the state block and the machine line of `continuity.md` say of the ledger.

    Stems are "" where there is none. `digest` is the 64 hex digits of the set of logs.
    """

    logs: int
    sessions: int
    newest: str
    digest: str
    last_session: str = ""
    last_agent: str = ""
    last_review: str = ""
    last_check: str = ""
    clock: str = ""  #: when the newest was written, by its writer's clock: a stamp, or its name


class LiveView(Record):
    """All that `continuity.md` shows: enough to render it without the archive.

    `live` are the live standings, in any order; `contradictions` the ids of contradicted facts with
    their facts; `tiers` counts all facts by tier, in the order of `TIERS`.
    """

    summary: Summary
    policy: Policy
    live: tuple[Standing, ...]
    contradicted: tuple[Fact, ...]
    tiers: tuple[int, ...]


_MODULUS = 1 << 256
NOTHING = Summary(0, 0, "", "0" * 64)


def log_digest(stem: str, blob: str) -> int:
    """Return one log's term of the digest of the set; `blob` is the git id of its bytes, 40 hex digits."""
    return int.from_bytes(sha256(f"{stem} {blob}".encode()).digest(), "big")


def set_digest(terms: Iterable[int]) -> str:
    """Return the digest of a set of logs: the sum of the terms modulo 2^256, as 64 hex digits.

    A sum (AdHash, Bellare and Micciancio 1997), so the digest of a union follows from those of its
    parts in any order.
    """
    return f"{sum(terms) % _MODULUS:064x}"


def summarise(entries: Iterable[Entry], digest: str) -> Summary:
    """Summarise a set of logs whose digest is known."""
    logs = sorted(entries, key=itemgetter(0))
    work = [entry for entry in logs if entry.work]
    reviews = [entry.stem for entry in logs if entry.type == "review"]
    checks = [
        entry.stem for entry in logs for event in entry.acts if isinstance(event, FactVerified)
    ]
    newest, clock = (logs[-1].stem, logs[-1].clock) if logs else ("", "")
    last, agent = (work[-1].stem, work[-1].agent) if work else ("", "")
    review, check = "".join(reviews[-1:]), "".join(checks[-1:])
    return Summary(len(logs), len(work), newest, digest, last, agent, review, check, clock)


def merge_summaries(a: Summary, b: Summary) -> Summary:
    """Summarise the union of two disjoint sets of logs."""
    last = max(a, b, key=lambda one: one.last_session)
    return Summary(
        a.logs + b.logs,
        a.sessions + b.sessions,
        max(a.newest, b.newest),
        set_digest((int(a.digest, 16), int(b.digest, 16))),
        last.last_session,
        last.last_agent,
        max(a.last_review, b.last_review),
        max(a.last_check, b.last_check),
        max(a, b, key=lambda one: one.newest).clock,
    )


_DATE_CHARS = 10  # of a stem


def newest_dates(work: Sequence[str], count: int, number: int) -> list[str]:
    """Return the last work days among the first so many work logs, ascending, at most so many."""
    found: list[str] = []
    while count and len(found) != number:
        found.insert(0, work[count - 1][:_DATE_CHARS])
        count = bisect_left(work, found[0], 0, count)
    return found


def clock_at(work: Sequence[str], count: int, dates: Sequence[str], windows: Windows) -> DecayClock:
    """Read the clock off the newest work logs and the newest work days.

    `work` are stems of work logs, in ledger order, and `count` is how many of them have happened;
    `dates` are the newest days of those, ascending; more than the windows ask for change nothing.
    """

    def cut(window: int, days: int) -> str:
        stem = work[count - 1 - window] if count > window else ""
        if not days:
            return stem
        return min(stem, dates[-1 - days] if len(dates) > days else "")

    return DecayClock(count, *[cut(*windows.of(name)) for name in DecayClock._fields[1:]])


class Decay:
    """The work of a ledger, as the windows of a policy divide it.

    Args:
        work: the stems of all work logs, in ledger order.
        windows: of the policy.
    """

    def __init__(self, work: Sequence[str], windows: Windows) -> None:
        self.work = work
        self._windows = windows
        self._days: tuple[list[str], list[int]] | None = None

    def clock(self, session: int = -1) -> DecayClock:
        """Return where the ledger stood after so many work logs, -1 for all."""
        count = len(self.work) if session < 0 else session
        dates = newest_dates(self.work, count, self._windows.longest_days)
        return clock_at(self.work, count, dates, self._windows)

    def passed(self, stem: str, window: str, position: int = -1) -> int:
        """Return the number of the work log with which a window has passed since a stem.

        It is greater than the number of work logs where that is still to come. `stem` is of a log, or a
        date; `window` is `working`, `active` or `archive`; `position` is how many work logs there are
        up to the stem, where that is known.
        """
        count, days = self._windows.of(window)
        session = (bisect_right(self.work, stem) if position < 0 else position) + count + 1
        if not days:
            return session
        dates, firsts = self._work_days()
        at = bisect_right(dates, stem[:_DATE_CHARS]) + days
        return max(session, firsts[at] if at < len(firsts) else len(self.work) + 1)

    def days_behind(self, stem: str) -> int:
        """Count the work days later than that of a stem."""
        dates, _ = self._work_days()
        return len(dates) - bisect_right(dates, stem[:_DATE_CHARS])

    def _work_days(self) -> tuple[list[str], list[int]]:
        """Return all work days, and the number of the first work log of each."""
        if self._days is None:
            dates: list[str] = []
            firsts: list[int] = []
            for number, stem in enumerate(self.work, 1):
                if not dates or stem[:_DATE_CHARS] != dates[-1]:
                    dates.append(stem[:_DATE_CHARS])
                    firsts.append(number)
            self._days = dates, firsts
        return self._days


#: What a thread that is open is lifted to when rules 5 to 8 would give less.
_PINNED = ("working", "active")


def never_decaying(policy: Policy) -> frozenset[str]:
    """Return the names of the kinds that never fade."""
    return frozenset(kind.name for kind in policy.kinds if not kind.decays)


def tier(fact: Fact, clock: DecayClock, lasting: frozenset[str]) -> str:
    """Return the tier of a fact; first match wins (format, section 5).

    `lasting` are the kinds that never decay (`never_decaying`).
    """
    if fact.superseded_by or fact.invalidated_at:
        return "superseded"
    if fact.archived_at:
        return "archived"
    if fact.promoted or fact.kind in lasting:
        return "core"
    found = tier_by_age(fact.anchor, fact.young, clock)
    if fact.open and found not in _PINNED:
        return "active"
    return found


def tier_by_age(anchor: str, young: str, clock: DecayClock) -> str:
    """Return the tier of a fact that only grows old, by its `anchor` and its `young`."""
    if young and young >= clock.working:
        return "working"
    if anchor >= clock.active:
        return "active"
    return "archive-candidate" if anchor >= clock.archive else "archived"


def stand(
    fact: Fact, clock: DecayClock, lasting: frozenset[str], decay: Decay | None = None
) -> Standing:
    """Place a fact: its tier, and for an archived one why and on which page.

    `lasting` are the kinds that never decay; `decay` is of all work logs, and None leaves the page of a
    faded fact open ("").
    """
    found = tier(fact, clock, lasting)
    if fact.superseded_by:
        return Standing(fact, found, SUPERSEDED, quarter_of(fact.superseded_at))
    if fact.invalidated_at:
        return Standing(fact, found, INVALIDATED, quarter_of(fact.invalidated_at))
    if fact.archived_at:
        return Standing(fact, found, BY_HAND, quarter_of(fact.archived_at))
    swept = fact.closed and fact.closed_at < clock.archive
    if not swept and found != "archived":
        return Standing(fact, found)
    if decay is None:
        return Standing(fact, found, CLOSED if fact.closed else FADED)
    crossings = []
    if swept:
        crossings.append(decay.passed(fact.closed_at, "archive"))
    if found == "archived":
        crossings.append(decay.passed(fact.anchor, "archive"))
    quarter = quarter_of(decay.work[min(crossings) - 1])
    return Standing(fact, found, CLOSED if fact.closed else FADED, quarter)


def live_view(
    summary: Summary,
    policy: Policy,
    clock: DecayClock,
    facts: Iterable[Fact],
    contradicted: Iterable[Fact],
    counts: tuple[int, int],
) -> LiveView:
    """Return what `continuity.md` shows.

    `facts` are all that may be live, any other is archived or false, and `contradicted` those of which
    that is to be told, both in any order; `counts` is how many facts there are in all, and how many of
    them are false.
    """
    lasting = never_decaying(policy)
    tiers = dict.fromkeys(TIERS, 0)
    live: list[Standing] = []
    for fact in facts:
        standing = stand(fact, clock, lasting)
        tiers[standing.tier] += 1
        if not standing.reason:
            live.append(standing)
    total, false = counts
    rest = total - sum([count for name, count in tiers.items() if name not in ARCHIVED_TIERS])
    tiers["archived"], tiers["superseded"] = rest - false, false
    live.sort(key=lambda standing: standing.fact.id)
    shown = sorted(contradicted, key=lambda fact: fact.id)
    return LiveView(summary, policy, tuple(live), tuple(shown), tuple(tiers.values()))
