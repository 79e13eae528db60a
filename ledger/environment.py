"""The one reader of the clock, the environment's variables and the working directory.

Everything else gets these values from here, or as an argument: a test of the sources sees to it. The time
that stands in a log comes from the caller (`Invocation.now_ms` on the command line), not from here.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType
    from typing import TypeVar

    _Done = TypeVar("_Done")

#: Of Diurna; `pyproject.toml` reads it here.
VERSION = "0.1.0"
#: What git asks which ways to a remote it may take, and a name that is none. A list of the user's would
#: open ways that we close, so that only this one is handed on.
OFFLINE, NOWHERE = "GIT_ALLOW_PROTOCOL", "none"
#: Fixes the time of everything that is recorded and answered.
NOW = "DIURNA_NOW"
#: Seconds on a clock that only goes forward, for limits and pauses.
monotonic = time.monotonic
#: Seconds and nanoseconds since 1970, for the age of files.
now_seconds = time.time
now_ns = time.time_ns
#: The folder in which the process was started; FileNotFoundError where somebody took it away.
working_directory = os.getcwd


def now_ms() -> int:
    """Return milliseconds since 1970; `DIURNA_NOW` fixes them."""
    fixed = os.environ.get(NOW, "")
    return int(fixed) if is_time(fixed) else machine_ms()


def local_ms(year: int, month: int, day: int, *clock: int) -> int:
    """Return milliseconds since 1970 of a local time: hour, minute and second may follow the day.

    A month or a day behind the last one is one of the next year or month.
    """
    hour, minute, second = (*clock, 0, 0, 0)[:3]
    time.tzset()
    return int(time.mktime((year, month, day, hour, minute, second, 0, 0, -1))) * 1000


def local_day(ms: int) -> str:
    """Return the local day of milliseconds since 1970, `YYYY-MM-DD`."""
    time.tzset()
    year, month, day, *_ = time.localtime(ms // 1000)
    return f"{year:04d}-{month:02d}-{day:02d}"


def machine_ms() -> int:
    """Return milliseconds since 1970 by the clock that git and the file system go by."""
    return time.time_ns() // 1_000_000


def is_time(fixed: str) -> bool:
    """Tell whether a text is a number of milliseconds that a clock may show."""
    return fixed.isascii() and fixed.isdigit() and len(fixed) < 15


def variables() -> Mapping[str, str]:
    """Return the environment's variables, as they are at this moment."""
    return os.environ


def stay_offline() -> None:
    """Keep git, and all that it starts, from every remote; it would fetch what a partial clone lacks."""
    os.environ[OFFLINE] = NOWHERE


def is_offline() -> bool:
    """Tell whether this process is kept from every remote."""
    return os.environ.get(OFFLINE) == NOWHERE


def data_folder() -> str:
    """Return where programs keep a user's data (XDG Base Directory Specification)."""
    named = os.environ.get("XDG_DATA_HOME", "")
    return named if named[:1] == "/" else user_folder() + "/.local/share"


def user_folder() -> str:
    """Return the user's home directory; `~` where nobody knows it."""
    return os.path.expanduser("~")


def last_bytes(path: str, most: int) -> bytes:
    """Return so many bytes of a file's end, all where it has fewer, none where it can not be read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most))
            return file.read()
    except OSError:
        return b""


def expanded(path: str) -> str:
    """Return a path with the home directory of a user for the `~` or `~NAME` that it begins with."""
    return os.path.expanduser(path)


class TookTooLong(BaseException):
    """The time is up, by the clock or of the processor."""


def limited(processor: float, clock: float, doing: Callable[[], _Done]) -> _Done:
    """Do something within so many seconds of the processor, and by the clock.

    Raises:
        TookTooLong: it did not end.
    """
    import _signal  # type: ignore[import-not-found]  # `signal` without its enumerations

    _signal.signal(_signal.SIGALRM, _over)
    _signal.signal(_signal.SIGPROF, _over)
    try:
        allow(processor, max(clock, 0.001))
        return doing()
    finally:
        allow(0, 0)


def allow(processor: float, clock: float) -> None:
    """Let what is being done take so many seconds from now on; 0 for as many as it likes."""
    import _signal

    _signal.setitimer(_signal.ITIMER_REAL, clock)
    _signal.setitimer(_signal.ITIMER_PROF, processor)


def _over(number: int, frame: FrameType | None) -> None:

    allow(0, 0)
    raise TookTooLong
