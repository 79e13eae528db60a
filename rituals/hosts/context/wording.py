"""Say in a line what a session did; nothing in it acts, hides or ends the envelope that it stands in."""

from __future__ import annotations

from projection.brief.envelope import untagged
from projection.brief.plain_text import label, plain, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rituals.hosts.observed.spool import Observation

#: What is told of every session by the half-hour: what sessions do all the time.
EDIT, FILE, TEST = "edit", "file", "test"
CHANGES, ROUTINES = (EDIT, FILE), (EDIT, FILE, TEST)
_WHAT_CHARS, _PATH_CHARS, _PATHS = 120, 80, 4


def act(host: str, one: Observation) -> str:
    """Return the line of one observation of a session."""
    return f"- {who(host)}: {said(one)}"


def routine(host: str, observations: Sequence[Observation], known: Sequence[str] = ()) -> str:
    """Return the line of all that a session does all the time, "" where there is nothing.

    Args:
        host: of the session.
        observations: of it, oldest first.
        known: paths that are not told.
    """
    paths = [path for one in observations if one.kind in CHANGES for path in one.paths]
    paths = [path for path in dict.fromkeys(paths) if path not in known]
    tests = [one for one in observations if one.kind == TEST]
    parts = []
    if paths:
        more = f" and {len(paths) - _PATHS} more" if len(paths) > _PATHS else ""
        parts.append(f"changed {', '.join(map(path_said, paths[-_PATHS:]))}{more}")
    if tests:
        parts.append(f"tested: {said(tests[-1])}")
    return f"- {who(host)} {'; '.join(parts)}" if parts else ""


def who(host: str) -> str:
    """Return a host as a line names it."""
    return safe(label(host))


def said(one: Observation) -> str:
    """Return what an observation says, on one line."""
    return safe(one.what, _WHAT_CHARS)


def path_said(path: str) -> str:
    """Return a path as a line shows it."""
    return safe(path, _PATH_CHARS)


def safe(text: str, chars: int = 10_000) -> str:
    """Put somebody's words on one line of an envelope, of at most so many characters."""
    return shortened(untagged(plain(text)), chars)


def ago(ms: int) -> str:
    """Say how long ago something was."""
    minutes = ms // 60_000
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} minute{'' if minutes == 1 else 's'} ago"
    return "an hour ago"
