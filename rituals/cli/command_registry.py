"""List every command: where it is and what it does, so that `--help` loads none of them."""

from __future__ import annotations

from keyword import iskeyword

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: The headings of the help, in their order. The last three are of `--help --all` alone.
EVERY_DAY, LOOK, SHARE, SET_UP, OTHER, PROGRAMS, SELDOM = GROUPS = (
    "Every day", "Look back, look after", "Share and move in", "Set up",
    "By another name", "For programs", "Seldom needed",
)  # fmt: skip
_HIDDEN = (OTHER, PROGRAMS, SELDOM)


class Entry(Record):
    """One command."""

    #: what the user types; the function that does it has this name, and `_` behind a word of Python
    name: str
    does: str  #: one line for the list of commands
    group: str  #: the heading that it stands under
    room: str = ""  #: the module below `rituals.cli.commands` that holds it, "" for one of its name
    now: str = ""  #: the visible command that does it too, where that is none of `WAYS`

    @property
    def function(self) -> str:
        """The function that does it."""
        return f"{self.name}{'_' * iskeyword(self.name)}"

    @property
    def module(self) -> str:
        """The module that holds the function."""
        return f"rituals.cli.commands.{self.room or self.function}"

    @property
    def hidden(self) -> bool:
        """Whether `--help` leaves it to `--help --all`."""
        return self.group in _HIDDEN


class Way(Record):
    """A word of a visible command by which it does what another command does: `show --list` is `ls`."""

    command: str  #: the visible one
    word: str  #: its option, or what stands first among its arguments; `FIRST` for whatever does
    calls: tuple[str, ...]  #: the command that answers, with arguments of its own
    value: str = ""  #: what follows the word, as the help says it
    does: str = ""  #: a line for the help; "" takes that of the command
    #: the word is one of that command's, too: `conflicts ID --choose 1` is `resolve ID --choose 1`
    kept: bool = False


#: In the order of the help.
ENTRIES = (
    Entry("brief", "What an agent reads at the start of a session.", EVERY_DAY, "show"),
    Entry("recall", "Find what answers a question.", EVERY_DAY, "show"),
    Entry("note", "Record facts, a text each.", EVERY_DAY, "append"),
    Entry("append", "Record a whole session.", EVERY_DAY),
    Entry("edit", "Give a fact a new text.", EVERY_DAY, "decisions"),
    Entry("close", "Close a thread or a task.", EVERY_DAY, "decisions"),
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
    Entry("import", "Bring in decision records, another tool's memory, or a home's events.", SHARE),
    Entry("export", "Write memory as notes, a site, or lines of JSON.", SHARE),
    Entry("init", "Make a home for memory.", SET_UP),
    Entry("install", "Let agents' programs read this memory by themselves.", SET_UP),
    Entry("restore", "Let an older text stand again, or a fact that was called false.",
          OTHER, "decisions"),
    Entry("archive", "Put a fact that holds away, or take it back.",
          OTHER, "decisions", "forget --archive"),
    Entry("ls", "List facts, a line each.", OTHER, "show"),
    Entry("entity", "Show all that memory holds about a name, or list the names.", OTHER, "links"),
    Entry("links", "Show what a fact is linked with.", OTHER),
    Entry("timeline", "Show the sessions around a fact, a date or a question.", OTHER, "log"),
    Entry("diff", "Show what was learned, faded and corrected between two points.", OTHER, "log"),
    Entry("report", "Tell in numbers what memory cost, and how memories lived.", OTHER),
    Entry("learn", "Propose patterns of what is met again and again.", OTHER),
    Entry("confirm", "Record that a person looked at facts and they hold.", OTHER, "decisions"),
    Entry("resolve", "Resolve a contradiction; on a terminal it asks.", OTHER, "conflicts"),
    Entry("doctor", "Check this machine and clone, and mend what is safe.", OTHER, "check", "check",
          ),
    Entry("verify", "Check the integrity of the ledger.", OTHER, "check", "check"),
    Entry("lint", "Check the ledger alone, as CI does.", OTHER, "check"),
    Entry("impact", "Say what memory has on a change of the code.", OTHER, "check"),
    Entry("uninstall", "Take out of agents' programs what install put there.", OTHER, "install"),
    Entry("mcp", "Serve this memory to agents, by the Model Context Protocol.", PROGRAMS, "programs",
          ),
    Entry("org", "Read the ledgers of an organisation, and let its people ask them all.", PROGRAMS),
    Entry("capture", "Record what agents' sessions left, as their hooks do.", PROGRAMS),
    Entry("private", "Let a session be silent: nothing of it is kept.", PROGRAMS, "programs"),
    Entry("finding", "Record what was found wrong, and list it: one bug is one fact.",
          PROGRAMS, "learn"),
    Entry("hook", "What `diurna init --hooks` lets git run after a pull.", PROGRAMS, "programs"),
    Entry("redo", "Do again what undo took back.", SELDOM, "decisions"),
    Entry("open", "Open the place of a fact or log in your editor.", SELDOM, "programs"),
    Entry("publish", "Write and commit the projection where it drifted.", SELDOM),
    Entry("absorb", "Make a log of what was edited in continuity.md.", SELDOM, "publish"),
    Entry("replay", "Replay the whole ledger from git, ignoring every cache.", SELDOM, "publish"),
    Entry("completion", "Print the script by which a shell completes commands and ids.",
          SELDOM, "programs"),
    Entry("tour", "See the whole story on a throw-away ledger, in a minute.", SELDOM, "programs"),
)  # fmt: skip
#: The word of a way that any first argument takes which is no option.
FIRST = ""
#: The words by which a visible command does what another does, in the order of its help.
WAYS = (
    Way("edit", "--restore", ("restore",), "ID [VERSION]"),
    Way("forget", "--back", ("archive", "--back"), "ID", "Take it out of the archive again."),
    Way("show", "--list", ("ls",)),
    Way("show", "--about", ("entity",), "[NAME]"),
    Way("show", "--links", ("links",), "ID"),
    Way("log", "--around", ("timeline",), "WHAT"),
    Way("log", "--changes", ("diff",), "A..B"),
    Way("review", "--confirm", ("confirm",), "ID..."),
    Way("review", "--learn", ("learn",)),
    Way("review", "--report", ("report",)),
    Way("conflicts", "--resolve", ("resolve",), "ID"),
    Way("conflicts", "--choose", ("resolve",), "SIDE", "What holds of ID: a side, its start or number.",
        kept=True),
    Way("conflicts", "--text", ("resolve",), "TEXT", "A new text of ID in place of all sides.", kept=True),
    Way("conflicts", "--file", ("resolve",), "FILE", "The new text from a file (- for stdin).", kept=True),
    Way("conflicts", "--closed", ("resolve",), "", "The thread ID is closed.", kept=True),
    Way("conflicts", "--open", ("resolve",), "", "The thread ID is open.", kept=True),
    Way("conflicts", "--state", ("resolve",), "STATE", "The state of the task ID.", kept=True),
    Way("check", "--diff", ("impact",), "BASE...HEAD"),
    Way("check", "--ci", ("lint",), does="Check the ledger alone: no clone, no machine."),
    Way("check", "--sarif", ("lint", "--format", "sarif"), does="As --ci, written as SARIF for a forge."),
    Way("check", "--format", ("lint",), "FORMAT", "As --ci: text, json, sarif or github.", kept=True),
    Way("check", "--accept", ("verify",), "FINDING…", "Accept each: a key, its start, or a code.",
        kept=True),
    Way("check", "--accept-all", ("verify",), "", "Accept all that stands open now.", kept=True),
    Way("check", "--unaccept", ("verify",), "FINDING…", "Accept each no longer.", kept=True),
    Way("check", "--restore", ("verify",), "", "Commit again what history took from the ledger.",
        kept=True),
    Way("check", FIRST, ("lint",), "[FILE]...", kept=True),
    Way("install", "--remove", ("uninstall",)),
)  # fmt: skip
#: Those whose answer can be long: on a terminal a pager shows it.
PAGED = frozenset(
    "brief recall show why ls status view log timeline diff entity links report conflicts"
    " finding".split()
)
_BY_NAME = {entry.name: entry for entry in ENTRIES}


def find(name: str) -> Entry | None:
    """Return the command of a name, None when there is none or its module does not exist."""
    entry = _BY_NAME.get(name)
    return entry if entry and _exists(entry) else None


def function_of(name: str) -> Callable[..., int | None]:
    """Load the function that does what a command says: it takes the invocation, and the values."""
    from importlib import import_module

    entry = _BY_NAME[name]
    function: Callable[..., int | None] = getattr(import_module(entry.module), entry.function)
    return function


def available() -> tuple[Entry, ...]:
    """Return the commands that exist, in the order of the help."""
    return tuple(entry for entry in ENTRIES if _exists(entry))


def shown(name: str) -> str:
    """Return what a person types for a command: `show --list` for `ls`."""
    entry = find(name)
    if entry is not None and entry.now:
        return entry.now
    ways = (way for way in WAYS if way.calls == (name,) and find(way.command))
    return next((f"{way.command} {way.word}" for way in ways), name)


def _exists(entry: Entry) -> bool:
    """Look for the module without loading it."""
    from importlib.util import find_spec  # 3 ms that the quick path does without

    return find_spec(entry.module) is not None
