"""Find where an adoption takes place: repository, folder, and what of it git does not have yet.

Reads only. Whatever would make an adoption lose or sweep in something is refused here, before anything
is written.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from ledger.errors import HomeNotFound, WriteRefused
from ledger.git.repository import Repository, find_repository
from ledger.home import OWN_BRANCH, Home, checked_out_home, discover
from ledger.model import layout
from ledger.model.findings import Finding
from ledger.model.order import is_stem
from ledger.model.record import Record
from memory.worktree.projection_files import refuse_unwritable
from rituals.intake.adopt.adopted_files import ARCHIVE, ARCHIVE_INDEX, FOLDER, SESSIONS, AgentMemory

DEFAULT_BRANCH = "main"


class Ground(Record):
    """Where the ledger lies in git."""

    place: str  #: the top of the repository, or the folder that becomes one
    repository: Repository | None  #: None when there is none yet
    home: Home | None  #: of the adopted ledger; None when there is no repository yet
    prefix: str  #: of the home
    tip: str  #: the commit that is checked out, "" for none
    #: (mode, blob id, path from the root) of what the tip has under the prefix
    committed: tuple[tuple[str, str, str], ...]
    #: (path relative to the home, bytes) of logs and pages that git does not have as they are
    kept: tuple[tuple[str, bytes], ...]
    marked: bool  #: the tip has a `diurna.toml` here
    findings: tuple[Finding, ...] = ()  #: what was noticed
    refused: tuple[WriteRefused, ...] = ()  #: why nothing may be written here

    @property
    def branch(self) -> str:
        """The branch that takes the adoption."""
        return self.home.branch if self.home else DEFAULT_BRANCH


def survey(start: str, memory: AgentMemory) -> Ground:
    """Look at where a ledger lies, from the folder that was named.

    Raises:
        WriteRefused: there is no place for a home; all else that stands in the way is `refused`.
        UnsupportedRepository: the repository is of a shape Diurna does not handle.
    """
    root = memory.root
    given = os.path.realpath(start)
    if root != given and os.path.islink(os.path.join(given, FOLDER)):
        raise WriteRefused(
            f"{os.path.join(given, FOLDER)} is a link; a home is an ordinary folder",
            hint=f"name the folder itself: diurna import ledger {root}",
        )
    refused = _links(root, memory)
    repository = find_repository(root)
    if repository is None:
        place, prefix = (given, layout.TREE_PREFIX) if root != given else (root, "")
        kept = (*_logs(memory), *_pages(memory))
        return Ground(place, None, None, prefix, "", (), kept, False, (), tuple(refused))
    if not repository.top:
        raise WriteRefused(
            f"{root} lies in the bare repository {repository.gitdir}",
            hint="adopt it in a clone that has a work tree",
        )
    inside = root[len(repository.top) + 1 :]
    prefix = inside + "/" if inside else ""
    home = checked_out_home(repository, prefix)
    refused += _second_home(root, home)
    try:
        refuse_unwritable(home)
    except WriteRefused as problem:
        refused.append(problem)
    tip = home.tip()
    committed = tuple(repository.git().tree_files(tip, prefix.rstrip("/"))) if tip else ()
    marked = any(path == prefix + layout.POLICY_FILE for _, _, path in committed)
    paths = ("--no-renames", "--untracked-files=all", "--", prefix or ".")
    status = [row for row in repository.git().status(*paths) if row[3:].startswith(prefix)]
    dirty = {row[3:][len(prefix) :]: row[:2] for row in status}  # the two letters of each path
    kept, findings, ignored = _uncommitted(memory, prefix, committed, dirty)
    refused += [*ignored, *_under_way(prefix, dirty, kept)]
    return Ground(
        repository.top, repository, home, prefix, tip, committed, kept, marked, tuple(findings),
        tuple(refused),
    )  # fmt: skip


def in_the_way(refused: Sequence[WriteRefused]) -> WriteRefused:
    """Say all that stands in the way of an adoption at once."""
    if len(refused) == 1:
        return refused[0]
    said = "; ".join([one.message for one in refused])
    hints = list(dict.fromkeys([one.hint for one in refused if one.hint]))
    return WriteRefused(f"{len(refused)} things stand in the way: {said}", hint="; ".join(hints))


def _links(root: str, memory: AgentMemory) -> list[WriteRefused]:
    paths = (layout.CONTINUITY_FILE, layout.ATTRIBUTES_FILE, layout.POLICY_FILE, SESSIONS, ARCHIVE)
    return [
        WriteRefused(
            f"{path} is a link, and Diurna does not write through links",
            where=path,
            hint="put an ordinary file or folder there",
        )
        for path in (*paths, *(file for file, _ in memory.archive if is_page(file)))
        if os.path.islink(f"{root}/{path}")
    ]


def _second_home(root: str, home: Home) -> list[WriteRefused]:
    """Refuse to make a home that another one hides, or that would hide another one."""
    try:
        other = discover(root, named=root)
    except HomeNotFound:
        return []
    if other.kind == OWN_BRANCH:
        said = f"this repository has a home already, on the branch {other.branch}"
        hint = "one repository has one memory; adopt a copy of the folder outside of it"
        return [WriteRefused(said, hint=hint)]
    if other.prefix != home.prefix:
        said = f"the folder lies in another home, {other.folder}"
        return [WriteRefused(said, hint="adopt a copy of it outside of that home")]
    return []


def _logs(memory: AgentMemory) -> tuple[tuple[str, bytes], ...]:
    """Return (path, bytes) of the session logs among what was read."""
    folder = f"{memory.root}/{SESSIONS}"
    return tuple(
        (f"{SESSIONS}/{stem}.md", data)
        for stem, data in memory.logs
        if is_stem(stem) and not os.path.islink(f"{folder}/{stem}.md")
    )


def _pages(memory: AgentMemory) -> tuple[tuple[str, bytes], ...]:
    """Return (path, bytes) of the files that the projection is written over."""
    pages = [(file, data) for file, data in memory.archive if is_page(file)]
    if os.path.isfile(f"{memory.root}/{layout.CONTINUITY_FILE}"):
        pages.append((layout.CONTINUITY_FILE, memory.continuity))
    return tuple(sorted(pages))


def is_page(path: str) -> bool:
    """Tell whether the projection writes a file of this name in the archive."""
    name = path.removeprefix(layout.ARCHIVE_DIR + "/")
    quarter = len(name) == 10 and name[:4].isdigit() and name[4:6] == "-Q" and name[6] in "1234"
    return path == ARCHIVE_INDEX or (path != name and quarter and name[7:] == ".md")


def _uncommitted(
    memory: AgentMemory,
    prefix: str,
    committed: tuple[tuple[str, str, str], ...],
    dirty: dict[str, str],
) -> tuple[tuple[tuple[str, bytes], ...], list[Finding], list[WriteRefused]]:
    """Find the logs and pages that git does not have as they are in the work tree."""
    there = {path[len(prefix) :] for _, _, path in committed}
    kept: list[tuple[str, bytes]] = []
    findings: list[Finding] = []
    ignored: list[str] = []
    for path, data in (*_logs(memory), *_pages(memory)):
        if path in dirty:
            kept.append((path, data))
            if path in there:
                said = "changed in the work tree and not committed; it is taken as it is there"
                code = "hand-edited" if path == layout.CONTINUITY_FILE else "log-edited"
                findings.append(Finding(code, said, path))
        elif path not in there:
            ignored.append(prefix + path)
    seen = {f"{SESSIONS}/{stem}.md" for stem, _ in memory.logs}
    for path in sorted(dirty):
        stem = path.rpartition("/")[2].removesuffix(".md")
        log = path.startswith(f"{SESSIONS}/") and is_stem(stem)
        if log and "D" in dirty[path] and path in there and path not in seen:
            said = "deleted in the work tree and not committed; the ledger keeps it"
            findings.append(Finding("log-edited", said, path))
    if not ignored:
        return tuple(kept), findings, []
    more = f" and {len(ignored) - 1} more files" if len(ignored) > 1 else ""
    said = f"git ignores {ignored[0]}{more}, so this memory is not meant to be committed here"
    hint = "take it out of .gitignore, or adopt a copy of the folder outside of this repository"
    return tuple(kept), findings, [WriteRefused(said, where=ignored[0], hint=hint)]


def _under_way(
    prefix: str, dirty: dict[str, str], kept: tuple[tuple[str, bytes], ...]
) -> list[WriteRefused]:
    """Refuse where a commit of ours would take in, or write over, what the user has under way."""
    rows = [
        (path, "is not committed as it is", "commit it first, or move it elsewhere")
        for path in (layout.ATTRIBUTES_FILE, layout.POLICY_FILE)
        if path in dirty
    ]
    hint = "commit the deletion or restore the file; its facts would be lost silently"
    for path, letters in sorted(dirty.items()):
        if "D" in letters and (path == layout.CONTINUITY_FILE or path.startswith(f"{ARCHIVE}/")):
            rows.append((path, "is deleted in the work tree and not in git", hint))
    hint = "commit or unstage it first, so that neither version is lost"
    for path, _ in kept:
        letters = dirty.get(path, "??")
        if "U" in letters or (letters[0] not in " ?" and letters[1] != " "):
            rows.append((path, "is staged and was changed again since", hint))
    return [
        WriteRefused(f"{prefix}{path} {said}", where=f"{prefix}{path}", hint=hint)
        for path, said, hint in rows
    ]
