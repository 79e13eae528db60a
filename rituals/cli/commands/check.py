"""Run `diurna check`: what was found, and what it says of a change."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.errors import HomeNotFound, WrongUsage
from ledger.model.findings import ERROR, INFO, Finding, severe
from ledger.model.layout import log_path
from rituals.answers.json_objects import finding_objects, home_object
from rituals.check.check_registry import CHECKS, DOCTOR, LINT, SAID, VERIFY, made
from rituals.cli.context import Invocation
from rituals.cli.operation import DRY_RUN, modes, option, word
from rituals.cli.output import Output, counted, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.check.doctor import Visit

#: What is done with the projection.
_PAGES = ("replay", "absorb", "publish")
#: The most remarks about texts that are named.
_FEW = 5


def check(
    call: Invocation, *,
    files: tuple[str, ...] = word("[FILE|BASE...HEAD]..."),
    fix: bool = option("Mend what is safe to mend.", goes="plain"),
    deep: bool = option("Read every log, and compare the cache with a replay.", goes="plain"),
    strict: bool = option("End with 1 on warnings, too.", goes="plain ci diff"),
    all: bool = option("Name every finding with its code.", goes="plain restore", spelled="--all -v"),
    mode: str = modes(
        ci="Check the ledger alone: no clone, no machine.",
        diff="Say what memory has on a change of the code, BASE...HEAD.",
        replay="Replay all from git, ignoring every cache, and compare.",
        absorb="Make a log of your edits of continuity.md or a published view.",
        publish="Write and commit the pages where they differ from what the logs say.",
        restore="Commit again what history took from the ledger.",
    ),
    untold: bool = option("With --diff: say, too, if no session log tells of the work.", goes="diff"),
    format: str = option("With --ci, --diff or FILE: how to write it; --json is --format json.",
        choices=("text", "json", "sarif", "github"), goes="plain ci diff"),
    write: bool = option(
        "With --replay: write the projection into the work tree; no commit.", goes="replay"),
    discard_edits: bool = option("With --publish: also over edits of these files that no log has; they "
        "are shown and kept beside git.", goes="publish"),
    dry_run: bool = DRY_RUN._replace(goes="plain replay absorb publish restore"),
) -> int:  # fmt: skip
    """Check the ledger, this clone and this machine; each finding is named once.

    It looks at the history, secrets, what is due, what was left behind here, and agents' programs. It
    ends with 1 if there is an error. --fix moves abandoned locks aside, commits what waits, restores lost
    objects, publishes what drifted, and the like; it deletes nothing of yours. --restore adds lost logs
    again, with their first bytes.

    In CI, --ci checks the ledger alone, with secrets and personal data; the value of a secret is never
    printed. FILE is a draft, a log or a page, checked before it is recorded.

    --diff says in at most three lines what memory has on a change of the code: what facts name and it
    takes away, rules that it breaks, versions that facts state otherwise, facts that it ends, and what
    was decided about it. A...B is what B has since it left A, as in a pull request; A..B is what lies
    between them.

    --absorb reads your edits of continuity.md: reword a fact, tick a thread, add or delete a bullet, or
    set `tier: core`. What cannot become a log is named with its line, and then nothing changes. --publish
    makes a log of such an edit first; --discard-edits lets the page go instead. --replay compares the
    published projection (drift) and what the cache answers with git alone.

    Examples:
      diurna check
      diurna check --fix --dry-run
      diurna check --ci --strict --format sarif > diurna.sarif
      diurna check --ci session.md
      diurna check --diff main...HEAD
      diurna check --diff main...feature --strict --format github
      diurna check --restore --dry-run
      diurna check --replay
      diurna check --absorb --dry-run
      diurna check --publish
    """
    if mode in _PAGES:
        from rituals.cli.commands import pages

        if files:
            raise WrongUsage(f"--{mode} takes no FILE", where=files[0])
        if mode == "replay":
            return pages.replay(call, write, dry_run)
        if mode == "publish":
            return pages.publish(call, discard_edits, dry_run)
        return pages.absorb(call, dry_run)
    if mode == "diff":
        if len(files) != 1:
            raise WrongUsage("--diff takes one change", hint="diurna check --diff BASE...HEAD")
        return _impact(call, files[0], strict, untold, format or "text")
    if mode == "restore":
        if files:
            raise WrongUsage("--restore takes no FILE", where=files[0])
        return _restore(call, all, dry_run)
    if mode or files or format:
        whole = {"--fix": fix, "--deep": deep, "--all": all, "--dry-run": dry_run}
        if stray := [one for one in whole if whole[one]]:
            raise WrongUsage(
                f"{stray[0]} goes with a check of everything", hint="leave FILE and --format out"
            )
        return _lint(call, files, strict, format or "text")
    return _whole(call, fix, deep, strict, all, dry_run)


def _whole(
    call: Invocation, fix: bool, deep: bool, strict: bool, everything: bool, dry_run: bool
) -> int:  # fmt: skip
    """Check everything."""
    commands = (DOCTOR, VERIFY, LINT)
    found = _visited(call, commands, fix=fix and not dry_run, deep=deep)
    findings = tuple(one.finding for one in found.noticed)
    warned = strict and any(one.severity != INFO for one in findings)
    bad = severe(findings) or warned or any(one.problem for one in found.treated)
    if call.json:
        said = {"findings": finding_objects(findings), **_visit_object(found)}
        call.out.answer({**said, "ok": not bad, "dry_run": dry_run})
    else:
        _show_visit(call.out, found, dry_run=dry_run)
        call.out.line(summary(findings))
        if everything:
            _show_all(call.out, findings)
        _show_here(call.out, findings)
    call.out.told.update(findings)
    return 1 if bad else 0


def _restore(call: Invocation, everything: bool, dry_run: bool) -> int:
    """Commit again what history took."""
    from rituals.check.verify import history as lost

    memory = call.memory()
    plan = lost.restore_plan(memory)
    gone = memory.taken_out()
    restored = (*[path for path, _ in plan], *map(log_path, gone))
    if not restored:
        call.out.talk("nothing to restore: no log is missing or changed whose bytes are known")
    if plan and not dry_run:
        lost.restore(memory, plan)
    if gone and not dry_run:
        call.out.findings(memory.put_back())
    result = made(memory, VERIFY, call.out.progress)
    if memory.home.plain and not dry_run:  # a file again, which a person commits (W21)
        result = tuple(
            [one for one in result if one.code != "log-deleted" or one.file not in restored]
        )
    if call.json:
        said = {"restored": list(restored), "dry_run": dry_run, "ok": not severe(result)}
        call.out.answer({"findings": finding_objects(result), **said})
    else:
        for path in restored:
            call.out.line(f"{'would restore' if dry_run else 'restored'} {path}")
        call.out.line(summary(result))
        if everything:
            _show_all(call.out, result)
    call.out.findings(result)
    return 1 if severe(result) else 0


def _lint(call: Invocation, files: tuple[str, ...], strict: bool, form: str) -> int:
    """Check the ledger alone, or files by themselves."""
    from projection.policy.model import Privacy
    from rituals.check.linted_files import lint_files
    from rituals.cli.terminal.sarif_text import FORGES, show_on_forge

    form = "json" if call.json else form
    call.json = form == "json"
    prefix, fallback = "", files[0] if files else "diurna.toml"
    if files:
        try:
            personal = call.memory().policy.privacy.personal
        except HomeNotFound:
            personal = Privacy().personal
        findings = lint_files([(file, call.read(file)) for file in files], personal)
    else:
        prefix = call.memory().home.prefix
        findings = made(call.memory(), LINT, call.out.progress)
    errors = sum(finding.severity == ERROR for finding in findings)
    infos = sum(finding.severity == INFO for finding in findings)
    bad = errors or (strict and len(findings) > errors + infos)
    out = call.out
    if form in FORGES:
        show_on_forge(out, form, findings, prefix, fallback)
    elif form == "json":
        out.answer({"findings": finding_objects(findings), "ok": not bad})
    else:
        out.line(summary(findings))
    out.findings(findings)
    return 1 if bad else 0


def _impact(call: Invocation, range: str, strict: bool, untold: bool, form: str) -> int:
    """Say what memory has on a change of the code."""
    from rituals.cli.terminal.sarif_text import FORGES, show_on_forge
    from rituals.review.change_remarks import said_of

    form = "json" if call.json else form
    call.json = form == "json"
    memory, out = call.memory(), call.out
    found = said_of(memory, range, call.folder(), untold=untold)
    bad = severe(found.findings)
    bad = bad or (strict and any(one.severity != INFO for one in found.findings))
    if form in FORGES:
        show_on_forge(out, form, found.findings, "", f"{memory.home.prefix}diurna.toml")
    elif form == "json":
        said = {
            name: finding_objects(some) for name, some in zip(found._fields, found, strict=True)
        }
        out.answer({**said, "ok": not bad})
    out.findings(found.findings)
    if found.more and not call.json:
        out.hint(f"{len(found.more)} more had no room: --json has them")
    return 1 if bad else 0


def summary(findings: Sequence[Finding]) -> str:
    """Count findings."""
    errors = sum(one.severity == ERROR for one in findings)
    said = f"{counted(errors, 'error')}, {counted(len(findings) - errors, 'other finding')}"
    return said if findings else "all in order"


def _visited(call: Invocation, commands: tuple[str, ...], *, fix: bool, deep: bool) -> Visit:
    """Make the checks of some commands here, and mend what is safe where that is asked for."""
    from memory.api import Memory
    from rituals.check.doctor import visit
    from rituals.check.survey import PARTS, Survey

    def opened() -> Survey:
        home, progress = call.find_home(), call.out.progress
        memory = Memory(home, agent=call.agent, clock=call.now_ms, lasting=False, progress=progress)
        if fix:
            memory.bring_back()
        return Survey(memory, call.now_ms(), cold=True, deep=deep, progress=progress, parts=PARTS)

    return visit(opened, call.folder(), call.search_path, fix=fix, commands=commands)


def _visit_object(found: Visit) -> dict[str, object]:
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


def _show_visit(out: Output, found: Visit, *, dry_run: bool) -> None:
    for step in found.plan if dry_run else ():
        out.line(told(step.said, done=False))
    for one in found.treated:
        if one.problem:
            out.line(("not done:", "red"), f" {one.remedy.said}: {one.problem}")
        else:
            out.line(told(one.remedy.said, done=True))
    if found.home and found.home.named not in ("", "--home"):  # which its reader has just typed
        out.line(f"home {found.home.repository.where}, named by {found.home.named}")


def _show_here(out: Output, findings: tuple[Finding, ...]) -> None:
    texts = next(check.codes for check in CHECKS if check.name == SAID)
    others = tuple(one for one in findings if one.code in texts and one.severity != ERROR)
    if len(others) <= _FEW:
        return out.findings(findings)
    out.findings(tuple(one for one in findings if one not in others))
    out.told.update(others)
    out.hint(
        f"{len(others)} findings are about what logs and facts say: `diurna check --all` names them"
    )


def _show_all(out: Output, findings: tuple[Finding, ...]) -> None:
    for one in findings:
        out.line(f"{one.severity:<9} {one.code}  {_placed(one)}")
    out.told.update(findings)


def _placed(finding: Finding) -> str:
    where = finding.where
    return finding.message if where in finding.message else f"{where}: {finding.message}"
