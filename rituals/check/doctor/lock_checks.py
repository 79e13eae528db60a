"""Check lock files in the git directory, and find those of nobody (fault:B5 to fault:B7)."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator

from ledger.environment import now_seconds
from ledger.git.repository import Repository
from ledger.model.findings import Finding
from ledger.model.layout import ABSORB_LOCK_FILE, LOCK_FILE
from ledger.wal.git_locks import is_left, lock_owner
from rituals.check.doctor.doctor_values import MOVE, Noticed, mended_by
from rituals.check.survey import Survey

_COMMON = ("HEAD.lock", "packed-refs.lock", "config.lock", "shallow.lock", "index.lock")
_HELD_HINT = "wait for it to end, and look again"
_OF_WORK_TREE = ("HEAD.lock", "index.lock", "config.worktree.lock", "ORIG_HEAD.lock")


def lock_files(repository: Repository) -> list[str]:
    """List the lock files of git: of all work trees, of references, of the configuration."""
    common = repository.commondir
    found = [f"{common}/{name}" for name in _COMMON]
    gitdirs = [repository.gitdir]
    try:
        gitdirs += [
            f"{common}/worktrees/{name}" for name in sorted(os.listdir(common + "/worktrees"))
        ]
    except OSError:
        pass
    found += [f"{gitdir}/{name}" for gitdir in gitdirs for name in _OF_WORK_TREE]
    for folder, _, names in os.walk(common + "/refs"):
        found += [f"{folder}/{name}" for name in sorted(names) if name.endswith(".lock")]
    return [path for path in dict.fromkeys(found) if os.path.lexists(path)]


def lock_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Say of each lock whether somebody holds it; one that nobody owns can be moved aside."""
    repository = survey.home.repository
    for path in lock_files(repository):
        try:
            seconds = max(0, int(now_seconds() - os.lstat(path).st_mtime))
        except FileNotFoundError:
            continue
        if is_left(repository, path):
            yield mended_by(
                "lock-left",
                f"{path} is {_age(seconds)} old and belongs to no running process",
                MOVE,
                f"move {path} aside, into {repository.commondir}/diurna/stale",
                then="moves it aside",
                target=path,
            )
            continue
        owner = lock_owner(path)
        by = f"process {owner} holds it" if owner else "a git process may be at work"
        hint = _HELD_HINT
        yield Finding("lock-held", f"{path} is {_age(seconds)} old, and {by}", hint=hint)
    for path in (f"{repository.commondir}/{LOCK_FILE}", f"{repository.gitdir}/{ABSORB_LOCK_FILE}"):
        holder = _held(path)
        if holder is not None:
            who = f"process {holder}" if holder else "another Diurna process"
            hint = _HELD_HINT
            yield Finding("lock-held", f"{who} holds {path}", hint=hint)


def _age(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"


def _held(path: str) -> str | None:
    """Return the process that holds one of our own locks, "" if it does not say, None for nobody."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as problem:
        if problem.errno not in (errno.EAGAIN, errno.EACCES):
            return None
        word = os.pread(fd, 64, 0).decode("ascii", "replace").partition(" ")[0].strip()
        return word if word.isdigit() else ""
    finally:
        os.close(fd)
    return None
