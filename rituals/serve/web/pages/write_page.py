"""Show forms: not filled in yet, filled in and refused, what they record; and what is not there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

from ledger.errors import DiurnaError, NotFound, WaitsInSpool
from ledger.model.task_states import may_follow
from memory.replay.reader_marks import as_here
from projection.fold.projection_state import Standing
from projection.graph.fact_links import footer
from projection.policy.model import TASK_KIND
from projection.work.tracked_tasks import PRIORITIES
from rituals.decide.open_contradictions import Dispute
from rituals.record.draft_composer import kinds_of
from rituals.serve.web.actions.form_fields import Field, Fields, FormPlan
from rituals.serve.web.actions.form_shapes import FORMS, KINDS, STATES, Shape
from rituals.serve.web.tip_view import Asked, Page, TipView

#: What a form of no shape here lets people type.
_TYPED = ("text", "reason")
_ROWS = 4
#: The form whose sides are shown as they stand, and its fields that go by what was shown.
RESOLVE, SIDE, CHOOSE = "resolve", "side", "choose"
#: The status of a form whose token is not taken.
FORBIDDEN = 403
_OF_FACT = "…"


#: A form as it stands on a page: its `name`, `title`, what is `said` of it; the `fields`, each with its
#: value, whether somebody typed that a moment ago, and what can be chosen; (name, value) of what it
#: sends beside them (`hidden`); where it goes on (`next`); and whether what it would record is
#: `seen_first`.
Form = dict[str, Any]


def write(tip: TipView, asked: Asked) -> Page:
    """Return the page of a form that nobody has filled in yet.

    Raises:
        NotFound: there is no such form, or no such fact.
    """
    pairs = tuple([(name, asked[name]) for name in ("id", "kind", "entity") if name in asked])
    return filled(tip, asked["form"], Fields(pairs), asked.get("next", ""), typed=False)


def filled(tip: TipView, name: str, fields: Fields, go_on: str, *, typed: bool = True) -> Page:
    """Return the page of a form as it was filled in.

    Raises:
        NotFound: there is no such form, or no such fact.
    """
    shape = _shape(name)
    standing = _standing(tip, shape, fields)
    go_on = go_on or (f"/fact/{standing.fact.id}" if standing else "/")
    form = _form(tip, name, shape, standing, fields, typed=typed) | {"next": go_on}
    return Page("write", form["title"], {"form": form, "standing": standing})


def previewed(name: str, seen: FormPlan, fields: Fields, go_on: str) -> Page:
    """Return the page of what a form would record."""
    values = {"name": name, "seen": seen, "pairs": fields.pairs, "next": go_on}
    return Page("preview", "This would be recorded", values)


def refused(
    tip: TipView, problem: DiurnaError, name: str, fields: Fields, go_on: str, status: int
) -> Page:
    """Return the page of a form that was refused: what was typed stands there, to be sent again."""
    waits = isinstance(problem, WaitsInSpool)
    said = problem.message if problem.where in problem.message else str(problem)
    form, standing = None, None
    disputes = tip.of_fact(dict(fields.pairs).get("id", "")) if name == RESOLVE else []
    if not waits:
        form = _of_no_shape(name, fields, disputes)
        if name in FORMS:
            # the form may be larger than one of ours can be, or its fact be none
            with contextlib.suppress(DiurnaError):
                standing = _standing(tip, FORMS[name], fields)
                form = _form(tip, name, FORMS[name], standing, fields, typed=True)
    if form is not None and not (form["seen_first"] or form["fields"] or status == FORBIDDEN):
        form = None  # nothing was typed: the page as it stands now has the button
    values = {
        "said": said, "hint": problem.hint, "back": go_on, "waits": waits,
        "form": form and form | {"next": go_on},
        "standing": standing, "disputes": disputes,
    }  # fmt: skip
    return Page("refused", "Not committed yet" if waits else "Nothing was recorded", values, status)


def _shape(name: str) -> Shape:
    shape = FORMS.get(name)
    if shape is None:
        raise NotFound("there is no such form", hint="the pages stand in the menu above")
    return shape


def _standing(tip: TipView, shape: Shape, fields: Fields) -> Standing | None:
    """Return the fact that a form is about, as HEAD has it; None where it is about none."""
    if _OF_FACT not in shape.title:
        return None
    id = fields.fact()
    there = tip.standings.get(id)
    if there is None:
        raise NotFound(f"there is no fact {id}", hint=tip.memory.near_hint(id))
    return next(iter(as_here(tip.memory.snapshot, [there])))


def _form(
    tip: TipView, name: str, shape: Shape, standing: Standing | None, fields: Fields, *, typed: bool
) -> Form:  # fmt: skip
    names = {one.name for one in shape.fields}
    hidden = [pair for pair in fields.pairs if pair[0] not in names and pair[0] != "seen"]
    title = shape.title
    if standing is not None:
        title = title.replace(_OF_FACT, standing.fact.id)
        if shape.by_text:
            hidden += [
                ("seen", head.id) for head in tip.memory.standing(standing.fact.id).fact.heads
            ]
    shown = [_shown(tip, name, one, standing, fields, typed=typed) for one in shape.fields]
    return {
        "name": name, "title": title, "said": shape.said, "fields": shown, "hidden": hidden,
        "seen_first": True,
    }  # fmt: skip


def _shown(
    tip: TipView, name: str, field: Field, standing: Standing | None, fields: Fields, *, typed: bool
) -> dict[str, Any]:  # fmt: skip
    choices, value = _choices(tip, field, standing), fields.one(field.name)
    fact = standing.fact if standing is not None and not standing.fact.redacted else None
    if not (typed or value):
        value = _first(choices, field)
        if fact is not None:
            said = {key: footer(fact, key) for key in ("entity", "until", "tags")}
            said |= {"kind": fact.kind, "text": fact.text if name == "reword" else ""}
            value = said.get(field.name, "")
    return {"field": field, "value": value, "typed": typed, "choices": choices}


def _first(choices: Iterable[str], field: Field) -> str:
    return "fact" if field.offers == KINDS and "fact" in choices else ""


def _choices(tip: TipView, field: Field, standing: Standing | None) -> tuple[str, ...]:
    if field.offers == KINDS:
        return kinds_of(tip.memory)
    if field.offers == STATES:
        state = standing.fact.state if standing and standing.fact.kind == TASK_KIND else ""
        return may_follow(tuple(state.split(" or "))) if state else ()
    return PRIORITIES[::-1] if field.offers else ()


def _of_no_shape(name: str, fields: Fields, disputes: Sequence[Dispute]) -> Form | None:
    """Return a form that is not seen first with what was typed into it; None where that is nothing.

    One that resolves a contradiction shows its sides as they stand now, and is sent as one that did.
    """
    typed = [
        {"field": Field(key, "Your words", _ROWS), "value": value, "typed": True, "choices": ()}
        for key, value in fields.pairs
        if key in _TYPED and value.strip()
    ]
    hidden = [(key, value) for key, value in fields.pairs if not (key in _TYPED and value.strip())]
    if disputes and name == RESOLVE:
        now = dict.fromkeys([choice.id for one in disputes for choice in one.choices])
        hidden = [pair for pair in hidden if pair[0] not in (SIDE, CHOOSE)]
        hidden += [(SIDE, id) for id in now]
    if not (typed or hidden):
        return None
    return {
        "name": name, "title": "What you sent", "said": "", "fields": typed, "hidden": hidden,
        "seen_first": False,
    }  # fmt: skip


def already(recorded: FormPlan, back: str) -> Page:
    """Return the page of a form that had nothing to record, as one that is sent twice.

    `back` is the address of the page that had the form.
    """
    said = f"Nothing was left to record: {recorded.already}."
    return Page("said", "Nothing left to record", {"said": said, "hint": "", "back": back})


def missing(problem: DiurnaError) -> Page:
    """Return the page of what is not there, with what was meant perhaps."""
    values = {"said": problem.message, "hint": problem.hint, "back": ""}
    return Page("said", "Not here", values, 404)
