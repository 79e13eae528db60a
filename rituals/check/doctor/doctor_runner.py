"""Run all checks in order, each guarded: one that fails is told and hides no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType

from ledger.errors import DiurnaError, HomeNotFound
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.record import Record
from rituals.check.baseline import Acceptance
from rituals.check.check_registry import DOCTOR, MACHINE, VERIFY, Check, bare, chosen, order
from rituals.check.check_runner import remember_sound
from rituals.check.doctor.doctor_values import REMEDIES, Machine, Noticed, Remedy
from rituals.check.doctor.fix import Treated, treat
from rituals.check.doctor.remedies import with_remedies
from rituals.check.survey import Survey

#: The ledger can not be read before these are mended, and all else would be told of them again.
_UNREADABLE = ("object-lost", "unreadable")
#: How often the checks are made again for what shows only after something else was mended.
_ROUNDS = 3


class Visit(Record):
    """What a visit found and did."""

    #: what is the matter, errors first; after treatment, what still is
    noticed: tuple[Noticed, ...]
    plan: tuple[Remedy, ...] = ()  #: what would mend it, or what was tried, in order
    treated: tuple[Treated, ...] = ()  #: what became of it
    #: the key of each finding that a log can accept
    keys: Mapping[Finding, str] = MappingProxyType({})
    #: findings that a log accepted, each with who did and why
    accepted: tuple[tuple[Finding, Acceptance], ...] = ()
    home: Home | None = None  #: that was looked at, None where there is none


class _Settled(Record):
    """What is known of findings that a log accepts or could accept, without their hints."""

    keys: dict[Finding, str]
    accepted: dict[Finding, tuple[Finding, Acceptance]]


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
    found = _found([check for check in checks if check.needs == MACHINE], machine, _Settled({}, {}))
    try:
        survey = open_survey()
    except HomeNotFound as problem:
        found.append(Noticed(Finding("no-home", problem.message, hint=problem.hint)))
        return Visit(_ordered(found))
    except DiurnaError as problem:
        found.append(Noticed(Finding("unsupported-repository", problem.message, hint=problem.hint)))
        return Visit(_ordered(found))
    try:
        noticed, settled, seen = _examine(survey, checks)
        remedies = plan(noticed)
        treated: tuple[Treated, ...] = ()
        fresh = remedies if fix else ()
        for _ in range(_ROUNDS):
            if not fresh:
                break
            treated += treat(survey, fresh)
            survey.memory.snapshot.notes.clear()  # of what was done, which is told as such
            noticed, settled, seen = _examine(survey, checks)
            tried = {one.remedy for one in treated}
            fresh = tuple(one for one in plan(noticed) if one not in tried)
            remedies += fresh
        ordered = _ordered([*found, *noticed])
        if VERIFY in commands:
            remember_sound(seen, tuple(one.finding for one in ordered))
        keys = {one.finding: settled.keys.get(bare(one.finding), "") for one in ordered}
        known = {one: key for one, key in keys.items() if key}
        told = tuple(settled.accepted.values())
        return Visit(ordered, remedies, treated, known, told, survey.memory.home)
    finally:
        survey.memory.close()


def _examine(survey: Survey, checks: Iterable[Check]) -> tuple[list[Noticed], _Settled, Survey]:
    """Return what is noticed, what logs accepted of it or could, and the survey that was made."""
    survey = survey.fresh()
    made = [one for one in checks if one.needs != MACHINE and (survey.deep or not one.deep)]
    settled = _Settled({}, {})
    found = _found([one for one in made if not one.content], survey, settled)
    if not any(one.finding.code in _UNREADABLE for one in found):
        found += _found([one for one in made if one.content], survey, settled)
    notes = survey.memory.snapshot.notes
    found += [Noticed(note) for note in notes]
    notes.clear()
    return with_remedies(survey, found), settled, survey


def _found(checks: Iterable[Check], subject: Survey | Machine, settled: _Settled) -> list[Noticed]:
    """Return what checks notice and no log accepted, each guarded."""
    found: list[Noticed] = []
    for check in checks:
        some = _guarded(check.name, partial(check.run, subject))
        if check.lasting and some and isinstance(subject, Survey):
            some = _guarded(check.name, partial(_open, subject, some, settled))
        found += some
    return found


def _open(survey: Survey, some: Iterable[Noticed], settled: _Settled) -> Iterator[Noticed]:
    """Part what stands open from what a log accepted."""
    listed = list(some)
    for one, (key, _) in zip(listed, survey.keyed([one.finding for one in listed]), strict=True):
        if key in survey.accepted:
            settled.accepted[bare(one.finding)] = one.finding, survey.accepted[key]
        else:
            settled.keys[bare(one.finding)] = key
            yield one


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
    try:
        for one in check():
            found.append(Noticed(one) if isinstance(one, Finding) else one)
    except DiurnaError as problem:
        found.append(_failed(name, str(problem), problem.hint))
    except Exception as problem:  # noqa: BLE001 - a check that breaks must not hide the others
        found.append(_failed(name, f"{type(problem).__name__}: {problem}", ""))
    return found


def _failed(name: str, said: str, hint: str) -> Noticed:
    hint = hint or "mend what else is told, and look again"
    return Noticed(Finding("check-failed", f"{name} could not be checked: {said}", hint=hint))
