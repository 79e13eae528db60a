"""Lint of a whole home: what `verify` finds, and what stands in the texts."""

from __future__ import annotations

from ledger.findings import Finding
from ledger.logset import log_refs
from memory.checkout import work_file
from memory.copies import copy_of, read_copy
from memory.publish import committed_projection
from rituals.lint.edits import edit_findings
from rituals.lint.texts import log_findings, text_findings
from rituals.verify import verify
from rituals.verify.listing import list_sessions
from rituals.verify.whole import order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ledger.home import Home
    from memory.api import Memory

    Progress = Callable[[int, int], None]

#: Codes of logs that stand in the work tree with other bytes than at the tip, or only there.
_IN_WORK_TREE = ("log-uncommitted", "log-edited")


def lint(memory: Memory, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Check a home; return what is wrong, errors first.

    Args:
        memory: the home, open.
        progress: told how far it is, as (done, total).
    """
    home, tip = memory.home, memory.home.tip()
    verified = verify(memory, _half(progress, 0))
    refs, _ = log_refs(list_sessions(home, tip).rows, home.prefix)
    personal = memory.snapshot.cache().policy.privacy.personal
    found = log_findings(home, refs, personal, _half(progress, 1))
    for path in dict.fromkeys(one.file for one in verified if one.code in _IN_WORK_TREE):
        found += text_findings(path, work_file(home, path) or b"", personal)
    for path, data in _projection(home, tip):
        found += text_findings(path, data, personal)
    edits = list(edit_findings(memory))
    declared = {one.file for one in edits if one.code == "undeclared-edit"}
    kept = [one for one in verified if one.code != "hand-edited" or one.file not in declared]
    return tuple(sorted(dict.fromkeys([*kept, *edits, *found]), key=order))


def _projection(home: Home, tip: str) -> Iterator[tuple[str, bytes]]:
    """Yield the projection files: as committed, and the work tree's or the mirror's copy that differs."""
    committed = committed_projection(home, tip)
    for (path, _), data in zip(
        committed.items(), home.repository.git().blobs(committed.values()), strict=True
    ):
        yield path, data or b""
        here = work_file(home, path) if home.checked_out else None
        if here is not None and here != data:
            yield path, here
    name, copy = copy_of(home)
    if copy and name not in committed:
        yield name, read_copy(copy) or b""


def _half(progress: Progress | None, half: int) -> Progress | None:
    """Let one half of the work tell how far the whole is."""
    if progress is None:
        return None
    return lambda done, total: progress(half * 500 + done * 500 // max(total, 1), 1000)
