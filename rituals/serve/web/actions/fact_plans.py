"""Plan what forms say of facts: the same plans, and the same appends, as those of the commands."""

from __future__ import annotations

from collections.abc import Callable

from ledger.codec.fact_blocks import tidy
from ledger.errors import DiurnaError, WrongUsage
from ledger.model.findings import Finding
from ledger.model.session import CLOSABLE, EDIT
from memory.api import Memory
from projection.fold.fact_history import Fact
from rituals.decide.decision import Decision, titled
from rituals.decide.fact_corrections import Wording, closing, denial, holding, rewording
from rituals.decide.redaction import held_lines, redaction, standing
from rituals.record.answer_lines import title_of
from rituals.record.draft_composer import free_id, kinds_of, taken_in, words_for
from rituals.record.option_values import new_fact, slips_of
from rituals.record.own_home_parts import drafts_of
from rituals.record.request import NewFact, Request, Supersession
from rituals.serve.web.actions import twin_commands
from rituals.serve.web.actions.form_fields import Fields
from rituals.serve.web.actions.form_plan import FormPlan, Planning, decided, drafted

_NEW = "--new"


def note(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to add a fact; whoever writes it down is not at work, so that no fact ages by it."""
    new, said, option = _new(memory, fields)
    asked = Request(title_of([new]), fields.one("body").strip(), type=EDIT, new=(new,))
    drafts = drafts_of(memory, asked, options=True)
    command = twin_commands.add(asked.title, option, asked.body)
    return drafted(memory, drafts._replace(findings=(*said, *drafts.findings)), command)


def replace(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to add a fact that replaces another one, which is false from then on."""
    old = holding(memory, _as_shown(memory, fields)).id
    new, said, _ = _new(memory, fields)
    words = words_for(memory, [new])
    new = new._replace(id=new.id or free_id(new.text, {old}, taken_in(memory), {}, words))
    option = _option(fields, new.id)
    asked = Request(
        titled("Replace", (old,)), fields.one("body").strip(), type=EDIT, new=(new,),
        supersede=(Supersession(old, new.id),),
    )  # fmt: skip
    drafts = drafts_of(memory, asked, options=True)
    command = twin_commands.add(asked.title, option, asked.body, f"{old}={new.id}")
    return drafted(memory, drafts._replace(findings=(*said, *drafts.findings)), command)


def reword(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to say a fact in other words, or to give it another kind or end."""
    fact = holding(memory, _as_shown(memory, fields))
    said, text = dict(fact.meta), tidy(fields.one("text"))
    if not text:
        raise WrongUsage("the new text is empty", hint="write what it says, or that it is false")
    same = text == fact.text and len(fact.heads) == 1
    kind = fields.one("kind")
    others = [_line(fields, key) for key in ("until", "entity", "tags")]
    known = [said.get(key, "") for key in ("until", "entity", "tags")]
    asked = Wording(
        "" if same else text, "" if kind == fact.kind else kind,
        *["" if new == old else new for new, old in zip(others, known, strict=True)],
    )  # fmt: skip
    reason = fields.one("reason").strip()
    decision = rewording(memory, fact.id, asked, reason)
    plan = decided(memory, decision, twin_commands.reword(fact.id, asked, reason))
    return plan if same else plan._replace(before=fact.text, after=text)


def deny(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to say that a fact is false, and perhaps which one holds instead."""
    id = _as_shown(memory, fields)
    instead, reason = fields.one("instead").strip(), fields.one("reason").strip()
    decision = denial(memory, id, instead, reason)
    return decided(memory, decision, twin_commands.deny(id, instead, reason))


def close(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to close a thread, a task, a handoff or a finding."""
    fact, reason = _thread(memory, fields.fact()), fields.one("reason").strip()
    decision = closing(memory, (fact.id,), reason)
    return decided(memory, decision, twin_commands.close(fact.id, reason))


def reopen(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to open one of these again."""
    id, body = _thread(memory, fields.fact()).id, fields.one("reason").strip()
    command = twin_commands.reopen(id, body)
    if not memory.standing(id).fact.closed:
        return FormPlan(command, lambda dry_run: None, already=f"{id} is open")
    asked = Request(titled("Reopen", (id,)), body, type=EDIT, reopen=(id,))
    plan = drafted(memory, drafts_of(memory, asked, options=True), command)
    return plan._replace(does=(f"{id} is open again",))


def with_reason(
    plan: Callable[[Memory, str, str], Decision], command: Callable[[str, str], str]
) -> Planning:
    """Return what plans a decision about one fact, with the reason that its form has to give."""

    def planning(memory: Memory, fields: Fields) -> FormPlan:
        fact, reason = fields.fact(), fields.reason()
        return decided(memory, plan(memory, fact, reason), command(fact, reason))

    return planning


def withhold(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to show a fact's text to nobody again; what git still has is told."""
    id, reason = _as_shown(memory, fields), fields.reason()
    found = redaction(memory, (id,), reason)
    plan = decided(memory, found.decision, twin_commands.withhold(id, reason), reversible=False)
    held = held_lines(found, standing(memory, found.git))
    places = tuple([line.strip() for line in held if line.startswith(" ")])
    first, *rest = [line for line in held if not line.startswith(" ")] or [""]
    told = (f"{first.rstrip(':')}.", " ".join(rest)) if first else ()
    return plan._replace(told=(*told, *plan.told), places=places)


def _as_shown(memory: Memory, fields: Fields) -> str:
    """Return the fact that a form is about; it has to say what the page showed.

    Raises:
        DiurnaError: it says something else by now.
    """
    id, seen = memory.standing(fields.fact()).fact.id, fields.many("seen")
    if seen and set(seen) != {head.id for head in memory.standing(id).fact.heads}:
        said = f"{id} says something else by now than the page showed"
        raise DiurnaError(said, hint="look at what it says now; your own words stand here still")
    return id


def _new(memory: Memory, fields: Fields) -> tuple[NewFact, tuple[Finding, ...], str]:
    """Read a new fact as an option of the command line; return also what is odd, and that option."""
    kinds, option = kinds_of(memory), _option(fields)
    said = slips_of((option,), kinds, _NEW)
    return new_fact(option, kinds, _NEW, "write what holds, in a sentence"), said, option


def _option(fields: Fields, id: str = "") -> str:
    """Write the fields of a new fact as one option of the command line."""
    names = _line(fields, "entity").replace('"', "")
    keys = [f"id={id}"] if id else []
    keys += [f'entity="{names}"'] if names else []
    text = tidy(fields.one("text"))
    if not text:
        raise WrongUsage("the text is empty", hint="write what holds, in a sentence")
    return f"{fields.one('kind') or 'fact'}: {' '.join([*keys, text])}"


def _line(fields: Fields, name: str) -> str:
    return " ".join(fields.one(name).split())


def _thread(memory: Memory, id: str) -> Fact:
    """Return what can be closed and opened.

    Raises:
        DiurnaError: it can not.
    """
    fact = memory.standing(id).fact
    if fact.kind not in CLOSABLE:
        hint = f'`diurna forget {id} --archive --reason "…"` puts it away'
        raise DiurnaError(f"{id} is of kind {fact.kind}, which is never closed", hint=hint)
    if fact.false:
        hint = f'`diurna edit {id} --restore --reason "…"` says that it holds after all'
        raise DiurnaError(f"{id} is false: there is nothing to close", hint=hint)
    return fact
