"""Say what new facts name that nobody will be able to look up, and what they say of a person.

That is days, files, and ends that are true already or that nobody will see (FORMAT.md, U2, U3). Nothing is
refused for it. Most texts have no sign of any, and load nothing.
"""

from __future__ import annotations

import os

from ledger.git.repository import is_shallow
from ledger.home import OWN_REPOSITORY
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.findings import Finding
from ledger.model.session import CHECK_KEY, UNTIL_KEY, WORKING
from memory.cache.broken_truth_file import has_code
from memory.write.personal_guard import is_own, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.home import Home
    from ledger.model.session import SessionLog
    from memory.write.draft import Case
    from projection.text.until_conditions import Until

#: What texts hold where they may say a day from today; months that are shorter than others.
_SIGNS = (
    "yesterday", "tomorrow", " ago", "last ", "next ", "this morning", "tonight", "gestern", "letzte ",
    "nächste ",
)  # fmt: skip
_SHORT = ("February", "April", "June", "September", "November")
#: How many texts of one log, and files of one text, are looked at.
_TEXTS, _FILES = 50, 8


def doubtful(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Say what is doubtful in the new facts of a log of work that somebody asked for."""
    home, now_ms = case.home, case.occasion.now_ms
    if log.type not in WORKING or case.how.held or is_own(home, case.cache.policy):
        return log, ()
    texts = [
        (event.id, event.text)
        for event in log.events
        if isinstance(event, FactCreated | FactUpdated) and event.text
    ]
    doubts = [one for id, text in texts[:_TEXTS] for one in _of_text(home, id, text, now_ms)]
    return log, (*statements(log), *doubts, *_ends_told(home, log))


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


def _ends_told(home: Home, log: SessionLog) -> Iterator[Finding]:
    """Yield what the writers of new facts do not expect of their ends."""
    for event in log.events:
        meta = event.meta if isinstance(event, FactCreated | FactUpdated) else ()
        said = dict(meta)
        if not (UNTIL_KEY in said or CHECK_KEY in said):
            continue
        from projection.text.until_conditions import DATE, check_of, until_in

        words = (said.get(UNTIL_KEY, ""), check_of(meta))
        for until in filter(None, map(until_in, filter(None, words))):
            if until.form != DATE:
                yield from _end_told(home, event.id, until)


def _end_told(home: Home, fact: str, until: Until) -> Iterator[Finding]:
    from memory.cache.ended_facts import is_true_now

    repository = home.repository
    if not has_code(home) or repository.promisor or is_shallow(repository):
        message = f"{fact}: this home knows too little of commits to see when {until.said}"
        yield Finding("until-unseen", message, hint="a day, `date YYYY-MM-DD`, is seen anywhere")
    elif is_true_now(until, repository.top):
        message = f"{fact}: {until.said} is {'not so' if until.checks else 'true already'}"
        yield Finding("until-unseen", message, hint="it is seen once that was otherwise in between")
