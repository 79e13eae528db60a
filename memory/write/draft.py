"""Define what is to be appended, before it has a name, and the receipt for it.

And keep what is only one person's out of a home that others share: drafts before they are sealed, logs
that wait, logs that come as files (FORMAT.md, S16). What is in the history already no one can refuse:
`diurna check --ci` names it.
"""

from __future__ import annotations

import os

from ledger.errors import DraftRefused
from ledger.home import OWN_REPOSITORY, Home, personal_folder
from ledger.model.event import (
    GRAMMAR,
    OPENED,
    VERBS,
    Event,
    FactCreated,
    FactReferenced,
    FactUpdated,
    facts_in,
    is_received,
    written,
)
from ledger.model.finding_codes import Finding
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import (
    DEFAULT_TITLE,
    PERSONAL_KEY,
    PERSONAL_VALUE,
    WORK,
    WORKING,
    Entry,
    SessionLog,
    personal_ids,
    says_personal,
)
from projection.policy.model import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ledger.git.committer import Identity
    from ledger.wal.spool import Spool
    from memory.cache.cache_file import Cache
    from memory.replay.tip_snapshot import Snapshot
    from projection.fold.fact_history import Fact, History

#: What logs are where a person commits them (W21).
NOT_COMMITTED = "not committed"
ANYWAY = 'if it is meant as it is, say `--anyway` (`"anyway": true` in JSON)'
#: What a list of facts that were only relied on is called.
USED = "Used"
_ELSEWHERE = (
    "`diurna note --personal` records it in your own home, `diurna init --personal` makes one; where "
    "everybody may know it, leave the footer out"
)


class SessionDraft(Record):
    """What an agent wants to record."""

    title: str = DEFAULT_TITLE  #: one line
    prose: str = ""  #: markdown: what happened, why, what is next
    events: tuple[Event, ...] = ()  #: what happened to which facts
    agent: str = ""  #: who writes, "" for the default of the process
    type: str = WORK  #: one of `TYPES`; more work of a session is written as `continued` by itself
    #: further header values: `role`, `host`, `model`, `session`, `started` and own keys
    header: tuple[tuple[str, str], ...] = ()
    made: tuple[str, ...] = ()  #: ids that nobody chose: they were made from the texts of new facts
    anyway: bool = False  #: ids that memory does not know are meant as they are
    #: references that somebody typed by themselves: where one leads nowhere, nothing is recorded;
    #: of a whole log it is left out
    typed: tuple[str, ...] = ()


class Occasion(Record):
    """When and by whom a write is made: read once, by the caller."""

    now_ms: int  #: the wall clock, milliseconds since 1970
    identity: Identity  #: of the commit
    agent: str  #: who writes the log when the draft does not say
    session: str = ""  #: of which host's session a `work` log is then, "" for none
    typed: bool = False  #: an agent that the draft names was named by this agent, with its command


class WriteRequest(Record):
    """A draft, and how it is to be recorded."""

    draft: SessionDraft
    occasion: Occasion
    again: bool = False  #: even if the same was recorded a moment ago
    dry_run: bool = False  #: change nothing; the receipt says what would be
    #: refuse what is otherwise told: a secret, a new fact that repeats or denies another one
    strict: bool = False
    on: str | None = (
        None  #: record it while the home shows this view (`ledger_version.seen`), or not at all
    )
    #: nobody asked for this log: it is durable, and waits until it disturbs nobody's work (W14)
    held: bool = False
    at: int = 0  #: it tells of the past, and is stamped there (O6): milliseconds since 1970
    now: bool = False  #: commit it at once, also where a person commits logs (W21)

    @property
    def session(self) -> str:
        """Of which host's session it tells, "" for none."""
        return dict(self.draft.header).get("session") or self.occasion.session

    @property
    def agent(self) -> str:
        """Who writes the log."""
        return self.draft.agent or self.occasion.agent


class Case(Record):
    """An append under way: what the amendments of its log go by."""

    snapshot: Snapshot  #: of the home
    home: Home  #: where it is recorded
    cache: Cache  #: as it was when the draft was read
    spool: Spool  #: of the home
    asked: WriteRequest
    opened: Sequence[tuple[int, str]]  #: what its session opened (`host_session.opened_by`)
    histories: Mapping[str, History] = {}  #: of what the log names, once that is known
    facts: Mapping[str, Fact] = {}  #: those of them that the ledger has a text for, by their ids


def draft_of(log: SessionLog) -> SessionDraft:
    """Turn a log that a person wrote by hand into a draft."""
    return SessionDraft(log.title, log.prose, log.events, log.get("agent"), log.type, log.header)


def same_draft(a: SessionLog, b: SessionLog) -> bool:
    """Tell whether two logs record the same: all but when, where and on top of what."""
    return (
        a.get("agent") == b.get("agent")
        and a.get("session") == b.get("session")
        and (a.type == b.type or {a.type, b.type} == {*WORKING})
        and all(a.get(key) == b.get(key) for key in ("verdict", "about"))
        and a.title == b.title
        and a.prose == b.prose
        and _bare(a.events) == _bare(b.events)
    )


def _bare(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Leave out what an append fills in: a retried update finds its own version in place."""
    opened = {one for one in events if type(one) is FactReferenced and one.remark == OPENED}
    return tuple([_bare_event(one) for one in events if not (is_received(one) or one in opened)])


def _bare_event(event: Event) -> Event:
    filled: dict[str, Any] = {
        naming.field: None for naming in GRAMMAR[type(event)].namings if naming.filled
    }
    if isinstance(event, FactUpdated):
        filled["mark"] = ""
    return event._replace(**filled) if filled else event


def named_ids(events: tuple[Event, ...]) -> list[str]:
    """Return the distinct ids that events name, in order."""
    return list(dict.fromkeys(fact for event in events for fact in facts_in(event)))


def renamed(events: tuple[Event, ...], names: Mapping[str, str]) -> tuple[Event, ...]:
    """Return events that name other facts: the ids by those that stand for them; each event once."""
    found: dict[Event, None] = {}
    for event in events:
        one: dict[str, Any] = {"id": names.get(event.id, event.id)}
        arrow = GRAMMAR[type(event)].arrow
        if arrow is not None and arrow.is_fact:
            other = getattr(event, arrow.field)
            one[arrow.field] = names.get(other, other)
        found[event._replace(**one)] = None
    return tuple(found)


class Near(Record):
    """A fact that holds, and is near a new one: the same, the opposite, or of one subject."""

    fact: str  #: the new or updated one
    id: str  #: of the one that is there
    kind: str  #: of that one
    text: str  #: what that one says


class Receipt(Record):
    """What an append did."""

    stem: str  #: the log's name
    commit: str = ""  #: the commit that has it, "" for a dry run or a staged log
    facts: tuple[str, ...] = ()  #: ids born
    already: bool = False  #: the log was recorded before; nothing was written
    path: str = ""  #: of the log, relative to the home; to the work tree where a person commits it
    data: bytes = b""  #: its bytes
    findings: tuple[Finding, ...] = ()  #: what was noticed
    #: what it did to facts (`did`), without those that it only relied on
    did: tuple[tuple[str, tuple[str, ...]], ...] = ()
    type: str = WORK  #: of the log
    entry: Entry | None = None  #: what the fold needs of it
    #: what it waits for to be committed, "" for nothing: it is recorded, and every answer has it
    waits: str = ""
    near: tuple[Near, ...] = ()  #: facts that hold, and are near the new ones

    def place(self, branch: str) -> str:
        """Say where the log is: in a commit on a branch, in a file, or what it waits for."""
        if self.waits == NOT_COMMITTED:
            return f"{'already ' * self.already}written to {self.path} ({self.waits})"
        if self.waits:
            return f"waits{waits_for(self.waits)}"
        said = "already recorded" if self.already else "committed"
        return f"{said} in {self.commit[:7]} on {branch}"


def waits_for(because: str) -> str:
    """Say what something waits for, behind the word that it does."""
    return f": {because}" if because else ""


def deeds(entry: Entry) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what a session did to facts: (verb, ids), in the order of FORMAT.md's table.

    A supersession reads `old → new`; what the log only relied on stands under `Used`.
    """
    found = {
        verb: tuple(dict.fromkeys([written(one) for one in entry.acts if type(one) is kind]))
        for verb, kind in VERBS.items()
    }
    touched = {*named_ids(entry.acts)}
    found[USED] = tuple([id for id in entry.named if id not in touched])
    return tuple([(verb, ids) for verb, ids in found.items() if ids])


def receipt_rows(receipt: Receipt) -> list[tuple[str, str]]:
    """Return what an append did, a line each: (verb, of what); a retry did nothing."""
    return [
        (verb.lower(), fact) for verb, ids in receipt.did for fact in ids if not receipt.already
    ]


def text_of(event: Event) -> str:
    """Return the text that an event brings, "" for none."""
    return (event.text or "") if isinstance(event, FactCreated | FactUpdated) else ""


def births(events: tuple[Event, ...]) -> tuple[str, ...]:
    """Return the ids of the facts that events create."""
    return tuple(event.id for event in events if isinstance(event, FactCreated))


def is_own(home: Home, policy: Policy) -> bool:
    """Tell whether a home is the one of what is only the user's: by its place, and by what it says."""
    return (
        policy.personal
        and home.kind == OWN_REPOSITORY
        and home.repository.top == os.path.realpath(personal_folder())
    )


def refuse_personal(home: Home, policy: Policy, events: Iterable[Event], file: str = "") -> None:
    """Refuse facts that are only one person's where others share the home.

    `file` is the one that they come from, "" for none.

    Raises:
        DraftRefused: the findings name each of them.
    """
    found = personal_ids(events)
    if found and not is_own(home, policy):
        raise DraftRefused(tuple([personal_finding(fact, file) for fact in found]))


def kept_back(home: Home, policy: Policy, logs: Mapping[str, Entry]) -> dict[str, Finding]:
    """Return the logs, of those that wait for a commit, that hold such facts, and what to say of each."""
    if is_own(home, policy):
        return {}
    named = {stem: personal_ids(entry.acts) for stem, entry in logs.items()}
    return {
        stem: personal_finding(ids[0])._replace(
            message=f"{stem} goes on waiting: {personal_finding(ids[0]).message}"
        )
        for stem, ids in named.items()
        if ids
    }


def personal_finding(fact: str, file: str = "") -> Finding:
    """Say that a fact is only one person's, and where it belongs."""
    said = f"{fact} is only one person's (`{PERSONAL_KEY}: {PERSONAL_VALUE}`), and others share this home"
    return Finding("personal-item", said, file, hint=_ELSEWHERE)


def as_personal(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return events whose new facts all say that they are only one person's."""
    from ledger.codec.fact_blocks import order_meta

    return tuple(
        [
            event._replace(meta=order_meta((*event.meta, (PERSONAL_KEY, PERSONAL_VALUE))))
            if isinstance(event, FactCreated) and not says_personal(event.meta)
            else event
            for event in events
        ]
    )
