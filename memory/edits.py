"""Edits: which projection files a person edited, and what the edit of `continuity.md` says.

The base is found by the machine line that the edited copy still bears: it names the very set of logs that
the file was made from (FORMAT.md, A2 and A7).
"""

from __future__ import annotations

import os

from ledger.digest import blob_id
from ledger.event import Event
from ledger.findings import Finding
from ledger.home import OWN_BRANCH, Home
from ledger.layout import COMMIT_SUBJECT, CONTINUITY_FILE
from ledger.order import is_stem, stem_in
from ledger.values import Record
from memory.checkout import edited_finding, hand_edited, read_written
from memory.copies import copy_of, differs, read_copy
from memory.mirror import edited_mirror
from memory.publish import committed_projection
from projection.absorb import absorb
from projection.parse import machine_line, parse
from projection.render import render
from projection.unsaid import has_rendered_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.snapshot import Snapshot
    from projection.parse import MachineLine
    from projection.replay import State

#: Of the log that says what an edit says.
TITLE = f"Edit {CONTINUITY_FILE} by hand"
#: How many commits of the file are looked at.
_DEEP = 30
#: Stands for a file that a commit took away.
_NO_BLOB = "0" * 40


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
    """Read what a person's edit says; None when the copy was not edited, or is committed as it stands.

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
    if home.kind == OWN_BRANCH and stored:
        return None
    if os.path.islink(path):
        hint = (
            "put a plain file in its place; what the edit says can be recorded with `diurna append`"
        )
        said = Finding("hand-edited", f"{name} is a link, and was not read", name, hint=hint)
        return Edit(name, data, (), (said,))
    if here in committed and home.kind != OWN_BRANCH:
        return None
    text = data.decode("utf-8", "surrogateescape")
    made_from = made_line(text)
    written = [read_written(home).get(name, ""), *committed]
    base = _base(snapshot, made_from, written)
    if base is None:
        hint = (
            "`git diff` shows what was edited: record it with `diurna append`, "
            "and put the file back as git has it"
        )
        said = Finding("hand-edited", f"what {name} was made from is not known", name, 1, hint)
        return Edit(name, data, (), (said,))
    now = state()
    found = absorb(base, text, now.policy, now.get, file=name)
    start = _said_before(home, tip, made_from, committed) if home.kind != OWN_BRANCH else ""
    events = absorb(start, text, now.policy, now.get).events if start else found.events
    return Edit(name, data, events, found.findings)


def _said_before(home: Home, tip: str, made_from: MachineLine | None, blobs: list[str]) -> str:
    """Return the committed text where a person wrote it and a log says so: what it says is said.

    Args:
        home: the home.
        tip: the commit.
        made_from: the machine line of the copy that was edited on top of it.
        blobs: the committed file's.
    """
    from memory.whose import made_by_diurna, said_edits

    blob = blobs[0] if blobs else ""
    if not blob or made_from is None or made_by_diurna(home, tip, {CONTINUITY_FILE: blob}):
        return ""
    text = _text_of(home, blob)
    if made_line(text) != made_from or blob not in said_edits(home, tip, made_from.newest):
        return ""
    return text


def _base(snapshot: Snapshot, made_from: MachineLine | None, blobs: list[str]) -> str | None:
    """Return what Diurna wrote before the person edited it, None where that is not known.

    Args:
        snapshot: of the home.
        made_from: the machine line of the edited copy; without one it is what was written last.
        blobs: what was written last in this work tree, and what is committed; "" where not known.
    """
    home = snapshot.home
    written, *committed = [_text_of(home, blob) for blob in blobs]
    if made_from is None:
        return next((text for text in (written, *committed) if text), None)
    if made_line(written) == made_from:
        return written
    found = published(home, home.tip(), made_from)
    if found is not None:
        return found
    if not is_stem(stem_in(made_from.newest)):
        return None
    from memory.states import state_at

    then = state_at(snapshot, made_from.newest)  # the same set of logs gives the same bytes
    return render(then.view()) if then.summary.digest == made_from.digest else None


def made_line(text: str) -> MachineLine | None:
    """Return the machine line, wherever a person left it."""
    return machine_line(text) or parse(text)[0].machine


def _text_of(home: Home, blob: str) -> str:
    """Return the text of a blob, "" where there is none."""
    for body in home.repository.git().blobs([blob] if blob else []):
        return (body or b"").decode("utf-8", "surrogateescape")
    return ""


def published(home: Home, tip: str, made_from: MachineLine) -> str | None:
    """Return the newest committed `continuity.md` that Diurna made from a set of logs.

    Commits of the person may stand on top of it, and others between them. Where no commit of Diurna's has
    this machine line (they were squashed), it is the oldest that has it.
    """
    if not tip:
        return None
    git, path = home.repository.git(), home.prefix + CONTINUITY_FILE
    found = None
    for deep in (1, _DEEP):  # mostly the newest is Diurna's, and a long history is not walked
        said = git.run(
            "log", f"-n{deep}", "--no-show-signature", "--format=%H %s", tip, "--",
            f":(top,literal){path}",
        )  # fmt: skip
        lines = [line for line in said.decode("utf-8", "replace").split("\n") if line]
        blobs = git.resolve(*[f"{line[:40]}:{path}" for line in lines]) if lines else []
        for line, body in zip(lines, git.blobs(blob or _NO_BLOB for blob in blobs), strict=False):
            text = (body or b"").decode("utf-8", "surrogateescape")
            if made_line(text) != made_from:
                continue  # of other logs: a rebase or a merge put the edit on top of it
            if not has_rendered_form(CONTINUITY_FILE, text):
                continue  # a person's, whatever the subject says: a commit of ours can be amended
            if line[41:].startswith(COMMIT_SUBJECT):
                return text
            found = text
    return found


def edited_files(home: Home) -> tuple[str, ...]:
    """Return the projection files that a person edited in the work tree or the mirror, sorted."""
    if not home.repository.top:
        return ()
    committed = committed_projection(home, home.tip())
    if home.kind == OWN_BRANCH:
        return tuple(sorted(edited_mirror(home, committed)))
    return tuple(sorted(hand_edited(home, sorted({*committed, CONTINUITY_FILE}), committed)))


def edited_findings(paths: tuple[str, ...]) -> tuple[Finding, ...]:
    """Say which projection files a person edited."""
    return tuple(edited_finding(path) for path in paths)
