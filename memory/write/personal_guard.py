"""Keep what is only one person's out of every home that is not their own (FORMAT.md, S16).

Whatever is to be committed goes through here: drafts before they are sealed, logs that wait, logs that
come as files. What is in the history already no one can refuse: `diurna check --ci` names it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ledger.codec.fact_blocks import order_meta
from ledger.codec.log import read_entry
from ledger.errors import DraftRefused
from ledger.home import OWN_REPOSITORY, Home, personal_folder
from ledger.model.event import Event, FactCreated
from ledger.model.findings import Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.personal_footer import PERSONAL_KEY, PERSONAL_VALUE, personal_ids, says_personal
from ledger.model.session import Entry
from projection.policy.model import Policy

_HINT = (
    "`diurna note --personal` records it in your own home, `diurna init --personal` makes one; where "
    "everybody may know it, leave the footer out"
)


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
        raise DraftRefused(tuple([finding(fact, file) for fact in found]))


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
        stem: finding(ids[0])._replace(message=f"{stem} goes on waiting: {finding(ids[0]).message}")
        for stem, ids in named.items()
        if ids
    }


def finding(fact: str, file: str = "") -> Finding:
    """Say that a fact is only one person's, and where it belongs."""
    said = f"{fact} is only one person's (`{PERSONAL_KEY}: {PERSONAL_VALUE}`), and others share this home"
    return Finding("personal-item", said, file, hint=_HINT)


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
