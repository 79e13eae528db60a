"""List what forms can record, and remember what they did: the next page says that, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.errors import NotFound
from memory.api import Memory
from rituals.serve.web.actions import answer_forms
from rituals.serve.web.actions.form_fields import Action, Fields, Recorded
from rituals.serve.web.actions.form_plan import recording
from rituals.serve.web.actions.form_shapes import FORMS

#: By the name in the address that a form is posted to: what appends the log.
ACTIONS: dict[str, Action] = {
    **{name: recording(shape.plan) for name, shape in FORMS.items()},
    "confirm": answer_forms.confirm,
    "resolve": answer_forms.resolve,
    "shut": answer_forms.shut,
    "answer": answer_forms.answer,
    "learn": answer_forms.learn,
    "undo": answer_forms.undo,
}
#: So many are remembered: pages of many tabs, looked at again.
_KEPT = 50


class NoSuchForm(NotFound):
    """Nothing is recorded under a name."""

    def __init__(self) -> None:
        super().__init__("there is no such form", hint="go back to the page, and load it anew")


class Notices:
    """What this process recorded, by the stems of the logs; an address with another stem says nothing.

    Args:
        actions: what can be recorded, by name.
    """

    def __init__(self, actions: Mapping[str, Action] = ACTIONS) -> None:
        self._actions = actions
        self._kept: dict[str, Recorded] = {}

    def record(self, memory: Memory, name: str, fields: Fields) -> Recorded:
        """Do what the form of an action says.

        Raises:
            NoSuchForm: there is no such action.
            DiurnaError: it is refused; nothing changed.
        """
        action = self._actions.get(name)
        if action is None:
            raise NoSuchForm
        recorded = action(memory, fields)
        for stem in recorded.stems:
            self._kept[stem] = recorded
        while len(self._kept) > _KEPT:
            del self._kept[next(iter(self._kept))]
        return recorded

    def of(self, stem: str) -> Recorded | None:
        """Return what was recorded by a log of ours, once; None for any other, and when it was said."""
        return self._kept.pop(stem, None)
