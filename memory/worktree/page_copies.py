"""The copies of projection files that people may edit: in the work tree, or in the mirror.

Which bytes Diurna wrote last is remembered, so that a person's edit is told from them. The mirror is that
of a branch of its own: its projection files in `.memory/`, outside git's view. What somebody edited there
is left alone, as in a work tree.
"""

from __future__ import annotations

import os
from _collections_abc import Iterable, Mapping

from ledger.errors import DiurnaError, ObjectMissing
from ledger.git.git_objects import Objects
from ledger.home import OWN_BRANCH, Home
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import (
    ARCHIVE_DIR,
    CONTINUITY_FILE,
    EDITABLE,
    MIRROR_DIR,
    SESSIONS_DIR,
)
from ledger.wal.atomic_files import Lock, make_folder, plain_bytes, replace_file

#: Stands in the record of what was written for the commit that the mirror last followed the branch to.
_FOLLOWED = MIRROR_DIR + "/"
#: Of so many pages it is remembered that they are rendered.
_RENDERED = 200


def written_record(home: Home) -> str:
    """Return the file that remembers which projection bytes Diurna last wrote in this work tree."""
    return f"{home.repository.gitdir}/diurna/written"


def read_written(home: Home) -> dict[str, list[str]]:
    """Return path -> blob ids of the projection files written in this work tree, the last one last."""
    found: dict[str, list[str]] = {}
    for line in (plain_bytes(written_record(home)) or b"").decode("utf-8", "replace").split("\n"):
        if len(line) > 41:
            found.setdefault(line[41:], []).append(line[:40])
    return found


def note_written(home: Home, name: str, blob: str) -> None:
    """Remember the projection bytes that are about to be written; of a log nothing is kept."""
    with _writing(home):
        _note(home, name, blob)


def _writing(home: Home) -> Lock:
    """Return the lock of the record, which `diurna check --replay --write` takes beside an append."""
    make_folder(os.path.dirname(written_record(home)))
    return Lock(f"{home.repository.gitdir}/diurna/writing")


def _note(home: Home, name: str, blob: str, here: str = "") -> None:
    """Remember bytes, the record's lock held.

    What was remembered and stands there yet is so still: whoever is killed between the two wrote either.
    `here` is what stands there, "" to look.
    """
    known = read_written(home)
    was = known.get(name, [])
    if set(was) - {blob}:
        here = here or blob_id(plain_bytes(place_of(home, name)) or b"")
    known[name] = [*([here] if here != blob and here in was else []), blob]
    if known[name] != was and not name.startswith(SESSIONS_DIR + "/"):
        text = "".join(f"{blob} {path}\n" for path in sorted(known) for blob in known[path])
        replace_file(written_record(home), text.encode(), 0o600)


def write_noted(
    home: Home, name: str, data: bytes, scratch: str = "", ids: tuple[str, str] = ("", "")
) -> None:
    """Write a projection file, or the copy of one in the mirror, ours whenever we are killed.

    The home has a work tree; `name` is as `place_of` knows it, `scratch` as `replace_file` has it; `ids`
    are of the bytes and of what stands there, "" to look.
    """
    full, blob = place_of(home, name), ids[0] or blob_id(data)
    make_folder(os.path.dirname(full), 0o777)
    with _writing(home):
        _note(home, name, blob, ids[1])
        replace_file(full, data, scratch=scratch)
        # what stood there before is a person's again, who puts it back
        _note(home, name, blob, blob)


def place_of(home: Home, name: str) -> str:
    """Return where a projection file is by its path in the home, or the copy of one in the mirror."""
    return f"{home.repository.top if name.startswith(f'{MIRROR_DIR}/') else home.folder}/{name}"


def edited_copies(home: Home, paths: Iterable[str], committed: Mapping[str, str]) -> list[str]:
    """Name the copies of projection files that are neither committed nor as Diurna wrote them.

    The home has a work tree; paths are relative to the home; `committed` is path -> blob id at the tip.
    In a mirror, which may be behind, whatever was committed once counts.
    """
    ours = read_written(home)
    names, edited = dict[str, str](), dict[str, str]()
    for path in paths:
        names[path] = name_of(home, path)
        data = plain_bytes(place_of(home, names[path]))
        if data is not None and (here := blob_id(data)) != committed.get(path):
            if here not in ours.get(names[path], ()):
                edited[path] = here
    if edited and home.kind == OWN_BRANCH:
        from memory.worktree.edit_base import ever_committed

        once = ever_committed(home, home.tip(), edited)
        edited = {path: blob for path, blob in edited.items() if path not in once}
    return [names[path] for path in edited]


def is_editable(path: str) -> bool:
    """Tell whether an edit of a projection file, or of its copy in the mirror, is read back."""
    return path.removeprefix(f"{MIRROR_DIR}/") == CONTINUITY_FILE


def edit_hint(path: str) -> str:
    """Say what to do about a projection file that was edited by hand.

    `path` is relative to the home, or that of the mirror.
    """
    if is_editable(path):
        return "`diurna check --absorb` makes a log of the edit; --dry-run says what it understands"
    then = "move the file elsewhere" if path.startswith(MIRROR_DIR) else "put it back as git has it"
    way_out = (
        "`diurna check --publish --discard-edits` writes it anew and keeps this one beside git"
    )
    return f"record what the edit says with `diurna note TEXT`, and {then}; or {way_out}"


def edited_finding(path: str) -> Finding:
    """Say that a projection file, or its copy in the mirror, was edited by hand and left alone."""
    left = "left as it is" if path.startswith(MIRROR_DIR) else "left as it is and not published"
    said = f"{path} was edited by hand; it was {left}"
    return Finding("hand-edited", said, path, hint=edit_hint(path))


def work_file(home: Home, path: str) -> bytes | None:
    """Return the work tree's copy of a file of the home, None when there is none."""
    return plain_bytes(f"{home.folder}/{path}")  # what is no plain file is never ours


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
    said = f"{path} was not written: {link} is a link, which Diurna does not write through"
    hint = "put a folder there; the commit itself stands"
    return Finding("log-edited", said, path, hint=hint)


def name_of(home: Home, path: str = CONTINUITY_FILE) -> str:
    """Return what the copy of a projection file that people edit is called."""
    return f"{MIRROR_DIR}/{path}" if home.kind == OWN_BRANCH else path


def page_copy(home: Home) -> bytes | None:
    """Return the bytes of the copy of `continuity.md`, None where there is none; a link is never ours."""
    path = place_of(home, name_of(home))
    there = home.repository.top and (os.path.islink(path) or not os.path.isdir(path))
    return plain_bytes(path) if there else None


def is_edited(home: Home) -> bool:
    """Tell whether the copy of `continuity.md` is other than Diurna last wrote it. Git is not asked."""
    data = page_copy(home)
    return data is not None and blob_id(data) not in read_written(home).get(name_of(home), ())


def write_mirror(
    home: Home, files: Iterable[tuple[str, bytes | None]], ids: Mapping[str, str] | None = None
) -> list[Finding]:
    """Write projection files to the mirror; None takes a page out.

    The home has a branch of its own and a work tree; `files` are (path relative to the home, bytes), and
    `ids` the blobs of those of which they are known.
    """
    findings: list[Finding] = []
    folder = f"{home.repository.top}/{MIRROR_DIR}"
    try:
        keep_out_of_status(home)  # a fresh clone may never have seen `init`
    except (DiurnaError, OSError) as problem:
        findings.append(Finding("drift", f"the mirror shows in git's status: {problem}"))
    with Objects(home.repository) as objects:
        for path, data in files:
            full, name = f"{folder}/{path}", f"{MIRROR_DIR}/{path}"
            there, written = plain_bytes(full) or b"", read_written(home).get(name, ())
            here = next((one for one in written if objects.holds(one, there)), "") or blob_id(there)
            if here not in written and edited_copies(home, [path], {}):
                findings.append(edited_finding(name))
                continue
            try:
                if data is None:
                    if os.path.isfile(full) and not os.path.islink(full):
                        os.unlink(full)
                    continue
                if os.path.islink(folder):
                    raise OSError("the mirror folder is a link")
                write_noted(home, name, data, ids=((ids or {}).get(path, ""), here))
            except (DiurnaError, OSError) as problem:
                findings.append(
                    Finding("drift", f"the mirror {full} was not written: {problem}", path)
                )
    return findings


def followed(home: Home) -> str:
    """Return the commit to which the mirror last followed the branch, "" for none."""
    return read_written(home).get(_FOLLOWED, [""])[-1]


def mirror_changes(home: Home, tip: str, base: str = "") -> list[Finding]:
    """Let the mirror go to a commit, from one, or else from that to which it last followed the branch.

    A plain `git fetch` or `git pull` may have moved the branch meanwhile.
    """
    if not tip or tip == (base := base or followed(home)):
        return []
    paths = (*EDITABLE, ARCHIVE_DIR)
    with Objects(home.repository) as objects:
        try:
            rows = objects.differences(base, tip, *paths)
        except ObjectMissing:  # history was rewritten, and what it was is collected
            rows = objects.differences("", tip, *paths)
        files = [(row[3], None if row[0] == "D" else objects.given(row[2])) for row in rows]
        findings = write_mirror(home, files, {row[3]: row[2] for row in rows}) if files else []
    note_written(home, _FOLLOWED, tip)
    return findings


def read_rendered(home: Home) -> list[tuple[str, str]]:
    """Return (path, blob id) of pages that are known to be rendered, the last ones last."""
    said = (plain_bytes(_rendered(home)) or b"").decode("utf-8", "replace")
    return [(line[41:], line[:40]) for line in said.split("\n") if line]


def note_rendered(home: Home, pages: Iterable[tuple[str, str]]) -> None:
    """Remember some more of them; that they can be forgotten costs a look at each."""
    before = read_rendered(home)
    known = [*dict.fromkeys([*before, *pages])][-_RENDERED:]
    if known != before:
        make_folder(os.path.dirname(_rendered(home)))
        text = "".join([f"{blob} {path}\n" for path, blob in known])
        replace_file(_rendered(home), text.encode("utf-8", "replace"), 0o600)


def _rendered(home: Home) -> str:
    return f"{home.repository.commondir}/diurna/rendered"


def read_checked(home: Home) -> str:
    """Return the commit up to which edits were looked for on this branch, "" where none is noted."""
    said = (plain_bytes(_checked(home)) or b"").decode("utf-8", "replace")
    reference, _, commit = said.strip().partition(" ")
    return commit if reference == home.reference else ""


def note_checked(home: Home, tip: str) -> None:
    """Remember that what is behind a commit was looked at; that it can be forgotten does no harm."""
    if not tip or read_checked(home) == tip:
        return
    make_folder(os.path.dirname(_checked(home)))
    replace_file(_checked(home), f"{home.reference} {tip}\n".encode(), 0o600)


def _checked(home: Home) -> str:
    return f"{home.repository.gitdir}/diurna/heard"


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
