"""Run all checks in order, each guarded: one that fails is told and hides no other; mend what they notice.

A remedy that fails changes nothing and stops no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ledger.errors import DiurnaError, HomeNotFound
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.recall.meaning import make
from rituals.check.check_registry import (
    CONTENT,
    DOCTOR,
    LINT,
    MACHINE,
    VERIFY,
    Check,
    Noticed,
    Remedy,
    Survey,
    bare,
    chosen,
    order,
)
from rituals.check.machine import Machine

#: The ledger can not be read before these are mended: all else would be told of them again, and a
#: projection without them is not ours to publish.
_UNREADABLE = ("object-lost", "unreadable")
#: How often the checks are made again for what shows only after something else was mended.
_ROUNDS = 3


class Visit(Record):
    """What a visit found and did."""

    #: what is the matter, errors first; after treatment, what still is
    findings: tuple[Finding, ...]
    plan: tuple[Remedy, ...] = ()  #: what would mend it, or what was tried, in order
    #: what became of it: (the step, why it could not be done, "" where it was)
    treated: tuple[tuple[str, str], ...] = ()
    home: Home | None = None  #: that was looked at, None where there is none


def visit(
    open_survey: Callable[[], Survey],
    where: str,
    search_path: Iterable[str],
    *,
    fix: bool,
    deep: bool,
) -> Visit:
    """Make all checks, and apply what is safe if asked to; then check again.

    What `open_survey` raises is told like any other finding; `where` is the folder, and agents' commands
    are looked for in `search_path`; `deep` compares the caches, too.
    """
    checks = [one for one in chosen(DOCTOR, VERIFY, LINT) if deep or not one.deep]
    machine = Machine(where, tuple(search_path))
    found = _found([one for one in checks if one.stage == MACHINE], machine)
    checks = [one for one in checks if one.stage != MACHINE]
    try:
        survey = open_survey()
    except DiurnaError as problem:
        code = "no-home" if isinstance(problem, HomeNotFound) else "unsupported-repository"
        found.append(Noticed(Finding(code, problem.message, hint=problem.hint)))
        return Visit(_ordered(found))
    try:
        noticed = _examined(survey, checks)
        remedies = _plan(noticed)
        treated: list[tuple[str, str]] = []
        fresh = remedies if fix else ()
        for _ in range(_ROUNDS):
            if not fresh:
                break
            treated += [(one.said, _problem(one)) for one in fresh]
            survey.memory.snapshot.notes.clear()  # of what was done, which is told as such
            noticed = _examined(survey, checks)
            tried = {step for step, _ in treated}
            fresh = tuple(one for one in _plan(noticed) if one.said not in tried)
            remedies += fresh
        treated += _meaning_made(survey) if fix else ()
        return Visit(_ordered([*found, *noticed]), remedies, tuple(treated), survey.home)
    finally:
        survey.memory.close()


def _problem(remedy: Remedy) -> str:
    """Apply a remedy; return why it could not be applied."""
    try:
        remedy.do()
    except DiurnaError as failure:
        return str(failure)
    except OSError as failure:
        return f"{failure.filename or 'the disk'}: {failure.strerror or failure}"
    return ""


def _meaning_made(survey: Survey) -> list[tuple[str, str]]:
    """Make what vectors of facts are missing, where the user has a model; say so."""
    try:
        made = make(survey.memory.snapshot)
    except DiurnaError as failure:
        return [("make the vectors of facts", str(failure))]
    return [(f"make {made} vectors of facts", "")] if made else []


def _examined(survey: Survey, checks: Iterable[Check]) -> list[Noticed]:
    """Return what is noticed; where the clone can not be read, nothing of what is in it."""
    survey = survey.fresh()
    found = _found([one for one in checks if one.stage != CONTENT], survey)
    if not any(one.finding.code in _UNREADABLE for one in found):
        found += _found([one for one in checks if one.stage == CONTENT], survey)
    notes = survey.memory.snapshot.notes
    found += [Noticed(note) for note in notes]
    notes.clear()
    return found


def _found(checks: Iterable[Check], subject: Survey | Machine) -> list[Noticed]:
    """Return what checks notice, each guarded."""
    found: list[Noticed] = []
    for check in checks:
        hint = "mend what else is told, and look again"
        try:
            for one in check.run(subject):
                found.append(Noticed(one) if isinstance(one, Finding) else one)
            continue
        except DiurnaError as problem:
            said, hint = str(problem), problem.hint or hint
        except Exception as problem:  # noqa: BLE001 - a check that breaks must not hide the others
            said = f"{type(problem).__name__}: {problem}"
        failed = f"{check.name} could not be checked: {said}"
        found.append(Noticed(Finding("check-failed", failed, hint=hint)))
    return found


def _ordered(found: Iterable[Noticed]) -> tuple[Finding, ...]:
    """Sort findings, each once: where two checks make one, the one with a remedy stays."""
    told: dict[Finding, Noticed] = {}
    for one in found:
        known = told.get(bare(one.finding))
        if known is None or (known.remedy is None and one.remedy is not None):
            told[bare(one.finding)] = one
    return tuple(sorted([one.finding for one in told.values()], key=order))


def _plan(noticed: Iterable[Noticed]) -> tuple[Remedy, ...]:
    """Return the remedies, in the order in which they have to be applied, each once."""
    found = {one.remedy.said: one.remedy for one in noticed if one.remedy is not None}
    return tuple(sorted(found.values(), key=lambda one: (one.kind, one.said)))
