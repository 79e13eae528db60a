"""Append what was read from the command line, and print the receipt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.errors import DraftRefused
from ledger.model.session import WORKING
from memory.write.draft import Receipt, told
from projection.text.clipping import one_line
from rituals.answers.json_objects import receipt_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ledger.model.findings import Finding
    from rituals.cli.context import Invocation
    from rituals.cli.output import Line
    from rituals.record.answer_lines import Answer
    from rituals.record.own_home_parts import Drafts

#: How much is shown of a fact that is near a new one.
_NEAR_CHARS = 120


def record(
    call: Invocation,
    drafts: Drafts,
    *,
    again: bool,
    dry_run: bool,
    strict: bool,
    noted: bool = False,
) -> None:
    """Append a draft and say what that did, or would do.

    `again` records it even if the same was recorded a moment ago, `strict` refuses what is otherwise only
    told; `noted`: it is a note.
    """
    receipt = drafts.append(call.memory(), again=again, dry_run=dry_run, strict=strict)
    receipt = receipt._replace(findings=(*drafts.findings, *receipt.findings))
    if drafts.here is not None and drafts.here.type in WORKING and not dry_run:
        session = dict(drafts.here.header).get("session", "")
        _note_answer(call, session, corrects=drafts.corrects)
    more: dict[str, Any] = {"dry_run": True, "log": receipt.data.decode()} if dry_run else {}
    lines = [*receipt_lines(call, receipt, dry_run=dry_run)]
    for one in receipt.near:
        option = f"--replace {one.id}" if noted else f"--supersede {one.id}={one.fact}"
        said = one_line(one.text, _NEAR_CHARS)
        said += "" if said.endswith((".", "!", "?", "…")) else "."
        said = f"  {said} If yours replaces it: `{option}`"
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
    values = {**receipt_object(receipt), "findings": findings, "hints": list(hints), **more}
    call.answer(values, lines, findings=findings, hints=hints)


def record_answer(
    call: Invocation,
    answer: Answer | None,
    *,
    again: bool,
    dry_run: bool,
    strict: bool,
) -> None:
    """Append what an answer says, and say what of it can not be recorded.

    None says that there is nothing to record; all else is as for `record`.

    Raises:
        DraftRefused: its one line can not be recorded, or `strict`.
    """
    from rituals.record.answer_lines import named, recordable
    from rituals.record.own_home_parts import drafts_of

    if answer is None or answer.request.says_nothing:
        if not dry_run:
            _note_answer(call, nothing=True)
        said = answer.findings if answer else ()
        return answer_recorded(call, None, ["noted: nothing"], findings=said)
    how = {"again": again, "dry_run": dry_run, "strict": strict, "noted": True}
    memory, request, said = call.memory(), answer.request, answer.findings
    try:
        drafts: Drafts | None = named(drafts_of(memory, request, options=True))
        assert drafts is not None
        record(call, drafts._replace(findings=(*said, *drafts.findings)), **how)
        return
    except DraftRefused as refused:
        if strict:
            raise
        drafts, more = recordable(memory, request, refused)
    said = (*said, *more)
    if drafts is None:
        return answer_recorded(call, None, ["already recorded"], findings=said)
    record(call, drafts._replace(findings=(*said, *drafts.findings)), **how)


def _note_answer(call: Invocation, session: str = "", **how: bool) -> None:
    """Note that the session answered, asked or not; `how` as for `note_answer`."""
    memory = call.memory()
    said = session or memory.occasion().session
    if not said:
        return
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
    for verb, what in told(receipt):
        yield f"{verb:<7}  ", (what, "green")
