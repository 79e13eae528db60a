"""List options as plain rows: the command line and its quick path, which loads no library, read the same.

What the quick path can not read for sure is left to the command line, which also says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.record import Record
from ledger.model.task_states import STATES
from memory.recall.recall_values import LEVELS, WITHIN
from projection.fold.projection_state import TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Option(Record):
    """One option of a command."""

    name: str  #: as it is typed, with other spellings behind it: `--kind`, `--all -v`, `--on/--off`
    help: str = ""  #: one line; `{choices}` and `{least}` stand for those of the option
    metavar: str = ""  #: what stands for its value in the help
    to: str = ""  #: what its value is called where it goes, "" for the first spelling
    default: str | int | None = ""  #: its value where it is not given; `many` times none
    #: the values that there are, () for any; or where they stand: `module:NAME`
    choices: tuple[str, ...] | str = ()
    least: int | str = 1  #: of a number; or where it stands
    most: int = 0  #: it is a number up to this, -1 for any above the least; 0 for a text
    many: bool = False  #: it may be given several times
    words: int = 1  #: how many values it takes
    sets: str = ""  #: it takes no value, and gives this one
    keeps: str = ""  #: it is of the invocation, under this name, and not of the command
    required: bool = False  #: it has to be given
    shows: bool = False  #: its help says the default
    hidden: bool = False  #: no help has it
    goes: str = (
        ""  #: the modes of its command that it goes with, `PLAIN` for none of them; "" for all
    )

    @property
    def key(self) -> str:
        """What its value is called where it goes."""
        return self.to or self.name.split()[0].partition("/")[0].lstrip("-").replace("-", "_")

    @property
    def is_flag(self) -> bool:
        """Whether it takes no value."""
        return not (self.metavar or self.choices or self.most)

    @property
    def absent(self) -> Any:
        """Its value where it is not given."""
        if self.many:
            return ()
        if self.is_flag:
            return None if self.sets or "/" in self.name else False
        some = self.most or (self.choices and "" not in self.choices)
        return None if self.required or (some and self.default == "") else self.default


class Argument(Record):
    """What stands in one place of a command line, or from one place on."""

    to: str  #: what its value is called where it goes
    metavar: str = ""  #: what the help calls it
    many: bool = False  #: there may be several, or none unless it is required
    default: Any = None  #: its value where it is not given
    required: bool = True  #: it has to be given, unless there is a default, or may be many
    choices: tuple[str, ...] | str = ()  #: the values that there are; or where they stand
    #: what a shell offers in its place beside what the metavar says; or where that stands
    offers: str = ""
    type: str = ""  #: where the type of its value stands, if it is neither a text nor a choice


#: The mode of a command where no option chooses another: `diurna show` beside `show --list`.
PLAIN = "plain"


def astray(rows: Iterable[Argument | Option], values: dict[str, Any]) -> str:
    """Say which option that was given does not go with the mode that was chosen; "" for none."""
    mode = values.get("mode") or PLAIN
    for row in rows:
        if isinstance(row, Argument) or not row.goes or mode in row.goes.split():
            continue
        if row.key in values and values[row.key] != row.absent:
            modes = [f"--{one}" for one in row.goes.split() if one != PLAIN]
            goes = f"goes with {' or '.join(modes)}" if modes else f"does not go with --{mode}"
            return f"{row.name.split()[0]} {goes}"
    return ""


SINCE = Option("--since", "From this time or stem on.", "WHEN")
UNTIL = Option("--until", "Up to this time (a day is all of it) or stem.", "WHEN")
AS_OF = Option("--as-of", "As of a time, a stem or a commit.", "POINT")
RECALL = (
    Option("--ids", "These memories instead of a question.", "ID,…"),
    Option("--level", "index: a line each. full: all of it. timeline: the sessions around a fact, a log, "
           "a time, a commit or what answers best; with a filter or --ids what is around hits.", "LEVEL",
           choices=LEVELS),
    Option("--before", "With --level timeline: how far back, 30m, 48h, 7d, 2w (48h).", "TIME"),
    Option("--after", "With --level timeline: how far on (24h).", "TIME"),
    Option("-n", "At most so many hits or sessions (10).", "N", "limit", 10, most=1000),
    Option("--in", "Facts or logs alone; the repository's documents; homes of others.",
           f"[{'|'.join(WITHIN)}]", "within", choices=WITHIN),
    Option("--kind", "Facts of this kind, or `session`. Repeatable.", "KIND", "kinds", many=True),
    Option("--tier", f"Facts of this tier: {', '.join(TIERS)}. Repeatable.", "TIER", "tiers",
           choices=TIERS, many=True),
    Option("--tag", "Facts with this tag. Repeatable.", "TAG", "tags", many=True),
    Option("--entity", "Facts about this entity. Repeatable.", "NAME", "entities", many=True),
    Option("--agent", "From logs of this agent. Repeatable.", "NAME", "agents", many=True),
    Option("--role", "For this role, or from its logs. Repeatable.", "ROLE", "roles", many=True),
    Option("--branch", "From logs written on this branch of the code. Repeatable.", "NAME", "branches",
           many=True),
    SINCE, UNTIL, AS_OF,
    Option("--superseded", "Superseded and invalidated facts too."),
    Option("--yours", "Your own home's too (`diurna init --personal`)."),
    Option("--no-vectors", "By words alone, also where a model is here (`diurna install --model`)."),
    Option("--explain", "Say what each score is made of."),
    Option("--org", "Ask all ledgers of the organisation that you may read (`diurna org`)."),
    Option("--team", "With --org: those of this team alone.", "NAME"),
    Option("--repo", "With --org: this one alone, by name or address.", "NAME"),
)  # fmt: skip
#: Of `diurna task list`.
TASKS = (
    Option("--state", "list: in this state alone.", "STATE", choices=STATES),
    Option("--mine", "list: those that you have, or that are meant for you."),
    Option("--workstream", "list, add: a part of the work.", "NAME"),
    Option("--all", "list: closed ones, too.", to="everything"),
)


def taken(
    rows: tuple[Argument | Option, ...], arguments: Iterable[str]
) -> tuple[dict[str, Any], set[str]] | None:
    """Return what a plain command line gives a command of these rows, and what it says of the invocation.

    None for anything that has to be looked at properly: click reads it then, and says what is wrong.
    """
    rows = (*rows, Option("--json", keeps="json"))
    options = {one: row for row in rows if isinstance(row, Option) for one in row.name.split()}
    values = {row.key: row.absent for row in options.values() if not row.keeps}
    words: list[str] = []
    kept: set[str] = set()
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            words += rest
            break
        if argument[:1] != "-":
            words.append(argument)
            continue
        typed, equals, value = argument.partition("=")
        row = options.get(typed)
        if row is None or (equals and (row.is_flag or typed[:2] != "--")):
            return None
        if row.is_flag:
            if row.sets and values[row.key] not in (None, row.sets):
                return None
            kept |= {row.keeps} - {""}
            values |= {} if row.keeps else {row.key: row.sets or True}
            continue
        value = value if equals else next(rest, "")
        if not (value and value[0] != "-" and _fits(row, value)):
            return None
        given = int(value) if row.most else value
        values[row.key] = (*values[row.key], given) if row.many else given
    for place in rows:
        if isinstance(place, Argument):
            if (
                place.choices
                or place.type
                or not (words or place.many or place.default is not None)
            ):
                return None
            values[place.to] = (
                tuple(words) if place.many else words.pop(0) if words else place.default
            )
            words = [] if place.many else words
    return None if words or astray(rows, values) else (values, kept)


def _fits(row: Option, value: str) -> bool:
    if row.words != 1 or isinstance(row.choices, str) or isinstance(row.least, str):
        return False
    if row.most:
        number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else -1
        return row.least <= number and (row.most < 0 or number <= row.most)
    return not row.choices or value in row.choices
