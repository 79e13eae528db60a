"""Let the session that asks be silent or heard again; without one every session of the work tree."""

from __future__ import annotations

from memory.write.host_session import HOST_VARIABLES
from rituals.hosts.capture.stamps import sessions
from rituals.hosts.silence import Silence, begin, end, lasting, place_of
from rituals.hosts.transcripts.slices import last_slice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.home import Home

ON, OFF = "on", "off"
#: So long before a transcript has a prompt its hook may have seen it.
_SLACK_MS = 2_000


def hush(home: Home, switch: str, environment: Mapping[str, str], now: int) -> list[Silence]:
    """Begin or end a silence (`ON`, `OFF`, "" to look); return those of the work tree that last.

    Hosts name the session in `environment`; `now` is in milliseconds since 1970.

    Raises:
        StorageFailed: the disk refused.
    """
    commondir, top = home.repository.commondir, place_of(home)
    session = next((environment[one] for one in HOST_VARIABLES if environment.get(one)), "")
    if switch == ON:
        begin(commondir, top, session, _asked_at(commondir, session, now))
    elif switch == OFF:
        end(commondir, top, session, now)
    return lasting(home)


def _asked_at(commondir: str, session: str, now: int) -> int:
    """Return when the request was made in which a session asks for silence: it says what is private."""
    for one in sessions(commondir) if session else ():
        if one.session == session and one.transcript:
            part = last_slice(one.host, one.transcript)
            asked = [turn.when for turn in (part.turns if part else ()) if turn.role == "user"]
            return min(now, (asked[-1] or now) - _SLACK_MS) if asked else now
    return now
