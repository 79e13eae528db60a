"""Say in a line what a session did; nothing in it acts, hides or ends the envelope that it stands in.

What is told is how things stand, and not each event: of a command, a test or a task the last outcome,
with its time in UTC.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ledger.model.record import Record
from projection.brief.wording import label, plain, shortened, untagged
from rituals.hosts.observed.observation_spool import Observation

EDIT, TEST = "edit", "test"
#: What sessions do all the time.
ROUTINES = (EDIT, "file", TEST)
_TASK, _EXIT = "task", " (exit "
_WHAT_CHARS, _PATH_CHARS, _PATHS, _TESTS = 120, 80, 6, 3
_DAY_MS = 86_400_000


class State(Record):
    """How a thing stands that a session did."""

    what: str  #: it was, without its outcome
    said: str  #: the same with the outcome, where that is known
    one: Observation  #: the observation that tells it

    @property
    def failed(self) -> bool:
        """It ended with another exit code than 0."""
        return self.said != self.what and not self.said.endswith("(exit 0)")


def states(observations: Iterable[Observation]) -> list[State]:
    """Return the last outcome of each thing that one session did, in the order of time."""
    found: dict[str, State] = {}
    for one in sorted(observations, key=lambda one: one.at):
        for what, outcome in _outcomes(one):
            found.pop(what, None)
            found[what] = State(what, outcome, one)
    return list(found.values())


def _outcomes(one: Observation) -> list[tuple[str, str]]:
    """Return what was done, with and without how it ended; one line of shell may run several commands."""
    if one.kind == _TASK:
        return [(one.what.partition(": ")[2] or one.what, one.what)]
    found, rest = [], one.what
    while _EXIT in rest:
        head, _, tail = rest.partition(_EXIT)
        code, end, behind = tail.partition(")")
        if not (end and code.isdigit()):
            break
        before, _, command = head.rpartition("; ")
        found += [(before, before)] if before else []
        found.append((command, f"{command}{_EXIT}{code})"))
        rest = behind.removeprefix("; ")
    return [*found, (rest, rest)] if rest else found


def act(by: str, state: State, newest: int) -> str:
    """Return the line of what a session did that `who` names."""
    return f"- {by}: {safe(state.said, _WHAT_CHARS)} ({clock(state.one.at, newest)})"


def routine(
    by: str,
    observations: Sequence[Observation],
    newest: int,
    known: Collection[str] = (),
    failing: Collection[str] = (),
) -> str:
    """Return the line of what a session does all the time, "" where it says nothing new.

    Tests that passed are not worth a word, but where they failed before.

    Args:
        by: whose session it is, as `who` names it.
        observations: of it, oldest first.
        newest: when the newest thing was that is told beside it.
        known: paths that are not told.
        failing: tests that were told as failed.
    """
    paths = [path for path in changed(observations) if path not in known]
    before = {
        *failing,
        *[
            what
            for one in observations
            if one.kind == TEST
            for what, outcome in _outcomes(one)
            if State(what, outcome, one).failed
        ],
    }
    turned = [one for one in tested(observations) if one.failed or one.what in before]
    parts = []
    if paths:
        more = f" and {len(paths) - _PATHS} more" if len(paths) > _PATHS else ""
        last = max(one.at for one in observations if one.kind in ROUTINES and one.paths)
        shown = ", ".join(_by_folder(paths[-_PATHS:]))
        parts.append(f"changed {shown}{more} ({clock(last, newest)})")
    if turned:
        told = [f"{safe(one.said, _WHAT_CHARS)} ({clock(one.one.at, newest)})" for one in turned]
        more = f" and {len(told) - _TESTS} more" if len(told) > _TESTS else ""
        parts.append(f"tested: {', '.join(told[-_TESTS:])}{more}")
    return f"- {by} {'; '.join(parts)}" if parts else ""


def tested(observations: Iterable[Observation]) -> list[State]:
    """Return how the tests of a session stand."""
    return [one for one in states(observations) if one.one.kind == TEST]


def clock(at: int, newest: int) -> str:
    """Return a time in UTC, with its day where that is not the newest one's; milliseconds since 1970."""
    from time import gmtime, strftime

    same = at // _DAY_MS == newest // _DAY_MS
    return strftime("%H:%MZ" if same else "%Y-%m-%d %H:%MZ", gmtime(at / 1000))


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
    """Return another session's host as a line names it; `own` is the host of who is told."""
    return f"another {host}" if host == own else safe(label(host))


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
