"""Define what a check notices and what mends it; and mend it, one remedy by one.

One that fails changes nothing and stops no other.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ledger.errors import DiurnaError, StorageFailed, WriteRefused
from ledger.home import branch_home
from ledger.model.findings import Finding
from ledger.model.layout import LOCK_FILE
from ledger.model.record import Record
from ledger.remote.remote import choose_remote
from ledger.remote.transport import fetch_blobs
from ledger.wal.atomic_files import Lock, make_folder, try_unlink
from ledger.wal.git_locks import is_left, journal, set_aside
from memory.api import Memory
from memory.recall.index.index_catch_up import index_file
from memory.recall.meaning import make
from memory.repair.pruned_blobs import clear_damaged
from memory.repair.pruned_commits import copies
from memory.worktree.index_entries import store_blob
from memory.worktree.merge_drivers import apply_drivers, plan_drivers
from rituals.check.survey import Survey

MOVE, REMAKE, FETCH, SET, COMMIT, REBUILD, PUBLISH = REMEDIES = (
    "move", "remake", "bring back", "set", "commit", "rebuild", "publish",
)  # fmt: skip

#: Stands behind findings that `--fix` mends.
FIX_HINT = "`diurna check --fix` {}"
_LOCK_WAIT_SECONDS = 5.0


class Remedy(Record):
    """One safe thing to do."""

    kind: str  #: one of `REMEDIES`, which are in the order in which they are applied
    said: str  #: the step in words, beginning with a verb
    target: str = ""  #: a file, a branch or an object id, as the kind needs it


class Noticed(Record):
    """What a check noticed, and what mends it, where something safe does."""

    finding: Finding
    remedy: Remedy | None = None


class Machine(Record):
    """Where a visit is made from: the folder, and those in which commands are looked for."""

    where: str
    folders: tuple[str, ...]


def mended_by(
    code: str, message: str, kind: str, step: str, *, then: str, target: str = ""
) -> Noticed:
    """Return a finding together with its remedy.

    Kind and target are the remedy's; `step` is that in words, and `then` says in the third person what
    `--fix` does, for the hint.
    """
    found = Finding(code, message, hint=FIX_HINT.format(then))
    return Noticed(found, Remedy(kind, step, target))


class Treated(Record):
    """What became of a remedy; `problem` is "" where it was applied."""

    remedy: Remedy
    problem: str = ""


def treat(survey: Survey, remedies: Iterable[Remedy]) -> tuple[Treated, ...]:
    """Apply remedies in their order."""
    done = []
    for remedy in remedies:
        problem = ""
        try:
            _apply(survey, remedy)
        except DiurnaError as failure:
            problem = str(failure)
        except OSError as failure:
            problem = f"{failure.filename or 'the disk'}: {failure.strerror or failure}"
        done.append(Treated(remedy, problem))
    return tuple(done)


def meaning_made(survey: Survey) -> tuple[Treated, ...]:
    """Make what vectors of facts are missing, where the user has a model; say so."""
    try:
        made = make(survey.memory.snapshot)
    except DiurnaError as failure:
        return (Treated(Remedy(REBUILD, "make the vectors of facts"), str(failure)),)
    return (Treated(Remedy(REBUILD, f"make {made} vectors of facts")),) if made else ()


def _apply(survey: Survey, remedy: Remedy) -> None:
    memory, home = survey.memory, survey.home
    kind = remedy.kind
    if kind == MOVE:
        _move(survey, remedy.target)
    elif kind == REMAKE:
        if not memory.remake():
            raise StorageFailed("nothing could be written again")
        memory.snapshot.rebuilt()
    elif kind == FETCH:
        _bring_back(survey, *remedy.target.split(" ", 1))
    elif kind == SET:
        apply_drivers(home, plan_drivers(home))
    elif kind == COMMIT:
        _commit(survey, remedy.target)
    elif kind == REBUILD and remedy.target:
        try_unlink(index_file(survey.home))
    elif kind == REBUILD:
        memory.snapshot.rebuilt()
    else:
        memory.publish()


def _move(survey: Survey, path: str) -> None:
    """Move a lock aside that still belongs to nobody."""
    repository = survey.home.repository
    make_folder(survey.home.state_dir)
    with Lock(f"{repository.commondir}/{LOCK_FILE}", _LOCK_WAIT_SECONDS):
        if not os.path.lexists(path):
            return
        if not is_left(repository, path):
            raise WriteRefused(f"{path} has an owner by now")
        target = set_aside(repository.commondir, path)
    if target:
        journal(
            repository.commondir, f"{path} belonged to nobody; `check --fix` moved it to {target}"
        )


def _bring_back(survey: Survey, blob: str, path: str) -> None:
    """Write a log's object again, from a copy here or from the remote."""
    home = survey.home
    data = next(copies(home, path, blob), None)
    source = "a copy that was here"
    if data is None:
        git = home.repository.git()
        remote = choose_remote(git, home.branch)
        source = remote.shown
        data = fetch_blobs(git, remote, [blob], home.state_dir).get(blob)
    if data is None:
        raise StorageFailed(f"{source} does not have the object {blob}")
    with Lock(f"{home.repository.commondir}/{LOCK_FILE}", _LOCK_WAIT_SECONDS):
        clear_damaged(home, blob)
        store_blob(home, data)
    journal(home.repository.commondir, f"the object {blob} of {path} was written from {source}")
    survey.memory.snapshot.rebuilt()


def _commit(survey: Survey, branch: str) -> None:
    """Commit what waits, here or for the home on another branch."""
    if not branch:
        survey.memory.drain()
        return
    other = Memory(
        branch_home(survey.home.repository, branch), clock=lambda: survey.now_ms, lasting=False
    )
    try:
        other.drain()
    finally:
        other.close()
