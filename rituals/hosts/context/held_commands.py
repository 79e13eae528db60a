"""Hold a command that breaks a rule, once a session and rule, where the policy and the user say so.

The agent reads why, and runs it again if it is meant.
"""

from __future__ import annotations

from rituals.hosts.adapters import HOSTS
from rituals.hosts.context.moment_answer import rules_broken
from rituals.hosts.moments import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.hosts.context.session_news import Telling
    from rituals.hosts.moments import Moment

_TEXT_CHARS = 300


def held_at(moment: Moment, commondir: str, top: str) -> Telling | None:
    """Return why a command that is about to run is held, None for one that runs.

    `top` is that of the work tree, "" for none.
    """
    if not HOSTS[moment.host].holds:
        return None
    broken = rules_broken(moment, commondir, top)
    if broken is None:
        return None
    from projection.brief.single_line import shortened
    from rituals.hosts.context.session_cursor import Heard
    from rituals.hosts.context.session_news import Telling

    heard = Heard(commondir, file_name(moment.host, moment.session))
    cursor = heard.take() if heard.is_there() else None
    if cursor is None:
        return None
    fresh = [one for one in broken.facts if one[0] not in cursor.held][:1]
    if not (cursor.watched and fresh):
        heard.leave()
        return None
    ((id, about, text),) = fresh
    said = f"Memory: {shortened(text, _TEXT_CHARS)} ({id}, {about}). Run it again if it is meant."
    met = tuple(dict.fromkeys((*cursor.moments, id)))
    moved = cursor._replace(held=(*cursor.held, id), moments=met).knowing(broken.marks((id,)))
    return Telling(said, heard, moved)
