"""List what forms can record: the name in the address, and what appends the log."""

from __future__ import annotations

from rituals.serve.web.actions import answers, decisions, threads
from rituals.serve.web.actions.action import Action

ACTIONS: dict[str, Action] = {
    action.name: action
    for action in (
        Action("confirm", decisions.confirm),
        Action("resolve", decisions.resolve),
        Action("close", threads.close),
        Action("reopen", threads.reopen),
        Action("archive", decisions.archive),
        Action("return", decisions.take_out),
        Action("reinstate", decisions.reinstate),
        Action("answer", answers.answer),
        Action("learn", answers.learn),
        Action("undo", decisions.undo),
    )
}
