"""Plan an adoption, and the `import` logs that it comes to; of a page that somebody wrote by hand, too."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.codec.log import canonical, encode, entry_of
from ledger.codec.validate import problems
from ledger.errors import DraftRefused
from ledger.model.event import Event, FactCreated
from ledger.model.findings import Finding
from ledger.model.layout import log_path
from ledger.model.logset import LogRef
from ledger.model.order import ended_of, next_stamp, stem_in
from ledger.model.record import Record
from ledger.model.seal import seal
from ledger.model.session import Entry, SessionLog
from ledger.model.sha256 import blob_id
from ledger.secrets.log_redaction import guard_events
from memory.replay.replayed_state import state_from
from projection.document.unlogged_lines import texts_in, unsaid
from projection.fold.full_replay import State
from projection.policy.model import Policy
from rituals.intake.adopt import adopted_files
from rituals.intake.adopt.adopted_past import PastLog
from rituals.intake.adopt.adoption_source import Ground
from rituals.intake.adopt.differences import Difference
from rituals.intake.adopt.import_logs import (
    TITLE,
    TITLE_BY_HAND,
    archive_reasons,
    events_of,
    said_by,
)
from rituals.intake.adopt.unclaimed_text import Passage, bullets

_LISTED = 20  #: ids that one sentence of the import log names
#: How many commits of the page are looked at.
_DEEP = 200
#: How the last line of a page starts that Diurna wrote.
MACHINE = b"<!-- diurna: format "


class AdoptionPlan(Record):
    """What `diurna import ledger` will do."""

    memory: adopted_files.AgentMemory  #: the ledger as it was read
    ground: Ground  #: where it lies in git
    already: bool  #: it is adopted; there is nothing to do
    policy: Policy  #: of the home to be
    policy_data: bytes = b""  #: the `diurna.toml` to write, b"" to leave the one that is there
    attributes: bytes = b""  #: the `.gitattributes` to write, b"" when it needs no change
    imports: tuple[tuple[Event, ...], ...] = ()  #: the events of each `import` log
    passages: tuple[Passage, ...] = ()  #: text without a footer that becomes facts
    refs: tuple[LogRef, ...] = ()  #: the session logs that are there
    entries: tuple[Entry, ...] = ()  #: the same as they are read
    differences: tuple[Difference, ...] = ()  #: from what the reference tool computes
    findings: tuple[Finding, ...] = ()  #: what reading brought up
    steps: tuple[str, ...] = ()  #: the plan in sentences; empty when there is nothing to do
    past: tuple[PastLog, ...] = ()  #: the logs that tell of what the pages said before, in time
    by_hand: bool = False  #: there is nothing but a page that no tool wrote
    left: tuple[Finding, ...] = ()  #: what stands in that page and is no bullet; it stays there
    questions: int = 0  #: how many questions of the ledger's own become facts

    @property
    def title(self) -> str:
        """The title of the import logs."""
        return TITLE_BY_HAND if self.by_hand else TITLE

    @property
    def facts(self) -> tuple[str, ...]:
        """The ids that the import logs bring, sorted."""
        logs = [*self.imports, *[log.events for log in self.past]]
        return tuple(
            sorted({e.id for events in logs for e in events if isinstance(e, FactCreated)})
        )


class Import(Record):
    """An import log as it is stored."""

    ref: LogRef
    data: bytes
    entry: Entry


def sealed(plan: AdoptionPlan, now_ms: int, agent: str, commit: str) -> list[Import]:
    """Seal the logs of the past, and the import logs, each of these stamped after all logs that are there.

    Those of the past have their times, but none is ahead of the clock, where there is one.

    Raises:
        DraftRefused: one can not be stored; nothing was written.
    """
    made: list[Import] = []
    newest = ""
    for log in plan.past:
        stamp = next_stamp(min(log.at_ms, now_ms or log.at_ms), newest)
        header = [("type", log.type), ("commit", log.commit)]
        text = SessionLog(
            (("agent", log.agent or agent), *header), log.title, log.prose, log.events
        )
        made.append(_sealed(stamp, newest, text))
        newest = made[-1].ref.key
    newest = max([newest, *[ref.key for ref in plan.refs]])
    for number, events in enumerate(plan.imports):
        header = [("type", "import"), ("branch", plan.ground.branch), ("commit", commit)]
        text = SessionLog((("agent", agent), *header), plan.title, _prose(plan, number), events)
        made.append(_sealed(next_stamp(now_ms, newest), newest, text))
        newest = made[-1].ref.key
    return made


def _sealed(stamp: str, newest: str, text: SessionLog) -> Import:
    """Seal one log, which comes after the newest that is there."""
    times = (("ended", ended_of(stamp)), ("after", stem_in(newest)))
    log = canonical(text._replace(header=(text.header[0], *times, *text.header[1:])))
    refused = problems(log)
    if refused:
        raise DraftRefused(refused)
    data = encode(log)
    stem = seal(stamp, data)
    return Import(LogRef(stem, log_path(stem), blob_id(data)), data, entry_of(stem, log))


def _prose(plan: AdoptionPlan, number: int) -> str:
    if plan.by_hand:
        page = adopted_files.CONTINUITY
        return f"Each bullet of {page} became a fact; what is no bullet stays in that file."
    parts = [
        "The session logs of the other tool stay as they are. They name facts by id; the texts stood "
        f"in {adopted_files.CONTINUITY} and beside it, and enter the ledger here."
    ]
    if len(plan.imports) > 1:
        parts.append(f"Part {number + 1} of {len(plan.imports)}.")
    ids = [passage.fact.id for passage in plan.passages]
    if ids and not number:
        named = ", ".join([f"`{id}`" for id in ids[:_LISTED]])
        more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
        parts.append(f"Text that had no id became the facts {named}{more}.")
    return "\n\n".join(parts)


def state_with(plan: AdoptionPlan, imports: Sequence[Import]) -> State:
    """Replay the logs with the import logs."""
    return state_from(
        [*plan.refs, *(one.ref for one in imports)],
        [*plan.entries, *(one.entry for one in imports)],
        plan.policy,
    )


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
