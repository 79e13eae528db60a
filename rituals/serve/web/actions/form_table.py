"""List what forms can record: the name in the address, and what appends the log."""

from __future__ import annotations

from rituals.serve.web.actions import answer_forms, decision_forms, thread_forms
from rituals.serve.web.actions.action import Action

ACTIONS: dict[str, Action] = {
    action.name: action
    for action in (
        Action("confirm", decision_forms.confirm),
        Action("resolve", decision_forms.resolve),
        Action("close", thread_forms.close),
        Action("reopen", thread_forms.reopen),
        Action("archive", decision_forms.archive),
        Action("return", decision_forms.take_out),
        Action("reinstate", decision_forms.reinstate),
        Action("answer", answer_forms.answer),
        Action("learn", answer_forms.learn),
        Action("undo", decision_forms.undo),
    )
}
