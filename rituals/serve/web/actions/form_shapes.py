"""List the forms that are seen before they are written: what each asks for, and what plans its log."""

from __future__ import annotations

from ledger.model.record import Record
from rituals.decide.confirmation import archiving, reinstatement, returning
from rituals.serve.web.actions import fact_plans, task_plans, twin_commands
from rituals.serve.web.actions.form_plan import Planning

#: What a choice offers; the page knows which there are.
KINDS, STATES, PRIORITIES = "kinds", "states", "priorities"


class Field(Record):
    """What a form asks for."""

    name: str
    label: str
    rows: int = 0  #: of a text of several lines; 0 for one line
    needed: bool = False  #: whether it can not be left empty
    hint: str = ""  #: what stands below its label
    offers: str = ""  #: `KINDS`, `STATES` or `PRIORITIES`, where one of some values is chosen
    tick: bool = False  #: it is ticked or not


class Shape(Record):
    """A form."""

    title: str  #: what it does, as its page is called; "…" stands for the fact
    plan: Planning
    fields: tuple[Field, ...] = ()
    said: str = ""  #: what it does, in a sentence
    #: whether it goes by the text that its page showed: another one that came meanwhile is a refusal
    by_text: bool = False


def _why(question: str, *, needed: bool = False) -> Field:
    return Field("reason", question, needed=needed)


_KIND = Field("kind", "Kind", offers=KINDS)
_ENTITY = Field("entity", "About", hint="names, with commas: Payments API, Redis")
_BODY = Field("body", "Why, and what came of it", 3, hint="stands in the log, beside the fact")
_WHY = Field("why", "Why?")
FORMS: dict[str, Shape] = {
    "note": Shape(
        "Add a fact", fact_plans.note,
        (Field("text", "What holds", 4, needed=True), _KIND, _ENTITY, _BODY),
        "One sentence that stands alone: what, and why.",
    ),
    "reword": Shape(
        "Reword …", fact_plans.reword,
        (Field("text", "What it says from now on", 5, needed=True), _KIND,
         Field("until", "What ends it", hint="tag v5*, merged x, gone PATH, date 2027-01-31"),
         _ENTITY, Field("tags", "Tags", hint="with commas"),
         _why("Why does it change?")),
        "The same fact, in better words. What is no longer true is replaced, or called false.",
        by_text=True,
    ),
    "deny": Shape(
        "Say that … is false", fact_plans.deny,
        (_why("Why does it not hold?"),
         Field("instead", "What holds instead", hint="the id of a fact that is there; empty for nothing")),
        "Agents are not told it any more. Its text stays, marked as false.", by_text=True,
    ),
    "replace": Shape(
        "Replace …", fact_plans.replace,
        (Field("text", "What holds now", 4, needed=True), _KIND, _ENTITY, _BODY),
        "A new fact; the old one is false from then on, and leads to it.", by_text=True,
    ),
    "withhold": Shape(
        "Withhold …", fact_plans.withhold, (_why("Why? Do not repeat what is withheld.", needed=True),),
        "Its text is shown to nobody again: not here, not to agents, not in exports. Git's history "
        "keeps it until somebody purges it. No undo.", by_text=True,
    ),
    "close": Shape("Close …", fact_plans.close, (_why("What came of it?"),)),
    "reopen": Shape("Open … again", fact_plans.reopen, (_why("Why?"),)),
    "archive": Shape(
        "Put … into the archive", fact_plans.with_reason(archiving, twin_commands.archive),
        (_why("Why is it not needed?", needed=True),),
        "It holds, and agents are not told it unasked.",
    ),
    "return": Shape(
        "Take … out of the archive", fact_plans.with_reason(returning, twin_commands.take_out),
        (_why("Why is it needed again?", needed=True),),
    ),
    "reinstate": Shape(
        "Let … hold after all", fact_plans.with_reason(reinstatement, twin_commands.reinstate),
        (_why("Why does it hold?", needed=True),),
    ),
    "add-task": Shape(
        "Add a task", task_plans.add,
        (Field("text", "What is to be done", 3, needed=True),
         Field("priority", "Priority", offers=PRIORITIES),
         Field("criterion", "It is done when", 2, hint="a criterion on each line"),
         Field("owner", "For whom", hint="an agent or a person; empty for whoever takes it"),
         Field("depends", "What comes first", hint="ids of tasks, with commas"),
         Field("goal", "What it is good for"), Field("workstream", "Part of"),
         Field("question", "What is open", 2, hint="a question on each line"),
         Field("risk", "What may go wrong", 2, hint="a risk on each line")),
    ),
    "start": Shape(
        "Start …", task_plans.start,
        (Field("take_over", "Take it over, if somebody has it and that is agreed", tick=True),),
        "It is in progress then, and yours.",
    ),
    "move": Shape(
        "Move …", task_plans.move, (Field("state", "Where it stands from now on", offers=STATES), _WHY),
    ),
    "done": Shape("Finish …", task_plans.done, (_WHY,)),
    "hand-over": Shape(
        "Hand over …", task_plans.hand_over,
        (Field("to", "To whom", hint="an agent or a role; empty for whoever takes it"),
         Field("done", "What is done", 2, hint="a point on each line"),
         Field("remaining", "What is left", 2, hint="a point on each line"),
         Field("first", "What comes first", 2), Field("warning", "What to look out for", 2),
         Field("question", "What is open", 2),
         Field("confidence", "How sure you are that what is done is right", hint="a word or a number")),
        "The next one reads it before anything else.",
    ),
    "report-finding": Shape(
        "Report a finding", task_plans.report_finding,
        (Field("text", "What is wrong", 2, needed=True),
         Field("rule", "What it breaks", needed=True, hint="a rule, as the tool or you call it"),
         Field("path", "File", hint="as the repository has it"),
         Field("symbol", "Function, class or route")),
        "One fact for one bug: whoever meets the same one names the same fact.",
    ),
}  # fmt: skip
