"""Write the projection files of a state, and tell whether those that stand match it."""

from __future__ import annotations

from ledger.errors import CorruptRepository, HandEdited, ObjectMissing, WriteRefused
from ledger.git.git_objects import Objects
from ledger.home import OWN_BRANCH, Home
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import (
    ARCHIVE_DIR,
    ARCHIVE_INDEX,
    CONTINUITY_FILE,
    EDITABLE,
    FORMAT_VERSION,
    MIRROR_DIR,
    VIEW_FILES,
)
from ledger.model.record import TYPE_CHECKING, Record
from memory.worktree.page_copies import edit_hint, write_noted
from projection.document.page_renderer import machine, render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from projection.fold.full_replay import State
    from projection.fold.live_view import Summary
    from projection.policy.model import Policy


class Rendering(Record):
    """Every projection file: path -> blob id, and the bytes of those that may not be stored yet."""

    blobs: Mapping[str, str]
    bodies: Mapping[str, bytes]
    archive: bytes = b""  #: of which logs that is, for `Cache.keep_archive` once it is stored

    def against(self, committed: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return (path, blob) of what a commit with some files lacks; "" takes a file out."""
        found = {path: blob for path, blob in self.blobs.items() if committed.get(path) != blob}
        gone = [path for path in committed if path not in self.blobs and is_projection(path)]
        return tuple(sorted({**found, **dict.fromkeys(gone, "")}.items()))

    def changes(self, committed: Mapping[str, str]) -> tuple[tuple[str, bytes | None], ...]:
        """Return the same with the bytes; None takes a file out."""
        changed = self.against(committed)
        return tuple([(path, self.bodies[path] if blob else None) for path, blob in changed])


def projection_files(state: State) -> Rendering:
    """Render every projection file anew."""
    from projection.document.archive_pages import pages

    files = {CONTINUITY_FILE: render(state.view()).encode("utf-8", "surrogateescape")}
    archived = (standing for standing in state.standings() if not standing.live)
    for path, text in pages(archived).items():
        files[path] = text.encode("utf-8", "surrogateescape")
    views = state.policy.view_files
    if views:
        from memory.cache.view_sources import source_of_state
        from projection.views.view_table import published

        source = source_of_state(state)
        for path in views:
            files[path] = published(VIEW_FILES[path], source).encode("utf-8", "surrogateescape")
    return Rendering({path: blob_id(data) for path, data in files.items()}, files)


def standing_files(home: Home, tip: str, views: Sequence[str]) -> list[tuple[str, str, str]]:
    """List (mode, object id, path relative to the home) of all that stands where projections go.

    `views` are the files of published views. Of another one that file is listed which rendering may
    have written: it was published before. Any other of that name is a person's.
    """
    if not tip:
        return []
    found = []
    places = [home.prefix + place for place in (*EDITABLE, ARCHIVE_DIR)]
    with Objects(home.repository) as objects:
        for _, mode, blob, full in objects.differences("", tip, *places):
            path = full[len(home.prefix) :]
            if path.partition("/")[0] in VIEW_FILES and path not in views:
                from projection.document.page_parser import has_rendered_form

                text = (objects.given(blob) or b"").decode("utf-8", "surrogateescape")
                if path not in VIEW_FILES or mode[:3] != "100" or not has_rendered_form(path, text):
                    continue
            found.append((mode, blob, path))
    return found


def committed_projection(home: Home, tip: str, policy: Policy) -> dict[str, str]:
    """Return path -> blob id of the projection files in a commit."""
    return {path: one for _, one, path in standing_files(home, tip, policy.view_files)}


def is_published(home: Home, tip: str, summary: Summary) -> bool:
    """Tell by its last line whether the committed `continuity.md` is of these logs, without a replay."""
    line = machine(FORMAT_VERSION, summary.logs, summary.newest, summary.digest)
    try:
        objects = Objects(home.repository)
        page = tip and objects.find(tip, home.prefix + CONTINUITY_FILE)
        return bool(page) and objects.read(page).rstrip(b"\n").endswith(b"\n" + line.encode())
    except ObjectMissing:
        return False


def is_behind(page: bytes | None, summary: Summary) -> bool:
    """Tell by its last line whether a committed `continuity.md`, if there is one, is of fewer logs."""
    from projection.document.page_parser import machine_line

    if page is None:
        return True
    line = machine_line(page.decode("utf-8", "replace"))
    return line is not None and line.logs < summary.logs and line.newest <= summary.newest


def is_projection(path: str) -> bool:
    """Tell whether a path is one that is recomputed: `continuity.md`, a view or a page of the archive."""
    if path in (*EDITABLE, ARCHIVE_INDEX):
        return True
    name = path.removeprefix(ARCHIVE_DIR + "/")
    return (
        len(name) == 10 and name[:4].isdigit() and name[4:6] == "-Q" and name[6] in "1234"
        and name[7:] == ".md"
    )  # fmt: skip


def drift_findings(paths: list[str]) -> list[Finding]:
    """Say which files differ from the replay."""
    said, hint = "differs from what the logs say", "run `diurna check --publish`"
    return [Finding("drift", f"{path} {said}", path, hint=hint) for path in paths]


def refuse_edited(paths: Sequence[str]) -> None:
    """Stop before anything is written over a person's edit.

    Raises:
        HandEdited: there is such a file.
    """
    if paths:
        raise HandEdited(
            f"{paths[0]} was edited by hand and is left as it is",
            where=paths[0],
            hint=edit_hint(paths[0]),
        )


def refuse_incomplete(unread: tuple[Finding, ...]) -> None:
    """Stop before a projection is published that lacks what a damaged log says.

    Raises:
        CorruptRepository: there is such a log.
    """
    if unread:
        raise CorruptRepository(
            f"{unread[0].message}, so the projection would be incomplete",
            where=unread[0].file,
            hint=unread[0].hint,
        )


def write_files(home: Home, state: State, edited: tuple[str, ...]) -> tuple[str, ...]:
    """Write the projection of a state into the work tree, or the mirror of an own branch.

    `edited` are the files that a person edited.

    Raises:
        WriteRefused: there is no work tree.
        HandEdited: a person edited one of the files; nothing changed.
    """
    if not home.repository.top:
        raise WriteRefused("a bare repository has no work tree", hint="`diurna show` prints")
    from memory.worktree.index_entries import store_blob

    refuse_edited(edited)
    files = projection_files(state).bodies
    mirrored = f"{MIRROR_DIR}/" if home.kind == OWN_BRANCH else ""
    for path, data in files.items():
        write_noted(home, mirrored + path, data)
        if path == CONTINUITY_FILE:
            store_blob(home, data)  # what a person's edit of it is held against
    return tuple(sorted(files))
