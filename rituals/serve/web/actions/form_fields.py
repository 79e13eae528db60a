"""Read what a form sends, and define what it can record and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger.errors import NotFound, WrongUsage
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.record import Record
from memory.api import Memory

#: The most values in one form, and the characters of one of them; a longer text is none of a fact.
LIMIT_VALUES, LIMIT_CHARS = 400, 16_000
#: The most ids in one form.
LIMIT_IDS = 200
_SHOWN_CHARS = 60
#: How the value of a field is read: as it is, a value each line, ids, one value or none.
TEXT, LINES, IDS, ONE = "text", "lines", "ids", "one"


class Fields(Record):
    """What a form says."""

    pairs: tuple[tuple[str, str], ...]  #: (name, value) of each of its fields, in their order

    def many(self, name: str) -> tuple[str, ...]:
        """Return all values of a field, with the line ends of a command.

        Raises:
            WrongUsage: the form is larger than one of ours can be.
        """
        if len(self.pairs) > LIMIT_VALUES:
            raise WrongUsage(f"the form has more than {LIMIT_VALUES} fields")
        # the line ends that a text had before a browser sent it
        said = [value.replace("\r\n", "\n") for key, value in self.pairs if key == name]
        found = tuple([value.replace("\r", "\n") for value in said])
        if any(len(value) > LIMIT_CHARS for value in found):
            hint = "say it in fewer words; what belongs together can be several facts"
            raise WrongUsage(f"{name} has more than {LIMIT_CHARS} characters", hint=hint)
        return found

    def one(self, name: str) -> str:
        """Return the value of a field, "" where the form has none.

        Raises:
            WrongUsage: it has several.
        """
        found = self.many(name)
        if len(found) > 1:
            raise WrongUsage(f"the form has {len(found)} values for {name}")
        return found[0] if found else ""

    def ticked(self, name: str) -> tuple[str, ...]:
        """Return what is ticked of a list, each once.

        Raises:
            WrongUsage: nothing is, or more than one log takes.
        """
        found = tuple(dict.fromkeys(self.many(name)))
        if not found:
            raise WrongUsage(
                "nothing is ticked", hint="tick what you answer, then press the button"
            )
        if len(found) > LIMIT_IDS:
            said = f"{len(found)} are ticked, and one log takes {LIMIT_IDS}"
            raise WrongUsage(said, hint="answer some of them, then the others")
        return found

    def fact(self, name: str = "id") -> str:
        """Return the id of a fact.

        Raises:
            WrongUsage: there is none.
            NotFound: it can not be one.
        """
        found = self.facts(name)
        if len(found) != 1:
            hint = "open the fact's page"
            raise WrongUsage(f"the form names {len(found) or 'no'} facts", hint=hint)
        return found[0]

    def facts(self, name: str = "id") -> tuple[str, ...]:
        """Return the ids of facts, each once.

        Raises:
            WrongUsage: there are more than a form of ours can have.
            NotFound: one can be none.
        """
        found = tuple(dict.fromkeys(self.many(name)))
        if len(found) > LIMIT_IDS:
            raise WrongUsage(f"the form names more than {LIMIT_IDS} facts")
        for one in found:
            if not is_fact_id(one):
                hint = "ids are lower-case words joined by hyphens or dots"
                raise NotFound(f"{one[:_SHOWN_CHARS]!r} is no id of a fact", hint=hint)
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


class Recorded(Record):
    """What was recorded."""

    stems: tuple[str, ...] = ()  #: of the logs; none where there was nothing to record
    commits: tuple[str, ...] = ()  #: that have them, in the same order
    does: tuple[str, ...] = ()  #: what they do, a line each
    already: str = ""  #: why there was nothing to record, "" if there was
    title: str = ""  #: of the log
    command: str = ""  #: that does the same on the command line
    #: what was noticed: a secret that is redacted, an id that is odd
    findings: tuple[Finding, ...] = ()
    reversible: bool = True  #: whether a log can take it back
    publishes: bool = False  #: whether pages are published behind it, as behind a review
    facts: tuple[str, ...] = ()  #: the ids that were born with it


#: Appends the log that a form asks for; a refusal is a `DiurnaError`, and has changed nothing.
Action = Callable[[Memory, Fields], Recorded]
