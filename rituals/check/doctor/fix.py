"""Apply remedies one by one; one that fails changes nothing and stops no other."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ledger.errors import DiurnaError, StorageFailed, WriteRefused
from ledger.home import branch_home
from ledger.model.layout import LOCK_FILE
from ledger.model.record import Record
from ledger.remote.remote import choose_remote
from ledger.remote.transport import fetch_blobs
from ledger.wal.atomic_files import Lock, make_folder
from ledger.wal.git_locks import is_left, journal, set_aside
from memory.api import Memory
from memory.recall.index.index_catch_up import drop_index
from memory.repair.lost_blobs import clear_damaged
from memory.repair.lost_commits import copies
from memory.worktree.checkout import store_blob
from memory.worktree.merge_drivers import apply_drivers, plan_drivers
from rituals.check.doctor import doctor_values as kinds
from rituals.check.doctor.doctor_values import Remedy
from rituals.check.survey import Survey

_LOCK_WAIT_SECONDS = 5.0


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


def _apply(survey: Survey, remedy: Remedy) -> None:
    memory, home = survey.memory, survey.home
    match remedy.kind:
        case kinds.MOVE:
            _move(survey, remedy.target)
        case kinds.REMAKE:
            if not memory.remake():
                raise StorageFailed("nothing could be written again")
            memory.snapshot.rebuilt()
        case kinds.FETCH:
            _bring_back(survey, *remedy.target.split(" ", 1))
        case kinds.SET:
            apply_drivers(home, plan_drivers(home, survey.policy[1].view_files))
        case kinds.COMMIT:
            _commit(survey, remedy.target)
        case kinds.REBUILD if remedy.target:
            drop_index(survey.home)
        case kinds.REBUILD:
            memory.snapshot.rebuilt()
        case _:
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
        survey.memory.drain(share=True)
        return
    other = Memory(
        branch_home(survey.home.repository, branch), clock=lambda: survey.now_ms, in_process=False
    )
    try:
        other.drain(share=True)
    finally:
        other.close()
