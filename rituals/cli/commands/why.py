"""Run `diurna why`: where a fact comes from, or the reasons behind a place of the code."""

from __future__ import annotations

import os

from ledger.errors import NotFound
from ledger.home import PERSONAL
from ledger.model.order import ended_of, stamp_of
from memory.cache.name_lookup import fact_named, is_named
from memory.query.code_question import CUT, NOT_COMMITTED, PATHS_HINT, code_asked, code_repository
from memory.query.reasons import reasons
from memory.recall.recall_values import parted
from projection.brief.single_line import shortened
from projection.graph.fact_links import footer
from projection.policy.model import ATTEMPT_KIND
from rituals.answers.json_objects import log_object
from rituals.answers.record_fields import fields_of, mark_object
from rituals.cli.context import Invocation
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memory.api import Memory
    from memory.query.code_question import Touched
    from memory.query.provenance import Provenance
    from memory.query.reasons import Reason, Reasons
    from rituals.cli.output import Output
    from rituals.decide.version_list import Telling

#: So many supersessions are printed each way.
_NEAR = 100
_TEXT_CHARS, _KIND_CHARS, _DAY = 120, 10, len("2026-01-01")


def why(call: Invocation, id: str, versions: bool) -> None:
    """Run `diurna why`."""
    out = call.out
    if not versions:
        if _told_of_code(call, id):
            return
    memory, (fact,), home = call.holding((id,))
    shown = f"{home}/{fact}" if home else fact
    if not home:
        call.opened((fact,))
    if versions:
        from rituals.decide.version_list import tellings

        told = tellings(memory, fact)
        if call.json:
            out.answer(_versions_object(shown, told))
        else:
            _print_versions(shown, told, out)
        return
    found = memory.why(fact, near=0 if call.json else _NEAR)
    if home:  # of which the newest commit alone is here, and that tells of no log who committed it
        from memory.query.origins import Origin

        steps = tuple([step._replace(origin=Origin()) for step in found.steps])
        found = found._replace(id=shown, steps=steps)
    if call.json:
        from rituals.answers.json_objects import known_object, link_object, step_object
        from rituals.answers.record_fields import mark_object

        chain = [link_object(link) for link in found.chain]
        events = [step_object(step) for step in found.steps]
        known = known_object(found.known)
        marks = mark_object(found.mark)
        out.answer({"id": found.id, **marks, **known, "events": events, "chain": chain})
        return

    _print_provenance(found, out)


def _versions_object(fact: str, found: tuple[Telling, ...]) -> dict[str, object]:
    step = "version text event was stem agent date title commit"
    return {
        "id": fact,
        "versions": [
            {**fields_of(one, "number stands"), **fields_of(one.step, step)} for one in found
        ],
    }


def _print_versions(fact: str, found: tuple[Telling, ...], out: Output) -> None:
    out.line((fact, "bold"))
    for one in found:
        step = one.step
        stands = "  stands" if one.stands else ""
        replaces = f"  replaces {', '.join(step.was)}" if step.was else ""
        out.line("")
        out.line(f"{one.number:>3}  ", (step.version, "yellow"), (stands, "green"), replaces)
        out.line(f"     {step.date}  {step.event} by {step.agent or 'nobody named'}: {step.title}")
        out.line(("     in ", "dim"), out.short(step.stem))
        for line in step.text.split("\n"):
            out.line(f"     {line}".rstrip())


def _print_provenance(found: Provenance, out: Output) -> None:
    said = [one for one in (found.mark.said, found.known.said, found.mark.behind.strip()) if one]
    out.line((found.id, "bold"), "".join([f"  {one}" for one in said]))
    for step in found.steps:
        out.line("")
        out.line(f"{step.date}  ", (step.event, "bold"), f"  by {step.agent or 'nobody named'}")
        made = "waiting to be committed" if step.waiting else step.origin.said
        out.line(("  in ", "dim"), out.short(step.stem), f", {made}" if made else "")
        if step.source or step.by:
            wrote = f", written {step.created}" if step.created else ""
            out.line(
                f"  from {step.source or 'elsewhere'}{wrote}{f' by {step.by}' if step.by else ''}"
            )
        if step.remark:
            out.line(f"  {'evidence' if step.proof else 'remark'}: {step.remark}")
        if step.version:
            replaces = f", replaces {', '.join(step.was)}" if step.was else ""
            out.line(f"  version {step.version}{replaces}:")
            for line in step.text.split("\n"):
                out.line(f"    {line}".rstrip())
    if found.chain:
        out.line("")
        out.line(("supersessions", "bold"))
    for link in found.chain:
        left = "" if link.counts else "  (does not count)"
        out.line(f"  {link.old} → {link.new}{left}  ", (out.short(link.stem), "dim"))
    if found.further:
        out.line("  … and more, further away: --json has all")


def _told_of_code(call: Invocation, asked: str) -> bool:
    """Answer about a place of the code; False where a fact is meant, or nothing of the code."""
    memory = call.memory()
    if _is_fact(memory, asked):
        return False
    folder = call.folder()
    repository = code_repository(memory.home.repository, folder)
    place = code_asked(repository, asked, folder)
    if place is None:
        first = asked.partition("/")[0]
        if first != asked and os.path.isdir(os.path.join(repository.top or folder, first)):
            raise NotFound(f"there is no file {asked}", hint=PATHS_HINT.format(repository.top))
        return False
    found = reasons(memory, place)
    call.opened([one.fact.id for one in found.decisions])
    if call.json:
        call.out.answer(_reasons_object(found))
    else:
        _print_reasons(found, call.out)
    return True


def _is_fact(memory: Memory, asked: str) -> bool:
    """Tell whether a word names a fact, here or in a home beside."""
    cache = memory.cache()
    name = parted(asked)[0]
    if name:
        return name in (PERSONAL, *[one.name for one in cache.policy.upstream])
    try:
        return is_named(cache, fact_named(cache, asked))
    except NotFound:  # several begin so: a file of that name is meant
        return False


def _reasons_object(found: Reasons) -> dict[str, Any]:
    place = found.place
    return {
        **fields_of(place, "asked path line text"),
        "uncommitted": _spans(place.uncommitted),
        "commits": [_commit_object(one) for one in place.touched],
        "more": place.more,
        "sessions": [{**log_object(one.log), "by": list(one.by)} for one in found.sessions],
        "decisions": [_reason_object(one) for one in found.decisions],
        "perhaps": [_reason_object(one) for one in found.perhaps],
    }


def _commit_object(one: Touched) -> dict[str, Any]:
    commit = one.commit
    return {
        "commit": commit.id,
        "date": ended_of(stamp_of(max(0, commit.written) * 1000)),
        **fields_of(commit, "author subject"),
        "lines": _spans(one.lines),
        **fields_of(one, "cut files"),
    }


def _reason_object(one: Reason) -> dict[str, Any]:
    return {
        **fields_of(one.fact, "id kind text"),
        "outcome": footer(one.fact, "outcome"),
        **mark_object(one.mark),
        "by": list(one.by),
    }


def _spans(lines: Sequence[int]) -> list[list[int]]:
    """Write numbers of lines as spans: their first and last."""
    found: list[list[int]] = []
    for line in lines:
        if found and line == found[-1][1] + 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def _print_reasons(found: Reasons, out: Output) -> None:
    place = found.place
    head = f"{place.path}:{place.line}" if place.line else place.path
    whole = f"{head}  " if place.line else ""
    if head and not place.line:
        out.line((head, "bold"))
    if place.uncommitted:
        lines = "" if place.line else f"{counted(len(place.uncommitted), 'line')}  "
        out.line((whole or f"  {lines}", "bold"), NOT_COMMITTED)
    for one in place.touched:
        commit = one.commit
        lines = f"  {counted(len(one.lines), 'line')}  " if head and not place.line else whole
        day = stamp_of(max(0, commit.written) * 1000)[:_DAY]
        wide = f"  (changed {one.files} files)" if one.files else ""
        out.line((lines, "bold"), (commit.id[:7], "yellow"), f"  {day}  {commit.author}  "
                 f'"{shortened(commit.subject, _TEXT_CHARS)}"{wide}')  # fmt: skip
        if one.cut:
            out.line("  ", CUT.format(commit.id[:7]))
    if place.more:
        out.line(f"  and {counted(place.more, 'commit')} more")
    for session in found.sessions:
        log = session.log
        said = f"{log.agent or 'nobody named'}: {log.title}"
        _line(out, "session", out.short(log.stem), said, ", ".join(session.by))
    for reason in found.decisions:
        tried = reason.fact.kind == ATTEMPT_KIND
        _reason(out, "tried" if tried else reason.fact.kind, reason)
    for reason in found.perhaps:
        _reason(out, "perhaps", reason)
    if not found.decisions:
        out.talk("no decision is linked with it")


def _reason(out: Output, kind: str, reason: Reason) -> None:
    """Print a fact, behind what has to be known before, and by what it is linked."""
    contested = "contradicted" * reason.fact.contradicted
    before = reason.mark.whole or contested or footer(reason.fact, "outcome")
    text = shortened(" ".join(reason.fact.text.split()), _TEXT_CHARS) + reason.mark.behind
    ways = dict.fromkeys("session" if one.startswith("session ") else one for one in reason.by)
    said = f"{before}: {text}" if before else text
    _line(out, kind, reason.fact.id, said, f"by {', '.join(ways)}")


def _line(out: Output, kind: str, name: str, said: str, by: str) -> None:
    """Print one line: what it is, its name, its words, and by what it is linked."""
    out.line((f"{kind:<{_KIND_CHARS}} ", "dim"), (name, "bold"), f"  {said}  ", (by, "dim"))
