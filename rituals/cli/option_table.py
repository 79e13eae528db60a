"""List options as plain rows: the command line and its quick path, which loads no library, read the same.

What the quick path can not read for sure is left to the command line, which also says what is wrong.
"""

from __future__ import annotations

from ledger.model.record import Record
from ledger.model.task_states import STATES
from memory.recall.recall_values import LEVELS, WITHIN
from projection.fold.projection_state import TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class Option(Record):
    """One option of a command."""

    name: str  #: as it is typed: `--kind`
    to: str  #: what its value is called where it goes
    help: str  #: one line
    metavar: str = ""  #: what stands for its value in the help; "" for one that takes none
    #: its value where it is not given; without a value False, `many` times none
    default: str | int | None = ""
    choices: tuple[str, ...] = ()  #: the values that there are, () for any
    most: int = 0  #: it is a number from 1 to this, 0 for a text
    many: bool = False  #: it may be given several times

    @property
    def absent(self) -> Any:
        """Its value where it is not given."""
        return () if self.many else self.default if self.metavar else False


def _many(name: str, to: str, metavar: str, help: str) -> Option:
    return Option(name, to, f"{help} Repeatable.", metavar, many=True)


SINCE = Option("--since", "since", "From this time or stem on.", "WHEN")
UNTIL = Option("--until", "until", "Up to this time (a day is all of it) or stem.", "WHEN")
AS_OF = Option("--as-of", "as_of", "As of a time, a stem or a commit.", "POINT")
RECALL = (
    Option("--ids", "ids", "These memories instead of a question.", "ID,…"),
    Option("--level", "level", "index: a line each. timeline: what is around it. full: all of it.",
           "LEVEL", None, LEVELS),
    Option("-n", "limit", "At most so many hits (10).", "N", 10, most=1000),
    Option("--in", "within", "Facts or logs alone; the repository's documents; homes of others.",
           f"[{'|'.join(WITHIN)}]", None, WITHIN),
    _many("--kind", "kinds", "KIND", "Facts of this kind, or `session`."),
    Option("--tier", "tiers", f"Facts of this tier: {', '.join(TIERS)}. Repeatable.",
           "TIER", choices=TIERS, many=True),
    _many("--tag", "tags", "TAG", "Facts with this tag."),
    _many("--entity", "entities", "NAME", "Facts about this entity."),
    _many("--agent", "agents", "NAME", "From logs of this agent."),
    _many("--role", "roles", "ROLE", "For this role, or from its logs."),
    _many("--branch", "branches", "NAME", "From logs written on this branch of the code."),
    SINCE, UNTIL, AS_OF,
    Option("--superseded", "superseded", "Superseded and invalidated facts too."),
    Option("--yours", "yours", "Your own home's too (`diurna init --personal`)."),
    Option("--no-vectors", "no_vectors", "By words alone, also with the extra `vectors`."),
    Option("--explain", "explain", "Say what each score is made of."),
)  # fmt: skip
#: Of `diurna task list`.
TASKS = (
    Option("--state", "state", "list: in this state alone.", "STATE", None, STATES),
    Option("--mine", "mine", "list: those that you have, or that are meant for you."),
    Option("--workstream", "workstream", "list, add: a part of the work.", "NAME"),
    Option("--all", "everything", "list: closed ones, too."),
)  # fmt: skip


def values_of(table: Sequence[Option], said: Iterable[tuple[str, str]]) -> dict[str, Any] | None:
    """Return the value of every option of a table; None where one is not as it should be.

    `said` has (option, value) as they were typed.
    """
    by_name = {option.name: option for option in table}
    found = {option.to: option.absent for option in table}
    for name, text in said:
        option = by_name[name]
        if option.choices and text not in option.choices:
            return None
        if option.most and not (
            text.isascii() and text.isdigit() and len(text) < 10 and 0 < int(text) <= option.most
        ):
            return None
        if option.many:
            found[option.to] = (*found[option.to], text)
        else:
            found[option.to] = int(text) if option.most else text or True
    return found
