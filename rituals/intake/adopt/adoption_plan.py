"""Plan an adoption, and the `import` logs that it comes to."""

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
from memory.replay.replayed_state import state_from
from projection.fold.full_replay import State
from projection.policy.model import Policy
from rituals.intake.adopt import adopted_files
from rituals.intake.adopt.adopted_past import PastLog
from rituals.intake.adopt.adoption_source import Ground
from rituals.intake.adopt.differences import Difference
from rituals.intake.adopt.import_logs import TITLE, TITLE_BY_HAND
from rituals.intake.adopt.unclaimed_text import Passage

_LISTED = 20  #: ids that one sentence of the import log names


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
    questions: int = 0  #: how many questions of the ledger's own the quiz asks from then on

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

    Raises:
        DraftRefused: one can not be stored; nothing was written.
    """
    made = _sealed_past(plan, now_ms, agent)
    newest = max([ref.key for ref in plan.refs] + [one.ref.key for one in made], default="")
    for number, events in enumerate(plan.imports):
        stamp = next_stamp(now_ms, newest)
        header = [("agent", agent), ("ended", ended_of(stamp))]
        header += [("after", stem_in(newest)), ("type", "import")]
        header += [("branch", plan.ground.branch), ("commit", commit)]
        made.append(_sealed(stamp, tuple(header), plan.title, _prose(plan, number), events))
        newest = made[-1].ref.key
    return made


def _sealed_past(plan: AdoptionPlan, now_ms: int, agent: str) -> list[Import]:
    """Seal the logs of the past at their times, but none ahead of the clock, where there is one."""
    made: list[Import] = []
    newest = ""
    for log in plan.past:
        stamp = next_stamp(min(log.at_ms, now_ms or log.at_ms), newest)
        header = (
            ("agent", log.agent or agent), ("ended", ended_of(stamp)), ("after", stem_in(newest)),
            ("type", log.type), ("commit", log.commit),
        )  # fmt: skip
        made.append(_sealed(stamp, header, log.title, log.prose, log.events))
        newest = made[-1].ref.key
    return made


def _sealed(
    stamp: str,
    header: tuple[tuple[str, str], ...],
    title: str,
    prose: str,
    events: tuple[Event, ...],
) -> Import:
    """Seal one log.

    Raises:
        DraftRefused: it can not be stored.
    """
    log = canonical(SessionLog(header, title, prose, events))
    refused = problems(log)
    if refused:
        raise DraftRefused(refused)
    data = encode(log)
    stem = seal(stamp, data)
    return Import(LogRef(stem, log_path(stem), blob_id(data)), data, entry_of(stem, log))


def _prose(plan: AdoptionPlan, number: int) -> str:
    """Say in the import log what it is."""
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
