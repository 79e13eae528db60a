"""Find the homes that are read beside another one, nearest first: the user's own, then those upstream.

Those upstream are named by a policy, and are where `diurna sync` has put them (Y8). None is
ever written here, and nothing that they hold is kept in the home that is read. What is shown of them
bears their name: `personal/tabs` is the fact `tabs` of the home `--home personal`.
"""

from __future__ import annotations

import os

from ledger.errors import DiurnaError
from ledger.git.repository import Repository, read_reference
from ledger.home import IN_TREE, OWN_REPOSITORY, PERSONAL, Home, has_layers, personal_home, pointed
from ledger.model.ids import sha256
from ledger.model.layout import CACHE_DIR, FETCHED_FILE, UPSTREAM_BRANCH, UPSTREAM_DIR
from ledger.model.log_names import stamp_of
from ledger.model.record import TYPE_CHECKING, Record
from memory.cache.ledger_version import beside

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from memory.cache.cache_file import Cache
    from memory.replay.tip_snapshot import Snapshot
    from projection.policy.model import Policy, Upstream

    Answer = TypeVar("Answer")

_NOTE_LIMIT_BYTES = 4096


class FetchedHome(Record):
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


def upstreams(home: Home, policy: Policy) -> tuple[FetchedHome, ...]:
    """Return all homes of others that a policy names, nearest first, those too that were never fetched."""
    return tuple([as_fetched(home, one) for one in policy.upstream])


def upstream_folder(home: Home, name: str) -> str:
    """Return the bare repository of one; it is ours, so nobody looks for it as for a user's."""
    return f"{home.repository.commondir}/{UPSTREAM_DIR}/{name}.git"


def note_of(url: str, prefix: str, fetched_at: float) -> bytes:
    """Write down from where one was fetched, when, and where in it the home is."""
    return f"{fetched_at:.0f} {prefix or '.'}\n{url}\n".encode()


def as_fetched(home: Home, one: Upstream | FetchedHome) -> FetchedHome:
    """Return one as it is here now."""
    folder, nothing = upstream_folder(home, one.name), FetchedHome(one.name, one.url)
    first, _, url = _note(folder).decode("utf-8", "replace").partition("\n")
    when, _, prefix = first.partition(" ")
    # a name that stands for another repository now says nothing of the one before
    inside = "" if prefix == "." else pointed(prefix)
    if url.removesuffix("\n") != one.url or not (inside or prefix == ".") or not when.isdigit():
        return nothing
    kind, branch = IN_TREE if inside else OWN_REPOSITORY, f"refs/heads/{UPSTREAM_BRANCH}"
    there = Home(kind, Repository("", folder, folder), branch, inside)
    return FetchedHome(one.name, one.url, there, float(when))


def _note(folder: str) -> bytes:
    """Return what `note_of` wrote down; b"" where nothing was fetched."""
    try:
        with open(f"{folder}/{FETCHED_FILE}", "rb") as file:
            return file.read(_NOTE_LIMIT_BYTES)
    except OSError:
        return b""


class Layer(Record):
    """A home that is read beside another one."""

    name: str  #: what its facts are named after: `personal`, or what a policy calls an upstream
    home: Home  #: where it is
    #: the day on which it was brought here, `2026-11-21`; "" where it lives on this machine
    fetched: str = ""

    @property
    def personal(self) -> bool:
        """Whether it is the user's own."""
        return not self.fetched

    def named(self, fact: str) -> str:
        """Return what a fact of it is called where it stands beside others."""
        return f"{self.name}/{fact}"

    def ask(self, question: Callable[[Cache], Answer], empty: Answer) -> Answer:
        """Return what it answers; `empty` where it can not be read, or is personal and does not say so."""
        from contextlib import closing

        from memory.replay.clone_view import View  # a brief that is kept does without

        try:
            with closing(View(self.home, lambda _home, _cache: True)) as snapshot:
                return snapshot.ask(
                    lambda cache: (
                        empty if self.personal > cache.policy.personal else question(cache)
                    )
                )
        except (DiurnaError, OSError):
            return empty  # what is beside must not be in the way; a command in that home says it


def layers_beside(snapshot: Snapshot) -> tuple[Layer, ...]:
    """Return the homes that are read beside one, nearest first; its policy names those upstream."""
    home = snapshot.home
    if not has_layers(home):
        return ()
    own = own_home(home)
    layers = [Layer(PERSONAL, own)] if own is not None else []
    for one in upstreams(home, snapshot.ask(lambda cache: cache.policy)):
        if one.home is not None and one.name != PERSONAL:
            layers.append(Layer(one.name, one.home, stamp_of(int(one.fetched_at * 1000))[:10]))
    return tuple(layers)


def layers_as_of(home: Home) -> str:
    """Say as of when other homes are read beside one, so that two times can be told apart; "" for none.

    Which of those upstream count is for the policy of the home to say.
    """
    own = own_home(home)
    said = []
    if own is not None:
        waits = beside(own)  # before the tip is looked up
        said.append(f"{PERSONAL} {own.tip()}{waits}")
    folder = f"{home.repository.commondir}/{UPSTREAM_DIR}"
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        there = Repository("", f"{folder}/{name}", f"{folder}/{name}")
        try:
            tip = read_reference(there, f"refs/heads/{UPSTREAM_BRANCH}")
        except (OSError, DiurnaError):
            continue  # never fetched
        said.append(f"{name} {_note(there.gitdir).hex()} {tip}")
    return "\0".join(said)


def brief_file(home: Home) -> str:
    """Return where briefs are kept that say something of the user's own home; "" where there is none.

    What is only the user's is not kept below a home that others may look into.
    """
    own = own_home(home)
    if own is None:
        return ""
    name = sha256(os.fsencode(home.cache_file)).hexdigest()[:32]
    return f"{own.repository.commondir}/{CACHE_DIR}/{name}.briefs"


def own_home(home: Home) -> Home | None:
    """Return the user's own home; None where there is none, or it is the one that is asked."""
    try:
        own = personal_home()
    except (DiurnaError, OSError):
        return None
    return None if own is None or own.repository.commondir == home.repository.commondir else own
