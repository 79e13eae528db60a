"""Run `diurna why`: where a fact comes from, or the reasons behind a place of the code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby

from ledger.errors import NotFound
from ledger.home import PERSONAL
from memory import fact_named, home_and_id, is_named
from rituals.answers.record_to_dict import fields_of, mark_object
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.operation import option, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory import Reader, Reason, WhyStep

#: So many supersessions are printed each way; of a text so much.
_NEAR, _TEXT_CHARS = 100, 120
_VERSION = "version text event was stem agent date title commit"
_VERSIONS = Layout("""
{id:bold}
versions|
versions|{number<3} {version:yellow}[  stands{stands}][  replaces {was}]
versions|     {date|0000-00-00}  {event} by {agent|nobody named}: {title|}
versions|     in {stem~}
versions|{text>5}
""")
_EVENTS = Layout("""
{id:bold}[  {=said}]
events|
events|{date|0000-00-00}  {event:bold}  by {agent|nobody named}
events|  in {stem~}[, {=made}]
events|  from {=from}
events|  {=proof|remark}: {remark}
events|  version {version}[, replaces {was}]:
events|?version|{text>4}
chain|# supersessions
chain|  {old} → {new}[  (does not count){!counts}]  {stem~:dim}
?=further|  … and more, further away: --json has all
""")
_REASONS = Layout("""
{=head:bold}
{=pending}
commits|{=lines:bold}{commit%7:yellow}  {date%10}  {author}  "{=subject}"
commits|  {=cut}
[  and {more#commit} more]
sessions|session     {stem~:bold}  {agent|nobody named}: {title}  {by:dim}
decisions|{=kind<11:dim} {id:bold}  {=said}  {=by:dim}
""")


def why(
    call: Invocation, *,
    id: str = word("ID|FILE[:LINE]|COMMIT"),
    versions: bool = option("Its texts alone, numbered, and which of them stands."),
) -> None:  # fmt: skip
    """Show where a fact comes from, or why a line, a file or a commit of the code is as it is.

    Of a fact: every event, oldest first, with each version of its text. At the end are the supersessions
    that lead to it and on from it, the nearest 100 each way; --json has all.

    Of code: the commits that wrote it, the sessions around them, and what these decided, tried and found,
    the strongest link first.

    Examples:
      diurna why webhook-retry-queue
      diurna why webhook-retry-queue --versions
      diurna why src/queue.py:12
    """
    if not (versions or _is_fact(call.reader(), id)) and _told_of_code(call, id):
        return
    from memory import provenance

    memory, (fact,), home = call.holding((id,))
    shown = f"{home}/{fact}" if home else fact
    if not home:
        call.opened((fact,))
    if versions:
        heads = {version.id for version in memory.standing(fact).fact.heads}
        steps = [step for step in provenance(memory, fact).steps if step.version]
        told = [
            {"number": number, "stands": step.version in heads, **fields_of(step, _VERSION)}
            for number, step in enumerate(steps, 1)
        ]
        return call.answer({"id": shown, "versions": told}, _VERSIONS)
    found = provenance(memory, fact, near=0 if call.json else _NEAR)
    if home:  # of which the newest commit alone is here, and that tells of no log who committed it
        from memory import Origin

        steps = [step._replace(origin=Origin()) for step in found.steps]
        found = found._replace(id=shown, steps=tuple(steps))
    from rituals.answers.fact_objects import provenance_object

    values = provenance_object(found)
    for event, step in zip(values["events"], found.steps, strict=True):
        event["=made"] = "waiting to be committed" if step.waiting else step.origin.said
        event["=from"] = _origin(step)
        event["=proof"] = "evidence" if step.proof else ""
    said = [found.mark.said, found.known.said, found.mark.behind.strip()]
    values |= {"=said": "  ".join(filter(None, said)), "=further": found.further}
    call.answer(values, _EVENTS)


def _origin(step: WhyStep) -> str:
    """Say where a text was written first, and by whom; "" where it was here."""
    if not (step.source or step.by):
        return ""
    wrote = f", written {step.created}" if step.created else ""
    return f"{step.source or 'elsewhere'}{wrote}{f' by {step.by}' if step.by else ''}"


def _told_of_code(call: Invocation, asked: str) -> bool:
    """Answer about a place of the code; False where nothing of the code is meant."""
    from ledger.git.repository import find_repository
    from ledger.model.log_names import ended_of, stamp_of
    from memory import CUT_HISTORY, PATHS_HINT, UNCOMMITTED, code_asked, reasons
    from projection.brief.inert_text import shortened
    from rituals.answers.fact_objects import log_object

    memory, folder = call.reader(), call.folder()
    repository = find_repository(folder) or memory.home.repository
    place = code_asked(repository, asked, folder)
    if place is None:
        first = asked.partition("/")[0]
        if first != asked and os.path.isdir(os.path.join(repository.top or folder, first)):
            raise NotFound(f"there is no file {asked}", hint=PATHS_HINT.format(repository.top))
        return False
    found = reasons(memory, place)
    call.opened([one.fact.id for one in found.decisions])
    whole = f"{place.path}:{place.line}  " if place.line else ""
    commits = []
    for one in place.touched:
        commit, count = one.commit, len(one.lines)
        lines = f"  {count} line{'s' * (count != 1)}  " if place.path else ""
        commits.append(
            {
                **fields_of(
                    one, "commit=commit.id author=commit.author subject=commit.subject cut"
                ),
                "date": ended_of(stamp_of(max(0, commit.written) * 1000)),
                "lines": _spans(one.lines),
                "=lines": whole or lines,
                "=subject": shortened(commit.subject, _TEXT_CHARS),
                "=cut": CUT_HISTORY.format(commit.id[:7]) if one.cut else "",
            }
        )
    pending = f"{whole or f'  {len(place.uncommitted)} line(s)  '}{UNCOMMITTED}"
    values = {
        **fields_of(place, "asked path line text more"),
        "uncommitted": _spans(place.uncommitted),
        "commits": commits,
        "sessions": [{**log_object(one.log), "by": one.by} for one in found.sessions],
        "decisions": [_reason_object(one) for one in found.decisions],
        "=head": "" if place.line else place.path,
        "=pending": pending if place.uncommitted else "",
    }
    call.answer(values, _REASONS)
    if not (found.decisions or call.json):
        call.out.talk("no decision is linked with it")
    return True


def _reason_object(one: Reason) -> dict[str, Any]:
    """Describe a fact, behind what has to be known before, and by what it is linked."""
    from projection.brief.inert_text import shortened
    from projection.fold.fact_links import footer
    from projection.policy.model import ATTEMPT_KIND

    fact, outcome = one.fact, footer(one.fact, "outcome")
    before = one.mark.whole or "contradicted" * fact.contradicted or outcome
    text = shortened(" ".join(fact.text.split()), _TEXT_CHARS) + one.mark.behind
    ways = dict.fromkeys("session" if by.startswith("session ") else by for by in one.by)
    return {
        **fields_of(one, "id=fact.id kind=fact.kind text=fact.text by"),
        **mark_object(one.mark),
        "outcome": outcome,
        "=kind": "tried" if fact.kind == ATTEMPT_KIND else fact.kind,
        "=said": f"{before}: {text}" if before else text,
        "=by": f"by {', '.join(ways)}",
    }


def _spans(lines: Sequence[int]) -> list[list[int]]:
    """Write numbers of lines as spans: their first and last."""
    runs = groupby(enumerate(lines), lambda one: one[1] - one[0])
    spans = [[line for _, line in run] for _, run in runs]
    return [[span[0], span[-1]] for span in spans]


def _is_fact(memory: Reader, asked: str) -> bool:
    """Tell whether a word names a fact, here or in a home beside."""
    cache = memory.cache()
    name = home_and_id(asked)[0]
    if name:
        return name in (PERSONAL, *[one.name for one in cache.policy.upstream])
    try:
        return is_named(cache, fact_named(cache, asked))
    except NotFound:  # several begin so: a file of that name is meant
        return False
