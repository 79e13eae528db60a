"""Print the reasons behind a place of the code: commits, sessions, and what these decided."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ledger.errors import NotFound
from ledger.git.repository import find_repository
from ledger.model.order import ended_of, stamp_of
from memory.query.code_question import (
    CUT,
    NOT_COMMITTED,
    PATHS_HINT,
    Touched,
    code_asked,
)
from memory.query.reasons import Reason, Reasons, reasons
from projection.brief.wording import shortened
from projection.graph.fact_links import footer
from projection.policy.model import ATTEMPT_KIND
from rituals.answers.json_objects import log_object
from rituals.answers.record_fields import fields_of, mark_object
from rituals.cli.context import Invocation
from rituals.cli.output import Line, Output, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_TEXT_CHARS, _KIND_CHARS, _DAY = 120, 10, len("2026-01-01")


def told_of_code(call: Invocation, asked: str) -> bool:
    """Answer about a place of the code; False where nothing of the code is meant."""
    memory = call.reader()
    folder = call.folder()
    repository = find_repository(folder) or memory.home.repository
    place = code_asked(repository, asked, folder)
    if place is None:
        first = asked.partition("/")[0]
        if first != asked and os.path.isdir(os.path.join(repository.top or folder, first)):
            raise NotFound(f"there is no file {asked}", hint=PATHS_HINT.format(repository.top))
        return False
    found = reasons(memory, place)
    call.opened([one.fact.id for one in found.decisions])
    call.answer(lambda: _reasons_object(found), _lines(found, call.out))
    if not (found.decisions or call.json):
        call.out.talk("no decision is linked with it")
    return True


def _reasons_object(found: Reasons) -> dict[str, Any]:
    place = found.place
    return {
        **fields_of(place, "asked path line text more"),
        "uncommitted": _spans(place.uncommitted),
        "commits": [_commit_object(one) for one in place.touched],
        "sessions": [{**log_object(one.log), "by": one.by} for one in found.sessions],
        "decisions": [_reason_object(one) for one in found.decisions],
    }


def _commit_object(one: Touched) -> dict[str, Any]:
    date = ended_of(stamp_of(max(0, one.commit.written) * 1000))
    fields = "commit=commit.id author=commit.author subject=commit.subject cut"
    return {**fields_of(one, fields), "date": date, "lines": _spans(one.lines)}


def _reason_object(one: Reason) -> dict[str, Any]:
    said = {
        **fields_of(one, "id=fact.id kind=fact.kind text=fact.text by"),
        **mark_object(one.mark),
    }
    return {**said, "outcome": footer(one.fact, "outcome")}


def _spans(lines: Sequence[int]) -> list[list[int]]:
    """Write numbers of lines as spans: their first and last."""
    found: list[list[int]] = []
    for line in lines:
        if found and line == found[-1][1] + 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def _lines(found: Reasons, out: Output) -> Iterator[Line]:
    place = found.place
    head = f"{place.path}:{place.line}" if place.line else place.path
    whole = f"{head}  " if place.line else ""
    if head and not place.line:
        yield ((head, "bold"),)
    if place.uncommitted:
        lines = "" if place.line else f"{counted(len(place.uncommitted), 'line')}  "
        yield (whole or f"  {lines}", "bold"), NOT_COMMITTED
    for one in place.touched:
        commit = one.commit
        lines = f"  {counted(len(one.lines), 'line')}  " if head and not place.line else whole
        said = f'"{shortened(commit.subject, _TEXT_CHARS)}"'
        day = stamp_of(max(0, commit.written) * 1000)[:_DAY]
        yield (lines, "bold"), (commit.id[:7], "yellow"), f"  {day}  {commit.author}  {said}"
        if one.cut:
            yield "  ", CUT.format(commit.id[:7])
    if place.more:
        yield f"  and {counted(place.more, 'commit')} more"
    for session in found.sessions:
        log = session.log
        said = f"{log.agent or 'nobody named'}: {log.title}"
        yield _line("session", out.short(log.stem), said, ", ".join(session.by))
    for reason in found.decisions:
        tried = reason.fact.kind == ATTEMPT_KIND
        yield _reason("tried" if tried else reason.fact.kind, reason)


def _reason(kind: str, reason: Reason) -> Line:
    """Write a fact, behind what has to be known before, and by what it is linked."""
    contested = "contradicted" * reason.fact.contradicted
    before = reason.mark.whole or contested or footer(reason.fact, "outcome")
    text = shortened(" ".join(reason.fact.text.split()), _TEXT_CHARS) + reason.mark.behind
    ways = dict.fromkeys("session" if one.startswith("session ") else one for one in reason.by)
    said = f"{before}: {text}" if before else text
    return _line(kind, reason.fact.id, said, f"by {', '.join(ways)}")


def _line(kind: str, name: str, said: str, by: str) -> Line:
    """Write one line: what it is, its name, its words, and by what it is linked."""
    return (f"{kind:<{_KIND_CHARS}} ", "dim"), (name, "bold"), f"  {said}  ", (by, "dim")
