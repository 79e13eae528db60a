"""Say what new texts name that nobody will be able to look up: days and files.

Nothing is refused for it. Most texts have no sign of any, and load nothing.
"""

from __future__ import annotations

import os

from ledger.home import OWN_REPOSITORY
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.home import Home
    from ledger.model.session import SessionLog

#: What texts hold where they may say a day from today; months that are shorter than others.
_SIGNS = (
    "yesterday", "tomorrow", " ago", "last ", "next ", "this morning", "tonight", "gestern", "letzte ",
    "nächste ",
)  # fmt: skip
_SHORT = ("February", "April", "June", "September", "November")
#: How many texts of one log, and files of one text, are looked at.
_TEXTS, _FILES = 50, 8


def doubtful(home: Home, log: SessionLog, now_ms: int) -> tuple[Finding, ...]:
    """Return what is doubtful in the texts of new facts.

    `now_ms` is the time at which they are written, milliseconds since 1970.
    """
    texts = [
        (event.id, event.text)
        for event in log.events
        if isinstance(event, FactCreated | FactUpdated) and event.text
    ]
    return tuple([one for id, text in texts[:_TEXTS] for one in _of_text(home, id, text, now_ms)])


def _of_text(home: Home, id: str, text: str, now_ms: int) -> Iterator[Finding]:
    low = text.lower()
    signs = any(sign in low for sign in _SIGNS) or any(month in text for month in _SHORT)
    if signs or ("20" in text and "-" in text):
        from projection.text.relative_days import no_days, told_from_today

        for said, day in told_from_today(text, now_ms):
            hint = f"say the day: {day}" if day else "say the day"
            yield Finding(
                "relative-date", f"{id} says {said!r}, which no reader can date", hint=hint
            )
        for said in no_days(text):
            yield Finding("bad-date", f"{id} says {said}: there is no such day")
    if "/" in text and home.kind != OWN_REPOSITORY and home.repository.top:
        for path in _lacking(home, text):
            hint = "paths begin at the top of the repository; what is not written yet may be left as it is"
            yield Finding("no-such-file", f"{id} names {path}, which is not there", hint=hint)


def _lacking(home: Home, text: str) -> list[str]:
    """Return the files that a text names and neither work tree nor index has, at any depth."""
    from projection.text.claims import PATH, claims

    top = home.repository.top
    named = dict.fromkeys(
        one.subject
        for one in claims(text)
        if one.kind == PATH and "/" in one.subject[1:] and one.subject[0] != "."
    )
    away = [one for one in named if not os.path.lexists(f"{top}/{one}")][:_FILES]
    if not away:
        return []
    specs = [f":(top,glob)**/{_literal(one)}" for one in away]
    status, out, _ = home.repository.git().call("ls-files", "-z", "--", *specs)
    there = _known(out.decode("utf-8", "surrogateescape").split("\0"), away)
    return [] if status else [one for one in away if one not in there]


def _literal(path: str) -> str:
    return "".join(f"\\{char}" if char in "*?[\\" else char for char in path)


def _known(paths: Iterable[str], asked: list[str]) -> set[str]:
    return {one for path in paths for one in asked if path == one or path.endswith(f"/{one}")}
