"""List the forms: what each asks for, the command that does the same, and what plans the log of both.

A form names its command, in whose words it is read; what that would record is planned by the functions
that the command calls. So a page records byte for byte what the command line does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ledger.codec.fact_blocks import tidy
from ledger.errors import DiurnaError, WrongUsage
from ledger.model.record import Record
from ledger.model.session import EDIT
from ledger.model.verbs import DONE
from memory import Memory
from rituals.decide.decision import titled
from rituals.decide.fact_decisions import (
    archiving,
    closing,
    confirmation,
    denial,
    holding,
    reinstatement,
    returning,
    rewording,
)
from rituals.decide.open_contradictions import CIRCLE, disputes
from rituals.decide.redaction import held_lines, redaction, standing
from rituals.decide.resolution import Verdict, choices, resolution
from rituals.record.agent_reply import title_of
from rituals.record.draft_composer import free_id, kinds_of, taken_in, words_for
from rituals.record.option_values import new_facts
from rituals.record.own_home_parts import Drafts, drafts_of
from rituals.record.request import Request, Supersession
from rituals.record.task_steps import adding, step
from rituals.serve.web.actions.form_fields import (
    IDS,
    LINES,
    ONE,
    OWN_WORDS,
    TEXT,
    Field,
    Fields,
    FormPlan,
    Values,
    planned,
    typed,
)

#: What a choice offers; the page knows which there are.
KINDS, STATES, PRIORITIES = "kinds", "states", "priorities"
#: What a fact has beside its text that a form can change.
_BESIDE = ("kind", "until", "entity", "tags")


class Shape(Record):
    """A form."""

    title: str  #: what it does, as its page is called; "…" stands for the fact
    command: str  #: that does the same (`form_fields.typed`)
    does: Callable[[Memory, Values], Any]  #: plans it, as `form_fields.planned` takes it
    fields: tuple[Field, ...] = ()
    said: str = ""  #: what it does, in a sentence
    #: whether it goes by the text that its page showed: another one that came meanwhile is a refusal
    by_text: bool = False
    reversible: bool = True  #: whether a log can take it back

    def plan(self, memory: Memory, fields: Fields) -> FormPlan:
        """Plan what a form that was filled in records.

        Raises:
            DiurnaError: it is refused.
        """
        of_one = OWN_WORDS in self.title
        values = Values(fields=fields, id=fields.fact() if of_one else "")
        values |= {one.name: one.value(fields) for one in self.fields}
        if self.by_text:
            values["id"] = _as_shown(memory, fields)
        plan = planned(memory, self.does(memory, values))
        reversible = self.reversible and not values.get("for_good")
        return plan._replace(command=typed(self.command, values), reversible=reversible)

    def written(self, **values: Any) -> str:
        """Write its command for whoever only looks; what a person has to say is left to them."""
        needed = {one.name: OWN_WORDS for one in self.fields if one.name == "reason" and one.needed}
        return typed(self.command, needed | values)


def _note(memory: Memory, form: Values, old: str = "") -> Drafts:
    """Plan to add a fact; whoever writes it down is not at work, so that no fact ages by it."""
    kinds, text = kinds_of(memory), tidy(form.text)
    if not text:
        raise WrongUsage("the text is empty", hint="write what holds, in a sentence")
    names = form.entity.replace('"', "")

    def option(id: str = "") -> str:
        keys = [f"id={id}"] * bool(id) + [f'entity="{names}"'] * bool(names)
        return f"{form.kind or 'fact'}: {' '.join([*keys, text])}"

    (new,), said = new_facts((option(),), kinds, "--new", "write what holds, in a sentence")
    pairs: tuple[Supersession, ...] = ()
    form |= {"title": titled("Replace", (old,)) if old else title_of([new]), "new": option()}
    if old:
        words = words_for(memory, [new])
        new = new._replace(id=new.id or free_id(new.text, {old}, taken_in(memory), words))
        pairs = (Supersession(old, new.id),)
        form |= {"new": option(new.id), "supersede": f"{old}={new.id}"}
    asked = Request(form.title, form.body, type=EDIT, new=(new,), supersede=pairs)
    drafts = drafts_of(memory, asked, options=True)
    return drafts._replace(findings=(*said, *drafts.findings))


def _reword(memory: Memory, form: Values) -> FormPlan:
    """Plan to say a fact in other words, or to give it another kind or end."""
    fact, text = holding(memory, form.id), tidy(form.text)
    if not text:
        raise WrongUsage("the new text is empty", hint="write what it says, or that it is false")
    same = text == fact.text and len(fact.heads) == 1
    known = {**dict(fact.meta), "kind": fact.kind}
    form |= {key: "" if form[key] == known.get(key, "") else form[key] for key in _BESIDE}
    form |= {"text": "" if same else text, "id": fact.id}
    plan = planned(memory, rewording(memory, fact.id, form))
    return plan if same else plan._replace(before=fact.text, after=text)


def _reopen(memory: Memory, form: Values) -> Any:
    fact = memory.standing(form.id).fact
    form |= {"id": fact.id, "title": titled("Reopen", (fact.id,))}
    if not fact.closed:
        return FormPlan(already=f"{fact.id} is open")
    asked = Request(form.title, form.reason, type=EDIT, reopen=(fact.id,))
    plan = planned(memory, drafts_of(memory, asked, options=True))
    return plan._replace(does=(f"{fact.id} is open again",))


def _withhold(memory: Memory, form: Values) -> FormPlan:
    """Plan to show a fact's text to nobody again; what git still has is told."""
    found = redaction(memory, (form.id,), form.reason)
    plan = planned(memory, found.decision)
    held = held_lines(found.git, standing(memory, found.git))
    places = tuple([line.strip() for line in held if line.startswith(" ")])
    first, *rest = [line for line in held if not line.startswith(" ")] or [""]
    told = (f"{first.rstrip(':')}.", " ".join(rest)) if first else ()
    return plan._replace(told=(*told, *plan.told), places=places)


def _add_task(memory: Memory, form: Values) -> Drafts:
    if not form.text:
        raise WrongUsage("the text is empty", hint="say what is to be done")
    return Drafts(*adding(memory, form.text, form, Request()))


def _move(memory: Memory, form: Values, state: str) -> Any:
    if not state:
        raise WrongUsage("no state is chosen", hint="choose the state that it is in from now on")
    return partial(step, memory, "move", form.id, Request(), {"state": state, "why": form.why})


def _as_shown(memory: Memory, fields: Fields) -> str:
    """Return the fact that a form is about; it has to say what the page showed.

    Raises:
        DiurnaError: it says something else by now.
    """
    fact, seen = memory.standing(fields.fact()).fact, fields.many("seen")
    if seen and set(seen) != {head.id for head in fact.heads}:
        said = f"{fact.id} says something else by now than the page showed"
        raise DiurnaError(said, hint="look at what it says now; your own words stand here still")
    return fact.id


def _ids(form: Values) -> tuple[str, ...]:
    """Return the facts of which a list is ticked."""
    found: tuple[str, ...] = form.fields.facts()
    form["id"] = found
    return found


def _resolve(memory: Memory, form: Values) -> Any:
    """Plan to resolve a contradiction: by a side, by a new text, or by a state.

    Where the form says which sides it showed, another side that came meanwhile is a reason to refuse:
    a side that nobody saw is decided by nobody.
    """
    fields = form.fields
    form |= {name: fields.one(name).strip() for name in ("choose", "text", "state", "both")}
    form |= {"id": fields.fact(), "both": bool(form.both)}
    if "text" in dict(fields.pairs) and not (form.text or form.choose or form.state):
        raise WrongUsage("the new text is empty", hint="write what holds, or choose a side")
    disputed = disputes(memory, (form.id,))
    form |= {"for_good": any(one.kind == CIRCLE for one in disputed)}
    found = choices(disputed)
    seen, now = fields.many("side"), tuple(dict.fromkeys([one.id for one in found]))
    if now and ((seen and set(seen) != set(now)) or (form.choose and form.choose not in now)):
        said = f"other sides of {form.id} stand than the page showed: {', '.join(now)}"
        hint = "the page of the review shows them as they stand now; choose there"
        raise DiurnaError(said, hint=hint)
    verdict = Verdict(form.choose, form.text, form.state, form.both)
    return resolution(memory, form.id, verdict)


def _why(question: str, *, needed: bool = False) -> Field:
    return Field("reason", question, needed=needed, reads=TEXT)


def _points(name: str, label: str, hint: str = "") -> Field:
    return Field(name, label, 2, hint=hint, reads=ONE)


_KIND = Field("kind", "Kind", offers=KINDS)
_ENTITY = Field("entity", "About", hint="names, with commas: Payments API, Redis")
_BODY = Field("body", "Why, and what came of it", 3, hint="stands in the log, beside the fact")
_WHY = Field("why", "Why?", reads=TEXT)
_ADDED = "append !--type edit --title --new --supersede --body"
FORMS: dict[str, Shape] = {
    "note": Shape(
        "Add a fact", _ADDED, _note,
        (Field("text", "What holds", 4, needed=True), _KIND, _ENTITY, _BODY),
        "One sentence that stands alone: what, and why.",
    ),
    "reword": Shape(
        "Reword …", "edit --kind --until --entity --tags --reason {id,text}", _reword,
        (Field("text", "What it says from now on", 5, needed=True), _KIND,
         Field("until", "What ends it", hint="tag v5*, merged x, gone PATH, date 2027-01-31"),
         _ENTITY, Field("tags", "Tags", hint="with commas"),
         _why("Why does it change?")),
        "The same fact, in better words. What is no longer true is replaced, or called false.",
        by_text=True,
    ),
    "deny": Shape(
        "Mark … as false", "forget {id} --replaced-by=instead|--false --reason",
        lambda memory, form: denial(memory, form.id, form.instead, form.reason),
        (_why("Why does it not hold?"),
         Field("instead", "What holds instead", hint="the id of a fact that is there; empty for nothing")),
        "Agents are not told it any more. Its text stays, marked as false.", by_text=True,
    ),
    "replace": Shape(
        "Replace …", _ADDED, lambda memory, form: _note(memory, form, holding(memory, form.id).id),
        (Field("text", "What holds now", 4, needed=True), _KIND, _ENTITY, _BODY),
        "A new fact; the old one is false from then on, and leads to it.", by_text=True,
    ),
    "withhold": Shape(
        "Withhold …", "redact {id} --reason", _withhold,
        (_why("Why? Do not repeat what is withheld.", needed=True),),
        "Its text is shown to nobody again: not here, not to agents, not in exports. Git's history "
        "keeps it until somebody purges it. No undo.", by_text=True, reversible=False,
    ),
    "close": Shape(
        "Close …", "close {id} --reason",
        lambda memory, form: closing(memory, (form.id,), form.reason),
        (_why("What came of it?"),),
    ),
    "reopen": Shape(
        "Open … again", "append !--type edit --title --reopen=id --body=reason", _reopen, (_why("Why?"),)
    ),
    "archive": Shape(
        "Archive …", "forget {id} !--archive --reason",
        lambda memory, form: archiving(memory, form.id, form.reason),
        (_why("Why is it not needed?", needed=True),),
        "It holds, and agents are not told it unasked.",
    ),
    "return": Shape(
        "Take … out of the archive", "forget {id} !--back --reason",
        lambda memory, form: returning(memory, form.id, form.reason),
        (_why("Why is it needed again?", needed=True),),
    ),
    "reinstate": Shape(
        "Let … hold after all", "edit {id} !--restore --reason",
        lambda memory, form: reinstatement(memory, form.id, form.reason),
        (_why("Why does it hold?", needed=True),),
    ),
    "add-task": Shape(
        "Add a task", "task add --priority --owner --goal --workstream --depends --criterion --question "
        "--risk {text}", _add_task,
        (Field("text", "What is to be done", 3, needed=True),
         Field("priority", "Priority", offers=PRIORITIES),
         Field("criterion", "It is done when", 2, hint="a criterion on each line", reads=LINES),
         Field("owner", "For whom", hint="an agent or a person; empty for whoever takes it"),
         Field("depends", "What comes first", hint="ids of tasks, with commas", reads=IDS),
         Field("goal", "What it is good for"), Field("workstream", "Part of"),
         Field("question", "What is open", 2, hint="a question on each line", reads=LINES),
         Field("risk", "What may go wrong", 2, hint="a risk on each line", reads=LINES)),
    ),
    "start": Shape(
        "Start …", "task start {id} --take-over",
        lambda memory, form: partial(step, memory, "start", form.id, Request(), form),
        (Field("take_over", "Take it over, if somebody has it and that is agreed", tick=True),),
        "It is in progress then, and yours.",
    ),
    "move": Shape(
        "Move …", "task move {id} {state} --why",
        lambda memory, form: _move(memory, form, form.state),
        (Field("state", "Where it stands from now on", offers=STATES), _WHY),
    ),
    "done": Shape(
        "Finish …", "task done {id} --why", lambda memory, form: _move(memory, form, DONE), (_WHY,)
    ),
    "hand-over": Shape(
        "Hand over …", "task handoff {id} --to --done --remaining --warning --question --next=first "
        "--confidence",
        lambda memory, form: partial(
            step, memory, "handoff", form.id, Request(), form | {"next": form.first}),
        (Field("to", "To whom", hint="an agent or a role; empty for whoever takes it"),
         _points("done", "What is done", "a point on each line"),
         _points("remaining", "What is left", "a point on each line"),
         _points("first", "What comes first"), _points("warning", "What to look out for"),
         _points("question", "What is open"),
         Field("confidence", "How sure you are that what is done is right", hint="a word or a number")),
        "The next one reads it before anything else.",
    ),
}  # fmt: skip
#: What is recorded at once, by a button of a page.
AT_ONCE = {
    "confirm": Shape(
        "", "review !--confirm {id}", lambda memory, form: confirmation(memory, _ids(form)),
    ),
    "resolve": Shape("", "conflicts {id} --choose --text --state --both", _resolve),
    "shut": Shape("", "close {id}", lambda memory, form: closing(memory, _ids(form), "")),
}  # fmt: skip


def command(name: str, **values: Any) -> str:
    """Write the command of a form, for whoever only looks."""
    return (FORMS | AT_ONCE)[name].written(**values)
