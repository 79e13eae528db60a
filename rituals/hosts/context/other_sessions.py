"""Find in the spools what a session has to know of the other sessions of this machine, in a line each.

First comes what collides with its own work, then what may have taken work away, then the rest. What
sessions do all the time, edits and tests, is one line for each of them. It waits, as their commits and
the like do, for something that cannot, or for an hour and a half. What is told is how things stand, and
not each event: of a command, a test or a task the last outcome, with its time in UTC.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence

from ledger.errors import DiurnaError
from ledger.git.repository import find_repository
from ledger.model.record import Record
from projection.brief.wording import label, plain, shortened, untagged
from rituals.hosts.moments import ENDED, captured_file
from rituals.hosts.observation_spool import Observation, Spool, spools

EDIT, TEST = "edit", "test"
#: What sessions do all the time.
ROUTINES = (EDIT, "file", TEST)
_TASK, _EXIT = "task", " (exit "
_WHAT_CHARS, _PATH_CHARS, _PATHS, _TESTS = 120, 80, 6, 3
#: How many lines are told of what can not wait, of each kind, and of the rest.
_PRESSING, _OBSERVATIONS = 3, 5
_OWN_MS, _LOSS_MS, _DAY_MS = 7_200_000, 600_000, 86_400_000
#: How long what others did waits for something weightier, and how long a test that turned.
_ROUTINE_MS, _TEST_MS = 5_400_000, 1_800_000
#: So much that was told is known, for a day; and by what it is known when routine was told last.
_TOLD, _ROUTINE = 500, "routine"
#: How much of a spool is looked through.
_TAIL_BYTES = 1 << 16
#: Commands of git that may take something away, with what has to stand beside them; () for nothing.
_LOSING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("reset", "rebase", "stash", "clean", "restore", "checkout"), ()),
    "push": ("-f", "--force", "--force-with-lease", "--delete", "--mirror"),
    "branch": ("-d", "-D", "--delete"),
    "tag": ("-d", "--delete"),
    "commit": ("--amend",),
    "worktree": ("remove",),
}
_KEEPING = frozenset(("pop", "apply", "--abort", "--continue", "--staged", "-n", "--dry-run"))
#: Kinds of observations that are made of commands of shell.
_SHELL = frozenset(("git", "package", "file", TEST))


class OtherSessions:
    """The other sessions of this machine, as one hears of them.

    Args:
        commondir: the common git directory.
        name: what files of the session are called that is told.
        folder: where it works.
        now: milliseconds since 1970.
        offsets: how many bytes of the other spools it was told, by the names of the files.
        told: what it was told beside that, with the time.
    """

    def __init__(
        self,
        commondir: str,
        name: str,
        folder: str,
        now: int,
        offsets: Mapping[str, int],
        told: Mapping[str, int],
    ) -> None:
        self._commondir, self._folder, self._now = commondir, folder, now
        self._host = name.partition("-")[0]
        self._spools = {os.path.basename(one.path): one for one in spools(commondir)}
        own = self._spools.pop(f"{name}.jsonl", None)
        self._mine: dict[str, int] = {}
        for one in self._of_late(own) if own else ():
            self._mine.update(dict.fromkeys(one.paths, one.at))
        newest = sorted(told.items(), key=lambda one: -one[1])[:_TOLD]
        #: What it was told, with what it is told now.
        self.told = {known: at for known, at in newest if at > now - _DAY_MS}
        self.offsets = {name: offsets.get(name, 0) for name in self._spools}  #: likewise

    def pressing(self) -> list[str]:
        """Return what collides with the work of the session, and what may have taken work away."""
        since, lines = self._now - _OWN_MS, list[str]()
        recent = [pair for pair in self._spools.items() if pair[1].changed_ms >= since]
        for find in (self._collisions, self._losses):
            found = [one for name, spool in recent for one in find(name, spool)]
            for _, known, line in sorted(found, key=lambda one: (-one[0], one[1]))[:_PRESSING]:
                lines.append(line)
                self.told[known] = self._now
        return lines

    def news(self, *, beside: bool) -> tuple[list[str], list[str]]:
        """Return what can not wait, and what else they did since the session was told, newest first.

        `beside`: something else is told, so that nothing has to wait.
        """
        pressing, now = self.pressing(), self._now
        quiet_ms = now - self.told.get(_ROUTINE, 0)
        waits = not (pressing or beside) and quiet_ms < _ROUTINE_MS
        acts, often = list[tuple[int, str]](), list[str]()
        offsets, shown, passed = dict[str, int](), dict[str, int](), set[str]()
        for name, spool in self._spools.items():
            start = max(self.offsets[name], spool.size - _TAIL_BYTES)
            seen, offsets[name] = spool.since(start)
            new = [one for one in seen if _loss(name, one) not in self.told]
            paths = [path for path in changed(new) if f"both {name} {path}" in self.told]
            paths += [path for path in changed(new) if _changed(name, path) in self.told]
            stand = {_failing(name, one.what): one for one in states(new)}
            failing = [one.what for key, one in stand.items() if key in self.told]
            done, routine = lines_of(self._who(spool), new, now, paths, failing)
            acts += done
            if routine:
                often.append(routine)
                shown |= {_changed(name, path): now for path in changed(new)}
            for key, one in stand.items():
                turned = one.failed or one.what in failing
                if one.one.kind == TEST:
                    waits &= not turned or quiet_ms < _TEST_MS
                elif one.one.kind not in ROUTINES:
                    waits &= not turned and one.one.kind in _SHELL
                if one.failed:
                    shown[key] = now
                else:
                    passed.add(key)
        if waits:
            return [], []
        self.offsets = offsets
        if acts or often:
            self.told = {key: at for key, at in self.told.items() if key not in passed}
            self.told |= {**shown, _ROUTINE: now}
        newest = [line for _, line in sorted(acts, reverse=True)]
        return pressing, [*newest, *often][:_OBSERVATIONS]

    def _who(self, spool: Spool) -> str:
        """Name another session: nothing in it acts, hides or ends the envelope that it stands in."""
        same = spool.host == self._host
        return f"another {spool.host}" if same else safe(label(spool.host))

    def _of_late(self, spool: Spool) -> list[Observation]:
        found, _ = spool.since(max(0, spool.size - _TAIL_BYTES))
        return [one for one in found if one.paths and one.at >= self._now - _OWN_MS]

    def _collisions(self, name: str, spool: Spool) -> list[tuple[int, str, str]]:
        """Return the files of another session that this one changed too and was not told of late."""
        since = self._now - _OWN_MS
        found = {
            path: one
            for one in (self._of_late(spool) if self._mine else ())
            for path in one.paths
            if path in self._mine and self.told.get(f"both {name} {path}", 0) <= since
        }
        if not found or not _is_same_tree(spool.read().folder, self._folder):
            return []
        over = os.path.exists(captured_file(self._commondir, spool.host, spool.session, ENDED))
        clashes = []
        for path, one in found.items():
            after = one.at > self._mine[path]
            if over and not after:
                continue  # it is seen in the file, and nobody is at it any more
            verb = "edited" if one.kind == EDIT else "changed"
            did = f"{self._who(spool)} {verb} {path_said(path)} {_ago(self._now - one.at)}"
            line = f"- {did}, {'after' if after else 'before'} you did"
            clashes.append((one.at, f"both {name} {path}", line))
        return clashes

    def _losses(self, name: str, spool: Spool) -> list[tuple[int, str, str]]:
        """Return the acts of git of the last minutes that may have taken work away and were not told."""
        found, _ = spool.since(max(self.offsets[name], spool.size - _TAIL_BYTES))
        return [
            (one.at, _loss(name, one), f"- {self._who(spool)} ran {ran} {_ago(self._now - one.at)}")
            for one in found
            if one.at >= self._now - _LOSS_MS
            and one.kind in _SHELL
            and is_loss(one.what)
            and _loss(name, one) not in self.told
            and (ran := safe(one.what, _WHAT_CHARS))
        ]


def is_loss(what: str) -> bool:
    """Tell whether what a session ran may have taken somebody's work away."""
    for part in what.split("; "):
        words = part.split(": ")[0].split() if part.startswith("git commit") else part.split()
        if words[:1] != ["git"] or words[1:2] == [] or words[1] not in _LOSING:
            continue
        if "(exit " in part and "(exit 0)" not in part:
            continue  # it failed
        beside, behind = _LOSING[words[1]], [word.partition("=")[0] for word in words[2:]]
        if _KEEPING.isdisjoint(behind) and (not beside or not set(beside).isdisjoint(behind)):
            return True
    return False


def _loss(name: str, one: Observation) -> str:
    return f"loss {name} {one.at}"


def _changed(name: str, path: str) -> str:
    return f"changed {name} {path}"


def _failing(name: str, what: str) -> str:
    return f"failing {name} {what}"


def _ago(ms: int) -> str:
    minutes = ms // 60_000
    if 1 <= minutes < 60:
        return f"{minutes} minute{'' if minutes == 1 else 's'} ago"
    return "an hour ago" if minutes else "just now"


def _is_same_tree(folder: str, other: str) -> bool:
    """Tell whether two folders are of one work tree: in another one the same path is another file."""
    try:
        tops = [
            found.top if (found := find_repository(one)) else "" for one in (folder, other) if one
        ]
    except (DiurnaError, OSError):  # it is gone, or broken
        return False
    return len(tops) == 2 and tops[0] == tops[1] != ""


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
        by: whose session it is, as it is named.
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
        shown = ", ".join(map(path_said, paths[-_PATHS:]))
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


def path_said(path: str) -> str:
    """Return a path as a line shows it."""
    return safe(path, _PATH_CHARS)


def safe(text: str, chars: int = 10_000) -> str:
    """Put somebody's words on one line of an envelope, of at most so many characters."""
    return shortened(untagged(plain(text)), chars)
