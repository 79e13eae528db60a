"""Do what git's hooks are for: publish what a pull brought in.

Published is where a write on the branch publishes (FORMAT.md, M3), and nowhere else: elsewhere it is
committed only on request, and a copy that is written and not committed would stand in the way of the next
pull. What a person is editing is left for a command that the person runs.
"""

from __future__ import annotations

import os
import signal

from ledger.errors import HomeNotFound
from ledger.home import OWN_BRANCH, Home, discover
from memory.api import Memory
from rituals.setup.git_hooks.hook_install import FORMER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

#: When a hook gives up and lets git's user go on; the next command does the rest.
LIMIT_SECONDS = 20
#: How long it may take to end after that.
_GRACE_SECONDS = 3


class TookTooLong(BaseException):
    """The time for a hook is up."""


def republish(
    event: str,
    arguments: tuple[str, ...],
    folder: str,
    environment: Mapping[str, str],
    clock: Callable[[], int],
    *,
    dry_run: bool = False,
) -> str:
    """Publish what a merge or a rebase has left behind; say what was done, "" for nothing.

    The event is the hook that git runs, the arguments are what git tells it; the folder is the working
    directory, for hooks the work tree's top. The clock gives milliseconds since 1970.

    Raises:
        DiurnaError: it could not be done; nothing was changed.
    """
    if event in FORMER or (event == "post-rewrite" and arguments[:1] != ("rebase",)):
        return ""  # an amended commit, with no new logs
    home = _home(folder, environment)
    if home is None:
        return ""
    memory = Memory(home, clock=clock, lasting=False)
    try:
        if not dry_run:
            memory.bring_back()
        cache = memory.cache()
        if not memory.publishes() or cache.policy_problem or cache.unread():
            return ""
        edited = memory.edited()
        if edited:
            return f"{edited[0]} was edited by hand; `diurna check --publish` makes a log of that first"
        if not dry_run:
            memory.drain(held=False)
        files, commit = memory.publish(dry_run=dry_run)
        if dry_run and files:
            return f"would publish {', '.join(files)}"
        return f"published {', '.join(files)} in {commit[:7]}" if commit else ""
    finally:
        memory.close()


def _home(folder: str, environment: Mapping[str, str]) -> Home | None:
    """Return the home that a hook is about, None where there is none, or none in the work tree."""
    try:
        home = discover(folder, named="git hook")
    except HomeNotFound:
        return None  # this branch has none
    named = environment.get("GIT_DIR", "")
    if named and os.path.realpath(os.path.join(folder, named)) != os.path.realpath(
        home.repository.gitdir
    ):
        return None  # git works elsewhere, and this folder is only where it was called
    return None if home.kind == OWN_BRANCH or not home.reference else home


class Limit:
    """Raises `TookTooLong` in the main thread after some seconds; ends the process if even that hangs.

    Args:
        seconds: how long, 0 for the limit of a hook.
    """

    def __init__(self, seconds: int = 0) -> None:
        self._seconds = seconds or LIMIT_SECONDS

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, self._over)
        signal.alarm(self._seconds)

    def __exit__(self, *_: object) -> None:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _over(self, number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_GRACE_SECONDS)
        raise TookTooLong
