"""Write the mirror of an own-branch home: its projection files in `.memory/`, outside git's view.

People read it there, and some will edit it: what was not written from here and is in no commit is left
alone, as in a work tree.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ledger.errors import DiurnaError
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import ARCHIVE_DIR, EDITABLE, MIRROR_DIR
from ledger.wal.atomic_files import make_folder, plain_bytes, replace_file
from memory.worktree.checkout import (
    edited_finding,
    note_written,
    place_of,
    read_written,
    write_noted,
)

#: Stands in the record of what was written for the commit that the mirror last followed the branch to.
_FOLLOWED = MIRROR_DIR + "/"


def mirror(home: Home, files: Iterable[tuple[str, bytes | None]]) -> list[Finding]:
    """Write projection files to the mirror; None takes a page out.

    The home has a branch of its own and a work tree; `files` are (path relative to the home, bytes).
    """
    findings: list[Finding] = []
    folder = f"{home.repository.top}/{MIRROR_DIR}"
    listed = list(files)
    try:
        keep_out_of_status(home)  # a fresh clone may never have seen `init`
    except (DiurnaError, OSError) as problem:
        findings.append(Finding("drift", f"the mirror shows in git's status: {problem}"))
    edited = edited_mirror(home, [path for path, _ in listed])
    for path, data in listed:
        full = f"{folder}/{path}"
        if f"{MIRROR_DIR}/{path}" in edited:
            findings.append(edited_finding(f"{MIRROR_DIR}/{path}"))
            continue
        try:
            if data is None:
                if os.path.isfile(full) and not os.path.islink(full):
                    os.unlink(full)
                continue
            if os.path.islink(folder):
                raise OSError("the mirror folder is a link")
            write_noted(home, f"{MIRROR_DIR}/{path}", data)
        except (DiurnaError, OSError) as problem:
            findings.append(Finding("drift", f"the mirror {full} was not written: {problem}", path))
    return findings


def mirror_changes(home: Home, tip: str) -> list[Finding]:
    """Let the mirror follow the branch to a commit, from the one it last followed it to.

    A plain `git fetch` or `git pull` may have moved the branch meanwhile.
    """
    base = read_written(home).get(_FOLLOWED, [""])[-1]
    if not tip or base == tip:
        return []
    git = home.repository.git()
    paths = (*EDITABLE, ARCHIVE_DIR)
    rows = git.changes(base, tip, *paths)
    if rows is None:  # history was rewritten, and what it was is collected
        rows = git.differences("", tip, *paths)
    bodies = git.blobs([blob for letter, _, blob, _ in rows if letter != "D"])
    files = [(path, None if letter == "D" else next(bodies)) for letter, _, _, path in rows]
    findings = mirror(home, files) if files else []
    note_written(home, {_FOLLOWED: tip})
    return findings


def edited_mirror(home: Home, paths: Iterable[str]) -> list[str]:
    """Return the mirrored files that a person edited, with the mirror's folder in front.

    The home has a branch of its own and a work tree; paths are relative to the home.
    """
    ours = read_written(home)
    unknown: dict[str, str] = {}
    for path in paths:
        name = f"{MIRROR_DIR}/{path}"
        data = plain_bytes(place_of(home, name))
        if data is not None and (here := blob_id(data)) not in ours.get(name, ()):
            unknown[name] = here
    if not unknown:
        return []
    from memory.worktree.authorship import ever_committed

    inside = {name.removeprefix(f"{MIRROR_DIR}/"): blob for name, blob in unknown.items()}
    ours_once = ever_committed(home, home.tip(), inside)
    return [f"{MIRROR_DIR}/{path}" for path in inside if path not in ours_once]


def keep_out_of_status(home: Home) -> bool:
    """Put the mirror into `.git/info/exclude`; tell whether that was needed."""
    path = f"{home.repository.commondir}/info/exclude"
    line = f"/{MIRROR_DIR}/"
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    if line in text.split("\n"):
        return False
    make_folder(os.path.dirname(path), 0o777)
    if text and not text.endswith("\n"):
        text += "\n"
    replace_file(path, (text + line + "\n").encode("utf-8", "surrogateescape"))
    return True
