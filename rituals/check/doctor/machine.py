"""Check the machine: git, pygit2, other programs called `diurna`, the disk (fault:B14, fault:M10)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ledger.errors import DiurnaError
from ledger.git.cli import Git
from ledger.model.findings import Finding
from rituals.check.doctor.doctor_values import Machine
from rituals.check.survey import Survey

#: `git maintenance run` came with 2.29; 2.30 is the first whose owner check was mended everywhere.
OLDEST_GIT = (2, 30)
OLDEST_PYGIT2 = (1, 19)
#: Below this much free space, bytes, or this many free files, a disk counts as nearly full.
_FREE_BYTES, _FREE_FILES = 64 << 20, 1000
#: File systems on which a lock may not reach other machines.
_SHARED = frozenset(
    "nfs nfs3 nfs4 cifs smb smb2 smb3 smbfs 9p afs ceph lustre drvfs vboxsf prl_fs davfs "
    "fuse.sshfs fuse.glusterfs fuse.s3fs fuse.rclone fuse.davfs2 fuse.vmhgfs-fuse".split()
)
#: Folders that another program copies between machines, file by file.
_COPIED = ("Dropbox", "OneDrive", "Google Drive", "iCloud Drive", "Mobile Documents", "Nextcloud")


def git_noticed(machine: Machine) -> Iterator[Finding]:
    """Say that git is missing or too old."""
    try:
        said = Git(machine.where).run("version").decode("utf-8", "replace").strip()
    except DiurnaError as problem:
        yield Finding("git-unusable", problem.message, hint=problem.hint)
        return
    found = numbers(said.removeprefix("git version "))
    if found and found < OLDEST_GIT:
        hint = "install a newer git; nothing in the repository has to change"
        yield Finding("git-unusable", f"this is {said}; Diurna needs git 2.30 or newer", hint=hint)


def library_noticed(_: Machine) -> Iterator[Finding]:
    """Say that the library behind `Memory` can not be loaded, or is too old."""
    hint = "reinstall Diurna in an environment of its own; short commands work without the library"
    try:
        from ledger.git.pygit2_store import versions

        pygit2, libgit2 = versions()
    except ImportError as problem:  # also where its metadata is missing
        yield Finding("library-unusable", f"pygit2 can not be loaded: {problem}", hint=hint)
        return
    if numbers(pygit2) < OLDEST_PYGIT2:
        said = f"this is pygit2 {pygit2} with libgit2 {libgit2}; Diurna needs 1.19 or newer"
        yield Finding("library-unusable", said, hint=hint)


def numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: `2.39.5.windows.1` gives 2, 39, 5."""
    found: list[int] = []
    for part in version.split("."):
        if not (part.isascii() and part.isdigit()):
            break
        found.append(int(part))
    return tuple(found)


def installed_noticed(machine: Machine) -> Iterator[Finding]:
    """Say that more than one `diurna` can be called (fault:M10)."""
    found: dict[str, str] = {}
    for folder in machine.folders:
        path = os.path.join(folder, "diurna")
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            found.setdefault(os.path.realpath(path), path)
    if len(found) > 1:
        first, *others = found.values()
        yield Finding(
            "several-installed",
            f"{first} is the `diurna` that runs; {', '.join(others)} may be another version",
            hint="hooks and other shells may find another one first; keep one of them on PATH, "
            "or keep them at the same version",
        )


def disk_noticed(survey: Survey) -> Iterator[Finding]:
    """Say that the disk of the repository is nearly full, or that others write to it too (fault:B14)."""
    common = survey.home.repository.commondir
    disk = os.statvfs(common)
    free = disk.f_bavail * disk.f_frsize
    if free < _FREE_BYTES:
        yield _full(common, f"has {free >> 20} MiB left")
    elif disk.f_files and disk.f_favail < _FREE_FILES:
        yield _full(common, f"has room for {disk.f_favail} more files")
    kind = file_system(common, survey.mounts)
    copied = next((name for name in _COPIED if f"/{name}/" in common + "/"), "")
    if kind in _SHARED:
        said = f"{common} is on a {kind} file system, where a lock may not reach other machines"
    elif copied:
        said = f"{common} is in a folder that {copied} copies between machines, file by file"
    else:
        return
    yield Finding(
        "shared-disk",
        said,
        hint="write from one machine at a time there; better, a clone on a local disk and "
        "`diurna sync`",
    )


def _full(where: str, said: str) -> Finding:
    hint = "free some space there; an append that finds none changes nothing"
    return Finding("disk-nearly-full", f"the disk of {where} {said}", hint=hint)


def file_system(path: str, mounts: str) -> str:
    """Return the kind of file system that a path is on, "" where the kernel does not tell.

    The path is absolute and without links; the mounts are the kernel's list.
    """
    best, kind = "", ""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            rows = [line.split(" ") for line in file]
    except OSError:
        return ""
    for row in rows:
        if len(row) < 3:
            continue
        place = row[1].replace("\\040", " ").rstrip("/")
        # of two at one place the later one lies on top
        if f"{path}/".startswith(place + "/") and len(place) >= len(best):
            best, kind = place, row[2]
    return kind
