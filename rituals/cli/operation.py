"""List the commands, and declare what one takes at the function that does it, a row a keyword's default.

`def close(call, *, ids=word("ID..."), reason=option("What came of it.", "TEXT"))`: the keyword is the
name, its docstring the help. `rituals.cli.app` makes of that what click parses; `plain` reads the usual
lines by the same rows without a library, and leaves to click what it can not read for sure.
"""

from __future__ import annotations

from ledger.model.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any

#: The headings of the help, in their order. The last is of `--help --all` alone.
EVERY_DAY, LOOK, SHARE, SET_UP, PROGRAMS = GROUPS = (
    "Every day", "Look back, look after", "Share and move in", "Set up", "For programs",
)  # fmt: skip


class Entry(Record):
    """One command."""

    #: what the user types; the function that does it has this name, and `_` behind a word of Python
    name: str
    does: str  #: one line for the list of commands
    group: str  #: the heading that it stands under
    room: str = ""  #: the module below `rituals.cli.commands` that holds it, "" for one of its name

    @property
    def function(self) -> str:
        """The function that does it."""
        return f"{self.name}{'_' * (self.name == 'import')}"

    @property
    def module(self) -> str:
        """The module that holds the function."""
        return f"rituals.cli.commands.{self.room or self.function}"

    @property
    def hidden(self) -> bool:
        """Whether `--help` leaves it to `--help --all`."""
        return self.group == PROGRAMS


#: What all of them do.
DOES = "Keep the memory of AI coding agents and their teams in git."
_EPILOG = """\
  Options: --home PATH, --no-pager, --version.  Begin: diurna init
  One command:  diurna COMMAND --help    its options, and examples
  All of them:  diurna --help --all      what programs call, exit codes"""
_PROGRAMS_EPILOG = """\
  Shell completion: eval "$(diurna completion bash)" in the shell's start file, also zsh, fish.
  Exit codes: 0 done, 1 failure, 2 wrong usage, 3 a bug in Diurna, 130 interrupted."""
#: In the order of the help.
ENTRIES = (
    Entry("brief", "What an agent reads at the start of a session.", EVERY_DAY, "show"),
    Entry("recall", "Find what answers a question.", EVERY_DAY),
    Entry("note", "Record facts, a text each.", EVERY_DAY, "append"),
    Entry("append", "Record a whole session.", EVERY_DAY),
    Entry("edit", "Give a fact a new text.", EVERY_DAY, "decisions"),
    Entry("close", "Close a thread.", EVERY_DAY, "decisions"),
    Entry("forget", "Let a fact go: it is false, replaced, withheld, or out of sight.",
          EVERY_DAY, "redact"),
    Entry("show", "Show what memory holds, or single facts.", EVERY_DAY),
    Entry("why", "Show where a fact comes from, and its versions.", EVERY_DAY),
    Entry("task", "Say what is to be done, who does it, and what comes next.", EVERY_DAY),
    Entry("undo", "Take back what the last log did.", EVERY_DAY, "decisions"),
    Entry("status", "Show where memory stands and what is due.", EVERY_DAY),
    Entry("log", "List session logs, newest first, or tell one in short.", LOOK),
    Entry("view", "Show one side of memory as a page: state, decisions, a day.", LOOK, "show"),
    Entry("web", "Show memory as pages in a browser.", LOOK),
    Entry("review", "Go through what aged, what is due, what became false.", LOOK),
    Entry("conflicts", "List contradictions, and resolve them.", LOOK),
    Entry("redact", "Withhold a text from all that is shown.", LOOK),
    Entry("check", "Check the ledger, the clone and the machine; mend what is safe.", LOOK),
    Entry("sync", "Share memory through a git remote: fetch, join, push.", SHARE),
    Entry("import", "Bring in decision records, another tool's memory, a home's events.", SHARE),
    Entry("export", "Write memory as notes, a site, or lines of JSON.", SHARE, "web"),
    Entry("init", "Make a home for memory.", SET_UP),
    Entry("install", "Let agents' programs read this memory by themselves.", SET_UP),
    Entry("mcp", "Serve this memory to agents, by the Model Context Protocol.", PROGRAMS, "programs",
          ),
    Entry("org", "Read an organisation's ledgers, and let its people ask them all.", PROGRAMS),
    Entry("capture", "Record what agents' sessions left, as their hooks do.", PROGRAMS),
    Entry("private", "Let a session be silent: nothing of it is kept.", PROGRAMS, "programs"),
    Entry("hook", "What `diurna install` lets agents' programs run.", PROGRAMS, "programs"),
    Entry("completion", "Print the script by which a shell completes commands and ids.",
          PROGRAMS, "programs"),
)  # fmt: skip
#: Those whose answer can be long: on a terminal a pager shows it.
PAGED = frozenset("brief recall show why status view log review conflicts".split())
BY_NAME = {entry.name: entry for entry in ENTRIES}


def function_of(name: str) -> Callable[..., int | None]:
    """Load the function that does what a command says: it takes the invocation, and the values."""
    entry = BY_NAME[name]
    module = __import__(entry.module, fromlist=[entry.function])
    function: Callable[..., int | None] = getattr(module, entry.function)
    return function


def overview(*, everything: bool = False) -> str:
    """Return what `diurna --help` says, with `everything` what `--all` does: no command is loaded."""
    parts = ["Usage: diurna COMMAND [ARGUMENT]...", f"  {DOES}"]
    if everything:
        parts.append("\n".join(["Options:", *[f"  {name:<11}  {help}" for name, help in _GENERAL]]))
    for group in GROUPS if everything else GROUPS[:-1]:
        rows = [f"  {one.name:<10}  {one.does}" for one in ENTRIES if one.group == group]
        parts.append("\n".join([f"{group}:", *rows]))
    return "\n\n".join([*parts, _PROGRAMS_EPILOG if everything else _EPILOG])


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
    spelled: str = ""  #: as it is typed, all ways, where that is not its name: `-n`
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
            return False
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


#: What `--help --all` says of what stands before a command.
_GENERAL = (
    ("--home PATH", _OF_THE_CALL["home"][0].help),
    ("--no-pager", _OF_THE_CALL["no_pager"][0].help),
    ("--version", "Print the version."),
    ("--all", "With --help: list the commands for programs, too."),
    ("-h, --help", "Show this message and exit."),
)


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
