"""Plan what a form records before it is: a page shows that plan, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable

from ledger.codec.log import decode, entry_of
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.findings import Finding
from ledger.model.record import Record
from ledger.model.session import WORK
from memory.api import Memory
from memory.write.draft import Receipt, told
from memory.write.duplicate_check import findings_of, notice
from rituals.decide.decision import Author, Decision, record
from rituals.record.own_home_parts import Drafts
from rituals.serve.web.actions.form_fields import Action, Fields, Recorded

_AGAIN = "the same was recorded a moment ago"


class FormPlan(Record):
    """What a form is about to record."""

    command: str  #: that does the same on the command line
    #: appends it, or with True says what the receipt would be; None where there is nothing to record
    append: Callable[[bool], Receipt | None]
    title: str = ""  #: of the log
    does: tuple[str, ...] = ()  #: what it does, a line each; else its receipt says that
    already: str = ""  #: why there is nothing to record, "" if there is something
    told: tuple[str, ...] = ()  #: what whoever does this should know
    before: str = ""  #: the text that another one replaces, "" for none
    after: str = ""  #: that one
    places: tuple[str, ...] = ()  #: where git goes on having what is withheld
    findings: tuple[Finding, ...] = ()  #: what is odd about the form
    reversible: bool = True  #: whether a log can take it back


class Preview(Record):
    """What would be recorded."""

    plan: FormPlan
    log: str = ""  #: the log as it would be written, "" where there is nothing to record
    does: tuple[str, ...] = ()  #: what it would do
    findings: tuple[
        Finding, ...
    ] = ()  #: what would be noticed: what it repeats or contradicts, a secret


#: Plans what a form asks for; a refusal is a `DiurnaError`.
Planning = Callable[[Memory, Fields], FormPlan]


def recording(planning: Planning) -> Action:
    """Return what records what a form plans."""

    def action(memory: Memory, fields: Fields) -> Recorded:
        plan = planning(memory, fields)
        receipt = None if plan.already else plan.append(False)
        if receipt is None or receipt.already:
            return Recorded(already=plan.already or _AGAIN)
        return Recorded(
            (receipt.stem,), (receipt.commit,), _does(plan, receipt), "",
            plan.title, plan.command, (*plan.findings, *receipt.findings), plan.reversible,
            facts=receipt.facts,
        )  # fmt: skip

    return action


def preview(memory: Memory, planning: Planning, fields: Fields) -> Preview:
    """Return what a form would record.

    Raises:
        DiurnaError: it is refused, as it would be if it was recorded.
    """
    plan = planning(memory, fields)
    receipt = None if plan.already else plan.append(True)
    if receipt is None or receipt.already:
        return Preview(plan._replace(already=plan.already or _AGAIN))
    found = (*plan.findings, *receipt.findings, *_alike(memory, receipt))
    return Preview(plan, receipt.data.decode(), _does(plan, receipt), tuple(dict.fromkeys(found)))


def decided(
    memory: Memory, decision: Decision, command: str, *, reversible: bool = True
) -> FormPlan:
    """Plan the log of a decision."""
    return FormPlan(
        command, lambda dry_run: record(memory, decision, Author(), dry_run=dry_run), decision.title,
        decision.does, decision.already, decision.hints, reversible=reversible,
    )  # fmt: skip


def drafted(memory: Memory, drafts: Drafts, command: str) -> FormPlan:
    """Plan the log of a draft; one that is sent twice is recorded once."""
    draft = drafts.here or drafts.own
    return FormPlan(
        command, lambda dry_run: drafts.append(memory, dry_run=dry_run, tiers=True),
        draft.title if draft else "", findings=drafts.findings,
    )  # fmt: skip


def _does(plan: FormPlan, receipt: Receipt) -> tuple[str, ...]:
    return plan.does or tuple([f"{verb}: {what}" for verb, what in told(receipt)])


def _alike(memory: Memory, receipt: Receipt) -> tuple[Finding, ...]:
    """Say which facts a log repeats or contradicts, whatever its type: of work alone an append says so."""
    entry = entry_of(receipt.stem, decode(receipt.data, sealed=True)[0])
    if entry.uses or not any(isinstance(one, FactCreated | FactUpdated) for one in entry.acts):
        return ()
    return findings_of(notice(memory.snapshot, entry._replace(type=WORK)))
