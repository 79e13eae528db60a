"""List every command: where it is and what it does, so that `--help` loads none of them."""

from __future__ import annotations

from importlib.util import find_spec

from ledger.model.record import Record


class Entry(Record):
    """One command.

    Args:
        name: what the user types; its module is `rituals.cli.commands.<name>`, its value `command`.
        does: one line for the list of commands.
        needs: a module without which there is nothing to call.
    """

    name: str
    does: str
    needs: str = ""

    @property
    def module(self) -> str:
        """The module that holds the command."""
        return f"rituals.cli.commands.{self.name}"


#: In the order of the help.
ENTRIES = (
    Entry("init", "Make a home for a ledger."),
    Entry("append", "Append a session log and commit it."),
    Entry("show", "Show what memory holds, or single facts."),
    Entry("brief", "Show what an agent reads at the start of a session, within a budget."),
    Entry("recall", "Find what answers a question: facts and passages of session logs."),
    Entry("why", "Show where a fact comes from: every event, version and session."),
    Entry("entity", "Show all that memory holds about an entity, or list the entities."),
    Entry("links", "Show what a fact is linked with, one hop and two hops away."),
    Entry("log", "List session logs, newest first."),
    Entry("timeline", "Show the sessions around a fact, a session, a date or a question."),
    Entry("digest", "Tell in short what a session log says."),
    Entry("diff", "Show what memory learned, forgot and corrected between two points."),
    Entry("status", "Show where the ledger stands and what is due."),
    Entry("review", "Look after the memory: what aged, what is due, what became false."),
    Entry(
        "report", "Tell how memories lived: when they faded, what became false, as a picture too."
    ),
    Entry("conflicts", "List contradictions: every side that stands, and how to resolve it."),
    Entry("resolve", "Resolve a contradiction: choose one side, or give a new text."),
    Entry("history", "Show every version of a fact, and which stands."),
    Entry("restore", "Let an older text of a fact stand again."),
    Entry("reinstate", "Say that a superseded or invalidated fact holds after all."),
    Entry("archive", "Put a fact that holds into the archive by hand, and take it out again."),
    Entry("confirm", "Record that a person looked at facts and they hold."),
    Entry("redact", "Withhold a fact's text, or a log's words, from all that is shown."),
    Entry("publish", "Write and commit the projection where it drifted."),
    Entry("absorb", "Make a log of what was edited in continuity.md."),
    Entry("sync", "Share memory through a git remote: fetch, join, push."),
    Entry("replay", "Replay the whole ledger from git, ignoring every cache."),
    Entry("verify", "Check the integrity of the ledger.", needs="rituals.check.verify"),
    Entry("doctor", "Check this machine and repository, and mend what is safe to mend."),
    Entry(
        "lint", "Check a home for CI: integrity, secrets, what is due.", needs="rituals.check.lint"
    ),
    Entry("adopt", "Take over a ledger that another tool wrote, in place."),
    Entry("mcp", "Serve this memory to agents, by the Model Context Protocol."),
    Entry("hook", "What `diurna init --hooks` lets git run after a pull."),
    Entry("tour", "See the whole story on a throw-away ledger, in a minute."),
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
