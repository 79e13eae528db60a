"""What others have: logs that are nowhere but here, and clocks that disagree (F1, F2)."""

from __future__ import annotations

from ledger.findings import Finding
from ledger.layout import stem_of
from ledger.order import is_stem, stamp_of
from ledger.repository import read_reference, remote_branches
from memory.record import ahead_by_a_day
from rituals.doctor.case import Noticed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.home import Home
    from rituals.doctor.case import Case

_WEEK_MS = 7 * 24 * 3600 * 1000


def tracking_branch(home: Home) -> str:
    """Return the remote-tracking reference of the home's branch, "" where there is none."""
    if not home.reference:
        return ""
    said = home.repository.git().run(
        "rev-parse", "--symbolic-full-name", f"{home.branch}@{{upstream}}", check=False
    )
    name = said.decode("utf-8", "surrogateescape").strip()
    return name or next(iter(remote_branches(home.repository, home.branch)), "")


def unsent_noticed(case: Case) -> Iterator[Noticed]:
    """Tell of logs older than a week that no remote has, as far as this clone knows."""
    home = case.home
    if not home.repository.git().run("remote", check=False).strip():
        return  # nobody to share with is no fault
    upstream = tracking_branch(home)
    before = stamp_of(case.now_ms - _WEEK_MS)
    there = _stems(case, read_reference(home.repository, upstream) if upstream else "")
    old = sorted(stem for stem in _stems(case, home.tip()) - there if stem < before)
    if not old:
        return
    many = "1 log" if len(old) == 1 else f"{len(old)} logs"
    verb = "is" if len(old) == 1 else "are"
    where = upstream.removeprefix("refs/remotes/")
    told = f"not in {where}" if where else f"on no remote: {home.branch} was never pushed"
    yield Noticed(
        Finding(
            "not-pushed",
            f"{many} of more than a week ago {verb} {told}; the oldest is {old[0]}",
            hint="`diurna sync` shares them",
        )
    )


def clock_noticed(case: Case) -> Iterator[Noticed]:
    """Tell that this clock is far behind the newest log, here or as the remote was last seen."""
    home = case.home
    upstream = tracking_branch(home)
    tips = [("", home.tip())]
    if upstream:
        name = upstream.removeprefix("refs/remotes/")
        tips.append((f" of {name}", read_reference(home.repository, upstream)))
    told = ""
    for whose, tip in tips:
        newest = max(_stems(case, tip), default="")
        if newest and newest != told and ahead_by_a_day(newest, case.now_ms):
            told = newest
            yield Noticed(
                Finding(
                    "clock-ahead",
                    f"the newest log{whose}, {newest}, is more than a day ahead of this clock, which "
                    f"says {stamp_of(case.now_ms)[:15]} UTC",
                    hint="check both clocks; no log is lost by it, and later ones sort after it",
                )
            )


def _stems(case: Case, tip: str) -> set[str]:
    if not tip:
        return set()
    rows = case.listing(tip).rows
    return {stem for _, _, path in rows if is_stem(stem := stem_of(path))}
