"""Find the homes of others that a policy names, where `diurna sync` has put them (FORMAT.md, Y8)."""

from __future__ import annotations

from ledger.git.repository import Repository
from ledger.home import IN_TREE, OWN_REPOSITORY, Home, pointed
from ledger.model.layout import FETCHED_FILE, UPSTREAM_BRANCH, UPSTREAM_DIR
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.policy.model import Policy, Upstream

_NOTE_LIMIT_BYTES = 4096


class Fetched(Record):
    """A home of others as far as it is here."""

    name: str  #: by which the policy calls it
    url: str  #: where its repository is, as the policy has it
    home: Home | None = None  #: it, None where it was never fetched from there
    fetched_at: float = 0.0  #: when it was fetched last, seconds since 1970; 0.0 for never

    def days(self, now: float) -> int:
        """Return how many days ago it was fetched; `now` is in seconds since 1970."""
        return int(max(0.0, now - self.fetched_at) // 86_400)

    def age(self, now: float) -> str:
        """Say how old what is here of it is; `now` is in seconds since 1970."""
        if self.home is None:
            return "never fetched"
        days = self.days(now)
        return f"fetched {days} day{'' if days == 1 else 's'} ago" if days else "fetched today"


def upstream_homes(home: Home, policy: Policy) -> tuple[tuple[str, Home, float], ...]:
    """Return the homes of others that can be read now, nearest first: (name, home, fetched_at).

    Reading one file for each is all it takes; without `[upstream]` it is nothing.
    """
    return tuple(
        [(one.name, one.home, one.fetched_at) for one in upstreams(home, policy) if one.home]
    )


def upstreams(home: Home, policy: Policy) -> tuple[Fetched, ...]:
    """Return all homes of others that a policy names, those too that were never fetched."""
    return tuple([as_fetched(home, one) for one in policy.upstream])


def upstream_folder(home: Home, name: str) -> str:
    """Return the bare repository of one."""
    return f"{home.repository.commondir}/{UPSTREAM_DIR}/{name}.git"


def upstream_repository(home: Home, name: str) -> Repository:
    """Return the bare repository of one; it is ours, so nobody looks for it as for a user's."""
    folder = upstream_folder(home, name)
    return Repository("", folder, folder)


def note_of(url: str, prefix: str, fetched_at: float) -> bytes:
    """Write down from where one was fetched, when, and where in it the home is."""
    return f"{fetched_at:.0f} {prefix or '.'}\n{url}\n".encode()


def as_fetched(home: Home, one: Upstream | Fetched) -> Fetched:
    """Return one as it is here now."""
    nothing = Fetched(one.name, one.url)
    repository = upstream_repository(home, one.name)
    try:
        with open(f"{repository.gitdir}/{FETCHED_FILE}", "rb") as file:
            said = file.read(_NOTE_LIMIT_BYTES).decode("utf-8", "replace")
    except OSError:
        return nothing
    first, _, url = said.partition("\n")
    when, _, prefix = first.partition(" ")
    # a name that stands for another repository now says nothing of the one before
    inside = "" if prefix == "." else pointed(prefix)
    if url.removesuffix("\n") != one.url or not (inside or prefix == ".") or not when.isdigit():
        return nothing
    kind, prefix = (IN_TREE if inside else OWN_REPOSITORY), inside
    there = Home(kind, repository, f"refs/heads/{UPSTREAM_BRANCH}", prefix)
    return Fetched(one.name, one.url, there, float(when))
