"""Define the projection as a value: facts with their tiers, and the numbers that the files show."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.event import FactVerified
from ledger.model.ids import sha256
from ledger.model.record import Record
from ledger.model.session import Entry
from projection.fold.fact_history import Fact
from projection.policy.model import Policy

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
    logs = sorted(entries, key=lambda entry: entry.stem)
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
