"""Update work trees, indexes and the mirror for a commit, also for one whose writer died.

With a commit on the checked-out branch exactly our own files change: their copies in the work tree and
their index entries, and both before the branch moves (W18). Whatever the user staged or edited stays as it
was. Meanwhile Diurna's lock bears a note that says so and names the tip before, so that the next owner of
the lock can finish it, or take it back.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from ledger.errors import DiurnaError, ObjectMissing, StorageFailed
from ledger.git.cli import EMPTY_TREE, Git
from ledger.git.repository import checked_out_elsewhere, head
from ledger.home import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, Home
from ledger.model.findings import Finding
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
from ledger.wal.spool import Intents
from memory.worktree.checkout import (
    FILE_MODE,
    LATER,
    blobs_at,
    entry_line,
    update_index,
    work_file,
    write_noted,
)
from memory.worktree.merge_drivers import ensure_drivers

#: Sets entries of the index, as `update_index`.
Stage = Callable[[Home, list[str], bool], list[Finding]]

_OURS = (SESSIONS_DIR, *EDITABLE, ARCHIVE_DIR, POLICY_FILE, ATTRIBUTES_FILE)


def show_files(
    home: Home, files: Sequence[tuple[str, bytes | None]], stage: Stage = update_index
) -> list[Finding]:
    """Let the work tree and the index, or the mirror, have what is committed.

    Files are by their paths in the home; None takes one out. `stage` sets the index entries of a
    checked-out home once the work tree has the files.
    """
    if home.checked_out:
        paths = [path for path, _ in files]
        return ensure_drivers(home, paths) + follow(home, files, stage)
    pages = [(path, data) for path, data in files if not path.startswith(SESSIONS_DIR + "/")]
    if pages and home.kind == OWN_BRANCH and home.repository.top:
        from memory.worktree.mirror import mirror

        return mirror(home, pages)
    return []


def show_move(home: Home, tip: str, made: str) -> list[Finding]:
    """Let them follow a branch from one commit to another, before it moves there or behind it."""
    if home.checked_out:
        return ensure_drivers(home) + catch_up(home, tip, made)
    if home.kind == OWN_BRANCH and home.repository.top:
        from memory.worktree.mirror import mirror_changes

        return mirror_changes(home, made)
    return []


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
        locks, trees = (
            (*locks, *every_lock(where.commondir)),
            [where, *checked_out_elsewhere(where)],
        )
    found = [clear_stale_lock(where.commondir, one, lock.note, lock.noted_at) for one in locks]
    found += [
        clear_index_lock(where.commondir, tree.gitdir, tree.top, lock.noted_at) for tree in trees
    ]
    findings = [one for one in found if one is not None]
    if not reference or reference != home.reference:
        lock.settle()
        return findings
    tip = tip or home.tip()
    if base != tip:
        if home.checked_out:
            findings += catch_up(home, base, tip, logs_stay=True)
        else:
            findings += show_move(home, base, tip)
        findings += show_elsewhere(home, base, tip)
    if home.checked_out and lock.note.startswith((reference, EVERY)):
        if base == tip:
            await_gits(where.commondir, lock.noted_at)
        shown = Intents(home.spool_folder).last(reference, base)
        if made:
            changes = where.git().changes(base, made, *_ours(home)) or ()
            shown = {path: "" if letter == "D" else blob for letter, _, blob, path in changes}
        take_back(home, shown)  # but for what the branch has of it, whoever moved it
    if not is_behind(findings):
        lock.settle()
    return findings


def is_behind(findings: Iterable[Finding]) -> bool:
    """Tell whether work trees could not be given yet what a commit brought."""
    return any(one.hint.startswith(LATER) for one in findings)


def _ours(home: Home) -> list[str]:
    """Return what belongs to the home: in a repository of its own, everything."""
    return [home.prefix + path for path in _OURS] if home.kind == IN_TREE else ["."]


def follow(
    home: Home, files: Iterable[tuple[str, bytes | None]], stage: Stage = update_index
) -> list[Finding]:
    """Let work tree and index have what a commit on the checked-out branch brings.

    Its logs come last: a person who adds all behind a kill commits no redaction beside a page that
    still shows the text. The home has a work tree; `files` are (path relative to the home, bytes) that
    the commit adds or changes, None: takes out; `stage` sets the index entries once the work tree has
    the files.

    Returns:
        What could not be done; the commit itself stands.
    """
    here, tip = head(home.repository)
    files = sorted(files, key=lambda one: one[0].startswith(SESSIONS_DIR + "/"))
    if here != home.reference:  # another branch was checked out meanwhile, or was begun there
        there = blobs_at(home, tip, [home.prefix + path for path, _ in files])
        files = [(path, data) for path, data in files
                 if there[home.prefix + path] == (blob_id(data) if data is not None else "")]  # fmt: skip
    findings: list[Finding] = []
    lines: list[str] = []
    shown: dict[str, str] = {}
    sparse = not os.path.isdir(home.folder) and _is_sparse(home)
    for path, data in files:
        full = f"{home.folder}/{path}"
        if data is None:  # a projection page that the replay no longer makes
            lines.append(entry_line(home.prefix + path, ""))
            if os.path.isfile(full) and not leads_out(home, path):
                os.unlink(full)
            continue
        lines.append(entry_line(home.prefix + path, blob_id(data)))
        if sparse:
            continue
        link = leads_out(home, path)
        if link:
            findings.append(not_through(link, path))
            continue
        try:
            if path.startswith(SESSIONS_DIR + "/") and os.path.lexists(full):
                continue
            write_noted(home, path, data, home.state_dir)
            shown[home.prefix + path] = blob_id(data)
        except DiurnaError as problem:
            hint = problem.hint if _never_written(problem) else LATER
            said = f"{full} was not written: {problem}"
            findings.append(Finding("log-edited", said, path, 0, hint))
    findings += stage(home, lines, sparse)
    if head(home.repository)[0] != here:
        take_back(home, shown)
    return findings


def take_back(home: Home, shown: Mapping[str, str]) -> None:
    """Let files and their index entries be as the branch that is checked out has them.

    They were set for a commit that did not come about, or for another branch, which git would refuse to go
    back to over them. The home has a work tree; `shown` is path from the root -> blob id that it was
    given, "" where it was taken out; what has another by now stays.

    Raises:
        ObjectMissing: the branch stands at what a prune took; nothing was changed.
    """
    git = home.repository.git()
    there = blobs_at(home, head(home.repository)[1], shown, whole=True)
    wrong = {path: blob for path, blob in there.items() if blob != shown[path]}
    if not wrong:
        return
    # the other way round than in `follow`
    wrong = dict(sorted(wrong.items(), key=lambda one: f"/{SESSIONS_DIR}/" not in f"/{one[0]}"))
    listed = git.run("--literal-pathspecs", "ls-files", "-s", "-z", "--", *wrong)
    rows = [row.partition("\t") for row in os.fsdecode(listed).split("\0") if row]
    staged = {path: entry.split(" ")[1] for entry, _, path in rows}
    lines = [
        entry_line(path, blob)
        for path, blob in wrong.items()
        if staged.get(path, "") == shown[path]
    ]
    if lines:
        update_index(home, lines)
    bodies = iter(git.blobs([blob for blob in wrong.values() if blob]))
    for path, blob in wrong.items():
        body = next(bodies) if blob else None
        inside = path[len(home.prefix) :]
        here, full = work_file(home, inside), f"{home.folder}/{inside}"
        if (blob_id(here) if here is not None else "") != shown[path]:
            continue
        if body is not None:
            write_noted(home, inside, body, home.state_dir)
        elif not blob:
            os.unlink(full)


def _never_written(problem: DiurnaError) -> bool:
    """Tell whether no disk will ever take a file of this name."""
    cause = problem.__cause__
    return isinstance(cause, OSError) and cause.errno in (errno.ENAMETOOLONG, errno.EINVAL)


def leads_out(home: Home, path: str) -> str:
    """Return the folder on the way to a file that is a link out of the home (fault:J3), or ""."""
    folder = home.repository.top
    for name in (home.prefix + path).split("/")[:-1]:
        folder = f"{folder}/{name}"
        if os.path.islink(folder):
            return folder
    return ""


def not_through(link: str, path: str) -> Finding:
    """Say that a file was not written because a link is on the way to it."""
    return Finding(
        "log-edited",
        f"{path} was not written: {link} is a link, which Diurna does not write through",
        path,
        hint="put a folder there; the commit itself stands",
    )


def catch_up(home: Home, base: str, tip: str, *, logs_stay: bool = False) -> list[Finding]:
    """Let work tree and index follow a commit whose writer died or failed before they did.

    Only where both are as `base` has them, the index also as `tip` has it: what the user staged or edited
    since stays. The home has a work tree; `base` is the tip before that commit, "" when the branch was
    unborn; `logs_stay`: a log that the tip lacks may have been set back, and its file stays.
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
    findings = follow(home, files)
    if lines and head(home.repository)[0] == home.reference:
        findings += update_index(home, lines)
    return findings


def _staged(git: Git, commit: str, paths: Sequence[str]) -> set[str]:
    """Return the paths whose index entries are not what a commit has."""
    said = git.run(
        "diff-index", "--cached", "--name-only", "-z", "--no-renames", commit, "--", *paths
    )
    return set(said.decode("utf-8", "surrogateescape").split("\0"))


def _is_sparse(home: Home) -> bool:
    # not `--local`: git writes this one into the work tree's own configuration
    said = home.repository.git().run(
        "config", "--type=bool", "--get", "core.sparseCheckout", check=False
    )
    return said.strip() == b"true"
