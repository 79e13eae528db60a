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
from ledger.model.record import Record
from rituals.hosts.context import session_wording as wording
from rituals.hosts.moments import ENDED, captured_file
from rituals.hosts.observed.observation_spool import Observation, Spool, spools

_COLLISIONS, _LOSSES, _OBSERVATIONS = 3, 3, 5
_OWN_MS, _LOSS_MS = 7_200_000, 600_000
#: How long what others did waits for something weightier, and how long a test that turned.
_ROUTINE_MS, _TEST_MS = 5_400_000, 1_800_000
#: What was told is known for so long, and so much of it.
_TOLD_MS, _TOLD = 86_400_000, 500
#: What is known when routine was told last.
_ROUTINE = "routine"
#: How much of a spool is looked through for files.
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
_SHELL = frozenset(("git", "package", "file", "test"))


class Listener(Record):
    """Who is told, and what was told already."""

    commondir: str  #: the common git directory
    name: str  #: what files of the session are called
    folder: str  #: where the session works
    now: int  #: milliseconds since 1970
    #: how many bytes of the other spools were told, by the names of the files
    offsets: Mapping[str, int]
    told: Mapping[str, int]  #: what was told beside that, with the time

    def who(self, spool: Spool) -> str:
        """Name another session."""
        return wording.who(spool.host, self.name.partition("-")[0])


class News(Record):
    """What there is to tell."""

    pressing: tuple[str, ...]  #: lines of what can not wait
    rest: tuple[str, ...]  #: other lines, the newest first
    offsets: Mapping[str, int]  #: of the listener, when this is told
    told: Mapping[str, int]  #: likewise


class _Clash(Record):
    """One thing that can not wait: when it happened, by what it is known, and its line around the time."""

    at: int
    known: str
    line: str
    behind: str = ""


def urgent(listener: Listener) -> News:
    """Return what collides with the work of a session, and what may have taken work away."""
    others, mine = _others(listener)
    now = listener.now
    recent = [(name, one) for name, one in others.items() if one.changed_ms >= now - _OWN_MS]
    collisions = [one for name, spool in recent for one in _collisions(name, spool, mine, listener)]
    losses = [one for name, spool in recent for one in _losses(name, spool, listener)]
    newest = sorted(listener.told.items(), key=lambda one: -one[1])[:_TOLD]
    told = {known: at for known, at in newest if at > now - _TOLD_MS}
    lines = []
    for found, most in ((collisions, _COLLISIONS), (losses, _LOSSES)):
        for one in sorted(found, key=lambda one: (-one.at, one.known))[:most]:
            lines.append(f"- {one.line} {wording.ago(now - one.at)}{one.behind}")
            told[one.known] = now
    return News(tuple(lines), (), listener.offsets, told)


def all_news(listener: Listener, *, beside: bool = False) -> News:
    """Return what can not wait, and what else other sessions did since they were told of.

    Args:
        listener: who is told.
        beside: something else is told, so that nothing has to wait.
    """
    now = listener.now
    pressing, _, _, already = urgent(listener)
    told = dict(already)
    others, _ = _others(listener)
    rest: list[tuple[int, str]] = []
    often: list[str] = []
    shown: dict[str, int] = {}
    passed: list[str] = []
    offsets: dict[str, int] = {}
    quiet_ms = now - told.get(_ROUTINE, 0)
    waits = not (pressing or beside) and quiet_ms < _ROUTINE_MS
    for name, spool in others.items():
        start = max(listener.offsets.get(name, 0), spool.size - _TAIL_BYTES)
        new, offsets[name] = spool.since(start)
        by = listener.who(spool)
        rest += [
            (state.one.at, wording.act(by, state, now))
            for state in wording.states(new)
            if state.one.kind not in wording.ROUTINES and _loss(name, state.one) not in told
        ]
        known = [
            path
            for path in wording.changed(new)
            if f"both {name} {path}" in told or f"changed {name} {path}" in told
        ]
        stand = {failing_key(name, one.what): one for one in wording.tested(new)}
        failing = [one.what for key, one in stand.items() if key in told]
        if line := wording.routine(by, new, now, known, failing):
            often.append(line)
            shown.update({f"changed {name} {path}": now for path in wording.changed(new)})
            shown.update({key: now for key, one in stand.items() if one.failed})
            passed += [key for key, one in stand.items() if not one.failed]
        acts = [one for one in wording.states(new) if one.one.kind not in wording.ROUTINES]
        told.update({failing_key(name, one.what): now for one in acts if one.failed})
        waits &= not any(
            one.failed or one.one.kind not in _SHELL or failing_key(name, one.what) in already
            for one in acts
        )
        turned = failing or any(one.failed for one in stand.values())
        waits &= not turned or quiet_ms < _TEST_MS
    newest = [line for _, line in sorted(rest, reverse=True)]
    if waits:
        kept = {name: listener.offsets.get(name, 0) for name in others}
        return News((), (), kept, already)
    if often or newest:
        told.update(shown)
        told = {key: at for key, at in told.items() if key not in passed}
        told[_ROUTINE] = now
    return News(pressing, tuple([*newest, *often][:_OBSERVATIONS]), offsets, told)


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


def _others(listener: Listener) -> tuple[dict[str, Spool], dict[str, int]]:
    """Return the spools of others, newest first, and the files that the session changed of late."""
    listed = {os.path.basename(spool.path): spool for spool in spools(listener.commondir)}
    mine: dict[str, int] = {}
    own = listed.pop(f"{listener.name}.jsonl", None)
    for one in _of_late(own, listener.now) if own else ():
        mine.update(dict.fromkeys(one.paths, one.at))
    return listed, mine


def _of_late(spool: Spool, now: int) -> list[Observation]:
    found, _ = spool.since(max(0, spool.size - _TAIL_BYTES))
    return [one for one in found if one.paths and one.at >= now - _OWN_MS]


def _collisions(
    name: str, spool: Spool, mine: Mapping[str, int], listener: Listener
) -> list[_Clash]:
    """Return the files of a session that another one changed too and that were not told of late."""
    found = {
        path: one
        for one in (_of_late(spool, listener.now) if mine else ())
        for path in one.paths
        if path in mine and listener.told.get(f"both {name} {path}", 0) <= listener.now - _OWN_MS
    }
    if not found or not _is_same_tree(spool.read().folder, listener.folder):
        return []
    by, clashes = listener.who(spool), []
    over = os.path.exists(captured_file(listener.commondir, spool.host, spool.session, ENDED))
    for path, one in found.items():
        if over and one.at <= mine[path]:
            continue  # it is seen in the file, and nobody is at it any more
        verb = "edited" if one.kind == wording.EDIT else "changed"
        when = "after" if one.at > mine[path] else "before"
        line = f"{by} {verb} {wording.path_said(path)}"
        clashes.append(_Clash(one.at, f"both {name} {path}", line, f", {when} you did"))
    return clashes


def _losses(name: str, spool: Spool, listener: Listener) -> list[_Clash]:
    """Return the acts of git of the last minutes that may have taken work away and were not told."""
    found, _ = spool.since(max(listener.offsets.get(name, 0), spool.size - _TAIL_BYTES))
    return [
        _Clash(one.at, _loss(name, one), f"{listener.who(spool)} ran {wording.said(one)}")
        for one in found
        if one.at >= listener.now - _LOSS_MS
        and one.kind in _SHELL
        and is_loss(one.what)
        and _loss(name, one) not in listener.told
    ]


def failing_key(name: str, what: str) -> str:
    """Return by what it is known that a test of a session was told as failed."""
    return f"failing {name} {what}"


def _loss(name: str, one: Observation) -> str:
    return f"loss {name} {one.at}"


def _is_same_tree(folder: str, other: str) -> bool:
    """Tell whether two folders are of one work tree: in another one the same path is another file."""
    try:
        tops = [
            found.top if (found := find_repository(one)) else "" for one in (folder, other) if one
        ]
    except (DiurnaError, OSError):  # it is gone, or broken
        return False
    return len(tops) == 2 and tops[0] == tops[1] != ""
