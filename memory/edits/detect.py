"""Find which projection files a person edited, and what an edit of `continuity.md` or a view says.

The base is found by the machine line that the edited copy still bears: it names the very set of logs that
the file was made from (FORMAT.md, A2 and A7).
"""

from __future__ import annotations

import os

from ledger.home import OWN_BRANCH, Home
from ledger.model.digest import blob_id
from ledger.model.event import Event
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE
from ledger.model.order import is_stem, stem_in
from ledger.model.record import Record
from memory.worktree.checkout import edited_finding, hand_edited, read_written
from memory.worktree.edit_base import made_line, published, rendered
from memory.worktree.edited_copy import copy_of, differs, edited_paths, read_copy
from memory.worktree.mirror import edited_mirror
from memory.worktree.publish import committed_projection
from projection.views.files import absorb_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.replay.snapshot import Snapshot
    from projection.document.parse import MachineLine
    from projection.fold.replay import State
    from projection.policy.model import Policy


def title_of(path: str) -> str:
    """Return the title of the log that says what an edit of a file says."""
    return f"Edit {path} by hand"


class Edit(Record):
    """A copy of `continuity.md`, or of the file of a view, that a person edited, and what the edit says.

    Args:
        path: of the file in the home.
        file: the copy, as findings name it.
        data: its bytes.
        events: what it says; none where the ledger says it all.
        findings: what was not understood.
    """

    path: str
    file: str
    data: bytes
    events: tuple[Event, ...] = ()
    findings: tuple[Finding, ...] = ()


def find_edits(snapshot: Snapshot, state: Callable[[], State]) -> tuple[Edit, ...]:
    """Read what people's edits say, one by one; none where no copy was edited.

    Args:
        snapshot: of the home.
        state: gives the ledger as it stands.
    """
    policy = snapshot.ask(lambda cache: cache.policy)
    found = [find_edit(snapshot, state, path) for path in edited_paths(snapshot.home, policy)]
    return tuple([edit for edit in found if edit is not None])


def find_edit(snapshot: Snapshot, state: Callable[[], State], file: str) -> Edit | None:
    """Read what the edit of a file says; None when it was not edited, or is committed as it stands.

    Args:
        snapshot: of the home.
        state: gives the ledger as it stands.
        file: `continuity.md`, or the file of a view.
    """
    home = snapshot.home
    if not differs(home, file):
        return None
    name, path = copy_of(home, file)
    data = read_copy(path)
    if data is None:
        return None
    git, here, tip = home.repository.git(), blob_id(data), home.tip()
    asked = (f"{tip}:{home.prefix}{file}", here) if tip else (here,)
    *committed, stored = git.resolve(*asked)
    if home.kind == OWN_BRANCH and stored:
        return None
    if os.path.islink(path):
        hint = (
            "put a plain file in its place; what the edit says can be recorded with `diurna append`"
        )
        said = Finding("hand-edited", f"{name} is a link, and was not read", name, hint=hint)
        return Edit(file, name, data, (), (said,))
    if here in committed and home.kind != OWN_BRANCH:
        return None
    text = data.decode("utf-8", "surrogateescape")
    made_from = made_line(text)
    written = [read_written(home).get(name, ""), *committed]
    base = _base(snapshot, made_from, written, file)
    if base is None:
        hint = (
            "`git diff` shows what was edited: record it with `diurna append`, "
            "and put the file back as git has it"
        )
        said = Finding("hand-edited", f"what {name} was made from is not known", name, 1, hint)
        return Edit(file, name, data, (), (said,))
    now = state()
    found = absorb_file(file, base, text, now.policy, now.get, file=name)
    start = ""
    if home.kind != OWN_BRANCH:
        start = _said_before(home, tip, made_from, committed, file)
    events = found.events
    if start:
        events = absorb_file(file, start, text, now.policy, now.get).events
    return Edit(file, name, data, events, found.findings)


def _said_before(
    home: Home, tip: str, made_from: MachineLine | None, blobs: list[str], file: str
) -> str:
    """Return the committed text that a person wrote, where a log already says what it says.

    Args:
        home: the home.
        tip: the commit.
        made_from: the machine line of the copy that was edited on top of it.
        blobs: the committed file's.
        file: which one.
    """
    from memory.worktree.authorship import made_by_diurna, said_edits

    blob = blobs[0] if blobs else ""
    if not blob or made_from is None or made_by_diurna(home, tip, {file: blob}):
        return ""
    text = _text_of(home, blob)
    if made_line(text) != made_from or blob not in said_edits(home, tip, made_from.newest):
        return ""
    return text


def _base(
    snapshot: Snapshot, made_from: MachineLine | None, blobs: list[str], file: str
) -> str | None:
    """Return what Diurna wrote before the person edited it, None where that is not known.

    Args:
        snapshot: of the home.
        made_from: the machine line of the edited copy; without one it is what was written last.
        blobs: what was written last in this work tree, and what is committed; "" where not known.
        file: which one.
    """
    home = snapshot.home
    written, *committed = [_text_of(home, blob) for blob in blobs]
    if made_from is None:
        return next((text for text in (written, *committed) if text), None)
    if made_line(written) == made_from:
        return written
    found = published(home, home.tip(), made_from, file)
    if found is not None:
        return found
    if not is_stem(stem_in(made_from.newest)):
        return None
    from memory.replay.as_of import state_at

    then = state_at(snapshot, made_from.newest)  # the same set of logs gives the same bytes
    if then.summary.digest != made_from.digest:
        return None
    return rendered(file, then)


def _text_of(home: Home, blob: str) -> str:
    """Return the text of a blob, "" where there is none."""
    for body in home.repository.git().blobs([blob] if blob else []):
        return (body or b"").decode("utf-8", "surrogateescape")
    return ""


def edited_files(home: Home, policy: Policy) -> tuple[str, ...]:
    """Return the projection files that a person edited in the work tree or the mirror, sorted."""
    if not home.repository.top:
        return ()
    committed = committed_projection(home, home.tip(), policy)
    if home.kind == OWN_BRANCH:
        return tuple(sorted(edited_mirror(home, committed)))
    paths = sorted({*committed, CONTINUITY_FILE, *policy.view_files})
    return tuple(sorted(hand_edited(home, paths, committed)))


def edited_findings(paths: tuple[str, ...]) -> tuple[Finding, ...]:
    """Say which projection files a person edited."""
    return tuple(edited_finding(path) for path in paths)
