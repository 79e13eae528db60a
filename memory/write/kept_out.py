"""Keep out of a home what may not come in: what is only one person's, and what was withheld.

Whatever is to be committed goes through here: drafts before they are sealed, logs that wait, logs that
come as files (FORMAT.md, S16, F9). What is in the history already no one can refuse: `diurna check --ci`
names it. What a machine gathered loses what may not come in; whoever means it is refused and told.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ledger.codec.fact_blocks import order_meta
from ledger.codec.log import read_entry
from ledger.errors import DraftRefused
from ledger.home import OWN_REPOSITORY, Home, personal_folder
from ledger.model.event import Event, FactCreated, FactRedacted, facts_in
from ledger.model.findings import Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.session import (
    DEFAULT_TITLE,
    EDIT,
    PERSONAL_KEY,
    PERSONAL_VALUE,
    Entry,
    SessionLog,
    personal_ids,
    says_personal,
)
from memory.write.draft import Case, text_of
from projection.policy.model import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.redaction.withheld_repeats import Withheld

_ELSEWHERE = (
    "`diurna note --personal` records it in your own home, `diurna init --personal` makes one; where "
    "everybody may know it, leave the footer out"
)
_HINT = "a redaction is for good; say what may be known in other words"


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


def refuse_personal_logs(
    home: Home, policy: Policy, files: Iterable[tuple[str, bytes | None]]
) -> None:
    """Refuse logs with such facts that come as files: (path, bytes or None).

    Raises:
        DraftRefused: the findings name each of them.
    """
    for path, data in files:
        if data is not None and path.startswith(SESSIONS_DIR) and PERSONAL_KEY.encode() in data:
            refuse_personal(home, policy, read_entry(stem_of(path), data)[0].acts, path)


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
    return tuple(
        [
            event._replace(meta=order_meta((*event.meta, (PERSONAL_KEY, PERSONAL_VALUE))))
            if isinstance(event, FactCreated) and not says_personal(event.meta)
            else event
            for event in events
        ]
    )


def without_withheld(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Return a log without what says again what was withheld; where somebody means it, refuse it.

    Raises:
        DraftRefused: the findings name the places, not the words.
    """
    if not case.cache.redacted:  # most homes withhold nothing
        return log, ()
    from memory.redaction.withheld_repeats import withheld_of

    telling = withheld_of(case.home, case.cache, words=case.asked.held)
    if telling is not None and case.asked.held:
        return _without(telling, log), ()
    if telling is not None and (found := repeated_places(telling, log)):
        raise DraftRefused(found)
    return log, ()


def repeated_places(telling: Withheld, log: SessionLog) -> tuple[Finding, ...]:
    """Name the places in which a log says again what was withheld, not the words."""
    said = [("the title", log.title), ("the prose", log.prose)]
    said += [(f"the text of {event.id}", text_of(event)) for event in log.events]
    said += [(f"what is said of {event.id}", event.remark) for event in log.events]
    hint = _HINT
    if log.type == EDIT:
        from projection.document.unlogged_lines import (
            WAY_OUT,  # it reads pages, which few logs need
        )

        hint = f"{_HINT}, {WAY_OUT}"
    found = [
        Finding("withheld-text", f"{where} says what was redacted here", hint=hint)
        for where, text in said
        if telling.repeats(text)
    ]
    return tuple(dict.fromkeys(found))


def _without(telling: Withheld, log: SessionLog) -> SessionLog:
    gone = {event.id for event in log.events if telling.repeats(text_of(event))}
    events = [
        event._replace(remark="") if telling.repeats(event.remark) else event
        for event in log.events
        if gone.isdisjoint(facts_in(event)) or isinstance(event, FactRedacted)
    ]
    prose = "\n".join(line for line in log.prose.split("\n") if not telling.repeats(line))
    title = DEFAULT_TITLE if telling.repeats(log.title) else log.title
    return log._replace(title=title, prose=prose.strip("\n"), events=tuple(events))
