"""List every command: where it is and what it does, so that `--help` loads none of them.

What one takes, and its help, stand at its function (`rituals.cli.operation`).
"""

from __future__ import annotations

from collections.abc import Callable
from keyword import iskeyword

from ledger.model.record import Record

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
        return f"{self.name}{'_' * iskeyword(self.name)}"

    @property
    def module(self) -> str:
        """The module that holds the function."""
        return f"rituals.cli.commands.{self.room or self.function}"

    @property
    def hidden(self) -> bool:
        """Whether `--help` leaves it to `--help --all`."""
        return self.group == PROGRAMS


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
    Entry("import", "Bring in decision records, another tool's memory, or a home's events.", SHARE),
    Entry("export", "Write memory as notes, a site, or lines of JSON.", SHARE, "web"),
    Entry("init", "Make a home for memory.", SET_UP),
    Entry("install", "Let agents' programs read this memory by themselves.", SET_UP),
    Entry("mcp", "Serve this memory to agents, by the Model Context Protocol.", PROGRAMS, "programs",
          ),
    Entry("org", "Read the ledgers of an organisation, and let its people ask them all.", PROGRAMS),
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
    from importlib import import_module

    entry = BY_NAME[name]
    function: Callable[..., int | None] = getattr(import_module(entry.module), entry.function)
    return function
