"""Show forms: not filled in yet, filled in and refused, what they record; and what is not there."""

from __future__ import annotations

import contextlib
from typing import Any

from ledger.errors import DiurnaError, NotFound, WaitsInSpool
from ledger.model.verbs import may_follow
from memory import as_here
from projection.fold.fact_links import footer
from projection.fold.live_view import Standing
from projection.policy.model import TASK_KIND
from projection.work.tracked_tasks import PRIORITIES
from rituals.record.draft_composer import kinds_of
from rituals.serve.web.actions.form_answers import NoSuchForm, recorded_by
from rituals.serve.web.actions.form_fields import OWN_WORDS, Field, Fields, FormPlan
from rituals.serve.web.actions.form_table import FORMS, KINDS, STATES
from rituals.serve.web.tip_view import Asked, Page, TipView

#: A form as it stands on a page: its `name`, `title`, what is `said` of it, the fact that it is about
#: (`standing`); the `fields`, each with its value and what can be chosen; whether somebody `typed` that a
#: moment ago; (name, value) of what it sends beside them (`hidden`); and where it goes on (`next`).
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
    if name not in FORMS:
        raise NoSuchForm
    form = _form(tip, name, fields, typed=typed)
    own = f"/fact/{form['standing'].fact.id}" if form["standing"] else "/"
    return _said(form["title"], form["said"], form=form | {"next": go_on or own})


def previewed(tip: TipView, name: str, fields: Fields, go_on: str) -> Page:
    """Return the page of what a form would record; see `recorded_by`."""
    seen = recorded_by(tip, name, fields, dry_run=True)
    values = {"name": name, "seen": seen, "pairs": fields.pairs, "next": go_on}
    return Page("preview", "This would be recorded", values)


def refused(
    tip: TipView, problem: DiurnaError, name: str, fields: Fields, go_on: str, status: int
) -> Page:
    """Return the page of a form that was refused: what was typed stands there, to be sent again."""
    form: Form | None = None
    disputes = tip.of_fact(dict(fields.pairs).get("id", "")) if name == "resolve" else []
    waits = isinstance(problem, WaitsInSpool)
    with contextlib.suppress(DiurnaError):  # the form may be larger than one of ours can be
        if name in FORMS:
            form = _form(tip, name, fields, typed=True)
        elif not waits:
            sides = [("side", one.id) for own in disputes for one in own.choices]
            form = _sent(name, fields, list(dict.fromkeys(sides)))
            if not (form["fields"] or status == 403):
                form = None  # nothing was typed: the page as it stands now has the button
    said = problem.message if problem.where in problem.message else str(problem)
    title = "Not committed yet" if waits else "Nothing was recorded"
    form = form | {"next": go_on} if form and not waits else None
    more = {"form": form, "disputes": disputes, "alert": True, "kept": not waits}
    return _said(title, said, problem.hint, go_on, status, **more)


def _form(tip: TipView, name: str, fields: Fields, *, typed: bool) -> Form:
    """Return a form that is seen before it is written; about a fact as HEAD has it."""
    shape, standing = FORMS[name], None
    names = {one.name for one in shape.fields} | {"seen"}
    hidden = [pair for pair in fields.pairs if pair[0] not in names]
    if OWN_WORDS in shape.title:
        id = fields.fact()
        there = tip.standings.get(id)
        if there is None:
            raise NotFound(f"there is no fact {id}", hint=tip.memory.near_hint(id))
        standing = next(iter(as_here(tip.memory.snapshot, [there])))
        seen = tip.memory.standing(id).fact.heads if shape.by_text else ()
        hidden += [("seen", head.id) for head in seen]
    shown = []
    for field in shape.fields:
        choices, value = _choices(tip, field, standing), fields.one(field.name)
        if not (typed or value):
            value = _before(name, field, standing)
        shown.append({"field": field, "value": value, "choices": choices})
    title = shape.title.replace(OWN_WORDS, standing.fact.id if standing else "")
    return {
        "name": name, "title": title, "said": shape.said, "standing": standing, "fields": shown,
        "typed": typed, "hidden": hidden, "seen_first": True,
    }  # fmt: skip


def _before(name: str, field: Field, standing: Standing | None) -> str:
    """Return what stands in a field before anybody types: what the fact has there."""
    if standing is None or standing.fact.redacted:
        return "fact" if field.offers == KINDS else ""
    if field.name == "text":
        return standing.fact.text if name == "reword" else ""
    known = "entity", "until", "tags"
    kind = standing.fact.kind if field.name == "kind" else ""
    return footer(standing.fact, field.name) if field.name in known else kind


def _choices(tip: TipView, field: Field, standing: Standing | None) -> tuple[str, ...]:
    if field.offers == KINDS:
        return kinds_of(tip.memory)
    if field.offers == STATES:
        state = standing.fact.state if standing and standing.fact.kind == TASK_KIND else ""
        return may_follow(tuple(state.split(" or "))) if state else ()
    return PRIORITIES[::-1] if field.offers else ()


def _sent(name: str, fields: Fields, sides: list[tuple[str, str]]) -> Form:
    """Return a form that is not seen first with what was typed into it.

    One that resolves a contradiction shows its sides as they stand now, and is sent as one that did.
    """
    own = [pair for pair in fields.pairs if pair[0] in ("text", "reason") and pair[1].strip()]
    typed = [
        {"field": Field(key, "Your words", 4), "value": value, "choices": ()} for key, value in own
    ]
    gone = ("side", "choose") if sides else ()
    return {
        "name": name, "title": "What you sent", "said": "", "standing": None, "typed": True,
        "fields": typed,
        "hidden": [pair for pair in fields.pairs if pair not in own and pair[0] not in gone] + sides,
        "seen_first": False,
    }  # fmt: skip


def already(recorded: FormPlan, back: str) -> Page:
    """Return the page of a form that had nothing to record; `back` has the form."""
    said = f"Nothing was left to record: {recorded.already}."
    return _said("Nothing left to record", said, back=back)


def missing(problem: DiurnaError) -> Page:
    """Return the page of what is not there, with what was meant perhaps."""
    return _said("Not here", problem.message, problem.hint, status=404)


def _said(
    title: str, said: str, hint: str = "", back: str = "", status: int = 200, **more: Any
) -> Page:
    usual = {"alert": False, "form": None, "disputes": ()}
    return Page("said", title, {"said": said, "hint": hint, "back": back, **usual, **more}, status)
