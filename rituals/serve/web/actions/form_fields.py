"""Read what a form sends; plan what it records before it is, and say what came of it.

A page shows that plan, and nothing is written.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from ledger.codec.log import decode, entry_of
from ledger.errors import NotFound, WrongUsage
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id
from ledger.model.record import Record
from ledger.model.session import WORK
from memory import Memory, Near, Receipt, near_in, receipt_rows
from rituals.decide.decision import Decision, record
from rituals.record.own_home_parts import Drafts
from rituals.record.task_steps import Change, carried_out

#: The most values in one form, and the characters of one of them; a longer text is none of a fact.
LIMIT_VALUES, LIMIT_CHARS = 400, 16_000
#: The most ids in one form.
LIMIT_IDS = 200
#: How the value of a field is read: as it is, a value each line, ids, one value or none.
TEXT, LINES, IDS, ONE = "text", "lines", "ids", "one"
#: Stands in a command where a person has to say something.
OWN_WORDS = "…"
#: What asks the questions that a page answers.
REVIEW = "diurna review"


class Fields(Record):
    """What a form says: of a size that one of ours can have, else `WrongUsage` is raised."""

    pairs: tuple[tuple[str, str], ...]  #: (name, value) of each of its fields, in their order

    def many(self, name: str) -> tuple[str, ...]:
        """Return all values of a field, with the line ends that they had before a browser sent them."""
        said = [value.replace("\r\n", "\n") for key, value in self.pairs if key == name]
        found = tuple([value.replace("\r", "\n") for value in said])
        if any(len(value) > LIMIT_CHARS for value in found):
            hint = "say it in fewer words; what belongs together can be several facts"
            raise WrongUsage(f"{name} has more than {LIMIT_CHARS} characters", hint=hint)
        return found

    def one(self, name: str) -> str:
        """Return the value of a field, "" where the form has none; `WrongUsage` where it has several."""
        found = self.many(name)
        if len(found) > 1:
            raise WrongUsage(f"the form has {len(found)} values for {name}")
        return found[0] if found else ""

    def ticked(self, name: str) -> tuple[str, ...]:
        """Return what is ticked of a list, each once; `WrongUsage` where nothing is."""
        found = tuple(dict.fromkeys(self.many(name)))
        if not found:
            hint = "tick what you answer, then press the button"
            raise WrongUsage("nothing is ticked", hint=hint)
        if len(found) > LIMIT_IDS:
            said = f"{len(found)} are ticked, and one log takes {LIMIT_IDS}"
            raise WrongUsage(said, hint="answer some of them, then the others")
        return found

    def fact(self) -> str:
        """Return the id of the one fact that it is about; see `facts`."""
        found = self.facts() if self.many("id") else ()
        if len(found) != 1:
            hint = "open the fact's page"
            raise WrongUsage(f"the form names {len(found) or 'no'} facts", hint=hint)
        return found[0]

    def facts(self) -> tuple[str, ...]:
        """Return the ids of the facts that are ticked.

        Raises:
            NotFound: one can be none.
        """
        found = self.ticked("id")
        for one in found:
            if not is_fact_id(one):
                hint = "ids are lower-case words joined by hyphens or dots"
                raise NotFound(f"{one[:60]!r} is no id of a fact", hint=hint)
        return found


class Field(Record):
    """What a form asks for."""

    name: str
    label: str
    rows: int = 0  #: of a text of several lines; 0 for one line
    needed: bool = False  #: whether it can not be left empty
    hint: str = ""  #: what stands below its label
    offers: str = ""  #: which values, where one of some is chosen
    tick: bool = False  #: it is ticked or not
    reads: str = ""  #: how its value is read; "" for a text where it has rows, else for a line

    def value(self, fields: Fields) -> Any:
        """Return what a form says in it.

        Raises:
            WrongUsage: it is a reason, and none is given.
        """
        if self.tick:
            return bool(fields.one(self.name))
        said = fields.one(self.name).strip()
        if self.name == "reason" and self.needed and not said:
            raise WrongUsage("the reason is empty", hint="say in a sentence why")
        if self.reads == LINES:
            return tuple([one for line in said.split("\n") if (one := line.strip())])
        if self.reads == IDS:
            return tuple(said.replace(",", " ").split())
        if self.reads == ONE:
            return (said,) if said else ()
        return said if self.rows or self.reads == TEXT else " ".join(said.split())


class Values(dict[str, Any]):
    """What a form says, by the names of its fields, and what becomes of that in its command."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


class FormPlan(Record):
    """What a form records: as it is planned, and once it is recorded."""

    #: appends it, or with True says what the receipt would be; None where nothing of ours does
    append: Callable[[bool], Receipt | None] | None = None
    title: str = ""  #: of the log
    does: tuple[str, ...] = ()  #: what it does, a line each; else its receipt says that
    already: str = ""  #: why there is nothing to record, "" if there is something
    told: tuple[str, ...] = ()  #: what whoever does this should know
    findings: tuple[Finding, ...] = ()  #: what was noticed: a secret that is redacted, an odd id
    command: str = ""  #: that does the same on the command line
    before: str = ""  #: the text that another one replaces, "" for none
    after: str = ""  #: that one
    places: tuple[str, ...] = ()  #: where git goes on having what is withheld
    reversible: bool = True  #: whether a log can take it back
    publishes: bool = False  #: whether pages are published behind it, as behind a review
    stem: str = ""  #: of the log that has it, "" where none has
    commit: str = ""  #: that has the log
    facts: tuple[str, ...] = ()  #: the ids that were born with it
    log: str = ""  #: the log as it would be written, of what is only planned
    near: tuple[Near, ...] = ()  #: what is near the new facts of what is only planned


def recorded(memory: Memory, plan: FormPlan, *, dry_run: bool = False) -> FormPlan:
    """Record what a form plans, or with `dry_run` say what that would be.

    Raises:
        DiurnaError: it is refused.
    """
    receipt = None if plan.already or plan.append is None else plan.append(dry_run)
    if receipt is None or receipt.already:
        return plan._replace(already=plan.already or "the same was recorded a moment ago")
    found = (*plan.findings, *receipt.findings)
    return plan._replace(
        does=plan.does or tuple([f"{verb}: {what}" for verb, what in receipt_rows(receipt)]),
        findings=tuple(dict.fromkeys(found)), stem=receipt.stem, commit=receipt.commit,
        facts=receipt.facts, log=receipt.data.decode() if dry_run else "",
        near=_near(memory, receipt) if dry_run else (),
    )  # fmt: skip


def planned(memory: Memory, made: Decision | Drafts | Callable[[], Change] | FormPlan) -> FormPlan:
    """Plan the log of a decision, of a draft, or of a step of a task, as the command line makes it."""
    match made:
        case FormPlan():
            return made
        case Decision():
            return FormPlan(
                lambda dry_run: record(memory, made, dry_run=dry_run),
                made.title, made.does, made.already, made.hints,
            )  # fmt: skip
        case Drafts():
            draft = made.here or made.own
            return FormPlan(
                lambda dry_run: made.append(memory, dry_run=dry_run),
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


def _near(memory: Memory, receipt: Receipt) -> tuple[Near, ...]:
    """Return what is near a log, whatever its type: a receipt says it of work alone."""
    entry = entry_of(receipt.stem, decode(receipt.data, sealed=True)[0])
    if entry.uses or not any(isinstance(one, FactCreated | FactUpdated) for one in entry.acts):
        return receipt.near
    return near_in(memory.snapshot, entry._replace(type=WORK))[0]
