"""Update the work tree and the index after a commit that git did not make itself.

After a commit on the checked-out branch exactly our own files follow it: their copies in the work tree and
their index entries. Whatever the user staged or edited stays as it was.
"""

from __future__ import annotations

import errno
import os
import time

from ledger.environment import now_seconds
from ledger.errors import DiurnaError, GitFailed, StorageFailed
from ledger.git.repository import head
from ledger.home import IN_TREE, Home
from ledger.model.digest import blob_id, sha1
from ledger.model.findings import Finding
from ledger.model.layout import (
    ARCHIVE_DIR,
    ATTRIBUTES_FILE,
    CONTINUITY_FILE,
    MIRROR_DIR,
    POLICY_FILE,
    SESSIONS_DIR,
)
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.locks import clear_index_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_INDEX_TRIES = 12
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  #: git knows this one without having it
_FILE_MODE = "100644"
_OURS = (SESSIONS_DIR, CONTINUITY_FILE, ARCHIVE_DIR, POLICY_FILE, ATTRIBUTES_FILE)


def written_record(home: Home) -> str:
    """Return the file that remembers which projection bytes Diurna last wrote in this work tree."""
    return f"{home.repository.gitdir}/diurna/written"


def read_written(home: Home) -> dict[str, str]:
    """Return path -> blob id of the projection files last written in this work tree."""
    try:
        with open(written_record(home), encoding="utf-8") as file:
            lines = file.read().split("\n")
    except OSError:
        return {}
    return {line[41:]: line[:40] for line in lines if len(line) > 41}


def note_written(home: Home, blobs: Mapping[str, str]) -> None:
    """Remember the projection bytes just written."""
    known = read_written(home)
    known.update(blobs)
    text = "".join(f"{blob} {path}\n" for path, blob in sorted(known.items()))
    make_folder(os.path.dirname(written_record(home)))
    replace_file(written_record(home), text.encode(), 0o600)


def hand_edited(home: Home, paths: Iterable[str], committed: Mapping[str, str]) -> list[str]:
    """Return the projection files whose work-tree copy is neither committed nor ours.

    Args:
        home: a home with a work tree.
        paths: projection files, relative to the home.
        committed: path -> blob id at the tip.
    """
    edited: list[str] = []
    ours: dict[str, str] | None = None
    for path in paths:
        data = work_file(home, path)
        if data is None:
            continue
        here = blob_id(data)
        if here == committed.get(path):
            continue
        if ours is None:
            ours = read_written(home)
        if ours.get(path) != here:
            edited.append(path)
    return edited


def edit_hint(path: str) -> str:
    """Say what to do about a projection file that was edited by hand.

    Args:
        path: the file, relative to the home, or that of the mirror.
    """
    if path.endswith(CONTINUITY_FILE):
        return "`diurna absorb` makes a log of the edit; with --dry-run it says what it understands"
    then = "move the file elsewhere" if path.startswith(MIRROR_DIR) else "put it back as git has it"
    return f"record what the edit says with `diurna append`, and {then}"


def edited_finding(path: str) -> Finding:
    """Say that a projection file, or its copy in the mirror, was edited by hand and left alone."""
    left = "left as it is" if path.startswith(MIRROR_DIR) else "left as it is and not published"
    return Finding(
        "hand-edited", f"{path} was edited by hand; it was {left}", path, hint=edit_hint(path)
    )


def work_file(home: Home, path: str) -> bytes | None:
    """Return the work tree's copy of a file of the home, None when there is none."""
    full = f"{home.folder}/{path}"
    if os.path.islink(full) or os.path.isdir(full):
        return b""  # neither is ever ours
    try:
        with open(full, "rb") as file:
            return file.read()
    except OSError:
        return None


def store_blob(home: Home, data: bytes) -> None:
    """Put a file's bytes into the object store, as they are, for an index entry to name."""
    home.repository.git().run("hash-object", "-w", "--no-filters", "--stdin", data=data)


def follow(home: Home, files: Iterable[tuple[str, bytes | None]]) -> list[Finding]:
    """Let work tree and index follow a commit on the checked-out branch.

    Args:
        home: a home with a work tree.
        files: (path relative to the home, bytes) that the commit added or changed; None: taken out.

    Returns:
        What could not be done; the commit itself stands.
    """
    if head(home.repository)[0] != home.reference:
        return []  # another branch was checked out meanwhile
    findings: list[Finding] = []
    lines: list[str] = []
    unwritten: list[str] = []
    written: dict[str, str] = {}
    sparse = not os.path.isdir(home.folder) and _is_sparse(home)
    for path, data in files:
        full = f"{home.folder}/{path}"
        if data is None:  # a projection page that the replay no longer makes
            lines.append(f"0 {'0' * 40}\t{home.prefix}{path}")
            if os.path.isfile(full) and not _leads_out(home, path):
                os.unlink(full)
            continue
        blob = blob_id(data)
        lines.append(f"100644 {blob}\t{home.prefix}{path}")
        if sparse:
            continue
        link = _leads_out(home, path)
        if link:
            findings.append(_not_through(link, path))
            continue
        try:
            make_folder(os.path.dirname(full), 0o777)
            if path.startswith(SESSIONS_DIR + "/"):
                if not os.path.lexists(full):
                    replace_file(full, data, scratch=home.state_dir)
            else:
                replace_file(full, data, scratch=home.state_dir)
                written[path] = blob
        except DiurnaError as problem:
            findings.append(
                Finding("log-edited", f"{full} was not written: {problem}", path, 0, problem.hint)
            )
            if not _never_written(problem):
                unwritten.append(lines[-1])
    if written:
        note_written(home, written)
    findings += update_index(home, lines, sparse)
    if unwritten:
        _remember_pending(home, unwritten)
    return findings


def _never_written(problem: DiurnaError) -> bool:
    """Tell whether no disk will ever take a file of this name."""
    cause = problem.__cause__
    return isinstance(cause, OSError) and cause.errno in (errno.ENAMETOOLONG, errno.EINVAL)


def _leads_out(home: Home, path: str) -> str:
    """Return the folder on the way to a file that is a link out of the home (fault:J3), or ""."""
    folder = home.repository.top
    for name in (home.prefix + path).split("/")[:-1]:
        folder = f"{folder}/{name}"
        if os.path.islink(folder):
            return folder
    return ""


def _not_through(link: str, path: str) -> Finding:
    return Finding(
        "log-edited",
        f"{path} was not written: {link} is a link, which Diurna does not write through",
        path,
        hint="put a folder there; the commit itself stands",
    )


def catch_up(home: Home, base: str, tip: str, *, logs_stay: bool = False) -> list[Finding]:
    """Let work tree and index follow a commit whose writer died or failed before they did.

    Only where both are as `base` has them: what the user staged or edited since stays.

    Args:
        home: a home with a work tree.
        base: the tip before that commit, "" when the branch was unborn.
        tip: the tip now.
        logs_stay: a log that the tip lacks may have been left out (W11), and its file stays.
    """
    git = home.repository.git()
    # in a repository of its own, everything belongs to the home
    ours = [home.prefix + path for path in _OURS] if home.kind == IN_TREE else ["."]
    base = base or EMPTY_TREE
    changes = git.changes(base, tip, *ours)
    if changes is None and git.resolve(base)[0]:
        raise StorageFailed(
            f"git could not tell what differs between {base[:12]} and {tip[:12]}",
            hint="the next Diurna command that writes lets the work tree follow",
        )
    if not changes:
        return []
    said = git.run("diff-index", "--cached", "--name-only", "-z", "--no-renames", base, "--", *ours)
    staged = set(said.decode("utf-8", "surrogateescape").split("\0"))
    changes = [
        change
        for change in changes
        if change[3] not in staged and (change[0] == "D" or change[1] == _FILE_MODE)
        if not (logs_stay and change[0] == "D" and f"/{SESSIONS_DIR}/" in f"/{change[3]}")
    ]
    before = git.resolve(*[f"{base}:{path}" for _, _, _, path in changes])
    wanted = [blob for letter, _, blob, _ in changes if letter != "D"]
    bodies: dict[str, bytes] = {}
    try:
        for blob, body in zip(wanted, git.blobs(wanted), strict=True):
            if body is not None and blob_id(body) == blob:
                bodies[blob] = body
    except GitFailed:
        pass  # a damaged object: the index follows, and its file with the command that mends it
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


def _is_sparse(home: Home) -> bool:
    # not `--local`: git writes this one into the work tree's own configuration
    said = home.repository.git().run(
        "config", "--type=bool", "--get", "core.sparseCheckout", check=False
    )
    return said.strip() == b"true"


def pending_file(home: Home) -> str:
    """Return the file of the entries that wait for the index, of the branch that is checked out."""
    branch = os.fsencode(head(home.repository)[0])
    return f"{home.repository.gitdir}/diurna/index-pending@{sha1(branch).hexdigest()[:12]}"


def _remember_pending(home: Home, lines: list[str]) -> None:
    """Keep index entries for the next command; whose files are not there gets them then."""
    path = pending_file(home)
    kept = dict.fromkeys([*read_pending(path), *lines])
    make_folder(os.path.dirname(path))
    replace_file(path, os.fsencode("".join(f"{line}\n" for line in kept)), 0o600)


def read_pending(path: str) -> list[str]:
    """Return the entries of such a file."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return [line for line in file.read().split("\n") if line]
    except OSError:
        return []


def _standing(home: Home, lines: list[str]) -> list[str]:
    """Return the entries that the branch still has so; it may have moved on meanwhile.

    A log that was to be staged is in no commit yet.
    """
    if not lines:
        return []
    tip = head(home.repository)[1]
    rows = [line.partition("\t") for line in lines]
    there = home.repository.git().resolve(*[f"{tip}:{path}" for _, _, path in rows])
    wanted = ["" if entry.startswith("0 ") else entry[-40:] for entry, _, _ in rows]
    found = []
    for line, (_, _, path), blob, known in zip(lines, rows, wanted, there, strict=True):
        inside = path[len(home.prefix) :]
        staged = blob and not known and inside.startswith(SESSIONS_DIR + "/")
        if blob == known or (staged and blob_id(work_file(home, inside) or b"") == blob):
            found.append(line)
    return found


def _write_pending(home: Home, lines: list[str]) -> list[str]:
    """Write the files of entries that had to wait, where the work tree lacks them or has our last ones.

    Returns:
        The entries whose files the disk still refuses.
    """
    left: list[str] = []
    ours = read_written(home)
    wanted: list[tuple[str, str, str]] = []
    for line in lines:
        (mode, blob), path = line.split("\t", 1)[0].split(" "), line.split("\t", 1)[1]
        inside = path[len(home.prefix) :]
        here = work_file(home, inside)
        if mode == _FILE_MODE and (here is None or blob_id(here) == ours.get(inside)):
            wanted.append((inside, blob, line))
    bodies = home.repository.git().blobs([blob for _, blob, _ in wanted])
    for (inside, blob, line), body in zip(wanted, bodies, strict=True):
        if body is None:
            continue
        try:
            make_folder(os.path.dirname(f"{home.folder}/{inside}"), 0o777)
            replace_file(f"{home.folder}/{inside}", body, scratch=home.state_dir)
        except DiurnaError:
            left.append(line)
            continue
        if not inside.startswith(SESSIONS_DIR + "/"):
            note_written(home, {inside: blob})
    return left


def update_index(home: Home, lines: list[str], sparse: bool = False) -> list[Finding]:
    """Set index entries, with those that an earlier command could not set, and write their files.

    Args:
        home: a home with a work tree.
        lines: `mode SP blob TAB path` as `git update-index --index-info` reads them.
        sparse: the home lies outside the sparse checkout: mark the entries so.
    """
    pending = pending_file(home)
    kept = read_pending(pending)
    before = _standing(home, kept)
    if kept and not before:
        os.unlink(pending)
    wanted = before + [line for line in lines if line not in before]
    if not wanted:
        return []
    git = home.repository.git()
    data = "".join(line + "\n" for line in wanted).encode("utf-8", "surrogateescape")
    said = b""
    findings: list[Finding] = []
    where = home.repository
    for attempt in range(_INDEX_TRIES):
        began = now_seconds()
        status, _, said = git.call("update-index", "--add", "--index-info", data=data)
        if status < 0:  # killed, and its lock is in the way of everybody
            cleared = clear_index_lock(where.commondir, where.gitdir, where.top, began)
            if cleared is not None:
                findings.append(cleared)
                continue
        if not status:
            if before:
                left: list[str] = []
                if not sparse:
                    newer = {line.split("\t", 1)[1] for line in lines}
                    left = _write_pending(
                        home, [line for line in before if line.split("\t", 1)[1] not in newer]
                    )
                os.unlink(pending)
                if left:
                    _remember_pending(home, left)
            if sparse:
                paths = "".join(line.split("\t", 1)[1] + "\0" for line in wanted)
                git.run(
                    "update-index", "--skip-worktree", "-z", "--stdin",
                    data=paths.encode("utf-8", "surrogateescape"), check=False,
                )  # fmt: skip
            return findings
        if b"index.lock" not in said:
            break
        time.sleep(0.01 * (attempt + 1))
    make_folder(os.path.dirname(pending))
    replace_file(pending, data, 0o600)
    return [
        *findings,
        Finding(
            "index-busy",
            "what was committed stands, and git's index could not follow: "
            + said.decode("utf-8", "replace").strip().split("\n")[0],
            hint="the next Diurna command that writes sets the entry; "
            "until then `git status` shows the file as deleted",
        ),
    ]
