"""Print the findings of `verify`, `lint` and `doctor`: counts, keys, and what was accepted."""

from __future__ import annotations

from collections import Counter

from ledger.model.findings import ERROR, Finding, severe
from rituals.answers.json_objects import finding_object, home_object
from rituals.check.baseline import shown
from rituals.check.check_registry import CHECKS, SAID
from rituals.cli.output import counted, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rituals.check.baseline import Acceptance
    from rituals.check.check_registry import Made
    from rituals.check.doctor import Visit
    from rituals.cli.context import Invocation
    from rituals.cli.output import Output


#: The most remarks about texts that `doctor` names, and the findings from which a baseline pays.
_FEW, _MANY = 5, 10


def summary(findings: Iterable[Finding], accepted: Iterable[Finding]) -> str:
    """Count findings, and name the codes of errors that were accepted."""
    listed, known = list(findings), list(accepted)
    errors = sum(one.severity == ERROR for one in listed)
    said = f"{counted(errors, 'error')}, {counted(len(listed) - errors, 'other finding')}"
    said = said if listed else "all in order"
    if not known:
        return said
    codes = Counter(one.code for one in known if one.severity == ERROR)
    named = ", ".join(f"{many} {code}" for code, many in codes.items())
    return f"{said}, {len(known)} accepted" + (f" ({named})" if named else "")


def show_summary(out: Output, result: Made) -> None:
    """Say in one line what was found."""
    out.line(summary(result.findings, [one for one, _ in result.accepted]))


def visited(
    call: Invocation, commands: tuple[str, ...], *, fix: bool, deep: bool, cold: bool
) -> Visit:
    """Make the checks of some commands here, and mend what is safe where that is asked for."""
    from memory.api import Memory
    from rituals.check.doctor import visit
    from rituals.check.survey import PARTS, Survey

    def opened() -> Survey:
        home, progress = call.find_home(), call.out.progress
        memory = Memory(
            home, agent=call.agent, clock=call.now_ms, in_process=False, progress=progress
        )
        parts = PARTS if cold else ()
        return Survey(
            memory, call.now_ms(), cold=cold or deep, deep=deep, progress=progress, parts=parts
        )

    return visit(opened, call.folder(), call.search_path, fix=fix, commands=commands)


def visit_object(found: Visit) -> dict[str, object]:
    """Describe the home that was looked at, what would mend what was found, and what became of it."""
    return {
        "home": home_object(found.home) if found.home else None,
        "plan": [one.said for one in found.plan],
        "done": [one.remedy.said for one in found.treated if not one.problem],
        "failed": [
            {"step": one.remedy.said, "message": one.problem}
            for one in found.treated
            if one.problem
        ],
    }


def show_visit(out: Output, found: Visit, *, dry_run: bool) -> None:
    """Say what would be done, what was, and what was not; and what named the home."""
    for step in found.plan if dry_run else ():
        out.line(told(step.said, done=False))
    for one in found.treated:
        if one.problem:
            out.line(("not done:", "red"), f" {one.remedy.said}: {one.problem}")
        else:
            out.line(told(one.remedy.said, done=True))
    if found.home and found.home.named not in ("", "--home"):  # which its reader has just typed
        out.line(f"home {found.home.repository.where}, named by {found.home.named}")


def show_here(out: Output, findings: tuple[Finding, ...]) -> None:
    """Say what was found here; many remarks about the texts of a ledger are left to `verify`."""
    texts = next(check.codes for check in CHECKS if check.name == SAID)
    others = tuple(one for one in findings if one.code in texts and one.severity != ERROR)
    if len(others) <= _FEW:
        return out.findings(findings)
    out.findings(tuple(one for one in findings if one not in others))
    out.told.update(others)
    out.hint(
        f"{len(others)} findings are about what logs and facts say: `diurna check --all` names them"
    )


def hint_baseline(out: Output, result: Made) -> None:
    """Say how many old findings become few, where there are many."""
    if len(result.keys) >= _MANY:
        out.hint(
            "accept what is old and known, so that what is new stands out: "
            "`diurna check --accept-all --reason TEXT`, or one by one (`diurna check --all`)"
        )


def show_all(out: Output, result: Made) -> None:
    """Name every finding with its key, and what was accepted with who did, when and why."""
    for one in result.findings:
        key = result.keys.get(one)
        out.line(f"{one.severity:<9} {shown(key) if key else one.code}  {_placed(one)}")
    for one, known in result.accepted:
        out.line(f"{'accepted':<9} {shown(known.key)}  {_placed(one)}")
        out.line(f"{'':<9} by {known.agent or 'nobody named'} on {known.stem[:10]}: {known.reason}")
    out.told.update(result.findings)


def made_object(result: Made) -> dict[str, object]:
    """Describe what checks found."""
    return {
        "ok": not severe(result.findings),
        "findings": [
            {**finding_object(one), "key": result.keys.get(one, "")} for one in result.findings
        ],
        "accepted": [
            {**finding_object(one), **_acceptance_object(known)} for one, known in result.accepted
        ],
    }


def _acceptance_object(known: Acceptance) -> dict[str, str]:
    return {
        "key": known.key,
        "stem": known.stem,
        "by": known.agent,
        "on": known.stem[:10],
        "reason": known.reason,
    }


def _placed(finding: Finding) -> str:
    where = finding.where
    return finding.message if where in finding.message else f"{where}: {finding.message}"
