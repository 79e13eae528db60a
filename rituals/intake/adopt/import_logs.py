"""Write the `import` logs of an adoption: every fact's text as an event.

One log has no order among its events and holds one text for an id, so a second text of an id, which is
a contradiction, goes into a log of its own. Facts are ordered by (created, id); a log is closed before
it reaches the limits of the format.
"""

from __future__ import annotations

from ledger.codec.fact_blocks import tidy
from ledger.codec.log import canonical
from ledger.codec.validate import problems
from ledger.errors import DraftRefused
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactPromoted,
    FactSuperseded,
    Meta,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.order import stem_in
from ledger.model.record import Record
from ledger.model.session import LINE_LIMIT_BYTES, Entry, SessionLog
from projection.policy.model import CLOSABLE, DEFAULT_KIND, THREAD_KIND
from rituals.intake.adopt.layout import ARCHIVE_INDEX, AgentMemory, text_of
from rituals.intake.adopt.read_facts import VISION_KIND, ImportedFact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TITLE = "Adopt a ledger in the agent-memory layout"
TITLE_BY_HAND = "Adopt a memory that was written by hand"
_LOG_BYTES = 700_000  #: of fact texts in one log, below the limit of the format
_LOG_EVENTS = 5_000
_LAST = "9999"  #: sorts after every date: a fact whose creation nobody knows


class Said(Record):
    """What the logs say already, so that an import does not say it twice.

    `created` is the first log that names an id as created; `closed` tells of an id whether the last
    word of the logs closes it; `edges` are (old, new) of supersessions, `false` the ids on their left
    and those invalidated, `promoted` those that a human made core.
    """

    created: dict[str, str]
    closed: dict[str, bool]
    edges: frozenset[tuple[str, str]]
    false: frozenset[str]
    promoted: frozenset[str]


class _Birth(Record):
    """The event that brings a text, and those that say how its fact stands."""

    event: FactCreated
    state: list[Event]


def said_by(entries: Iterable[Entry]) -> Said:
    """Gather what logs say of the birth, the end and the state of facts."""
    created: dict[str, str] = {}
    closed: dict[str, bool] = {}
    edges: set[tuple[str, str]] = set()
    false: set[str] = set()
    promoted: set[str] = set()
    for entry in entries:
        for event in entry.acts:
            match event:
                case FactCreated():
                    created.setdefault(event.id, stem_in(entry.stem))
                case ThreadClosed() | ThreadReopened():
                    closed[event.id] = isinstance(event, ThreadClosed)
                case FactSuperseded():
                    edges.add((event.id, event.new))
                    false.add(event.id)
                case FactInvalidated():
                    false.add(event.id)
                case FactPromoted():
                    promoted.add(event.id)
    return Said(created, closed, frozenset(edges), frozenset(false), frozenset(promoted))


def archive_reasons(memory: AgentMemory) -> dict[str, str]:
    """Read why each fact is in the archive, from its index: `- id — summary — reason — page`."""
    found: dict[str, str] = {}
    for file, data in memory.archive:
        if file != ARCHIVE_INDEX:
            continue
        for line in text_of(data).split("\n"):
            id, *parts = line.removeprefix("- ").split(" — ")
            id = id.strip("` *")
            if line[:2] != "- " or not is_fact_id(id):
                continue
            for part in parts[1:]:
                if part.startswith(("superseded by ", "superseded-by ", "invalidated")):
                    found[id] = part.strip()
    return found


def events_of(
    facts: Sequence[ImportedFact], said: Said, reasons: dict[str, str]
) -> tuple[list[list[Event]], list[Finding], list[str]]:
    """Turn facts into the events that bring them into the ledger.

    Args:
        facts: as read; of several with one id the first gives its state.
        said: what the logs say already.
        reasons: why facts are archived (`archive_reasons`).

    Returns:
        A list of groups, each with the events of one log; what could not stand as it is; and a
        sentence for each thread whose checkbox contradicts the logs.
    """
    findings: list[Finding] = []
    notes: list[str] = []
    successors = {
        old.strip("` "): fact.id
        for fact in facts
        for old in dict(fact.meta).get("supersedes", "").split(",")
    }
    by_id: dict[str, list[ImportedFact]] = {}
    for fact in facts:
        by_id.setdefault(fact.id, []).append(fact)
    rounds: list[list[_Birth]] = []
    for same in sorted(by_id.values(), key=_by_creation):
        texts: set[str] = set()
        for fact in same:
            event = _birth(fact, said, findings)
            if event.text is None or event.text in texts:
                continue
            state: list[Event] = []
            if not texts:
                state = _state(fact, said, reasons, successors, notes)
            if len(texts) == len(rounds):
                rounds.append([])
            rounds[len(texts)].append(_Birth(event, state))
            texts.add(event.text)
    return [log for births in rounds for log in _parts(births)], findings, notes


def _by_creation(same: list[ImportedFact]) -> tuple[str, str]:
    return same[0].created or _LAST, same[0].id


def _birth(fact: ImportedFact, said: Said, findings: list[Finding]) -> FactCreated:
    """Make the event that brings one text."""
    meta: list[tuple[str, str]] = []
    kind = THREAD_KIND if fact.mark and fact.kind not in CLOSABLE else fact.kind
    if kind != fact.kind:
        message = f"`{fact.id}` has a checkbox and the kind {fact.kind}; it is read as a thread"
        findings.append(Finding("bad-footer", message, fact.file, fact.line))
    if kind != DEFAULT_KIND:
        meta.append(("kind", kind))
    origin = fact.origin or said.created.get(fact.id, "")
    created = fact.created or origin[:10]
    born = (("created", created), ("origin", origin))
    meta += [pair for pair in (*fact.meta, *born) if pair[1]]
    event = FactCreated(fact.id, tidy(_wrapped(fact.text)), fact.mark, tuple(meta))
    return _stored(event, fact, findings)


def _stored(event: FactCreated, fact: ImportedFact, findings: list[Finding]) -> FactCreated:
    """Return the event in a form that the format takes, changing as little as that needs.

    Raises:
        DraftRefused: the text is too large for any log; nothing was changed.
    """
    bare: Meta = tuple(pair for pair in event.meta if pair[0] in ("kind", "created", "origin"))
    text = event.text or ""
    fence = "~~~"
    while fence in text:
        fence += "~"
    quoted = f"As it stood:\n\n{fence}\n{text}\n{fence}"
    problem: tuple[Finding, ...] = ()
    for changed, how in (
        (event, ""),
        (event._replace(text=text.replace("<!--", "&lt;!--")), "its comments are escaped"),
        (event._replace(meta=bare), "the other keys of its footer are left out"),
        (event._replace(text=quoted), "its text is kept in a code block"),
        (event._replace(text=quoted, meta=bare), "its text is kept in a code block"),
    ):
        log = canonical(SessionLog((("type", "import"),), TITLE, "", (changed,)))
        wrong, stored = problems(log), log.events[0]
        if not wrong and isinstance(stored, FactCreated):
            if how:
                message = f"`{fact.id}` can not stand as it is ({problem[0].message}); {how}"
                findings.append(Finding("not-canonical", message, fact.file, fact.line))
            return stored
        problem = problem or wrong
    where = (problem[0]._replace(file=fact.file, line=fact.line), *problem[1:])
    raise DraftRefused(where)


def _wrapped(text: str) -> str:
    """Break lines that are over the limit of the format, at blanks where there are some."""
    limit = LINE_LIMIT_BYTES // 2
    if len(text) <= limit // 4:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        rest = line
        while len(rest.encode()) > limit:
            at = rest.rfind(" ", limit // 8, limit // 4)
            at = at if at > 0 else limit // 4
            lines.append(rest[:at])
            rest = rest[at:].removeprefix(" ")
        lines.append(rest)
    return "\n".join(lines)


def _state(
    fact: ImportedFact,
    said: Said,
    reasons: dict[str, str],
    successors: dict[str, str],
    notes: list[str],
) -> list[Event]:
    """Say what the file knows of a fact beside its text: core, false, closed or open again."""
    found: list[Event] = []
    if fact.tier == "core" and fact.kind != VISION_KIND and fact.id not in said.promoted:
        found.append(FactPromoted(fact.id))
    reason = reasons.get(fact.id, "")
    new = fact.superseded_by
    if not new and reason.startswith("superseded"):
        new = reason[14:].split()[0].strip("`[],.;") if reason[14:].split() else ""
    if not new and fact.tier == "superseded":
        new = successors.get(fact.id, "")
    if is_fact_id(new) and new != fact.id:
        if (fact.id, new) not in said.edges:
            found.append(FactSuperseded(fact.id, new))
    elif (fact.tier == "superseded" or reason) and fact.id not in said.false:
        found.append(FactInvalidated(fact.id))
    if fact.mark and fact.id in said.closed and said.closed[fact.id] != (fact.mark == "x"):
        if fact.mark == "x":
            found.append(ThreadClosed(fact.id))
            notes.append(f"close {fact.id}: {fact.file} ticks it, and the logs reopened it")
        else:
            found.append(ThreadReopened(fact.id))
            notes.append(f"reopen {fact.id}: {fact.file} shows it open, and the logs closed it")
    return found


def _parts(births: list[_Birth]) -> list[list[Event]]:
    """Cut births into logs that stay within the limits of the format."""
    found: list[list[Event]] = []
    size = 0
    for event, state in births:
        text = event.text or ""
        cost = len(text.encode()) + 2 * text.count("\n") + 300 + sum(len(v) for _, v in event.meta)
        full = not found or size + cost > _LOG_BYTES
        if full or len(found[-1]) + 1 + len(state) > _LOG_EVENTS:
            found.append([])
            size = 0
        found[-1] += [event, *state]
        size += cost
    return found
