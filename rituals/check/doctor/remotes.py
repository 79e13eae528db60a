"""Check what others lack, and whether clocks disagree (fault:F1, fault:F2)."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.git.repository import read_reference, remote_branches
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import stem_of
from ledger.model.order import ahead_by_a_day, is_stem, stamp_of
from memory.replay.upstream_homes import upstreams
from rituals.check.survey import Survey

#: After how long what is here of another home is called old.
_STALE_DAYS = 30
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


def unsent_noticed(survey: Survey) -> Iterator[Finding]:
    """Tell of logs older than a week that no remote has, as far as this clone knows."""
    home = survey.home
    if not home.repository.git().run("remote", check=False).strip():
        return  # nobody to share with is no fault
    upstream = tracking_branch(home)
    before = stamp_of(survey.now_ms - _WEEK_MS)
    there = _stems(survey, read_reference(home.repository, upstream) if upstream else "")
    old = sorted(stem for stem in _stems(survey, home.tip()) - there if stem < before)
    if not old:
        return
    many = "1 log" if len(old) == 1 else f"{len(old)} logs"
    verb = "is" if len(old) == 1 else "are"
    where = upstream.removeprefix("refs/remotes/")
    told = f"not in {where}" if where else f"on no remote: {home.branch} was never pushed"
    said = f"{many} of more than a week ago {verb} {told}; the oldest is {old[0]}"
    yield Finding("not-pushed", said, hint="`diurna sync` shares them")


def clock_noticed(survey: Survey) -> Iterator[Finding]:
    """Tell that this clock is far behind the newest log of the remote, as it was last seen.

    What is here already is told log by log.
    """
    home = survey.home
    upstream = tracking_branch(home)
    if not upstream:
        return
    there = _stems(survey, read_reference(home.repository, upstream))
    newest = max(there - _stems(survey, home.tip()), default="")
    if newest and ahead_by_a_day(newest, survey.now_ms):
        whose = upstream.removeprefix("refs/remotes/")
        yield Finding(
            "clock-ahead",
            f"the newest log of {whose}, {newest}, is more than a day ahead of this clock, which "
            f"says {stamp_of(survey.now_ms)[:15]} UTC",
            hint="check both clocks; no log is lost, and later ones sort after it",
        )


def upstreams_noticed(survey: Survey) -> Iterator[Finding]:
    """Tell of homes of others that were never fetched, or not for a month."""
    now = survey.now_ms / 1000
    for one in upstreams(survey.home, survey.policy[1]):
        if one.home is None or one.days(now) > _STALE_DAYS:
            said = f"{one.name}, which the policy names as upstream, was {one.age(now)}"
            yield Finding("upstream-stale", said, hint="`diurna sync` fetches it")


def _stems(survey: Survey, tip: str) -> set[str]:
    if not tip:
        return set()
    rows = survey.listing(tip).rows
    return {stem for _, _, path in rows if is_stem(stem := stem_of(path))}
