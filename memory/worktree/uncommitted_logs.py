"""Write logs as plain files, which a person commits, and tell where each belongs (W21).

The spool has a copy of each until a branch has it. A file is written once, in the work tree and on the
branch that its log was written for: where it is gone from there, a person took it out.
"""

from __future__ import annotations

import os

from ledger.errors import DiurnaError
from ledger.git.repository import head, read_reference
from ledger.home import Home
from ledger.model.event import REDACTS
from ledger.model.finding_codes import Finding
from ledger.model.log_names import log_path
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.spool import Spool
from memory.cache.ledger_version import is_here, mark_here, mark_of
from memory.worktree.page_copies import leads_out, not_through

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def taken_out(home: Home) -> list[str]:
    """Return the logs that a person took out of this work tree, or whose branch is gone."""
    if not home.plain:
        return []
    spool, where = home.spool, home.repository
    return [
        stem
        for stem in spool.held()
        if not os.path.lexists(f"{home.folder}/{log_path(stem)}")
        if not (mark := mark_of(home, stem)).owed
        if is_here(home, mark)
        or (mark.branch and not read_reference(where, f"refs/heads/{mark.branch}"))
    ]


def put_back(home: Home, stems: Iterable[str]) -> list[Finding]:
    """Write what was taken out of a work tree again, because somebody asks for it."""
    spool, stems = home.spool, list(stems)
    for stem in stems:
        spool.set_mark(stem, mark_here(home, owed=True))
    return write_owed(home, spool, stems)


def write_owed(home: Home, spool: Spool, stems: Iterable[str]) -> list[Finding]:
    """Write the files of logs that this work tree has not had yet; return what could not be written."""
    findings: list[Finding] = []
    if head(home.repository)[0] != home.reference:  # another branch was checked out meanwhile
        return findings
    for stem in stems:
        mark, data, path = mark_of(home, stem), spool.read(stem), log_path(stem)
        if not (mark.owed and is_here(home, mark)) or data is None or REDACTS in data:
            continue
        full = f"{home.folder}/{path}"
        try:
            if not os.path.lexists(full):
                if link := leads_out(home, path):
                    findings.append(not_through(link, path))
                    continue
                make_folder(os.path.dirname(full), 0o777)
                replace_file(full, data, scratch=home.state_dir)
            spool.set_mark(stem, mark_here(home))
        except (DiurnaError, OSError) as problem:
            hint = "its copy is safe under the git directory; the next command tries again"
            findings.append(
                Finding("log-edited", f"{full} was not written: {problem}", path, 0, hint)
            )
    return findings
