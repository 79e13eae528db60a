"""Find what a session has to know of the other sessions of this machine, from their spools.

First comes what collides with its own work, then what may have taken work away, then the rest. What
sessions do all the time, edits and tests, is one line for each of them. It waits, as their commits and
the like do, for something that cannot, or for an hour and a half.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from ledger.errors import DiurnaError
from ledger.git.repository import find_repository
from rituals.hosts.context import session_wording as wording
from rituals.hosts.moments import ENDED, captured_file
from rituals.hosts.observed.observation_spool import Observation, Spool, spools

#: How many lines are told of what can not wait, of each kind, and of the rest.
_PRESSING, _OBSERVATIONS = 3, 5
_OWN_MS, _LOSS_MS, _DAY_MS = 7_200_000, 600_000, 86_400_000
#: How long what others did waits for something weightier, and how long a test that turned.
_ROUTINE_MS, _TEST_MS = 5_400_000, 1_800_000
#: So much that was told is known, for a day; and by what it is known when routine was told last.
_TOLD, _ROUTINE = 500, "routine"
#: How much of a spool is looked through, and told of a command.
_TAIL_BYTES, _WHAT_CHARS = 1 << 16, 120
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
_SHELL = frozenset(("git", "package", "file", "test"))


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
            paths = [path for path in wording.changed(new) if f"both {name} {path}" in self.told]
            paths += [path for path in wording.changed(new) if _changed(name, path) in self.told]
            stand = {_failing(name, one.what): one for one in wording.states(new)}
            failing = [one.what for key, one in stand.items() if key in self.told]
            done, routine = wording.lines_of(self._who(spool), new, now, paths, failing)
            acts += done
            if routine:
                often.append(routine)
                shown |= {_changed(name, path): now for path in wording.changed(new)}
            for key, one in stand.items():
                turned = one.failed or one.what in failing
                if one.one.kind == wording.TEST:
                    waits &= not turned or quiet_ms < _TEST_MS
                elif one.one.kind not in wording.ROUTINES:
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
        return wording.who(spool.host, self._host)

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
            verb = "edited" if one.kind == wording.EDIT else "changed"
            did = f"{self._who(spool)} {verb} {wording.path_said(path)} {_ago(self._now - one.at)}"
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
            and (ran := wording.safe(one.what, _WHAT_CHARS))
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
