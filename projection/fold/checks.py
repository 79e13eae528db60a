"""Find what is odd about a fact."""

from __future__ import annotations

from ledger.model.event import (
    FactCreated,
    FactHelped,
    FactIgnored,
    FactMoved,
    FactRedacted,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.finding_codes import Finding
from ledger.model.log_names import is_stem, log_path, stem_in
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import EDIT
from ledger.model.verbs import DONE, STATES, TODO, either, may_follow
from projection.fold.fact_history import Act, Fact, Help, History, Move, Signature
from projection.fold.falsity import Edge, against
from projection.policy.model import CLOSABLE, TASK_KIND, Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def helps_in(acts: Iterable[Act]) -> tuple[Help, ...]:
    """Return the helps with evidence, one a log, in ledger order."""
    found: dict[str, Help] = {}
    for stem, _, event, by in acts:
        if isinstance(event, FactHelped) and (form := _form_of(event)):
            found.setdefault(stem, Help(stem, f"{by.session} {by.branch}", form))
    return tuple(found.values())


def _form_of(event: FactHelped) -> str:
    from ledger.model.evidence import form_of  # most facts helped nobody

    return form_of(event.remark)


def ignores_in(acts: Iterable[Act]) -> tuple[tuple[str, str], ...]:
    """Return (log, role) of those who had no use for a fact, each once."""
    ignored = [(stem, event, by) for stem, _, event, by in acts if isinstance(event, FactIgnored)]
    if not ignored:
        return ()
    from ledger.model.evidence import role_in

    found = [(stem, role_in(event.remark) or role_in(by.role)) for stem, event, by in ignored]
    return tuple(dict.fromkeys(found))


class Said(Record):
    """What one event says of the state of a task."""

    state: str  #: to which it goes
    key: str  #: of the log
    #: the stems of the logs whose moves that answers, None for all that stand
    was: tuple[str, ...] | None
    by: Signature  #: who wrote the log
    moved: bool  #: it is a `Moved`


def moves_said(acts: Iterable[Act]) -> Iterator[Said]:
    """Yield what was said of the state of a task, in the order of the events.

    A ticked box at birth is `done`, and answers nothing; of several births the first with a box counts.
    """
    boxed = False
    for key, _, event, by in acts:
        if isinstance(event, FactMoved):
            yield Said(event.state, key, event.was, by, moved=True)
        elif isinstance(event, ThreadClosed):
            was = None if event.was is None else tuple(filter(is_stem, event.was))
            yield Said(DONE, key, was, by, moved=False)
        elif isinstance(event, ThreadReopened):
            yield Said(TODO, key, None, by, moved=False)
        elif isinstance(event, FactCreated) and event.mark and not boxed:
            boxed = True
            if event.mark == "x":
                yield Said(DONE, key, (), by, moved=False)


class Moves:
    """The moves of a task that stand, right after every step.

    Args:
        said: the first steps.
    """

    def __init__(self, said: Iterable[Said] = ()) -> None:
        #: by the stem, and the key, of their logs
        self._standing: dict[str, dict[str, list[Move]]] = {}
        for one in said:
            self.move(one)

    def move(self, said: Said) -> None:
        """Let a move stand; those that it names no longer do, but for those of its own log."""
        state, key, was, by, _ = said
        for name in list(self._standing) if was is None else was:
            there = self._standing.pop(name, {})
            if key in there:
                self._standing[name] = {key: there[key]}
        own = self._standing.setdefault(stem_in(key), {}).setdefault(key, [])
        if all(move.state != state for move in own):
            own.append(Move(state, key, by.agent, by.session))

    def standing(self) -> tuple[Move, ...]:
        """Return what stands, in ledger order; several of one log in that of the states."""
        found = [
            move for keys in self._standing.values() for moves in keys.values() for move in moves
        ]
        return tuple(sorted(found, key=lambda move: (move.stem, STATES.index(move.state))))


_NO_EVIDENCE_HINT = (
    "evidence is a command with its exit code, `pytest -q: exit 0`, or a place, `src/api.py:42`"
)


def pending_findings(fact: str, history: History) -> list[Finding]:
    """Say that an id is named and no log has brought a text for it.

    Not of the stem of a redacted log, nor of a fact whose logs may be gone from the history since.
    """
    redacted = [act.event for act in history.acts if isinstance(act.event, FactRedacted)]
    if redacted and (is_stem(fact) or any(event.held for event in redacted)):
        return []
    stem = history.acts[0].stem if history.acts else history.last
    said = f"{fact} is named and no log has brought a text for it"
    hint = "it counts from the moment a log creates it with a text"
    return [Finding("unknown-id", said, log_path(stem) if stem else "", hint=hint)]


def fact_findings(
    fact: Fact, history: History, policy: Policy, cut: frozenset[Edge]
) -> list[Finding]:
    """Find what is odd about a fact that exists."""
    found = contradictions(fact)
    if fact.kind not in {kind.name for kind in policy.kinds}:
        found.append(
            Finding(
                "unknown-kind",
                f"{fact.id} is of kind {fact.kind}, which the policy does not name",
                hint=f"add [kinds.{fact.kind}] with a section to diurna.toml",
            )
        )
    return [*found, *_act_findings(fact, history, cut)]


def contradictions(fact: Fact) -> list[Finding]:
    """Say what stands against what in a fact."""
    versions = ", ".join([version.id for version in fact.heads])
    moves = ", ".join([f"{move.state} in {move.stem}" for move in fact.moves])
    by = ", ".join([new or "no other fact" for _, new in fact.denied])
    unknown = "by somebody who did not know its text"
    side = "that stand side by side"
    choose = f"`diurna conflicts {fact.id} --choose SIDE` says which holds"
    states = f"`diurna conflicts {fact.id} --state STATE` says which holds"
    rows = (
        (
            len(fact.heads) > 1,
            f"has {len(fact.heads)} versions {side}: {versions}",
            choose,
        ),
        (fact.rivals, f"has {len(fact.rivals)} live successors: {', '.join(fact.rivals)}", choose),
        (fact.circular, f"and {', '.join(fact.circle)} supersede each other", choose),
        (fact.torn, f"has {len(fact.moves)} moves {side}: {moves}", states),
        (
            fact.opposed,
            f"stands against {', '.join(fact.opposed)}",
            f"{choose}, `--both` that both do",
        ),
        (fact.denied, f"was called false (replaced by {by}) {unknown}: {versions}", choose),
    )
    return [
        Finding("contradiction", f"{fact.id} {said}", hint=hint)
        for stands, said, hint in rows
        if stands
    ]


def _move_findings(fact: Fact, history: History) -> list[Finding]:
    """Find the moves of what is no task, and those that can not follow what they answer."""
    found: list[Finding] = []
    known: dict[str, dict[str, None]] = {}
    said = list(moves_said(history.acts))
    if not any(one.moved for one in said):
        return found
    for one in said:
        known.setdefault(stem_in(one.key), {})[one.state] = None
    moves = Moves()
    for one in said:
        if one.moved and fact.kind != TASK_KIND:
            what = f"{fact.id} was moved to {one.state} and is of kind {fact.kind}"
            hint = "an update whose footer says `kind: task` makes it a task"
            found.append(Finding("task-move", what, log_path(one.key), hint=hint))
        elif one.moved and one.by.type != EDIT:
            if one.was is None:
                before = [move.state for move in moves.standing()]
            else:
                before = [state for stem in one.was for state in known.get(stem, ())]
            states = tuple(before) or (TODO,)
            if one.state not in may_follow(states) and (before or not one.was):
                what = f"{fact.id} was moved to {one.state} and was {either(states)}"
                may = ", ".join(may_follow(states))
                hint = f"what may follow: {may}" if may else "`Reopened` brings it back to todo"
                found.append(Finding("task-move", what, log_path(one.key), hint=hint))
        moves.move(one)
    return found


def unproven(fact: str, file: str = "") -> Finding:
    """Say that a help has no evidence: it counts as a reference."""
    said = f"{fact} is said to have helped, without evidence; that counts as a reference"
    return Finding("no-evidence", said, file, hint=_NO_EVIDENCE_HINT)


def _was_closable(fact: Fact, history: History) -> bool:
    """Tell whether a fact is, or was once, of a kind that can be closed."""
    if fact.kind in CLOSABLE:
        return True
    texts = [one.event for one in history.acts if isinstance(one.event, FactCreated | FactUpdated)]
    return any(one.mark or dict(one.meta).get("kind") in CLOSABLE for one in texts)


def _act_findings(fact: Fact, history: History, cut: frozenset[Edge]) -> list[Finding]:
    """Find what is odd in what happened to a fact."""
    found: list[Finding] = []
    for stem, seq, event, _ in history.acts:
        if isinstance(event, ThreadClosed | ThreadReopened) and not _was_closable(fact, history):
            said = f"{fact.id} was closed or reopened and is of kind {fact.kind}"
            hint = "an update whose footer says `kind: thread` makes it a thread"
            found.append(Finding("not-a-thread", said, log_path(stem), hint=hint))
        elif isinstance(event, FactHelped) and not _form_of(event):
            found.append(unproven(fact.id, log_path(stem)))
        elif isinstance(event, FactSuperseded) and event.id == fact.id:
            if (stem, seq, event.id, event.new) in cut and stem in against(fact.id, history):
                found.append(
                    Finding(
                        "supersession-cycle",
                        f"{event.id} → {event.new} would close a circle; this edge is left out",
                        log_path(stem),
                        hint=f"`diurna conflicts {fact.id} --choose SIDE` says which of them holds"
                        if fact.circular
                        else f"{fact.id} is false by another log, so nothing has to be done",
                    )
                )
    return found + _move_findings(fact, history)
