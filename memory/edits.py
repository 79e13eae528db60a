"""Edits: which projection files a person edited, and what the edit of `continuity.md` says.

The base is found by the machine line that the edited copy still bears: it names the very set of logs that
the file was made from (FORMAT.md, A2).
"""

from __future__ import annotations

import os

from ledger.digest import blob_id
from ledger.event import Event
from ledger.findings import Finding
from ledger.home import OWN_BRANCH, Home
from ledger.layout import CONTINUITY_FILE
from ledger.order import is_stem
from ledger.values import Record
from memory.checkout import hand_edited, read_written
from memory.copies import copy_of, differs, read_copy
from memory.mirror import edited_mirror
from memory.publish import committed_projection
from projection.absorb import absorb
from projection.parse import machine_line
from projection.render import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.snapshot import Snapshot
    from projection.parse import MachineLine
    from projection.replay import State


class Edit(Record):
    """A copy of `continuity.md` that a person edited, and what the edit says.

    Args:
        file: the copy, as findings name it.
        data: its bytes.
        events: what it says; none where the ledger says it all.
        findings: what was not understood.
    """

    file: str
    data: bytes
    events: tuple[Event, ...] = ()
    findings: tuple[Finding, ...] = ()


def find_edit(snapshot: Snapshot, state: Callable[[], State]) -> Edit | None:
    """Read what a person's edit says; None when the copy was not edited.

    Args:
        snapshot: of the home.
        state: gives the ledger as it stands.
    """
    home = snapshot.home
    if not differs(home):
        return None
    name, path = copy_of(home)
    data = read_copy(path)
    if data is None:
        return None
    git, here, tip = home.repository.git(), blob_id(data), home.tip()
    asked = (f"{tip}:{home.prefix}{CONTINUITY_FILE}", here) if tip else (here,)
    *committed, stored = git.resolve(*asked)
    if here in committed or (stored and home.kind == OWN_BRANCH):
        return None
    if os.path.islink(path):
        hint = (
            "put a plain file in its place; what the edit says can be recorded with `diurna append`"
        )
        said = Finding("hand-edited", f"{name} is a link, and was not read", name, hint=hint)
        return Edit(name, data, (), (said,))
    text = data.decode("utf-8", "surrogateescape")
    written = [read_written(home).get(name, ""), *committed]
    base = _base(snapshot, machine_line(text), [blob for blob in written if blob])
    if base is None:
        hint = (
            "`git diff` shows what was edited: record it with `diurna append`, "
            "and put the file back as git has it"
        )
        said = Finding("hand-edited", f"what {name} was made from is not known", name, 1, hint)
        return Edit(name, data, (), (said,))
    now = state()
    found = absorb(base, text, now.policy, now.get, file=name)
    return Edit(name, data, found.events, found.findings)


def _base(snapshot: Snapshot, made_from: MachineLine | None, blobs: list[str]) -> str | None:
    """Return what Diurna wrote before the person edited it, None where that is not known.

    Args:
        snapshot: of the home.
        made_from: the machine line of the edited copy; without one it is what was written last.
        blobs: what was written last in this work tree, and what is committed, where known.
    """
    bodies = snapshot.home.repository.git().blobs(blobs)
    texts = [body.decode("utf-8", "surrogateescape") for body in bodies if body is not None]
    if made_from is None:
        return texts[0] if texts else None
    for text in texts:
        if machine_line(text) == made_from:
            return text
    if not is_stem(made_from.newest):
        return None
    from memory.states import state_at

    then = state_at(snapshot, made_from.newest)  # the same set of logs gives the same bytes
    return render(then.view()) if then.summary.digest == made_from.digest else None


def edited_files(home: Home) -> tuple[str, ...]:
    """Return the projection files that a person edited in the work tree or the mirror, sorted."""
    if not home.repository.top:
        return ()
    committed = committed_projection(home, home.tip())
    if home.kind == OWN_BRANCH:
        return tuple(sorted(edited_mirror(home, committed)))
    return tuple(sorted(hand_edited(home, sorted({*committed, CONTINUITY_FILE}), committed)))
