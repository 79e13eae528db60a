"""Run `diurna adopt`: take over a ledger that another tool wrote, in place, and print what was noticed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from ledger.errors import NotFound, WrongUsage
from ledger.model.findings import ERROR, Finding
from ledger.model.layout import CONTINUITY_FILE, SESSIONS_DIR
from rituals.answers.json_objects import finding_objects
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import Output, told

_DIFFERENCE, _FOOTER = "fact field reference right reason", "created last_used uses tier"
LINES = 15  #: at most
_EXAMPLES = 3
_STEPS = 6  #: of one sort
_EXAMPLE_CHARS = 48
_QUOTING = ("bad-id", "unknown-verb")  #: codes whose messages end in what they quote
#: What several findings of a code have in common.
_TOGETHER = {
    "bad-id": "names are not fact ids, and skipped",
    "unknown-id": "ids are named, and no page has a text for them",
    "unknown-verb": "bullets of references begin with no known verb",
    "adopt-differs": "values differ from the reference tool's",
    "bad-footer": "footers can not be read as they are",
    "bad-date": "dates are not dates, and read as unknown",
    "bad-name": "files under sessions/ are not session logs, and not read",
    "bad-event": "references can not be read",
    "contradiction": "facts have several texts; all are kept",
    "date-only-name": "logs have a date and no time in their names",
    "section-suffix": "headings of references have a suffix, and were read",
    "repeated-section": "logs have several sections of references; all are read",
    "not-canonical": "texts had to be changed a little",
    "hand-edited": "lines or pages are a person's",
    "log-edited": "logs differ from what is committed",
    "secret-redacted": "secrets are not stored",
    "personal-data": "texts hold personal data",
    "fact-without-event": "blocks of text have no event",
    "unclosed-fence": "code fences are never closed, and hide nothing",
    "unclosed-comment": "comments are never closed, and hide nothing",
}


def adopt(call: Invocation, dir: str, compat: bool, verbose: bool, dry_run: bool) -> None:
    """Run `diurna adopt`."""
    if call.home:
        raise WrongUsage("the ledger is named by DIR", hint=f"diurna import ledger {call.home}")
    if compat:
        return _compat(call, dir)
    from rituals.intake.adopt.adoption import apply_adoption, plan_adoption

    plan = plan_adoption(_folder(call, dir), call.out.progress)
    commits: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    if not dry_run and not plan.already:
        done = apply_adoption(plan, call.now_ms, call.agent)
        commits, stems = done.commits, done.stems
        done.memory.close()
    findings = (*plan.findings, *(difference.finding for difference in plan.differences))
    if call.json:
        said = {
            "dry_run": dry_run,
            "logs": len(plan.refs),
            "commits": list(commits),
            "stems": list(stems),
        }
        differences = [fields_of(one, _DIFFERENCE) for one in plan.differences]
        told = {"differences": differences, "findings": finding_objects(findings)}
        ground = fields_of(plan.ground, "place prefix branch")
        return call.out.answer({**ground, **fields_of(plan, "already facts steps"), **said, **told})
    _show_noticed(call.out, findings, everything=verbose)
    steps = plan.steps or (f"already adopted: {plan.memory.root}",)
    _show_steps(call.out, steps, done=not dry_run, everything=verbose)
    for commit in commits:
        call.out.line(f"committed in {commit[:7]} on {plan.ground.branch}")
    if commits:
        call.out.hint("`diurna check` checks it; from now on `diurna append` writes the logs")


def _folder(call: Invocation, dir: str) -> str:
    """Return the folder that DIR means."""
    folder = os.path.realpath(os.path.join(call.folder(), dir))
    if os.path.basename(folder) == CONTINUITY_FILE and os.path.isfile(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise NotFound(
            f"there is no folder {folder}",
            hint="name one that holds a ledger in the agent-memory layout",
        )
    return folder


def _compat(call: Invocation, dir: str) -> None:
    """Print what the reference tool would write; read nothing else, load nothing for it."""
    from rituals.intake.adopt.adopted_files import read
    from rituals.intake.adopt.compat import computed

    footers = computed(read(_folder(call, dir)))
    if call.json:
        return call.out.answer({"facts": [fields_of(one, f"id {_FOOTER}") for one in footers]})
    for one in footers:
        values = " | ".join([f"{key}: {value}" for key, value in fields_of(one, _FOOTER).items()])
        call.out.line(f"<!-- id: {one.id} | {values} -->")


def _show_noticed(out: Output, findings: Sequence[Finding], *, everything: bool) -> None:
    fresh = [one for one in dict.fromkeys(findings) if one not in out.told]
    if everything or len(fresh) <= _EXAMPLES:
        out.findings(tuple(fresh))
        return
    kinds: dict[tuple[str, str, bool], list[Finding]] = {}
    for one in fresh:
        of_log = one.file.startswith(
            SESSIONS_DIR + "/"
        )  # what is wrong with a page may cost a fact
        kinds.setdefault((one.severity, one.code, of_log), []).append(one)
    ordered = sorted(kinds.items(), key=lambda kind: (kind[0][0] != ERROR, -len(kind[1]), kind[0]))
    shown = ordered[: LINES - 2]
    for (severity, code, _), some in shown:
        style = "red" if severity == ERROR else "yellow"
        out.talk((f"{severity}:", style), f" {_together(code, some)}")
    left = [one for _, some in ordered[LINES - 2 :] for one in some]
    if left:
        out.talk(f"and {len(left)} more, of {len(ordered) - len(shown)} other kinds")
    out.hint("-v names each, with its place and what to do about it")
    out.told.update(fresh)


def _show_steps(out: Output, steps: Sequence[str], *, done: bool, everything: bool) -> None:
    for _, some in groupby(steps, key=lambda step: step.partition(" ")[0]):
        same = list(some)
        shown = same if everything or len(same) <= _STEPS else same[: _STEPS - 1]
        for step in shown:
            out.line(told(step, done=done))
        if len(shown) < len(same):
            out.line(f"and {len(same) - len(shown)} more like these (-v names each)")


def _together(code: str, some: Sequence[Finding]) -> str:
    """Say in one line what several findings say."""
    if len(some) == 1:
        (one,) = some
        return one.message if one.where in one.message else f"{one.where}: {one.message}"
    examples = Counter([_example(one) for one in some])
    named = [
        f"{text} ({many} times)" if many > 1 else text
        for text, many in examples.most_common(_EXAMPLES)
    ]
    more = ", …" if len(examples) > _EXAMPLES else ""
    said = _TOGETHER.get(code, f"findings `{code}`")
    return f"{len(some)} {said}: {', '.join(named)}{more}"


def _example(one: Finding) -> str:
    """Return what is particular of a finding: what it quotes, else the fact it names, else its place."""
    lead, colon, quoted = one.message.partition(": ")
    if one.code in _QUOTING and colon:
        text = quoted
    elif one.code == "unknown-id":
        text = one.message.partition(" ")[0]
    elif one.code == "adopt-differs":
        text = lead
    else:
        text = one.where or one.message
    return text if len(text) <= _EXAMPLE_CHARS else text[: _EXAMPLE_CHARS - 1].rstrip() + "…"
