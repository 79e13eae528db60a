"""Run `diurna check`: what was found, and what it says of a change."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.errors import HomeNotFound, WrongUsage
from ledger.escape import visible
from ledger.model.finding_codes import ERROR, INFO, Finding, severe
from ledger.model.log_names import log_path
from ledger.secrets.scanner import without_secrets
from rituals.answers.record_to_dict import home_object
from rituals.check.check_registry import LINT, VERIFY, made
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.operation import DRY_RUN, modes, option, word
from rituals.cli.output import counted, told

#: What is done with the projection.
_PAGES = ("replay", "absorb", "publish")
_CHECKED = Layout("""
=would|{}
failed|{=not:red} {step}: {message}
=done|{}
home {=where}, named by {home.named}
{=summary}
""")


def check(
    call: Invocation, *,
    files: tuple[str, ...] = word("[FILE|BASE...HEAD]..."),
    fix: bool = option("Mend what is safe to mend.", goes="plain"),
    deep: bool = option("Read every log, and compare the cache with a replay.", goes="plain"),
    strict: bool = option("End with 1 on warnings, too.", goes="plain ci diff"),
    mode: str = modes(
        ci="Check the ledger alone: no clone, no machine.",
        diff="Say what memory has on a change of the code, BASE...HEAD.",
        replay="Replay all from git, ignoring every cache, and compare.",
        absorb="Make a log of your edits of continuity.md or a published view.",
        publish="Write and commit the pages where they differ from what the logs say.",
        restore="Commit again what history took from the ledger.",
    ),
    format: str = option("With --ci, --diff or FILE: as annotations of GitHub's runners.",
        choices=("github",), goes="plain ci diff"),
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
    takes away, rules that it breaks, facts that it ends, and decisions that name a file of it. A...B is
    what B has since it left A, as in a pull request; A..B is what lies between them.

    --absorb reads your edits of continuity.md: reword a fact, tick a thread, add or delete a bullet, or
    set `tier: core`. What cannot become a log is named with its line, and then nothing changes. --publish
    makes a log of such an edit first; --discard-edits lets the page go instead. --replay compares the
    published projection (drift) and what the cache answers with git alone.

    Examples:
      diurna check
      diurna check --fix --dry-run
      diurna check --ci --strict
      diurna check --ci session.md
      diurna check --diff main...HEAD
      diurna check --diff main...feature --strict --format github
      diurna check --restore --dry-run
      diurna check --replay
      diurna check --absorb --dry-run
      diurna check --publish
    """
    if (mode in _PAGES or mode == "restore") and files:
        raise WrongUsage(f"--{mode} takes no FILE", where=files[0])
    if mode in _PAGES:
        from rituals.cli.commands import pages

        if mode == "replay":
            return pages.replay(call, write, dry_run)
        if mode == "publish":
            return pages.publish(call, discard_edits, dry_run)
        return pages.absorb(call, dry_run)
    if mode == "diff" and len(files) != 1:
        raise WrongUsage("--diff takes one change", hint="diurna check --diff BASE...HEAD")
    if mode == "restore":
        return _restore(call, dry_run)
    if not (mode or files or format):
        return _whole(call, fix, deep, strict, dry_run)
    whole = {"--fix": fix, "--deep": deep, "--dry-run": dry_run}
    if stray := [one for one in whole if whole[one] and mode != "diff"]:
        raise WrongUsage(
            f"{stray[0]} goes with a check of everything", hint="leave FILE and --format out"
        )
    if mode == "diff":
        return _impact(call, files[0], strict, format)
    return _lint(call, files, strict, format)


def _whole(call: Invocation, fix: bool, deep: bool, strict: bool, dry_run: bool) -> int:
    """Check everything."""
    from memory import Memory
    from rituals.check.check_registry import Survey, visit

    fix = fix and not dry_run

    def opened() -> Survey:
        home, progress = call.find_home(), call.out.progress
        memory = Memory(home, agent=call.agent, clock=call.now_ms, lasting=False, progress=progress)
        if fix:
            memory.bring_back()
        return Survey(memory, call.now_ms(), progress)

    found = visit(opened, call.folder(), call.search_path, fix=fix, deep=deep)
    findings = found.findings
    failed = [{"step": step, "message": problem} for step, problem in found.treated if problem]
    done = [step for step, problem in found.treated if not problem]
    bad = _is_bad(findings, strict) or bool(failed)
    named = found.home is not None and found.home.named not in ("", "--home")
    values = {
        "findings": findings,
        "home": home_object(found.home) if found.home else None,
        "plan": [one.said for one in found.plan],
        "done": done,
        "failed": failed,
        "ok": not bad,
        "dry_run": dry_run,
        "=would": [told(step.said, done=False) for step in found.plan if dry_run],
        "=done": [told(one, done=True) for one in done],
        "=not": "not done:",
        "=where": found.home.repository.where if found.home and named else "",
        "=summary": summary(findings),
    }
    call.answer(values, _CHECKED, findings=() if call.json else findings)
    call.out.told.update(findings)
    return int(bad)


def _restore(call: Invocation, dry_run: bool) -> int:
    """Commit again what history took."""
    from memory import put_back, taken_out
    from rituals.check import history as lost

    memory = call.memory()
    plan = lost.restore_plan(memory)
    gone = taken_out(memory.home)
    restored = (*[path for path, _ in plan], *map(log_path, gone))
    if not restored:
        call.out.talk("nothing to restore: no log is missing or changed whose bytes are known")
    if plan and not dry_run:
        lost.restore(memory, plan)
    if gone and not dry_run:
        call.out.findings(tuple(put_back(memory.home, gone)))
    result = made(memory, VERIFY, call.out.progress)
    if memory.home.plain and not dry_run:  # a file again, which a person commits (W21)
        result = tuple(
            [one for one in result if one.code != "log-deleted" or one.file not in restored]
        )
    bad, done = severe(result), "would restore" if dry_run else "restored"
    lines = [*[f"{done} {path}" for path in restored], summary(result)]
    values = {"findings": result, "restored": restored, "dry_run": dry_run, "ok": not bad}
    call.answer(values, lines, findings=result)
    return int(bad)


def _lint(call: Invocation, files: tuple[str, ...], strict: bool, form: str) -> int:
    """Check the ledger alone, or files by themselves."""
    from projection.policy.model import Privacy
    from rituals.check.linted_files import lint_files

    prefix = ""
    if files:
        try:
            personal = call.memory().policy.privacy.personal
        except HomeNotFound:
            personal = Privacy().personal
        findings = lint_files([(file, call.read(file)) for file in files], personal)
    else:
        prefix = call.memory().home.prefix
        findings = made(call.memory(), LINT, call.out.progress)
    return _judged(call, findings, strict, form, [summary(findings)], prefix)


def _impact(call: Invocation, change: str, strict: bool, form: str) -> int:
    """Say what memory has on a change of the code."""
    from rituals.review.code_change import said_of

    findings, more = said_of(call.memory(), change, call.folder())
    bad = _judged(call, findings, strict, form, more=more)
    if more and not call.json:
        call.out.hint(f"{len(more)} more had no room: --json has them")
    return bad


def _judged(
    call: Invocation, findings: tuple[Finding, ...], strict: bool, form: str,
    lines: Sequence[str] = (), prefix: str = "", **more: object,
) -> int:  # fmt: skip
    """Answer with findings, or where asked for as annotations of files below `prefix`."""
    bad = _is_bad(findings, strict)
    if form == "github" and not call.json:
        call.out.lines([annotation(one, prefix) for one in findings])
        call.out.told.update(findings)
    else:
        call.answer({"findings": findings, **more, "ok": not bad}, lines, findings=findings)
    return int(bad)


def annotation(finding: Finding, prefix: str) -> str:
    """Write a finding as a line that GitHub's runner shows beside the file."""

    def escaped(text: str, ends: str = "") -> str:  # what the runner would read as the end of it
        for mark in f"%\r\n{ends}":
            text = text.replace(mark, f"%{ord(mark):02X}")
        return visible(text)

    place = f"file={escaped(prefix + finding.file, ':,')}," if finding.file else ""
    place += f"line={finding.line}," if finding.file and finding.line else ""
    title = escaped(f"diurna {finding.code}", ":,")
    said = without_secrets(finding.message) + (f"\nhint: {finding.hint}" if finding.hint else "")
    severity = "notice" if finding.severity == INFO else finding.severity
    return f"::{severity} {place}title={title}::{escaped(said)}"


def _is_bad(findings: tuple[Finding, ...], strict: bool) -> bool:
    return severe(findings) or (strict and any(one.severity != INFO for one in findings))


def summary(findings: Sequence[Finding]) -> str:
    """Count findings."""
    errors = sum(one.severity == ERROR for one in findings)
    said = f"{counted(errors, 'error')}, {counted(len(findings) - errors, 'other finding')}"
    return said if findings else "all in order"
