"""Define what a sync did, as a value."""

from __future__ import annotations

from ledger.model.finding_codes import Finding
from ledger.model.record import Record
from ledger.remote.remote import Remote
from memory import CHANGES, Change, SyncPlan


class Brought(Record):
    """What a fetch brought of one home of others."""

    name: str  #: by which the policy calls it
    url: str  #: where it is, as it may be printed
    logs: int = 0  #: how many logs of it are here now
    new: int = 0  #: how many of them were not before
    problem: str = ""  #: why it was not fetched, "" when it was


class Report(Record):
    """What a sync did."""

    remote: str  #: with which, as it may be printed
    branch: str  #: the branch there
    commit: str  #: the tip here now
    came: tuple[str, ...] = ()  #: stems of the logs that came
    agents: int = 0  #: how many agents wrote them
    went: int = 0  #: how many logs went
    learned: tuple[Change, ...] = ()  #: what came changed in memory
    tries: int = 0  #: how many pushes it took, 0 for none
    offline: str = ""  #: why the remote was not reached, "" when it was
    ahead: int = 0  #: how many commits the remote has not got
    findings: tuple[Finding, ...] = ()  #: what a person should know
    dry_run: bool = False  #: whether nothing but the fetch was done
    upstreams: tuple[Brought, ...] = ()  #: what came of homes of others
    ended: tuple[str, ...] = ()  #: facts that ended, and are recorded so now, a line each
    #: how many logs are not sent, since nobody said so of a home that is only the user's
    kept: int = 0
    #: what git has to do, since there are commits of code beside memory; "" for nothing
    left: str = ""

    @property
    def beside(self) -> tuple[str, ...]:
        """What was done beside the exchange of logs, and what is left to git, a line each."""
        did = "would record" if self.dry_run else "recorded"
        ended = [f"{did}  {one}" for one in self.ended]
        return (*ended, f"left  {self.left}") if self.left else tuple(ended)

    @property
    def counts(self) -> dict[str, int]:
        """Of how many facts each of `CHANGES` is said."""
        return {one: sum(one in said for said, _, _ in self.learned) for one in CHANGES}

    @property
    def changed(self) -> str:
        """What memory learned, in words: `2 facts new, 1 superseded, 1 contradiction`."""
        contested = (counts := self.counts).pop("contradiction")
        parts = [f"{count} {word}" for word, count in counts.items() if count]
        if parts:
            count, word = parts[0].split(" ")
            parts[0] = f"{count} fact{'s' * (count != '1')} {word}"
        if contested:
            parts.append(f"{contested} contradiction{'s' * (contested != 1)}")
        return ", ".join(parts)


def left(plan: SyncPlan, remote: Remote, branch: str) -> str:
    """Say what git has to do for the logs that code stands beside, "" where no log waits for it.

    The plan is of a sync that stopped at commits of code; the branch is ours.
    """
    count = len(plan.came) if plan.there else plan.went
    logs = f" with {count} log{'s' if count != 1 else ''}" if count else ""
    if plan.there:
        return (
            f"{remote.shown} has commits of code ({plan.there}): `git pull` brings them{logs}; "
            "nothing was joined or sent"
        )
    if not plan.theirs:
        push = f"git push -u {remote.shown} {branch}"
        return f"{remote.shown} has no branch {branch}: your own `{push}` makes it, with its logs"
    if not plan.went:
        return ""
    return (
        f"{branch} has commits of code that {remote.shown} has not ({plan.here}): "
        f"your own `git push` sends them{logs}"
    )
