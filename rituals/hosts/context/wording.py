"""Say in a line what a session did; nothing in it acts, hides or ends the envelope that it stands in."""

from __future__ import annotations

from projection.brief.envelope import untagged
from projection.brief.plain_text import label, plain, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rituals.hosts.observed.spool import Observation

EDIT, TEST = "edit", "test"
#: What sessions do all the time.
ROUTINES = (EDIT, "file", TEST)
DECISION = "decision"
_WHAT_CHARS, _PATH_CHARS, _PATHS = 120, 80, 6
_MARK_CHARS, _SAME_CHARS, _LEAST_CHARS = 160, 40, 16


def act(by: str, one: Observation) -> str:
    """Return the line of one observation of a session that `who` names."""
    return f"- {by}: {said(one)}"


def routine(by: str, observations: Sequence[Observation], known: Collection[str] = ()) -> str:
    """Return the line of what a session does all the time, "" where it says nothing new.

    Tests that passed are not worth a word.

    Args:
        by: whose session it is, as `who` names it.
        observations: of it, oldest first.
        known: paths that are not told.
    """
    paths = [path for path in changed(observations) if path not in known]
    failed = [one for one in observations if one.kind == TEST and _has_failed(one.what)]
    parts = []
    if paths:
        more = f" and {len(paths) - _PATHS} more" if len(paths) > _PATHS else ""
        parts.append(f"changed {', '.join(_by_folder(paths[-_PATHS:]))}{more}")
    if failed:
        parts.append(f"tested: {said(failed[-1])}")
    return f"- {by} {'; '.join(parts)}" if parts else ""


def _has_failed(what: str) -> bool:
    return "(exit " in what and not what.endswith("(exit 0)")


def changed(observations: Sequence[Observation]) -> list[str]:
    """Return the paths that were edited, moved or removed, each once."""
    paths = [path for one in observations if one.kind in ROUTINES for path in one.paths]
    return list(dict.fromkeys(paths))


def _by_folder(paths: Sequence[str]) -> list[str]:
    """Return paths as a line shows them: one in the folder of the one before it by its name alone."""
    shown, last = [], ""
    for path in paths:
        folder, slash, name = path.rpartition("/")
        shown.append(path_said(name if slash and folder == last else path))
        last = folder
    return shown


def who(host: str, own: str) -> str:
    """Return another session's host as a line names it.

    Args:
        host: of that session.
        own: the host of who is told.
    """
    return f"another {host}" if host == own else safe(label(host))


def said(one: Observation) -> str:
    """Return what an observation says, on one line."""
    return safe(one.what, _WHAT_CHARS)


def path_said(path: str) -> str:
    """Return a path as a line shows it."""
    return safe(path, _PATH_CHARS)


def mark(text: str, chars: int = _MARK_CHARS) -> str:
    """Return by what words are known again, whatever stands between them."""
    return "".join([char for char in text.lower() if char.isalnum()])[:chars]


def repeats(text: str, marks: Iterable[str]) -> bool:
    """Tell whether a text begins with what was said, or the other way round; a few words are no proof."""
    own = mark(text)
    starts = [(own[:_SAME_CHARS], other[:_SAME_CHARS], other) for other in marks]
    return any(
        min(len(start), len(begun)) >= _LEAST_CHARS and (start in other or begun in own)
        for start, begun, other in starts
    )


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
