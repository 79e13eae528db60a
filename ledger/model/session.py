"""Define a session log as a value: its header, its prose, its events, and what the fold needs of it.

`observed: 1795682412417 0-57` are observations 0 to 56 of the spool that began at that millisecond, and
`transcript: 87bdddb9.jsonl 0-184223` are bytes of the transcript of that name (FORMAT.md, C3). `shown` has
the facts that briefs and news showed to its session, `told` those that were told when they were needed,
`characters` how many characters both were (W13): the report alone reads these.

Packed, entries and events are plain tuples, which a cache or a pipe can hold: `marshal` takes only exact
built-in types, and is ten times faster than anything else. Caches are rebuilt, never migrated.
"""

from __future__ import annotations

from ledger.model.event import VERBS, Event, FactCreated, FactUpdated, Meta
from ledger.model.ids import is_fact_id
from ledger.model.log_names import ended_of, is_sealed, stamp_in
from ledger.model.record import TYPE_CHECKING, Record

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

#: What a log is called that nobody named.
DEFAULT_TITLE = "Work session"
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


PERSONAL_KEY, PERSONAL_VALUE = "personal", "true"
#: What says that a fact is not; any other value is taken at its worst.
_NOT = ("", "false", "no", "0")


def says_personal(meta: Meta) -> bool:
    """Tell whether a footer says that its fact is only one person's."""
    return any(key == PERSONAL_KEY and value.strip().lower() not in _NOT for key, value in meta)


def personal_ids(events: Iterable[Event]) -> list[str]:
    """Return the facts that some events call personal, each once, in order."""
    return list(
        dict.fromkeys(
            event.id
            for event in events
            if isinstance(event, FactCreated | FactUpdated) and says_personal(event.meta)
        )
    )


OBSERVED, TRANSCRIPT = "observed", "transcript"
#: More digits than any count of bytes has; a file is not larger.
_DIGITS = 18


class Span(Record):
    """A part of what a session left: from `start` up to `end` of what bears a name."""

    name: str
    start: int
    end: int

    def __str__(self) -> str:
        """Write it as a header does."""
        return f"{self.name} {self.start}-{self.end}"


def span_of(value: str) -> Span | None:
    """Read a span of a header; None where it is none."""
    name, _, numbers = value.rpartition(" ")
    start, dash, end = numbers.partition("-")
    if not (name and dash and is_number(start) and is_number(end)):
        return None
    return Span(name, int(start), int(end))


def is_number(text: str) -> bool:
    """Tell whether a text is a plain non-negative ASCII integer (fault:G21)."""
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS


def reach_in(header: Mapping[str, str]) -> tuple[str, ...]:
    """Return the host and the spans of a captured log, as its header writes them; () of any other log."""
    observed, transcript = header.get(OBSERVED, ""), header.get(TRANSCRIPT, "")
    return (header.get("host", ""), observed, transcript) if observed or transcript else ()


SHOWN_KEY, TOLD_KEY, COST_KEY = "shown", "told", "characters"
#: How many ids one log names; of the others it says how many there were.
SHOWN_IDS = 200


def shown_since(ids: Sequence[str], told: int, seen: int) -> str:
    """Return the header for facts that a session met and no log of it names; "" for nothing to name.

    Args:
        ids: those that it met, in order.
        told: how many of them logs of it name.
        seen: how many it met, those too that are not listed.
    """
    told = told if told <= seen else 0
    more, ids = seen - max(told, len(ids)), ids[told:]
    more += len(ids[SHOWN_IDS:])
    return ", ".join([*ids[:SHOWN_IDS], *([f"+{more}"] if more else [])])


def shown_in(value: str) -> tuple[str, ...]:
    """Read the ids of the header, each once."""
    parts = [part.strip() for part in value.split(",")]
    return tuple(dict.fromkeys([part for part in parts if is_fact_id(part)]))


def cost_in(value: str) -> tuple[int, int]:
    """Read how many characters a session was shown, and told; 0 for what is no count."""
    shown, _, told = value.partition(", told ")
    return int(shown) if is_number(shown) else 0, int(told) if is_number(told) else 0


def cost_since(now: tuple[int, int], told: tuple[int, int]) -> str:
    """Write that header for what came since a log told of it; "" for nothing.

    Args:
        now: how many characters a session was shown, and told.
        told: how many of them logs of it tell; of a count that began anew none.
    """
    shown, needed = [new - old if old <= new else new for new, old in zip(now, told, strict=True)]
    return f"{shown}, told {needed}" if needed else str(shown or "")


def text_of(data: bytes) -> str:
    """Return the text of a log as it is read, whatever its bytes: findings count its lines."""
    return normal(data.decode("utf-8", "replace")).replace("\0", "\ufffd")


def normal(text: str) -> str:
    """Return a text without a byte order mark, its lines ending in line feeds alone."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

_KINDS: tuple[type[Event], ...] = tuple(VERBS.values())
_CODES = {kind: code for code, kind in enumerate(_KINDS)}


def pack_event(event: Event) -> tuple[Any, ...]:
    """Return an event as a plain tuple: the position of its verb in the table, then its fields."""
    return (_CODES[type(event)], *event)


def unpack_event(packed: tuple[Any, ...]) -> Event:
    """Return the event of a plain tuple.

    Raises:
        (TypeError, IndexError): this was never packed here.
    """
    event: Event = _KINDS[packed[0]]._make(packed[1:])
    return event
