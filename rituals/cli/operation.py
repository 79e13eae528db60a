"""Declare what a command takes at the function that does it: a row is the default of a keyword.

`def close(call, *, ids=word("ID..."), reason=option("What came of it.", "TEXT"))`: the keyword is the
name, its docstring the help. `rituals.cli.app` makes of that what click parses; `plain` reads the usual
lines by the same rows without a library, and leaves to click what it can not read for sure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The mode of a command where no option chooses another: `diurna show` beside `show --list`.
PLAIN = "plain"


class Parameter(Record):
    """A word or an option of a command line."""

    help: str = ""  #: one line; `{choices}` and `{least}` stand for those below
    #: what stands for its value; a word that may be left out stands in `[]`, and `...` is for several
    metavar: str = ""
    default: Any = ""  #: its value where it is not given; of what may be given several times none
    choices: Collection[str] = ()  #: the values that there are; empty for any
    least: int = 1  #: of a number
    most: int = 0  #: it is a number up to this, -1 for any above the least; 0 for a text
    many: bool = False  #: it may be given several times
    size: int = 1  #: how many values it takes
    sets: str = ""  #: its value where it is given without one
    goes: str = ""  #: the modes of its command that it goes with, `PLAIN` for none; "" for all
    spelled: str = ""  #: as it is typed, all ways, where that is not its name: `-n`, `--on/--off`
    required: bool = False  #: it has to be given
    shows: bool = False  #: its help says the default
    word: bool = False  #: it stands by its place
    offers: Collection[str] = ()  #: what a shell offers beside what the metavar says
    keeps: bool = False  #: it is of the invocation, and not of the command
    key: str = ""  #: what its value is called

    @property
    def is_flag(self) -> bool:
        """Whether it takes no value."""
        return not (self.metavar or self.choices or self.most or self.word)

    @property
    def absent(self) -> Any:
        """Its value where it is not given."""
        if self.is_flag and not self.sets:
            return None if "/" in self.spelled else False
        return () if self.many else self.default


def option(help: str = "", metavar: str = "", **more: Any) -> Any:
    """Declare an option; without a help it is hidden."""
    return Parameter(help, metavar, **more)


def word(metavar: str, **more: Any) -> Any:
    """Declare a word, or with `...` as many as there are."""
    required = metavar[0] != "[" and "default" not in more
    many = metavar.endswith("...")
    return Parameter("", metavar, word=True, many=many, required=required, **more)


def modes(**helps: str) -> Any:
    """Declare options of which one chooses what a command does; "" where none is given."""
    return helps


DRY_RUN = option("Change nothing; say what would be done.")
TITLE = option("The log's title.", "TEXT")
DECIDER = option("Who decides; else $DIURNA_AGENT, else git's user name.", "NAME")
REASON = option("Why; it is recorded.", "TEXT")
SINCE = option("From this time or stem on.", "WHEN")
UNTIL = option("Up to this time (a day is all of it) or stem.", "WHEN")
#: What the invocation is told, and by which commands; none for all.
_OF_THE_CALL = {
    "json": (option("Answer with one JSON object."), ""),
    "home": (option("The home, or a folder in it; else $DIURNA_HOME, else the working directory.", "PATH"),
             ""),
    "no_pager": (option("Show long output as it is, without $DIURNA_PAGER, $PAGER or less."), ""),
    "everywhere": (option("As all branches have it, whatever the one that is checked out holds."),
                   "brief recall show why"),
    "personal": (option("It is only yours: record it in your own home, not here."), "note append"),
}  # fmt: skip


def _typed(key: str) -> str:
    return "--" + key.rstrip("_").replace("_", "-")


#: The options whose value the invocation keeps.
OF_THE_CALL = tuple(
    [
        row._replace(key=key, spelled=_typed(key), keeps=True)
        for key, (row, _) in _OF_THE_CALL.items()
    ]
)


def parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return what the command of a function takes, in the order of its help."""
    rows: list[Parameter] = []
    for key, row in (function.__kwdefaults__ or {}).items():
        if isinstance(row, Parameter):
            rows.append(row._replace(key=key, spelled=row.spelled or _typed(key)))
            continue
        rows += [
            Parameter(said, sets=name, key=key, spelled=_typed(name)) for name, said in row.items()
        ]
    for row in OF_THE_CALL:
        commands = _OF_THE_CALL[row.key][1]
        rows += [row] if not commands or function.__name__ in commands.split() else []
    return tuple(rows)


def astray(name: str, rows: Iterable[Parameter], values: dict[str, Any]) -> str:
    """Say which option that was given does not go with the mode or action that was chosen; "" for none."""
    action = values.get("action", "")
    mode = values.get("mode") or action or PLAIN
    for row in rows:
        if row.key == "action" and action not in row.offers:
            return ""  # the command says that there is none
        if not row.goes or mode in row.goes.split() or values[row.key] == row.absent:
            continue
        if action:
            return f"`diurna {name} {action}` takes no {row.spelled.split()[0]}"
        chosen = [f"--{one}" for one in row.goes.split() if one != PLAIN]
        goes = f"goes with {' or '.join(chosen)}" if chosen else f"does not go with --{mode}"
        return f"{row.spelled.split()[0]} {goes}"
    return ""


def plain(
    name: str, rows: tuple[Parameter, ...], arguments: Iterable[str]
) -> tuple[dict[str, Any], set[str]] | None:
    """Return what a plain command line gives a command of these rows, and what it says of the invocation.

    None for anything that has to be looked at properly: click reads it then, and says what is wrong.
    """
    options = {one: row for row in rows if not row.word for one in row.spelled.split()}
    values = {row.key: row.absent for row in rows if not row.keeps}
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
        if row is None or row.key in ("home", "no_pager"):
            return None
        if equals and (row.is_flag or typed[:2] != "--"):
            return None
        if row.is_flag:
            if row.sets and values[row.key] not in ("", row.sets):
                return None
            kept |= {row.key} if row.keeps else set()
            values |= {} if row.keeps else {row.key: row.sets or True}
            continue
        value = value if equals else next(rest, "")
        if not (value and value[0] != "-" and _fits(row, value)):
            return None
        given = int(value) if row.most else value
        values[row.key] = (*values[row.key], given) if row.many else given
    for place in [row for row in rows if row.word]:
        if place.choices or (place.required and not words):
            return None
        values[place.key] = tuple(words) if place.many else words.pop(0) if words else place.default
        words = [] if place.many else words
    return None if words or astray(name, rows, values) else (values, kept)


def _fits(row: Parameter, value: str) -> bool:
    if row.most:
        number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else -1
        return row.least <= number and (row.most < 0 or number <= row.most)
    return row.size == 1 and (not row.choices or value in row.choices)
