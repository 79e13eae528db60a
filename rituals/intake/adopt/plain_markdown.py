"""Adopt a page that somebody wrote by hand: its bullets become facts, all else stays in it."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.model.findings import Finding
from ledger.model.session import Entry
from ledger.secrets.log_redaction import guard_events
from memory.replay.replayed_state import state_from
from projection.document.unlogged_lines import texts_in, unsaid
from rituals.intake.adopt import adopted_files
from rituals.intake.adopt.adoption_plan import AdoptionPlan, sealed, state_with
from rituals.intake.adopt.adoption_source import Ground
from rituals.intake.adopt.import_logs import archive_reasons, events_of, said_by
from rituals.intake.adopt.unclaimed_text import bullets

#: How many commits of the page are looked at.
_DEEP = 200
#: How the last line of a page starts that Diurna wrote.
MACHINE = b"<!-- diurna: format "


def is_by_hand(memory: adopted_files.AgentMemory, footers: bool) -> bool:
    """Tell whether there is nothing but a page, which neither Diurna nor the other tool wrote."""
    beside = memory.logs or memory.archive or memory.threads or memory.policy or memory.vision
    return bool(memory.continuity) and not (footers or beside or MACHINE in memory.continuity)


def plan_by_hand(plan: AdoptionPlan) -> AdoptionPlan:
    """Plan to make facts of the bullets of a page; what is no bullet stays in it."""
    memory = plan.memory
    histories = state_from(plan.refs, plan.entries, plan.policy).histories
    known = {*histories, *texts_in(histories)}
    found = bullets(memory, known)
    events, crooked, _ = events_of(
        [one.fact for one in found], said_by(plan.entries), archive_reasons(memory), {}
    )
    guarded = [guard_events(tuple(one), plan.policy.privacy.personal) for one in events]
    hidden = [finding for _, said in guarded for finding in said]
    plan = plan._replace(imports=tuple(one for one, _ in guarded), passages=found)
    if plan.ground.marked and not plan.imports:
        return plan._replace(already=True)
    state = state_with(plan, sealed(plan, 0, "adopt", ""))
    left = unsaid(
        adopted_files.CONTINUITY, adopted_files.text_of(memory.continuity), state.histories
    )
    stays = [one._replace(message=f"{one.message}; it stays where it is") for one in left]
    plan = plan._replace(left=left, findings=(*plan.findings, *crooked, *hidden, *stays))
    return plan


def before_it(ground: Ground, entries: Sequence[Entry]) -> tuple[Finding, ...]:
    """Name the page that git has from before the home, where no log imported it.

    An older `init` made homes around a memory of another tool, and a publish then wrote over that.
    """
    repository = ground.repository
    if repository is None or any(entry.type == "import" for entry in entries):
        return ()
    git, page = repository.git(), ground.prefix + adopted_files.CONTINUITY
    said = git.run("log", f"-n{_DEEP}", "--format=%H", ground.tip, "--", f":(top,literal){page}")
    commits = said.decode("ascii").split()
    blobs = git.resolve(*[f"{commit}:{page}" for commit in commits]) if commits else []
    there = [(commit, blob) for commit, blob in zip(commits, blobs, strict=True) if blob]
    for (commit, _), body in zip(there, git.blobs(blob for _, blob in there), strict=True):
        if body and MACHINE not in body:
            message = (
                f"before the home git has another page, in commit {commit[:12]}; no log imported it"
            )
            hint = (
                f"`git show {commit[:12]}:{page}` prints it; put it in its place, and the pages of its "
                "archive beside it, and run `diurna import ledger` again"
            )
            return (Finding("hand-edited", message, adopted_files.CONTINUITY, hint=hint),)
    return ()
