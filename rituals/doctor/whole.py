"""All checks, in order, each guarded: one that fails is told and hides no other."""

from __future__ import annotations

from functools import partial

from ledger.errors import DiurnaError, HomeNotFound
from ledger.findings import ERROR, INFO, WARNING, Finding
from ledger.values import Record
from rituals.doctor.attributes import attributes_noticed
from rituals.doctor.case import REMEDIES, Noticed, Remedy
from rituals.doctor.locks import lock_noticed
from rituals.doctor.machine import (
    disk_noticed,
    git_noticed,
    installed_noticed,
    library_noticed,
)
from rituals.doctor.objects import (
    logs_noticed,
    recent_noticed,
    shape_noticed,
    tip_noticed,
    twins_noticed,
)
from rituals.doctor.privacy import privacy_noticed
from rituals.doctor.published import (
    cache_noticed,
    index_noticed,
    policy_noticed,
    published_noticed,
)
from rituals.doctor.settings import settings_noticed
from rituals.doctor.sharing import clock_noticed, unsent_noticed
from rituals.doctor.spools import spool_noticed
from rituals.doctor.treating import Treated, treat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rituals.doctor.case import Case

#: The ledger can not be read before these are mended, and all else would be told of them again.
_UNREADABLE = ("object-lost", "unreadable")
#: How often it is looked again for what shows only after something else was mended.
_ROUNDS = 3
_RANK = {ERROR: 0, WARNING: 1, INFO: 2}

#: What is looked at, in words for a check that fails, and who looks.
_CHECKS: tuple[tuple[str, Callable[[Case], Iterator[Noticed]]], ...] = (
    ("the disk", disk_noticed),
    ("lock files", lock_noticed),
    ("the shape of the repository", shape_noticed),
    ("recent commits", recent_noticed),
    ("the tip of the branch", tip_noticed),
    ("the spool", spool_noticed),
    ("git's settings", settings_noticed),
    ("git's attributes", attributes_noticed),
    ("permissions", privacy_noticed),
)
#: What is looked at where the tip can be read.
_CHECKS_OF_CONTENT: tuple[tuple[str, Callable[[Case], Iterator[Noticed]]], ...] = (
    ("session logs", logs_noticed),
    ("names of logs", twins_noticed),
    ("the policy", policy_noticed),
    ("the projection", published_noticed),
    ("the cache", cache_noticed),
    ("the index of recall", index_noticed),
    ("what the remote has", unsent_noticed),
    ("clocks", clock_noticed),
)


class Visit(Record):
    """What a visit found and did.

    Args:
        noticed: what is the matter, errors first; after treatment, what still is.
        plan: what would mend it, or what was tried, in order.
        treated: what became of it.
    """

    noticed: tuple[Noticed, ...]
    plan: tuple[Remedy, ...] = ()
    treated: tuple[Treated, ...] = ()


def visit(
    open_case: Callable[[], Case], where: str, search_path: Iterable[str], *, fix: bool
) -> Visit:
    """Look at everything, and apply what is safe if asked to; then look again.

    Args:
        open_case: opens the home; what it raises is told like any other finding.
        where: the folder the command runs in.
        search_path: the folders in which commands are looked for.
        fix: apply the plan.
    """
    folders = tuple(search_path)
    found = [
        *_guarded("git", lambda: git_noticed(where)),
        *_guarded("pygit2", library_noticed),
        *_guarded("installed commands", lambda: installed_noticed(folders)),
    ]
    try:
        case = open_case()
    except HomeNotFound as problem:
        found.append(Noticed(Finding("no-home", problem.message, hint=problem.hint)))
        return Visit(_ordered(found))
    except DiurnaError as problem:
        found.append(Noticed(Finding("unsupported-repository", problem.message, hint=problem.hint)))
        return Visit(_ordered(found))
    try:
        noticed = _examine(case)
        remedies = plan(noticed)
        treated: tuple[Treated, ...] = ()
        fresh = remedies if fix else ()
        for _ in range(_ROUNDS):
            if not fresh:
                break
            treated += treat(case, fresh)
            case.memory.snapshot.notes.clear()  # of what was done, which is told as such
            noticed = _examine(case)
            tried = {one.remedy for one in treated}
            fresh = tuple(one for one in plan(noticed) if one not in tried)
            remedies += fresh
        return Visit(_ordered([*found, *noticed]), remedies, treated)
    finally:
        case.memory.close()


def _examine(case: Case) -> list[Noticed]:
    found: list[Noticed] = []
    case = case._replace(listings={})
    for name, check in _CHECKS:
        found += _guarded(name, partial(check, case))
    if not any(one.finding.code in _UNREADABLE for one in found):
        for name, check in _CHECKS_OF_CONTENT:
            found += _guarded(name, partial(check, case))
    notes = case.memory.snapshot.notes
    found += [Noticed(note) for note in notes]
    notes.clear()
    return found


def _ordered(found: Iterable[Noticed]) -> tuple[Noticed, ...]:
    told: dict[Finding, Noticed] = {}
    for one in found:
        told.setdefault(one.finding, one)
    return tuple(sorted(told.values(), key=_order))


def plan(noticed: Iterable[Noticed]) -> tuple[Remedy, ...]:
    """Return what would mend it, in the order in which it has to be done, each once."""
    found = dict.fromkeys(one.remedy for one in noticed if one.remedy is not None)
    return tuple(sorted(found, key=lambda one: (REMEDIES.index(one.kind), one.said)))


def _guarded(name: str, check: Callable[[], Iterable[Noticed]]) -> list[Noticed]:
    found: list[Noticed] = []
    try:
        for one in check():
            found.append(one)
    except DiurnaError as problem:
        found.append(_failed(name, str(problem), problem.hint))
    except Exception as problem:  # noqa: BLE001 - a check that breaks must not hide the others
        found.append(_failed(name, f"{type(problem).__name__}: {problem}", ""))
    return found


def _failed(name: str, said: str, hint: str) -> Noticed:
    hint = hint or "mend what else is told, and look again"
    return Noticed(Finding("check-failed", f"{name} could not be checked: {said}", hint=hint))


def _order(one: Noticed) -> tuple[int, str, str, str]:
    finding = one.finding
    return (_RANK[finding.severity], finding.code, finding.file, finding.message)
