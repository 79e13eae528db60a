"""List every command: where it is and what it does, so that `--help` loads none of them."""

from __future__ import annotations

from importlib.util import find_spec
from keyword import iskeyword

from ledger.model.record import Record

#: The headings of the help, in their order; plumbing is listed by `--help --all` alone.
EVERY_DAY, LOOK_BACK, LOOK_AFTER, SHARE, SET_UP, PLUMBING = GROUPS = (
    "Every day", "Look back", "Look after", "Share", "Set up and check", "Plumbing",
)  # fmt: skip


class Entry(Record):
    """One command.

    Args:
        name: what the user types; its module is `rituals.cli.commands.<name>`, its value `command`. A word
            of Python has `_` behind it there.
        does: one line for the list of commands.
        group: the heading that it stands under.
        needs: a module without which there is nothing to call.
    """

    name: str
    does: str
    group: str = PLUMBING
    needs: str = ""

    @property
    def module(self) -> str:
        """The module that holds the command."""
        return f"rituals.cli.commands.{self.name}{'_' * iskeyword(self.name)}"


#: In the order of the help.
ENTRIES = (
    Entry("brief", "Show what an agent reads at the start of a session.", EVERY_DAY),
    Entry("recall", "Find what answers a question: facts, and passages of logs.", EVERY_DAY),
    Entry("note", "Record facts, a text each.", EVERY_DAY),
    Entry("append", "Append a session log and commit it.", EVERY_DAY),
    Entry("task", "Say what is to be done, who does it, and what comes next.", EVERY_DAY),
    Entry("show", "Show what memory holds, or single facts.", EVERY_DAY),
    Entry("ls", "List facts, one line each.", EVERY_DAY),
    Entry("why", "Show where a fact comes from, and its versions.", EVERY_DAY),
    Entry("undo", "Take back what your last log did.", EVERY_DAY),
    Entry("open", "Open the place of a fact or log in your editor.", EVERY_DAY),
    Entry("status", "Show where the ledger stands and what is due.", EVERY_DAY),
    Entry("view", "Show one side of memory as a page: state, decisions, a day.", LOOK_BACK),
    Entry("log", "List session logs, newest first, or tell one in short.", LOOK_BACK),
    Entry("timeline", "Show the sessions around a fact, a date or a question.", LOOK_BACK),
    Entry("diff", "Show what was learned, forgotten and corrected between two points.", LOOK_BACK),
    Entry("entity", "Show all that memory holds about an entity.", LOOK_BACK),
    Entry("links", "Show what a fact is linked with.", LOOK_BACK),
    Entry("report", "Tell how memories lived, in numbers and as a picture.", LOOK_BACK),
    Entry("web", "Show memory as pages in a browser, or write them as a site.", LOOK_BACK),
    Entry("quiz", "Ask memory what the project has to know.", LOOK_BACK),
    Entry("snapshot", "Print a page that stands alone, for a second opinion.", LOOK_BACK),
    Entry("critique", "Make threads of a second opinion, and close them.", LOOK_AFTER),
    Entry("review", "Go through what aged, what is due, what became false.", LOOK_AFTER),
    Entry("learn", "Propose facts that sessions taught; nothing is written unasked.", LOOK_AFTER),
    Entry("finding", "Record what was found wrong, and list it: one bug is one fact.", LOOK_AFTER),
    Entry("confirm", "Record that a person looked at facts and they hold.", LOOK_AFTER),
    Entry("conflicts", "List contradictions: every side that stands.", LOOK_AFTER),
    Entry("resolve", "Resolve a contradiction.", LOOK_AFTER),
    Entry("restore", "Let an older text stand again, or a fact that was called false.", LOOK_AFTER),
    Entry("archive", "Put a fact that holds into the archive, or take it out.", LOOK_AFTER),
    Entry("redact", "Withhold a text from all that is shown.", LOOK_AFTER),
    Entry("capture", "Record what agents' sessions left, as their hooks do.", LOOK_AFTER),
    Entry("private", "Let a session be silent: nothing of it is kept.", LOOK_AFTER),
    Entry("sync", "Share memory through a git remote: fetch, join, push.", SHARE),
    Entry("publish", "Write and commit the projection where it drifted.", SHARE),
    Entry("absorb", "Make a log of what was edited in continuity.md.", SHARE),
    Entry("export", "Write memory as linked notes, or its events as lines of JSON.", SHARE),
    Entry("import", "Bring in what another tool remembers, or another home exported.", SHARE),
    Entry("harvest", "Make facts of what the repository's own documents say.", SHARE),
    Entry("init", "Make a home for a ledger.", SET_UP),
    Entry("adopt", "Take over a ledger that another tool wrote, in place.", SET_UP),
    Entry("install", "Let agents' programs read this memory by themselves.", SET_UP),
    Entry("uninstall", "Take out of agents' programs what install put there.", SET_UP),
    Entry("mcp", "Serve this memory to agents, by the Model Context Protocol.", SET_UP),
    Entry("doctor", "Check this machine and repository, and mend what is safe.", SET_UP),
    Entry("verify", "Check the integrity of the ledger.", SET_UP, needs="rituals.check.verify"),
    Entry("lint", "Check a home for CI.", SET_UP, needs="rituals.check.lint"),
    Entry("completion", "Print the script by which a shell completes commands and ids.", SET_UP),
    Entry("tour", "See the whole story on a throw-away ledger, in a minute.", SET_UP),
    Entry("replay", "Replay the whole ledger from git, ignoring every cache."),
    Entry("hook", "What `diurna init --hooks` lets git run after a pull."),
)
#: Names of before that are no commands of their own any more: what stands for each on a command line.
FORMER = {"history": ("why", "--versions"), "reinstate": ("restore",), "digest": ("log",)}
#: Those whose answer can be long: on a terminal a pager shows it.
PAGED = frozenset(
    "brief recall show why ls status view log timeline diff entity links report quiz conflicts"
    " snapshot finding".split()
)
_BY_NAME = {entry.name: entry for entry in ENTRIES}


def find(name: str) -> Entry | None:
    """Return the command of a name, None when there is none or its module does not exist."""
    entry = _BY_NAME.get(name)
    return entry if entry and _exists(entry) else None


def available() -> tuple[Entry, ...]:
    """Return the commands that exist, in the order of the help."""
    return tuple(entry for entry in ENTRIES if _exists(entry))


def _exists(entry: Entry) -> bool:
    """Look for the modules without loading them."""
    return all(find_spec(name) for name in (entry.module, entry.needs) if name)
