"""Find in the spools what a session has to know of the other sessions of this machine, in a line each.

First comes what collides with its own work, then what may have taken work away, then what else they did.
What sessions do all the time, edits and tests, is told by collisions alone. What is told is how things
stand, and not each event: of a command or a task the last outcome, with its time in UTC.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ledger.environment import now_ms
from ledger.errors import DiurnaError
from ledger.git.repository import find_repository
from projection.brief.inert_text import label, plain, shortened, untagged
from rituals.hosts.context.session_cursor import Cursor
from rituals.hosts.host_events import Moment, captured_file
from rituals.hosts.observation_spool import Observation, Spool, spools
from rituals.hosts.session_files import ENDED

#: What sessions do all the time; and kinds of observations that are made of commands of shell.
_ROUTINES, _SHELL = ("edit", "file", "test"), frozenset(("git", "package", "file", "test"))
_EXIT = " (exit "
_WHAT_CHARS, _PATH_CHARS = 120, 80
#: How many lines are told of what can not wait, of each kind, and of the rest.
_PRESSING, _ACTS = 3, 5
#: How long ago a session changed a file that it is still at, and how long a loss is told at once.
_OWN_MS, _LOSS_MS, _DAY_MS = 7_200_000, 600_000, 86_400_000
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

#: When a thing was, by what it is known that it was told, and its line.
_Lines = list[tuple[int, str, str]]


def others_news(
    moment: Moment, commondir: str, heard: Cursor, *, acts: bool
) -> tuple[list[str], list[str], Cursor]:
    """Return what can not wait, and with `acts` what else they did, newest first; and the cursor then."""
    now, others = now_ms(), {os.path.basename(spool.path): spool for spool in spools(commondir)}
    own = others.pop(f"{moment.files}.jsonl", None)
    mine = {path: act.at for act in (_of_late(own, now) if own else ()) for path in act.paths}
    known = {key: at for key, at in heard.told.items() if at > now - _DAY_MS}
    offsets, new = dict[str, int](), dict[str, tuple[Observation, ...]]()
    both, losses, done = _Lines(), _Lines(), _Lines()
    for name, spool in others.items():
        recent = spool.changed_ms >= now - _OWN_MS
        if not (acts or recent):
            continue
        start = max(heard.offsets.get(name, 0), spool.size - _TAIL_BYTES)
        new[name], offsets[name] = spool.since(start)
        if recent:
            both += _collisions(moment, commondir, spool, mine, now)
            who = _who(spool, moment)
            losses += [
                (act.at, _loss(name, act), f"- {who} ran {safe(act.what, _WHAT_CHARS)} {when}")
                for act in new[name]
                if act.at >= now - _LOSS_MS and act.kind in _SHELL and is_loss(act.what)
                for when in [_ago(now - act.at)]
            ]
    both = [line for line in both if known.get(line[1], 0) <= now - _OWN_MS]
    losses = [line for line in losses if line[1] not in known]
    pressing = []
    for lines in (both, losses):
        for _, key, line in sorted(lines, key=lambda line: (-line[0], line[1]))[:_PRESSING]:
            pressing.append(line)
            known[key] = now
    if not acts:
        return pressing, [], heard._replace(told=known)
    for name, seen in new.items():
        fresh = [act for act in seen if act.kind not in _ROUTINES and _loss(name, act) not in known]
        for what, at in outcomes(fresh):
            did = f"{safe(what, _WHAT_CHARS)} ({clock(at, now)})"
            done.append((at, what, f"- {_who(others[name], moment)}: {did}"))
    newest = [line for _, _, line in sorted(done, reverse=True)[:_ACTS]]
    return pressing, newest, heard._replace(told=known, offsets=offsets)


def _loss(name: str, act: Observation) -> str:
    return f"loss {name} {act.at}"


def _who(spool: Spool, moment: Moment) -> str:
    """Name another session: nothing in it acts, hides or ends the envelope that it stands in."""
    return f"another {spool.host}" if spool.host == moment.host else safe(label(spool.host))


def _of_late(spool: Spool, now: int) -> list[Observation]:
    acts, _ = spool.since(max(0, spool.size - _TAIL_BYTES))
    return [act for act in acts if act.paths and act.at >= now - _OWN_MS]


def _collisions(
    moment: Moment, commondir: str, spool: Spool, mine: Mapping[str, int], now: int
) -> _Lines:
    """Return the files of another session that this one changed too, in the same work tree."""
    late = _of_late(spool, now) if mine else ()
    acts = {path: act for act in late for path in act.paths if path in mine}
    if not acts or not _is_same_tree(spool.read().folder, moment.folder):
        return []
    over = os.path.exists(captured_file(commondir, spool.host, spool.session, ENDED))
    lines: _Lines = []
    for path, act in acts.items():
        after = act.at > mine[path]
        if over and not after:
            continue  # it is seen in the file, and nobody is at it any more
        did = f"{'edited' if act.kind == 'edit' else 'changed'} {safe(path, _PATH_CHARS)}"
        when = f"{_ago(now - act.at)}, {'after' if after else 'before'} you did"
        key = f"both {os.path.basename(spool.path)} {path}"
        lines.append((act.at, key, f"- {_who(spool, moment)} {did} {when}"))
    return lines


def _is_same_tree(folder: str, other: str) -> bool:
    """Tell whether two folders are of one work tree: in another one the same path is another file."""
    try:
        trees = [find_repository(place) for place in (folder, other) if place]
    except (DiurnaError, OSError):  # it is gone, or broken
        return False
    tops = {tree.top if tree else "" for tree in trees}
    return len(trees) == 2 and len(tops) == 1 and "" not in tops


def is_loss(what: str) -> bool:
    """Tell whether what a session ran may have taken somebody's work away."""
    for part in what.split("; "):
        words = part.split(": ")[0].split() if part.startswith("git commit") else part.split()
        if words[:1] != ["git"] or words[1:2] == [] or words[1] not in _LOSING:
            continue
        if _EXIT in part and "(exit 0)" not in part:
            continue  # it failed
        beside, behind = _LOSING[words[1]], [word.partition("=")[0] for word in words[2:]]
        if _KEEPING.isdisjoint(behind) and (not beside or not set(beside).isdisjoint(behind)):
            return True
    return False


def _ago(ms: int) -> str:
    minutes = ms // 60_000
    if 1 <= minutes < 60:
        return f"{minutes} minute{'' if minutes == 1 else 's'} ago"
    return "an hour ago" if minutes else "just now"


def outcomes(observations: Iterable[Observation]) -> list[tuple[str, int]]:
    """Return each thing that a session did with its last outcome, and when, in the order of time."""
    last: dict[str, tuple[str, int]] = {}
    for act in sorted(observations, key=lambda act: act.at):
        first, *rest = act.what.split(_EXIT)
        what = first + "".join([part.partition(")")[2] for part in rest])
        what = act.what.partition(": ")[2] if act.kind == "task" else what
        last.pop(what, None)
        last[what] = (act.what, act.at)
    return list(last.values())


def clock(at: int, newest: int) -> str:
    """Return a time in UTC, with its day where that is not the newest one's; milliseconds since 1970."""
    from time import gmtime, strftime

    same = at // _DAY_MS == newest // _DAY_MS
    return strftime("%H:%MZ" if same else "%Y-%m-%d %H:%MZ", gmtime(at / 1000))


def safe(text: str, chars: int = 10_000) -> str:
    """Put somebody's words on one line of an envelope, of at most so many characters."""
    return shortened(untagged(plain(text)), chars)
