"""Check what is said beside new facts: footers that kinds go by (FORMAT.md, S14), and evidence.

A key that nobody knows is the writer's own and is kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.errors import DraftRefused
from ledger.escape import prose
from ledger.home import OWN_REPOSITORY
from ledger.model.event import Event, FactCreated, FactHelped, FactUpdated, Meta
from ledger.model.evidence import form_of, place_in
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.session import (
    ASKED_KEY,
    CHECK_KEY,
    OBSOLETE_KEY,
    PERSONAL_KEY,
    PERSONAL_VALUE,
    UNTIL_KEY,
    WORKING,
    SessionLog,
)
from memory.write.draft import Case
from projection.fold.checks import unproven
from projection.fold.falsity import CONFLICTS, NO_CONFLICTS
from projection.policy.model import QUESTION_KIND, TASK_KIND

#: Keys that hold ids of facts and nothing else.
OF_IDS = ("depends", "about", "expect", CONFLICTS)
#: The keys that may be said of a new fact besides id, kind, tags and entity.
FOOTERS = (
    "role", "serves", *OF_IDS, "priority", "owner", "goal", "workstream", "from", "to", "confidence",
    "outcome", "iteration", "rule", "path", "symbol", "salience", "title", UNTIL_KEY, OBSOLETE_KEY,
    CHECK_KEY, "misfit", "note", "warns", ASKED_KEY, PERSONAL_KEY,
)  # fmt: skip
#: What the value of some keys can be.
_WORDS = {"priority": ("low", "medium", "high"), "outcome": ("failed", "worked")}
_SALIENCE, _WARNS_CHARS, _ASKED_CHARS, _TITLE_CHARS = 10, 200, 300, 120
_ALIKE = 0.8
#: From so many characters on, the start of a key is taken for it.
_BEGUN_CHARS = 3


def check_footers(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Refuse new facts with footers that can not be.

    Raises:
        DraftRefused: the findings name each footer.
    """
    found = []
    for event in log.events if log.type in WORKING else ():
        if isinstance(event, FactUpdated):
            found += [_no_end(event.id, *pair) for pair in _unread_ends(event.meta)]
        if isinstance(event, FactCreated):
            said = dict(event.meta)
            found += [
                Finding("bad-footer", f"{event.id}: `{key}` is {value[:40]!r}", hint=hint)
                for key, value in event.meta
                if (hint := _wrong(key, value, said.get("kind", "")))
            ]
            if said.get("kind") == QUESTION_KIND and not said.get("expect"):
                message = f"{event.id} is a question and does not say `expect`"
                hint = (
                    "name the facts that answer it: `expect=ID,ID`; an open question is a `thread`"
                )
                found.append(Finding("bad-footer", message, hint=hint))
    if found:
        raise DraftRefused(tuple(found))
    return log, ()


def with_read_ends(events: Iterable[Event]) -> tuple[tuple[Event, ...], tuple[Finding, ...]]:
    """Leave out what is to end facts and has no form of these, and tell it: a whole log is worth more."""
    kept: list[Event] = []
    told: list[Finding] = []
    for event in events:
        wrong = _unread_ends(event.meta) if isinstance(event, FactCreated | FactUpdated) else ()
        if wrong and isinstance(event, FactCreated | FactUpdated):
            event = event._replace(meta=tuple([pair for pair in event.meta if pair not in wrong]))
            told += [_no_end(event.id, *pair, "; it is left out") for pair in wrong]
        kept.append(event)
    return tuple(kept), tuple(told)


def _unread_ends(meta: Meta) -> list[tuple[str, str]]:
    return [one for one in meta if one[0] in (UNTIL_KEY, CHECK_KEY) and _wrong(*one, "")]


def _no_end(fact: str, key: str, value: str, kept: str = "") -> Finding:
    said = f"{fact}: `{key}` can not be read: {value[:40]!r}{kept}"
    return Finding("bad-footer", said, hint=_wrong(key, value, ""))


def footer_value(text: str) -> str:
    """Make a text fit to be the value of a footer (FORMAT.md, S11)."""
    return prose(text).replace("|", "¦")


def meant_key(key: str) -> str:
    """Return the key that was probably meant by another word, "" for none."""
    from difflib import get_close_matches

    low = key.lower()
    if low in FOOTERS:
        return "" if key == low else low
    begun = [one for one in FOOTERS if len(low) >= _BEGUN_CHARS and one.startswith(low)]
    alike = begun or get_close_matches(low, FOOTERS, 1, _ALIKE)
    return alike[0] if alike else ""


def _wrong(key: str, value: str, kind: str) -> str:
    """Say what a value has to be; "" where it is right."""
    if key in OF_IDS:
        wrong = not all(map(is_fact_id, value.replace(",", " ").split())) and value != NO_CONFLICTS
        return "ids of facts, parted by commas" if wrong else ""
    if key in _WORDS and (key != "priority" or kind == TASK_KIND):
        return "" if value in _WORDS[key] else f"one of {', '.join(_WORDS[key])}"
    whole = value.isascii() and value.isdigit() and len(value) < 10
    if key == "salience":
        return "" if whole and 1 <= int(value) <= _SALIENCE else f"a number from 1 to {_SALIENCE}"
    if key == "warns":
        said = [part.split() for part in value.split(",")]
        named = len(value) <= _WARNS_CHARS and all(words and words[0].strip("*?") for words in said)
        return "" if named else "commands, parted by commas: `pip install, pip3 install`; or `none`"
    if key == ASKED_KEY:
        return (
            ""
            if len(value) <= _ASKED_CHARS
            else f"two or three questions, {_ASKED_CHARS} characters"
        )
    if key == "title":
        fits = value and value.isprintable() and len(value) <= _TITLE_CHARS
        return "" if fits else f"one line of at most {_TITLE_CHARS} characters"
    if key == PERSONAL_KEY:
        return "" if value == PERSONAL_VALUE else f"`{PERSONAL_VALUE}`, or leave it out"
    if key in (UNTIL_KEY, CHECK_KEY):
        from projection.text.until_conditions import CHECKS, FORMS, until_in

        if key == CHECK_KEY:
            return "" if until_in(f"{CHECK_KEY} {value}") else f"one of: {CHECKS}"
        return "" if until_in(value) else f"one of: {FORMS}"
    if key == "iteration":
        return "" if whole else "a whole number"
    return ""


def check_evidence(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Refuse places that the code has not at the log's commit; name the helps without evidence.

    Of a home in a repository of its own the code is not known, and nothing is looked at. The log has
    its header filled in.

    Raises:
        DraftRefused: the findings name each place.
    """
    home, commit = case.home, log.get("commit")
    working = log.type in WORKING
    helped = [event for event in log.events if working and isinstance(event, FactHelped)]
    if not helped:
        return log, ()
    places = [(event, place) for event in helped if (place := place_in(event.remark))]
    if commit and places and home.kind != OWN_REPOSITORY:
        from ledger.git.ancestry import missing

        gone = missing(home.repository.git(), [(commit, place) for _, place in places])
        wrong = tuple(
            Finding("evidence-gone", f"{event.id}: {place.path}:{place.line} is not at {commit[:7]}",
                    hint="paths begin at the top of the repository, and what is not committed is not "
                    "there yet; a command does as well: `--helped 'ID=pytest -q: exit 0'`")
            for event, place in places
            if (commit, place) in gone
        )  # fmt: skip
        if wrong:
            raise DraftRefused(wrong)
    return log, tuple(unproven(event.id) for event in helped if not form_of(event.remark))
