"""Import events that `diurna export events` wrote: the same logs, to the byte, so the same state.

All lines are read before anything is written, and one that is not what it says refuses them all. What is
there already is passed over, so a second import changes nothing. A log that says again what was redacted
here stays out, and is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import BinaryIO

from ledger.codec.log import decode
from ledger.errors import DraftRefused
from ledger.model.finding_codes import Finding
from ledger.model.layout import SESSIONS_DIR
from ledger.model.log_names import is_sealed
from ledger.model.record import Record
from memory import Memory, Withheld, held_logs, repeated_places, withheld_of
from rituals.report.event_lines import (
    KIND,
    LINE_LIMIT_BYTES,
    VERSION,
    Carried,
    read_line,
    read_object,
)

#: How many refused lines are named.
_NAMED = 10
_LEFT_OUT_HINT = "`diurna append FILE` says again in other words what may be known of it"
#: How many logs one commit brings: what has to be held at once.
_PART = 5000


class Arrival(Record):
    """What an import brings."""

    project: str  #: of the ledger that was exported
    logs: int  #: how many lines tell of one
    new: tuple[Carried, ...]  #: those that the home does not have
    redacted: int  #: how many facts and logs are withheld in what was exported
    left_out: tuple[Finding, ...] = ()  #: which logs say again what was redacted here
    commits: tuple[str, ...] = ()  #: that brought them; none for a plan


def plan_arrival(
    memory: Memory, file: BinaryIO, name: str, progress: Callable[[int, int], None]
) -> Arrival:
    """Read all lines of a file, and say which logs are new.

    Progress is told how many of how many logs are read.

    Raises:
        DraftRefused: a line is not what it says, or would bring back what was taken out.
    """
    head = _head(file.readline(LINE_LIMIT_BYTES + 1), name)
    tip = memory.snapshot.tip
    known, held, gone, telling = tip.ask(
        lambda cache: (
            {(ref.stem, ref.blob) for ref in cache.log_refs()},
            held_logs(cache),
            cache.redacted,
            withheld_of(memory.home, cache, words=False),
        )
    )
    refused: list[Finding] = []
    left_out: list[Finding] = []
    new: dict[str, Carried] = {}
    logs, total = 0, _number(head, "logs")

    def refuse(message: str, number: int, hint: str = "") -> None:
        refused.append(Finding("unreadable", message, name, number, hint))

    for number, line in enumerate(iter(lambda: file.readline(LINE_LIMIT_BYTES + 1), b""), 2):
        if not line.strip():
            continue
        logs += 1
        progress(logs, max(total, logs))
        try:
            one = read_line(line)
        except ValueError as problem:
            refuse(str(problem), number)
            if len(line) > LINE_LIMIT_BYTES:
                break
            continue
        if (one.stem, one.blob) in known:
            continue
        if (one.stem, one.blob) in held:
            said = f"{one.stem} was redacted and taken out of the history here"
            refuse(said, number, "`diurna append FILE` says again what holds of it")
        elif new.get(one.path, one).blob != one.blob:
            refuse(f"{one.path} stands there twice, with different bytes", number)
        elif telling is not None and _tells(telling, gone, one):
            said = f"{one.stem} was left out: it says what was redacted here"
            left_out.append(Finding("withheld-text", said, name, number, _LEFT_OUT_HINT))
        else:
            new[one.path] = one
    if not refused and total and logs != total:
        said = f"it holds {logs} of {total} logs: it was cut short, or put together"
        refuse(said, logs + 1, "export it again")
    if refused:
        raise DraftRefused(tuple(refused[:_NAMED]))
    project, redacted = str(head.get("project", ""))[:200], _number(head, "redacted")
    return Arrival(project, logs, tuple(new.values()), redacted, tuple(left_out))


def _number(head: dict[str, object], key: str) -> int:
    found = head.get(key)
    return found if isinstance(found, int) else 0


def apply_arrival(memory: Memory, plan: Arrival) -> Arrival:
    """Commit the logs of a plan, and the projection where a write publishes.

    Raises:
        DiurnaError: it can not be committed.
    """
    refs = memory.ask(lambda cache: cache.log_refs(), committed=True)
    here = {ref.path: ref.blob for ref in refs}
    commits: list[str] = []
    for start in range(0, len(plan.new), _PART):
        part = [(_place(one, here), one.data) for one in plan.new[start : start + _PART]]
        said = "a session log" if len(part) == 1 else f"{len(part)} session logs"
        commits.append(memory.commit_files(tuple(part), f"diurna: import {said}"))
    if commits and memory.publishes() and not memory.edited():
        _, made = memory.publish()
        commits += [made] if made else []
    return plan._replace(commits=tuple(commits))


def _tells(telling: Withheld, gone: frozenset[str], one: Carried) -> bool:
    """Tell whether a log says what was withheld, otherwise than of a fact that is withheld anyway."""
    log, _ = decode(one.data, sealed=is_sealed(one.stem))
    events = tuple([event for event in log.events if event.id not in gone])
    return repeated_places(telling, log._replace(events=events)) != ()


def _place(one: Carried, here: dict[str, str]) -> str:
    """Return where a log goes: beside the one that has its place with other bytes (FORMAT.md, M6)."""
    if here.get(one.path, one.blob) == one.blob:
        return one.path
    return f"{SESSIONS_DIR}/twins/{one.blob}/{one.path.rpartition('/')[2]}"


def _head(line: bytes, name: str) -> dict[str, object]:
    hint = "`diurna export events > FILE` writes what is read here"
    try:
        said = read_object(line)
    except ValueError:
        said = {}
    begins = {"kind": KIND, "version": VERSION}
    if {key: said.get(key) for key in begins} != begins:
        message = f"it does not begin as an export of events does: {json.dumps(begins)}"
        raise DraftRefused((Finding("unreadable", message, name, 1, hint),))
    return said
