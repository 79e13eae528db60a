"""Drafts: what is to be appended, before it has a name."""

from __future__ import annotations

from ledger.event import Event, FactCreated, FactSuperseded, FactUpdated
from ledger.findings import Finding
from ledger.session import SessionLog
from ledger.values import Record

DEFAULT_TITLE = "Work session"


class SessionDraft(Record):
    """What an agent wants to record.

    Args:
        title: one line.
        prose: markdown: what happened, why, what is next.
        events: what happened to which facts.
        agent: who writes, "" for the default of the process.
        type: `work`, `review`, `import`, `edit` or `checkpoint`.
        header: further header values: `role`, `host`, `model`, `session`, `started` and own keys.
        made: ids that nobody chose: they were made from the texts of new facts.
    """

    title: str = DEFAULT_TITLE
    prose: str = ""
    events: tuple[Event, ...] = ()
    agent: str = ""
    type: str = "work"
    header: tuple[tuple[str, str], ...] = ()
    made: tuple[str, ...] = ()


def draft_of(log: SessionLog) -> SessionDraft:
    """Turn a log that a person wrote by hand into a draft."""
    header = tuple(pair for pair in log.header if pair[0] not in ("agent", "type"))
    return SessionDraft(log.title, log.prose, log.events, log.get("agent"), log.type, header)


def same_draft(a: SessionLog, b: SessionLog) -> bool:
    """Tell whether two logs record the same: all but when, where and on top of what."""
    return (
        a.get("agent") == b.get("agent")
        and a.get("session") == b.get("session")
        and a.type == b.type
        and a.title == b.title
        and a.prose == b.prose
        and _bare(a.events) == _bare(b.events)
    )


def _bare(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Leave out what an append fills in: a retried update finds its own version in place."""
    return tuple(
        event._replace(was=None) if isinstance(event, FactUpdated) else event for event in events
    )


def named_ids(events: tuple[Event, ...]) -> list[str]:
    """Return the distinct ids that events name, in order."""
    found: dict[str, None] = {}
    for event in events:
        found.setdefault(event.id)
        if isinstance(event, FactSuperseded):
            found.setdefault(event.new)
    return list(found)


class Receipt(Record):
    """What an append did.

    Args:
        stem: the log's name.
        commit: the commit that has it, "" for a dry run or a staged log.
        facts: ids born.
        tiers: (id, tier before, tier after) of the facts whose tier changed; "" for none.
        findings: what was noticed.
        already: the log was recorded before; nothing was written.
        path: of the log, relative to the home.
        data: its bytes.
    """

    stem: str
    commit: str
    facts: tuple[str, ...]
    tiers: tuple[tuple[str, str, str], ...]
    findings: tuple[Finding, ...]
    already: bool
    path: str
    data: bytes


def births(events: tuple[Event, ...]) -> tuple[str, ...]:
    """Return the ids of the facts that events create."""
    return tuple(event.id for event in events if isinstance(event, FactCreated))
