"""Note which facts the session of a host opened by their ids: that is a use of them (FORMAT.md, W13)."""

from __future__ import annotations

from ledger.environment import now_ms, variables, working_directory
from memory.write.host_session import host_session
from memory.write.opened_facts import note_opened
from rituals.hosts.processes import noted_session
from rituals.hosts.silence import is_silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.home import Home


def note(home: Home, ids: Iterable[str], session: str = "") -> None:
    """Note that facts were opened, unless no host's session asked for them, or a silent one.

    What is no id is passed over; `session` is the one that asked, "" for the one of this process.
    """
    named, commondir = tuple(ids), home.repository.commondir
    if not named:
        return
    session = session or host_session(variables()) or noted_session(commondir)
    off = variables().get("DIURNA_HOOKS") == "off"
    if session and not off and not is_silent(commondir, session, working_directory()):
        note_opened(home, session, named, now_ms())
