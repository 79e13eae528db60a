"""Run the commands that decide something, and say what any command recorded."""

from __future__ import annotations

from _collections_abc import Iterable, Iterator

from ledger.errors import DraftRefused, WrongUsage
from ledger.model.session import WORKING
from memory import Receipt, receipt_rows
from rituals.cli.context import STDIN, Invocation
from rituals.cli.operation import DECIDER, DRY_RUN, SINCE, TITLE, modes, option, word
from rituals.cli.output import Line, counted

#: How much is shown of a fact that is near a new one.
_NEAR_CHARS = 120

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ledger.model.finding_codes import Finding
    from rituals.decide.decision import Decision
    from rituals.record.own_home_parts import Drafts
    from rituals.record.request import Request


def edit(
    call: Invocation, *,
    id: str = word("ID"), text: str = word("[TEXT|VERSION]"),
    kind: str = option("The kind that it is of from now on.", "KIND", goes="plain"),
    until: str = option(
        "What ends it: `tag v5*`, `merged x`, `gone PATH`, `date 2027-01-31`, …", "WHAT", goes="plain"),
    entity: str = option("What it is about from now on: names, with commas.", "NAMES", goes="plain"),
    tags: str = option("The tags that it has from now on, with commas.", "NAMES", goes="plain"),
    mode: str = modes(restore="Let an older VERSION stand again; without one, let a false fact hold."),
    reason: str = option("Why it changes, or why a false fact holds after all.", "TEXT"),
    agent: str = DECIDER, title: str = TITLE, dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Give a fact a new text. The old one stays in its history (`diurna why ID --versions`).

    Without TEXT, on a terminal, $VISUAL or else $EDITOR opens with the text; - reads standard input. If
    the fact is false altogether: `diurna note "…" --replace ID`, or `diurna forget ID`.

    With --restore VERSION is one of `diurna why ID --versions`, or the start of it. Without one a fact
    that was superseded or called false holds after all: a person's act, recorded with its --reason. It
    takes back what the logs here say against it; what is said elsewhere meanwhile, or later, still
    counts. What replaced it goes on holding.

    Examples:
      diurna edit api-timeouts "All outbound calls time out after 10 s."
      diurna edit api-timeouts --kind invariant
      diurna edit api-timeouts --until "tag v5*"
      diurna edit api-timeouts --restore 3fa9c1d2
      diurna edit api-timeouts --restore --reason "The 20 s were a test; production has 10 s."
    """
    from rituals.decide.fact_decisions import rewording

    if mode:
        return _restore(call, id, text, reason, agent=agent, title=title, dry_run=dry_run)
    memory = call.memory()
    if text == STDIN:
        text = call.text(STDIN).strip()
        if not text:
            raise WrongUsage("standard input holds no text", hint="`diurna forget ID` forgets it")
    elif not (text or kind or until or entity or tags):
        before = memory.standing(id).fact
        if call.json or not call.interactive():
            raise WrongUsage("the new text is missing", hint=f'diurna edit {id} "TEXT"')
        import click

        text = "" if before.redacted else (click.edit(before.text, extension=".md") or "").strip()
    given = {
        "text": text, "kind": kind, "until": until, "entity": entity, "tags": tags, "reason": reason,
    }  # fmt: skip
    decide(call, rewording(memory, id, given), agent, title, dry_run)


def close(
    call: Invocation, *,
    ids: tuple[str, ...] = word("ID..."),
    reason: str = option("What came of it.", "TEXT"),
    agent: str = DECIDER, title: str = TITLE, dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Say that threads, tasks, handoffs or findings are done.

    `diurna append --reopen ID` opens one again.

    Example:
      diurna close find-retry-limit --reason "Three; see webhook-retries."
    """
    from rituals.decide.fact_decisions import closing

    decide(call, closing(call.memory(), ids, reason), agent, title, dry_run)


def undo(
    call: Invocation, *,
    stems: tuple[str, ...] = word("[STEM]..."),
    session: str = option("All that this session of an agent wrote.", "ID"),
    agent: str = option("Whose logs; else yours.", "NAME"),
    since: str = SINCE,
    redo: bool = option("Do again what the last undo took back."),
    yes: bool = option("Do not ask."),
    title: str = TITLE, dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Take back what your last log did, by a log that says so; again, the one before.

    Yours is the newest log of this agent that was committed by whoever commits here. What it created
    becomes false, and everything else that it changed is as before. --redo does it again.

    Logs that you name, or that a session wrote, or an agent since a time, are taken back with what was
    derived from them: what supersedes, serves or links to their facts, asks about them, or was learned
    from them. The plan is shown first. What others changed since, or a person decided, is left alone and
    named.

    Examples:
      diurna undo
      diurna undo --session 0b6f2c1e --dry-run
      diurna undo --agent codex --since "2 hours ago" --yes
      diurna undo --redo --dry-run
    """
    from rituals.answers.record_to_dict import fields_of
    from rituals.decide.undo_redo import redoing, taking_back, undoing

    memory, named = call.memory(), bool(stems or session or since)
    if not dry_run:
        memory.drain()
    if redo and named:
        hint = "leave the rest out"
        raise WrongUsage("--redo does again what the last undo took back", hint=hint)
    if named:
        plan, agent = taking_back(memory, stems, session, agent, since), ""
    else:
        plan = (redoing if redo else undoing)(memory, agent)
    decision = plan.decision
    asks = not (yes or call.json) and call.interactive()
    if decision.events and not dry_run:
        from rituals.cli.dialog import agreed
        from rituals.cli.layout import Layout

        if named and not (asks or yes):
            raise WrongUsage(
                f"{counted(len(plan.logs), 'log')} and what was derived are not taken back unasked",
                hint="--dry-run shows the plan; --yes does it",
            )
        question = "do this again?" if plan.undo else "take this back?"
        if not agreed(call, question, {"does": decision.does}, Layout("does|{}"), yes=not asks):
            return
        decision = decision if call.json else decision._replace(does=())  # they were shown
    undone = plan.undo or (plan.logs[0].stem if len(plan.logs) == 1 else "")
    left = [{"id": id, "why": why} for id, why in plan.left]
    more = fields_of(plan, "logs(stem agent title) took")
    decide(call, decision, agent, title, dry_run, undone=undone, left=left, **more)


def _restore(call: Invocation, /, id: str, version: str, reason: str, **recorded: Any) -> None:
    """Let an older text stand again, or a fact that was called false."""
    from rituals.decide.fact_decisions import reinstatement, restoration

    if version:
        if reason:
            raise WrongUsage("--reason goes with a fact that was called false, not with a version")
        decide(call, restoration(call.memory(), id, version), **recorded)
        return
    if not reason.strip():
        raise WrongUsage(
            "neither a VERSION nor a --reason is given",
            hint=f"`diurna why {id} --versions` lists its texts; where it was called false, "
            "`--reason TEXT` says in a sentence why it holds after all",
        )
    decide(call, reinstatement(call.memory(), id, reason), **recorded)


def decide(
    call: Invocation, decision: Decision, agent: str, title: str, dry_run: bool, **more: Any
) -> None:
    """Record a decision and say what was done, or what would be; `more` are further keys of the answer.

    `agent` is "" for the default, `title` is the log's, "" for the decision's own.
    """
    from rituals.decide.decision import record

    receipt = record(call.memory(), decision, agent, title, dry_run=dry_run)
    answer_decision(call, decision, receipt, dry_run, **more)


def answer_decision(
    call: Invocation, decision: Decision, receipt: Receipt | None, dry_run: bool,
    also: Iterable[Line] = (), **more: Any,
) -> None:  # fmt: skip
    """Say what a decision did, or would do, and `also` what came of it."""
    lines: list[Line] = [f"nothing to do: {decision.already}"]
    if receipt is not None:
        place = receipt.place(call.memory().home.branch)
        lines = [] if dry_run else [((call.out.short(receipt.stem), "yellow"), f"  {place}")]
        lines += [f"would record: {line}" if dry_run else line for line in decision.does]
    if call.json:
        from rituals.answers.fact_objects import event_object

        more["events"] = [event_object(event) for event in decision.events]
    answer_recorded(
        call, receipt, [*lines, *also], hints=decision.hints, does=decision.does,
        already=decision.already, dry_run=dry_run, **more,
    )  # fmt: skip


def record(
    call: Invocation, drafts: Drafts, *, dry_run: bool, noted: bool = False, **how: bool
) -> None:
    """Append a draft and say what that did, or would do; `noted`: it is a note.

    Of `how`, `again` records it even if the same was recorded a moment ago, and `strict` refuses what is
    otherwise only told.
    """
    receipt = drafts.append(call.memory(), dry_run=dry_run, **how)
    receipt = receipt._replace(findings=(*drafts.findings, *receipt.findings))
    if drafts.here is not None and drafts.here.type in WORKING and not dry_run:
        session = dict(drafts.here.header).get("session", "")
        _note_answer(call, session, corrects=drafts.corrects)
    more: dict[str, Any] = {"dry_run": True, "log": receipt.data.decode()} if dry_run else {}
    lines = [*receipt_lines(call, receipt, dry_run=dry_run)]
    if receipt.near:
        from projection.text.clipping import one_line
    for one in receipt.near:
        option = f"--replace {one.id}" if noted else f"--supersede {one.id}={one.fact}"
        said = f"  {one_line(one.text, _NEAR_CHARS)} If yours replaces it: `{option}`"
        lines.append(("near     ", (one.id, "yellow"), said))
    answer_recorded(call, receipt, lines, **more)
    call.landed = call.landed and drafts.here is not None


def answer_recorded(
    call: Invocation,
    receipt: Receipt | None,
    lines: Iterable[Line],
    *,
    findings: tuple[Finding, ...] = (),
    hints: Iterable[str] = (),
    **more: Any,
) -> None:
    """Answer with what was recorded, None for nothing, and `more` keys; or with lines."""
    findings = receipt.findings if receipt else findings
    call.landed = bool(receipt and receipt.commit and not receipt.already)
    values = {"findings": findings, "hints": list(hints), **more}
    if call.json:
        from rituals.answers.fact_objects import receipt_object

        values = {**receipt_object(receipt), **values}
    call.answer(values, lines, findings=findings, hints=hints)


def record_answer(
    call: Invocation, request: Request | None, said: tuple[Finding, ...], **how: bool
) -> None:
    """Append what an answer says, and say what of it can not be recorded; `said` is said of its lines.

    None says that there is nothing to record; all else is as for `record`.

    Raises:
        DraftRefused: its one line can not be recorded, or `strict`.
    """
    from rituals.record.agent_reply import named, recordable
    from rituals.record.own_home_parts import drafts_of

    if request is None or request.says_nothing:
        if not how["dry_run"]:
            _note_answer(call, nothing=True)
        return answer_recorded(call, None, ["noted: nothing"], findings=said)
    memory = call.memory()
    try:
        drafts = named(drafts_of(memory, request, options=True))
        record(call, drafts._replace(findings=(*said, *drafts.findings)), noted=True, **how)
    except DraftRefused as refused:
        if how["strict"]:
            raise
        left, more = recordable(memory, request, refused)
        said = (*said, *more)
        if left is None:
            return answer_recorded(call, None, ["already recorded"], findings=said)
        record(call, left._replace(findings=(*said, *left.findings)), noted=True, **how)


def _note_answer(call: Invocation, session: str = "", **how: bool) -> None:
    """Note that the session answered, asked or not; `how` as for `note_answer`."""
    memory = call.memory()
    if said := session or memory.occasion().session:
        from rituals.hosts.stop_request import note_answer

        note_answer(memory.home.repository.commondir, said, **how)


def receipt_lines(call: Invocation, receipt: Receipt, *, dry_run: bool) -> Iterator[Line]:
    """Yield what an append did, or would do, without what was noticed."""
    stem = (call.out.short(receipt.stem), "yellow")
    if dry_run and not receipt.already:
        yield "would append ", stem
        yield receipt.data.decode().removesuffix("\n")
        return
    yield stem, f"  {receipt.place(call.memory().home.branch)}"
    for verb, what in receipt_rows(receipt):
        yield f"{verb:<7}  ", (what, "green")
