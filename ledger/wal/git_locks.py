"""Tell git's lock files that belong to nobody any more, and move them aside; none is removed.

A fetch or push under way is noted: it locks the tracking reference for a moment, and where git dies,
alone or with Diurna, that lock would be in the way of every later one (W7).
"""

from __future__ import annotations

import os
import time
from _collections_abc import Iterator

from ledger.environment import now_ns, now_seconds
from ledger.errors import DiurnaError, storage_failure
from ledger.git.repository import Repository
from ledger.model.finding_codes import Finding
from ledger.model.layout import JOURNAL_FILE, SEEN, SENT, STATE_DIR, TRANSFER_FILE, kept_as
from ledger.wal.atomic_files import make_folder, replace_file

#: A lock that a dead Diurna process left is given this long: the git it started may outlive it.
_OURS_AFTER_SECONDS = 1.0
#: Any other lock counts as left behind after this long, if no process has it open.
_OTHERS_AFTER_SECONDS = 120.0
#: git commands that delete objects, or packs that held them.
_PRUNERS = frozenset((b"gc", b"prune", b"repack", b"maintenance"))
#: How long git believes the note of a collection.
_COLLECTION_HOURS = 12
#: How coarse file times are.
_CLOCK_TICK_SECONDS = 0.05
#: How long after its note a process may have its git lock the branch or the index: machines can be slow.
_MOVES_WITHIN_SECONDS = 30.0
#: How a note on Diurna's lock begins whose owner lived on, but saw its git leave a lock behind.
LEFT = "left"
#: How it begins once the branch has moved; a note that begins with a reference is of one that is about to.
FOLLOWING = "following"
#: How it begins where all references are about to move with the one that it names.
EVERY = "every"


def clear_stale_lock(commondir: str, path: str, note: str, noted_at: float) -> Finding | None:
    """Move a reference's lock file aside if nobody owns it; say so, or return None.

    Call it only while holding Diurna's own lock: no live Diurna process then owns a reference lock.
    `note` is what the last holder of Diurna's lock left when it died, a reference's name and more;
    `noted_at` is when it wrote that, in seconds since 1970.
    """
    made_at = _made_at(path)
    if made_at is None:
        return None
    age = now_seconds() - made_at
    was_there = note.startswith(LEFT + " ")
    reference, *_ = said_by(note)
    names = (reference, kept_as(SEEN, reference), kept_as(SENT, reference))
    of_branch = path in [os.path.join(commondir, name + ".lock") for name in names]
    if note.startswith(EVERY + " "):
        of_branch = noted_at - made_at <= _CLOCK_TICK_SECONDS
    ours = bool(reference) and (of_branch or os.path.basename(path) in ("HEAD.lock", "config.lock"))
    within = _CLOCK_TICK_SECONDS if was_there else _MOVES_WITHIN_SECONDS
    ours = ours and made_at - noted_at <= within
    # a lock of a dead git's that no other can have made is gone at once: a person's commit waits for none
    limit = _OURS_AFTER_SECONDS if ours else _OTHERS_AFTER_SECONDS
    if _is_open(path) or (age < limit and not (ours and not _git_at_work(_places(commondir)))):
        return None
    return _put_away(commondir, path, "belonged to no living process")


def said_by(note: str) -> tuple[str, str, str]:
    """Read a note on Diurna's lock: a reference, where it stood, and where it was to go, if told."""
    words = note.split(" ")
    reference, base, made = (*words[words[0] in (FOLLOWING, LEFT, EVERY) :], "", "", "")[:3]
    return reference, base, made


def locks_of(commondir: str, gitdir: str, reference: str) -> tuple[str, ...]:
    """Return the files by which git locks a branch while it moves it, and last its settings."""
    return (
        os.path.join(commondir, reference + ".lock"),
        gitdir + "/HEAD.lock",
        commondir + "/config.lock",
        os.path.join(commondir, kept_as(SEEN, reference) + ".lock"),
        os.path.join(commondir, kept_as(SENT, reference) + ".lock"),
    )


def every_lock(commondir: str) -> tuple[str, ...]:
    """Return the files by which git locks references, as far as they are there."""
    refs = [f"{at}/{one}" for at, _, names in os.walk(f"{commondir}/refs") for one in names]
    return (*[one for one in refs if one.endswith(".lock")], f"{commondir}/packed-refs.lock")


def await_gits(commondir: str, since: float) -> None:
    """Wait for the git that a dead process started: it may outlive it by a moment.

    `since` is when the dead process said what it does, in seconds since 1970.
    """
    while 0 <= now_seconds() - since < _OURS_AFTER_SECONDS and _git_at_work(_places(commondir)):
        time.sleep(0.01)


def clear_index_lock(commondir: str, gitdir: str, top: str, noted_at: float) -> Finding | None:
    """Move an index lock aside that the git of a killed Diurna process left; say so, or return None.

    It is one only if it was made right after the dead process said what it does, and no git is at work
    in the work tree: one that waits for an editor holds its lock without having it open. `noted_at` is
    when the dead process said what it does, in seconds since 1970.
    """
    path = gitdir + "/index.lock"
    made_at = _made_at(path)
    if made_at is None or not -_CLOCK_TICK_SECONDS <= made_at - noted_at <= _MOVES_WITHIN_SECONDS:
        return None
    if _git_at_work((top, gitdir)) or _is_open(path):
        return None
    return _put_away(commondir, path, "was left by a git that a killed Diurna process had started")


def _made_at(path: str) -> float | None:
    """Return when a file was written, in seconds since 1970; None where there is none."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return None


def _places(commondir: str) -> tuple[str, ...]:
    """Return where a git would be at work in a repository: there, and in its work trees."""
    found = [commondir]
    if os.path.basename(commondir) == ".git":
        found.append(os.path.dirname(commondir))
    try:
        for name in os.listdir(commondir + "/worktrees"):
            with open(f"{commondir}/worktrees/{name}/gitdir", encoding="utf-8") as file:
                found.append(os.path.dirname(file.read().strip()))
    except OSError:
        pass
    return tuple(found)


def _git_at_work(folders: tuple[str, ...]) -> bool:
    """Tell whether a git process may be at work in some folders; True where /proc does not tell."""
    if not os.path.isdir("/proc/self"):
        return True
    return any(
        not where or any(where == folder or where.startswith(folder + "/") for folder in folders)
        for _, where in _git_commands()
    )


def git_prunes(commondir: str) -> bool:
    """Tell whether some git may be deleting objects of this repository that nothing referred to.

    `git gc` says so in a file; other processes are asked for what they run, where /proc tells.
    """
    if _collects(commondir + "/gc.pid"):
        return True
    top = os.path.dirname(commondir) if os.path.basename(commondir) == ".git" else commondir
    return any(
        not _PRUNERS.isdisjoint(words) and (not where or f"{where}/".startswith(f"{top}/"))
        for words, where in _git_commands()
    )


def _collects(path: str) -> bool:
    """Tell whether git's note of a collection under way (`<pid> <host>`) is of a living process."""
    try:
        age = now_seconds() - os.stat(path).st_mtime
        with open(path, encoding="utf-8", errors="replace") as file:
            pid, _, host = file.read(512).strip().partition(" ")
    except OSError:
        return False
    if age > _COLLECTION_HOURS * 3600:  # git itself takes it for a dead one's then
        return False
    here = host == os.uname().nodename and pid.isdigit()
    return not here or is_alive(int(pid))


def is_alive(process: int) -> bool:
    """Tell whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except OSError as problem:
        return not isinstance(problem, ProcessLookupError)
    return True


def _git_commands() -> Iterator[tuple[list[bytes], str]]:
    """Yield (words, working directory) of every git that runs here; "" for one that is not told."""
    for process in _processes():
        try:
            with open(f"/proc/{process}/comm", "rb") as file:
                if not file.read().startswith(b"git"):
                    continue
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue  # it ended
        try:
            yield words, os.readlink(f"/proc/{process}/cwd")
        except FileNotFoundError:
            continue
        except OSError:  # another user's
            yield words, ""


def set_aside(commondir: str, path: str) -> str:
    """Move a file of the git directory where it disturbs nobody's work; return where, "" if it is gone.

    Raises:
        StorageFailed: the disk refused.
    """
    aside = f"{commondir}/{STATE_DIR}/stale"
    make_folder(aside)
    name = os.path.relpath(path, commondir).replace("/", "%2F")
    target = f"{aside}/{name}.{now_ns()}"
    try:
        os.rename(path, target)
    except FileNotFoundError:
        return ""
    except OSError as problem:
        raise storage_failure(problem, path) from problem
    return target


def is_abandoned(path: str) -> bool:
    """Tell whether nobody writes a new file of ours any more: a writer has it open all the time."""
    made_at = _made_at(path)
    if made_at is None:
        return False
    limit = _OURS_AFTER_SECONDS if os.path.isdir("/proc/self") else _OTHERS_AFTER_SECONDS
    return now_seconds() - made_at >= limit and not _is_open(path)


def _is_open(path: str) -> bool:
    """Tell whether some process of this machine has a file open (where /proc tells)."""
    try:
        wanted = os.stat(path)
    except OSError:
        return False
    for process in _processes():
        try:
            fds = os.listdir(f"/proc/{process}/fd")
        except OSError:
            continue
        for fd in fds:
            try:
                if os.path.samestat(os.stat(f"/proc/{process}/fd/{fd}"), wanted):
                    return True
            except OSError:
                continue  # closed meanwhile: that says nothing of the others
    return False


def _processes() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def is_left(repository: Repository, path: str, died_at: float = 0.0) -> bool:
    """Tell whether a lock file of git belongs to nobody any more.

    It is older than any git leaves one without a sign of life, nobody has it open, and no git is at work
    in the repository: one that waits for an editor holds its lock without having it open. `died_at` is
    when a process of ours began what it did not live to end, in seconds since 1970, 0.0 for none: a lock
    that was made since is the one of its git.
    """
    made_at = _made_at(path)
    if made_at is None:
        return False
    ours = 0.0 < died_at <= made_at + _CLOCK_TICK_SECONDS
    limit = _OURS_AFTER_SECONDS if ours else _OTHERS_AFTER_SECONDS
    if now_seconds() - made_at < limit or _is_open(path):
        return False
    return not _git_at_work((repository.where, repository.gitdir, repository.commondir))


def clear_left_lock(repository: Repository, path: str, died_at: float = 0.0) -> Finding | None:
    """Move a lock aside that belongs to nobody any more (`is_left`); say so, or return None."""
    left = is_left(repository, path, died_at)
    return _put_away(repository.commondir, path, "belonged to nobody any more") if left else None


def _put_away(commondir: str, path: str, why: str) -> Finding | None:
    """Move a lock aside, note that and say so; None where it is gone."""
    target = set_aside(commondir, path)
    if not target:
        return None
    said = f"{path} {why} and was moved to {target}"
    journal(commondir, said)
    return Finding("stale-lock", said)


def journal(commondir: str, said: str) -> None:
    """Note a repair in Diurna's own log file; a disk that refuses is no reason to fail."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_seconds()))
    try:
        with open(f"{commondir}/{JOURNAL_FILE}", "a", encoding="utf-8") as file:
            file.write(f"{when} {' '.join(said.split())}\n")
    except OSError:
        pass


#: Stands for the process in the note of a transfer that has ended.
_ENDED = "0"


class Transfer:
    """One fetch or push, noted while it is under way.

    Args:
        repository: here.
        tracking: the reference that remembers where the remote's branch was.
    """

    def __init__(self, repository: Repository, tracking: str) -> None:
        self._repository, self._tracking = repository, tracking
        self._note = f"{repository.commondir}/{TRANSFER_FILE}"
        self._lock = f"{repository.commondir}/{tracking}.lock"
        self._died_at = 0.0
        self.findings: list[Finding] = []

    def __enter__(self) -> Transfer:
        """Read what a dead transfer left, and note this one; a disk that refuses is no reason to fail."""
        try:
            with open(self._note, encoding="utf-8", errors="replace") as file:
                process, _, tracking = file.read(4096).strip().partition(" ")
                if process.isdigit() and tracking == self._tracking:
                    if process == _ENDED or not is_alive(int(process)):
                        self._died_at = os.fstat(file.fileno()).st_mtime
        except OSError:
            pass
        try:
            make_folder(os.path.dirname(self._note))
            replace_file(self._note, f"{os.getpid()} {self._tracking}\n".encode(), 0o600)
        except (DiurnaError, OSError):
            pass
        return self

    def __exit__(self, *problem: object) -> None:
        """Take the note away, however it ended; for a lock that is still there, note that it ended."""
        try:
            if not os.path.lexists(self._lock):
                os.unlink(self._note)
                return
            began = self._died_at or os.stat(self._note).st_mtime
            replace_file(self._note, f"{_ENDED} {self._tracking}\n".encode(), 0o600)
            os.utime(self._note, (began, began))
        except (DiurnaError, OSError):
            pass

    def free(self) -> bool:
        """Move the lock of the tracking reference aside if it belongs to nobody; tell whether it did."""
        found = clear_left_lock(self._repository, self._lock, self._died_at)
        self.findings += [found] if found else []
        return found is not None
