"""Know what a memory has of what comes in, by its key or its words; ask what of it can not be known.

The threads of an intake ask what changed on both sides, and what is denied here.
"""

from __future__ import annotations

from ledger.model.event import FactCreated, ThreadReopened
from ledger.model.ids import version_id
from memory.redaction.withheld_lines import Telling
from memory.write.birth_footers import footer_value
from projection.brief.wording import shortened
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.policy.model import THREAD_KIND
from projection.text.normalize import plain

#: Footers of what was taken in: what its source calls it, and the text that it last had there.
KEY, IMPORTED = "key", "imported"
_KEY_CHARS, _QUOTED_CHARS = 200, 300


def key_in(source: str, key: str) -> str:
    """Return how the footer of a fact says what a source calls it."""
    value = footer_value(f"{source} {key}")
    if len(value) > _KEY_CHARS:
        value = f"{value[:_KEY_CHARS]}… {version_id(value)}"
    return value


class Known:
    """What a memory holds; `telling` knows what is withheld of it, None for nothing."""

    def __init__(self, state: State, telling: Telling | None) -> None:
        self._state, self._telling = state, telling
        self.facts: dict[str, Fact] = {}  #: those that hold, by id
        self._by_key: dict[str, list[Fact]] = {}
        self._by_text: dict[str, Fact] = {}
        for id in state.histories:
            fact = state.fact(id)
            if fact is None:
                continue
            if fact.redacted:
                continue
            for name, value in fact.meta:
                if name == KEY:
                    self._by_key.setdefault(value, []).append(fact)
            if not fact.false:
                self.facts[id] = fact
            for head in fact.heads:
                said = plain(head.text)
                if not fact.false or said not in self._by_text:
                    self._by_text[said] = fact

    def taken(self, id: str, text: str = "") -> bool:
        """Tell whether some log names an id."""
        return id in self._state.histories

    def of_key(self, key: str) -> Fact | None:
        """Return the fact that came from a source under a key: one that holds, where several did."""
        found = self._by_key.get(key, [])
        return min(found, key=lambda fact: (fact.false, fact.id), default=None)

    def saying(self, text: str) -> Fact | None:
        """Return the fact that has a text but for case, marks and white space; rather one that holds."""
        return self._by_text.get(plain(text))

    def reword(self, fact: Fact, text: str) -> None:
        """Let a fact say something else from now on."""
        for said in [said for said, one in self._by_text.items() if one.id == fact.id]:
            del self._by_text[said]
        self._by_text.setdefault(plain(text), fact)

    def withholds(self, text: str) -> bool:
        """Tell whether a text says again what was redacted."""
        return self._telling is not None and self._telling.repeats(text)

    def reopened(self, id: str) -> bool:
        """Tell whether somebody opened a thread again."""
        return any(isinstance(act.event, ThreadReopened) for act in self._state.histories[id].acts)


def asking(id: str, version: str) -> str:
    """Return the id of the thread that asks about a fact that both sides changed.

    `version` is that of the text that the source has.
    """
    return f"changed-twice-{version_id(f'{id} {version}')}"


def changed_twice(source: str, id: str, text: str) -> FactCreated:
    """Ask what holds of a fact that was changed here and in its source, which now has `text`."""
    said = shortened(footer_value(text), _QUOTED_CHARS)
    asked = (
        f"`{id}` was changed here and in {source} since it was taken in. What does hold? "
        f'{source} has now: "{said}"'
    )
    return _thread(asking(id, version_id(text)), asked, ("about", id))


def denied(id: str, document: str) -> FactCreated:
    """Ask what holds of an accepted decision that memory calls false.

    `id` is of the fact that says the same, and is false; `document` has the decision.
    """
    path = footer_value(document)
    asked = f"`{id}` is false here, and {path} has it as an accepted decision. What does hold?"
    return _thread(f"denied-{version_id(f'{id} {path}')}", asked, ("about", id))


def _thread(id: str, text: str, *footers: tuple[str, str]) -> FactCreated:
    return FactCreated(id, text, " ", (("kind", THREAD_KIND), *footers))
