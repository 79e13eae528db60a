"""Bring work trees, indexes and the mirror to a commit, also for a writer that died (W18).

With a commit on the checked-out branch exactly our own files change: their copies in the work tree and
their index entries. Whatever the user staged or edited stays as it was.

Both have what a commit brings before the branch moves to it. The other way round a kill between the two
leaves a branch that is ahead of its index, and the next commit of a person, which is made from that index,
takes our files out again. This way it leaves a new file that is staged: whatever a person does then brings
it in, or leaves it to the next command. Meanwhile Diurna's lock bears a note that names the tip before and
the commit, so that the next owner of the lock can finish it, or take it back.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Sequence

from ledger.errors import DiurnaError, ObjectMissing, StorageFailed
from ledger.git.cli import EMPTY_TREE, Git
from ledger.git.repository import checked_out_elsewhere, head
from ledger.home import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, Home
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import ARCHIVE_DIR, ATTRIBUTES_FILE, EDITABLE, POLICY_FILE, SESSIONS_DIR
from ledger.wal.atomic_files import Lock
from ledger.wal.git_locks import (
    EVERY,
    await_gits,
    clear_index_lock,
    clear_stale_lock,
    every_lock,
    locks_of,
    said_by,
)
from memory.worktree.index_entries import (
    FILE_MODE,
    INDEX_TRIES,
    LATER,
    blobs_at,
    entry_line,
    index_stamp,
    update_index,
)
from memory.worktree.merge_drivers import ensure_drivers
from memory.worktree.page_copies import (
    leads_out,
    mirror_changes,
    not_through,
    work_file,
    write_noted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.git.committer import Move

    #: (path relative to the home, bytes) that a commit adds or changes; None: takes out.
    Files = Sequence[tuple[str, bytes | None]]
    #: Sets entries of the index, as `update_index`.
    Stage = Callable[[Home, list[str], bool], list[Finding]]

_OURS = (SESSIONS_DIR, *EDITABLE, ARCHIVE_DIR, POLICY_FILE, ATTRIBUTES_FILE)


class Ahead:
    """What the work tree and the index have of a commit that a branch is about to move to.

    Args:
        home: the home.
        tip: where the branch stands, "" for unborn.
        made: the commit.
        files: what it changes, where that is known; else git is asked.
    """

    def __init__(self, home: Home, tip: str, made: str, files: Files | None = None) -> None:
        self._home, self._tip, self._made, self._files = home, tip, made, files
        self._lines: list[str] = []
        self._index: tuple[int, ...] = ()  # as it was once it had the entries
        self._moved = False
        #: what could not be done
        self.findings: list[Finding] = []

    def show(self, move: Move) -> None:
        """Write it, and move the branch."""
        self._move = move
        home, files = self._home, self._files
        found = ensure_drivers(home)
        if files is None:
            found += catch_up(home, self._tip, self._made, stage=self._stage)
        else:
            found += _follow(home, self._made, files, self._stage)
        if not self._moved:  # nothing was to be staged
            move(lambda: True)
        self.findings = found

    def _stage(self, home: Home, lines: list[str], sparse: bool) -> list[Finding]:
        """Set the index's entries while git has the branch locked, and move it.

        So nobody's commit has them before the branch does. One who holds the index is waited for with
        nothing locked: their git may want the branch.
        """
        found: list[Finding] = []
        self._moved, self._lines = True, lines

        def is_set() -> bool:
            found[:] = update_index(home, lines, sparse, tries=1)
            self._index = index_stamp(home)
            return not any(one.code == "index-busy" for one in found)

        for attempt in range(INDEX_TRIES):
            if self._move(is_set):
                return found
            time.sleep(0.01 * (attempt + 1))
        self._index = ()  # somebody holds it for long: `settle` sets them, or tells
        self._move(lambda: True)
        return []

    def take_back(self) -> None:
        """Let them be as the branch has them: it did not move."""
        catch_up(self._home, self._made, self._home.tip())

    def settle(self) -> None:
        """See behind the move that they are still so: git knows nothing of Diurna's lock."""
        home = self._home
        if not self._index or self._index != index_stamp(home):
            self.findings += update_index(home, self._lines)
        here, tip = head(home.repository)
        if here != home.reference:
            catch_up(home, self._made, tip)


def show_elsewhere(home: Home, tip: str, made: str) -> list[Finding]:
    """Let every other work tree that has the branch checked out follow too (fault:D3).

    Its user's next commit would otherwise take our files out again.
    """
    kind = OWN_REPOSITORY if home.kind == OWN_BRANCH else home.kind
    findings: list[Finding] = []
    for other in checked_out_elsewhere(home.repository, home.reference):
        findings += catch_up(home._replace(kind=kind, repository=other), tip, made)
    return findings


def finish_dead(home: Home, lock: Lock, tip: str = "") -> list[Finding]:
    """Finish what a dead owner of the lock left undone, or take it back.

    Ask again for every tip: the git that a dead process started may move the branch yet. `lock` is
    held, with the note that was found on it; `tip` is where the branch stands, "" to look.
    """
    if not lock.note:
        return []
    where = home.repository
    reference, base, made = said_by(lock.note)
    locks = locks_of(where.commondir, where.gitdir, reference)
    trees = [where] * home.checked_out
    if lock.note.startswith(EVERY):
        await_gits(where.commondir, lock.noted_at)
        locks = (*locks, *every_lock(where.commondir))
        trees = [where, *checked_out_elsewhere(where)]
    found = [clear_stale_lock(where.commondir, one, lock.note, lock.noted_at) for one in locks]
    found += [
        clear_index_lock(where.commondir, tree.gitdir, tree.top, lock.noted_at) for tree in trees
    ]
    findings = [one for one in found if one is not None]
    if not reference or reference != home.reference:
        lock.settle()
        return findings
    shown = home.checked_out and made and lock.note.startswith((reference, EVERY))
    if shown and base == (tip or home.tip()):
        await_gits(where.commondir, lock.noted_at)
        tip = ""  # that git may have moved it while it was waited for
    tip = tip or home.tip()
    if base != tip:
        if home.checked_out:
            findings += catch_up(home, base, tip, logs_stay=True)
        elif home.kind == OWN_BRANCH and where.top:
            findings += mirror_changes(home, tip)
        findings += show_elsewhere(home, base, tip)
    if shown:
        here, at = head(where)
        catch_up(home, made, tip if here == home.reference else at)  # whoever moved the branch
    if not is_behind(findings):
        lock.settle()
    return findings


def is_behind(findings: Iterable[Finding]) -> bool:
    """Tell whether work trees could not be given yet what a commit brought."""
    return any(one.hint.startswith(LATER) for one in findings)


def _ours(home: Home) -> list[str]:
    """Return what belongs to the home: in a repository of its own, everything."""
    return [home.prefix + path for path in _OURS] if home.kind == IN_TREE else ["."]


def _follow(
    home: Home, made: str, files: Files, stage: Stage = update_index, more: Sequence[str] = ()
) -> list[Finding]:
    """Let work tree and index have what a commit on the checked-out branch brings.

    Its logs come last, and go first: a person who adds all behind a kill commits no redaction beside a
    page that still shows the text. The home has a work tree; `stage` sets the index entries, and `more`,
    once the work tree has the files.

    Returns:
        What could not be done; the commit itself stands.
    """
    here, tip = head(home.repository)
    if here != home.reference:  # another branch was checked out meanwhile, or was begun there
        there = blobs_at(home, tip, [home.prefix + path for path, _ in files])
        files = [(path, data) for path, data in files
                 if there[home.prefix + path] == (blob_id(data) if data is not None else "")]  # fmt: skip
    findings: list[Finding] = []
    lines = [*more]
    sparse = False
    if not os.path.isdir(home.folder):
        # not `--local`: git writes this one into the work tree's own configuration
        asked = ("config", "--type=bool", "--get", "core.sparseCheckout")
        sparse = home.repository.git().text(*asked, check=False).strip() == "true"
    logs = {path for path, _ in files if path.startswith(SESSIONS_DIR + "/")}
    for path, data in sorted(files, key=lambda one: (one[0] in logs) * (1, -1)[one[1] is None]):
        full, is_log = f"{home.folder}/{path}", path in logs
        lines.append(entry_line(home.prefix + path, "" if data is None else blob_id(data)))
        if data is None:
            if os.path.isfile(full) and not leads_out(home, path):
                os.unlink(full)
            continue
        if sparse:
            continue
        link = leads_out(home, path)
        if link:
            findings.append(not_through(link, path))
            continue
        try:
            if not (is_log and os.path.lexists(full)):
                write_noted(home, path, data, home.state_dir)
        except DiurnaError as problem:
            never = getattr(problem.__cause__, "errno", 0) in (errno.ENAMETOOLONG, errno.EINVAL)
            hint = problem.hint if never else LATER  # no disk will ever take a file of this name
            said = f"{full} was not written: {problem}"
            findings.append(Finding("log-edited", said, path, 0, hint))
    findings += stage(home, lines, sparse)
    now, at = head(home.repository)
    if now != here or at != (made if here == home.reference else tip):  # git moved it meanwhile
        catch_up(home, made, at, logs_stay=now == here)
    return findings


def catch_up(
    home: Home, base: str, tip: str, *, logs_stay: bool = False, stage: Stage = update_index
) -> list[Finding]:
    """Let work tree and index go from one commit to another.

    Only where both are as `base` has them, the index also as `tip` has it: what the user staged or edited
    since stays. The home has a work tree; `base` is "" for nothing; `logs_stay`: a log that the tip lacks
    may have been set back, and its file stays; `stage` sets the index entries.
    """
    git = home.repository.git()
    ours = _ours(home)
    base = base or EMPTY_TREE
    changes = git.changes(base, tip, *ours)
    if changes is None and git.resolve(base)[0]:
        raise StorageFailed(
            f"git could not tell what differs between {base[:12]} and {tip[:12]}",
            hint="the next Diurna command that writes lets the work tree follow",
        )
    if not changes:
        return []
    staged = _staged(git, base, ours) & _staged(git, tip, ours)
    changes = [
        change
        for change in changes
        if change[3] not in staged and (change[0] == "D" or change[1] == FILE_MODE)
        if not (logs_stay and change[0] == "D" and f"/{SESSIONS_DIR}/" in f"/{change[3]}")
    ]
    before = git.resolve(*[f"{base}:{path}" for _, _, _, path in changes])
    wanted = [blob for letter, _, blob, _ in changes if letter != "D"]
    bodies: dict[str, bytes] = {}
    try:
        for blob, body in zip(wanted, git.blobs(wanted), strict=True):
            if body is not None and blob_id(body) == blob:
                bodies[blob] = body
    except ObjectMissing:
        pass  # or damaged: the index follows, and its file with the command that mends it
    files: list[tuple[str, bytes | None]] = []
    lines: list[str] = []
    for (letter, mode, blob, path), old in zip(changes, before, strict=True):
        inside = path[len(home.prefix) :]
        here = work_file(home, inside)
        if (here is None or blob_id(here) == old) and (letter == "D" or blob in bodies):
            files.append((inside, bodies.get(blob)))
        else:
            lines.append(f"{'0' if letter == 'D' else mode} {blob}\t{path}")
    branch, at = head(home.repository)
    if branch != home.reference and at != tip:
        lines = []
    return _follow(home, tip, files, stage, lines)


def _staged(git: Git, commit: str, paths: Sequence[str]) -> set[str]:
    """Return the paths whose index entries are not what a commit has."""
    said = git.run(
        "diff-index", "--cached", "--name-only", "-z", "--no-renames", commit, "--", *paths
    )
    return set(said.decode("utf-8", "surrogateescape").split("\0"))
