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
    turned: bool = False  #: it failed before

    @property
    def failed(self) -> bool:
        """It ended with another exit code than 0."""
        return self.said != self.what and not self.said.endswith("(exit 0)")


def states(observations: Iterable[Observation]) -> list[State]:
    """Return the last outcome of each thing that one session did, in the order of time."""
    found: dict[str, State] = {}
    for one in sorted(observations, key=lambda one: one.at):
        for what, outcome in _outcomes(one):
            before = found.pop(what, None)
            turned = before is not None and (before.failed or before.turned)
            found[what] = State(what, outcome, one, turned)
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


def lines_of(
    by: str,
    observations: Sequence[Observation],
    newest: int,
    known: Collection[str] = (),
    failing: Collection[str] = (),
) -> tuple[list[tuple[int, str]], str]:
    """Return a line for each act of a session with its time, and one of what it does all the time.

    That one is "" where it says nothing new; tests that passed are not worth a word, but where they failed
    before.

    Args:
        by: whose session it is, as `who` names it.
        observations: of it, oldest first.
        newest: when the newest thing was that is told beside it.
        known: paths that are not told.
        failing: what was told as failed.
    """
    acts, tests = list[tuple[int, str]](), list[str]()
    for one in states(observations):
        said, at = safe(one.said, _WHAT_CHARS), one.one.at
        if one.one.kind not in ROUTINES:
            acts.append((at, f"- {by}: {said} ({clock(at, newest)})"))
        elif one.one.kind == TEST and (one.failed or one.turned or one.what in failing):
            tests.append(f"{said} ({clock(at, newest)})")
    parts = []
    if paths := [path for path in changed(observations) if path not in known]:
        last = max(one.at for one in observations if one.kind in ROUTINES and one.paths)
        shown = ", ".join(_by_folder(paths[-_PATHS:]))
        parts.append(f"changed {shown}{_more(paths, _PATHS)} ({clock(last, newest)})")
    if tests:
        parts.append(f"tested: {', '.join(tests[-_TESTS:])}{_more(tests, _TESTS)}")
    return acts, f"- {by} {'; '.join(parts)}" if parts else ""


def _more(listed: Sequence[str], shown: int) -> str:
    return f" and {len(listed) - shown} more" if len(listed) > shown else ""


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


def path_said(path: str) -> str:
    """Return a path as a line shows it."""
    return safe(path, _PATH_CHARS)


def safe(text: str, chars: int = 10_000) -> str:
    """Put somebody's words on one line of an envelope, of at most so many characters."""
    return shortened(untagged(plain(text)), chars)
