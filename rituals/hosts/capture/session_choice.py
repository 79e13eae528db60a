"""Choose the sessions of a clone that are to be told, and tell them one after the other."""

from __future__ import annotations

import signal
from contextlib import contextmanager

from ledger.environment import now_ms
from ledger.errors import Busy, NotFound
from rituals.hosts.adapters import HOSTS
from rituals.hosts.capture.boundary import Asked, Outcome, boundary
from rituals.hosts.capture.stamps import forget, seen_of, sessions, told_of, unfinished
from rituals.hosts.capture.untold_session import SPOOL_MS, Pending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memory.api import Memory
    from rituals.hosts.capture.stamps import Seen

#: How long a child that nobody waits for may take, whatever it hangs on.
_CHILD_SECONDS = 180
#: How long it is noted of a session that nothing is left to tell of.
STAMPS_MS = 30 * 24 * 3_600_000


def capture(memory: Memory, asked: Asked, environment: Mapping[str, str]) -> Iterator[Outcome]:
    """Tell one session, or without one all that were seen behind where they were told last.

    Without a session those of all hosts are told, or of the host that is named.

    Raises:
        NotFound: no hook saw the session, so that nobody knows of which host it is.
        StorageFailed: the disk refused; what was not told is told the next time.
    """
    commondir = memory.home.repository.commondir
    if asked.session and asked.host:
        chosen = [seen_of(commondir, asked.host, asked.session)]
    else:
        known = [one for one in sessions(commondir) if one.host in HOSTS]
        chosen = [one for one in known if asked.session in (one.session, "")]
        chosen = [one for one in chosen if asked.host in (one.host, "")]
        if asked.session and not chosen:
            raise NotFound(
                f"no hook saw a session {asked.session}",
                hint="say which host's it is, and where its transcript is: --host, --transcript",
            )
        if not asked.session:
            chosen = [one for one in chosen if _is_behind(commondir, one)]
    for one in chosen:
        yield boundary(memory, asked._replace(host=one.host, session=one.session), environment)
    if not asked.dry_run:
        tidy(memory)


def capture_past(
    memory: Memory, found: Iterable[Seen], environment: Mapping[str, str], *, dry_run: bool
) -> Iterator[Outcome]:
    """Tell sessions that were held before hooks were there; what is told already is left out.

    `rituals.hosts.capture.past_sessions` finds them.
    """
    for one in found:
        asked = Asked(one.host, one.session, one.transcript, "past", dry_run, one.at, one.folder)
        yield boundary(memory, asked, environment)


def catch_up(memory: Memory, asked: Asked, environment: Mapping[str, str]) -> Iterator[Outcome]:
    """Tell the sessions that are over, or rest; never one that is alive, nor the one that asks."""
    for one in unfinished(memory.home.repository.commondir):
        if one.host in HOSTS and (one.host, one.session) != (asked.host, asked.session):
            try:
                yield boundary(memory, Asked(one.host, one.session, why=asked.why), environment)
            except Busy:
                continue  # another child is at it
    tidy(memory)


def tidy(memory: Memory) -> None:
    """Remove the spools that the ledger has everything of, and in the end their stamps."""
    commondir = memory.home.repository.commondir
    for one in sessions(commondir):
        if one.at < now_ms() - SPOOL_MS and not _is_behind(commondir, one):
            left = Pending(memory.snapshot, one.host, one.session, "", {})
            left.sweep()
            if one.at < now_ms() - STAMPS_MS and not left.spool_size():
                forget(commondir, one.host, one.session)


@contextmanager
def limited(*, unasked: bool) -> Iterator[None]:
    """End this process when its time is up, if it is a hook's child that nobody asked for or waits for."""
    if unasked:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_CHILD_SECONDS)
    try:
        yield
    finally:
        if unasked:
            signal.alarm(0)


def _is_behind(commondir: str, one: Seen) -> bool:
    return told_of(commondir, one.host, one.session).at < one.at
