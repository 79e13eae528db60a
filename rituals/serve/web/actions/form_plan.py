"""Plan what a form records before it is: a page shows that plan, and nothing is written."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

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
from rituals.record.tasks.task_steps import Change, carried_out
from rituals.serve.web.actions.form_fields import Action, Fields, Recorded

_AGAIN = "the same was recorded a moment ago"
#: Stands in a command where a person has to say something.
OWN_WORDS = "…"
#: What asks the questions that a page answers, and proposes what it accepts.
REVIEW, LEARN = "diurna review", "diurna review --learn"


class FormPlan(Record):
    """What a form is about to record."""

    #: appends it, or with True says what the receipt would be; None where there is nothing to record
    append: Callable[[bool], Receipt | None]
    title: str = ""  #: of the log
    does: tuple[str, ...] = ()  #: what it does, a line each; else its receipt says that
    already: str = ""  #: why there is nothing to record, "" if there is something
    told: tuple[str, ...] = ()  #: what whoever does this should know
    findings: tuple[Finding, ...] = ()  #: what is odd about the form
    command: str = ""  #: that does the same on the command line
    before: str = ""  #: the text that another one replaces, "" for none
    after: str = ""  #: that one
    places: tuple[str, ...] = ()  #: where git goes on having what is withheld
    reversible: bool = True  #: whether a log can take it back


class Preview(Record):
    """What would be recorded."""

    plan: FormPlan
    log: str = ""  #: the log as it would be written, "" where there is nothing to record
    does: tuple[str, ...] = ()  #: what it would do
    #: what would be noticed: what it repeats or contradicts, a secret
    findings: tuple[Finding, ...] = ()


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


def planned(memory: Memory, made: Decision | Drafts | Callable[[], Change] | FormPlan) -> FormPlan:
    """Plan the log of a decision, of a draft, or of a step of a task, as the command line makes it."""
    match made:
        case FormPlan():
            return made
        case Decision():
            return FormPlan(
                lambda dry_run: record(memory, made, Author(), dry_run=dry_run),
                made.title, made.does, made.already, made.hints,
            )  # fmt: skip
        case Drafts():
            draft = made.here or made.own
            return FormPlan(
                lambda dry_run: made.append(memory, dry_run=dry_run, tiers=True),
                draft.title if draft else "", findings=made.findings,
            )  # fmt: skip
    change = made()  # it is planned again where somebody writes in between
    return FormPlan(
        lambda dry_run: carried_out(memory, made, dry_run=dry_run)[1],
        change.draft.title if change.draft else "", already=change.already, told=change.notes,
    )  # fmt: skip


def typed(command: str, values: Mapping[str, Any]) -> str:
    """Write a command line from its form.

    Of the form's words `{name}` and `{name,other}` stand for values, `--option` and `--option=name` for an
    option that has one, with `|--other` for what stands there without; others for themselves, `!--so` too.
    """
    words = ["diurna"]
    for word in command.split():
        option, _, other = word.partition("|")
        option, _, name = option.partition("=")
        names = (name or option.strip("-{}").replace("-", "_")).split(",")
        found = [one for name in names for one in _each(values.get(name))]
        if word[0] == "{":
            words += ["--", *found] if any(one.startswith("-") for one in found) else found
        elif word[0] == "-":
            words += [part for one in found for part in (option, one) if part is not True]
            words += [other] if other and not found else []
        else:
            words.append(word.removeprefix("!"))
    return shlex.join(words)


def _each(value: Any) -> list[Any]:
    """Return a value, or each of several; none of them is empty."""
    return [one for one in ([value] if isinstance(value, str | bool) else value or ()) if one]


def _does(plan: FormPlan, receipt: Receipt) -> tuple[str, ...]:
    return plan.does or tuple([f"{verb}: {what}" for verb, what in told(receipt)])


def _alike(memory: Memory, receipt: Receipt) -> tuple[Finding, ...]:
    """Say which facts a log repeats or contradicts, whatever its type: of work alone an append says so."""
    entry = entry_of(receipt.stem, decode(receipt.data, sealed=True)[0])
    if entry.uses or not any(isinstance(one, FactCreated | FactUpdated) for one in entry.acts):
        return ()
    return findings_of(notice(memory.snapshot, entry._replace(type=WORK)))
