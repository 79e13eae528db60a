"""Run all checks in order, each guarded: one that fails is told and hides no other; mend what they notice.

A remedy that fails changes nothing and stops no other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial

from ledger.errors import DiurnaError, HomeNotFound, StorageFailed, WriteRefused
from ledger.home import Home, branch_home
from ledger.model.findings import Finding
from ledger.model.layout import FORMAT_VERSION, LOCK_FILE
from ledger.model.record import Record
from ledger.remote.remote import choose_remote
from ledger.remote.transport import fetch_blobs
from ledger.wal.atomic_files import Lock, make_folder, try_unlink
from ledger.wal.git_locks import is_left, journal, set_aside
from memory.api import Memory
from memory.recall.index_catch_up import index_file
from memory.recall.meaning import make
from memory.repair.pruned_blobs import clear_damaged
from memory.repair.pruned_commits import copies
from memory.worktree.index_entries import store_blob
from memory.worktree.merge_drivers import apply_drivers, plan_drivers
from memory.worktree.projection_files import refuse_unwritable
from rituals.check.check_registry import (
    DOCTOR,
    MACHINE,
    Check,
    Survey,
    bare,
    chosen,
    order,
)

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


#: The ledger can not be read before these are mended: all else would be told of them again, and a
#: projection without them is not ours to publish.
_UNREADABLE = ("object-lost", "unreadable")
#: How often the checks are made again for what shows only after something else was mended.
_ROUNDS = 3


class Visit(Record):
    """What a visit found and did."""

    #: what is the matter, errors first; after treatment, what still is
    noticed: tuple[Noticed, ...]
    plan: tuple[Remedy, ...] = ()  #: what would mend it, or what was tried, in order
    treated: tuple[Treated, ...] = ()  #: what became of it
    home: Home | None = None  #: that was looked at, None where there is none


def visit(
    open_survey: Callable[[], Survey],
    where: str,
    search_path: Iterable[str],
    *,
    fix: bool,
    commands: tuple[str, ...] = (DOCTOR,),
) -> Visit:
    """Make all checks of commands, and apply what is safe if asked to; then check again.

    What `open_survey` raises is told like any other finding; in `search_path` commands are looked for.
    """
    machine = Machine(where, tuple(search_path))
    checks = chosen(*commands)
    found = _found([check for check in checks if check.needs == MACHINE], machine)
    try:
        survey = open_survey()
    except DiurnaError as problem:
        code = "no-home" if isinstance(problem, HomeNotFound) else "unsupported-repository"
        found.append(Noticed(Finding(code, problem.message, hint=problem.hint)))
        return Visit(_ordered(found))
    try:
        noticed = _examine(survey, checks)
        remedies = plan(noticed)
        treated: tuple[Treated, ...] = ()
        fresh = remedies if fix else ()
        for _ in range(_ROUNDS):
            if not fresh:
                break
            treated += treat(survey, fresh)
            survey.memory.snapshot.notes.clear()  # of what was done, which is told as such
            noticed = _examine(survey, checks)
            tried = {one.remedy for one in treated}
            fresh = tuple(one for one in plan(noticed) if one not in tried)
            remedies += fresh
        treated += meaning_made(survey) if fix else ()
        ordered = _ordered([*found, *noticed])
        return Visit(ordered, remedies, treated, survey.memory.home)
    finally:
        survey.memory.close()


def _examine(survey: Survey, checks: Iterable[Check]) -> list[Noticed]:
    """Return what is noticed."""
    survey = survey.fresh()
    made = [one for one in checks if one.needs != MACHINE and (survey.deep or not one.deep)]
    found = _found([one for one in made if not one.content], survey)
    if not any(one.finding.code in _UNREADABLE for one in found):
        found += _found([one for one in made if one.content], survey)
    notes = survey.memory.snapshot.notes
    found += [Noticed(note) for note in notes]
    notes.clear()
    return _with_remedies(survey, found)


def _with_remedies(survey: Survey, found: list[Noticed]) -> list[Noticed]:
    """Put a remedy beside each finding that other commands make, too, and that is mended without risk."""
    drifted = [one.finding.file for one in found if one.finding.code == "drift"]
    lost = any(one.finding.code in _UNREADABLE for one in found)
    publishes = bool(drifted) and not lost and _publishes(survey)
    mended = []
    for one in found:
        code = one.finding.code
        if code == "spool-waiting" and one.remedy is None:
            step = f"commit what waits in the spool ({len(survey.memory.waiting())})"
            hint = FIX_HINT.format("commits it, and so does the next command that writes")
            one = Noticed(one.finding._replace(hint=hint), Remedy(COMMIT, step))
        elif code == "drift" and publishes:
            hint = FIX_HINT.format("publishes it")
            remedy = Remedy(PUBLISH, f"publish {', '.join(drifted)}")
            one = Noticed(one.finding._replace(hint=hint), remedy)
        mended.append(one)
    return mended


def _publishes(survey: Survey) -> bool:
    """Tell whether a drifted projection is ours to write now: whole, and nobody's edit is in it."""
    cache = survey.memory.cache()
    if not survey.memory.publishes() or cache.policy.format > FORMAT_VERSION or cache.unread():
        return False
    try:
        refuse_unwritable(survey.home)
    except WriteRefused:
        return False
    return not (survey.memory.edited() or survey.memory.left_alone())


def _found(checks: Iterable[Check], subject: Survey | Machine) -> list[Noticed]:
    """Return what checks notice, each guarded."""
    return [one for check in checks for one in _guarded(check.name, partial(check.run, subject))]


def _ordered(found: Iterable[Noticed]) -> tuple[Noticed, ...]:
    """Sort findings, each once: where two checks make one, the one with a remedy stays."""
    told: dict[Finding, Noticed] = {}
    for one in found:
        known = told.setdefault(bare(one.finding), one)
        if known.remedy is None and one.remedy is not None:
            told[bare(one.finding)] = one
    return tuple(sorted(told.values(), key=lambda one: order(one.finding)))


def plan(noticed: Iterable[Noticed]) -> tuple[Remedy, ...]:
    """Return the remedies, in the order in which they have to be applied, each once."""
    found = dict.fromkeys(one.remedy for one in noticed if one.remedy is not None)
    return tuple(sorted(found, key=lambda one: (REMEDIES.index(one.kind), one.said)))


def _guarded(name: str, check: Callable[[], Iterable[Finding | Noticed]]) -> list[Noticed]:
    found: list[Noticed] = []
    hint = "mend what else is told, and look again"
    try:
        for one in check():
            found.append(Noticed(one) if isinstance(one, Finding) else one)
        return found
    except DiurnaError as problem:
        said, hint = str(problem), problem.hint or hint
    except Exception as problem:  # noqa: BLE001 - a check that breaks must not hide the others
        said = f"{type(problem).__name__}: {problem}"
    failed = Finding("check-failed", f"{name} could not be checked: {said}", hint=hint)
    return [*found, Noticed(failed)]
