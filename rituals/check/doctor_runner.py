"""Run all checks in order, each guarded: one that fails is told and hides no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from ledger.errors import DiurnaError, HomeNotFound, WriteRefused
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import FORMAT_VERSION
from ledger.model.record import Record
from memory.worktree.projection_files import refuse_unwritable
from rituals.check.check_registry import (
    DOCTOR,
    MACHINE,
    Check,
    bare,
    chosen,
    order,
)
from rituals.check.fix import (
    COMMIT,
    FIX_HINT,
    PUBLISH,
    REMEDIES,
    Machine,
    Noticed,
    Remedy,
    Treated,
    meaning_made,
    treat,
)  # fmt: skip
from rituals.check.survey import Survey

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
