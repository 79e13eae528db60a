"""Run `diurna import ledger DIR`: bring in the ledger of another implementation of the format.

In a work tree without a home DIR becomes it, and its session logs stay; a home elsewhere gets their bytes.
"""

from __future__ import annotations

import os

from ledger.errors import HomeNotFound, NotFound, WriteRefused
from ledger.git.repository import find_repository
from ledger.home import OWN_BRANCH, Home, checked_out_home
from ledger.model.finding_codes import Finding
from ledger.model.layout import CONTINUITY_FILE, POLICY_FILE
from memory import (
    Memory,
    committed_projection,
    projection_files,
    refuse_personal,
    refuse_unwritable,
)
from projection.document.page_parser import machine_line
from projection.policy.model import Policy
from projection.policy.template import write_policy
from projection.policy.toml import read_policy
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import Invocation
from rituals.cli.dialog import agreed
from rituals.cli.layout import Layout
from rituals.cli.output import counted, few
from rituals.intake.ledger_import import LedgerPlan, plan_ledger_import
from rituals.intake.ledger_pages import OtherLedger, find_ledger, read_ledger
from rituals.setup.home_setup import SetupPlan, apply_setup, plan_around
from rituals.setup.init_obstacles import home_of, second_home

_NAMED = 5  #: of what is left out, unless all of it is asked for
_PLAN = Layout("""
reads {dir}: {sessions#session log}
=steps|  {}
?facts|  write its windows, {=windows}, into diurna.toml
[{arriving#session log} to be added, byte for byte]
?facts|{facts#new fact}, {=archived} of them archived
?facts|kept in the log as text, for it has no footer: {=loose}
[{known#fact} known already]
left out: {=left}
stand otherwise here than on their pages: {=differing}
""")
_BROUGHT = Layout("""
?=nothing|nothing new
?=done|brought in {facts#fact} in {stems#log}
commits|committed in {%7}
""")


def import_ledger(call: Invocation, dir: str, *, write: bool, dry_run: bool, verbose: bool) -> None:
    """Plan, show, and bring it in where that is wanted.

    Raises:
        NotFound: there is no home, and the folder lies in no work tree.
        WriteRefused: it can not be brought in as things are; nothing was changed.
    """
    root = find_ledger(os.path.join(call.folder(), dir))
    memory = _open(call, root)
    base = memory.cache().policy if memory else Policy()
    ledger = read_ledger(root, base.kinds, call.out.progress)
    setup, policy = None, b""
    if memory is None:
        home, setup = _new_home(ledger)
        base, in_place = base._replace(windows=ledger.windows), True
    else:
        home = memory.home
        base, policy = _policy(memory, ledger)
        in_place = home.kind != OWN_BRANCH and os.path.realpath(home.folder) == root
    plan = plan_ledger_import(ledger, memory, base, call.now_ms())
    refuse_personal(home, base, [event for draft in plan.drafts for event in draft.events])
    page = dict(ledger.files).get(CONTINUITY_FILE, b"").decode("utf-8", "replace")
    # whatever a person wrote behind it
    ours = any(machine_line(f"{line}\n") for line in page.split("\n"))
    foreign = in_place and bool(ledger.facts) and not ours
    if foreign:
        refuse_unwritable(home)
        _refuse_uncommitted(home, ledger)
    if foreign or setup:
        plan = plan._replace(arriving=())  # they are committed
    news = bool(plan.facts or plan.arriving or foreign or setup)
    most = len(plan.differing) + len(ledger.left) + len(plan.left_out) if verbose else _NAMED
    left = (*ledger.left, *plan.left_out)
    facts = "facts(id kind created last_used uses tier archived place)"
    values = {
        **fields_of(plan, f"{facts} known sessions differing"),
        "dir": ledger.root,
        "arriving": [path for path, _ in plan.arriving],
        "left_out": left,
        "=steps": setup.steps if setup and plan.facts else (),
        "=windows": "/".join(map(str, ledger.windows[:3])) if setup or policy else "",
        "=archived": sum(one.archived for one in plan.facts),
        "=loose": [title for title, _ in ledger.loose] or "nothing",
        "=left": few(left, most, " (-v)"),
        "=differing": few(plan.differing, most, " (-v)"),
    }
    done = agreed(call, "take this in?", values, _PLAN, yes=write, dry_run=dry_run, asks=news)
    if done and setup:
        call.adopt(apply_setup(setup, call.now_ms, call.agent))
    commits, stems, findings = _apply(call, plan, foreign, policy) if done else ([], [], [])
    findings = [*plan.findings, *findings]
    values |= {"stems": stems, "commits": commits, "dry_run": not done, "findings": findings}
    hint = "nothing was written; --write brings it in"
    call.answer(
        {**values, "=nothing": not news, "=done": done},
        _BROUGHT,
        findings=tuple(findings),
        hints=(hint,) if news and not done else (),
    )


def _open(call: Invocation, root: str) -> Memory | None:
    """Open the home of the working directory, else that of the ledger's folder; None for none."""
    try:
        return call.memory()
    except HomeNotFound:
        if call.home:
            raise
    try:
        call.adopt(Memory.open(root, agent=call.agent))
    except HomeNotFound:
        return None
    return call.memory()


def _new_home(ledger: OtherLedger) -> tuple[Home, SetupPlan]:
    """Plan the home that the folder of the ledger becomes."""
    repository = find_repository(ledger.root)
    if repository is None or not repository.top:
        raise NotFound(
            f"there is no home here, and {ledger.root} is in no work tree of git",
            hint="`diurna init` makes a home; then run this again in it",
        )
    there = home_of(repository)[0]
    if there is not None:  # a remote has it
        raise second_home(there)
    prefix = ledger.root[len(repository.top) + 1 :] + "/" * (ledger.root != repository.top)
    home = checked_out_home(repository, prefix)
    _refuse_uncommitted(home, ledger)
    return home, plan_around(repository, prefix, ledger.windows)


def _policy(memory: Memory, ledger: OtherLedger) -> tuple[Policy, bytes]:
    """Give a home without work of its own, and with the policy of `init`, the windows of the ledger."""
    home, policy = memory.home, memory.cache().policy
    (data,) = home.repository.git().blobs([f"{home.tip()}:{home.prefix}{POLICY_FILE}"])
    plain = data is not None and write_policy(read_policy(data)).encode() == data
    if not plain or policy.windows == ledger.windows or memory.cache().summary.sessions:
        return policy, b""
    policy = policy._replace(windows=ledger.windows)
    return policy, write_policy(policy).encode()


def _refuse_uncommitted(home: Home, ledger: OtherLedger) -> None:
    """Refuse to write over what history does not have as it is."""
    args = ("--no-renames", "--untracked-files=all", "--ignored=matching", "--", home.prefix or ".")
    changed = {row[3:] for row in home.repository.git().status(*args)}
    read = [home.prefix + path for path, _ in ledger.files]
    found = [one for one in read if any(one == row or one.startswith(f"{row}/") for row in changed)]
    if found:
        raise WriteRefused(
            f"the ledger is not committed as it stands: {counted(len(found), 'file')}",
            where=found[0],
            hint="commit them first, so that history keeps what the pages say now",
        )


def _apply(
    call: Invocation, plan: LedgerPlan, foreign: bool, policy: bytes
) -> tuple[list[str], list[str], list[Finding]]:
    """Write what was planned; return the commits, the stems of the import logs, and what was noticed."""
    memory = call.memory()
    said = f"diurna: import {counted(len(plan.arriving), 'session log')}"
    files = [*plan.arriving, *([(POLICY_FILE, policy)] if policy else [])]
    commits = [memory.commit_files(files, said)] if files else []
    stems, findings = list[str](), list[Finding]()
    for number, draft in enumerate(plan.drafts):
        call.out.progress(number, len(plan.drafts))
        receipt = memory.append(draft._replace(agent=call.agent), again=True, now=True)
        stems.append(receipt.stem)
        # that the pages of the other tool stand there is over in a moment
        findings += [one for one in receipt.findings if one.code != "hand-edited"]
        commits += [receipt.commit] if receipt.commit else []
    home = memory.home
    if foreign and not memory.waiting() and not memory.held():
        state = memory.state()  # the logs, and history, have now what the pages say
        written = committed_projection(home, home.tip(), state.policy)
        new = projection_files(state).changes(written)
        commits += [memory.commit_files(new, "diurna: pages of a ledger")] if new else []
    elif memory.publishes() and not memory.edited() and commits:
        made = memory.publish()[1]
        commits += [made] if made else []
    call.landed = bool(commits)
    return commits, stems, findings
