"""Have done aside what is due, by `rituals.review.background_steps`: in one process that nobody waits for.

Here is what starts it, what is in its way, and what it did last (R13).
"""

from __future__ import annotations

import os

from ledger.environment import now_ms, variables
from ledger.git.repository import head, operation_under_way
from ledger.home import OWN_BRANCH, Home
from ledger.model.layout import MAINTAINED_FILE, POLICY_FILE
from ledger.model.record import Record
from ledger.wal.user_key import digest
from rituals.hosts.session_files import read_record, write_record

DAY_MS = 24 * 3_600_000
#: What did not end is not begun again for so long, but for what is due once a day.
_AGAIN_MS = 10 * 60_000


class Run(Record):
    """What was done last."""

    at: int = 0  #: when it began, milliseconds since 1970; 0 for never
    took_ms: int = 0  #: how long it took
    did: tuple[str, ...] = ()  #: what came of it, in words
    doing: str = ""  #: a step that was begun and did not end, or not yet
    doing_at: int = 0  #: when that was
    daily: int = 0  #: when what is due once a day was begun
    #: the steps that are due once a day, in the order of their last turns
    tried: tuple[str, ...] = ()


def look_after(home: Home, runs: str = "") -> None:
    """Start what does for a home what is due, where anything is; return at once.

    It is called where a session of a host is, and behind no command: whoever calls one may remove the
    repository next. A failure is none of the caller's. `runs` is what the policy says of it, "" where
    that is not at hand. Under a clock that was set by hand nothing is started: it does not tell what was
    written before a commit; nor is it in CI, where nobody comes back.
    """
    environment = variables()
    if "DIURNA_NOW" in environment or environment.get("CI", "").lower() not in ("", "0", "false"):
        return
    now, last = now_ms(), last_run(home)
    if (last.doing and 0 <= now - last.doing_at < _AGAIN_MS) or obstacle(home, runs):
        return
    if is_daily_due(last, now) or is_stale(home):
        from rituals.hosts.capture.detached_process import run

        where = home.folder if home.checked_out else home.repository.where
        try:
            run([], where, module="rituals.review.background_steps")
        except OSError:
            pass


def obstacle(home: Home, runs: str = "") -> str:
    """Say what is in the way of doing it, "" where nothing is."""
    if runs == "off":
        return f'`[background] run = "off"` in {POLICY_FILE}'
    doing = operation_under_way(home.repository) if home.repository.top else ""
    return f"{doing} is in progress" if doing else ""


def is_daily_due(last: Run, now: int) -> bool:
    """Tell whether what is due once a day is due now; a clock that went back puts nothing off."""
    return not 0 <= now - last.daily < DAY_MS


def is_stale(home: Home) -> bool:
    """Tell whether code or ledger moved since it was marked what facts name and the code has not.

    In a partial clone nothing is marked: it has its turn once a day.
    """
    from memory import has_code, read_truths

    if not has_code(home) or home.repository.promisor:
        return False
    own = home.prefix.partition("/")[0] if home.checked_out else ""
    if all(name[:1] == "." or name == own for name in os.listdir(home.repository.top)):
        return False  # the work tree has nothing beside the memory
    kept = read_truths(home)
    return kept is None or (kept.code, kept.tip) != (head(home.repository)[1], home.tip())


def last_run(home: Home) -> Run:
    """Return what was done last for a home; of what can not be read, that nothing was."""
    return read_record(_path(home), Run())


def note_run(home: Home, run: Run) -> None:
    """Note what is done.

    Raises:
        OSError: the disk refused.
    """
    write_record(_path(home), run)


def _path(home: Home) -> str:
    branch = home.reference if home.kind == OWN_BRANCH else ""
    name = digest(os.fsencode(home.prefix), os.fsencode(branch))[:12]
    return f"{home.repository.commondir}/{MAINTAINED_FILE}@{name}"
