"""Define a session log as a value: its header, its prose and its events."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.model.event import Event
from ledger.model.order import ended_of, is_sealed, stamp_in
from ledger.model.record import Record

#: Known header keys in canonical order; unknown keys follow them in the order found.
HEADER_KEYS = (
    "agent", "ended", "after", "type", "role", "host", "model", "session", "started", "branch",
    "commit", "dirty", "extractor", "observed", "transcript",
)  # fmt: skip
#: A work session, written by leaving `type` out; and more work of one that has such a log already.
WORK, CONTINUED = "work", "continued"
#: The types whose names are uses. Only `work` moves the decay clock.
WORKING = (WORK, CONTINUED)
#: The type of what people decide: by a command, or in a file.
EDIT = "edit"
#: The types of session log.
TYPES = (*WORKING, "review", "import", EDIT, "checkpoint")
#: In which words people will ask for a fact, parted by `;` (S14): what is found by it, and never shown.
ASKED_KEY = "asked"
#: What ends a fact: a form that a commit or a day makes true (U1), and free words, which may be one.
UNTIL_KEY, OBSOLETE_KEY, CHECK_KEY = "until", "obsolete_when", "check"
#: Footer keys of a fact at birth, in canonical order after `id`.
META_KEYS = (
    "kind", "tags", "entity", "role", "supersedes", "serves", "conflicts", "source", "created",
    "origin",
)  # fmt: skip
#: The kinds of facts that are open or closed: only they have a checkbox.
CLOSABLE = frozenset(("thread", "task", "handoff", "finding"))
#: By which an undo names the logs that it takes back, or does again, what it left and what it took.
UNDO_KEYS = ("undoes", "redoes", "kept", "took")
#: Where what was imported comes from; a ledger that was taken over whole has none.
SOURCE_KEY = "source"
#: Who said what a log says in the name of its agent: they typed that name.
BY_KEY = "by"
#: Header keys that the report and undo read, not the fold.
REPORTED_KEYS = ("shown", "told", "characters", SOURCE_KEY, BY_KEY, *UNDO_KEYS)
#: Of an entry: where in the code the work was done that its log tells of (`place_of`).
PLACE = "place"
#: Of an entry: the stamp of its writer's clock, where its name is another.
ENDED = "ended"
#: What another tool counted of the uses of a fact (F4).
COUNTED_KEY = "counted"
#: Footer keys that only an `import` log may carry.
IMPORT_KEYS = ("created", "origin", COUNTED_KEY)

REFERENCES_HEADING = "Memory References"
FACTS_HEADING = "Facts"

LOG_LIMIT_BYTES = 1 << 20
LINE_LIMIT_BYTES = 64 << 10
IDS_LIMIT = 10_000


class SessionLog(Record):
    """One session log: what `decode` yields and `encode` takes.

    `header` holds (key, value) pairs in canonical order, `prose` the text between the title and the
    references without surrounding blank lines.
    """

    header: tuple[tuple[str, str], ...]
    title: str
    prose: str
    events: tuple[Event, ...]

    def get(self, key: str, default: str = "") -> str:
        """Return the header value of `key`."""
        for name, value in self.header:
            if name == key:
                return value
        return default

    @property
    def type(self) -> str:
        """`work` unless the header says otherwise."""
        return self.get("type", WORK)


class Entry(Record):
    """What the fold needs of one session log, and nothing else.

    `named` are the distinct ids whose naming counts as a use when the log tells of work (`uses`), in the
    order met; `acts` are the events that change more than a count (all but `FactReferenced`); `session`
    is the host's session, "" where the log does not say; `reach` is how far a log that was captured tells
    of it: its header's `host`, `observed` and `transcript`, () where it has none of the last two; `branch`
    and `role` are those of its header where it holds an event whose author counts (`SIGNED`), else "";
    `reported` is what the fold does not know of: pairs of its header (`REPORTED_KEYS`), its place, its
    clock (`ENDED`), and what the log says of other logs, by verb (`OF_LOGS`).
    """

    stem: str
    work: bool
    agent: str
    type: str
    named: tuple[str, ...]
    acts: tuple[Event, ...]
    session: str = ""
    reach: tuple[str, ...] = ()
    branch: str = ""
    role: str = ""
    reported: tuple[tuple[str, str], ...] = ()

    @property
    def clock(self) -> str:
        """The stamp of when it was written, by its writer's clock: its name may be pushed on (O2)."""
        return dict(self.reported).get(ENDED, "") or self.stem

    @property
    def uses(self) -> bool:
        """Whether what it names is used by it (F4)."""
        return self.type in WORKING


def clock_of(stem: str, head: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return what an entry says of its writer's clock: nothing where a sealed name says the same."""
    said = head.get("ended", "")
    stamp = "" if not said or said == ended_of(stem) else stamp_in(said)
    return ((ENDED, stamp),) if stamp and is_sealed(stem) else ()


def place_of(head: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return what an entry says of the place of the work: a commit, whether more was done, a branch.

    Of a log whose type tells of no work in the code, or whose header names no branch, that is nothing.
    """
    commit, branch = head.get("commit", ""), head.get("branch", "")
    if not (commit and branch) or head.get("type", WORK) not in (*WORKING, EDIT):
        return ()
    return ((PLACE, f"{commit} {'dirty' if head.get('dirty') else '-'} {branch}"),)
