"""Write the `import` logs of an adoption: every fact's text as an event.

One log has no order among its events and holds one text for an id, so a second text of an id, which is
a contradiction, goes into a log of its own. Facts are ordered by (created, id); a log is closed before
it reaches the limits of the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ledger.codec.fact_blocks import tidy
from ledger.errors import DraftRefused
from ledger.model import event as verbs
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.order import stem_in
from ledger.model.record import Record
from ledger.model.session import Entry
from projection.policy.model import CLOSABLE, DEFAULT_KIND, THREAD_KIND
from rituals.intake.adopt.adopted_files import ARCHIVE_INDEX, AgentMemory, text_of
from rituals.intake.adopt.read_facts import VISION_KIND, ImportedFact
from rituals.intake.stored_facts import Brought, parts, stored, wrapped

TITLE = "Adopt a ledger in the agent-memory layout"
TITLE_BY_HAND = "Adopt a memory that was written by hand"
_LAST = "9999"  #: sorts after every date: a fact whose creation nobody knows


class Standing(Record):
    """What the past of a fact, told by commits, leaves: its text, the last checkbox, and its kind."""

    text: str
    mark: str
    kind: str


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
                case verbs.FactCreated():
                    created.setdefault(event.id, stem_in(entry.stem))
                case verbs.ThreadClosed() | verbs.ThreadReopened():
                    closed[event.id] = isinstance(event, verbs.ThreadClosed)
                case verbs.FactSuperseded():
                    edges.add((event.id, event.new))
                    false.add(event.id)
                case verbs.FactInvalidated():
                    false.add(event.id)
                case verbs.FactPromoted():
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
    facts: Sequence[ImportedFact],
    said: Said,
    reasons: dict[str, str],
    standing: Mapping[str, Standing],
    also: Iterable[verbs.Event] = (),
) -> tuple[list[list[verbs.Event]], list[Finding], list[str]]:
    """Turn facts into the events that bring them into the ledger; of several with one id the first counts.

    `said` is what the logs say already, `reasons` why facts are archived, `standing` what the commits of
    the past bring already, `also` what else is to be said. Returned are a group of events for each log,
    what could not stand as it is, and what contradicts the logs.

    Raises:
        DraftRefused: texts that no log can hold.
    """
    refused, findings, notes = list[Finding](), list[Finding](), list[str]()
    successors = {
        old.strip("` "): fact.id
        for fact in facts
        for old in dict(fact.meta).get("supersedes", "").split(",")
    }
    by_id: dict[str, list[ImportedFact]] = {}
    for fact in facts:
        by_id.setdefault(fact.id, []).append(fact)
    rounds: list[list[Brought]] = []
    settled = list(also)
    for same in sorted(by_id.values(), key=lambda same: (same[0].created or _LAST, same[0].id)):
        texts: set[str] = set()
        for fact in same:
            try:
                event = birth_of(fact, said, findings)
            except DraftRefused as problem:
                refused += problem.findings
                continue
            if event.text is None or event.text in texts:
                continue
            state: list[verbs.Event] = []
            brought: verbs.FactCreated | verbs.FactUpdated = event
            known = standing.get(fact.id) if not texts else None
            if not texts:
                state = _state(fact, said, reasons, successors, notes)
            if known is not None:
                state += _turned(event, known, said)
                kind = kind_of(event)
                meta = (("kind", kind),) if kind != known.kind else ()
                brought = verbs.FactUpdated(fact.id, event.text, meta=meta)
            if len(texts) == len(rounds):
                rounds.append([])
            if known and (known.text, known.kind) == (event.text, kind_of(event)):
                settled += state
            else:
                rounds[len(texts)].append(Brought(brought, tuple(state)))
            texts.add(event.text)
    if refused:
        raise DraftRefused(tuple(refused))
    *before, last = rounds or [[]]
    logs = [log for births in before for log in parts(births)] + parts(last, settled)
    return logs, findings, notes


def _turned(event: verbs.FactCreated, known: Standing, said: Said) -> list[verbs.Event]:
    """Say its checkbox anew, so that no thread is swept by what the past says; not against logs."""
    if event.id in said.closed or not event.mark or event.mark == known.mark == " ":
        return []
    return [verbs.ThreadClosed(event.id) if event.mark == "x" else verbs.ThreadReopened(event.id)]


def kind_of(birth: verbs.FactCreated) -> str:
    """Return the kind that a birth gives."""
    return dict(birth.meta).get("kind", DEFAULT_KIND)


def of_kind(kind: str, meta: verbs.Meta) -> verbs.Meta:
    """Return footers with another kind in them."""
    rest = tuple([pair for pair in meta if pair[0] != "kind"])
    return rest if kind == DEFAULT_KIND else (("kind", kind), *rest)


def birth_of(fact: ImportedFact, said: Said, findings: list[Finding]) -> verbs.FactCreated:
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
    event = verbs.FactCreated(fact.id, tidy(wrapped(fact.text)), fact.mark, tuple(meta))
    made, found = stored(event, fact.file, fact.line)
    findings += found
    return made


def _state(
    fact: ImportedFact,
    said: Said,
    reasons: dict[str, str],
    successors: dict[str, str],
    notes: list[str],
) -> list[verbs.Event]:
    """Say what the file knows of a fact beside its text: core, false, closed or open again."""
    found: list[verbs.Event] = []
    if fact.tier == "core" and fact.kind != VISION_KIND and fact.id not in said.promoted:
        found.append(verbs.FactPromoted(fact.id))
    reason = reasons.get(fact.id, "")
    new = fact.superseded_by
    if not new and reason.startswith("superseded"):
        new = reason[14:].split()[0].strip("`[],.;") if reason[14:].split() else ""
    if not new and fact.tier == "superseded":
        new = successors.get(fact.id, "")
    if is_fact_id(new) and new != fact.id:
        if (fact.id, new) not in said.edges:
            found.append(verbs.FactSuperseded(fact.id, new))
    elif (fact.tier == "superseded" or reason) and fact.id not in said.false:
        found.append(verbs.FactInvalidated(fact.id))
    if fact.mark and fact.id in said.closed and said.closed[fact.id] != (fact.mark == "x"):
        if fact.mark == "x":
            found.append(verbs.ThreadClosed(fact.id))
            notes.append(f"close {fact.id}: {fact.file} ticks it, and the logs reopened it")
        else:
            found.append(verbs.ThreadReopened(fact.id))
            notes.append(f"reopen {fact.id}: {fact.file} shows it open, and the logs closed it")
    return found
