"""Decide how long to wait at a busy remote, so that everybody's push lands.

A push lands when nobody else's did since the fetch before it. Whoever only adds a log is quicker than
whoever has to join first, so one clone that syncs in a tight loop would keep all others out. Two rules
prevent it: between two pushes a clone leaves the remote alone for some rounds, the longer the more of
others came meanwhile; and who lost waits somewhere in a window that doubles. A round is what lies between
a fetch and the end of the push behind it.

The last push stands in `<common git directory>/diurna/pushed`, with times of the monotonic clock, which
all processes of a machine share. The file can be deleted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from ledger.environment import monotonic
from ledger.errors import DiurnaError
from ledger.home import Home
from ledger.model.layout import PUSHED_FILE
from ledger.model.record import Record
from ledger.remote.remote import Remote
from ledger.wal.atomic_files import replace_file


class Timer(Record):
    """What counts seconds, and what waits for some."""

    monotonic: Callable[[], float] = monotonic
    sleep: Callable[[float], None] = time.sleep


#: Of this machine.
CLOCK = Timer()

#: How much of the time somebody may be between a fetch and a push.
_SHARE = 0.25
#: A clone that comes back later than this is in no tight loop, and never waits.
_TIGHT_ROUNDS = 4
#: The longest turn, in rounds, and the longest wait; the latter also while no one else is to be seen.
_LONGEST_TURN_ROUNDS = 32
_LONGEST_SECONDS = 15.0
_LONGEST_ALONE_SECONDS = 1.0
_SHORTEST_ROUND_SECONDS = 0.05


class Push(Record):
    """The last push of this clone to a remote."""

    at: float  #: when it was, on the monotonic clock
    round_seconds: float  #: how long its round was
    rate: float = 0.0  #: how many logs of others came per second since the push before it


def courtesy(last: Push | None, now: float, came: int) -> float:
    """Return how long to leave the remote to others before the next push.

    Others' pushes and ours shall together take up `_SHARE` of the time: `(rate + 1 / turn) * round`.

    `last` is None when no push is known of; `now` is of the monotonic clock; `came` is how many logs of
    others came since.
    """
    if last is None or not 0 <= now - last.at < _TIGHT_ROUNDS * last.round_seconds:
        return 0.0
    age, seconds = now - last.at, last.round_seconds
    rate = max(last.rate, came / max(age, seconds))
    left = max(_SHARE - rate * seconds, 1 / _LONGEST_TURN_ROUNDS)
    longest = _LONGEST_SECONDS if rate else _LONGEST_ALONE_SECONDS
    return min(max(seconds / left * (0.5 + _chance()) - age, 0.0), longest)


def pause(tried: int, round_seconds: float) -> float:
    """Return how long to wait after a push that lost a race.

    `tried` is how many did, `round_seconds` of that one: a slow remote needs wider windows.
    """
    window: float = max(round_seconds, _SHORTEST_ROUND_SECONDS) * min(
        2**tried, _LONGEST_TURN_ROUNDS
    )
    return _chance() * min(window, _LONGEST_SECONDS)


def last_push(home: Home, remote: Remote) -> Push | None:
    """Return the last push of this clone there, None where nobody knows."""
    try:
        with open(f"{home.repository.commondir}/{PUSHED_FILE}", encoding="utf-8") as file:
            *numbers, tracking = file.read().rstrip("\n").split(" ")
        at, seconds, rate = map(float, numbers)
        return Push(at, seconds, rate) if tracking == remote.tracking else None
    except (OSError, ValueError):
        return None


def note_push(home: Home, remote: Remote, now: float, round_seconds: float, came: int) -> None:
    """Remember a push, behind a fetch that made the folder; a disk that refuses is no reason to fail.

    `now` is of the monotonic clock, `came` how many logs of others came since the push before it.
    """
    last = last_push(home, remote)
    rate = came / max(now - last.at, round_seconds) if last and last.at < now else 0.0
    path = f"{home.repository.commondir}/{PUSHED_FILE}"
    line = f"{now:.3f} {round_seconds:.3f} {rate:.3f} {remote.tracking}\n"
    try:
        replace_file(path, line.encode("utf-8", "surrogateescape"), 0o600)
    except DiurnaError:
        pass


def _chance() -> float:
    """Return a number from 0 to 1."""
    return int.from_bytes(os.urandom(4), "big") / (1 << 32)
